"""Two drafts on the same luck: what differs, by how much, and whether it can be told."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import polars as pl

from workbench.analysis import stats
from workbench.analysis.measures import Measure, known, measure
from workbench.analysis.simulate import simulate
from workbench.analysis.study import Study, equal_text
from workbench.analysis.words import interval, name_of_bots, number, precision
from workbench.core.draft import Draft
from workbench.core.errors import OutOfRange, UnknownName, WorkbenchError
from workbench.core.language import pick, say
from workbench.core.runner import CAP

if TYPE_CHECKING:
    import altair

CERTAIN = 0.05
"""A claim is made when chance alone would make it less often than this (Holm's correction included)."""
What = str | pl.Expr


def compare(a: Draft | Study, b: Draft | Study, games: int = 10_000, *, bots: str | tuple[str, ...] | list = "random", luck: int = 1,
            measure: What | Mapping[str, What] = "score", better: str | Mapping[str, str] | None = None,
            tolerance: float | Mapping[str, float] | None = None, engine: str = "compiled", cap: int = CAP,
            executor: Executor | None = None, workers: int | None = None, progress: object = None) -> Comparison:
    """Play both drafts on the same deals and seats, and say what differs: ``b`` against ``a``.

    Differences are taken deal by deal, so that what the deals have in common cancels; drafts whose games
    are of different length pair just as well. Intervals are 95 %.

    Args:
        a, b: two drafts of a game for as many players, or studies of them played on the same luck with the same bots.
        games, bots, luck, engine, cap, executor, workers, progress: as in :func:`simulate`; ``bots`` may also be a
            list of several (names, or tuples with one a seat): the comparison is then made under each.
        measure: "score", "spread", "draw", "decisions", "win P1", any column; or a Polars expression over the game
            frame; or a dictionary of several by name: then all are corrected together (Holm).
        better: "more" or "less", when one direction is wanted; for several measures a dictionary.
        tolerance: how large a difference would not matter, in the measure's own unit (0.02 is two points of a share).

    Returns:
        A :class:`Comparison`: ``.sentence``, ``.table``, ``.seats``, ``.chart()``, ``.studies``.

    Raises:
        WorkbenchError: different games, numbers of players, luck or bots. UnknownName: no such measure; lists them.

    >>> import workbench as wb
    >>> d = wb.load("omerta").vary(play="hand")
    >>> result = compare(d, d.vary(hero_points=5), games=400, measure="score")
    >>> result.results[0].verdict
    'more'
    """
    d, e = (x.draft if isinstance(x, Study) else x for x in (a, b))
    if d.ruleset.name != e.ruleset.name or d.players != e.players:
        raise WorkbenchError(say("compare.apart", a=d.key, b=e.key))
    model = next((x for x in (a, b) if isinstance(x, Study)), None)
    under: list = bots if isinstance(bots, list) and bots else [bots]
    options = dict(luck=luck, engine=engine, cap=cap)
    if model is not None:
        under, options, games = [model.bots], dict(luck=model.luck, engine=model.engine, cap=model.cap, rows=model.rows), model.asked
    pairs = []
    for names in under:
        pair = [x if isinstance(x, Study) else simulate(x, games, bots=names, executor=executor, workers=workers, progress=progress,
                                                        **options) for x in (a, b)]  # type: ignore[arg-type]
        if len({(s.luck, s.bots, s.rows) for s in pair}) > 1:
            raise WorkbenchError(say("compare.unlike", a=_played(pair[0]), b=_played(pair[1])))
        pairs.append((pair[0], pair[1]))
    return Comparison(pairs, _results(pairs, measure, better, tolerance))


def _played(s: Study) -> str:
    return f"{s.label}, {name_of_bots(s.bots)}, {say('luck')} {s.luck}, rows={s.rows}"


# ---------------------------------------------------------------- verdicts


def verdict(low: float, high: float, *, tolerance: float | None = None, better: str | None = None) -> str:
    """What an interval of a difference says: more, less (better, worse when a direction is wanted), within, unclear, same.

    >>> verdict(0.2, 0.4), verdict(0.2, 0.4, better="less"), verdict(-0.1, 0.4), verdict(-0.1, 0.4, tolerance=0.5)
    ('more', 'worse', 'unclear', 'within')
    """
    t = tolerance or 0.0
    if low > t or high < -t:
        way = "more" if low > t else "less"
        return way if better is None else "better" if way == better else "worse"
    if tolerance and -t < low and high < t:
        return "within"
    return "same" if low == high == 0 and not tolerance else "unclear"


@dataclass(frozen=True)
class Result:
    """One measure under one assignment of bots: both values, the difference, its p value, the verdict."""

    measure: Measure
    bots: str
    a: stats.Estimate
    b: stats.Estimate
    difference: stats.Estimate
    tolerance: float | None
    p: float
    holm: float
    verdict: str


def _results(pairs: list[tuple[Study, Study]], measures: What | Mapping[str, What], better, tolerance) -> list[Result]:
    wanted = dict(measures) if isinstance(measures, Mapping) else {measures if isinstance(measures, str) else "": measures}
    for x, which in ((better, "better"), (tolerance, "tolerance_range")):
        for name in x if isinstance(x, Mapping) else ():
            if name not in wanted:
                raise UnknownName("measure", name, wanted)
        for value in x.values() if isinstance(x, Mapping) else [x]:
            if value is not None and (value not in ("more", "less") if which == "better" else not value > 0):
                raise OutOfRange(say(f"compare.{which}", value=value))
    rows = []
    for pair in pairs:
        for name, what in wanted.items():
            t, way = (x.get(name) if isinstance(x, Mapping) else x for x in (tolerance, better))
            m, a, b, d = _paired(pair, what, name)
            rows.append((m, name_of_bots(pair[0].bots), a, b, d, t, way, min(stats.beyond(d, t or 0), stats.inside(d, t or 0))))
    adjusted = stats.holm([r[-1] for r in rows])
    found = []
    for (m, bots, a, b, d, t, way, p), holm in zip(rows, adjusted, strict=True):
        said = verdict(d.low, d.high, tolerance=t, better=way)
        found.append(Result(m, bots, a, b, d, t, p, holm, said if said == "same" or holm < CERTAIN else "unclear"))
    return found


def _paired(pair: tuple[Study, Study], what: What, name: str) -> tuple[Measure, stats.Estimate, stats.Estimate, stats.Estimate]:
    """A measure in both studies and the difference, on the deals that both have played."""
    ms = [measure(s, what, name) for s in pair]
    deals = min(s.deals for s in pair)
    sums = [stats.per_deal(s.frame.filter(pl.col("deal") < deals), m.value, deals=deals) for s, m in zip(pair, ms, strict=True)]
    a, b = (stats.ratio(*s, share=ms[0].share) for s in sums)
    return ms[0], a, b, stats.difference(*sums)


# ---------------------------------------------------------------- what is shown


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two drafts compared.

    Attributes:
        studies: the (a, b) pair of each assignment of bots; ``studies[0][1].game(7)`` steps through a game of ``b``.
        results: one a measure and assignment of bots.
    """

    studies: list[tuple[Study, Study]]
    results: list[Result]

    @property
    def sentence(self) -> str:
        """The verdicts in words: first whether they depend on the bot, then one sentence a measure and bots."""
        said = [self._sentence(r) for r in self.results]
        return "\n".join([*self._flips(), *said, *([say("compare.holm", k=len(said))] if len(said) > 1 else [])])

    def _flips(self) -> list[str]:
        found = []
        for name in dict.fromkeys(r.measure.name for r in self.results):
            mine = [r for r in self.results if r.measure.name == name]
            if len({r.verdict for r in mine}) > 1:
                each = say("compare.and").join(say("compare.by_bot", bots=r.bots, verdict=self._verdict(r)) for r in mine)
                found.append(say("compare.flips", what=mine[0].measure.text, each=each))
        return found

    @staticmethod
    def _verdict(r: Result) -> str:
        return say(f"compare.verdict.{r.verdict}")

    def _sentence(self, r: Result) -> str:
        a, b = next(pair for pair in self.studies if name_of_bots(pair[0].bots) == r.bots)
        m, d = r.measure, r.difference
        unit = " %" if m.share else f" {pick(m.unit)}" if m.unit else ""
        of_difference = say("compare.points") if m.share else unit
        t = number(r.tolerance, r.tolerance / 10, share=m.share).rstrip("0").rstrip(".") + of_difference if r.tolerance else ""
        tolerance = say("compare.tolerance", t=t) if t else ""
        text = say("compare.sentence", verdict=self._verdict(r) + tolerance, bots=r.bots, what=m.text, a=a.label, b=b.label,
                   # both with the digits of the difference, so that they add up
                   va=number(r.a.value, d.half, share=m.share) + unit, vb=number(r.b.value, d.half, share=m.share) + unit,
                   d=number(d.value, d.half, share=m.share, signed=True) + of_difference,
                   interval=interval(d, share=m.share, signed=True), deals=d.deals, games=d.deals * a.draft.players, luck=a.luck)
        more = [precision(d, share=m.share) + say("compare.stop")] if r.verdict == "unclear" and d.deals > 1 else []
        more += [say("compare.stopped", draft=s.label, games=s.games) for s in (a, b) if s.stopped]
        more += [say("compare.capped", draft=s.label, n=s.capped, cap=s.cap) for s in (a, b) if s.capped]
        return say("study.space").join([text, *more])

    @property
    def table(self) -> pl.DataFrame:
        """Every result as a row: measure, bots, verdict, both values and the difference with 95 % intervals, p values
        (alone, and with Holm's correction), and where it comes from (drafts, luck, deals, games).
        """
        rows = []
        for r in self.results:
            a, b = next(pair for pair in self.studies if name_of_bots(pair[0].bots) == r.bots)
            row: dict[str, object] = dict(measure=r.measure.name, bots=r.bots, verdict=r.verdict, tolerance=r.tolerance)
            for name, e in (("a", r.a), ("b", r.b), ("difference", r.difference)):
                row |= {name: e.value, f"{name}_low": e.low, f"{name}_high": e.high}
            rows.append(row | dict(p=r.p, holm=r.holm, deals=r.difference.deals, games=r.difference.deals * a.draft.players,
                                   luck=a.luck, draft_a=a.label, draft_b=b.label))
        return pl.DataFrame(rows, schema_overrides={"tolerance": pl.Float64})

    @property
    def seats(self) -> pl.DataFrame:
        """Win share of each seat beside par 1/n, in both drafts: draft, bots, seat, value, low, high, par, p (of the
        one test for all seats together).
        """
        rows = []
        for s in (s for pair in self.studies for s in pair if s.rows == "game"):
            p, offered = s.seats_equal().p, known(s)
            for seat in s.draft.seat_names:
                e = offered[f"win {seat}"].of(s.frame)
                rows.append((s.label, name_of_bots(s.bots), seat, e.value, e.low, e.high, 1 / s.draft.players, p))
        return pl.DataFrame(rows, schema=["draft", "bots", "seat", "value", "low", "high", "par", "p"], orient="row")

    def chart(self) -> altair.Chart:
        """The differences as points with intervals, against the tolerance."""
        from workbench.analysis.charts import differences

        return differences(self)

    def _notes(self) -> list[str]:
        told = dict.fromkeys(pick(n) for pair in self.studies for s in pair if (n := s.draft.ruleset.game.get("study", {}).get("note")))
        return [*told, *(f"{s.label}, {name_of_bots(s.bots)}: {equal_text(test)}" for pair in self.studies for s in pair
                         if s.rows == "game" and (test := s.seats_equal()).p == test.p)]

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *self._notes()])

    def _repr_html_(self) -> str:
        return (f"<p>{escape(self.sentence)}</p>".replace("\n", "<br>")
                + "".join(f"<small>{escape(n)}</small><br>" for n in self._notes()))
