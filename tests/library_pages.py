"""The pages of the tests of the site library, and the work of their processes: without pytest, to start fast."""

from __future__ import annotations

import pagesieve

HOST = "http://example.org"


def html(text: str, template: str = "one") -> str:
    menu = "".join(f"<li>{template} {k}</li>" for k in range(9))
    return f"<html><body><ul>{menu}</ul><h1>{text}</h1><p>All about {text}.</p></body></html>"


def page(number: int, host: str = HOST) -> tuple[str, str]:
    return f"{host}/news/{number}.html", html(f"text {number}")


def menu_page(number: int, host: str = HOST, template: str = "one") -> tuple[str, str]:
    """A page of nothing but a menu and a short text of its own."""
    menu = "".join(f"<li>{template} {k}</li>" for k in range(9))
    return f"{host}/{number}", f"<ul>{menu}</ul><h1>text {number}</h1>"


def long_page(number: int, host: str = HOST) -> tuple[str, str]:
    """A page whose texts are its own but for the menu, which changes a little now and then."""
    own = "".join(f"<p>{chr(97 + (number * k) % 26) * 9} {number} {k}</p>" for k in range(5))
    return f"{host}/{number}", f"<ul>{''.join(f'<li>Part {k} of menu {number // 12}</li>' for k in range(9))}</ul>{own}"


def learn_as_process(url: str, first: int) -> int:
    with pagesieve.open_sites(url) as sites:
        # A site of its own, and two that all share; every page of those is learnt by two of the processes.
        shared = [
            page(first // 2 * 100 + k, host) for k in range(10) for host in ("http://a.example", "http://b.example")
        ]
        own = [page(k, f"http://own{first}.example") for k in range(10)]
        return sum(sites.learn(batch) for batch in zip(shared[::2], shared[1::2], own, strict=True))


def count_as_process(url: str, first: int) -> None:
    with pagesieve.open_sites(url) as sites:
        for k in range(40):
            number = (first * 10 + k) % 40
            sites.learn(
                [
                    menu_page(number, "http://long.example"),
                    menu_page(number % 9, f"http://short{number // 9 % 3}.example"),
                ]
            )
