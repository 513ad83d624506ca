"""Serves playtests: signed sessions, only its own pages may connect, the secret kept in the data folder."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import os
import re
import secrets
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import panel as pn

from workbench.core.errors import WorkbenchError
from workbench.core.language import language, say
from workbench.core.ruleset import Ruleset
from workbench.playtest.designerpage import DesignerPage, LobbyPage
from workbench.playtest.form import questions
from workbench.playtest.gamepage import GamePage, shown
from workbench.playtest.lobby import Lobby
from workbench.playtest.page import Page, complain
from workbench.playtest.seatpage import SeatPage
from workbench.playtest.store import StoreError
from workbench.playtest.web import Site
from workbench.ui.serve import LOOPBACK, hosts, run, serving

LOOK, OTHERS = 0.1, 0.5
"""Seconds between two looks for bots that are asked, and for what other processes have written."""
SWITCH = 0.0005
"""Seconds that a bot may compute before whoever clicked gets the interpreter: Python's own 0.005 add up at many tables."""
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


def addresses(address: str) -> list[str]:
    """The addresses under which others reach a server that listens there; for "0.0.0.0" this machine's own in its network."""
    if address != "0.0.0.0":
        return [address]
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # sends nothing: only asks which way it would go
            found.append(s.getsockname()[0])
        except OSError:
            pass  # no network
    try:
        found += [x[4][0] for x in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        pass  # the name of this machine is known to nobody
    return [str(x) for x in dict.fromkeys(found) if not str(x).startswith("127.")]


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


class Served:
    """The server of all tables of a lobby."""

    def __init__(self, lobby: Lobby, rules: Ruleset, folder: Path, *, port: int = 5006, address: str = LOOPBACK, origins: tuple[str, ...] = ()):
        """Listen, not yet running.

        Args:
            folder: holds the secret and the designer's own ``form.toml``. address: where to listen; loopback unless told otherwise.
            origins: further ``host:port`` under which the pages may be opened; links that are handed out name the first.

        Raises:
            WorkbenchError: the secret is no secret, or the form is wrong. OSError: the port is taken.
        """
        key = secret(folder)
        self.lobby, self.rules, self.form, self.designer = lobby, rules, questions(folder), designer_key(key)
        self.path, self.outside = f"/d/{self.designer}", next(iter(origins), "")
        site = Site(self.find, frozenset(x.lower() for x in hosts(port, origins)), key, say("ui.table.table"))
        pn.extension("vega", inline=False, reconnect=True)
        # the bench on which a game is stepped through is Panel's; everything else is the site's
        self.server = serving({"/d/{key}/{table}/{game}": self.bench}, site.title, port=port, secret=key, address=address, origins=origins,
                              location=False, more=site.handlers())
        self.pump = Pump(lobby)

    def find(self, path: str, origin: str) -> tuple[str, Callable[[], Page]] | None:
        """What a path opens: a seat, the lobby, or one of the designer's tables."""
        kind, first, second = (*path.strip("/").split("/"), "", "")[:3]
        if kind == "t":
            found = self.lobby.enter(first, second)
            return None if found is None else (found[0].lang, lambda: SeatPage(self.lobby, *found, second, self.form))
        if kind != "d" or not self.by_key(first):
            return None
        if not second:
            return language(), lambda: LobbyPage(self.lobby, self.rules, self.designer)
        table = self.lobby.tables.get(second)
        return None if table is None else (language(), lambda: DesignerPage(self.lobby, table, self.designer, self.base(origin)))

    def base(self, origin: str) -> str:
        """What links begin with: where the designer is, unless only this machine could open that."""
        here = urlsplit(origin).hostname in (LOOPBACK, "localhost")
        return f"http://{self.outside}" if here and self.outside else origin

    def bench(self) -> Any:
        """The page that steps through a game."""
        def made() -> GamePage | None:
            route = dict(pn.state.route_params or {})
            table = self.lobby.tables.get(route.get("table", "")) if self.by_key(route.get("key", "")) else None
            game = None if table is None else next((g for g in table.state.games if str(g.number) == route.get("game")), None)
            return None if table is None or game is None else GamePage(table, game)
        return shown(made)

    def by_key(self, key: str) -> bool:
        """Whether this is the designer's key."""
        return hmac.compare_digest(key.encode(), self.designer.encode())

    def run(self) -> None:
        """Serve until stopped."""
        sys.setswitchinterval(SWITCH)
        self.server.io_loop.add_callback(self.pump.run)
        run(self.server)

    def stop(self) -> None:
        """End it; from the thread that runs it."""
        self.pump.stopped = True
        self.server.stop()
        self.server.io_loop.stop()
