"""The posts of a thread, and the comments below an article: which rows are whose, who wrote them and when.

A post is the innermost element that is named as posts are and holds a text besides an author or a date. A page is a
thread where it is a page of records and posts hold what a method kept of it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.kind import kind
from pagesieve.articles.post_marks import (
    GIVEN,
    SURE,
    are_alike,
    asking_rows,
    authors_at,
    beside_rows,
    body_rows,
    classes_of,
    date_in_text,
    dates_at,
    furniture_rows,
    given_authors,
    is_profile,
    mark_rows,
    members_folder,
    post_rows,
    posts_among,
    quotations,
    sorts_of,
)
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import CONTROLS, Blocks, inside, nearest
from pagesieve.page.stated import linked_scripts
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import PostRows, Reason, Selection
from pagesieve.stages import stage
from pagesieve.text.dates import has_month_first, is_date
from pagesieve.text.whitespace import fold

_LEAST_POSTS = 2
_LEAST_AROUND = 0.5  # of what was kept that is in the elements of posts, on a page that is a thread,
_LEAST_WRITTEN = 0.3  # and that was written in them
_LEAST_SIGNED = 0.5  # of the posts that have an author
_MOST_SIGNED, _SEVERAL = 0.8, 3  # the same of author and date, and posts, on a page that does not look like a thread
_THREAD_TYPES = (b"schema.org/Answer", b"schema.org/DiscussionForumPosting")
_STATED_TYPES = (b"DiscussionForumPosting", b"QAPage")  # of a page; questions and answers are on other pages, too
_RUN = 4  # words that are compared at a time
_LONG_QUOTATION, _REPEATED = 40, 0.9  # runs of a quotation, and the share of them that were quoted before
_WHOLE = 0.5  # of a post that was kept, quotations aside: then all of it is
_MOST_ABOVE = 12  # elements around what was kept first that may be its post
_MOST_MARKS = 300  # elements of a post that are looked at
_MOST_ROWS = 3_000  # of a post whose body is not named
_MOST_INSIDE = 200  # posts directly inside of one
_MOST_AROUND = 600  # characters around a post: a user card
_FEW = 8  # posts that are looked at first
_FEW_INSIDE = 2  # dates and the like inside of a post that look like posts
_LEAST_DATE, _MOST_DATE = 6, 100  # bytes of a text that is little more than a date
_CHROME = "nav aside footer"
_A, _H1, _H4 = (TAG_ID[name] for name in ("a", "h1", "h4"))


# Threads


def is_thread(page: Page, opening: Bools, replies: Bools) -> bool:
    """Whether what a page calls comments are the replies of a thread, given the text rows of both.

    A page states that it is a thread, or its opening is made as the replies are, or both are by members of the site.
    """
    return _states_thread(page) or _are_made_alike(page, opening, replies) or _are_by_members(page, replies)


def _states_thread(page: Page) -> bool:
    """Whether a page states that it is a thread, in microdata or JSON-LD."""
    linked = b"".join(page.text_buffer[start:stop] for start, stop in linked_scripts(page))
    return any(b"schema.org/" + name in page.value_buffer or b'"%b"' % name in linked for name in _STATED_TYPES)


def _are_made_alike(page: Page, opening: Bools, replies: Bools) -> bool:
    """Whether an element that is named as posts are stands around the opening, and one like it around a reply."""
    around = [_around_longest(page, rows) for rows in (opening, replies)]
    apart = around[0] ^ around[1]
    named = (posts_among(page, np.array(sorted(rows & apart), dtype=np.int32)).tolist() for rows in around)
    kinds = [{(int(page.tag[row]), *names) for row in rows if (names := classes_of(page, row))} for rows in named]
    return not kinds[0].isdisjoint(kinds[1])


def _around_longest(page: Page, texts: Bools) -> set[int]:
    """Return the elements around the longest of some text rows."""
    rows = np.flatnonzero(texts)
    found: set[int] = set()
    for row in rows[np.argsort(-page.chars[rows], kind="stable")[:_FEW]].tolist():
        while (row := int(page.parent[row])) > 0 and row not in found:
            found.add(row)
    return found


def _are_by_members(page: Page, replies: Bools) -> bool:
    """Whether somebody named before the replies, and several who wrote them, have profiles in the same place."""
    first = int(replies.argmax())
    folders: dict[bool, dict[str, set[str]]] = {False: {}, True: {}}
    for link in np.flatnonzero((page.tag == _A) & ~inside(page, _CHROME)).tolist():
        is_reply = bool(replies[link : page.end[link]].any())
        if is_reply or link < first:
            href = page.attribute(link, "href") or ""
            folders[is_reply].setdefault(members_folder(href), set()).add(href)
    return any(len(found) > 1 for folder, found in folders[True].items() if folder and folder in folders[False])


def threaded(selection: Selection) -> Selection:
    """Return the selection with its posts where the page is a thread: its rows are then those of the posts.

    What was kept before the first post stays; what stands beside, between or after posts goes.
    """
    kept = np.flatnonzero(selection.rows)
    if not len(kept) or selection.parts or not _may_be_thread(selection.blocks.page, kept):
        return selection
    return _with_posts(selection, int(kept[0]))


def _may_be_thread(page: Page, kept: NDArray[np.intp]) -> bool:
    """Whether two elements with something of what was kept are named as posts are: a quick answer for most pages."""
    first = int(kept[0])
    rows = post_rows(page, first, int(kept[-1]) + 1)
    if not len(rows):
        return False
    apart = _apart(page, rows, kept)
    if len(apart) < _LEAST_POSTS:
        above = [first := int(page.parent[first]) for _ in range(min(_MOST_ABOVE, int(page.depth[first])))]
        around = posts_among(page, np.array(above[::-1], dtype=np.int32))
        apart = _apart(page, np.concatenate([around, rows]), kept)
    return len(apart) >= _LEAST_POSTS and not _list_pages(page, apart[:_FEW]) and not _are_links(page, apart[:_FEW])


def _apart(page: Page, rows: Ints, kept: NDArray[np.intp]) -> list[int]:
    """Return those of some rows, the innermost, that have something of what was kept."""
    ends = page.end[rows]
    with_kept = np.searchsorted(kept, rows) < np.searchsorted(kept, ends)
    found: list[int] = []
    for row, end in zip(rows[with_kept][::-1].tolist(), ends[with_kept][::-1].tolist(), strict=True):
        if not found or end <= found[-1]:
            found.append(row)
    return found


@stage("posts")
def _with_posts(selection: Selection, first: int) -> Selection:
    page, kept = selection.blocks.page, selection.rows
    found = find_posts(selection.blocks, kept)
    posts = _of_kept_sorts(found, page, kept)
    chars = page.chars + page.hidden_chars
    if (
        not _fill(posts, page, kept, chars)
        or _list_pages(page, [post.root for post in posts])
        or not _is_sure(posts, page)
    ):
        return selection
    posts = _whole(posts, kept, chars * ~inside(page, "blockquote"))
    posts = _without_repeats(page, posts)
    number = np.full(len(page), -1, dtype=np.int32)
    for k, post in enumerate(posts):
        number[post.rows] = k
    rows = number >= 0
    rows[first : posts[0].root] |= kept[first : posts[0].root]
    comments = np.zeros_like(rows)
    roots = {post.root for post in posts}
    for post in found:
        if post.root not in roots:  # a comment on those of the thread
            comments[post.rows] = selection.comments[post.rows] & ~rows[post.rows]
    reason = _Reasons(selection.blocks, number, kept & ~rows, selection.reason)
    return replace(selection, rows=rows, comments=comments, reason=reason, posts=tuple(posts))


def _of_kept_sorts(posts: list[PostRows], page: Page, kept: Bools) -> list[PostRows]:
    """Return the posts of the sorts of which something was kept; a parent that is gone is none."""
    sorts = sorts_of(page, np.array([post.root for post in posts], dtype=np.int32))
    wanted = _kept_sorts(posts, sorts, page, kept)
    number: dict[int, int] = {}
    found: list[PostRows] = []
    for k, (post, sort) in enumerate(zip(posts, sorts, strict=True)):
        if sort in wanted:
            number[k] = len(found)
            parent = number.get(post.parent) if post.parent is not None else None
            found.append(replace(post, parent=parent, depth=0 if parent is None else found[parent].depth + 1))
    return found


def _kept_sorts(posts: list[PostRows], sorts: list[tuple[int, str]], page: Page, kept: Bools) -> set[tuple[int, str]]:
    """Return the sorts of posts of which something was kept: of what was written, or else of what is beside it."""
    pairs = [*zip(posts, sorts, strict=True)]
    written = {sort for post, sort in pairs if kept[post.rows].any()}
    return written or {sort for post, sort in pairs if kept[post.root : page.end[post.root]].any()}


def _sums(posts: Sequence[PostRows], column: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sum of a column over the rows of each post."""
    starts = np.cumsum([0, *(len(post.rows) for post in posts[:-1])])
    rows = np.concatenate([post.rows for post in posts])
    sums: NDArray[np.int64] = np.add.reduceat(column[rows], starts, dtype=np.int64)
    return sums


def _fill(posts: Sequence[PostRows], page: Page, kept: Bools, chars: Ints) -> bool:
    """Whether posts hold what was kept: several of them, most of it, and most of them say who wrote them."""
    if not posts or sum(post.author is not None for post in posts) < _LEAST_SIGNED * len(posts):
        return False
    around = np.zeros(len(page), dtype=np.bool_)
    for post in posts:
        around[post.root : page.end[post.root]] = True
    total = int(chars[kept].sum())
    if int(chars[kept & around].sum()) < _LEAST_AROUND * total:
        return False
    held = _sums(posts, chars * kept)
    if not held.any():  # a method took all of them for comments, and left what stands beside them
        return len(posts) >= _SEVERAL and _are_signed(posts) and int(_sums(posts, chars).sum()) > total
    return int(np.count_nonzero(held)) >= _LEAST_POSTS and int(held.sum()) >= _LEAST_WRITTEN * total


def _are_signed(posts: Sequence[PostRows]) -> bool:
    """Whether nearly all posts have an author and a date."""
    return sum(post.author is not None and post.date is not None for post in posts) >= _MOST_SIGNED * len(posts)


def _is_sure(posts: Sequence[PostRows], page: Page) -> bool:
    """Whether posts are those of a thread: on a page of records, or with authors and dates, or as the page states."""
    is_stated = any(name in page.value_buffer for name in _THREAD_TYPES)
    if _are_signed(posts) and (is_stated or len(posts) >= _SEVERAL):
        return True
    return kind(page) == "records"


def _list_pages(page: Page, roots: Sequence[int]) -> bool:
    """Whether most posts have a headline that links to a page of their own, as those of a blog do."""
    headings = np.flatnonzero((page.tag >= _H1) & (page.tag <= _H4))
    first, stop = np.searchsorted(headings, roots).tolist(), np.searchsorted(headings, page.end[roots]).tolist()
    within = (headings[start:end].tolist() for start, end in zip(first, stop, strict=True))
    return 2 * sum(any(_links_away(page, heading) for heading in some) for some in within) > len(roots)


def _are_links(page: Page, roots: Sequence[int]) -> bool:
    """Whether most text of some elements is in links."""
    spans = [slice(root, int(page.end[root])) for root in roots]
    linked = sum(int((page.chars[span] * page.linked[span]).sum()) for span in spans)
    return 2 * linked > sum(int(page.chars[span].sum()) for span in spans)


def _links_away(page: Page, heading: int) -> bool:
    for link in (heading + np.flatnonzero(page.tag[heading : page.end[heading]] == _A)).tolist():
        href = page.attribute(link, "href")
        if href and "#" not in href and not is_profile(href):
            return True
    return False


def _whole(posts: list[PostRows], kept: Bools, own: Ints) -> list[PostRows]:
    """Return posts whole; of one of which a method kept little only that: the rest of its body is something else.

    `own` are the characters of each row, but for quotations.
    """
    is_whole = (_sums(posts, kept) == 0) | (_sums(posts, own * kept) >= _WHOLE * _sums(posts, own))
    return [
        post if whole else replace(post, rows=post.rows[kept[post.rows]])
        for post, whole in zip(posts, is_whole.tolist(), strict=True)
    ]


def _without_repeats(page: Page, posts: list[PostRows]) -> list[PostRows]:
    """Return posts without the long quotations that one of them has already."""
    seen: set[tuple[str, ...]] = set()
    found = []
    for post in posts:
        again = []
        for span in _quoted(page, post):
            runs = _runs(page, span)
            if len(runs) >= _LONG_QUOTATION and len(runs & seen) >= _REPEATED * len(runs):
                again.append(span)
            seen |= runs
        left = np.setdiff1d(post.rows, np.concatenate(again), assume_unique=True) if again else post.rows
        found.append(replace(post, rows=left) if len(left) else post)
    return found


def _quoted(page: Page, post: PostRows) -> list[NDArray[np.intp]]:
    """Return the text rows of each quotation in a post, with who is quoted; not where all of the post would be one."""
    found: list[tuple[int, int]] = []  # where each begins and ends among the rows of the post
    rows = quotations(page, post.root, int(post.rows[-1]))
    places = np.searchsorted(post.rows, rows).tolist(), np.searchsorted(post.rows, page.end[rows]).tolist()
    for first, stop in zip(*places, strict=True):
        if first == stop or stop - first == len(post.rows) or (found and stop <= found[-1][1]):
            continue
        if found and first == found[-1][1]:
            first = found.pop()[0]
        found.append((first, stop))
    return [post.rows[first:stop] for first, stop in found]


def _runs(page: Page, rows: NDArray[np.intp]) -> set[tuple[str, ...]]:
    """Return the runs of a few words in some text rows."""
    words = " ".join(map(page.text, rows.tolist())).casefold().split()
    return {*zip(*(words[k:] for k in range(_RUN)), strict=False)}


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block of a thread was kept or dropped. Not a closure, so that an article can be pickled."""

    blocks: Blocks
    number: Ints  # of each row that of its post, or -1
    beside: Bools  # the rows that were kept before the posts were found
    before: Callable[[int], Reason]

    def __call__(self, block: int) -> Reason:
        rows = self.blocks.rows_of(block)
        number, posts = int(self.number[rows].max()) + 1, int(self.number.max()) + 1
        if number > 0:
            return Reason(f"in post {number} of {posts}", "article", {"post": number, "of": posts})
        return Reason("in no post of the thread", "rule") if self.beside[rows].any() else self.before(block)


# Posts


def find_posts(blocks: Blocks, kept: Bools, span: tuple[int, int] | None = None) -> list[PostRows]:
    """Return the posts among some rows of a page, or all, in order; `kept` are the text rows taken for written."""
    page = blocks.page
    return _Finder(page, kept, span or (0, len(page))).posts()


def _section(page: Page, rows: Bools) -> tuple[int, int]:
    """Return the rows of an element around some text rows that has little other text: where it begins and ends."""
    places = np.flatnonzero(rows)
    row, last = int(places[0]), int(places[-1])
    while page.end[row] <= last:
        row = int(page.parent[row])
    most = 2 * int(page.chars[places].sum()) + _MOST_AROUND
    while row > 0 and page.text_chars[page.parent[row]] <= most:
        row = int(page.parent[row])
    return row, int(page.end[row])


def comment_posts(blocks: Blocks, rows: Bools) -> tuple[PostRows, ...]:
    """Return the comments among some text rows as posts: all of them as one where no post is found."""
    if not rows.any():
        return ()
    page = blocks.page
    posts = _of_kept_sorts(find_posts(blocks, rows, _section(page, rows)), page, rows)
    own = [replace(post, rows=mine) for post in posts if len(mine := post.rows[rows[post.rows]])]
    return tuple(own) if own else (PostRows(0, np.flatnonzero(rows), None, None, None, 0),)


@dataclass(slots=True)
class _Draft:
    """A post while posts are found."""

    root: int
    end: int
    inner: list[_Draft]
    author: str | None
    strength: int  # how sure the author is
    date: str | None
    has_body: bool  # whether an element in it is named as bodies are
    own: _Own | None  # None where it was read in an element inside of `root`
    sorts: set[tuple[int, str]] = field(default_factory=set)  # of the elements that are around nothing but it


class _Finder:
    """The posts of a page while they are found, from the innermost elements outwards."""

    def __init__(self, page: Page, kept: Bools, span: tuple[int, int]) -> None:
        self.page, self.kept, self.span = page, kept, span
        self.roots = post_rows(page, *span)
        # The rows in which posts are looked for: from the first element named as posts are to the end of the last.
        self.extent = (int(self.roots[0]), int(page.end[self.roots].max())) if len(self.roots) else (0, 0)
        self._dates_in_texts: dict[int, str | None] = {}
        # Columns as Python reads single numbers of them fastest.
        self.end: memoryview = page.end.data
        self.sums: memoryview = _running_sum(page.chars).data
        self.kept_sums: memoryview = _running_sum(page.chars * kept).data

    @cached_property
    def sorts(self) -> dict[int, tuple[int, str]]:
        """The sorts of the elements that are named as posts are."""
        return dict(zip(self.roots.tolist(), sorts_of(self.page, self.roots), strict=True))

    @cached_property
    def given(self) -> dict[int, str]:
        """The authors that attributes of posts state, by their rows."""
        return given_authors(self.page)

    @cached_property
    def authors(self) -> dict[int, tuple[int, str]]:
        """The authors that elements mark, by their rows, each after how sure it is."""
        return authors_at(self.page, self.marked)

    @cached_property
    def dates(self) -> dict[int, str]:
        """The dates that elements state, by their rows."""
        return dates_at(self.page, self.marked)

    @cached_property
    def marked(self) -> Ints:
        """The elements that may say who wrote a post, or when."""
        rows = mark_rows(self.page, *self.extent)
        return rows[~self.in_forms[rows]]

    @cached_property
    def years(self) -> list[int]:
        """The short texts with a year."""
        return kernel.stated.rows_with_year(self.page, *self.span, True, _LEAST_DATE, _MOST_DATE)

    @cached_property
    def month_first(self) -> bool | None:
        """Whether the dates of the page have the month first, where one of them tells."""
        return has_month_first(map(self.page.text, self.years))

    def date_in(self, row: int) -> str | None:
        """Return the date of a post that a short text with a year names."""
        if row not in self._dates_in_texts:
            self._dates_in_texts[row] = date_in_text(self.page, row, self.month_first)
        return self._dates_in_texts[row]

    @cached_property
    def is_date(self) -> Callable[[int], bool]:
        """Whether the text of a row is little more than a date; no method, which would be a cycle with the marks."""
        page = self.page
        return lambda row: is_date(fold(page.text(row)))

    @cached_property
    def marks(self) -> Any:
        """What is marked on the page: the kernel's `PostMarks`."""
        bodies = body_rows(self.page, *self.extent)
        ends = self.page.end[bodies]
        kept, chars = (_column(sums[ends] - sums[bodies]) for sums in map(np.asarray, (self.kept_sums, self.sums)))
        strengths = [strength for strength, _ in self.authors.values()]
        return kernel.posts.PostMarks(
            self.page,
            (bodies[chars > 0], kept[chars > 0], chars[chars > 0]),
            (_column(self.authors), _column(strengths)),
            _column(self.dates),
            _column(self.years),
            self.is_date,
            SURE,
            _MOST_MARKS,
        )

    @cached_property
    def texts(self) -> NDArray[np.intp]:
        """The text rows that are there to be read: not blank, and not in form controls or forms to log in with."""
        return np.flatnonzero((self.page.chars > 0) & ~inside(self.page, CONTROLS) & ~self.in_forms)

    @cached_property
    def in_forms(self) -> Bools:
        """Whether each row is in a form that asks who somebody is."""
        return asking_rows(self.page)

    @cached_property
    def text_rows(self) -> memoryview:
        """The same, to search in."""
        return self.texts.data

    @cached_property
    def beside(self) -> Ints:
        """Of each of the texts the nearest signature or row of buttons around it, or 0."""
        return self._nearest(beside_rows(self.page, *self.extent))

    @cached_property
    def furniture(self) -> Ints:
        """Of each of the texts the nearest element around it that is beside what was written, or 0."""
        return self._nearest(furniture_rows(self.page, *self.extent))

    def _nearest(self, rows: Ints) -> Ints:
        marked = np.zeros(len(self.page), dtype=np.bool_)
        marked[rows] = True
        return nearest(self.page, marked)[self.texts]

    def texts_outside(self, first: int, stop: int, around: Ints) -> NDArray[np.intp]:
        """Return the texts among some rows that are not below an element among them, given the nearest of each."""
        span = slice(bisect_left(self.text_rows, first), bisect_left(self.text_rows, stop))
        return self.texts[span][around[span] < first]

    def posts(self) -> list[PostRows]:
        """Return the posts, in order."""
        found: list[_Draft] = []  # those that no element looked at so far is around, the last of the page first
        for row in reversed(self.roots.tolist()):
            end = self.end[row]
            if self.sums[end] - self.sums[row] <= 1:
                continue
            inner: list[_Draft] = []
            while found and found[-1].root < end:
                inner.append(found.pop())
            found += reversed(self.taken(row, end, inner))
        return [*self.written(reversed(found))]

    def taken(self, row: int, end: int, inner: list[_Draft]) -> list[_Draft]:
        """Return the posts in an element, given those further inside: with itself, instead of one, or as they are."""
        if len(inner) > _MOST_INSIDE:
            return inner
        sort = self.sorts[row]
        if len(inner) == 1:
            inner[0].sorts.add(sort)
        elif len(inner) > 1 and sort[1] and [sort in post.sorts for post in inner[:2]] == [False, True]:
            # An element around a post, and elements like it around the answers to it, which stand beside the post.
            return [replace(inner[0], root=row, end=end, inner=[*inner[0].inner, *inner[1:]], own=None)]
        instead = self.widened(row, end, inner) or self.absorbing(row, end, inner)
        if instead:
            return [instead]
        own = _Own(self, row, end, inner)
        if inner and not (own.has_text and (0 <= own.body <= inner[0].root or self.is_answered(own, inner))):
            return inner
        if not (own.author or own.date) or not (own.body >= 0 or own.rows.size):
            return inner
        return inner if inner and not self.is_like(own, inner) else [own.as_draft()]

    def widened(self, row: int, end: int, inner: list[_Draft]) -> _Draft | None:
        """Return the only post inside with the element around it, where that says better who wrote it, or when."""
        if len(inner) != 1 or self.is_made_as(row, inner):
            return None
        post = inner[0]
        size = self.sums[post.end] - self.sums[post.root]
        if self.sums[end] - self.sums[row] > size + max(size, _MOST_AROUND):
            return None
        own = _Own(self, row, end, post.inner)
        is_better = own.strength > post.strength or (post.date is None and own.date)
        return own.as_draft() if is_better else None

    def absorbing(self, row: int, end: int, inner: list[_Draft]) -> _Draft | None:
        """Return an element as one post where it has a body, and what is inside of it only looks like posts."""
        if not 0 < len(inner) <= _FEW_INSIDE or any(post.has_body for post in inner) or self.is_made_as(row, inner):
            return None
        own = _Own(self, row, end, [])
        if own.body < 0 or not own.author or any(own.body <= post.root < self.end[own.body] for post in inner):
            return None
        return own.as_draft()

    def is_like(self, own: _Own, inner: list[_Draft]) -> bool:
        """Whether an element is a post as those inside of it are: of the same sort, or surely with author and date."""
        if own.strength >= SURE and own.date:
            return True
        return any(self.sorts[own.row] == self.sorts[post.root] for post in inner)

    def is_answered(self, own: _Own, inner: list[_Draft]) -> bool:
        """Whether an element without a body is a post, and what is inside of it are the answers, made as it is."""
        return own.body < 0 and bool(own.author) and self.is_made_as(own.row, inner)

    def is_made_as(self, row: int, inner: list[_Draft]) -> bool:
        """Whether an element is made as a post inside of it."""
        return any(are_alike(self.page, row, post.root) for post in inner)

    def written(self, drafts: Iterable[_Draft]) -> Iterator[PostRows]:
        """Yield the posts that have text, each before those inside of it."""
        stack: list[tuple[_Draft, int | None, int]] = [(draft, None, 0) for draft in reversed([*drafts])]
        count = 0
        while stack:
            draft, parent, depth = stack.pop()
            rows = (draft.own or _Own(self, draft.root, draft.end, draft.inner)).rows
            if rows.size:
                yield PostRows(draft.root, rows, draft.author, draft.date, parent, depth)
                parent, depth, count = count, depth + 1, count + 1
            stack += [(post, parent, depth) for post in reversed(draft.inner)]


def _running_sum(column: Ints) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(column)])


def _column(numbers: Iterable[int]) -> Ints:
    return np.fromiter(numbers, dtype=np.int32)


class _Own:
    """An element that may be a post, less the posts inside of it."""

    def __init__(self, finder: _Finder, row: int, end: int, inner: list[_Draft]) -> None:
        self.finder, self.row, self.end, self.inner = finder, row, end, inner
        # Where its own rows begin and end, by turns.
        self.spans = array("i", [row, *(place for post in inner for place in (post.root, post.end)), end])
        # The row of the body, or -1; how sure the author is; the row of the date that it states, or -1.
        self.body, author, self.strength, self._stated = finder.marks.find(self.spans)
        self.author: str | None = finder.authors[author][1] if author >= 0 else None
        if row in finder.given:
            self.strength, self.author = GIVEN, finder.given[row]
        if self.author and self.body >= 0 and are_alike(finder.page, row, self.body):
            self.body = -1  # an answer to it, of which nothing was kept

    def as_draft(self) -> _Draft:
        """Return it as a post."""
        return _Draft(
            self.row, self.end, self.inner, self.author, self.strength, self.date, has_body=self.body >= 0, own=self
        )

    @property
    def has_text(self) -> bool:
        """Whether there is more than a sign."""
        return sum(self.finder.sums[stop] - self.finder.sums[first] for first, stop in self._pairs()) > 1

    def _pairs(self) -> Iterator[tuple[int, int]]:
        return zip(self.spans[::2], self.spans[1::2], strict=True)

    @cached_property
    def date(self) -> str | None:
        """When it was written, in ISO 8601."""
        if self._stated >= 0:
            return self.finder.dates[self._stated]
        stop = self.finder.end[self.body] if self.body >= 0 else -1
        texts = (row for row in self.finder.marks.years.among(self.spans) if not self.body <= row < stop)
        return next(filter(None, map(self.finder.date_in, texts)), None)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The text rows of what was written; none where nothing but signs was."""
        rows = self._rows_of_body() if self.body >= 0 else self._rows_without_body()
        return rows if any(any(map(str.isalnum, self.finder.page.text(row))) for row in rows.tolist()) else rows[:0]

    def _rows_of_body(self) -> NDArray[np.intp]:
        return self.finder.texts_outside(self.body + 1, self.finder.end[self.body], self.finder.beside)

    def _rows_without_body(self) -> NDArray[np.intp]:
        """Return the rows that were kept, without authors, dates and furniture, where no element is named a body."""
        finder, marks = self.finder, self.finder.marks
        kept = any(finder.kept_sums[stop] > finder.kept_sums[first] for first, stop in self._pairs())
        if not kept or sum(stop - first for first, stop in self._pairs()) > _MOST_ROWS:
            return np.zeros(0, dtype=np.intp)
        gone = {*filter(finder.is_date, marks.years.among(self.spans))}
        for row in (*marks.dates.among(self.spans), *marks.authors.among(self.spans)):
            gone.update(range(row, finder.end[row]))
        spans = ((max(first, self.row + 1), stop) for first, stop in self._pairs())
        rows = np.concatenate([finder.texts_outside(first, stop, finder.furniture) for first, stop in spans])
        rows = rows[finder.kept[rows]]
        left: NDArray[np.intp] = rows[[row not in gone for row in rows.tolist()]]
        return left
