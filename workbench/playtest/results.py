"""What was played, in a notebook: the tables of a database of playtests as frames, and people beside simulations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.draft import Draft, draft_of_key
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import say
from workbench.playtest import FILE, open_store, usual_folder

if TYPE_CHECKING:
    import polars

    from workbench.playtest.beside import Beside
    from workbench.playtest.store import Store


class Playtests:
    """Everything that was played, as Polars frames: ``decisions``, ``marks``, ``answers``, ``games``.

    Attributes:
        faults: tables that cannot be opened any more, with the reason.
    """

    def __init__(self, store: Store, *, names: bool = False):
        from workbench.playtest.export import framed, rows, table_rows

        self.found, tables, self.faults = rows(store, names=names)
        # people are counted by name
        self._games = self.found["games"] if names else [r for t in tables for r in table_rows(t, names=True)["games"]]
        self._frames = framed(self.found)
        self._drafts = {t.state.draft.key: t.state.draft for t in tables}

    @property
    def decisions(self) -> polars.DataFrame:
        """A row a decision, with its thinking time."""
        return self._frames["decisions"]

    @property
    def marks(self) -> polars.DataFrame:
        """A row a mark."""
        return self._frames["marks"]

    @property
    def answers(self) -> polars.DataFrame:
        """A row an answer in the form."""
        return self._frames["answers"]

    @property
    def games(self) -> polars.DataFrame:
        """A row a seat of each game."""
        return self._frames["games"]

    @cached_property
    def drafts(self) -> dict[str, Draft]:
        """The drafts that people played, by their key (such as ``omerta:draft6@4``), the one with most games first."""
        played: dict[str, set] = {}
        for r in self._games:
            if r["person"] is not None:
                played.setdefault(f"{r['ruleset']}:{r['draft']}@{r['players']}", set()).add((r["table"], r["game"]))
        return {key: self._drafts.get(key) or draft_of_key(key) for key in sorted(played, key=lambda k: -len(played[k]))}

    def beside(self, draft: Draft | str | None = None, *, bot: str | None = None, games: int | None = None, luck: int = 1) -> Beside:
        """What people played under a draft beside a simulation of it.

        Args:
            draft: a draft, or the key of one of :attr:`drafts`; the one with most games when left out.
            bot: at every seat of the simulation; the ruleset's last one when left out. games, luck: of the simulation.

        Raises:
            UnknownName: people have not played such a draft; lists them.
        """
        from workbench.playtest.beside import GAMES, beside

        if not isinstance(draft, Draft):
            if draft not in self.drafts and (draft is not None or not self.drafts):
                raise UnknownName("draft", str(draft or ""), self.drafts)
            draft = self.drafts[draft if draft is not None else next(iter(self.drafts))]
        return beside(self._games, draft, bot=bot, games=GAMES if games is None else games, luck=luck)

    def _lines(self) -> Iterator[str]:
        over = len({(r["table"], r["game"]) for r in self._games if r["over"]})
        yield say("playtest.results.sentence", tables=len({r["table"] for r in self._games}), games=len({(r["table"], r["game"]) for r in self._games}),
                  over=over, decisions=self.decisions.height, marks=self.marks.height, answers=self.answers.height)
        yield from self.drafts
        yield from (f"{id}: {why}" for id, why in self.faults.items())

    def __repr__(self) -> str:
        first, *more = self._lines()
        return "\n".join([first, *(f"  {x}" for x in more)])

    def _repr_html_(self) -> str:
        first, *more = self._lines()
        return f"<p>{escape(first)}</p><ul>{''.join(f'<li>{escape(x)}</li>' for x in more)}</ul>"


def playtests(where: str | Path | None = None, *, names: bool = False) -> Playtests:
    """Open what was played at tables of ``workbench serve --playtest``, also while the server runs.

    Args:
        where: the data folder, its SQLite file, or the URL of another database; the usual folder when left out.
        names: people by name; else by number only.

    Raises:
        WorkbenchError: there is no such database, or SQLAlchemy is not installed.
    """
    store = _opened(where)
    try:
        return Playtests(store, names=names)
    finally:
        store.close()


def _opened(where: str | Path | None) -> Store:
    if isinstance(where, str) and "://" in where:
        return open_store(where)
    path = usual_folder() if where is None else Path(where).expanduser()
    path = path / FILE if path.is_dir() or not path.suffix else path
    if not path.is_file():
        raise WorkbenchError(say("playtest.results.no_file", path=path))
    return open_store(path)
