"""Redirects of a crawl: Scrapy follows them, and what leads to no page is refused with a reason."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from pagesieve.crawl.gate import Refused
from pagesieve.text.urls import masked_url

REDIRECTS = frozenset((301, 302, 303, 307, 308))
LONGEST_SHOWN = 100  # characters of an address


class Redirects(RedirectMiddleware):
    """Follows redirects; the gate looks at each."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the request that a redirect leads to, or an answer that is none. Raises Refused."""
        try:
            result: Request | Response = super().process_response(request, response)
        except IgnoreRequest as error:
            raise Refused(f"more than {self.max_redirect_times} redirects") from error
        except (ValueError, LookupError) as error:  # UnicodeError is a ValueError
            raise Refused(_leads_nowhere(response)) from error
        if result is response and response.status in REDIRECTS:
            raise Refused(_leads_nowhere(response))
        return result


def _leads_nowhere(response: Response) -> str:
    location = response.headers.get("Location")
    where = ascii(masked_url(location.decode("utf-8", "replace"))[:LONGEST_SHOWN]) if location else "nowhere"
    return f"redirects to no page: {where}"
