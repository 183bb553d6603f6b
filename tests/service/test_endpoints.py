"""Every endpoint gives what the Python function gives."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

import pagesieve
from pagesieve.article import ArticleOptions
from pagesieve.errors import MissingExtra
from pagesieve.fetching import chromium
from pagesieve.service.openapi import EXAMPLES
from pagesieve.service.schemas import ArticleRequest
from tests.service.running import HTML, Service, running
from tests.site_server import SiteServer

URL = "https://news.example.org/2024/05/seal-closes-pool-4181077.html"


def found(response: httpx.Response) -> dict[str, object]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    return dict(response.json())


def test_an_article(service: Service, page: str) -> None:
    expected = pagesieve.article(page, URL)
    assert found(service.post("v1/article", html=page, url=URL)) == json.loads(json.dumps(expected.as_dict()))


def test_the_fields_of_a_request_are_the_options_of_an_article() -> None:
    options = {field.name: field.default for field in dataclasses.fields(ArticleOptions) if field.name != "model"}
    assert {name: ArticleRequest.model_fields[name].default for name in options} == options


def test_an_article_with_options(service: Service, page: str, site: Path) -> None:
    sibling = (site / "en/2024/05/library-of-things-4180640.html").read_text("cp1252")
    options = {"include_links": True, "favor": "precision"}
    expected = pagesieve.article(page, reference=sibling, include_links=True, favor="precision")
    made = found(service.post("v1/article", html=page, reference=[sibling], bodies=["html"], **options))
    assert (made["method"], made["html"], "text" in made) == ("sharpened", expected.html, False)


@pytest.mark.parametrize(("include_captions", "text", "markdown"), [(None, 0, 1), (True, 1, 1), (False, 0, 0)])
def test_captions(service: Service, include_captions: bool | None, text: int, markdown: int) -> None:
    stone = "<p>The harbour wall was built in nine weeks, with stone that came by barge from across the bay.</p>" * 3
    figure = (
        "<figure><img src=a.jpg><figcaption>The wall at low tide, as it is seen from the bay.</figcaption></figure>"
    )
    html = f"<h1>A wall</h1>{stone}{figure}{stone}"
    made: Any = found(service.post("v1/article", html=html, include_captions=include_captions))
    assert (made["text"].count("low tide"), made["markdown"].count("low tide")) == (text, markdown)
    assert include_captions is not None or found(service.post("v1/article", html=html)) == made


def test_a_page_in_its_own_encoding(service: Service, page: str) -> None:
    """The body is the page; options are in the query."""
    text = "<meta charset=utf-8><h1>海豹</h1>" + "<p>一只年轻的灰海豹搬进了海港大道的海水浴场，没有离开的意思。</p>" * 5
    made = service.client.post(
        "v1/article",
        params={"bodies": ["text"], "include_links": "true", "url": URL},
        headers={"Content-Type": "text/html; charset=gb18030"},
        content=text.encode("gb18030"),
    )
    assert found(made)["title"] == "海豹"
    assert found(made)["url"] == URL
    assert "markdown" not in found(made)


def test_text_is_not_decoded_again(service: Service) -> None:
    text = "<meta charset=latin-1><h1>Zürich</h1>" + "<p>Über die Brücke gehen wir, später auch zurück.</p>" * 5
    assert found(service.post("v1/headline", html=text)) == {"headline": "Zürich"}


def test_a_headline(service: Service, page: str) -> None:
    assert found(service.post("v1/headline", html=page)) == {"headline": pagesieve.headline(page)}


@pytest.mark.parametrize("all_links", [False, True])
def test_a_catalogue(service: Service, site: Path, all_links: bool) -> None:
    html, url = (site / "en/index.html").read_text("utf-8"), "https://news.example.org/"
    expected = pagesieve.catalogue(html, url)
    made = found(service.post("v1/catalogue", html=html, url=url, all_links=all_links))
    links = made["links"]
    assert isinstance(links, list)
    assert [link["url"] for link in links] == [
        link.url for link in (expected.all_links if all_links else expected.links)
    ]
    assert made["next_url"] == expected.next_url


def test_records_and_their_schema(service: Service) -> None:
    rows = "".join(f"<li><a href='/{n}'>Chair {n}</a> <b class=price>{n}0 EUR</b></li>" for n in range(1, 9))
    html, url = f"<ul>{rows}</ul>", "https://shop.example.org/"
    expected = pagesieve.records(html, url, "static")
    made = found(service.post("v1/records", html=html, url=url))
    schema = made.pop("schema")
    assert made == json.loads(expected.to_json())
    assert isinstance(schema, dict)
    schema["columns"][0]["name"] = "chair"
    again = found(service.post("v1/records", html=html, url=url, schema=schema))
    columns = again["columns"]
    assert isinstance(columns, list)
    assert columns[0]["name"] == "chair"


def test_explanations(service: Service, page: str) -> None:
    made: Any = found(service.post("v1/explain", html=page, methods=["auto", "lineblocks"], records=True, source=True))
    assert [view["asked"] for view in made["views"]] == ["auto", "lineblocks", "table"]
    reasons = [unit["reason"] for unit in made["views"][0]["units"]]
    assert reasons == [one.reason for one in pagesieve.article(page).decisions]
    assert made["source"] == page
    assert service.post("v1/explain", html="<title>Nothing</title>").json()["type"].endswith(":nothing-found")


def test_an_address_is_fetched(fetching: Service, site_server: SiteServer) -> None:
    url = f"{site_server.url}en/2024/05/seal-closes-pool-4181077.html"
    assert found(fetching.post("v1/headline", url=url)) == {"headline": "Seal in the lido closes the slow lane"}


@pytest.mark.parametrize("way", ["{0}", "{1}", "{2}"], ids=["plain", "slashes folded", "escaped"])
def test_reading_an_address(fetching: Service, site_server: SiteServer, way: str) -> None:
    url = f"{site_server.url}en/2024/05/seal-closes-pool-4181077.html?secret=1&b=%20"
    folded, escaped = url.replace("://", ":/"), str(httpx.QueryParams({"": url}))[1:]
    made = fetching.client.get(f"{fetching.url}v1/read/" + way.format(url, folded, escaped))
    assert made.status_code == 200, made.text
    assert made.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "# Seal in the lido closes the slow lane" in made.text
    assert site_server.asked()[-1].endswith("?secret=1&b=%20")
    assert fetching.line(made)["address"].endswith("/seal-closes-pool-4181077.html")
    assert "secret" not in fetching.stderr.read_text("utf-8")


def test_a_library(service: Service, site: Path) -> None:
    paths = sorted((site / "en/2024/05").glob("*.html"))[:3]
    pages = [{"url": f"https://learnt.example.org/{path.name}", "html": path.read_text("utf-8")} for path in paths]
    made = found(service.client.post("v1/sites", json={"pages": [*pages, {"url": "nonsense", "html": "<p>"}]}))
    assert made["new"] == 3
    outcomes = made["pages"]
    assert isinstance(outcomes, list)
    assert outcomes[-1]["problem"]["status"] == 422
    assert [one["pages"] for one in service.client.get("v1/sites").json() if one["key"] == "learnt.example.org"] == [3]
    known = found(service.client.get("v1/sites/learnt.example.org"))
    assert {one["url"] for one in known["pages"]} == {one["url"] for one in pages}  # type: ignore[attr-defined]
    assert found(service.post("v1/article", **pages[0], sites=True))["method"] == "sharpened"
    assert found(service.client.delete("v1/sites/learnt.example.org")) == {"forgotten": 3}
    assert service.client.get("v1/sites/learnt.example.org").status_code == 404
    assert service.client.delete("v1/sites/learnt.example.org").status_code == 404


def test_the_examples_of_the_description_work(service: Service) -> None:
    described = service.client.get("openapi.json").json()
    for job, example in EXAMPLES.items():
        body = described["paths"][f"/v1/{job}"]["post"]["requestBody"]["content"]
        assert body["application/json"]["example"] == example
        assert found(service.post(f"v1/{job}", **example))
        assert found(service.client.post(f"v1/{job}", content=example["html"], headers=HTML, params={"url": URL}))


def test_for_operators(service: Service) -> None:
    name = 'pagesieve_requests_total{method="GET",route="/healthz",status="200"}'
    before = service.figure(name)
    assert service.client.get("healthz").json() == {"status": "ok"}
    service.wait_until(name, before + 1)  # it is counted after its answer is sent
    assert service.client.get("readyz").json() == {"status": "ready"}


def test_the_log_has_nothing_of_pages(service: Service) -> None:
    service.post("v1/article", html="<h1>Confidential</h1><p>" + "Confidential words, and more. " * 20)
    service.post("v1/article", html="<p>Confidential</p>", confidential="Confidential")
    service.client.get("v1/sites/confidential")
    last = service.line(service.client.get("confidential"))
    assert "onfidential" not in service.stderr.read_text("utf-8")
    assert {"time", "level", "event", "id", "method", "route", "status", "ms"} <= last.keys()


def test_the_web_page(service: Service) -> None:
    made = service.client.get("")
    assert made.headers["content-type"] == "text/html; charset=utf-8"
    assert service.client.get("static/style.css").status_code == 200
    policy = made.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert service.client.get("static/../app.py").status_code == 404
    assert service.client.get("static/%2e%2e/app.py").status_code == 404


def test_an_address_in_a_browser(site_server: SiteServer) -> None:
    """A page whose scripts write it."""
    pytest.importorskip("playwright")
    try:
        chromium.find_browser()
    except MissingExtra as error:
        pytest.skip(str(error))
    text = "A sentence that a script has written, and that is long enough, with a comma. " * 10
    site_server.put("script.html", f"<title>T</title><script>document.write('<h1>Written</h1><p>{text}</p>')</script>")
    with running("--workers", "1", "--allow-private", "--browser", "--timeout", "30") as service:
        url = f"{site_server.url}script.html"
        assert service.post("v1/article", url=url).status_code == 422
        assert found(service.post("v1/article", url=url, browser=True))["title"] == "Written"
        read = service.client.get(f"{service.url}v1/read/{url}", headers={"X-Pagesieve-Browser": "true"})
        assert "has written" in read.text
