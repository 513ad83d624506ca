"""The tables of the database, and the migrations that lead an older one to them."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Column, Connection, Float, ForeignKey, Integer, MetaData, String, Table, Text

META = MetaData()

VERSION = Table("schema_version", META, Column("version", Integer, nullable=False))

TABLES = Table(
    "tables", META,
    Column("id", String(32), primary_key=True),
    Column("made", Float, nullable=False),
    Column("head", Text, nullable=False),
)
"""A table and what never changes about it: ruleset, draft, players, luck, language."""

LINKS = Table(
    "links", META,
    Column("hash", String(64), primary_key=True),
    Column("table_id", String(32), ForeignKey("tables.id"), nullable=False),
    Column("seat", String(40), nullable=False),
    Column("made", Float, nullable=False),
    Column("revoked", Float),
)
"""A link's key is not kept, only its hash."""

PEOPLE = Table(
    "people", META,
    Column("id", Integer, primary_key=True),
    Column("table_id", String(32), ForeignKey("tables.id"), nullable=False),
    Column("seat", String(40), nullable=False),
    Column("name", Text, nullable=False),
)
"""Names stand here and nowhere else, so that one can be erased and the game stays."""

EVENTS = Table(
    "events", META,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("seat", String(40), nullable=False),
    Column("what", String(20), nullable=False),
    Column("data", Text, nullable=False),
    Column("person", Integer, ForeignKey("people.id")),
    Column("time", Float, nullable=False),
)
"""The log: a table is its log replayed. The key decides between two who write the same version."""


def _first(c: Connection) -> None:
    META.create_all(c, tables=[TABLES, LINKS, PEOPLE, EVENTS])


def _links_by_table(c: Connection) -> None:
    c.exec_driver_sql("CREATE INDEX IF NOT EXISTS links_by_table ON links (table_id, seat)")


MIGRATIONS: list[Callable[[Connection], None]] = [_first, _links_by_table]
"""Each leads from one version to the next; only ever append."""
