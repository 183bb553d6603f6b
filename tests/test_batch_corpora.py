"""Batches that make a corpus: columns that are passed through, pages that are left out, pages that repeat others."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.batch import FORMATS, BatchOptions, Shard, Stats, row_fields
from pagesieve.batch.duplicates import deduplicate
from pagesieve.batch.outputs import MORE, as_json, passed_name
from pagesieve.batch.run import Engine, Task, Watch, running
from pagesieve.batch.signatures import Seen, Signature, sign
from pagesieve.errors import BadOption, RunStopped
from pagesieve.text.types import words
from pagesieve.text.whitespace import fingerprint
from tests.learnt_sites import quiet
from tests.profiles import examples

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SENTENCE = "The {} of page {} is told in a sentence, which has some length and the number {} in it."
THINGS = "beginning middle end reason price colour weight name place time owner fate".split()
OPTIONS = BatchOptions(deduplicate=True)


def text_of(number: int) -> list[str]:
    return [SENTENCE.format(thing, number, number) for thing in THINGS]


def page_of(sentences: Sequence[str], language: str = "en") -> str:
    return f"<html lang={language}><title>A page</title><h1>A page</h1>{''.join(f'<p>{s}</p>' for s in sentences)}"


def here(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
    """An engine without processes of its own."""
    for shard in shards:
        watch.finished(shard, task(shard, progress=None))


def backwards(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
    here(shards[::-1], task, watch)


def run(
    sources: Sequence[Path],
    out: Path,
    options: BatchOptions,
    engine: Engine = here,
    *,
    shard_bytes: int = 4000,
    resume: bool = False,
) -> Stats:
    with running([str(source) for source in sources], options, str(out), shard_bytes=shard_bytes, resume=resume) as ran:
        with quiet(ran.left) as watch:
            engine(ran.left, ran.extraction, watch)
        if options.deduplicate:
            deduplicate(ran, engine, quiet)
        return ran.folder.sum_up()


def write_rows(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def lines(out: Path, ending: str) -> list[dict[str, Any]]:
    paths = sorted(path for path in out.glob(f"part-*{ending}") if path.name.count(".") == ending.count("."))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


# Columns that are passed through


@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("score", "score"),
        ("title", "input_title"),
        ("input_title", "input_input_title"),
        ("input_score", "input_score"),
        ("content_type", "content_type"),
        (MORE, f"input_{MORE}"),
    ],
)
def test_the_results_keep_names_of_their_own(name: str, passed: str) -> None:
    assert passed_name(name, row_fields("article")) == passed


@given(st.lists(st.sampled_from(("input_", "title", "text", "score", MORE)), max_size=4).map("".join))
def test_no_two_columns_have_one_name(name: str) -> None:
    fields = row_fields("all")
    passed = passed_name(name, fields)
    assert passed not in (*fields, MORE)
    assert passed.removeprefix("input_") == name or passed == name
    assert passed_name(passed, fields) != passed or passed == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": float("nan"), "b": [float("inf"), 1.5]}, '{"a": null, "b": [null, 1.5]}'),
        (datetime.date(2024, 5, 1), '"2024-05-01"'),
        (b"\x00\xff", '"AP8="'),
        ("lone \ud800", '"lone \ufffd"'),
    ],
)
def test_any_value_is_written_as_json(value: object, text: str) -> None:
    assert as_json(value) == text


ROWS: list[Any] = [
    {"id": "one", "url": "https://a.example/1", "html": page_of(text_of(1)), "score": 1.5, "title": "theirs"},
    '{"id": "broken", ',
    {"id": 2, "url": "https://a.example/2", "html": page_of(text_of(2)), "score": None, "meta": {"a": [1, "ü"]}},
    {"url": "https://a.example/3", "html": page_of(text_of(3)), "late": "\ud800"},
    {"id": "none", "score": 3},
    {"id": "poor", "html": "<p>Poor."},
]


def test_jsonl_columns_come_out_as_they_went_in(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "pages.jsonl", ROWS)
    stats = run([source], tmp_path / "out", BatchOptions())
    rows = lines(tmp_path / "out", ".jsonl")
    third = f"{source}#{sum(len(line) for line in source.read_bytes().splitlines(keepends=True)[:3])}"
    assert [row["id"] for row in rows] == ["one", "2", third]
    assert (rows[0]["score"], rows[0]["input_title"], rows[0]["title"]) == (1.5, "theirs", "A page")
    assert (rows[1]["score"], rows[1]["meta"]) == (None, {"a": [1, "ü"]})
    assert rows[2]["late"] == "\ufffd"
    assert all("html" not in row for row in rows)
    rejects = lines(tmp_path / "out", ".rejects.jsonl")
    assert [reject["id"] for reject in rejects][1:] == ["none", "poor"]
    assert rejects[0]["reason"] == "not JSON"
    assert stats.pages == len(ROWS)


def test_jsonl_to_parquet_has_texts_and_what_came_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagesieve.batch.outputs.LOOKED_AT", 3)
    source = write_rows(tmp_path / "pages.jsonl", ROWS)
    run([source], tmp_path / "out", BatchOptions(format="parquet"))
    tables = [parquet.read_table(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    assert len({table.schema for table in tables}) == 1
    rows = [row for table in tables for row in table.to_pylist()]
    assert [row["score"] for row in rows] == ["1.5", None, None]
    assert rows[1]["meta"] == '{"a": [1, "ü"]}'
    assert rows[2][MORE] == '{"late": "\ufffd"}'


@pytest.mark.parametrize("format", FORMATS)
def test_a_line_that_cannot_be_written_is_a_reject(tmp_path: Path, format: str) -> None:
    """Also where its columns are the first to be looked at, and where a run goes on."""
    html, deep = page_of(text_of(1)), json.loads("[" * 900 + "NaN" + "]" * 900)
    bad = [{"html": html, "half\ud800": 1}, {"html": html, "deep": deep}, {"html": html, "id": deep}]
    odd = {"html": html, "id": "\ud800", "url": "https://a.example/\udfff", "value": {"\udc00": [float("nan"), 9**999]}}
    source = write_rows(tmp_path / "pages.jsonl", [*bad, odd, *ROWS])
    for resume in (False, True):
        stats = run([source], tmp_path / "out", BatchOptions(format=format), resume=resume)
        assert (stats.results, stats.rejected["a column name with half of a character"]) == (4, 1)
        assert stats.rejected["a column of more than 100 levels"] == 2
        (tmp_path / "out" / "part-00000.stats.json").unlink()


def test_parquet_columns_keep_their_types(tmp_path: Path) -> None:
    moments = [datetime.datetime(2024, 5, day) for day in (1, 2, 3)]
    given = pyarrow.table(
        {
            "id": [7, 8, 9],
            "html": [page_of(text_of(number)) for number in (1, 2, 3)],
            "at": moments,
            "tags": [["a"], [], None],
            "score": pyarrow.array([0.5, None, 2.0], pyarrow.float32()),
        }
    )
    parquet.write_table(given, tmp_path / "pages.parquet", row_group_size=1)
    options = BatchOptions(format="parquet", deduplicate=True)
    run([tmp_path / "pages.parquet"], tmp_path / "out", options, shard_bytes=1)
    tables = [parquet.read_table(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    assert len(tables) == 3
    assert [row["id"] for table in tables for row in table.to_pylist()] == ["7", "8", "9"]
    for name, passed in (("at", "at"), ("tags", "input_tags"), ("score", "score")):
        column = pyarrow.concat_tables(tables).column(passed)
        assert (column.type, column.to_pylist()) == (given.schema.field(name).type, given.column(name).to_pylist())


def test_a_line_of_a_list_that_is_no_url_is_a_reject(tmp_path: Path) -> None:
    source = tmp_path / "urls.txt"
    source.write_text("ftp://a.example/\nhttp://127.0.0.1:9/\n")
    run([source], tmp_path / "out", BatchOptions())
    rejects = lines(tmp_path / "out", ".rejects.jsonl")
    assert [reject["id"] for reject in rejects] == ["ftp://a.example/", "http://127.0.0.1:9/"]
    assert rejects[0]["reason"].startswith("not the URL of a page")


# Pages that are left out


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("It's one, two", 3),
        ("naïve café 2024", 3),
        ("中文字", 3),
        ("日本語のABC", 5),
        ("한국어 단어", 2),
        ("ไทย", 3),
    ],
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert len(words(text)) == count


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"languages": ["en"]}, {"de": "another language", "": "no language"}),
        ({"languages": ["de", "EN_us"]}, {"en": "another language", "": "no language"}),
        ({"languages": ["fr"]}, {"en": "another language", "en-US": "another language", "de": "another language"}),
        ({"min_words": 300}, dict.fromkeys(("en", "en-US", "de", ""), "too short")),
    ],
)
def test_pages_in_other_languages_or_too_short_are_rejects(
    options: dict[str, Any], reasons: dict[str, str], tmp_path: Path
) -> None:
    languages = ("en", "en-US", "de", "")
    texts = {"de": ["Man nehme Mehl, Wasser, Salz und Hefe, warte eine Stunde und backe das Brot im heißen Ofen."] * 6}
    rows = [
        {"id": code, "html": page_of(texts.get(code) or text_of(1), code or "''"), "lang": code} for code in languages
    ]
    run([write_rows(tmp_path / "pages.jsonl", rows)], tmp_path / "out", BatchOptions(**options))
    found = {reject["id"]: reject["reason"].split(":")[0] for reject in lines(tmp_path / "out", ".rejects.jsonl")}
    assert {code: found.get(code) for code in reasons if code} == {code: why for code, why in reasons.items() if code}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"languages": ["english!"]}, "codes such as en"),
        ({"similarity": 0.1}, "at least 0.5"),
        ({"similarity": float("nan")}, "at least 0.5"),
        ({"what": "records", "deduplicate": True}, "are for what article or all"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOption, match=message):
        BatchOptions(**options)


# Pages that repeat others


def signed(page_id: str, text: str) -> Signature:
    return Signature(page_id, None, *sign(fingerprint(text), text, 0.8))


def repeating_rows() -> list[Any]:
    """Twelve texts; each is there a second time, and nearly a third time, with other words in one sentence."""
    rows: list[Any] = []
    for turn in range(3):
        for number in range(12):
            sentences = text_of(number)
            if turn == 2:
                sentences = [*sentences[:-1], sentences[-1].replace("fate", "destiny")]
            rows.append({"id": f"{number}-{turn}", "html": page_of(sentences)})
    return [*rows, '{"id": "broken"', {"id": "poor", "html": "<p>Poor."}]


@pytest.mark.parametrize("format", FORMATS)
def test_what_repeats_what_does_not_depend_on_the_order_of_shards(format: str, tmp_path: Path) -> None:
    source = write_rows(tmp_path / "pages.jsonl", repeating_rows())
    written: list[dict[str, bytes]] = []
    for engine in (here, backwards):
        out = tmp_path / engine.__name__
        stats = run([source], out, BatchOptions(format=format, deduplicate=True), engine)
        assert (stats.pages, stats.results, stats.duplicates, stats.rejected.total()) == (38, 12, 24, 2)
        names = sorted(path.name for path in out.iterdir())
        assert [name for name in names if not name.startswith("part-")] == ["manifest.json", "stats.json"]
        written.append({name: (out / name).read_bytes() for name in names if "stats" not in name})
    assert len(written[0]) > 12
    assert written[0] == written[1]


def test_every_id_is_written_once_and_what_is_repeated_is_in_the_results(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run([write_rows(tmp_path / "pages.jsonl", repeating_rows())], out, OPTIONS)
    results, rejects = lines(out, ".jsonl"), lines(out, ".rejects.jsonl")
    duplicates = lines(out, ".duplicates.jsonl")
    ids = Counter(row["id"].partition("#")[0] for row in (*results, *rejects, *duplicates))
    assert set(ids.values()) == {1}
    assert len(ids) == 38
    assert {row["id"]: row["duplicate_of"] for row in duplicates} == {
        f"{number}-{turn}": f"{number}-0" for number in range(12) for turn in (1, 2)
    }
    assert {row["similarity"] == 1 for row in duplicates if row["id"].endswith("-1")} == {True}
    assert all(0.8 <= row["similarity"] < 1 for row in duplicates if row["id"].endswith("-2"))


def test_exact_repetition_only(tmp_path: Path) -> None:
    options = BatchOptions(deduplicate=True, similarity=1)
    stats = run([write_rows(tmp_path / "pages.jsonl", repeating_rows())], tmp_path / "out", options)
    assert (stats.results, stats.duplicates) == (24, 12)


def test_a_run_that_was_interrupted_goes_on_at_any_place(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "pages.jsonl", repeating_rows())
    run([source], tmp_path / "expected", OPTIONS)
    expected = {path.name: path.read_bytes() for path in (tmp_path / "expected").glob("*.jsonl")}
    shards = len([name for name in expected if name.endswith(".duplicates.jsonl")])
    for allowed in (1, shards, shards + 1):
        out = tmp_path / f"out-{allowed}"
        with pytest.raises(RunStopped, match="enough"):
            run([source], out, OPTIONS, stopping(allowed))
        stats = run([source], out, OPTIONS, resume=True)
        assert stats.pages == 38
        assert {path.name: path.read_bytes() for path in out.glob("*.jsonl")} == expected
    assert run([source], out, OPTIONS, resume=True).pages == 38  # nothing was left to do


def stopping(allowed: int) -> Engine:
    """An engine that stops after some shards, of whichever pass."""
    done = 0

    def engine(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
        nonlocal done
        for shard in shards:
            if done == allowed:
                raise RunStopped("enough")
            here([shard], task, watch)
            done += 1

    return engine


@examples(20)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(THINGS)), max_size=25))
def test_a_page_repeats_one_that_is_kept_and_came_before(pages: list[tuple[int, str]]) -> None:
    seen, kept = Seen(0.8), []
    for place, (number, left_out) in enumerate(pages):
        text = "\n\n".join(sentence for sentence in text_of(number) if left_out not in sentence)
        found = seen.repeated(signed(f"{place}", text))
        if found is None:
            kept.append(f"{place}")
            continue
        original, similarity = found
        assert original in kept
        assert pages[int(original)][0] == number
        assert 0.8 <= similarity <= 1


def test_texts_without_words_in_common_are_not_alike() -> None:
    seen = Seen(0.5)
    texts = ["", "one", "two", "中文", "日本", "a b c d e f", "f e d c b a"]
    assert [seen.repeated(signed(text, text)) for text in texts] == [None] * len(texts)
    assert seen.repeated(signed("typed", "It's Ann's, not Tom's")) is None
    assert seen.repeated(signed("set", "It’s Ann’s – not Tom’s")) == ("typed", 1.0)
    assert seen.repeated(signed("again", "ONE")) == ("one", 1.0)
