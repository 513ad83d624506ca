"""Random games for the checks to look at, and how a failure names the place it was met."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbench.core import notation
from workbench.core.draft import Draft
from workbench.core.errors import WorkbenchError
from workbench.core.kernel import Linked
from workbench.core.language import say
from workbench.core.loops import bot_stream, chance_luck, deal_luck
from workbench.core.moves import Kind
from workbench.core.position import Position
from workbench.core.schema import Row
from workbench.core.vocabulary import CHANCE, NONE, OVER, below, mix

CAP = 20_000
"""Decisions after which a game counts as endless."""
MOST = 5
"""Failures of one check and draft that are told; more of them say nothing new."""


class Wrong(Exception):
    """A failure met deep inside a walk; holds its sentence."""


@dataclass
class Sample:
    """What a check looks at: a draft, how many random games, and the seed that names them."""

    draft: Draft
    games: int = 10
    seed: int = 1

    def luck(self, game: int) -> int:
        """The luck number of a game."""
        return deal_luck(self.seed, game)

    @cached_property
    def played(self) -> list[Position]:
        """The last position of each game, played at random through positions, seats turned in turn.

        Raises:
            Wrong: the rules broke off.
        """
        return [_random_game(self.draft, self.luck(g), g % self.draft.players) for g in range(self.games)]

    def positions(self, per_game: int) -> Iterator[Position]:
        """Some positions of each game, spread over it: the last one always, the rest by luck."""
        for last in self.played:
            history = last.history
            picks = {below(mix(last.luck or 0, 7 + i), len(history)) for i in range(per_game - 1)} | {len(history) - 1}
            yield from (history[i] for i in sorted(picks))

    def where(self, position: Position) -> str:
        """The lines that bring a failure back."""
        return place(self.draft, position.luck, position.turned, str(position))

    def sound(self, position: Position) -> bool:
        """Whether the position keeps its schema; ``ends`` reports those that do not."""
        return not self.faults(position.state)

    def faults(self, s: object) -> list[tuple[str, str]]:
        """As ``Schema.faults``, after a quick look that nearly every sound state passes."""
        return [] if self._quick(s) else self.draft.ruleset.schema.faults(s, self.draft.fresh)

    @cached_property
    def _quick(self) -> Callable[[object], bool]:
        return _quick_look(self.draft)


def _quick_look(draft: Draft) -> Callable[[object], bool]:
    """Whether a state is surely sound: every value in range, and each piece, counted over all its places, once."""
    schema, limits, kinds = draft.ruleset.schema, [], list(draft.ruleset.pieces)
    for f in schema.fields.values():
        hi = (1 << len(f.pieces)) - 1 if f.sort == "many" else len(f.pieces) - 1 if f.sort == "one" \
            else schema.max_players - 1 if f.sort == "seat" else f.declared.hi  # type: ignore[arg-type]
        lo = f.declared.lo if f.sort == "number" else 0 if f.sort == "many" else NONE
        kind = kinds.index(f.pieces.kind) if f.declared.place and f.pieces else NONE
        limits.append((f.name, len(f.shape), lo, hi, kind, f.sort == "many"))
    if any(f.declared.pool for f in schema.fields.values()):
        return lambda s: False
    there = {k.kind: 0 for k in draft.ruleset.pieces.values()}
    for kind, places in schema.places(draft.fresh).items():
        there[kind] = sum(1 << i for i, p in enumerate(places) if p)
    wanted = [there[k] for k in kinds]

    def look(s: object) -> bool:
        found, n = [0] * len(kinds), [0] * len(kinds)
        for name, depth, lo, hi, kind, is_set in limits:
            values = [getattr(s, name)]
            for _ in range(depth):
                values = [v for row in values for v in row]
            if min(values) < lo or max(values) > hi:
                return False
            if kind != NONE:
                for v in values:
                    pieces = v if is_set else 0 if v == NONE else 1 << v
                    found[kind] |= pieces
                    n[kind] += pieces.bit_count()
        return found == wanted and n == [w.bit_count() for w in wanted]

    return look


def place(draft: Draft, luck: int | None, turned: int, line: str) -> str:
    """Draft, luck and position of a failure, as lines to copy."""
    return "\n  " + say("check.place", key=draft.key, luck=luck, turned=turned) + f"\n  {line}"


def _random_game(draft: Draft, luck: int, turned: int) -> Position:
    position = draft.start(luck=luck, turned=turned)
    stream = bot_stream(luck, turned)
    for k in range(CAP):
        try:
            if position.over or not position.legal:
                return position
            position = position.play(position.legal[below(mix(stream, k), len(position.legal))])
        except WorkbenchError as e:
            raise Wrong(f"{e}" + place(draft, luck, turned, str(position))) from e
        except Exception as e:
            raise Wrong(crash(e, draft.ruleset.folder) + place(draft, luck, turned, str(position))) from e
    return position


def told(check: Callable[[Sample], Iterator[str]], sample: Sample) -> list[str]:
    """The first few failures of a check; an error that stops it is one of them."""
    found: list[str] = []
    try:
        for sentence in check(sample):
            found.append(sentence)
            if len(found) == MOST:
                break
    except Wrong as e:
        found.append(str(e))
    except WorkbenchError as e:
        found.append(f"{e}\n  {sample.draft.key}")
    except Exception as e:
        found.append(f"{crash(e, sample.draft.ruleset.folder)}\n  {sample.draft.key}")
    return found


def crash(e: Exception, folder: Path) -> str:
    """An error inside a rule: what and, where it can be told, which line of the ruleset in ``folder``."""
    frames = [t for t in traceback.extract_tb(e.__traceback__) if str(folder) in t.filename]
    frames = frames or traceback.extract_tb(e.__traceback__)
    t = frames[-1]
    return say("check.crash", type=type(e).__name__, error=e, file=t.filename, line=t.lineno, function=t.name, source=t.line)


# ---------------------------------------------------------------- the plain engine with refusing rows


def checked_engine(draft: Draft) -> tuple[Linked, object]:
    """A plain engine of its own and parameters, in which every row refuses an index outside it."""
    engine = draft.vary().plain  # a draft apart, since the engine's own draft keeps its ordinary rows
    engine._namespace["new_row"] = lambda n: Row([0] * n)
    p = draft.ruleset.parameters.plain(draft.values)
    for name, value in vars(p).items():
        if isinstance(value, list):
            setattr(p, name, Row(value))
    return engine, p


def seated_codes(draft: Draft, kind: Kind) -> list[int]:
    """The moves of a kind that name only seats in the game."""
    of = draft.ruleset.moves.of
    return [c for c in range(kind.base, kind.base + kind.size)
            if all(a < draft.players for k, a in zip(kind.args, of(c)[1], strict=True) if k == "seat")]


@dataclass
class Walk:
    """One game on the plain engine, stepped by :meth:`steps`; ``checked``: its rows refuse a wrong index."""

    draft: Draft
    luck: int
    turned: int
    bot: int = 0
    checked: bool = True

    def __post_init__(self) -> None:
        d, schema = self.draft, self.draft.ruleset.schema
        self.engine, self.p = checked_engine(d) if self.checked else (d.plain, d.p)
        self.s, self.view = (schema.blank(d.players, checked=self.checked) for _ in range(2))
        self.w = d.workspace()
        self._codes: dict[str, list[int]] = {}
        if self.checked:
            self.w.found = Row(self.w.found)

    def codes(self, kind: Kind) -> list[int]:
        """The moves of a kind that name only seats in the game."""
        if kind.name not in self._codes:
            self._codes[kind.name] = seated_codes(self.draft, kind)
        return self._codes[kind.name]

    def line(self) -> str:
        """The position as a line, or as it is where no line can be written."""
        try:
            return notation.line(self.draft.ruleset.schema, self.s, self.draft.key)
        except Exception:
            return repr(self.s)

    def where(self) -> str:
        """The lines that bring a failure back."""
        return place(self.draft, self.luck, self.turned, self.line())

    def steps(self) -> Iterator[tuple[int, list[int]]]:
        """At each position: who is to move, and the legal moves; ends with OVER.

        Raises:
            Wrong: the rules broke off, no move is legal, or the game does not end.
        """
        try:
            yield from self._steps()
        except (Wrong, GeneratorExit):
            raise
        except Exception as e:
            raise Wrong(crash(e, self.draft.ruleset.folder) + self.where()) from e

    def _steps(self) -> Iterator[tuple[int, list[int]]]:
        e, p, s, d = self.engine, self.p, self.s, self.draft
        e.setup(p, s)
        stream = bot_stream(self.luck, self.turned)
        decisions = chances = 0
        while (who := e.to_move(p, s)) != OVER:
            if who == CHANCE:
                yield who, []
                code = e.chance(p, s, chance_luck(self.luck, chances), self.turned)
                chances += 1
            else:
                if not 0 <= who < d.players:
                    raise Wrong(say("check.nobody", n=who) + self.where())
                n = e.legal(p, s, self.w)
                found = list(self.w.found)[:n]
                yield who, found
                if n == 0:
                    raise Wrong(say("check.stuck", seat=d.seat_names[who]) + self.where())
                if decisions >= CAP:
                    raise Wrong(say("check.endless", n=CAP) + self.where())
                code = e.choose(self.bot, p, s, self.view, who, self.w, n, mix(stream, decisions))
                if code not in found:
                    raise Wrong(say("check.bot_illegal", seat=d.seat_names[who], code=code) + self.where())
                decisions += 1
            e.apply(p, s, code)
            e.cite.take()
        yield OVER, []
