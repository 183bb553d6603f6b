"""Find the posts of a thread, and the comments below an article: their rows, authors and dates.

A post is the innermost element that has a name of posts and contains a text besides an author or a date. A page is a
thread if it is a page of records and its posts contain the rows that a method has kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import Blocks, as_mask, inside
from pagesieve.page.stated import linked_scripts
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import PostRows, Reason, Selection
from pagesieve.stages import stage

_MIN_POSTS = 2
_MIN_AROUND = 0.5  # share of the kept text of a thread that is inside elements of posts,
_MIN_WRITTEN = 0.3  # and that is their body
_MIN_SIGNED = 0.5  # share of the posts with an author
_MAX_SIGNED, _SEVERAL = 0.8, 3  # if no other sign shows a thread: share of authors and dates, number of posts
_THREAD_TYPES = (b"schema.org/Answer", b"schema.org/DiscussionForumPosting")
_STATED_TYPES = (b"DiscussionForumPosting", b"QAPage")  # of a page; questions and answers also occur on other pages
_RUN = 4  # words of a run, by which quotations are compared
_LONG_QUOTATION, _REPEATED = 40, 0.9  # runs of a quotation, and the share of them that an earlier post quotes
_WHOLE = 0.5  # share of a post without quotations from which all of it is kept
_MAX_AROUND = 600  # characters around a post: a user card
_FEW = 8  # texts that are compared
_CHROME = "nav aside footer"
_A = TAG_ID["a"]


# Threads


def is_thread(page: Page, opening: Bools, replies: Bools) -> bool:
    """Whether the comments of a page are the replies of a thread. `opening` and `replies` are masks of text rows.

    They are if the page states that it is a thread, if the opening has the same elements as the replies, or if members
    of the site wrote both.
    """
    return _states_thread(page) or _are_made_alike(page, opening, replies) or _are_by_members(page, replies)


def _states_thread(page: Page) -> bool:
    """Whether a page states that it is a thread, in microdata or JSON-LD."""
    linked = b"".join(page.text_buffer[start:stop] for start, stop in linked_scripts(page))
    return any(b"schema.org/" + name in page.value_buffer or b'"%b"' % name in linked for name in _STATED_TYPES)


def _are_made_alike(page: Page, opening: Bools, replies: Bools) -> bool:
    """Whether an element with a name of posts contains the opening, and a similar one a reply."""
    from pagesieve.threads.marks import classes_of

    around = [_around_longest(page, rows) for rows in (opening, replies)]
    apart = around[0] ^ around[1]
    named = (
        [*compress(rows, kernel.page.posts.are_posts(page, rows))] for rows in (sorted(rows & apart) for rows in around)
    )
    kinds = [{(int(page.tag[row]), *names) for row in rows if (names := classes_of(page, row))} for rows in named]
    return not kinds[0].isdisjoint(kinds[1])


def _around_longest(page: Page, texts: Bools) -> set[int]:
    """Return the elements around the longest text row of a mask."""
    rows = np.flatnonzero(texts)
    found: set[int] = set()
    for row in rows[np.argsort(-page.chars[rows], kind="stable")[:_FEW]].tolist():
        while (row := int(page.parent[row])) > 0 and row not in found:
            found.add(row)
    return found


def _are_by_members(page: Page, replies: Bools) -> bool:
    """Whether an author before the replies, and several authors of replies, have profiles in the same folder."""
    from pagesieve.threads.marks import members_folder

    first = int(replies.argmax())
    folders: dict[bool, dict[str, set[str]]] = {False: {}, True: {}}
    before = np.cumsum(replies, dtype=np.int32)
    links = np.flatnonzero((page.tag == _A) & ~inside(page, _CHROME))
    have_replies = before[page.end[links] - 1] > before[links - 1]
    for link, is_reply in zip(links.tolist(), have_replies.tolist(), strict=True):
        if is_reply or link < first:
            href = page.attribute(link, "href") or ""
            folders[is_reply].setdefault(members_folder(href), set()).add(href)
    return any(len(found) > 1 for folder, found in folders[True].items() if folder and folder in folders[False])


@stage("posts")
def with_posts(selection: Selection, first: int) -> Selection:
    """Return the selection with its posts if the page is a thread; its rows are then those of the posts.

    `first` is the first kept row. Rows that were kept before the first post remain; rows beside, between or after posts
    are dropped.
    """
    page, kept = selection.blocks.page, selection.rows
    found = _Found(page, kept, (0, len(page)))
    is_named = kernel.page.posts.has_named_posts(page, selection.row_marks, first)
    posts, signed = _named_thread(found, page, kept) if is_named else [], found.signed
    if not posts:
        posts, signed = _recorded_thread(selection, first)
    if not posts:
        return selection
    posts = _opened(page, kept, posts, signed)
    posts = _whole(posts, kept, (page.chars + page.hidden_chars) * ~inside(page, "blockquote"), kept | ~found.borrowed)
    posts = _without_repeats(page, posts, found.quotations)
    number = np.full(len(page), -1, dtype=np.int32)
    for k, post in enumerate(posts):
        number[post.rows] = k
    rows = number >= 0
    rows[first : posts[0].root] |= kept[first : posts[0].root]
    comments = np.zeros_like(rows)
    roots = {post.root for post in posts}
    for post in found.posts:
        if post.root not in roots:  # a comment on a post of the thread
            comments[post.rows] = selection.comments[post.rows] & ~rows[post.rows]
    reason = _Reasons(selection.blocks, number, kept & ~rows, selection.reason)
    return replace(selection, rows=rows, comments=comments, reason=reason, posts=tuple(posts))


def _named_thread(found: _Found, page: Page, kept: Bools) -> list[PostRows]:
    """Return the posts of a page whose elements are named as posts are; none if they are no thread."""
    posts = _of_kept_sorts(found, page, kept)
    if not _fill(posts, page, kept) or kernel.page.posts.lead_away(page, [post.root for post in posts]):
        return []
    return posts if _is_sure(posts, page) else []


def _recorded_thread(selection: Selection, first: int) -> tuple[list[PostRows], dict[int, int]]:
    """Return the records of a page as posts, if nearly all have an author and a date or a time, else none.

    `first` is the first kept row. The rows that have the authors are returned by the root of their post.
    """
    from pagesieve.records.regions import segment

    page, kept = selection.blocks.page, selection.rows
    if kernel.page.posts.has_bylines(page, selection.row_marks, first):
        with suppress(NothingFound):
            for region in segment(page):
                records = region.records
                if len(records) < _SEVERAL:
                    continue
                finder = _finder(page, kept, (records[0][0], int(page.end[records[-1][-1]])), False)
                found = finder.posts_in([list(roots) for roots in records])
                posts = [PostRows(root, np.array(rows), author, date, None, 0) for root, rows, author, date, _ in found]
                signed = sum(author is not None and is_stamped for _, _, author, _, is_stamped in found)
                if signed >= _MAX_SIGNED * len(records) and _fill(posts, page, kept):
                    return posts, finder.signed
    return [], {}


def _opened(page: Page, kept: Bools, posts: list[PostRows], signed: dict[int, int]) -> list[PostRows]:
    """Return the posts of a thread with its opening, if this stands before them in other elements than theirs.

    Its author is marked as those of the posts are: `signed` has the rows with these, by the root of a post.
    """
    like = next((signed[post.root] for post in posts if signed.get(post.root, -1) >= 0), -1)
    found = _finder(page, kept, (1, posts[0].root), False).opening(like) if like >= 0 else None
    if found is None or (found[2] == posts[0].author and found[3] in (None, posts[0].date)):
        return posts
    root, rows, author, date = found
    moved = [replace(post, parent=None if post.parent is None else post.parent + 1) for post in posts]
    return [PostRows(root, np.array(rows, dtype=np.intp), author, date, None, 0), *moved]


def _finder(page: Page, kept: Bools, span: tuple[int, int], is_named: bool) -> Any:
    """Return the finder of posts in a range of rows: of those that are named as posts are, or else of records."""
    from pagesieve.threads.marks import TextReader, dating_attributes, given_authors

    first, stop = span
    given, dating, reader = given_authors(page), dating_attributes(page), TextReader(page, span)
    return kernel.page.posts.Finder(page, kept.view(np.uint8), first, stop, given, dating, reader, is_named)


def _of_kept_sorts(found: _Found, page: Page, kept: Bools) -> list[PostRows]:
    """Return the posts of those sorts of which rows were kept; a post whose parent is dropped has no parent."""
    wanted = _kept_sorts(found, page, kept)
    number: dict[int, int] = {}
    posts: list[PostRows] = []
    for k, (post, sort) in enumerate(zip(found.posts, found.sorts, strict=True)):
        if sort in wanted:
            number[k] = len(posts)
            parent = number.get(post.parent) if post.parent is not None else None
            depth = 0 if parent is None else posts[parent].depth + 1
            is_same = parent == post.parent and depth == post.depth
            posts.append(post if is_same else replace(post, parent=parent, depth=depth))
    return posts


def _kept_sorts(found: _Found, page: Page, kept: Bools) -> set[int]:
    """Return the sorts of posts of which rows were kept: rows of their bodies, or else rows beside them."""
    pairs = [*zip(found.posts, found.sorts, strict=True)]
    written = {sort for post, sort in pairs if kept[post.rows].any()}
    return written or {sort for post, sort in pairs if kept[post.root : page.end[post.root]].any()}


def _sums(posts: Sequence[PostRows], column: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sum of a column over the rows of each post."""
    starts = np.cumsum([0, *(len(post.rows) for post in posts[:-1])])
    rows = np.concatenate([post.rows for post in posts])
    sums: NDArray[np.int64] = np.add.reduceat(column[rows], starts, dtype=np.int64)
    return sums


def _fill(posts: Sequence[PostRows], page: Page, kept: Bools) -> bool:
    """Whether several posts contain most of the kept rows, and most of these posts have an author."""
    if not posts or sum(post.author is not None for post in posts) < _MIN_SIGNED * len(posts):
        return False
    chars = page.chars + page.hidden_chars
    around = np.zeros(len(page), dtype=np.bool_)
    for post in posts:
        around[post.root : max(page.end[post.root], post.rows[-1] + 1)] = True
    total = int(chars[kept].sum())
    if int(chars[kept & around].sum()) < _MIN_AROUND * total:
        return False
    held = _sums(posts, chars * kept)
    if not held.any():  # the method mistook all of them for comments and kept only rows beside them
        return len(posts) >= _SEVERAL and _are_signed(posts) and int(_sums(posts, chars).sum()) > total
    return int(np.count_nonzero(held)) >= _MIN_POSTS and int(held.sum()) >= _MIN_WRITTEN * total


def _are_signed(posts: Sequence[PostRows]) -> bool:
    """Whether posts have nearly all authors and dates."""
    count = sum((post.author is not None) + (post.date is not None) for post in posts)
    return count >= _MAX_SIGNED * 2 * len(posts)


def _is_sure(posts: Sequence[PostRows], page: Page) -> bool:
    """Whether posts form a thread: the page is one of records, they have authors and dates, or the page states it."""
    if _are_signed(posts) and (len(posts) >= _SEVERAL or any(name in page.value_buffer for name in _THREAD_TYPES)):
        return True
    from pagesieve.kinds.kind import kind

    return kind(page) == "records"


def _whole(posts: list[PostRows], kept: Bools, own: Ints, rows: Bools) -> list[PostRows]:
    """Return posts with all their rows, or only with the kept ones if a method kept little of the post.

    `own` has the number of characters of each row, or 0 in quotations.
    """
    is_whole = (_sums(posts, kept) == 0) | (_sums(posts, own * kept) >= _WHOLE * _sums(posts, own))
    return [
        post if whole else replace(post, rows=post.rows[rows[post.rows]])
        for post, whole in zip(posts, is_whole.tolist(), strict=True)
    ]


def _without_repeats(page: Page, posts: list[PostRows], quotations: list[int]) -> list[PostRows]:
    """Return posts without long quotations that an earlier post has too. `quotations` are the rows of quotations."""
    if not quotations:
        return posts
    seen: set[tuple[str, ...]] = set()
    found = []
    for post in posts:
        again = []
        for span in _quoted(page, post, quotations):
            runs = _runs(page, span)
            if len(runs) >= _LONG_QUOTATION and len(runs & seen) >= _REPEATED * len(runs):
                again.append(span)
            seen |= runs
        left = np.setdiff1d(post.rows, np.concatenate(again), assume_unique=True) if again else post.rows
        found.append(replace(post, rows=left) if 0 < len(left) < len(post.rows) else post)
    return found


def _quoted(page: Page, post: PostRows, quotations: list[int]) -> list[NDArray[np.intp]]:
    """Return the text rows of each quotation in a post, with its author, unless the whole post is a quotation."""
    found: list[tuple[int, int]] = []  # the range of each among the rows of the post
    rows = quotations[bisect_left(quotations, post.root) : bisect_left(quotations, int(post.rows[-1]))]
    if not rows:
        return []
    places = np.searchsorted(post.rows, rows).tolist(), np.searchsorted(post.rows, page.end[rows]).tolist()
    for first, stop in zip(*places, strict=True):
        if first == stop or stop - first == len(post.rows) or (found and stop <= found[-1][1]):
            continue
        if found and first == found[-1][1]:
            first = found.pop()[0]
        found.append((first, stop))
    return [post.rows[first:stop] for first, stop in found]


def _runs(page: Page, rows: NDArray[np.intp]) -> set[tuple[str, ...]]:
    """Return the runs of a few words in text rows."""
    words = " ".join(map(page.text, rows.tolist())).casefold().split()
    return {*zip(*(words[k:] for k in range(_RUN)), strict=False)}


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block of a thread was kept or dropped. Not a closure, so that an article can be pickled."""

    blocks: Blocks
    number: Ints  # the number of each row's post, or -1
    beside: Bools  # the rows that were kept before the posts were found
    before: Callable[[int], Reason]

    def __call__(self, block: int) -> Reason:
        rows = self.blocks.rows_of(block)
        number, posts = int(self.number[rows].max()) + 1, int(self.number.max()) + 1
        if number > 0:
            return Reason(f"in post {number} of {posts}", "article", {"post": number, "of": posts})
        return Reason("in no post of the thread", "rule") if self.beside[rows].any() else self.before(block)


# Posts


def find_posts(page: Page, kept: Bools) -> list[PostRows]:
    """Return the posts of a page, in order. `kept` is a mask of the text rows that count as content."""
    return _Found(page, kept, (0, len(page))).posts


class _Found:
    """The posts in a range of rows, in order, with their sorts and their quotations."""

    def __init__(self, page: Page, kept: Bools, span: tuple[int, int]) -> None:
        self._page = page
        self._finder = _finder(page, kept, span, True)
        found = self._finder.posts()
        self.posts = [
            PostRows(root, np.array(rows, dtype=np.intp), author, date, parent, depth)
            for root, rows, author, date, parent, depth, _ in found
        ]
        self.sorts: list[int] = [post[-1] for post in found]

    @property
    def signed(self) -> dict[int, int]:
        """The rows that have the authors of posts, or -1, by the roots of these."""
        rows: dict[int, int] = self._finder.signed
        return rows

    @property
    def borrowed(self) -> Bools:
        """The rows inside quotations, attached files and previews of other pages, as a mask."""
        mask = np.zeros(len(self._page), dtype=np.bool_)
        for row in (*self.quotations, *self._finder.inserts()):
            mask[row : self._page.end[row]] = True
        return mask

    @cached_property
    def quotations(self) -> list[int]:
        """The rows that are quotations or name their authors, in order."""
        found: list[int] = self._finder.quotations()
        return found


def comment_posts(page: Page, marks: Any) -> tuple[PostRows, ...]:
    """Return the comments in text rows as posts, or all rows as one post if no posts are found.

    `marks` is a mask with a byte for each row.
    """
    if 1 not in marks:
        return ()
    rows = as_mask(marks)
    section = kernel.page.posts.section(page, marks, _MAX_AROUND)
    posts = _of_kept_sorts(_Found(page, rows, section), page, rows)
    own = [replace(post, rows=mine) for post in posts if len(mine := post.rows[rows[post.rows]])]
    return tuple(own) if own else (PostRows(0, np.flatnonzero(rows), None, None, None, 0),)
