"""Recognise pages that a server sends instead of an article: robot checks, consent, log-in and error pages.

Such a page has little text, and its title or a heading says what it is. So long pages are not checked, and words in
sentences are ignored: an article about captchas, or one beside a consent banner, is an article. A title that only
begins with a phrase may be a headline, so such a page has to be shorter, and without paragraphs. If no title or heading
has a phrase, marks of common robot checks, or a password field, show what the page is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pagesieve.page import kernel
from pagesieve.page.kernel.page.cache import kept, lazy
from pagesieve.page.lines import CONTROLS, split
from pagesieve.page.lines import inside as rows_inside
from pagesieve.page.stated import document_title
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.patterns import pattern
from pagesieve.text.whitespace import fold

Problem = Literal["robot check", "consent", "log-in", "error"]
NOTES: Mapping[Problem, str] = {
    "robot check": "the page is a robot check, not an article",
    "consent": "the page asks for consent; it is not an article",
    "log-in": "the page is for logging in, not an article",
    "error": "the page reports an error; it is not an article",
}

MAX_TEXT = 6000  # visible characters, including links; longer pages are not checked
MAX_OWN = 1500  # characters outside of links, if a name says what the page is
MAX_BESIDE = 300  # characters outside of links about other things; twice as many if no name says what the page is
MAX_NAME_LENGTH = 90  # characters of a title or a heading
MAX_HEADINGS = 4  # of a page whose headings count as names
MAX_REST_LENGTH = 45  # characters of a name after the phrase: "to your account", "on this server"
LONG_LINE = 200  # characters outside of links, blanks not counted: a paragraph of an article
LONG_LABEL = 100  # characters: longer than the label of a field, or a line beside it

_PARTING = pattern(r"(?:(?<!\s)\s+)?[|｜·•»]\s+|(?<!\s)\s+[-–—]\s+")
_EDGES = " !?.…,:;-–—|·*\"'“”«»()[]¡¿。！？"


_KEY = 2  # characters by which phrases are looked up; no phrase is shorter
_CODES = "400 401 402 403 404 405 406 408 410 429 451 500 501 502 503 504 520 521 522 523 524 525".split()


class _Phrases:
    """Phrases in lower case with which names begin; a phrase that ends with `$` has to be the whole name.

    A phrase with `{code}` stands for one phrase for each error code.
    """

    def __init__(self, *languages: str) -> None:
        stated = [phrase.strip() for line in languages for phrase in line.split("|")]
        phrases = dict.fromkeys(phrase.replace("{code}", code) for phrase in stated for code in _CODES)
        self._whole = frozenset(phrase.removesuffix("$") for phrase in phrases)
        self._begun: dict[str, tuple[str, ...]] = {}  # the phrases by their first characters
        for phrase in phrases:
            if not phrase.endswith("$"):
                self._begun[phrase[:_KEY]] = (*self._begun.get(phrase[:_KEY], ()), phrase)

    @property
    def beginnings(self) -> Iterable[str]:
        """The first characters of the phrases."""
        return (phrase[:_KEY] for phrase in self._whole)

    def are(self, names: frozenset[str]) -> bool:
        """Whether one of the names is a phrase."""
        return not self._whole.isdisjoint(names)

    def any(self, names: frozenset[str]) -> bool:
        """Whether one of the names is a phrase, or a phrase followed by a few words."""
        return self.are(names) or any(map(self._begins, names))

    def _begins(self, name: str) -> bool:
        begun = self._begun.get(name[:_KEY], ())
        return name.startswith(begun) and any(
            name.startswith(phrase) and len(name) - len(phrase) <= MAX_REST_LENGTH for phrase in begun
        )


# Phrases that only robot checks have, whatever follows.
_REFUSAL = _Phrases(
    "pardon our interruption | i'm not a robot$ | i am not a robot$ | verify you are human | verify you're human",
    "verify that you are human | verify that you are not | verify you are not | verify you are a human",
    "please verify you | please verify that you | confirm you are human | confirm you're human",
    "please confirm you are | prove you are human | prove you're human | prove you are not | prove you're not",
    "verifying you are human | checking your browser | checking if the site | making sure you're not a bot",
    "unusual traffic from your | unusual traffic detected | we have detected unusual | we've detected unusual",
    "our systems have detected | access to this page has been denied | you have been blocked$",
    "sorry, you have been blocked | ой, капча | bestätigen sie, dass sie ein mensch | vérifiez que vous êtes humain",
    "confirmez que vous êtes humain | verifica que eres humano | подтвердите, что вы | подтвердите, что запросы",
    "robot olmadığınızı | 请完成安全验证 | 请完成验证 | 私はロボットではありません",
)
_ROBOT = _Phrases(
    "just a moment$ | just a moment, please | just a moment please | one moment, please | attention required$",
    "robot check$ | captcha$ | are you a robot$ | are you a human$ | are you human$ | are you a bot$",
    "prove your humanity | human verification$ | human verification required | security check$",
    "security check required | security verification$ | security verification required | security challenge$",
    "browser check$ | captcha challenge | bot check$ | client challenge | ddos-guard | ddos protection$",
    "ddos protection by | bot detected | unusual traffic$ | unusual activity$ | request unsuccessful",
    "nur einen moment$ | nur einen moment, bitte | nur einen moment bitte | einen moment bitte | einen moment, bitte",
    "einen moment$ | sicherheitsüberprüfung$ | sicherheitsprüfung$ | sicherheitsabfrage$ | sind sie ein mensch$",
    "sind sie ein roboter$ | un instant$ | un instant, s'il vous plaît | vérification de sécurité$",
    "contrôle de sécurité$ | êtes-vous un robot$ | êtes-vous un humain$ | je ne suis pas un robot$ | un momento$",
    "un momento, por favor | verificación de seguridad$ | eres un robot$ | eres humano$ | no soy un robot$",
    "un attimo$ | verifica di sicurezza$ | sei un robot$ | sei umano$ | non sono un robot$ | um momento$",
    "verificação de segurança$ | você é um robô$ | você é humano$ | não sou um robô$ | een ogenblik geduld",
    "bent u een robot$ | bent u een mens$ | jeszcze chwila$ | chwileczkę$ | czy jesteś robotem$",
    "nie jestem robotem$ | вы не робот$ | я не робот$ | один момент$ | проверка безопасности$",
    "проверка браузера$ | güvenlik doğrulaması$ | güvenlik kontrolü$ | robot değilim$ | bir dakika lütfen",
    "安全验证$ | 安全驗證$ | 人机验证$ | 人機驗證$ | 滑动验证$ | 访问验证$ | 请稍候$ | セキュリティチェック$",
    "セキュリティ確認$ | しばらくお待ちください$ | 보안 확인$ | 로봇이 아닙니다$",
)
_CONSENT = _Phrases(
    "before you continue | we value your privacy | we care about your privacy | we respect your privacy",
    "your privacy | cookie consent | cookie settings | cookie preferences | cookie notice | cookie wall",
    "cookies on | consent$ | privacy settings | privacy preferences | privacy consent | privacy choices",
    "privacy gate | privacy wall | we use cookies | this site uses cookies | this website uses cookies",
    "accept cookies | manage cookies | we need your consent | consent required | bevor sie fortfahren",
    "bevor sie weitergehen | bevor du weitergehst | ihre zustimmung | ihre einwilligung | wir brauchen ihre",
    "wir benötigen ihre | zustimmung$ | einwilligung$ | datenschutzeinstellungen | datenschutz-einstellungen",
    "privatsphäre-einstellungen | privatsphäre$ | ihre privatsphäre | cookie-einstellungen | wir verwenden cookies",
    "mit werbung | weiter mit werbung | avant de continuer | cookies$ | votre vie privée",
    "le respect de votre vie privée | nous respectons votre vie | gestion des cookies | paramètres des cookies",
    "nous utilisons des cookies | antes de continuar | tu privacidad | su privacidad | valoramos tu privacidad",
    "valoramos su privacidad | configuración de cookies | usamos cookies | utilizamos cookies | prima di continuare",
    "la tua privacy | il rispetto della tua privacy | utilizziamo i cookie | usiamo i cookie | a sua privacidade",
    "sua privacidade | voordat je verdergaat | voordat je doorgaat | jouw privacy | uw privacy | twoja prywatność",
    "szanujemy twoją prywatność | dbamy o twoją prywatność | zanim przejdziesz | ustawienia prywatności",
    "прежде чем продолжить | мы используем cookie | мы используем файлы cookie | настройки cookie | çerez",
    "gizliliğiniz | innan du fortsätter | vi använder cookies | vi bruger cookies | cookieの | プライバシー設定",
    "隐私设置",
)
_LOG_IN = _Phrases(
    "log in | login$ | login to | login page | login form | login required | log-in | sign in | sign-in$",
    "please log in | please sign in | please login | logon$ | you must log in | you must be logged in",
    "you need to log in | you need to be logged in | you have to log in | member login | members login | user login",
    "account login | customer login | client login | webmail login | authentication required | anmelden$",
    "anmelden bei | anmeldung$ | einloggen | bitte anmelden | bitte melden sie sich an | bitte loggen sie sich ein",
    "kundenlogin | kunden-login$ | benutzeranmeldung | se connecter | connectez-vous | connexion$ | connexion à votre",
    "connexion au compte | identifiez-vous | identification$ | iniciar sesión | inicia sesión | inicie sesión",
    "inicio de sesión | identifícate | accedi$ | accedi al tuo | effettua il login | area riservata$ | iniciar sessão",
    "faça login | faça seu login | fazer login | acesse sua conta | inloggen$ | inloggen bij | zaloguj | logowanie$",
    "logowanie do | вход$ | вход на сайт | вход в аккаунт | вход в личный | вход в кабинет | вход в систему",
    "вход в учет | войти$ | войти в аккаунт | войти на сайт | войдите, чтобы | войдите в | авторизация$",
    "авторизация на сайте | вхід$ | увійти | giriş$ | giriş yap | üye girişi | kullanıcı girişi | oturum aç",
    "logga in | logg inn | kirjaudu | přihlášení | přihlásit se | bejelentkezés | autentificare",
    "登录 | 登錄 | 登入 | 请登录 | 請登入 | 用户登录 | 会员登录 | 會員登入 | ログイン | サインイン",
    "로그인 | đăng nhập",
)
_NUMBER = _Phrases("{code}$")
_ERROR = _Phrases(
    "error {code} | error code {code} | {code} error$ | {code} error page | http {code} | http error {code}",
    "http status {code} | {code} page$ | {code} page not | fehler {code} | {code} fehler$ | {code}-fehler$",
    "erreur {code} | errore {code} | erro {code} | ошибка {code} | błąd {code} | 404 not found | 403 forbidden",
    "401 unauthorized | 410 gone | 400 bad request | 429 too many requests | 500 internal server error",
    "502 bad gateway | 503 service | 504 gateway | 500 server error | error$ | error page$ | page not found",
    "not found$ | file not found | the page you | the page cannot | the page can't | the page could",
    "page cannot be found | page can't be found | page could not | page doesn't exist | page does not exist",
    "this page is not available | this page isn't | this page doesn't exist | page unavailable",
    "this page does not exist | this page could | this page can't be found | that page can't be found",
    "page is missing | the requested url | the requested page | requested page not found | url not found",
    "invalid url | page missing | oops! that page | oops! page | oops, page | sorry, this page | sorry, the page",
    "sorry, we can't find | sorry, we couldn't find | we can't find the page | we can't find that page",
    "we can't find this page | we can't find what you | we couldn't find the page | we couldn't find that page",
    "we couldn't find this page | we couldn't find what you | we could not find the page",
    "we could not find that page | we could not find what you | article not found | content not found",
    "post not found | document not found | story not found | site not found | internal server error | server error",
    "bad gateway | bad request | gateway timeout | gateway time-out | service unavailable",
    "service temporarily unavailable | temporarily unavailable | the service is unavailable | forbidden$",
    "access denied$ | access forbidden$ | unauthorized$ | application error | an error occurred",
    "an error has occurred | unexpected error | fatal error | something went wrong | oops! something",
    "whitelabel error | error establishing a database | account suspended | site maintenance | maintenance$",
    "maintenance mode$ | down for maintenance | under maintenance | scheduled maintenance$ | site under maintenance",
    "website under maintenance | we're down for | we are down for | we'll be back$ | we'll be back soon",
    "we'll be back shortly | we will be back$ | we will be back soon | we will be back shortly",
    "site is under maintenance | seite nicht gefunden | die seite wurde nicht | seite wurde nicht",
    "diese seite existiert nicht | die seite existiert | die angeforderte seite | die gesuchte seite",
    "die gewünschte seite | diese seite ist nicht | seite nicht verfügbar | ein fehler ist aufgetreten",
    "zugriff verweigert$ | wartungsarbeiten$ | wartungsmodus$ | nicht gefunden$ | fehler$ | page introuvable",
    "page non trouvée | cette page n'existe | la page demandée | la page que vous | page inexistante",
    "cette page est introuvable | site en maintenance | en maintenance$ | accès refusé$ | accès interdit$ | erreur$",
    "página no encontrada | la página no existe | la página solicitada | la página que | esta página no",
    "no encontrado$ | página no disponible | en mantenimiento$ | acceso denegado$ | pagina non trovata",
    "la pagina richiesta | la pagina non | pagina non disponibile | questa pagina non | sito in manutenzione",
    "in manutenzione$ | accesso negato$ | página não encontrada | a página solicitada | a página não",
    "esta página não | site em manutenção | em manutenção$ | acesso negado$ | pagina niet gevonden",
    "deze pagina bestaat niet | de pagina die | de opgevraagde pagina | nie znaleziono$ | nie znaleziono strony",
    "strona nie istnieje | strona nie została | brak strony | страница не найдена | страница не существует",
    "запрашиваемая страница | страница удалена | доступ запрещен$ | доступ запрещён$ | доступ ограничен$",
    "технические работы$ | ведутся технические | сторінку не знайдено | sayfa bulunamadı | aradığınız sayfa",
    "sidan hittades inte | sidan kunde inte | sidan finns inte | siden ble ikke funnet | siden blev ikke fundet",
    "siden findes ikke | sivua ei löyt | stránka nenalezena | stránka nebyla nalezena | stránka neexistuje",
    "页面不存在 | 页面未找到 | 找不到页面 | 找不到網頁 | 頁面不存在 | 您访问的页面 | 抱歉，您访问的页面",
    "您要找的页面 | 出错了$ | 访问被拒绝$ | 系统维护$ | ページが見つかりません | お探しのページ",
    "指定されたページ | ページが存在しません | メンテナンス中",
    "페이지를 찾을 수 없습니다 | 존재하지 않는 페이지 | 요청하신 페이지",
)
_OF_NAMES = (_REFUSAL, _ROBOT, _CONSENT, _LOG_IN, _NUMBER, _ERROR)
_BEGINNINGS = frozenset(beginning for phrases in _OF_NAMES for beginning in phrases.beginnings)
# The labels of the controls of consent pages, and the words of their lines.
_AGREEMENT = _Phrases(
    "accept | i accept | agree | i agree | allow all | allow cookies | got it$ | i consent | consent$ | reject all",
    "akzeptieren | alle akzeptieren | alles akzeptieren | zustimmen | alle cookies akzeptieren | einwilligen",
    "einverstanden | ich stimme zu | alle ablehnen | tout accepter | j'accepte | tout refuser | aceptar | acepto",
    "rechazar | accetta | accetto | rifiuta | aceitar | aceito | alles accepteren | akkoord",
    "alle cookies accepteren | akceptuj | zgadzam się | przejdź do serwisu | принять | принимаю | согласен",
    "kabul et | tümünü kabul | godkänn | tillad alle | godta alle | hyväksy | 接受 | 同意 | 全部接受 | すべて同意",
    "すべて許可 | 동의",
)
_ABOUT_CONSENT = pattern(
    r"cookie|consent|privac|vie privée|partner|zustimm|einwillig|datenschutz|personenbezogen|personal data|your data"
    r"|données|datos|dati personali|dados pessoais|persoonsgegevens|tracking|targeted|personali[sz]ed|personalisiert"
    r"|werbung|publicid|advertis|prywatno|dan(?:e|ych) osobow|реклам|персональн|соглас|çerez|kişisel"
    r"|同意|隐私|个人信息|プライバシー|個人情報"
)
# Marks in the attributes and scripts of robot checks that occur on no other pages.
_CHALLENGE_MARKUP = (
    b"cf-browser-verification challenge-error-text captcha-delivery.com px-captcha _Incapsula_Resource?CWUDNSAI"
    b" sec-cpt-if sec-if-cpt-container anubis_challenge sgcaptcha ddos-guard/js-challenge errors.edgesuite.net"
    b" /checkcaptcha /showcaptcha"
).split()
_CHALLENGE_SCRIPT = b"_cf_chl_opt captcha-delivery.com AwsWafCaptcha sucuri_cloudproxy_js".split()
_REFERENCE = pattern(
    r"reference[^\w#]{0,10}#\W{0,10}[0-9a-f]+\.[0-9a-f.]+"
)  # the reference number of a refusal by Akamai


def problem(page: Page) -> Problem | None:
    """Return the problem of a page, or None if it may be an article or any other page."""
    return _problem(page.unveiled)


@kept
@stage("problem")
def _problem(page: Page) -> Problem | None:
    look = _Look(page)
    if look.seen > MAX_TEXT or (
        look.seen > 2 * MAX_BESIDE and not look.names
    ):  # a longer page needs a name with a phrase
        return None
    if look.is_robot_check:
        return "robot check"
    if look.is_consent:
        return "consent"
    if look.is_log_in:
        return "log-in"
    return "error" if look.is_error else None


@dataclass(frozen=True)
class _Look:
    """The names, labels and lines of a small page. The lines are read only if the names contain a phrase."""

    page: Page

    @lazy
    def lines(self) -> list[tuple[str, int]]:
        """The visible lines in lower case, and the number of characters of each outside of links."""
        blocks = split(self.page)
        controls = blocks.any(rows_inside(self.page, CONTROLS)).tolist()
        own = (blocks.chars - blocks.link_chars).tolist()
        return [(blocks.text(k).lower(), own[k]) for k in range(len(own)) if own[k] and not controls[k]]

    @lazy
    def seen(self) -> int:
        """The number of characters of text."""
        return kernel.page.kinds.seen(self.page)

    @lazy
    def own(self) -> int:
        """The number of characters of text outside of links."""
        return sum(chars for _, chars in self.lines)

    @lazy
    def names(self) -> frozenset[str]:
        """The names of the page: its title, the parts of the title, and its main headings if there are few.

        Names that begin like no phrase are left out.
        """
        headings = kernel.page.kinds.headings(self.page, MAX_HEADINGS + 1)
        title = fold(document_title(self.page))
        parts = [part for whole in _PARTING.split(title) for part in (whole, whole.rpartition(": ")[2])]
        # The part before a colon is not a name: "Access denied: a film".
        names = _bare((title, *parts, *(map(fold, headings) if len(headings) <= MAX_HEADINGS else ())))
        return frozenset(name for name in names if name[:_KEY] in _BEGINNINGS)

    @lazy
    def labels(self) -> frozenset[str]:
        """The labels of its buttons and links."""
        stated = (self.page.attribute(row, "value") or "" for row in self.page.rows("input").tolist())
        return _bare((*self._texts("button", "a"), *stated))

    def _texts(self, *tags: str) -> Iterable[str]:
        seen = (row for row in self.page.rows(*tags).tolist() if self.page.text_chars[row])
        return (fold(self.page.text(row)) for row in seen)

    @lazy
    def has_password(self) -> bool:
        """Whether the page asks for a password."""
        inputs = self.page.rows("input").tolist()
        return any((self.page.attribute(row, "type") or "").lower() == "password" for row in inputs)

    def has_line(self, length: int) -> bool:
        """Whether a line has at least `length` characters outside of links."""
        return any(chars >= length for _, chars in self.lines)

    def is_only(self, phrases: _Phrases) -> bool:
        """Whether a name has a phrase and the page no paragraph; if words follow the phrase, also little text."""
        if not phrases.any(self.names) or self.own > (MAX_OWN if phrases.are(self.names) else 2 * MAX_BESIDE):
            return False
        return not self.has_line(LONG_LINE)

    @property
    def has_challenge(self) -> bool:
        """Whether the page has the marks of a robot check."""
        attributes, texts = self.page.value_buffer, self.page.text_buffer
        count = kernel.page.stated.count_in
        return count(_CHALLENGE_MARKUP, attributes) > 0 or count(_CHALLENGE_SCRIPT, texts) > 0

    @property
    def is_robot_check(self) -> bool:
        """Whether the page asks if its reader is a robot, or refuses robots."""
        if self.is_only(_ROBOT) or (_REFUSAL.any(self.names) and self.own <= MAX_OWN):
            return True
        if self.seen > 2 * MAX_BESIDE:
            return _ROBOT.any(self.names) and self.own <= MAX_OWN and self.has_challenge
        return self.has_challenge or any(_REFERENCE.search(line) for line, _ in self.lines)

    @property
    def is_consent(self) -> bool:
        """Whether the page asks for consent, and has next to no other text."""
        if not _CONSENT.any(self.names) or not _AGREEMENT.any(self.labels):
            return False
        beside = sum(chars for line, chars in self.lines if not _ABOUT_CONSENT.search(line))
        return beside <= MAX_BESIDE and 3 * beside <= self.own <= 2 * MAX_OWN

    @property
    def is_log_in(self) -> bool:
        """Whether the page asks its reader to log in, and has little other text."""
        if _LOG_IN.any(self.names):
            short = self.has_password or _LOG_IN.are(self.names) or not self.has_line(LONG_LABEL)
            most = 2 * MAX_BESIDE if self.has_password else MAX_BESIDE
            return short and self.own <= most and self.seen <= 2 * MAX_OWN
        if self.seen > MAX_BESIDE or not self.has_password:
            return False
        return not self.has_line(LONG_LABEL) and _LOG_IN.any(self.labels)

    @property
    def is_error(self) -> bool:
        """Whether the page says that the requested page does not exist, or that something failed."""
        return self.is_only(_ERROR) or (self.is_only(_NUMBER) and self.own <= 2 * MAX_BESIDE)


def _bare(texts: Iterable[str]) -> frozenset[str]:
    short = (text.strip(_EDGES).lower() for text in texts if len(text) <= MAX_NAME_LENGTH)
    return frozenset(text.replace("’", "'") for text in short) - {""}
