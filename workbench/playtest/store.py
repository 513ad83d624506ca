"""Where playtests are kept: an append-only log a table, in SQLite or any database that SQLAlchemy knows by URL.

Every move is written here before anybody sees it. Two who write the same version of a table at once, also from two
processes, are told apart by the database: one has written, the other gets :class:`Conflict` and looks again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, Row, create_engine, event, func, insert, inspect, select, update
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from workbench.core.errors import WorkbenchError
from workbench.core.language import say
from workbench.playtest.schema import EVENTS, LINKS, MIGRATIONS, PEOPLE, TABLES, VERSION
from workbench.playtest.wishes import Wish

PAPER, TITLE = "paper", "title"
"""Events whose text is the designer's, so that it may speak of anybody."""
WAIT = 2_000
"""Milliseconds to wait for another writer; whoever plays at another table waits with it."""


class StoreError(WorkbenchError):
    """The database cannot be used now; nothing that was confirmed is lost."""


class Conflict(WorkbenchError):
    """Somebody else has written this version of the table."""


@dataclass(frozen=True)
class Event:
    """One line of a table's log."""

    version: int
    seat: str
    what: str
    data: dict
    person: int | None
    time: float


def hashed(key: str) -> str:
    """What is kept of a link's key."""
    return hashlib.sha256(key.encode()).hexdigest()


def file_url(path: Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite:///{path}"


class Store:
    """A database of playtests."""

    def __init__(self, url: str, *, wait: int = WAIT):
        """Open a database, make its tables, or bring them up to date.

        Args:
            url: as SQLAlchemy writes it. wait: milliseconds to wait for another writer (SQLite).

        Raises:
            StoreError: says what is wrong with it.
        """
        try:
            self.engine: Engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as e:
            raise StoreError(say("playtest.store.url", why=e)) from None
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", lambda raw, _: _pragmas(raw, wait))
        self._migrate()

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    # ------------------------------------------------------------ opening

    def _migrate(self) -> None:
        try:
            with self._begin() as c:
                if not inspect(c).has_table(VERSION.name):
                    VERSION.create(c, checkfirst=True)
                at = c.execute(select(func.max(VERSION.c.version))).scalar() or 0
                if at > len(MIGRATIONS):
                    raise StoreError(say("playtest.store.newer", met=at, known=len(MIGRATIONS)))
                for n, step in enumerate(MIGRATIONS[at:], at + 1):
                    step(c)
                    c.execute(insert(VERSION).values(version=n))
        except Conflict as e:
            raise StoreError(str(e)) from None

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with self.engine.begin() as c:
                yield c
        except IntegrityError:
            raise Conflict(say("playtest.store.conflict")) from None
        except (SQLAlchemyError, OSError) as e:
            raise StoreError(_why(e)) from None

    # ------------------------------------------------------------ tables and their logs

    def create(self, id: str, head: dict, log: Iterable[Wish] = ()) -> None:
        """A new table, with the first events of its log: all of it or nothing."""
        with self._begin() as c:
            c.execute(insert(TABLES).values(id=id, made=time.time(), head=json.dumps(head, ensure_ascii=False)))
            for version, (what, seat, data, person, name) in enumerate(log, 1):
                _write(c, id, version, seat, what, data, person, name)

    def tables(self) -> list[tuple[str, float, dict]]:
        """Every table, oldest first: id, when it was made, and its head."""
        with self._begin() as c:
            return [(r.id, r.made, json.loads(r.head)) for r in c.execute(select(TABLES).order_by(TABLES.c.made, TABLES.c.id))]

    def append(self, table: str, version: int, seat: str, what: str, data: dict | None = None, *, person: int | None = None,
               name: str | None = None) -> Event:
        """Write one event as this version of the table.

        Args:
            name: also a new person of this name, at this seat; the event is theirs.

        Raises:
            Conflict: this version has been written by somebody else. StoreError: the database refuses; nothing is written.
        """
        with self._begin() as c:
            return _write(c, table, version, seat, what, data or {}, person, name)

    def events(self, table: str, after: int = 0) -> list[Event]:
        """A table's log, from behind a version on."""
        with self._begin() as c:
            rows = c.execute(select(EVENTS).where(EVENTS.c.table_id == table, EVENTS.c.version > after).order_by(EVENTS.c.version))
            return [Event(r.version, r.seat, r.what, json.loads(r.data), r.person, r.time) for r in rows]

    def versions(self) -> dict[str, int]:
        """How far each table's log goes."""
        last = select(func.max(EVENTS.c.version)).where(EVENTS.c.table_id == TABLES.c.id).scalar_subquery()  # by the key: no log is read through
        with self._begin() as c:
            return {r[0]: r[1] or 0 for r in c.execute(select(TABLES.c.id, last))}

    # ------------------------------------------------------------ links and people

    def link(self, table: str, seat: str, key: str) -> None:
        """A new link to a seat; older ones no longer work."""
        now = time.time()
        with self._begin() as c:
            c.execute(update(LINKS).where(LINKS.c.table_id == table, LINKS.c.seat == seat, LINKS.c.revoked.is_(None)).values(revoked=now))
            c.execute(insert(LINKS).values(hash=hashed(key), table_id=table, seat=seat, made=now))

    def revoke(self, table: str, seat: str) -> None:
        """No link to the seat works any more."""
        with self._begin() as c:
            c.execute(update(LINKS).where(LINKS.c.table_id == table, LINKS.c.seat == seat, LINKS.c.revoked.is_(None))
                      .values(revoked=time.time()))

    def seat_of(self, table: str, key: str) -> str | None:
        """The seat that a link's key opens; None when it opens none (any more)."""
        with self._begin() as c:
            return c.execute(select(LINKS.c.seat).where(LINKS.c.hash == hashed(key), LINKS.c.table_id == table,
                                                        LINKS.c.revoked.is_(None))).scalar()

    def people(self, table: str) -> dict[int, str]:
        """Names by person."""
        with self._begin() as c:
            return {r.id: r.name for r in c.execute(select(PEOPLE).where(PEOPLE.c.table_id == table))}

    def erase_person(self, name: str) -> int:
        """Erase a name and everything its people have written (their moves stay, without a name); how many people.

        A name counts whatever the case of its letters and the spaces around it. What the designer wrote goes too: notes of
        paper games at which they sat, and every note and table's name in which the name stands.
        """
        wanted = name.strip().casefold()
        stands = re.compile(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])")  # "Al" is not in "also"; kana and kanji know no words' ends
        with self._begin() as c:
            mine = {r.id: r.table_id for r in c.execute(select(PEOPLE)) if r.name.strip().casefold() == wanted and r.name}
            for person in mine:
                c.execute(update(PEOPLE).where(PEOPLE.c.id == person).values(name=""))
                for r in c.execute(select(EVENTS).where(EVENTS.c.person == person)).all():
                    _blank(c, r)
            for r in c.execute(select(EVENTS).where(EVENTS.c.what.in_((PAPER, TITLE)))).all() if wanted else ():
                if r.what == PAPER and r.table_id in mine.values() or stands.search(json.loads(r.data)["text"].casefold()):
                    _blank(c, r)
        return len(mine)

    def backup(self, path: Path) -> None:
        """Write a whole copy into a new SQLite file while others go on writing.

        Raises:
            StoreError: the file is there already, or the database is not SQLite (it has tools of its own).
        """
        if self.engine.dialect.name != "sqlite":
            raise StoreError(say("playtest.store.backup_sqlite", met=self.engine.dialect.name))
        if path.exists():
            raise StoreError(say("playtest.store.backup_there", path=path))
        part = path.with_name(f".{path.name}.part")
        try:
            with self.engine.connect() as c:
                to = sqlite3.connect(part)
                c.connection.driver_connection.backup(to)  # type: ignore[union-attr]
                to.close()
            part.chmod(0o600)
            part.rename(path)
        except (SQLAlchemyError, sqlite3.Error) as e:
            raise StoreError(_why(e)) from None
        finally:
            part.unlink(missing_ok=True)


def _write(c: Connection, table: str, version: int, seat: str, what: str, data: dict, person: int | None, name: str | None) -> Event:
    now = time.time()
    if name is not None:
        person = c.execute(insert(PEOPLE).values(table_id=table, seat=seat, name=name)).inserted_primary_key[0]
    c.execute(insert(EVENTS).values(table_id=table, version=version, seat=seat, what=what, person=person, time=now,
                                    data=json.dumps(data, ensure_ascii=False)))
    return Event(version, seat, what, data, person, now)


def _blank(c: Connection, row: Row) -> None:
    """The event stays, what somebody wrote in it goes."""
    data = json.loads(row.data)
    if data.get("text"):
        c.execute(update(EVENTS).where(EVENTS.c.table_id == row.table_id, EVENTS.c.version == row.version)
                  .values(data=json.dumps({**data, "text": ""}, ensure_ascii=False)))


def _pragmas(raw, wait: int) -> None:
    c = raw.cursor()
    c.execute(f"PRAGMA busy_timeout={wait}")
    c.execute("PRAGMA foreign_keys=ON")
    c.execute("PRAGMA synchronous=FULL")
    c.execute("PRAGMA secure_delete=ON")  # what is erased is overwritten, not only unlinked
    try:
        c.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError:
        pass  # a database that may only be read: what is written to it says so
    c.close()


def _why(e: Exception) -> str:
    text = str(e.orig if isinstance(e, DBAPIError) and e.orig is not None else e)
    for words, key in (("locked", "locked"), ("readonly", "readonly"), ("read-only", "readonly"), ("full", "full"), ("malformed", "damaged"),
                       ("not a database", "damaged")):
        if words in text:
            return say(f"playtest.store.{key}")
    return say("playtest.store.gone", why=text.splitlines()[0] if text else type(e).__name__)
