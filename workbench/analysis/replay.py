"""One game of a study, played again on the plain engine: the same luck, seats and bots, so the same moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.draft import Draft
from workbench.core.errors import RulesetError
from workbench.core.language import say
from workbench.core.loops import bot_stream, chance_luck
from workbench.core.position import Position
from workbench.core.vocabulary import CHANCE, OVER, mix

SETUP, CUT = -1, -2
"""In place of a move's code: the setup before all moves, and the cap that cut the game."""


@dataclass(frozen=True)
class Step:
    """One move: who made it (a seat's number or CHANCE), its code, how many moves were legal, what it cited."""

    who: int
    code: int
    options: int
    cited: tuple[tuple[int, int, int], ...]


def seated(bots: Sequence[str], turned: int) -> list[str]:
    """Which bot sits where when the seats are turned: the bot of P0 sits at seat ``turned``.

    >>> seated(["a", "b", "c"], 1)
    ['c', 'a', 'b']
    """
    return [bots[(seat - turned) % len(bots)] for seat in range(len(bots))]


def steps(draft: Draft, bots: Sequence[str], luck: int, turned: int, cap: int) -> Iterator[Step]:
    """Every move of a game, as :func:`workbench.core.loops.run_games` plays it; SETUP comes first, and last CUT where the cap cut it.

    Raises:
        RulesetError: a position without a legal move.
    """
    engine, p, schema = draft.plain, draft.p, draft.ruleset.schema
    order = ["random", *draft.ruleset.bots]
    at = [order.index(name) for name in seated(bots, turned)]
    s, view, w = schema.blank(draft.players), schema.blank(draft.players), draft.workspace()
    stream, decisions, chances = bot_stream(luck, turned), 0, 0
    engine.cite.take()
    engine.setup(p, s)
    yield Step(CHANCE, SETUP, 0, tuple(engine.cite.take()))
    while (who := engine.to_move(p, s)) != OVER:
        if who == CHANCE:
            n, code = 0, engine.chance(p, s, chance_luck(luck, chances), turned)
            chances += 1
        else:
            n = engine.legal(p, s, w)
            if n == 0:
                raise RulesetError(say("study.stuck", draft=draft.key, luck=luck, turned=turned))
            if decisions >= cap:
                yield Step(CHANCE, CUT, n, ())
                return
            code = engine.choose(at[who], p, s, view, who, w, n, mix(stream, decisions)) if n > 1 else w.found[0]
            decisions += 1
        engine.cite.take()
        engine.apply(p, s, code)
        yield Step(who, code, n, tuple(engine.cite.take()))


def game(draft: Draft, bots: Sequence[str], luck: int, turned: int, cap: int) -> Position:
    """The position at the end of a game, with its whole history."""
    position = draft.start(luck=luck, turned=turned)
    for step in steps(draft, bots, luck, turned, cap):
        if step.who != CHANCE:
            position = position.play(step.code)
    return position
