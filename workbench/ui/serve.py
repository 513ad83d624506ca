"""Serves the bench on this machine: one table, kept in a file, the same in every tab and after a restart.

Also how pages are served at all, here and for playtests.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.server.util import check_allowlist
from tornado.routing import Matcher, Rule
from tornado.web import RequestHandler

from workbench.core.language import say
from workbench.ui.app import page
from workbench.ui.autosave import Autosave
from workbench.ui.session import Session

LOOPBACK = "127.0.0.1"
CLOSED = 15_000
"""Milliseconds that a closed page is kept: one that comes back loads itself anew and needs it no more."""
LARGEST = 1_000_000
"""Most bytes that one message of a browser may have."""


def server(session: Session, path: Path, *, port: int = 5006, show: bool = False, lifetime: int = CLOSED) -> Any:
    """The server of one table, not yet running: only on loopback.

    Args:
        path: where the table is kept. lifetime: milliseconds that a closed page is kept.
    """
    pn.extension("vega", inline=False, reconnect=True)
    kept = Autosave(session, path)
    made = serving({"/": lambda: page(session, kept)}, f"{say('ui.table.table')} · {session.draft.ruleset.name}", port=port, show=show,
                   secret=secrets.token_urlsafe(32), lifetime=lifetime)
    made.workbench_autosave = kept
    return made


def hosts(port: int, origins: tuple[str, ...] = ()) -> list[str]:
    """Every ``host:port`` under which pages may be opened."""
    return [*(f"{h}:{port}" for h in (LOOPBACK, "localhost")), *origins]


def serving(pages: dict[str, Callable[[], Any]], title: str, *, port: int, secret: str, address: str = LOOPBACK, origins: tuple[str, ...] = (),
            show: bool = False, lifetime: int = CLOSED, location: bool = True, more: list[tuple] | None = None) -> Any:
    """A server of pages, not yet running: its sessions are signed, only its own pages may connect.

    Args:
        pages: by route. origins: further ``host:port`` under which the pages may be opened. location: whether pages follow the address bar.
        more: Tornado's own routes and handlers beside them.
    """
    made = pn.serve(pages, address=address, port=port, show=show, start=False, title=title, threaded=False, location=location,  # type: ignore[arg-type]
                    websocket_origin=hosts(port, origins), sign_sessions=True,
                    generate_session_ids=True, secret_key=secret, compress_response=True, verbose=False,
                    unused_session_lifetime_milliseconds=lifetime, check_unused_sessions_milliseconds=min(lifetime, 10_000),
                    websocket_max_message_size=LARGEST, extra_patterns=more or [])
    _at_once(made)
    # Tornado takes a websocket whose origin and host agree, whatever both are: a name that was pointed here would do
    made._tornado.default_router.rules.insert(0, Rule(_Elsewhere(made._tornado.websocket_origins), _Refused))  # private to Bokeh, pinned by a test
    return made


class _Elsewhere(Matcher):
    """Requests under a name that is not ours."""

    def __init__(self, hosts: set[str]):
        self.hosts = hosts

    def match(self, request: Any) -> dict | None:
        return None if check_allowlist(request.host.lower(), list(self.hosts)) else {}


class _Refused(RequestHandler):
    def prepare(self) -> None:
        self.set_status(403)
        self.finish(escape(say("ui.serve.host")))


def _at_once(made: Any) -> None:
    """Send small messages without waiting for more: Bokeh leaves that off, which costs some 40 ms a click."""
    http = made._http  # private to Bokeh, pinned by a test
    first = http.handle_stream

    def handle(stream: Any, address: Any) -> Any:
        stream.set_nodelay(True)
        return first(stream, address)

    http.handle_stream = handle


def run(made: Any) -> None:
    """Serve until stopped."""
    made.start()  # looks after closed pages too, which the loop alone does not
    made.io_loop.start()


def table_file(ruleset: str, folder: Path) -> Path:
    """Where a served table is kept."""
    return folder / f"table-{ruleset}.jsonl"


