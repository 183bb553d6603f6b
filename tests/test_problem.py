"""Pages that are no article: what they are is named; articles about the same things, or beside them, are articles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import pagesieve
from pagesieve.cli import commands
from pagesieve.kinds.problem import MAX_TEXT, NOTES, _Phrases, problem

SENTENCE = "The harbour wall was built in nine weeks, with stone that came by barge from the quarry across the bay. "
PARAGRAPHS = f"<p>{SENTENCE * 3}</p>" * 6
MENU = "<nav>" + "".join(f"<a href=/{n}>News of the region, part {n}</a> " for n in range(60)) + "</nav>"
FIELDS = "<label>E-mail</label><input type=email><label>*</label><input type=password>"
BANNER = (
    "<div class=banner><h2>We value your privacy</h2><p>We and our partners use cookies to show personalised"
    " advertising, and to measure it.</p><button>Accept all</button><button>Reject all</button></div>"
)


def named(title: str, body: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def consent(title: str, text: str, accept: str) -> str:
    return named(title, f"<h1>{title}</h1><p>{text}</p><button>{accept}</button>")


ROBOT_CHECKS = {
    "waiting room": named(
        "Just a moment...",
        "<h1>news.example.org</h1><p>news.example.org needs to review the security of your connection before"
        " proceeding.</p><script>window._cf_chl_opt = {cType: 'managed'}</script>",
    ),
    "blocked": named(
        "Attention Required! | Shield",
        "<h1>Sorry, you have been blocked</h1><h2>You are unable to access example.org</h2><p>This website is using a"
        " security service to protect itself from online attacks. The action you just performed triggered it.</p>",
    ),
    "captcha from another host": named(
        "example.org",
        "<p>Please enable JS and disable any ad blocker</p><script src=https://ct.captcha-delivery.com/c.js></script>",
    ),
    "press and hold": named(
        "Access to this page has been denied", "<h1>Press &amp; Hold</h1><div id=px-captcha></div>"
    ),
    "a button only its element names": named(
        "shop.example", "<p>Press and hold the button</p><div id=px-captcha></div>"
    ),
    "refused with a reference": named(
        "Access Denied",
        '<h1>Access Denied</h1>You don\'t have permission to access "http://example.org/a" on this server.'
        "<p>Reference #18.4d4f1702.1700000000.1a2b3c4d</p>",
    ),
    "widget": named("Are you a robot?", "<h1>Please verify you are a human</h1><div class=g-recaptcha></div>"),
    "unusual traffic": named(
        "https://example.org/search?q=a",
        f"<h1>Our systems have detected unusual traffic</h1><p>{'It may be you, and may be a robot. ' * 20}</p>",
    ),
    "interruption": named("Pardon Our Interruption", f"<h1>Pardon our interruption…</h1><p>{SENTENCE * 4}</p>"),
    "proof of work": named("Making sure you’re not a bot!", f"<h1>Making sure you’re not a bot!</h1><p>{SENTENCE}</p>"),
    "German": named(
        "Einen Moment, bitte …", "<h1>Sicherheitsüberprüfung</h1><p>Bestätigen Sie, dass Sie ein Mensch sind.</p>"
    ),
    "French": named("Vérification de sécurité", "<p>Veuillez cocher la case pour accéder au site example.org.</p>"),
    "Spanish": named("Verificación de seguridad", "<p>Confirme que no es un programa para seguir en este sitio.</p>"),
    "Russian": named(
        "Вы не робот?",
        "<h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы похожи.</p>",
    ),
    "Chinese": named("安全验证", "<p>为了保护您的账号安全，请拖动滑块完成下方拼图，然后继续访问本网站的内容。</p>"),
    "Japanese": named(
        "セキュリティチェック", "<p>お手数ですが、画像に表示されている文字を入力してから次へ進んでください。</p>"
    ),
}
CONSENT = {
    "English": consent(
        "Before you continue", "We use cookies and data to deliver services, and for advertising.", "Accept all"
    ),
    "a title of the site": named("News", BANNER),
    "German": consent(
        "Datenschutzeinstellungen",
        "Wir und unsere Partner brauchen Ihre Zustimmung für Cookies und Werbung.",
        "Alle akzeptieren",
    ),
    "French": consent(
        "Votre vie privée", "Nos partenaires et nous utilisons des cookies et vos données.", "Tout accepter"
    ),
    "Spanish": consent("Valoramos tu privacidad", "Usamos cookies propias y de terceros para publicidad.", "Aceptar"),
    "Italian": consent("La tua privacy", "Noi e i nostri partner utilizziamo i cookie e i dati personali.", "Accetta"),
    "Dutch": consent("Jouw privacy", "Wij en onze partners gebruiken cookies en persoonsgegevens.", "Akkoord"),
    "Polish": consent("Szanujemy Twoją prywatność", "Razem z partnerami używamy plików cookie.", "Akceptuję"),
}
LOG_INS = {
    "English": named(
        "Log in | Example", f"<h1>Log in</h1><form>{FIELDS}<button>Log in</button></form><a href=/f>Forgot?</a>"
    ),
    "in a site's frame": named(
        "Sign in to your account", f"{MENU}<form>{FIELDS}<input type=submit value='Sign in'></form>"
    ),
    "a name without words": named("Example", f"<form>{FIELDS}<button>Log in</button></form><p>New here? Join us.</p>"),
    "a wall": named(
        "Please log in", "<h1>Please log in</h1><p>You must be logged in to see this part of the site.</p>"
    ),
    "German": named("Anmelden – Beispiel", f"<form>{FIELDS}<button>Anmelden</button></form>"),
    "French": named("Connexion", f"<h1>Connectez-vous</h1><form>{FIELDS}<button>Se connecter</button></form>"),
    "Spanish": named("Iniciar sesión", f"<form>{FIELDS}<button>Entrar</button></form>"),
    "Russian": named("Вход на сайт", f"<form>{FIELDS}<button>Войти</button></form>"),
    "Chinese": named("用户登录", f"<form>{FIELDS}<button>登录</button></form>"),
}
ERRORS = {
    "bare": named("404 Not Found", "<center><h1>404 Not Found</h1></center><hr><center>nginx</center>"),
    "of a site": named("Page not found – Example", f"{MENU}<h1>Oops! That page can’t be found.</h1><p>{SENTENCE}</p>"),
    "forbidden": named("403 Forbidden", "<h1>Forbidden</h1><p>You don't have permission to access this resource.</p>"),
    "server": named(
        "500 Internal Server Error", "<h1>Internal Server Error</h1><p>The server encountered an internal error.</p>"
    ),
    "gateway": named(
        "example.org | 502: Bad gateway", "<h1>Bad gateway</h1><p>The web server reported a bad gateway.</p>"
    ),
    "maintenance": named(
        "Site maintenance", "<h1>We’ll be back soon!</h1><p>We’re performing some maintenance right now.</p>"
    ),
    "database": named("Database Error", "<h1>Error establishing a database connection</h1>"),
    "German": named(
        "Seite nicht gefunden",
        "<p>Die gewünschte Seite gibt es nicht oder nicht mehr, bitte prüfen Sie die Adresse.</p>",
    ),
    "French": named("Page introuvable", "<p>La page que vous demandez n'existe pas ou n'existe plus sur ce site.</p>"),
    "Spanish": named("Página no encontrada", "<p>La página que busca no existe, o se ha movido a otra dirección.</p>"),
    "Portuguese": named(
        "Erro 404", "<h1>Página não encontrada</h1><p>O endereço pode ter mudado ou já não existe.</p>"
    ),
    "Russian": named("Страница не найдена", "<p>Возможно, она была удалена, или вы набрали неправильный адрес.</p>"),
    "Turkish": named(
        "Sayfa bulunamadı", "<p>Aradığınız sayfa kaldırılmış ya da adresi değişmiş olabilir, lütfen deneyin.</p>"
    ),
    "Chinese": named("页面不存在", "<p>抱歉，您访问的页面不存在，可能已被删除或者地址有误，请返回首页。</p>"),
    "Japanese": named("ページが見つかりません", "<p>お探しのページは移動したか、削除された可能性があります。</p>"),
    "Korean": named(
        "페이지를 찾을 수 없습니다", "<p>요청하신 주소가 바뀌었거나 삭제되었을 수 있습니다. 다시 확인해 주세요.</p>"
    ),
}
NO_PROBLEM = {
    "about captchas": named("Are you a robot? How captchas work", f"<h1>Are you a robot?</h1>{PARAGRAPHS}"),
    "about an error": named("404 Not Found", f"<h1>404 Not Found: the story of an error</h1>{PARAGRAPHS}"),
    "a short article beside a banner": named("A wall by the sea", f"<h1>A wall</h1><p>{SENTENCE * 4}</p>{BANNER}"),
    "a short article beside a form": named(
        "A wall by the sea",
        f"<h1>A wall</h1><p>{SENTENCE * 2}</p><form><h3>Log in</h3>{FIELDS}<button>Log in</button></form>",
    ),
    "a number in the headline": named("404 houses were sold", f"<h1>404 houses were sold</h1><p>{SENTENCE}</p>"),
    "a privacy policy": named(
        "Privacy policy", "<h1>Privacy policy</h1><p>We use no cookies and keep no personal data.</p>"
    ),
    "a paragraph about maintenance": named("Maintenance", f"<h1>Maintenance</h1><p>{SENTENCE * 4}</p>"),
    "a dialogue among a page's headings": named(
        "Walls", "".join(f"<h2>Wall {n}</h2><a href=/{n}>{SENTENCE}</a>" for n in range(9)) + f"<h2>Log in</h2>{FIELDS}"
    ),
    "in the middle of a sentence": named(
        "A wall", "<p>He wrote: page not found. Then he wrote: access denied. She left.</p>"
    ),
    "a number as the headline": named("500", f"<h1>500</h1>{PARAGRAPHS[: len(PARAGRAPHS) // 3]}"),
    "a headline that begins with a number": named("404 days in space", f"<h1>404 days in space</h1>{PARAGRAPHS}"),
    "one sentence about logging in": named("Login trends", f"<h1>Login trends</h1><p>{SENTENCE}</p>"),
    "many short paragraphs": named(
        "We couldn't find a plumber, so we trained one",
        f"<h1>We couldn't find a plumber, so we trained one</h1>{f'<p>{SENTENCE}</p>' * 8}",
    ),
    "nothing": "",
}
HEADLINES = (
    "Just a moment with Jane Doe",
    "Unusual traffic on the A4 after crash",
    "Security challenge for Berlin",
    "Attention required: floods ahead",
    "DDoS protection explained",
    "Are you a robot? Captchas have become too hard",
    "Access denied: a film by Ken Loach",
    "Error 404",
    "500",
)
NUMBERED = (
    *("404", "500", "Error 404", "404 Error", "404 error page", "HTTP 404", "HTTP error 500", "HTTP Status 404 – None"),
    *("Error 503", "Error code 521", "404 page", "404 page not found", "Fehler 404", "404 Fehler", "404-Fehler"),
    *("Erreur 404", "Errore 404", "Erro 404", "Ошибка 404", "Błąd 404", "404 | Site", "Site - 404"),
    *("Site: 404", "Error 404 (Not Found)!!1"),
)
CASES = [
    *((name, html, "robot check") for name, html in ROBOT_CHECKS.items()),
    *((name, html, "consent") for name, html in CONSENT.items()),
    *((name, html, "log-in") for name, html in LOG_INS.items()),
    *((name, html, "error") for name, html in ERRORS.items()),
]


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in CASES], ids=[f"{c[2]}: {c[0]}" for c in CASES])
def test_what_is_no_article_is_named(html: str, expected: str) -> None:
    page = pagesieve.parse(html)
    assert problem(page) == expected
    assert pagesieve.kind(page) == "other"


@pytest.mark.parametrize("html", NO_PROBLEM.values(), ids=NO_PROBLEM)
def test_what_may_be_an_article_is_not(html: str) -> None:
    assert problem(pagesieve.parse(html)) is None


@pytest.mark.parametrize("paragraphs", [2, 4])
@pytest.mark.parametrize("headline", HEADLINES)
def test_a_short_article_may_begin_with_the_same_words(headline: str, paragraphs: int) -> None:
    text = f"<p>{(SENTENCE * 3)[:290]}</p>" * paragraphs
    assert problem(pagesieve.parse(named(headline, f"<h1>{headline}</h1>{text}"))) is None


@pytest.mark.parametrize("name", NUMBERED)
def test_a_number_names_an_error(name: str) -> None:
    text = "The requested thing was not there. Please go back to the home page, or look for it elsewhere."
    page = pagesieve.parse(named(name, f"<h1>{name}</h1><p>{text}</p>"))
    assert (problem(page), pagesieve.kind(page)) == ("error", "other")


def test_a_phrase_with_a_code_stands_for_one_of_each() -> None:
    phrases = _Phrases("error {code} | {code}$")
    assert not any("{" in phrase for phrase in (*phrases._whole, *phrases._begun))
    assert phrases.any(frozenset({"error 503: no service"}))
    assert phrases.are(frozenset({"410"}))
    assert not phrases.any(frozenset({"error {code}", "410 houses", "error 700"}))


def test_a_long_page_is_not_looked_at() -> None:
    html = named(
        "404 Not Found", f"<h1>404 Not Found</h1><ul>{'<li><a href=/x>A link of the menu</a></li>' * 500}</ul>"
    )
    assert len(pagesieve.parse(html).text(0)) > MAX_TEXT
    assert problem(pagesieve.parse(html)) is None


def test_the_article_says_so_everywhere() -> None:
    html = named("Page not found – Example", f"<h1>Page not found</h1><p>{SENTENCE * 2}</p>")
    found = pagesieve.article(html)
    assert (found.problem, found.kind, found.notes) == ("error", "other", (NOTES["error"],))
    facts = found.as_dict()
    assert (facts["problem"], facts["kind"], facts["notes"]) == ("error", "other", [NOTES["error"]])
    assert 'problem: "error"' in found.as_markdown()
    plain = pagesieve.article(named("A wall by the sea", PARAGRAPHS))
    assert (plain.problem, plain.notes) == (None, ())
    assert "problem" not in plain.as_markdown()


def test_the_facts_say_so_where_there_is_no_text() -> None:
    with pytest.raises(pagesieve.NothingFound) as raised:
        pagesieve.article(named("Just a moment..."))
    assert raised.value.facts["problem"] == "robot check"
    assert raised.value.facts["notes"] == [NOTES["robot check"]]


def test_the_command_line_says_so(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(named("Page not found", f"<h1>Page not found</h1><p>{SENTENCE * 2}</p>"))
    done = CliRunner().invoke(commands, ["article", str(page)])
    assert NOTES["error"] in done.stderr
    assert SENTENCE.split(",")[0] in done.stdout
    assert json.loads(CliRunner().invoke(commands, ["article", "-f", "json", str(page)]).stdout)["problem"] == "error"
