"""People beside a simulation of the same draft: scores, length and who wins, each with its interval, never mixed.

The intervals of people know what belongs together. Seats of one game, and games of one table, are not independent: an interval is
made with games as units and, from two tables on, with tables as units, and the wider one counts. Games are the units alone where
all were played at one table; then nothing is said about differences, for that would be said about these few people. Who comes back
at another table counts as somebody else there, so even the wider interval can be too narrow. Shares of whole games are exact
(Clopper and Pearson) where games are the units, means are Student's.

Several numbers are compared at once (scores, length, each seat): a difference is said only where its interval excludes zero at the
level 1 - 0.05 / comparisons (Bonferroni), never with fewer than :data:`FEW` games. The interval of a difference comes from those of
both sides (Newcombe's square-and-add).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import polars as pl

from workbench.analysis import stats
from workbench.analysis.columns import declared
from workbench.analysis.measures import measure
from workbench.analysis.simulate import simulate
from workbench.analysis.stats import LEVEL, Estimate
from workbench.analysis.study import Study
from workbench.analysis.words import name_of_bots, number, shown
from workbench.core.draft import Draft
from workbench.core.errors import NotCompilable
from workbench.core.language import say
from workbench.playtest.counted import counted

if TYPE_CHECKING:
    import altair

FEW = 5
"""With fewer games by people nothing is said about differences."""
GAMES, SLOWER = 10_000, 500
"""Games that are simulated unless told otherwise; on the plain engine, where rules cannot be compiled."""
MOST_BINS = 16
SCORE, LENGTH, WIN, SCORES = "score", "length", "win", "scores"
PEOPLE = "people"


@dataclass(frozen=True)
class Difference:
    """One number of people and of the simulation, and people less simulation at the level of all comparisons."""

    measure: str
    seat: str
    people: Estimate
    bots: Estimate
    apart: Estimate

    @property
    def differs(self) -> bool:
        """Whether the interval excludes zero."""
        return self.apart.low > 0 or self.apart.high < 0


class Beside:
    """People beside a simulation: ``frame`` in long form, ``differences``, ``sentence``, ``chart()``.

    Attributes:
        frame: measure ("score": mean, "scores": share of each score, "length": mean, "win": share by seat), seat, at (the lower end of a bin
            of scores), source ("people" or the bot), value, low, high (95 %), n (values), games.
        counted: which games count. study: the simulation.
    """

    def __init__(self, rows: Iterable[Mapping], study: Study):
        self.study, self.draft, self.bot = study, study.draft, name_of_bots(study.bots)
        self.counted = counted(rows, study.draft)
        self._mine = {SCORE: [(s, i, g.table) for i, g in enumerate(self.counted.games) for s, _ in g.seats.values()],
                      LENGTH: [(g.length, i, g.table) for i, g in enumerate(self.counted.games) if g.length is not None]}
        for seat in self.draft.seat_names:
            self._mine[f"{WIN} {seat}"] = [(g.seats[seat][1], i, g.table) for i, g in enumerate(self.counted.games) if seat in g.seats]
        compared = [k for k, v in self._mine.items() if v]
        self.level = 1 - (1 - LEVEL) / max(len(compared), 1)
        self.differences = [Difference(*_named(k), self._people(k), self._bots(k), self._apart(k))
                            for k in compared]
        self.frame = self._framed()

    # ------------------------------------------------------------ numbers

    def _people(self, what: str, level: float = LEVEL) -> Estimate:
        return clustered(*zip(*self._mine[what], strict=True), share=what.startswith(WIN), level=level)

    def _bots(self, what: str, level: float = LEVEL) -> Estimate:
        m = measure(self.study, "decisions" if what == LENGTH else what)
        return stats.ratio(*stats.per_deal(self.study.frame, m.value), share=m.share, level=level)

    def _apart(self, what: str) -> Estimate:
        """People less simulation; without bounds where too little of it was seen."""
        games, tables = ({x[n] for x in self._mine[what]} for n in (1, 2))
        found = apart(self._people(what, self.level), self._bots(what, self.level))
        return found if len(games) >= FEW and len(tables) > 1 else Estimate(found.value, -math.inf, math.inf, math.nan, found.deals, found.n)

    def _framed(self) -> pl.DataFrame:
        games, rows = len(self.counted.games), []
        for d in self.differences:
            for source, e, n in ((PEOPLE, d.people, len({i for _, i, _ in self._mine[_key(d)]})), (self.bot, d.bots, self.study.games)):
                rows.append((d.measure, d.seat, None, source, e.value, e.low, e.high, int(e.n), n))
        if games and self._mine[SCORE]:
            rows += [(SCORES, "", at, source, *e) for at, source, e in self._scores()]
        return pl.DataFrame(rows, orient="row", schema={"measure": pl.String, "seat": pl.String, "at": pl.Int64, "source": pl.String, "value": pl.Float64,
                                                        "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "games": pl.Int64})

    @property
    def unit(self) -> dict | str:
        """What scores are counted in."""
        return declared(self.draft.ruleset).score

    @property
    def bin(self) -> int:
        """How many scores a bin of the distribution holds."""
        lo, hi = self._range
        return -(-(hi - lo + 1) // MOST_BINS)

    @property
    def _range(self) -> tuple[int, int]:
        names = [f"score_{n}" for n in self.draft.seat_names]
        mine = [s for s, _, _ in self._mine[SCORE]]
        return (int(min(*mine, *(self.study.frame[n].min() for n in names))), int(max(*mine, *(self.study.frame[n].max() for n in names))))

    def _scores(self) -> list[tuple]:
        lo, width = self._range[0], self.bin

        def binned(n: str) -> pl.Expr:
            return (pl.col(n).cast(pl.Int64) - lo) // width * width + lo

        bots = stats.spread_out(pl.concat([self.study.frame.select("deal", score=binned(f"score_{n}")) for n in self.draft.seat_names]), "score")
        found = [(r[0], self.bot, (*r[1:], self.study.games)) for r in bots.rows()]
        mine, game, table = zip(*self._mine[SCORE], strict=True)
        at = [int((s - lo) // width * width + lo) for s in mine]
        for v in sorted(set(at)):
            e = clustered([float(x == v) for x in at], game, table, share=True, whole=False)
            found.append((v, PEOPLE, (e.value, e.low, e.high, at.count(v), len(set(game)))))
        return found

    # ------------------------------------------------------------ words

    @property
    def sentence(self) -> str:
        """What was compared and what it says, in the language in use."""
        return self.told()

    def told(self, lang: str | None = None) -> str:
        """The same in a language."""
        def text(key: str, **values: object) -> str:
            return say(f"playtest.beside.{key}", lang, **values)

        c, s = self.counted, self.study
        parts = [text("sentence", games=len(c.games), persons=c.persons, tables=c.tables, simulated=s.games, draft=s.label, players=self.draft.players,
                      bot=self.bot, luck=s.luck)]
        parts += [text(key, n=n, of=c.sat) for key, n in (("not_people", c.sat - c.seats), ("cut", c.cut), ("older", c.older),
                                                         ("no_length", c.no_length), ("capped", s.capped)) if n]
        return say("study.space", lang).join([*parts, *self._verdict(text, lang)])

    def _verdict(self, text, lang: str | None) -> list[str]:
        c = self.counted
        if len(c.games) < FEW or c.tables < 2:
            return [text("few" if len(c.games) < FEW else "one_table", games=len(c.games), least=FEW)] if c.games else [text("none_yet")]
        differ = [text("differs", what=self._name(d, lang), people=shown(d.people, share=d.measure == WIN), bot=shown(d.bots, share=d.measure == WIN))
                  for d in self.differences if d.differs]
        found = text("differ", n=len(self.differences), what=text("and").join(differ)) if differ else text("same", n=len(self.differences))
        return [found, *(self._hides(text) if not differ else ()), text("together")]

    def _hides(self, text) -> list[str]:
        """How large the differences are that could still be there, where that is known."""
        room = {d.measure: max(abs(d.apart.low), abs(d.apart.high)) for d in sorted(self.differences, key=lambda d: max(abs(d.apart.low), abs(d.apart.high)))}
        found = [text(f"hides_{m}", up=number(x, x, share=m == WIN)) for m, x in room.items() if math.isfinite(x)]
        return [text("hides", what=text("and").join(found))] if found else []

    def _name(self, d: Difference, lang: str | None) -> str:
        return say(f"playtest.beside.{d.measure}", lang, seat=d.seat)

    def lines(self, lang: str | None = None) -> list[tuple[str, str, str]]:
        """Each number in words: what, of people, of the simulation."""
        return [(self._name(d, lang), shown(d.people, share=d.measure == WIN), shown(d.bots, share=d.measure == WIN)) for d in self.differences]

    def chart(self, lang: str | None = None) -> altair.VConcatChart:
        """Scores, length and win share by seat, people and simulation side by side with 95 % intervals."""
        from workbench.playtest.besidechart import chart

        return chart(self, lang)

    def __repr__(self) -> str:
        head = (say("playtest.beside.people"), say("playtest.beside.bot", bot=self.bot))
        return "\n".join([self.sentence, *(f"  {what}: {head[0]} {a} · {head[1]} {b}" for what, a, b in self.lines())])

    def _repr_html_(self) -> str:
        head = ("", say("playtest.beside.people"), say("playtest.beside.bot", bot=self.bot))
        rows = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(x)}</td>" for x in r) + "</tr>" for r in [head, *self.lines()])
        return f"<p>{escape(self.sentence)}</p><table>{rows}</table>"


def beside(rows: Iterable[Mapping], draft: Draft, *, bot: str | None = None, games: int = GAMES, luck: int = 1) -> Beside:
    """Simulate a draft with a bot at every seat, and put what people played under it beside.

    Args:
        rows: of :data:`workbench.playtest.export.GAMES`. bot: the ruleset's last one when left out. games, luck: of the simulation.
    """
    bot = bot or ["random", *draft.ruleset.bots][-1]
    try:
        study = simulate(draft, games, bots=bot, luck=luck, progress=False)
    except NotCompilable:
        study = simulate(draft, min(games, SLOWER), bots=bot, luck=luck, engine="plain", progress=False)
    return Beside(rows, study)


# ---------------------------------------------------------------- intervals


def clustered(values, game, table, *, share: bool = False, whole: bool = True, level: float = LEVEL) -> Estimate:
    """A mean or share of values that belong together by game and by table: the wider of both intervals.

    Args:
        whole: a share of one value a game, exact where games are the units.

    >>> e = clustered([1, 0, 0, 1], [0, 1, 2, 3], ["a", "a", "b", "b"], share=True)
    >>> e.value, round(e.low, 2), round(e.high, 2)
    (0.5, 0.07, 0.93)
    """
    if share and whole:
        n, hits = len(values), math.fsum(values)
        low, high = stats.exact(math.floor(hits), n, level=level)[0], stats.exact(math.ceil(hits), n, level=level)[1]
        found = Estimate(hits / n, low, high, math.nan, n, n)
    else:
        found = (stats.share if share else stats.mean)(values, game, level=level)
        if not share and not found.se > 0:  # a few equal values say nothing about how others are spread
            found = Estimate(found.value, -math.inf, math.inf, math.nan, found.deals, found.n)
    if len(set(table)) > 1:
        by = (stats.share if share else stats.mean)(values, table, level=level)
        found = Estimate(found.value, min(found.low, by.low), max(found.high, by.high), max(found.se, by.se), by.deals, found.n)
    return found


def apart(a: Estimate, b: Estimate) -> Estimate:
    """The first less the second, which know nothing of each other, from their intervals (of one level).

    >>> e = apart(Estimate(5, 2, 8, 1, 9, 9), Estimate(1, -3, 5, 1, 9, 9))
    >>> e.value, e.low, e.high
    (4, -1.0, 9.0)
    """
    d = a.value - b.value
    low, high = d - math.hypot(a.value - a.low, b.high - b.value), d + math.hypot(a.high - a.value, b.value - b.low)
    return Estimate(d, low, high, math.nan, min(a.deals, b.deals), min(a.n, b.n))


def _named(key: str) -> tuple[str, str]:
    what, _, seat = key.partition(" ")
    return what, seat


def _key(d: Difference) -> str:
    return f"{d.measure} {d.seat}".strip()
