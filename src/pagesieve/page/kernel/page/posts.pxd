"""The types of `posts`."""

cdef enum:
    MIN_POSTS = 2
    MIN_BYLINES = 3  # links to people, by turns with text that was kept
    MIN_PERSON = 3  # bytes of a name that is an address
    SLASHES_OF_HOST = 3  # up to the end of https://example.org/
    MAX_BYLINE = 160  # bytes of an element with a link to somebody and little more
    MAX_BEFORE = 60  # rows before the first that was kept, in which its author may stand
    MIN_TITLE = 8  # bytes of a link that may be the title of another page
    MIN_TITLE_WORDS = 4  # of such a link whose address looks like that of a profile
    MAX_STAMP = 60  # bytes of a text with little more than a date
    MAX_FIRST_POSTS = 8  # that are looked at first
    MAX_ABOVE = 12  # elements around what was kept first that may be its post
    MAX_MARKS = 300  # elements of a post that are looked at
    MAX_ROWS = 3000  # of a post whose body is not named
    MAX_INSIDE = 200  # posts directly inside of one
    MAX_AROUND = 600  # characters around a post: a user card
    MAX_LOOKALIKES = 2  # dates and the like inside of a post that look like posts
    MAX_FORM_LENGTH = 600  # characters of a form that asks who somebody is
    MAX_MARKED_LENGTH = 400  # bytes below an element that marks an author
    MAX_NAME_TEXTS = 4  # of such an element, of which one is the name
    # How sure an author is: as an attribute of the post states it, as microdata do, by a class, a link, a vaguer class.
    # What stands before the body of the post counts one more: what follows may be who changed or liked it.
    GIVEN = 12
    NAMED = 10
    STATED = 8
    SURE = 6
    LINKED = 4
    HINTED = 2
