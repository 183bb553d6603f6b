"""The evaluation: archives, metrics, headlines, grouping, peers, report, floors' rules and the command."""

import json
import sys
import tarfile
import types
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.cli.evaluate import evaluate, spread_peers
from pagesieve.errors import BadInput, BadOption, MissingExtra, NothingFound
from pagesieve.evaluate import peers
from pagesieve.evaluate.archives import (
    Gold,
    LabelledSet,
    find_set,
    find_sets,
    group_folds,
    read_gold,
    read_pages,
    take_sample,
    thin,
)
from pagesieve.evaluate.floors import (
    FLOORED,
    Floors,
    MethodFloors,
    below_floors,
    floor_samples,
    raised,
    read_floors,
    write_floors,
)
from pagesieve.evaluate.metrics import (
    body_tokens,
    character_f1,
    fold_blanks,
    fold_title,
    overlap,
    shingles,
    tokens,
)
from pagesieve.evaluate.peers import Extracted, load_peers
from pagesieve.evaluate.report import Evaluation, Figures, as_json, figures_of, groups_of, primary_language, ratios
from pagesieve.evaluate.score import Answer, call, run_samples
from tests.labelled_sets import BODY, all_text, answer, crash, extractor, nothing, pack, page, write_folder

TEXTS = st.text(alphabet="ab 字か한.\n-é", max_size=40)


# --- metrics


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The wall, BUILT in 1902!", ["the", "wall", "built", "in", "1902"]),
        ("don’t don't", ["don", "t", "don", "t"]),
        ("snake_case", ["snake", "case"]),
        ("港口の壁", ["港", "口", "の", "壁"]),
        ("カード", ["カ", "ー", "ド"]),
        ("ｶｰﾄﾞ", ["カ", "ー", "ド"]),
        ("항구의 벽", ["항구의", "벽"]),
        ("iPhone手机", ["iphone", "手", "机"]),
        ("किताब पढ़ी", ["किताब", "पढ़ी"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("ﬁne Ｗｉｄｅ", ["fine", "wide"]),
        ("e\u0301t\u00e9", ["été"]),
        ("", []),
        ("… — !", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == [token for word in expected for token in tokens(word)]
    assert len(tokens(text)) == len(expected)


@pytest.mark.parametrize(
    ("gold", "output", "expected"),
    [
        ("a b c d", "a b c d", (1, 1, 1)),
        ("a b c d", "a b", (1, 0.5, 2 / 3)),
        ("a b", "a b c d", (0.5, 1, 2 / 3)),
        ("a a b", "a b b", (2 / 3, 2 / 3, 2 / 3)),
        ("a", "b", (0, 0, 0)),
        ("", "", (1, 1, 1)),
        ("a", "", (0, 0, 0)),
        ("", "a", (0, 0, 0)),
    ],
)
def test_overlap(gold: str, output: str, expected: tuple[float, float, float]) -> None:
    found = overlap(Counter(gold.split()), Counter(output.split()))
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", {}),
        ("a b", {("a", "b"): 1}),
        ("a b c d", {("a", "b", "c", "d"): 1}),
        ("a a a a a", {("a", "a", "a", "a"): 2}),
    ],
)
def test_shingles(words: str, expected: dict[tuple[str, ...], int]) -> None:
    assert shingles(words.split()) == expected


@pytest.mark.parametrize(
    ("gold", "output", "expected"),
    [("abcd", "abcd", 1.0), ("abcd", "ab", 2 / 3), ("ab", "xy", 0.0), ("", "", 1.0), ("ab", "", 0.0)],
)
def test_character_f1(gold: str, output: str, expected: float) -> None:
    assert character_f1(gold, output) == pytest.approx(expected)


def test_titles_fold_case_blanks_and_punctuation() -> None:
    assert fold_title(" “A Wall –\tby the Sea”! ") == fold_title("a wall by the sea")
    assert fold_title("A wall") != fold_title("A wail")


def test_snippets_fold_blanks_and_case() -> None:
    assert fold_blanks("Nine\u00a0weeks\n  LATER ") == "nine weeks later"


@given(TEXTS, TEXTS)
def test_overlap_is_bounded_and_its_f1_symmetric(one: str, other: str) -> None:
    a, b = Counter(tokens(one)), Counter(tokens(other))
    there, back = overlap(a, b), overlap(b, a)
    assert there.f1 == back.f1
    assert there.precision == back.recall
    assert 0 <= there.f1 <= 1
    assert (there.f1 == 1) == (a == b)


# --- headlines


@pytest.mark.parametrize(
    ("text", "headline", "kept"),
    [
        ("A wall by the sea\nIt was built.", "A wall by the sea", "it was built"),
        ("“A Wall, by the Sea!” It was built.", "A wall by the sea", "it was built"),
        ("It was built.\nA wall by the sea", "A wall by the sea", "it was built a wall by the sea"),
        ("The wall\nIt was built.", "The wall", "it was built"),
        ("The wall was built.", "The wall", "the wall was built"),
        ("A wall by the sea", "A wall by the sea", "a wall by the sea"),
        ("It was built.", "", "it was built"),
        ("港口\n墙很高", "港口", "墙 很 高"),
    ],
)
def test_a_headline_that_opens_a_text_is_set_aside(text: str, headline: str, kept: str) -> None:
    assert " ".join(body_tokens(text, [tokens(headline)])) == kept


def test_the_longest_headline_goes() -> None:
    headlines = [tokens("A wall by the sea"), tokens("A wall by the sea and its harbour")]
    assert body_tokens("A wall by the sea and its harbour\nBuilt", headlines) == ["built"]


def test_a_whole_text_in_a_heading_is_no_headline() -> None:
    text = "word " * 100
    assert len(body_tokens(text + "end", [tokens(text)])) == 101


@pytest.mark.parametrize("gold_opens", [True, False])
@pytest.mark.parametrize("output_opens", [True, False])
@pytest.mark.parametrize("title", ["A wall by the sea", None])
def test_the_headline_never_counts(gold_opens: bool, output_opens: bool, title: str | None) -> None:
    with_headline = f"A wall by the sea\n\n{BODY}"
    gold = Gold("1", with_headline if gold_opens else BODY, title=title)
    score = Answer(gold, page()).score(Extracted(with_headline if output_opens else BODY))
    assert (score.precision, score.recall, score.f1, score.shingle_f1) == (1, 1, 1, 1)


def test_the_part_of_a_page_title_before_the_site_is_a_headline() -> None:
    html = b"<title>A wall by the sea | The Bay Post</title><p>Built.</p>"
    score = Answer(Gold("1", "Built by hand."), html).score(Extracted("A wall by the sea\nBuilt by hand."))
    assert score.f1 == 1


# --- scores


@pytest.mark.parametrize("gold_has", [True, False])
@pytest.mark.parametrize("output_has", [True, False])
def test_captions_are_set_aside_on_both_sides(gold_has: bool, output_has: bool) -> None:
    html = page(
        body=BODY + "<figure><img src=a.jpg><figcaption>The wall at dusk. <i>Photo: A. Lee</i></figcaption></figure>"
    )
    caption = "\nThe wall at dusk.\nPhoto: A. Lee"
    score = Answer(Gold("1", BODY + caption * gold_has), html).score(Extracted(BODY + caption * output_has))
    assert score.captionless_f1 == 1
    assert (score.f1 == 1) is (gold_has == output_has)


@pytest.mark.parametrize("output", [None, "", " \n"])
def test_no_text_is_a_failure_and_scores_nothing(output: str | None) -> None:
    gold = Gold("1", BODY, title="A wall", snippets_in=("nine weeks",), snippets_out=("menu",))
    score = Answer(gold, page()).score(Extracted(output))
    assert score.failed
    figures = (score.precision, score.recall, score.f1, score.shingle_f1, score.title_exact, score.title_f1)
    assert set(figures) == {0.0}
    assert (score.snippets_in, score.snippets_out) == (0.0, 0.0)


def test_nothing_where_there_is_nothing_is_right() -> None:
    score = Answer(Gold("1", " "), page()).score(Extracted(None))
    assert not score.failed
    assert score.f1 == 1


def test_snippet_rates() -> None:
    gold = Gold("1", BODY, snippets_in=("NINE  weeks", "by train"), snippets_out=("menu", "subscribe"))
    score = Answer(gold, page()).score(Extracted(f"{BODY} Menu"))
    assert (score.snippets_in, score.snippets_out) == (0.5, 0.5)


def test_a_snippet_of_the_headline_is_set_aside() -> None:
    gold = Gold("1", BODY, title="A wall by the sea", snippets_in=("wall by the sea", "nine weeks"))
    assert Answer(gold, page()).score(Extracted(BODY)).snippets_in == 1.0


def test_what_the_gold_lacks_is_not_scored() -> None:
    score = Answer(Gold("1", BODY), page()).score(Extracted(BODY, "A wall"))
    assert (score.title_exact, score.title_f1, score.snippets_in, score.snippets_out) == (None,) * 4


def test_an_extractor_without_titles_has_none_to_score() -> None:
    score = Answer(Gold("1", BODY, title="A wall"), page()).score(Extracted(BODY), gives_titles=False)
    assert (score.title_exact, score.title_f1) == (None, None)


# --- archives


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    answers = [answer(f"p{i}", site=f"{i % 3}.example", title="A wall by the sea") for i in range(6)]
    return write_folder(tmp_path / "sets", "walls", answers)


@pytest.mark.parametrize("gold_last", [True, False])
def test_an_archive_reads_like_its_folder(folder: Path, tmp_path: Path, gold_last: bool) -> None:
    archive = pack(folder, tmp_path / "walls.tar.xz", gold_last=gold_last)
    from_folder, from_archive = (
        sorted(read_pages(take_sample(found)), key=lambda pair: pair[0].id)
        for found in find_sets([folder]) + find_sets([archive])
    )
    assert from_folder == from_archive
    assert len(from_folder) == 6


def test_a_folder_of_sets(folder: Path, tmp_path: Path) -> None:
    pack(folder, folder.parent / "other.tar.xz")
    assert [found.name for found in find_sets([folder.parent])] == ["other", "walls"]
    assert find_set(folder.parent, "other").path.name == "other.tar.xz"
    with pytest.raises(BadInput, match="no set third in it"):
        find_set(folder.parent, "third")


def test_the_same_set_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    archive = pack(folder, tmp_path / "walls.tar.xz")
    with pytest.raises(BadInput, match="two sets are named walls"):
        find_sets([folder, archive])


def test_odd_members_lead_nowhere(folder: Path, tmp_path: Path) -> None:
    link = tarfile.TarInfo("walls/pages/p0.html")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
    outside = tarfile.TarInfo("../../pages/unknown.html")
    outside.size = 10
    archive = pack(folder, tmp_path / "walls.tar.xz", odd=[link, outside])
    pages = dict(read_pages(take_sample(LabelledSet("walls", archive))))
    assert sorted(gold.id for gold in pages) == [f"p{i}" for i in range(6)]
    assert set(pages.values()) == {page()}


def test_an_id_is_no_way_out_of_the_folder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "walls", [answer("p0")])
    (tmp_path / "secret.html").write_bytes(b"secret")
    (folder / "gold.jsonl").write_text(json.dumps(answer("../../secret")), encoding="utf-8")
    with pytest.raises(BadInput, match="1 pages are missing"):
        list(read_pages(take_sample(LabelledSet("walls", folder))))


def test_a_linked_page_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "pages" / "p0.html").unlink()
    (folder / "pages" / "p0.html").symlink_to(folder / "pages" / "p1.html")
    with pytest.raises(BadInput, match="p0 among them"):
        list(read_pages(take_sample(LabelledSet("walls", folder))))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[1]", "line 1 is not a JSON object"),
        ('{"id": "a", "records": null}', "line 1 has no id or no text"),
        ('{"id": 1, "text": ""}', "line 1 has no id or no text"),
        ('{"id": "a", "text": ""}\n\n{"id": "a", "text": ""}', "line 3 repeats the id a"),
        ("", "is empty"),
    ],
)
def test_bad_gold_is_one_clear_line(tmp_path: Path, line: str, message: str) -> None:
    folder = write_folder(tmp_path, "walls", [])
    (folder / "gold.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(BadInput, match=message) as raised_error:
        read_gold(LabelledSet("walls", folder))
    assert "\n" not in str(raised_error.value)


def test_a_damaged_archive_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    archive = pack(folder, tmp_path / "walls.tar.xz", gold_last=True)
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(BadInput, match="cannot be read as a set"):
        read_gold(LabelledSet("walls", archive))


@given(st.lists(st.text(max_size=4), unique=True, max_size=40), st.integers(1, 50))
def test_thinning_is_even_and_repeatable(names: list[str], limit: int) -> None:
    kept = thin(names, limit)
    assert len(kept) == min(limit, len(names))
    assert kept == thin(names, limit)
    assert kept == [name for name in names if name in set(kept)]
    assert thin(names, None) == names


def test_sites_are_left_out_before_thinning(folder: Path) -> None:
    sample = take_sample(LabelledSet("walls", folder), 4, frozenset({"0.example"}))
    assert sorted(sample.golds) == ["p1", "p2", "p4", "p5"]
    with pytest.raises(BadInput, match="every site"):
        take_sample(LabelledSet("walls", folder), leave_out=frozenset(f"{i}.example" for i in range(3)))


# --- folds


@given(st.lists(st.sampled_from([None, "a", "b", "c", "d"]), max_size=30), st.integers(2, 5))
def test_folds_keep_sites_whole(sites: list[str | None], k: int) -> None:
    folds = group_folds(sites, k)
    assert folds == group_folds(sites, k)
    assert all(0 <= fold < k for fold in folds)
    for site in {site for site in sites if site is not None}:
        assert len({fold for fold, of in zip(folds, sites, strict=True) if of == site}) == 1


def test_pages_without_a_site_are_groups_of_their_own() -> None:
    assert sorted(group_folds([None] * 6, 3)) == [0, 0, 1, 1, 2, 2]


def test_folds_are_even_and_need_to_be_two() -> None:
    folds = group_folds(["big"] * 6 + [f"s{i}" for i in range(6)], 2)
    assert folds.count(0) == folds.count(1) == 6
    with pytest.raises(BadOption, match="at least 2"):
        group_folds(["a"], 1)


# --- the run and its figures


def test_a_crash_is_a_failure_and_is_told() -> None:
    assert call(extractor(crash), b"", None)[0] == Extracted(None)
    assert call(extractor(crash), b"", None)[2] == "RuntimeError: broken"
    assert call(extractor(nothing), b"", None)[2] is None


def test_a_wrong_option_stops_the_run(folder: Path) -> None:
    def refuse(html: bytes, url: str | None) -> Extracted:
        raise BadOption("no such method")

    with pytest.raises(BadOption):
        run_samples([take_sample(LabelledSet("walls", folder))], [extractor(refuse)])


def test_a_title_asked_for_apart_is_off_the_clock() -> None:
    apart = extractor(lambda html, url: Extracted("text"), title=lambda html, url: "A wall")
    assert call(apart, b"", None)[0] == Extracted("text", "A wall")


def test_every_extractor_meets_every_page_after_one_warm_up(folder: Path) -> None:
    calls: list[str] = []

    def count(name: str) -> object:
        def extract(html: bytes, url: str | None) -> Extracted:
            calls.append(name)
            return all_text(html, url)

        return extract

    seen: list[int] = []
    extractors = [extractor(count("a"), "a"), extractor(count("b"), "b")]
    rows = run_samples([take_sample(LabelledSet("walls", folder))], extractors, lambda: seen.append(1))
    assert len(seen) == 6
    assert (calls.count("a"), calls.count("b")) == (7, 7)
    # The first to touch a page changes with every page, the order of the rows does not.
    assert calls[2:6] == ["a", "b", "b", "a"]
    assert [row.extractor for row in rows] == ["a", "b"] * 6


@pytest.fixture
def mixed(tmp_path: Path) -> LabelledSet:
    answers = [
        answer("p0", page_type="article", lang="en-US", site="big.example"),
        answer("p1", page_type="article", lang="en", site="big.example"),
        answer("p2", page_type="forum", lang="de", text="ganz anders", site="small.example"),
        answer("p3", page_type="forum", lang="de", text="ganz anders", site=None),
        answer("p4", page_type="forum", lang="de", text="ganz anders", site=None),
    ]
    return LabelledSet("mixed", write_folder(tmp_path, "mixed", answers))


def test_groups_and_macro_over_sites(mixed: LabelledSet) -> None:
    rows = run_samples([take_sample(mixed)], [extractor(), extractor(nothing, "none")])
    found = {(group.by, group.value, group.extractor): group.figures for group in groups_of(rows)}
    assert {key[:2] for key in found} == {
        ("set", "mixed"),
        ("page_type", "article"),
        ("page_type", "forum"),
        ("lang", "en"),
        ("lang", "de"),
    }
    whole = found["set", "mixed", "fake"]
    assert (whole.pages, whole.sites, whole.failures) == (5, 4, 0)
    assert (whole.f1, whole.site_f1) == pytest.approx((2 / 5, 1 / 4))
    assert found["lang", "en", "fake"].f1 == 1
    failed = found["set", "mixed", "none"]
    assert (failed.failures, failed.answered, failed.f1) == (5, 0, 0)


def test_figures_do_not_depend_on_the_order_of_pages(mixed: LabelledSet) -> None:
    rows = run_samples([take_sample(mixed)], [extractor()])
    assert figures_of(rows) == figures_of(rows[::-1])


@pytest.mark.parametrize(("tag", "expected"), [("en-US", "en"), ("ZH_tw", "zh"), ("wuu", "wuu"), (None, None)])
def test_primary_language(tag: str | None, expected: str | None) -> None:
    assert primary_language(tag) == expected


def test_ratios_are_to_the_first(mixed: LabelledSet) -> None:
    extractors = [extractor(), extractor(nothing, "none")]
    rows = run_samples([take_sample(mixed)], extractors)
    (ratio,) = ratios(groups_of(rows))
    assert (ratio.extractor, ratio.f1) == ("none", 0.0)
    (back,) = ratios(groups_of(rows[::-1]))
    assert (back.extractor, back.f1) == ("fake", None)


def test_json_holds_pages_only_when_asked(mixed: LabelledSet) -> None:
    extractors = [extractor(crash)]
    evaluation = Evaluation(extractors, run_samples([take_sample(mixed)], extractors))
    report = as_json(evaluation, {"method": "auto"})
    assert "pages" not in report
    assert len(report["errors"]) == 5
    assert json.loads(json.dumps(as_json(evaluation, {}, with_pages=True)))["pages"][0]["failed"] is True


# --- peers


PARAGRAPHS = [
    f"Block {i} was the heaviest of them all, they said in the village, and on day {i + 3} it sank. {BODY}"
    f" After {i + 40} days the masons had another one, and this time it stayed where they had laid it."
    for i in range(12)
]


@pytest.mark.parametrize("name", sorted(peers.PEERS))
def test_a_peer_finds_a_plain_article(name: str) -> None:
    try:
        (peer,) = load_peers([name])
    except MissingExtra:
        pytest.skip(f"{name} is not installed")
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    html = page(body="x").replace(b"<p>x</p>", f"<article>{paragraphs}</article>".encode())
    output, ms, error = call(peer, html, None)
    assert error is None
    assert ms > 0
    assert Answer(Gold("1", "\n".join(PARAGRAPHS)), html).score(output).f1 > 0.95
    assert (output.title == "A wall by the sea") == peer.gives_titles


def test_readability_gives_lines() -> None:
    pytest.importorskip("readability")
    (peer,) = load_peers(["readability"])
    long = " ".join(PARAGRAPHS)
    html = f"<body><article><p>{long}</p><p>One<!-- c -->two<br>three</p><p>End</p></article></body>"
    lines = (peer.extract(html.encode(), None).text or "").split("\n")
    assert [line for line in map(str.strip, lines) if line][1:] == ["Onetwo", "three", "End"]


def test_an_unknown_peer_is_named_with_those_that_exist() -> None:
    with pytest.raises(BadOption, match=r"no peer named nobody; choose from trafilatura, .*readability"):
        load_peers(["nobody"])


def test_a_missing_peer_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(MissingExtra, match=r"trafilatura .*pip install trafilatura$"):
        load_peers(["trafilatura"])


# --- floors


def figures(**changed: Any) -> Figures:
    """Give perfect figures of a set without snippets, but for what is said."""
    rates: dict[str, Any] = dict.fromkeys((field.name for field in fields(Figures)), 1.0)
    whole = Figures(**rates | {"pages": 9, "snippets_in": None, "snippets_out": None})
    return replace(whole, **changed)


EMPTY = Floors(sample=None, margin=0.005, methods={})


def test_floors_are_raised_to_the_measured_less_the_margin() -> None:
    floors = raised(EMPTY, "auto", {"walls": figures(f1=0.91239)})
    assert floors.of("auto").sets["walls"]["f1"] == pytest.approx(0.9073)
    assert "snippets_in" not in floors.of("auto").sets["walls"]
    assert below_floors(floors.of("auto"), {"walls": figures(f1=0.9074)}) == []
    assert below_floors(floors.of("auto"), {"walls": figures(f1=0.9)}) == ["walls: f1 is 0.9000, its floor 0.9073"]


def test_a_figure_that_is_gone_is_below_its_floor() -> None:
    entry = MethodFloors(sets={"walls": {"snippets_in": 0.1}})
    assert below_floors(entry, {"walls": figures()}) == ["walls: snippets_in is missing, its floor 0.1"]


def test_floors_fall_only_with_the_flag() -> None:
    high = raised(EMPTY, "auto", {"walls": figures(f1=0.9)})
    within = raised(high, "auto", {"walls": figures(f1=0.897)})
    assert within == high
    low = {"walls": figures(f1=0.8)}
    with pytest.raises(BadOption, match=r"--allow-lower: walls: f1 is 0\.8000"):
        raised(high, "auto", low)
    lowered = raised(high, "auto", low, allow_lower=True)
    assert lowered.of("auto").sets["walls"]["f1"] == pytest.approx(0.795)


def test_a_set_trained_on_is_floored_out_of_fold_only(tmp_path: Path) -> None:
    trained = Floors(None, 0.005, {"auto": MethodFloors(trained_on=("walls",))})
    measured = {"walls": figures()}
    with pytest.raises(BadOption, match="trained on walls: floor it there out of fold only"):
        raised(trained, "auto", measured)
    floors = raised(trained, "auto", measured, out_of_fold=True)
    assert floors.of("auto").out_of_fold == ("walls",)
    write_floors(floors, tmp_path / "floors.json")
    assert read_floors(tmp_path / "floors.json") == floors


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read as floors"),
        ("{}", "cannot be read as floors"),
        (
            '{"sample": 1, "margin": 0, "methods": {"a": {"trained_on": ["s"], "sets": {"s": {"f1": 0.5}}}}}',
            "method a was trained on s",
        ),
        (
            '{"sample": 1, "margin": 0, "methods": {"a": {"sets": {"s": {"ms": 5}}}}}',
            "no floor can be set on ms",
        ),
    ],
)
def test_bad_floors_are_one_clear_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "floors.json").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        read_floors(tmp_path / "floors.json")


def test_sites_of_a_training_set_are_left_out_of_the_others(folder: Path) -> None:
    seen = write_folder(folder.parent, "seen", [answer("q0", site="0.example")])
    floors = Floors(None, 0.005, {"auto": MethodFloors(trained_on=("seen",))})
    samples = floor_samples(floors, "auto", find_sets([folder, seen]))
    assert [sorted(sample.golds) for sample in samples] == [["p1", "p2", "p4", "p5"], ["q0"]]


# --- the command

MODEL = str(Path(pagesieve.__file__).parent / "models" / "auto.model")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a simple function in the place of the article method, so that the command is tested alone."""

    def article(
        html: bytes, url: str | None = None, *, method: str = "auto", sites: object = None, model: object = None
    ) -> types.SimpleNamespace:
        if method == "empty":
            raise NothingFound("nothing here")
        if method != "auto":
            raise BadOption(f"no method is called {method}")
        found = all_text(html, url)
        return types.SimpleNamespace(title=found.title, text=found.text)

    monkeypatch.setattr(pagesieve, "article", article, raising=False)
    monkeypatch.setattr(peers, "version", lambda name: "0")


def run(*args: object) -> Result:
    return CliRunner().invoke(evaluate, [str(arg) for arg in args])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "--against", "trafilatura", "resiliparse"], "a --against trafilatura --against resiliparse"),
        (["--against", "trafilatura", "resiliparse", "a"], "--against trafilatura --against resiliparse a"),
        (["--against", "trafilatura,justext", "a"], "--against trafilatura,justext a"),
        (["--against=trafilatura", "justext", "a"], "--against=trafilatura --against justext a"),
        (["--against", "trafilatura", "a", "justext"], "--against trafilatura a justext"),
        (["--against", "trafilatura", "--limit", "3"], "--against trafilatura --limit 3"),
        (["--against", "trafilatura", "--", "justext"], "--against trafilatura -- justext"),
        (["readability"], "readability"),
        (["--against"], "--against"),
    ],
)
def test_peers_may_follow_each_other(given: list[str], expected: str) -> None:
    assert spread_peers(given) == expected.split()


@pytest.mark.usefixtures("own")
def test_the_command_prints_tables_on_standard_output(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0, result.stderr
    assert "walls: 6 pages, 3 sites" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.usefixtures("own")
def test_json_on_standard_output_is_all_there_is(folder: Path) -> None:
    report = json.loads(run(folder, "--json", "-", "--limit", 2, "--pages").stdout)
    assert (len(report["pages"]), report["groups"][0]["f1"]) == (2, 1.0)


@pytest.mark.parametrize("profile", [[], ["--profile"]])
def test_the_model_is_the_one_that_is_given(
    folder: Path, profile: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models: list[object] = []
    find = pagesieve.api.find_article

    def find_and_note(source: Any, options: Any, *more: Any, **named: Any) -> Any:
        models.append(options.model)
        return find(source, options, *more, **named)

    monkeypatch.setattr(pagesieve.api, "find_article", find_and_note)
    result = run(folder, "--model", MODEL, "--json", tmp_path / "out.json", *profile)
    assert result.exit_code == 0, result.stderr
    assert MODEL in models
    assert set(models) <= {MODEL, None}  # facts are scored by the default
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert report["model"] == MODEL


@pytest.mark.usefixtures("own")
def test_peers_run_beside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.PEERS, "nobody", lambda: extractor(nothing, "nobody"))
    result = run(folder, "--against", "nobody", "--json", tmp_path / "out.json")
    assert "ratios to pagesieve" in result.stdout
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [ratio["extractor"] for ratio in report["ratios"]] == ["nobody", "nobody"]


@pytest.mark.usefixtures("own")
def test_the_plot_is_a_png(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run(folder, "--plot", tmp_path / "out.png").exit_code == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    failed = run(folder, "--plot", tmp_path / "none" / "out.png")
    assert (failed.exit_code, failed.stderr.count("\n")) == (2, 1)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["missing"], "missing: does not exist"),
        ([__file__], "is not a .tar.xz archive"),
        (["{sets}", "--against", "nobody"], "no peer named nobody"),
        (["{sets}", "--method", "wrong"], "no method is called wrong"),
        (["{sets}", "--pages"], "--pages needs --json"),
        (["{sets}", "--update-floors"], "--update-floors needs --floors"),
        (["{sets}", "--floors", "f", "--allow-lower"], "--allow-lower needs --update-floors"),
        (["{sets}", "--floors", "f", "--limit", "3"], "--floors determines the pages"),
        (["{sets}", "--floors", "f", "--model", MODEL], "--floors are of the models that come with Pagesieve"),
        (["{sets}", "--method", "lineblocks", "--model", "m"], "--model is for --method auto"),
        (["{sets}", "--model", "missing.model"], "missing.model: cannot be read"),
        (["{sets}", "--floors", "missing"], "cannot be read as floors"),
        (["{sets}", "--json", "/missing/out.json"], "cannot be written"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(folder: Path, args: list[str], message: str) -> None:
    result = run(*(arg.format(sets=folder) for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("own")
def test_floors_are_written_checked_and_kept(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "floors.json"
    write_floors(EMPTY, file)
    assert run(folder, "--floors", file, "--update-floors").exit_code == 0
    absent = {"snippets_in", "snippets_out", "leaf_precision", "leaf_recall", "region_found", "items_found"}
    absent |= {"date_right", "author_right", "none_right", "posts_f1", "post_author_f1", "post_date_f1"}
    assert set(read_floors(file).of("auto").sets["walls"]) == set(FLOORED) - absent
    assert run(folder, "--floors", file).exit_code == 0

    floors = read_floors(file)
    write_floors(Floors(None, 0.005, {"empty": floors.of("auto")}), file)
    low = run(folder, "--floors", file, "--method", "empty")
    assert low.exit_code == 1
    assert "below its floor: walls: f1 is 0.0000, its floor 0.995" in low.stderr
    assert run(folder, "--floors", file, "--method", "empty", "--update-floors").exit_code == 2
    lowering = ("--update-floors", "--allow-lower")
    assert run(folder, "--floors", file, "--method", "empty", *lowering).exit_code == 0
    assert read_floors(file).of("empty").sets["walls"]["f1"] == 0.0


# Sets of headlines


def _headline_set(folder: Path) -> Path:
    head = "<title>{0} | The Bay Post</title><h1>The Bay Post</h1><div>{0}</div>"
    pages = {
        "wall": head.format("A wall by the sea") + f"<p>{BODY}</p>",
        "pier": f"<title>The Bay Post</title><h2>A mole by the sea</h2><h2>A pier by the sea</h2><p>{BODY}</p>",
        "index": "".join(f"<li><a href=/2024/05/{n}-4711.html>A {n} by the sea</a>" for n in ("wall", "pier", "mole")),
    }
    (folder / "heads" / "pages").mkdir(parents=True)
    for name, html in pages.items():
        (folder / "heads" / "pages" / f"{name}.html").write_text(f"<body>{html}", encoding="utf-8")
    rows = [
        {
            "id": name,
            "url": f"https://post.example/2024/05/{name}-4711.html",
            "title": f"A {name} by the sea",
            "catalogues": [{"id": "index", "url": "https://post.example/"}],
        }
        for name in ("wall", "pier")
    ]
    (folder / "heads" / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "heads"


def test_a_set_of_headlines(tmp_path: Path) -> None:
    folder = _headline_set(tmp_path)
    done = run(folder, "--json", "-", "--pages", "--against", "trafilatura")
    assert done.exit_code == 0, done.stderr
    (found,) = json.loads(done.stdout)["headlines"]
    rules = {rule["rule"]: rule for rule in found["rules"]}
    assert list(rules) == [
        "default with catalogue",
        "default",
        "paper with catalogue",
        "paper",
        "first h1",
        "trafilatura",
    ]
    assert rules["default with catalogue"]["title_exact"] == rules["default with catalogue"]["title_f1"] == 1.0
    assert rules["default with catalogue"]["linked"] == 1.0
    assert rules["first h1"] == {"rule": "first h1", "title_exact": 0.0, "answered": 0.5, "linked": None} | {
        "title_f1": rules["first h1"]["title_f1"]
    }
    assert (found["pages"], found["sites"], len(found["rows"])) == (2, 2, 12)
    assert "default with catalogue" in run(folder).stdout


def test_headlines_have_floors(tmp_path: Path) -> None:
    folder, file = _headline_set(tmp_path), tmp_path / "floors.json"
    write_floors(EMPTY, file)
    assert run(folder, "--floors", file, "--update-floors").exit_code == 0
    floors = read_floors(file)
    assert set(floors.methods) == {"headline"}
    assert floors.of("headline").sets["heads"] == {"title_exact": 0.995, "title_f1": 0.995, "answered": 0.995}
    for name in ("wall", "index"):
        (folder / "pages" / f"{name}.html").write_text("<p>nothing</p>", encoding="utf-8")
    assert run(folder, "--floors", file).exit_code == 1


def test_catalogues_are_ids_and_urls(tmp_path: Path) -> None:
    folder = _headline_set(tmp_path)
    (folder / "gold.jsonl").write_text('{"id": "wall", "catalogues": ["index"]}', encoding="utf-8")
    done = run(folder)
    assert (done.exit_code, "catalogues" in done.stderr) == (2, True)
