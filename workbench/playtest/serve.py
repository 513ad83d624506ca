"""Serves playtests: signed sessions, only its own pages may connect, the secret kept in the data folder."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import panel as pn

from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.ruleset import Ruleset
from workbench.playtest.designerpage import DesignerPage, LobbyPage
from workbench.playtest.form import questions
from workbench.playtest.gamepage import GamePage
from workbench.playtest.lobby import Lobby
from workbench.playtest.page import Page, complain, guarded
from workbench.playtest.seatpage import SeatPage
from workbench.playtest.store import StoreError
from workbench.ui.serve import CLOSED, LOOPBACK, serving

LOOK, OTHERS = 0.1, 0.5
"""Seconds between two looks for bots that are asked, and for what other processes have written."""
FAILED = 5
"""Seconds until a bot that broke off is asked again."""
LINK = re.compile(r"/(t/[0-9a-f]+|d)/[^\s?\"']+")


def secret(folder: Path) -> str:
    """The server's secret, made on the first start; only its owner can read it.

    Raises:
        WorkbenchError: others may read it, so it is no secret any more.
    """
    file = folder / "secret.key"
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise WorkbenchError(say("playtest.serve.secret", path=file))
    text = file.read_text("ascii").strip()
    if len(text) < 40:
        raise WorkbenchError(say("playtest.serve.secret", path=file))
    return text


def designer_key(key: str) -> str:
    """The key of the designer's link: follows from the secret, so that it stays the same and is stored nowhere."""
    return hmac.new(key.encode(), b"designer's link", hashlib.sha256).hexdigest()[:40]


def veil_logs() -> None:
    """From now on no line of a log of this process holds a link."""
    before = logging.getLogRecordFactory()

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = before(*args, **kwargs)
        made.msg, made.args = LINK.sub(r"/\1/…", made.getMessage()), ()
        return made

    logging.setLogRecordFactory(record)


class Pump:
    """Lets bots decide, each table for itself, and looks what other processes have written."""

    def __init__(self, lobby: Lobby):
        self.lobby, self.busy = lobby, set()
        self.pool = ThreadPoolExecutor(4, thread_name_prefix="bots")
        self.stopped = False

    async def run(self) -> None:
        """Until stopped."""
        waited, said = 0.0, ""
        while not self.stopped:
            for id, table in list(self.lobby.tables.items()):
                if id not in self.busy and table.bot_due():
                    self.busy.add(id)
                    asyncio.get_running_loop().run_in_executor(self.pool, self._bots, id)
            await asyncio.sleep(LOOK)
            waited += LOOK
            if waited >= OTHERS:
                waited = 0.0
                try:
                    await asyncio.to_thread(self.lobby.catch_up)
                    said = ""
                except StoreError as e:  # said once: it comes back with every look until the database is there again
                    if str(e) != said:
                        said = str(e)
                        print(said, file=sys.stderr, flush=True)
                except Exception as e:  # noqa: BLE001 - this must go on whatever happens at one table
                    complain(e)

    def _bots(self, id: str) -> None:
        try:
            self.lobby.tables[id].bot_move()
        except Exception as e:  # noqa: BLE001 - as above
            complain(e)
            time.sleep(FAILED)
        finally:
            self.busy.discard(id)


def server(lobby: Lobby, rules: Ruleset, folder: Path, *, port: int = 5006, address: str = LOOPBACK, origins: tuple[str, ...] = (),
           lifetime: int = CLOSED) -> Any:
    """The server of all tables of a lobby, not yet running.

    Args:
        folder: holds the secret and the designer's own ``form.toml``. address: where to listen; loopback unless told otherwise.
        origins: further ``host:port`` under which the pages may be opened. lifetime: milliseconds that a closed page is kept.

    Raises:
        WorkbenchError: the secret can be read by others, or the form cannot be used.
    """
    key, form = secret(folder), questions(folder)
    designer = designer_key(key)
    pn.extension(inline=False, reconnect=True)

    def seat(route: dict[str, str]) -> Page | None:
        found = lobby.enter(route.get("table", ""), route.get("key", ""))
        return None if found is None else SeatPage(lobby, found[0], found[1], route["key"], form)

    def by_key(make: Callable[[dict[str, str]], Page | None]) -> Callable[[], Any]:
        return guarded(lambda route: make(route) if hmac.compare_digest(route.get("key", "").encode(), designer.encode()) else None)

    def table_page(route: dict[str, str]) -> Page | None:
        table = lobby.tables.get(route.get("table", ""))
        host = str((pn.state.headers or {}).get("Host", f"localhost:{port}"))
        return None if table is None else DesignerPage(lobby, table, designer, f"http://{host}")

    def game_page(route: dict[str, str]) -> Page | None:
        table = lobby.tables.get(route.get("table", ""))
        game = None if table is None else next((g for g in table.state.games if str(g.number) == route.get("game")), None)
        return None if table is None or game is None else GamePage(table, game)

    pages = {"/": guarded(lambda route: None), "/t/{table}/{key}": guarded(seat), "/d/{key}": by_key(lambda route: LobbyPage(lobby, rules, designer)),
             "/d/{key}/{table}": by_key(table_page), "/d/{key}/{table}/{game}": by_key(game_page)}
    made = serving(pages, say("ui.table.table"), port=port, secret=key, address=address, origins=origins, lifetime=lifetime, location=False)
    pump = made.workbench_pump = Pump(lobby)
    made.workbench_path = f"/d/{designer}"
    made.io_loop.add_callback(pump.run)
    return made
