"""How pages of a playtest reach a browser: one small HTML page, our own scripts, and a websocket that carries JSON.

Bokeh and Panel would carry them too; for a table that changes they cost four times what drawing it costs, and a phone
would load megabytes first.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from tornado.ioloop import IOLoop
from tornado.web import HTTPError, RequestHandler, create_signed_value, decode_signed_value
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from workbench.core.errors import WorkbenchError
from workbench.core.language import language, say
from workbench.playtest.page import Page, complain

PROTOCOL = "workbench"
"""What a page's websocket calls itself; its token follows as a second name."""
DAYS = 2
"""How long a page may wait before it connects (again)."""
LARGEST = 100_000
"""Most bytes of one message of a browser."""
AGAIN = 5
"""Seconds after which a page that could not be shown is asked for again."""
ALIVE = 20
"""Seconds between two questions whether a browser is still there, and to wait for its answer."""
CODE = {"page.js": "workbench.playtest", "sheet.js": "workbench.playtest", "table.js": "workbench.ui"}

SHELL = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><title>{title}</title><link rel="icon" href="data:,">
<style>body {{ margin: 8px; font-family: system-ui, "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", sans-serif; }}
body > div + div {{ margin-top: 10px; }}</style>
{more}</head><body>{body}</body></html>"""


@dataclass(frozen=True)
class Site:
    """What the handlers share.

    Attributes:
        find: what a path opens, told the origin it was asked from: its language, and what makes its page; None when it opens nothing.
        hosts: every ``host:port`` under which the pages may be opened. secret: signs what a page may connect with.
        title: of every page.
    """

    find: Callable[[str, str], tuple[str, Callable[[], Page]] | None]
    hosts: frozenset[str]
    secret: str
    title: str

    def token(self, path: str) -> str:
        """What the page at a path connects with."""
        return base64.urlsafe_b64encode(create_signed_value(self.secret, "page", path)).decode().rstrip("=")

    def path(self, token: str) -> str | None:
        """The path that a token was made for; None when it was not made here, or too long ago."""
        try:
            found = decode_signed_value(self.secret, "page", base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)), max_age_days=DAYS)
        except ValueError:
            return None
        return None if found is None else found.decode()

    def handlers(self) -> list[tuple]:
        """The routes of a Tornado application."""
        more: dict[str, Any] = {"site": self}
        return [(r"/(?:[td]/[^/]+(?:/[^/]+)?)?", Shell, more), (r"/live", Line, more), (r"/code/(\w+\.js)", Code, more)]


class Asked(RequestHandler):
    """A request that is answered with one sentence where it fails."""

    def initialize(self, site: Site) -> None:
        """Tornado's own hook, which comes after the first headers."""
        self.site = site
        self.set_default_headers()

    def set_default_headers(self) -> None:
        """Nothing from elsewhere, in no frame, kept by nobody."""
        if not hasattr(self, "site"):
            return
        host = self.request.host.lower()
        host = host if host in self.site.hosts else "localhost"
        self.set_header("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
                        f"connect-src 'self' ws://{host} wss://{host}; form-action 'none'; frame-ancestors 'none'")
        for name, value in (("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")):
            self.set_header(name, value)
        self.clear_header("Server")

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Where it failed, without the request: its address is a link."""
        if not isinstance(value, (HTTPError, WorkbenchError)):
            complain(value)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """One sentence, never a traceback."""
        fault = kwargs.get("exc_info", (None, None))[1]
        if isinstance(fault, WorkbenchError):  # a database that is away says so
            self.set_status(503)
            return self.sentence(str(fault), again=True)
        return self.sentence(say("playtest.page.no_link" if status_code < 500 else "playtest.page.failed"), again=status_code >= 500)

    def sentence(self, text: str, *, again: bool = False) -> None:
        """A page of one sentence; ``again``: one that loads itself anew after a while."""
        more = f'<meta http-equiv="refresh" content="{AGAIN}">' if again else ""
        self.finish(SHELL.format(lang=language(), title=escape(self.site.title), more=more, body=f"<p>{escape(text)}</p>"))


class Shell(Asked):
    """The page itself: empty, until its socket fills it."""

    def get(self) -> None:
        """The page, or one sentence."""
        path = self.request.path
        found = self.site.find(path, "")
        if found is None:
            self.set_status(404 if path != "/" else 200)
            return self.sentence(say("playtest.page.no_link"))
        lang = found[0]
        known = json.dumps({"token": self.site.token(path), "lost": say("playtest.page.lost", lang)}, ensure_ascii=False)
        more = f'<script type="application/json" id="page">{known.replace("<", chr(92) + "u003c")}</script><script type="module" src="/code/page.js"></script>'
        self.finish(SHELL.format(lang=lang, title=escape(self.site.title), more=more, body=""))

    head = get


class Code(Asked):
    """Our own scripts."""

    def get(self, name: str) -> None:
        """One of them."""
        if name not in CODE:
            raise HTTPError(404)
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")  # asked about each time, sent anew only when it has changed
        self.finish((files(CODE[name]) / name).read_bytes())


class Line(Asked, WebSocketHandler):
    """The socket of one page: what its parts show goes down, what its controls ask comes up."""

    page: Page | None = None
    ping_interval = ping_timeout = ALIVE
    max_message_size = LARGEST

    def prepare(self) -> None:
        """Only a page that we made, opened under a name of ours, may connect."""
        self.origin = self.request.headers.get("Origin", "")
        names = [n.strip() for n in self.request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        self.path = self.site.path(names[1]) if len(names) == 2 and names[0] == PROTOCOL else None
        if self.path is None or urlsplit(self.origin).netloc.lower() not in self.site.hosts:
            raise HTTPError(403)

    def check_origin(self, origin: str) -> bool:
        """Looked at above, more strictly: Tornado takes one who names no origin, too."""
        return True

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        """The token is not said again."""
        return PROTOCOL

    async def open(self, *args: str, **kwargs: str) -> None:
        """Show the page."""
        self.set_nodelay(True)
        self.loop, self.writing = IOLoop.current(), False
        try:
            found = self.site.find(self.path or "", self.origin)
            self.page = None if found is None else found[1]()
        except Exception as e:  # noqa: BLE001 - the page asks again by itself, and a visitor reads one sentence then
            complain(e)
        if self.page is None:
            return self.close()
        self.page.connect(self._wake)
        await self._show()

    def _wake(self, seconds: float) -> None:
        if seconds:
            self.loop.add_callback(self.loop.call_later, seconds, self._show)
        else:
            self.loop.add_callback(self._show)

    async def _show(self) -> None:
        """Write what has changed; a browser that reads slowly gets the last state only."""
        if self.writing:
            return
        self.writing = True
        try:
            while self.page is not None and self.page.due:
                text = self.page.refresh()
                if text:
                    await self.write_message(text)
        except WebSocketClosedError:
            pass
        finally:
            self.writing = False

    async def on_message(self, message: str | bytes) -> None:
        """Hand it to the page; whatever it is, the page answers. The next is read when the answer is out."""
        try:
            asked = json.loads(message) if isinstance(message, str) else None
        except (ValueError, RecursionError):
            asked = None
        (where, what), = asked.items() if isinstance(asked, dict) and len(asked) == 1 else (("", None),)
        if self.page is None:
            return
        if where == "ping":  # a phone that woke up asks whether we are still there
            await self.write_message('{"pong": 1}')
            return
        if self.page.received(where, what):
            await self._show()

    def on_close(self) -> None:
        """Let go of the page."""
        if self.page is not None:
            self.page.close()
            self.page = None
