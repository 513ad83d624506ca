"""Which games are games by people under a draft, and what does not count and why.

A game counts that was played to its end, under today's state of the draft, with a person at one seat at least. Of such a game
the scores and wins of those seats count at which only people decided; its length counts whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.core.draft import Draft
from workbench.playtest.state import PERSON


@dataclass(frozen=True)
class Game:
    """One game by people: its table, the seats where only people decided with (score, share of the win), decisions (None: not known)."""

    table: str
    seats: dict[str, tuple[float, float]]
    length: int | None


@dataclass(frozen=True)
class Counted:
    """What there was: games by people, and what did not count and why.

    Attributes:
        tables, persons, seats: tables, people (by name, else by number) and seats at which only people decided, of ``sat`` in all.
        cut: games by people that did not come to their end. older: games under another state of the draft. no_length: of unknown length.
    """

    games: tuple[Game, ...]
    tables: int
    persons: int
    seats: int
    sat: int
    cut: int
    older: int
    no_length: int


def counted(rows: Iterable[Mapping], draft: Draft) -> Counted:
    """The games by people under a draft, among the rows of :data:`workbench.playtest.export.GAMES` (also from paper)."""
    found: dict[tuple, list[Mapping]] = {}
    for r in rows:
        if f"{r['ruleset']}:{r['draft']}@{r['players']}" == draft.key:
            found.setdefault((r["table"], r["game"]), []).append(r)
    by_people = [g for g in found.values() if any(r["person"] is not None or r["kind"] == PERSON for r in g)]
    now = [g for g in by_people if all(r["digest"] == draft.digest for r in g)]
    over = [g for g in now if all(r["over"] for r in g)]
    persons = {str(r["person"]).strip().casefold() if r["person"] is not None else (r["table"], r["seat"])
               for g in over for r in g if r["person"] is not None or r["kind"] == PERSON}
    games = []
    for g in over:
        winners = sum(bool(r["won"]) for r in g)
        seats = {r["seat"]: (float(r["score"]), bool(r["won"]) / max(winners, 1)) for r in g if r["kind"] == PERSON and r["score"] is not None}
        games.append(Game(str(g[0]["table"]), seats, g[0]["steps"]))
    return Counted(tuple(games), len({g.table for g in games}), len(persons), sum(len(g.seats) for g in games), sum(map(len, over)),
                   len(now) - len(over), len(by_people) - len(now), sum(g.length is None for g in games))
