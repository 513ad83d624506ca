"""What there is to open: every ruleset with its drafts, as a table for people and a list for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from workbench.core.errors import WorkbenchError
from workbench.core.language import padded, pick, say, width
from workbench.core.ruleset import folders, read_toml


@dataclass(frozen=True)
class DraftLine:
    """One named draft: its name, title and reason, and whether ``load`` opens it when none is named."""

    name: str
    title: dict | str
    why: dict | str
    default: bool


@dataclass(frozen=True)
class Game:
    """One ruleset: name, title, what it is, for how many, where it lies, its drafts; ``fault``: why it cannot be read."""

    name: str
    title: dict | str
    about: dict | str
    players: tuple[int, int]
    folder: Path
    drafts: tuple[DraftLine, ...]
    fault: str = ""

    def to_dict(self, lang: str | None = None) -> dict:
        """Everything as plain JSON data."""
        return {"name": self.name, "title": pick(self.title, lang), "about": pick(self.about, lang), "players": list(self.players),
                "folder": str(self.folder), "fault": self.fault,
                "drafts": [{"name": d.name, "title": pick(d.title, lang), "why": pick(d.why, lang), "default": d.default}
                           for d in self.drafts]}


class Rulesets(tuple[Game, ...]):
    """The rulesets that ``load`` can open, in a table that prints and shows itself."""

    __slots__ = ()

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [g.name for g in self]

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        for g in self:
            count = say("cli.list.players", lo=g.players[0], hi=g.players[1]) if g.drafts else ""
            yield g.name, pick(g.title), g.fault or count + pick(g.about)
            for d in g.drafts:
                yield "", d.name, pick(d.title) + (say("cli.list.default") if d.default else "")

    def __repr__(self) -> str:
        rows = list(self._rows())
        if not rows:
            return say("cli.list.none")
        first, second = (max(width(r[i]) for r in rows) for i in (0, 1))
        return "\n".join(f"{padded(a, first)}  {padded(b, second)}  {c}".rstrip() for a, b, c in rows)

    def _repr_html_(self) -> str:
        cells = "".join("<tr>" + "".join(f"<td style='text-align:left'>{f'<b>{escape(x)}</b>' if a else escape(x)}</td>" for x in (a, b))
                        + f"<td style='text-align:left'>{escape(c)}</td></tr>" for a, b, c in self._rows())
        return f"<table>{cells}</table>" if cells else escape(say("cli.list.none"))


def rulesets() -> Rulesets:
    """Every game that can be opened, with its drafts, one line each.

    >>> "omerta" in rulesets().names
    True
    """
    return Rulesets(_game(name, folder) for name, folder in folders().items())


def _game(name: str, folder: Path) -> Game:
    try:
        game, doc = read_toml(folder / "game.toml"), read_toml(folder / "drafts.toml")
        drafts = tuple(DraftLine(n, d.get("title", n), d.get("why", ""), n == doc.get("default")) for n, d in doc["drafts"].items())
        players = game["players"]
        return Game(name, game.get("title", name), game.get("about", ""), (players["min"], players["max"]), folder, drafts)
    except (WorkbenchError, OSError) as e:
        return Game(name, name, "", (0, 0), folder, (), str(e))
    except (KeyError, TypeError, AttributeError) as e:
        return Game(name, name, "", (0, 0), folder, (), f"{folder}: {say('ruleset.needs', key=e)}")

