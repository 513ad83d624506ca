"""A study: the frame of many games, and everything that has to be said beside its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from workbench.analysis import replay, stats
from workbench.analysis.columns import Column, columns_of, declared
from workbench.analysis.measures import Measure, both, known, measure
from workbench.analysis.words import name_of_bots, number, precision, shown
from workbench.core.draft import Draft
from workbench.core.errors import OutOfRange, UnknownName, WorkbenchError
from workbench.core.language import pick, say
from workbench.core.loops import deal_luck
from workbench.core.position import Position

if TYPE_CHECKING:
    from workbench.analysis.charts import Charts

LISTED = 24
"""Most lines of the summary that a study prints of itself."""


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """Games that were played, as :func:`workbench.analysis.simulate` returns them.

    Attributes:
        frame: the rows, a Polars frame; ``columns`` explains it. draft, bots, luck, engine, cap: how it was played.
        rows: the kind of row. games: how many were played; asked: how many were asked for.
        capped: games cut at ``cap`` decisions. stopped: whether it was interrupted before its end.
        digest: of the draft that was played; differs from the draft's own only in a file saved under older rules.
    """

    frame: pl.DataFrame
    draft: Draft
    bots: tuple[str, ...]
    luck: int
    rows: str
    games: int
    asked: int
    capped: int
    cap: int
    engine: str
    stopped: bool
    digest: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", self.digest or self.draft.digest)

    # ------------------------------------------------------------ what it is

    @property
    def deals(self) -> int:
        """Deals played, each from every seat."""
        return self.games // self.draft.players

    @property
    def label(self) -> str:
        """The draft's name and digest, as in the ``draft`` column."""
        return f"{self.draft.label}@{self.digest}"

    @property
    def declared(self) -> list[Column]:
        """The frame's columns as declared."""
        return columns_of(self.draft, self.rows)

    @property
    def columns(self) -> pl.DataFrame:
        """What each column means: name, dtype, and the meaning in English and Japanese."""
        return pl.DataFrame([(c.name, c.dtype, c.meaning["en"], c.meaning["ja"]) for c in self.declared],
                            schema=["name", "dtype", "en", "ja"], orient="row")

    @property
    def sentence(self) -> str:
        """What was played: draft, bots, games, luck, and what cut or stopped it."""
        d = self.draft
        parts = [say("study.sentence", game=pick(d.ruleset.game["title"]), draft=self.label, games=self.games, deals=self.deals,
                     players=d.players, bots=name_of_bots(self.bots), luck=self.luck)]
        whole = -(-self.asked // d.players) * d.players
        if self.stopped:
            parts.append(say("study.stopped", games=self.games, whole=whole))
        elif whole != self.asked:
            parts.append(say("study.rounded", asked=self.asked, whole=whole))
        if self.capped:
            share = f"{100 * self.capped / self.games:.2g}"
            parts.append(say("study.capped", capped=self.capped, share=share, cap=self.cap))
        if self.rows != "game":
            own = declared(d.ruleset).rows.get(self.rows)
            kind = pick(own.title) if own else say(f"study.row_kind.{self.rows}")
            parts.append(say("study.of_rows", n=self.frame.height, rows=kind))
        if self.digest != d.digest:
            parts.append(say("study.older", now=d.digest))
        return say("study.space").join(parts)

    # ------------------------------------------------------------ numbers

    @cached_property
    def measures(self) -> list[tuple[Measure, float | None]]:
        """The main measures, each with its par (what equal seats would give) if it has one."""
        d, offered = self.draft, known(self)
        if self.rows == "event":
            return []
        if self.rows != "game":
            parts = {f"{c.part} {c.seat}" for c in self.declared if c.part} | {c.name for c in self.declared if c.part}
            return [(m, None) for n, m in offered.items() if n not in parts and n not in ("row", "step")]
        par = 1 / d.players
        main = [(offered[f"win {n}"], par) for n in d.seat_names]
        if len(set(self.bots)) > 1:
            main += [(self._wins_of(bot), par) for bot in dict.fromkeys(self.bots)]
        main += [(offered[n], None) for n in (*(f"score {n}" for n in d.seat_names), "score", "spread", "draw")]
        if self.frame.select(offered["nobody"].value.any()).item():
            main.append((offered["nobody"], None))
        return [*main, (offered["decisions"], None), *([(offered["capped"], None)] if self.capped else [])]

    def _wins_of(self, bot: str) -> Measure:
        n = self.draft.players
        mine = [pl.when((pl.lit(i) - pl.col("turn").cast(pl.Int32)).mod(n).is_in([k for k, b in enumerate(self.bots) if b == bot]))
                .then(pl.col(f"won_{seat}").cast(pl.Float64)) for i, seat in enumerate(self.draft.seat_names)]
        return Measure(f"win {bot}", pl.mean_horizontal(mine), both("study.measure.bot", bot=bot), share=True)

    def estimate(self, what: str | pl.Expr) -> stats.Estimate:
        """One number with its 95 % interval, clustered by deal.

        Args:
            what: a measure ("score", "spread", "draw", "win P1", any column) or an expression, one value a row; where it
                is null the row does not count, so ``pl.when(…).then(…)`` is a mean given something.

        Raises:
            UnknownName: no such measure; lists them.

        >>> import workbench as wb, polars as pl
        >>> from workbench.analysis import simulate
        >>> study = simulate(wb.load("omerta"), games=400)
        >>> e = study.estimate(pl.col("hands") > 3)
        >>> 0 <= e.low <= e.value <= e.high <= 1
        True
        """
        return measure(self, what).of(self.frame)

    def summary(self) -> pl.DataFrame:
        """The main numbers: name, measure (in words), value, low, high (95 %, clustered by deal), par, n, deals."""
        found = self._rules() if self.rows == "event" else [(m.name, m.text, m.of(self.frame), par) for m, par in self.measures]
        return pl.DataFrame([(name, text, e.value, e.low, e.high, par, int(e.n), e.deals) for name, text, e, par in found], orient="row",
                            schema=dict(name=pl.String, measure=pl.String, value=pl.Float64, low=pl.Float64, high=pl.Float64,
                                        par=pl.Float64, n=pl.Int64, deals=pl.Int64))

    def _rules(self) -> list[tuple]:
        """The share of games in which each rule acted, the rules of the text that never did included."""
        x = np.full(self.deals, float(self.draft.players))
        games = self.frame.select("rule", "deal", "game").unique()
        fired = {k: part["deal"].to_numpy() for (k,), part in games.group_by("rule")}
        ids = [r for r in self.draft.ruleset.text["en"] if r not in self.draft.ruleset.game.get("uncited", ())]
        order = self.draft.ruleset.rule_ids
        ids = sorted({*fired, *ids}, key=lambda r: (-len(fired.get(r, ())), order.index(r)))
        return [(r, _rule_text(self.draft, r), stats.ratio(np.bincount(fired.get(r, np.zeros(0, int)), minlength=self.deals), x, share=True),
                 None) for r in ids]

    def seats_equal(self) -> stats.Test:
        """One test for all seats: could they all win equally often?"""
        if self.rows != "game":
            raise WorkbenchError(say("study.game_rows", rows=self.rows))
        sums = [stats.per_deal(self.frame, pl.col(f"won_{n}")) for n in self.draft.seat_names]
        return stats.equal_shares(np.column_stack([y for y, _ in sums]), sums[0][1])

    # ------------------------------------------------------------ other views

    def by_seat(self) -> pl.DataFrame:
        """One row for each row and seat: seat, bot, then score, won and the ruleset's per-seat columns without the seat
        in their names, and the groups that ``game.toml`` declares (such as omerta: the revealed card's number).
        """
        d, groups = self.draft, declared(self.draft.ruleset).groups
        common = [c.name for c in self.declared if not c.part and c.name not in ("draft", "bots", "seat")]
        if not any(c.part for c in self.declared):
            raise WorkbenchError(say("study.no_seats", rows=self.rows))
        names = pl.Enum(list(dict.fromkeys(self.bots)))
        views = []
        for i, seat in enumerate(d.seat_names):
            mine = {c.part: pl.col(c.name) for c in self.declared if c.seat == seat}
            sitting = {turn: replay.seated(self.bots, turn)[i] for turn in range(d.players)}
            own = [_grouped(mine[g.field], g.values).alias(n) for n, g in groups.items() if g.field in mine]
            views.append(self.frame.select(*common, pl.lit(seat).cast(pl.Enum(d.seat_names)).alias("seat"),
                                           pl.col("turn").replace_strict(sitting, return_dtype=names).alias("bot"),
                                           *(v.alias(n) for n, v in mine.items()), *own, "draft", "bots"))
        return pl.concat(views).sort([n for n in ("game", "row", "seat") if n in views[0].columns])

    def game(self, row: int | Mapping[str, object]) -> Position:
        """The end of a game of this study, with its whole history: step back through ``.history`` or ``.undo()``.

        Args:
            row: a game's number, or a row of the frame (``study.frame.row(0, named=True)``).

        Raises:
            OutOfRange: no such game. WorkbenchError: the study was saved under older rules.
        """
        n = row["game"] if isinstance(row, Mapping) else row
        if not isinstance(n, (int, np.integer)) or not 0 <= n < self.games:
            raise OutOfRange(say("study.range", name="game", value=n, lo=0, hi=self.games - 1))
        if self.digest != self.draft.digest:
            raise WorkbenchError(say("study.older", now=self.draft.digest))
        deal, turned = divmod(int(n), self.draft.players)
        return replay.game(self.draft, self.bots, deal_luck(self.luck, deal), turned, self.cap)

    @property
    def charts(self) -> Charts:
        """Charts of this study: ``study.charts.scores()``, ``.wins()``, ``.lengths()``, ``.score_by("omerta")``."""
        from workbench.analysis.charts import Charts

        return Charts(self)

    # ------------------------------------------------------------ on disk

    def save(self, path: str | Path) -> Path:
        """Write it as a Parquet file that knows where it comes from; any tool opens it."""
        from workbench.analysis.stored import save

        return save(self, Path(path))

    @staticmethod
    def load(path: str | Path, *, draft: Draft | None = None) -> Study:
        """Read a saved study; ``draft`` is needed when a rule was replaced in a cell of another session.

        Raises:
            DamagedFile: foreign, cut or changed; says why, and nothing is loaded.
        """
        from workbench.analysis.stored import load

        return load(Path(path), draft)

    # ------------------------------------------------------------ as text

    def _lines(self) -> list[tuple[str, str]]:
        if self.rows == "event":
            return [(f"{text} [{name}]", shown(e, share=True)) for name, text, e, _ in self._rules()]
        found = [(m, m.of(self.frame), par) for m, par in self.measures]
        return [(m.text, shown(e, share=m.share, unit=pick(m.unit))
                 + (f"  ({say('study.par')} {number(par, e.half, share=True)} %)" if par else "")) for m, e, par in found]

    @property
    def notes(self) -> list[str]:
        """What to know before believing: what the ruleset says of its numbers, whether the seats differ, what this size can tell."""
        told = self.draft.ruleset.game.get("study", {}).get("note")
        found = [pick(told)] if told else []
        if self.rows != "game":
            return found
        test, first = self.seats_equal(), self.estimate(f"win {self.draft.seat_names[0]}")
        return found + ([equal_text(test), precision(first, share=True)] if test.p == test.p else [])

    def __repr__(self) -> str:
        lines = [f"  {text}: {value}" for text, value in self._lines()]
        more = [f"  … {len(lines) - LISTED}"] if len(lines) > LISTED else []
        return "\n".join([self.sentence, *lines[:LISTED], *more, *self.notes])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><td style='text-align:left'>{escape(a)}</td><td style='text-align:left'>{escape(b)}</td></tr>"
                        for a, b in self._lines()[:LISTED])
        notes = "".join(f"<br><small>{escape(n)}</small>" for n in self.notes)
        return f"<p>{escape(self.sentence)}</p><table>{cells}</table><p>{notes}</p>"


def equal_text(test: stats.Test) -> str:
    """The test of all seats as a sentence."""
    return say("study.equal.differ" if test.p < 0.05 else "study.equal.same", p=f"{test.p:.2g}", chi2=f"{test.chi2:.1f}", df=test.df)


def _grouped(values: pl.Expr, groups: dict[str, dict]) -> pl.Expr:
    table = {value: key for key, group in groups.items() for value in group["of"]}
    return values.cast(pl.String).replace_strict(table, default=None, return_dtype=pl.Enum(list(groups)))


def _rule_text(draft: Draft, id: str) -> str:
    try:
        return draft.rule(id)
    except UnknownName:
        return id
