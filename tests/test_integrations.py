"""Pagesieve inside other tools: with the tools themselves, where they are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pagesieve

URL = "https://example.org/bread"
PARAGRAPH = "<p>Mix flour, water, salt and yeast; wait an hour, fold the dough, and bake it until it is brown.</p>"
PAGE = f"""<html lang=en><title>Bread</title><link rel=canonical href={URL}><meta name=author content="Ann Lee">
<body><article><h1>Bread</h1>{PARAGRAPH * 5}<ul><li>flour<li>salt</ul></article>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(PAGE)
    (tmp_path / "b.html").write_text("<p>Nothing.")
    return tmp_path


def test_langchain(folder: Path) -> None:
    pytest.importorskip("langchain_core")
    from pagesieve.integrations.langchain import PagesieveLoader

    (document,) = PagesieveLoader([str(folder)]).load()
    assert document.page_content == pagesieve.article(PAGE).markdown
    assert document.metadata["title"] == "Bread"
    assert document.metadata["authors"] == ["Ann Lee"]
    assert document.metadata["url"] == URL
    assert document.metadata["input"] == str(folder / "a.html")
    assert "image" not in document.metadata
    (as_text,) = PagesieveLoader(str(folder / "a.html"), format="text", favor="recall").lazy_load()
    assert as_text.page_content == pagesieve.extract(PAGE, favor="recall")


def test_llama_index(folder: Path) -> None:
    pytest.importorskip("llama_index.core")
    from pagesieve.integrations.llama_index import PagesieveReader

    (document,) = PagesieveReader(format="text").load_data(str(folder))
    assert document.text == pagesieve.extract(PAGE)
    assert document.metadata["title"] == "Bread"
    assert document.id_ == str(folder / "a.html")


def test_datatrove() -> None:
    pytest.importorskip("datatrove")
    from datatrove.data import Document

    from pagesieve.integrations.datatrove import PagesieveExtractor

    step = PagesieveExtractor(format="markdown")
    given = [Document(text=PAGE, id="a", metadata={"url": URL}), Document(text="<p>Nothing.", id="b")]
    (document,) = step.run(iter(given))
    assert document.id == "a"
    assert document.text == pagesieve.extract(PAGE, format="markdown")


def test_what_cannot_be_read_raises_or_is_skipped(folder: Path) -> None:
    pytest.importorskip("langchain_core")
    from pagesieve.integrations.langchain import PagesieveLoader

    (folder / "0.html").write_bytes(b"%PDF-1.7 and so on")
    with pytest.raises(pagesieve.BadInput, match="PDF"):
        PagesieveLoader([str(folder)]).load()
    assert len(PagesieveLoader([str(folder)], skip_failures=True).load()) == 1
    with pytest.raises(pagesieve.BadOption, match="format"):
        PagesieveLoader([str(folder)], format="pdf").load()


def test_other_tools_are_loaded_only_when_asked_for() -> None:
    tools = "{'langchain_core', 'llama_index', 'datatrove', 'scrapy', 'web_poet'}"
    code = f"import sys, pagesieve.api, pagesieve.integrations; print({tools} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
