"""All tables of one database: opened when they are first asked for, made within limits, entered by a link's key."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from threading import RLock

from workbench.core.draft import Draft
from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.core.moves import MAX_LUCK
from workbench.playtest.store import TITLE, Store, StoreError
from workbench.playtest.table import PlayTable, head_of
from workbench.playtest.texts import LONGEST_TITLE, clean
from workbench.playtest.wishes import wish
from workbench.ui.listeners import Listeners
from workbench.ui.view import DESIGNER, SPECTATOR

MOST_TABLES = 500


class Lobby:
    """The tables of a server."""

    def __init__(self, store: Store, *, most: int = MOST_TABLES):
        self.store, self.most, self.lock = store, most, RLock()
        self.tables: dict[str, PlayTable] = {}
        self.faults: dict[str, str] = {}
        """Tables that cannot be opened any more, with the reason: their rules were changed."""
        self.keys: dict[tuple[str, str], str] = {}
        """Keys made by this process, so that the designer can copy the links again; nowhere else."""
        self._listeners = Listeners()
        for id, _, head in store.tables():
            self._open(id, head)

    def listen(self, f: Callable[[], None]) -> Callable[[], None]:
        """Call ``f()`` when a table is made, or cannot be opened; returns what ends that."""
        return self._listeners.join(f)

    def _open(self, id: str, head: dict) -> None:
        with self.lock:  # whoever comes second finds the table, not another one of the same name
            if id in self.tables:
                return
            try:
                self.tables[id] = PlayTable(self.store, id, head)
                self.faults.pop(id, None)
            except StoreError:
                raise
            except WorkbenchError as e:
                self.faults[id] = str(e)

    def _heads(self) -> dict[str, dict]:
        return {id: head for id, _, head in self.store.tables()}

    def create(self, draft: Draft, *, luck: int | None = None, lang: str = "en", title: str = "") -> PlayTable:
        """A new table with a link for each seat and one for spectators.

        Args:
            luck: its luck number; drawn when left out. title: the designer's own name for it.

        Raises:
            WorkbenchError: too many tables, a draft that cannot be stored, or a database that refuses.
        """
        with self.lock:
            if len(self.tables) + len(self.faults) >= self.most:
                raise WorkbenchError(say("playtest.lobby.most", lang, n=self.most))
            draft.fresh  # noqa: B018 - a draft that cannot be played says so here
            luck = secrets.randbelow(MAX_LUCK) if luck is None else luck
            if not 0 <= luck <= MAX_LUCK:
                raise WorkbenchError(say("playtest.lobby.luck", lang, n=MAX_LUCK))
            id, head = secrets.token_hex(6), head_of(draft, luck, lang)
            words = clean(title, LONGEST_TITLE)
            self.store.create(id, head, [wish(TITLE, DESIGNER, {"text": words})] if words else [])
            table = self.tables[id] = PlayTable(self.store, id, head)
            for seat in (*draft.seat_names, SPECTATOR):
                self.new_link(table, seat)
        self._listeners.tell()
        return table

    def new_link(self, table: PlayTable, seat: str) -> str:
        """A new key to a seat; the one before no longer works."""
        key = self.keys[table.id, seat] = table.new_link(seat)
        return key

    def revoke(self, table: PlayTable, seat: str) -> None:
        """No link to the seat works any more."""
        self.keys.pop((table.id, seat), None)
        table.revoke(seat)

    def enter(self, table: str, key: str) -> tuple[PlayTable, str] | None:
        """The table and the seat that a link opens; None when it opens nothing (any more)."""
        seat = self.store.seat_of(table, key)
        if seat is not None and table not in self.tables and table not in self.faults:
            self._open(table, self._heads()[table])
            self._listeners.tell()
        return None if seat is None or table not in self.tables else (self.tables[table], seat)

    def catch_up(self) -> None:
        """Take in what other processes on the same database have written; called now and then."""
        heads: dict[str, dict] = {}
        for id, version in self.store.versions().items():
            if id not in self.tables and id not in self.faults:
                heads = heads or self._heads()
                self._open(id, heads[id])
            elif id in self.tables and version > self.tables[id].state.version:
                self.tables[id].catch_up()
        if heads:
            self._listeners.tell()
