"""Runs many games of a draft in either engine and returns what happened as record arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from workbench.core.draft import Draft
from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import say
from workbench.core.position import Position

ENGINES = ("compiled", "plain")
CAP = 20_000
"""Decisions after which a game is stopped, unless told otherwise."""


@dataclass(frozen=True)
class Batch:
    """Games played: ``states`` (final, one record a game), ``info`` (see ``Draft.info_dtype``), and kept rows with ``row_info``."""

    states: np.ndarray
    info: np.ndarray
    rows: np.ndarray
    row_info: np.ndarray


def seated_bots(draft: Draft, bots: str | Sequence[str]) -> tuple[str, ...]:
    """A bot's name for each seat.

    Raises:
        UnknownName: no such bot; lists them. RulesetError: another number of bots than seats.
    """
    names = (bots,) * draft.players if isinstance(bots, str) else tuple(bots)
    known = ["random", *draft.ruleset.bots]
    for n in names:
        if n not in known:
            raise UnknownName("bot", n, known)
    if len(names) != draft.players:
        raise RulesetError(say("bots", n=draft.players, met=", ".join(names)))
    return names


def run(draft: Draft, *, games: int, seed: int = 1, first: int = 0, bots: str | Sequence[str] = "random",
        turns: int | None = None, cap: int = CAP, kinds: Sequence[str] = (), engine: str = "compiled",
        start: Sequence[Position] = (), cached: bool = True) -> Batch:
    """Play games ``first`` … ``first + games - 1`` of a study.

    Args:
        seed: the study's luck number. turns: seat turns a deal (the number of players when left out).
        bots: one name, or one a seat. cap: decisions after which a game is stopped.
        kinds: kinds of move before which a row is kept. start: one position a game to play on from.
        engine: "compiled", or "plain" (slower; runs rules that cannot be compiled).

    Raises:
        NotCompilable: names the rule, line and construct. RulesetError: a position without a legal move.
    """
    names = seated_bots(draft, bots)
    draft.fresh  # noqa: B018 - a draft that cannot be played says so here
    turns = draft.players if turns is None else turns
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    room = 8 * games if kinds else 0
    while True:
        batch, kept = (_compiled if engine == "compiled" else _plain)(
            draft, games, seed, first, names, turns, cap, kinds, start, room, cached)
        if kept <= room:
            break
        room = kept
    stuck = np.flatnonzero(batch.info["ended"] == 2)
    if len(stuck):
        raise RulesetError(say("stuck", draft=draft.key, game=first + int(stuck[0]), seed=seed))
    return Batch(batch.states, batch.info, batch.rows[:kept], batch.row_info[:kept])


def _kind_flags(draft: Draft, kinds: Sequence[str]) -> list[int]:
    for k in kinds:
        if k not in draft.ruleset.moves.kinds:
            raise UnknownName("move", k, draft.ruleset.moves.kinds)
    return [int(n in kinds) for n in draft.ruleset.moves.kinds]


def _compiled(draft: Draft, games: int, seed: int, first: int, names: tuple[str, ...], turns: int, cap: int,
              kinds: Sequence[str], start: Sequence[Position], room: int, cached: bool) -> tuple[Batch, int]:
    used = tuple(sorted({n for n in names if n != "random"}))
    engine = draft.compiled(used, cached=cached)
    blank = draft.ruleset.schema.blank_record(draft.players)
    batch = Batch(np.repeat(blank, games), np.zeros(games, draft.info_dtype),
                  np.repeat(blank, room), np.zeros(room, draft.row_dtype))
    w = np.zeros(1, draft.workspace_dtype)
    w["bots"][0, : draft.players] = [used.index(n) + 1 if n != "random" else 0 for n in names]
    w["kinds"][0] = _kind_flags(draft, kinds)
    started = np.frombuffer(bytearray().join(p.data for p in start), blank.dtype) if start else blank[:0].copy()
    kept = engine.run_games(draft.record[0], w[0], started, seed, first, games, turns, cap, batch.states,
                            np.repeat(blank, 1), batch.info, batch.rows, batch.row_info)
    return batch, kept


def _plain(draft: Draft, games: int, seed: int, first: int, names: tuple[str, ...], turns: int, cap: int,
           kinds: Sequence[str], start: Sequence[Position], room: int, cached: bool) -> tuple[Batch, int]:
    schema, engine = draft.ruleset.schema, draft.plain
    order = ["random", *draft.ruleset.bots]
    states = [schema.blank(draft.players) for _ in range(games)]
    rows = [schema.blank(draft.players) for _ in range(room)]
    n = schema.max_players
    info = [SimpleNamespace(decisions=0, chances=0, ended=0, score=[0] * n, won=[0] * n) for _ in range(games)]
    row_info = [SimpleNamespace(game=0, seat=0, move=0, options=0) for _ in rows]
    w = draft.workspace([order.index(x) for x in names], _kind_flags(draft, kinds))
    kept = engine.run_games(draft.p, w, [p.state for p in start], seed, first, games, turns, cap, states,
                            [schema.blank(draft.players)], info, rows, row_info)
    engine.cite.take()
    batch = Batch(_frozen(schema, states), _records(info, draft.info_dtype), _frozen(schema, rows),
                  _records(row_info, draft.row_dtype))
    return batch, kept


def _frozen(schema, states: list) -> np.ndarray:
    return np.frombuffer(b"".join(schema.freeze(s) for s in states), schema.dtype)


def _records(items: list, dtype: np.dtype) -> np.ndarray:
    found = np.zeros(len(items), dtype)
    for i, x in enumerate(items):
        for name in dtype.names or ():
            found[name][i] = getattr(x, name)
    return found
