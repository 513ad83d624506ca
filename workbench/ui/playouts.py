"""What follows from a position: many games from it under a named bot, by seat, for each legal move, or with hidden cards dealt anew.

Games run in batches in the caller's thread (never in a callback of the page), with progress and a stop. Every game can
be opened: its number and the luck say how it went.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

import numpy as np

from workbench.analysis import stats
from workbench.core.errors import OutOfRange
from workbench.core.language import say
from workbench.core.loops import bot_stream, chance_luck, deal_luck
from workbench.core.position import Position
from workbench.core.runner import CAP, run
from workbench.core.vocabulary import CHANCE, OVER, mix

GAMES, BATCH, DEALS = 10_000, 2_500, 400
"""Games unless told otherwise; games between two looks at the stop; different deals of hidden cards."""


@dataclass(frozen=True, eq=False)
class Playouts:
    """Games that were played on from a position.

    Attributes:
        start: where each game began (one position, or one for each deal of the hidden cards).
        scores, won: a row a game, a column a seat (won: 1/k when k seats share the win). deal: which start each game had.
        unseen_by: the seat whose hidden cards were dealt anew, or None. stopped: whether it ended before its time.
    """

    start: tuple[Position, ...]
    bot: str
    luck: int
    scores: np.ndarray
    won: np.ndarray
    deal: np.ndarray
    capped: int
    asked: int
    unseen_by: str | None = None
    engine: str = "compiled"

    @property
    def games(self) -> int:
        """How many were played."""
        return len(self.scores)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped early."""
        return self.games < self.asked

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats' names."""
        return self.start[0].draft.seat_names

    def score(self, seat: str) -> stats.Estimate:
        """The mean score of a seat; games of one deal of the hidden cards belong together."""
        return stats.mean(self.scores[:, self.seats.index(seat)], self._units)

    def win(self, seat: str) -> stats.Estimate:
        """The share of games a seat wins."""
        return stats.share(self.won[:, self.seats.index(seat)], self._units)

    @property
    def _units(self) -> np.ndarray:
        return self.deal if len(self.start) > 1 else np.arange(self.games)

    def distribution(self, seat: str, width: int = 1, low: int = 0) -> list[tuple[int, float, float, float, int]]:
        """(score, share, low, high, games) for each score of a seat, or for bins of this width."""
        binned = (self.scores[:, self.seats.index(seat)] - low) // width * width + low
        return [(int(v), *(lambda e: (e.value, e.low, e.high))(stats.share(binned == v, self._units)), int((binned == v).sum()))
                for v in np.unique(binned)]

    def games_with(self, seat: str, score: int, width: int = 1) -> list[int]:
        """The numbers of the games behind a bar."""
        mine = self.scores[:, self.seats.index(seat)]
        return np.flatnonzero((mine >= score) & (mine < score + width)).tolist()

    def game(self, n: int) -> Position:
        """The end of one of these games, with its whole history from the start on.

        Raises:
            OutOfRange: no such game.
        """
        if not 0 <= n < self.games:
            raise OutOfRange(say("study.range", name="game", value=n, lo=0, hi=self.games - 1))
        return replayed(self.start[int(self.deal[n])], self.bot, self.luck, n)


def playouts(position: Position, bot: str = "random", games: int = GAMES, *, luck: int = 1, unseen_by: str | None = None,
             engine: str = "compiled", progress: Callable[[int, int], None] | None = None, stop: Event | None = None,
             after: int | None = None) -> Playouts:
    """Play many games on from a position, all seats by one bot.

    Args:
        unseen_by: deal anew what this seat cannot see, as it would have to judge; None: the position as it is.
        progress: called with (games done, games in all). stop: ends it after a batch; what was played is kept.
        after: the code of a move to be made first.

    Raises:
        NotCompilable: a rule that only the plain engine takes (pass engine="plain", slower).
    """
    starts = _starts(position, games, luck, unseen_by, after)
    deal = np.arange(games) * len(starts) // games
    parts, done, capped = [], 0, 0
    while done < games and not (done and stop is not None and stop.is_set()):
        n = min(BATCH, games - done)
        batch = run(position.draft, games=n, seed=luck, first=done, bots=bot, turns=1, engine=engine,
                    start=[starts[i] for i in deal[done: done + n]])
        players = position.draft.players
        won = batch.info["won"][:, :players].astype(float)
        parts.append((batch.info["score"][:, :players].copy(), won / np.maximum(won.sum(axis=1, keepdims=True), 1)))
        capped += int((batch.info["ended"] == 1).sum())
        done += n
        if progress is not None:
            progress(done, games)
    return Playouts(tuple(starts), bot, luck, np.concatenate([s for s, _ in parts]), np.concatenate([w for _, w in parts]),
                    deal[:done], capped, games, unseen_by, engine)


def _starts(position: Position, games: int, luck: int, unseen_by: str | None, after: int | None) -> list[Position]:
    starts = [position] if unseen_by is None else [position.resample(unseen_by, mix(luck, k)) for k in range(min(DEALS, games))]
    return [p._step(after) for p in starts] if after is not None else starts


def by_move(position: Position, bot: str = "random", games: int = GAMES, *, luck: int = 1, unseen_by: str | None = None,
            engine: str = "compiled", progress: Callable[[int, int], None] | None = None, stop: Event | None = None) -> dict[str, Playouts]:
    """The same for each legal move, on the same luck; by the move's name, best for the seat to move first."""
    codes = list(position.legal) if position._who >= 0 else []
    found: dict[int, Playouts] = {}
    for i, code in enumerate(codes):
        if found and stop is not None and stop.is_set():
            break
        tell = (lambda done, n, i=i: progress(i * n + done, len(codes) * n)) if progress else None
        found[code] = playouts(position, bot, games, luck=luck, unseen_by=unseen_by, engine=engine, progress=tell, stop=stop, after=code)
    name, seat = position.draft.ruleset.moves.name, position.to_move
    best = sorted(found, key=lambda c: (found[c].win(seat).value, found[c].score(seat).value), reverse=True)
    return {name(c): found[c] for c in best}


def replayed(start: Position, bot: str, seed: int, n: int, cap: int = CAP) -> Position:
    """Game ``n`` of a run from a position, on the plain engine: the same luck and bot, so the same moves."""
    d, p = start.draft, start
    engine, order, w = d.plain, ["random", *d.ruleset.bots], d.workspace()
    view = d.ruleset.schema.blank(d.players)
    luck = deal_luck(seed, n)
    stream, decisions, chances = bot_stream(luck, 0), 0, 0
    while (who := p._who) != OVER and decisions < cap:
        s = p.state
        if who == CHANCE:
            code = engine.chance(d.p, s, chance_luck(luck, chances), 0)
            chances += 1
        else:
            k = engine.legal(d.p, s, w)
            code = engine.choose(order.index(bot), d.p, s, view, who, w, k, mix(stream, decisions))
            decisions += 1
        p = p._step(code)
    return p


def summary(found: Playouts, parent: Playouts | None = None) -> list[dict]:
    """A row a seat: win share and mean score with intervals, and what changed from the parent."""
    rows = []
    for seat in found.seats:
        win, score = found.win(seat), found.score(seat)
        row = {"seat": seat, "win": win.value, "win_low": win.low, "win_high": win.high, "score": score.value,
               "score_low": score.low, "score_high": score.high}
        if parent is not None:
            row |= {"win_change": win.value - parent.win(seat).value, "score_change": score.value - parent.score(seat).value}
        rows.append(row)
    return rows


def bins(sets: Sequence[Playouts], most: int = 24) -> tuple[int, int]:
    """(width, lowest) of bins that all these runs share."""
    lo, hi = min(int(s.scores.min()) for s in sets), max(int(s.scores.max()) for s in sets)
    return -(-(hi - lo + 1) // most), lo
