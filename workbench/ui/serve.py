"""Serves the bench on this machine: one table, kept in a file, the same in every tab and after a restart."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import panel as pn

from workbench.core.language import say
from workbench.ui.app import page
from workbench.ui.autosave import Autosave
from workbench.ui.session import Session

LOOPBACK = "127.0.0.1"
CLOSED = 15_000
"""Milliseconds that a closed page is kept: one that comes back loads itself anew and needs it no more."""
LARGEST = 1_000_000
"""Most bytes that one message of a browser may have."""


def server(session: Session, path: Path, *, port: int = 5006, show: bool = False, start: bool = True, lifetime: int = CLOSED) -> Any:
    """The server of one table: only on loopback, sessions signed, only its own pages may connect.

    Args:
        path: where the table is kept. start: serve at once, until stopped. lifetime: milliseconds that a closed page is kept.
    """
    pn.extension("vega", inline=False, reconnect=True)
    kept = Autosave(session, path)
    title = f"{say('ui.table.table')} · {session.draft.ruleset.name}"

    def table() -> Any:
        return page(session, kept)

    made = pn.serve({"/": table}, address=LOOPBACK, port=port, show=show, start=start, title=title, threaded=False,
                    websocket_origin=[f"{h}:{port}" for h in (LOOPBACK, "localhost")], sign_sessions=True, generate_session_ids=True,
                    secret_key=secrets.token_urlsafe(32), compress_response=True, verbose=False,
                    unused_session_lifetime_milliseconds=lifetime, check_unused_sessions_milliseconds=min(lifetime, 10_000),
                    websocket_max_message_size=LARGEST)
    made.workbench_autosave = kept
    return made


def table_file(ruleset: str, folder: Path) -> Path:
    """Where a served table is kept."""
    return folder / f"table-{ruleset}.jsonl"


