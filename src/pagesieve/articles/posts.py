"""The posts of a thread, and the comments below an article: which rows are whose, who wrote them and when.

A post is the innermost element that is named as posts are and holds a text besides an author or a date. A page is a
thread where it is a page of records and posts hold what a method kept of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.kind import kind
from pagesieve.articles.post_marks import (
    GIVEN,
    SURE,
    author_at,
    body_rows,
    date_at,
    date_in_text,
    dated_rows,
    given_author,
    is_beside,
    is_furniture,
    is_post,
    is_profile,
    mark_rows,
    post_rows,
    sort_of,
)
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID, TEXT
from pagesieve.page.lines import CONTROLS, Blocks, inside
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import PostRows, Selection
from pagesieve.stages import stage
from pagesieve.text.dates import YEAR, is_date
from pagesieve.text.whitespace import fold

_LEAST_POSTS = 2
_LEAST_AROUND = 0.5  # of what was kept that is in the elements of posts, on a page that is a thread,
_LEAST_WRITTEN = 0.3  # and that was written in them
_LEAST_SIGNED = 0.5  # of the posts that have an author
_MOST_SIGNED, _SEVERAL = 0.8, 3  # the same of author and date, and posts, on a page that does not look like a thread
_THREAD_TYPES = (b"schema.org/Answer", b"schema.org/DiscussionForumPosting")
_WHOLE = 0.5  # of a post that was kept, quotations aside: then all of it is
_MOST_ABOVE = 12  # elements around what was kept first that may be its post
_MOST_MARKS = 300  # elements of a post that are looked at
_MOST_ROWS = 3_000  # of a post whose body is not named
_MOST_INSIDE = 200  # posts directly inside of one
_MOST_AROUND = 600  # characters around a post: a user card
_FEW = 8  # posts that are looked at first
_FEW_INSIDE = 2  # dates and the like inside of a post that look like posts
_LEAST_DATE, _MOST_DATE = 6, 100  # bytes of a text that is little more than a date
_A, _H1, _H4 = (TAG_ID[name] for name in ("a", "h1", "h4"))
_TWO_WAYS = re.compile(rf"(?<!\d)(\d{{1,2}})[/-](\d{{1,2}})[/-]{YEAR}")  # 5/6/2024
_MONTHS = 12


# Threads


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
    if not rows:
        return False
    if len(_apart(page, rows, kept)) < _LEAST_POSTS:
        above = (first := int(page.parent[first]) for _ in range(min(_MOST_ABOVE, int(page.depth[first]))))
        rows = [*reversed([row for row in above if is_post(page, row)]), *rows]
    apart = _apart(page, rows, kept)
    return len(apart) >= _LEAST_POSTS and not _list_pages(page, apart[:_FEW]) and not _are_links(page, apart[:_FEW])


def _apart(page: Page, rows: list[int], kept: NDArray[np.intp]) -> list[int]:
    """Return those of some rows, the innermost, that have something of what was kept."""
    found: list[int] = []
    for row in reversed(rows):
        end = int(page.end[row])
        if (not found or end <= found[-1]) and bisect_left(kept, row) < bisect_left(kept, end):
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
    quoted = inside(page, "blockquote")
    posts = [_whole(post, kept, chars, quoted) for post in posts]
    number = np.full(len(page), -1, dtype=np.int32)
    for k, post in enumerate(posts):
        number[post.rows] = k
    rows = number >= 0
    rows[first : posts[0].root] |= kept[first : posts[0].root]
    comments = np.zeros_like(rows)
    for post in found:  # others than those of the thread: comments on them
        comments[post.rows] = selection.comments[post.rows] & ~rows[post.rows]
    reason = _Reasons(selection.blocks, number, kept & ~rows, selection.reason)
    return replace(selection, rows=rows, comments=comments, reason=reason, posts=tuple(posts))


def _of_kept_sorts(posts: list[PostRows], page: Page, kept: Bools) -> list[PostRows]:
    """Return the posts of the sorts of which something was kept; a parent that is gone is none."""
    wanted = _kept_sorts(posts, page, kept)
    number: dict[int, int] = {}
    found: list[PostRows] = []
    for k, post in enumerate(posts):
        if sort_of(page, post.root) in wanted:
            number[k] = len(found)
            parent = number.get(post.parent) if post.parent is not None else None
            found.append(replace(post, parent=parent, depth=0 if parent is None else found[parent].depth + 1))
    return found


def _kept_sorts(posts: list[PostRows], page: Page, kept: Bools) -> set[tuple[int, str]]:
    """Return the sorts of posts of which something was kept: of what was written, or else of what is beside it."""
    written = {sort_of(page, post.root) for post in posts if kept[post.rows].any()}
    return written or {sort_of(page, post.root) for post in posts if kept[post.root : page.end[post.root]].any()}


def _fill(posts: Sequence[PostRows], page: Page, kept: Bools, chars: Ints) -> bool:
    """Whether posts hold what was kept: several of them, most of it, and most of them say who wrote them."""
    around = np.zeros(len(page), dtype=np.bool_)
    for post in posts:
        around[post.root : page.end[post.root]] = True
    held = [int(chars[post.rows][kept[post.rows]].sum()) for post in posts]
    total = int(chars[kept].sum())
    if sum(post.author is not None for post in posts) < _LEAST_SIGNED * len(posts):
        return False
    if int(chars[kept & around].sum()) < _LEAST_AROUND * total:
        return False
    if not any(held):  # a method took all of them for comments, and left what stands beside them
        return (
            len(posts) >= _SEVERAL and _are_signed(posts) and sum(int(chars[post.rows].sum()) for post in posts) > total
        )
    return sum(size > 0 for size in held) >= _LEAST_POSTS and sum(held) >= _LEAST_WRITTEN * total


def _are_signed(posts: Sequence[PostRows]) -> bool:
    """Whether nearly all posts have an author and a date."""
    return sum(post.author is not None and post.date is not None for post in posts) >= _MOST_SIGNED * len(posts)


def _is_sure(posts: Sequence[PostRows], page: Page) -> bool:
    """Whether posts are those of a thread: on a page of records, or with authors and dates, or as the page states."""
    if kind(page) == "records":
        return True
    is_stated = any(name in page.value_buffer for name in _THREAD_TYPES)
    return _are_signed(posts) and (is_stated or len(posts) >= _SEVERAL)


def _list_pages(page: Page, roots: Sequence[int]) -> bool:
    """Whether most posts have a headline that links to a page of their own, as those of a blog do."""
    return 2 * sum(_links_away(page, root) for root in roots) > len(roots)


def _are_links(page: Page, roots: Sequence[int]) -> bool:
    """Whether most text of some elements is in links."""
    spans = [slice(root, int(page.end[root])) for root in roots]
    linked = sum(int((page.chars[span] * page.linked[span]).sum()) for span in spans)
    return 2 * linked > sum(int(page.chars[span].sum()) for span in spans)


def _links_away(page: Page, root: int) -> bool:
    tags = page.tag[root : page.end[root]]
    for heading in (root + np.flatnonzero((tags >= _H1) & (tags <= _H4))).tolist():
        for link in (heading + np.flatnonzero(page.tag[heading : page.end[heading]] == _A)).tolist():
            href = page.attribute(link, "href")
            if href and "#" not in href and not is_profile(href):
                return True
    return False


def _whole(post: PostRows, kept: Bools, chars: Ints, quoted: Bools) -> PostRows:
    """Return a post whole, or where a method kept little of it, only that: the rest of its body is something else."""
    mine = kept[post.rows]
    own = chars[post.rows] * ~quoted[post.rows]
    if not mine.any() or own[mine].sum() >= _WHOLE * own.sum():
        return post
    return replace(post, rows=post.rows[mine])


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block of a thread was kept or dropped. Not a closure, so that an article can be pickled."""

    blocks: Blocks
    number: Ints  # of each row that of its post, or -1
    beside: Bools  # the rows that were kept before the posts were found
    before: Callable[[int], str]

    def __call__(self, block: int) -> str:
        rows = self.blocks.rows_of(block)
        number = int(self.number[rows].max())
        if number >= 0:
            return f"in post {number + 1} of {int(self.number.max()) + 1}"
        return "in no post of the thread" if self.beside[rows].any() else self.before(block)


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
    author: str | None
    strength: int  # how sure the author is
    date: str | None
    inner: list[_Draft]
    has_body: bool  # whether an element in it is named as bodies are
    sorts: set[tuple[int, str]] = field(default_factory=set)  # of the elements that are around nothing but it


class _Finder:
    """The posts of a page while they are found, from the innermost elements outwards."""

    def __init__(self, page: Page, kept: Bools, span: tuple[int, int]) -> None:
        self.page, self.kept, self.span = page, kept, span
        self.sums = _running_sum(page.chars)
        self.kept_sums = _running_sum(page.chars * kept)

    @cached_property
    def authors(self) -> dict[int, tuple[int, str]]:
        """The authors that elements mark, by their rows, each after how sure it is."""
        return {row: found for row in self.marks if (found := author_at(self.page, row))}

    @cached_property
    def dates(self) -> dict[int, str]:
        """The dates that elements state, by their rows."""
        dated = dated_rows(self.page)
        return {row: found for row in self.marks if row in dated and (found := date_at(self.page, row))}

    @cached_property
    def author_rows(self) -> list[int]:
        """The rows of the authors, in order."""
        return [*self.authors]

    @cached_property
    def date_rows(self) -> list[int]:
        """The rows of the dates, in order."""
        return [*self.dates]

    @cached_property
    def bodies(self) -> list[int]:
        """The elements that are named as bodies are, and have text."""
        rows = body_rows(self.page, *self.span)
        return [row for row in rows if self.sums[self.page.end[row]] > self.sums[row]]

    @cached_property
    def marks(self) -> list[int]:
        """The elements that may say who wrote a post, or when."""
        return mark_rows(self.page, *self.span)

    @cached_property
    def years(self) -> list[int]:
        """The short texts with a year."""
        return kernel.stated.rows_with_year(self.page, *self.span, True, _LEAST_DATE, _MOST_DATE)

    @cached_property
    def month_first(self) -> bool | None:
        """Whether the dates of the page have the month first, where one of them tells."""
        for row in self.years:
            found = _TWO_WAYS.search(self.page.text(row))
            if found and max(int(found[1]), int(found[2])) > _MONTHS:
                return int(found[2]) > _MONTHS
        return None

    @cached_property
    def controls(self) -> Bools:
        """The rows of form controls."""
        return inside(self.page, CONTROLS)

    def posts(self) -> list[PostRows]:
        """Return the posts, in order."""
        found: list[_Draft] = []  # those that no element looked at so far is around, the last of the page first
        for row in reversed(post_rows(self.page, *self.span)):
            end = int(self.page.end[row])
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
        sort = sort_of(self.page, row)
        if len(inner) == 1:
            inner[0].sorts.add(sort)
        elif len(inner) > 1 and sort[1] and [sort in post.sorts for post in inner[:2]] == [False, True]:
            # An element around a post, and elements like it around the answers to it, which stand beside the post.
            return [replace(inner[0], root=row, end=end, inner=[*inner[0].inner, *inner[1:]])]
        instead = self.widened(row, end, inner) or self.absorbing(row, end, inner)
        if instead:
            return [instead]
        own = _Own(self, row, end, inner)
        if not own.has_text or (inner and not 0 <= own.body <= inner[0].root):
            return inner
        if not (own.author or own.date) or not (own.body >= 0 or own.rows.size):
            return inner
        return inner if inner and not self.is_like(own, inner) else [own.as_draft(inner)]

    def widened(self, row: int, end: int, inner: list[_Draft]) -> _Draft | None:
        """Return the only post inside with the element around it, where that says better who wrote it, or when."""
        if len(inner) != 1:
            return None
        post = inner[0]
        size = self.sums[post.end] - self.sums[post.root]
        if self.sums[end] - self.sums[row] > size + max(size, _MOST_AROUND):
            return None
        own = _Own(self, row, end, post.inner)
        is_better = own.strength > post.strength or (post.date is None and own.date)
        return own.as_draft(post.inner) if is_better else None

    def absorbing(self, row: int, end: int, inner: list[_Draft]) -> _Draft | None:
        """Return an element as one post where it has a body, and what is inside of it only looks like posts."""
        if not 0 < len(inner) <= _FEW_INSIDE or any(post.has_body for post in inner):
            return None
        own = _Own(self, row, end, [])
        if own.body < 0 or not own.author or any(own.body <= post.root < self.page.end[own.body] for post in inner):
            return None
        return own.as_draft([])

    def is_like(self, own: _Own, inner: list[_Draft]) -> bool:
        """Whether an element is a post as those inside of it are: of the same sort, or surely with author and date."""
        if own.strength >= SURE and own.date:
            return True
        return any(sort_of(self.page, own.row) == sort_of(self.page, post.root) for post in inner)

    def written(self, drafts: Iterable[_Draft]) -> Iterator[PostRows]:
        """Yield the posts that have text, each before those inside of it."""
        stack: list[tuple[_Draft, int | None, int]] = [(draft, None, 0) for draft in reversed([*drafts])]
        count = 0
        while stack:
            draft, parent, depth = stack.pop()
            rows = _Own(self, draft.root, draft.end, draft.inner).rows
            if rows.size:
                yield PostRows(draft.root, rows, draft.author, draft.date, parent, depth)
                parent, depth, count = count, depth + 1, count + 1
            stack += [(post, parent, depth) for post in reversed(draft.inner)]


def _running_sum(column: Ints) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(column)])


class _Own:
    """An element that may be a post, less the posts inside of it."""

    def __init__(self, finder: _Finder, row: int, end: int, inner: Sequence[_Draft]) -> None:
        self.finder, self.row, self.end = finder, row, end
        self.page = finder.page
        starts = [row, *(post.end for post in inner)]
        self.spans = [*zip(starts, [*(post.root for post in inner), end], strict=True)]

    def as_draft(self, inner: list[_Draft]) -> _Draft:
        """Return it as a post."""
        return _Draft(self.row, self.end, self.author, self.strength, self.date, inner, self.body >= 0)

    def among(self, rows: list[int]) -> Iterator[int]:
        """Yield those of some rows, which are in order, that are own; not too many."""
        own = (row for first, stop in self.spans for row in rows[bisect_left(rows, first) : bisect_left(rows, stop)])
        return islice(own, _MOST_MARKS)

    @property
    def has_text(self) -> bool:
        """Whether there is more than a sign."""
        return sum(int(self.finder.sums[stop] - self.finder.sums[first]) for first, stop in self.spans) > 1

    # What was written

    @cached_property
    def body(self) -> int:
        """The row of the body: of the elements named so, the one of which most was kept, or the longest; or -1."""
        bodies = [row for row in self.among(self.finder.bodies) if row != self.row and self._is_own(row)]
        body = max(bodies, key=self._size, default=-1)
        while body >= 0:
            inner = [row for row in bodies if body < row < self.page.end[body]]
            smaller = max(inner, key=self._size, default=-1)
            if smaller < 0 or not self._is_marked(body, smaller):
                break
            body = smaller
        return body

    def _is_own(self, row: int) -> bool:
        """Whether no other post is inside of an element."""
        return any(first <= row and self.page.end[row] <= stop for first, stop in self.spans)

    def _size(self, row: int) -> tuple[int, int]:
        end = int(self.page.end[row])
        kept, chars = self.finder.kept_sums, self.finder.sums
        return int(kept[end] - kept[row]), int(chars[end] - chars[row])

    def _is_marked(self, row: int, inner: int) -> bool:
        """Whether the author or the date stands in an element, but not in one inside of it."""
        end, finder = self.page.end, self.finder

        def is_between(mark: int) -> bool:
            return row <= mark < int(end[row]) and not inner <= mark < int(end[inner])

        if any(map(is_between, self.among(finder.date_rows))):
            return True
        if any(finder.authors[row][0] >= SURE for row in filter(is_between, self.among(finder.author_rows))):
            return True
        dates = filter(is_between, self.among(finder.years))
        return any(is_date(fold(self.page.text(date))) for date in dates)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The text rows of what was written; none where nothing but signs was."""
        page, finder = self.page, self.finder
        rows = self._rows_of_body() if self.body >= 0 else self._rows_without_body()
        rows = rows[(page.chars[rows] > 0) & ~finder.controls[rows]]
        return rows if any(any(map(str.isalnum, page.text(row))) for row in rows.tolist()) else rows[:0]

    def _rows_of_body(self) -> NDArray[np.intp]:
        return self._without(self.body, int(self.page.end[self.body]), is_beside)

    def _rows_without_body(self) -> NDArray[np.intp]:
        """Return the rows that were kept, without authors, dates and furniture, where no element is named a body."""
        page, finder = self.page, self.finder
        kept = any(finder.kept_sums[stop] > finder.kept_sums[first] for first, stop in self.spans)
        if not kept or sum(stop - first for first, stop in self.spans) > _MOST_ROWS:
            return np.zeros(0, dtype=np.intp)
        gone = {row for row in self.among(finder.years) if is_date(fold(page.text(row)))}
        for row in (*self.among(finder.date_rows), *self.among(finder.author_rows)):
            gone.update(range(row, int(page.end[row])))
        rows = np.concatenate([self._without(first, stop, is_furniture) for first, stop in self.spans])
        out = np.array([row in gone for row in rows.tolist()], dtype=np.bool_)
        left: NDArray[np.intp] = rows[finder.kept[rows] & ~out]
        return left

    def _without(self, first: int, stop: int, is_out: Callable[[Page, int], bool]) -> NDArray[np.intp]:
        """Return some rows without those below elements that are left out."""
        page = self.page
        gone = np.zeros(stop - first, dtype=np.bool_)
        named = np.flatnonzero(np.diff(page.attribute_at[first : stop + 1]) > 0)
        for row in (first + named).tolist():
            if row not in (self.row, self.body) and not gone[row - first] and is_out(page, row):
                gone[row - first : page.end[row] - first] = True
        rows: NDArray[np.intp] = first + np.flatnonzero((page.tag[first:stop] == TEXT) & ~gone)
        return rows

    # Who and when

    @property
    def author(self) -> str | None:
        """Who wrote it."""
        return self._author[1] or None

    @property
    def strength(self) -> int:
        """How sure that is."""
        return self._author[0]

    @cached_property
    def _author(self) -> tuple[int, str]:
        given = given_author(self.page, self.row)
        if given:
            return GIVEN, given
        best = 0, ""
        for row in self._beside(self.finder.author_rows):
            sure, name = self.finder.authors[row]
            strength = sure + (row < self.body)
            if strength > best[0]:
                best = strength, name
        return best

    @cached_property
    def date(self) -> str | None:
        """When it was written, in ISO 8601."""
        stated = next(self._beside(self.finder.date_rows), None)
        if stated is not None:
            return self.finder.dates[stated]
        texts = self._beside(self.finder.years)
        return next(filter(None, (date_in_text(self.page, row, self.finder.month_first) for row in texts)), None)

    def _beside(self, rows: list[int]) -> Iterator[int]:
        """Yield those of some rows that are own and not in the body."""
        stop = self.page.end[self.body] if self.body >= 0 else -1
        return (row for row in self.among(rows) if not self.body <= row < stop)
