"""Which links of a page lead to articles: by the shape of their URLs, their titles, their places, and their likes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pagesieve.headlines.anchors import Anchor, width_of
from pagesieve.headlines.shapes import Shape, Shapes
from pagesieve.text.urls import address_of, host_of, key, same_family


@dataclass(frozen=True, slots=True)
class JudgementOptions:
    """The points that decide; weighed by eye on catalogue pages of many sites and languages."""

    least: float = 2.0  # an article
    sure: float = 6.0  # an article that shows what the site's URLs are like
    widths: tuple[tuple[float, float], ...] = ((40, 2.0), (25, 1.5), (15, 0.5), (10, -0.5), (0, -1.5))
    repeated: float = -1.5  # a text that several links have: "more", "comments"
    heading: float = 1.5
    navigation: float = -2.5
    menu: float = -2.5  # more, where nothing but navigation leads there, and its URL is not like those of articles
    label: float = -2.0
    header: float = -0.5
    inline: float = -1.0
    bookmark: float = 2.0  # rel="bookmark"
    label_rel: float = -4.0
    parent: float = -4.0  # other links lead to pages below it
    like: float = 1.5  # its URL is like those of the sure ones,
    unlike: float = -1.5  # or like none of them
    like_share: float = 0.25
    unlike_share: float = 0.05
    fewest_sure: int = 5
    place: float = 0.5  # how much the likes in the same place count,
    place_most: float = 3.0  # with so many points at most
    outside: float = -2.0  # another site's, in a list of this one's
    outside_fewest: int = 5  # links of a list that leads to other sites,
    outside_share: float = 0.7  # of which most are sure


DEFAULT = JudgementOptions()

Repeated = frozenset[tuple[str, int]]

_LABEL_RELS = ("tag", "author", "category", "license", "sponsored")


@dataclass(slots=True)
class Target:
    """Where some links of a page lead, and whether that is an article."""

    url: str
    shape: Shape
    outside: bool  # of another site
    anchors: list[Anchor]
    points: float = 0.0
    is_article: bool = False


def find_targets(links: list[Anchor], url: str, base: str) -> dict[str, Target]:
    """Where the links of a page lead, by the key of the URL, in order."""
    shapes, home = Shapes(url), host_of(url)
    keys: dict[str, str | None] = {}  # by what stands in the page
    found: dict[str, Target] = {}
    for anchor in links:
        href = anchor.href
        if href not in keys:
            keys[href] = _add(found, href, base, shapes, home)
        name = keys[href]
        if name is not None:
            found[name].anchors.append(anchor)
    return found


def _add(found: dict[str, Target], href: str, base: str, shapes: Shapes, home: str) -> str | None:
    """The key of where a link leads, which is added where it is new; None for what leads to no other page."""
    address = address_of(href, base)
    if address is None:
        return None
    name = key(address)
    if name not in found:
        found[name] = Target(address, shapes.weigh(address), not same_family(home, host_of(address)), [])
    return name


def repeated_texts(targets: dict[str, Target]) -> Repeated:
    """What links to several pages say: no titles of theirs. Each text with the size of all that the link shows."""
    counts = Counter[tuple[str, int]]()
    for target in targets.values():
        counts.update({(anchor.text, anchor.chars) for anchor in target.anchors if anchor.text})
    return frozenset(text for text, count in counts.items() if count > 1)


def judge(targets: dict[str, Target], repeated: Repeated, options: JudgementOptions = DEFAULT) -> None:
    """Marks the targets that are articles."""
    for target in targets.values():
        best = max(_anchor_points(anchor, repeated, options) for anchor in target.anchors)
        target.points = target.shape.points + best
    _learn_from_places(targets, options)
    total = _learn_from_likes(targets, options)
    for target in targets.values():
        target.is_article = not target.outside and target.points >= options.least
    _judge_outside(targets, total, options)


def _anchor_points(anchor: Anchor, repeated: Repeated, options: JudgementOptions) -> float:
    place = anchor.place
    if (anchor.text, anchor.chars) in repeated:
        points = options.repeated
    else:
        width = anchor.width or max(map(width_of, anchor.said), default=0.0)
        points = next(points for least, points in options.widths if width >= least)
    if anchor.heading:
        points += options.heading
    elif place.label:
        points += options.label
    if place.navigation:
        points += options.navigation
    if place.header:
        points += options.header
    if anchor.inline:
        points += options.inline
    if anchor.rel:
        points += _rel_points(anchor.rel, options)
    return points


def _rel_points(rel: str, options: JudgementOptions) -> float:
    words = rel.split()
    if any(word in _LABEL_RELS for word in words):
        return options.label_rel
    return options.bookmark if "bookmark" in words else 0.0


def _learn_from_places(targets: dict[str, Target], options: JudgementOptions) -> None:
    """Gives each target a part of the mean points of those in the same place: a list is of one sort."""
    sums: dict[int, list[float]] = {}
    most = options.place_most
    for target in targets.values():
        for number in {anchor.place.number for anchor in target.anchors}:
            both = sums.setdefault(number, [0.0, 0.0])
            both[0] += max(target.points, -most - 1)
            both[1] += 1
    for target in targets.values():
        mean = max(sums[anchor.place.number][0] / sums[anchor.place.number][1] for anchor in target.anchors)
        target.points += options.place * max(-most, min(most, mean))


def _learn_from_likes(targets: dict[str, Target], options: JudgementOptions) -> int:
    """Compares URLs with those of the sure articles; returns how many are sure."""
    likes = Counter[tuple[object, ...]]()
    for target in targets.values():
        if target.points >= options.sure and not target.outside and not _only_navigation(target):
            likes[target.shape.signature] += 1
    total = sum(likes.values())
    children = Counter(name.rpartition("/")[0] for name in targets)
    for name, target in targets.items():
        if total >= options.fewest_sure and not target.outside:
            target.points += _like_points(target, likes[target.shape.signature] / total, options)
        if children[name] > 1:
            target.points += options.parent
    return total


def _like_points(target: Target, share: float, options: JudgementOptions) -> float:
    if share >= options.like_share:
        return options.like
    points = options.unlike if share < options.unlike_share else 0.0
    return points + options.menu if not target.shape.strong and _only_navigation(target) else points


def _only_navigation(target: Target) -> bool:
    return all(anchor.place.navigation and not anchor.heading for anchor in target.anchors)


def _judge_outside(targets: dict[str, Target], sure: int, options: JudgementOptions) -> None:
    """Takes in links to other sites that stand among the site's own articles, or are the list themselves."""
    own, others = Counter[int](), dict[int, list[Target]]()
    for target in targets.values():
        for number in {anchor.place.number for anchor in target.anchors if not anchor.inline}:
            if target.outside:
                others.setdefault(number, []).append(target)
            elif target.is_article:
                own[number] += 1
    for number, found in others.items():
        most_sure = sum(target.points >= options.sure for target in found) >= options.outside_share * len(found)
        is_list = most_sure and len(found) >= options.outside_fewest and len(found) > sure
        if is_list or own[number] > len(found):
            for target in found:
                target.is_article = target.points + options.outside >= options.least
