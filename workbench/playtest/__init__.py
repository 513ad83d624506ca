"""Playtests: tables served to people in their own browsers, each seat seeing only what it may know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.playtest.store import Store

FILE = "playtests.sqlite"
"""The database in a data folder."""


def usual_folder() -> Path:
    """The data folder when none is named."""
    from workbench.ui.autosave import save_folder

    return save_folder() / "playtests"


def open_store(where: Path | str) -> Store:
    """The database in a SQLite file (made when it is missing, for its owner only), or behind a URL of SQLAlchemy.

    Raises:
        WorkbenchError: SQLAlchemy is not installed, or the database refuses.
    """
    from importlib.util import find_spec

    from workbench.core.errors import WorkbenchError
    from workbench.core.language import say

    if find_spec("sqlalchemy") is None:
        raise WorkbenchError(say("cli.extra_install", module="sqlalchemy", extra="playtest"))
    from workbench.playtest.store import Store, file_url

    if isinstance(where, str):
        return Store(where)
    if not where.exists():
        where.touch(mode=0o600)  # the other files that SQLite makes take its rights
    return Store(file_url(where.resolve()))
