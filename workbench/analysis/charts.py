"""Charts of studies and comparisons. A chart is data: everything is counted first, a few rows are drawn.

Altair is imported only when a chart is asked for. Each chart says which draft, bots, games and luck it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

import polars as pl

from workbench.analysis import stats
from workbench.analysis.columns import Group, declared
from workbench.analysis.words import name_of_bots
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import pick, say

if TYPE_CHECKING:
    import altair

    from workbench.analysis.compare import Comparison
    from workbench.analysis.study import Study

MOST_ROWS = 5_000
BINS, CATEGORIES = 40, 100
INK = "#767676"
"""Text and lines: the grey that reads equally well on white and on black."""
FONT = '"Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", sans-serif'
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999"]
"""Told apart by colour-blind eyes too (Okabe and Ito)."""
CONFIG = {
    "background": "transparent", "font": FONT, "view": {"stroke": None, "continuousWidth": 480, "continuousHeight": 260},
    "axis": {"labelColor": INK, "titleColor": INK, "tickColor": INK, "domainColor": INK, "gridColor": INK, "gridOpacity": 0.25,
             "labelLimit": 340},  # names of drafts and skills are long in English
    "axisX": {"labelAngle": 0}, "legend": {"labelColor": INK, "titleColor": INK}, "header": {"labelColor": INK, "titleColor": INK},
    "title": {"color": INK, "subtitleColor": INK, "anchor": "start"}, "text": {"color": INK}, "rule": {"color": INK},
    "range": {"category": COLOURS}, "point": {"color": COLOURS[0]}, "bar": {"color": COLOURS[0]},
}


def _altair():
    """Altair with our theme, registered once; a theme that the user has enabled stays."""
    import altair as alt

    if "workbench" not in alt.theme.names():
        alt.theme.register("workbench", enable=alt.theme.active == "default")(lambda: alt.theme.ThemeConfig(config=CONFIG))
    return alt


def svg(chart: altair.TopLevelMixin) -> str:
    """A chart as a drawing, for a page that carries no library for charts."""
    out = StringIO()
    chart.save(out, format="svg")
    return out.getvalue()


def clean(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows that a chart can carry: plain text and numbers, no NaN, and not too many.

    Raises:
        WorkbenchError: more rows than a browser should get.
    """
    if frame.height > MOST_ROWS:
        raise WorkbenchError(say("chart.rows", n=frame.height, most=MOST_ROWS))
    finite = [pl.when(pl.col(n).is_finite()).then(pl.col(n)).alias(n) for n, t in frame.schema.items() if t.is_float()]
    text = [pl.col(n).cast(pl.String) for n, t in frame.schema.items() if t in (pl.Enum, pl.Categorical, pl.Boolean)]
    return frame.with_columns(*finite, *text)


def _title(text: str, *studies: Study) -> dict:
    lines = [say("chart.origin", draft=s.label, bots=name_of_bots(s.bots), games=s.games, luck=s.luck)
             + (say("chart.stopped") if s.stopped else "") + (say("chart.capped", n=s.capped, cap=s.cap) if s.capped else "") for s in studies]
    return {"text": text, "subtitle": list(dict.fromkeys(lines))}


def _tips(alt, fields: dict[str, tuple[str, str]]) -> list:
    return [alt.Tooltip(f"{n}:{'Q' if form else 'N'}", title=title, **({"format": form} if form else {})) for n, (title, form) in fields.items()]


def _interval(form: str) -> dict[str, tuple[str, str]]:
    return {"value": (say("chart.value"), form), "low": (say("chart.low"), form), "high": (say("chart.high"), form)}


def _counted(extra: dict | None = None) -> dict[str, tuple[str, str]]:
    return {"n": (say("chart.n"), ",d")} | (extra or {})


@dataclass(frozen=True)
class Charts:
    """The charts of one study, as ``study.charts`` offers them; each is an Altair chart."""

    study: Study

    def scores(self) -> altair.LayerChart:
        """How each seat's scores are distributed, with 95 % bands; long ranges are put into 40 bins."""
        self._needs("score")
        alt, s = _altair(), self.study
        names = [f"score_{n}" for n in s.draft.seat_names]
        lo, hi = min(s.frame[n].min() for n in names), max(s.frame[n].max() for n in names)
        found = clean(pl.concat([stats.spread_out(s.frame.select("deal", score=_bin(n, lo, hi)), "score")
                                .select(pl.lit(n.removeprefix("score_")).alias("seat"), pl.all()) for n in names]))
        unit = pick(declared(s.draft.ruleset).score)
        picked = alt.selection_point(name="seat", fields=["seat"], bind="legend")
        base = alt.Chart(found).encode(
            x=alt.X("score:Q", title=f"{say('study.column.score')} ({unit})", axis=alt.Axis(labelAngle=0, tickMinStep=1)),
            color=alt.Color("seat:N", title=say("what.seat")), opacity=alt.condition(picked, alt.value(1.0), alt.value(0.15)),
            tooltip=_tips(alt, {"seat": (say("what.seat"), ""), "score": (say("study.column.score"), ",d")} | _interval(".2%") | _counted()))
        share = alt.Y("value:Q", title=say("chart.share_of_games"), axis=alt.Axis(format="%"))
        band = base.mark_area(fillOpacity=0.2, strokeWidth=0).encode(y=alt.Y("low:Q", title=say("chart.share_of_games")), y2="high:Q")
        return alt.layer(band, base.mark_line(point=True).encode(y=share)).add_params(picked).properties(title=_title(say("chart.scores"), s))

    def wins(self) -> altair.LayerChart:
        """Win share of each seat (and of each bot, where they differ) with 95 % intervals, beside par 1/n."""
        self._needs("won")
        s = self.study
        rows = [(m.name.removeprefix("win "), e.value, e.low, e.high, int(e.n), e.deals) for m, par in s.measures if par
                for e in [m.of(s.frame)]]
        found = pl.DataFrame(rows, schema=["who", "value", "low", "high", "n", "deals"], orient="row")
        par = {"mean": 1 / s.draft.players, "said": f"{say('study.par')} {100 / s.draft.players:.3g} %"}
        who = say("what.seat") + (f" / {say('what.bot')}" if len(set(s.bots)) > 1 else "")
        return _points(found, "who", who, say("study.column.won"), ".1%", par, _title(say("chart.wins"), s))

    def lengths(self, column: str = "decisions") -> altair.LayerChart:
        """How long games are: the distribution of a whole-number column, with the value that 95 % of games stay within."""
        alt, s = _altair(), self.study
        numbers = [c.name for c in s.declared if c.dtype.startswith("Int")]
        if column not in numbers:
            raise UnknownName("column", column, numbers)
        text = pick(next(c.meaning for c in s.declared if c.name == column))
        lo, hi = s.frame[column].min(), s.frame[column].max()
        found = clean(stats.spread_out(s.frame.select("deal", length=_bin(column, lo, hi)), "length"))
        tail = int(s.frame[column].quantile(0.95, "higher"))
        at = alt.X("length:Q", title=text, axis=alt.Axis(labelAngle=0, tickMinStep=1))
        bars = alt.Chart(found).mark_bar(size=max(2, min(24, 380 // max(found.height, 1)))).encode(
            x=at, y=alt.Y("value:Q", title=say("chart.share_of_rows" if s.rows != "game" else "chart.share_of_games"), axis=alt.Axis(format="%")),
            tooltip=_tips(alt, {"length": (text, ",d")} | _interval(".2%") | _counted()))
        end = alt.Chart(pl.DataFrame({"length": [tail], "said": [say("chart.tail", n=tail)]})).encode(x=at)
        return alt.layer(bars, end.mark_rule(strokeDash=[4, 3]), end.mark_text(align="left", dx=4, dy=-4).encode(
            y=alt.value(8), text="said:N")).properties(title=_title(say("chart.lengths"), s))

    def score_by(self, by: str | pl.Expr, *, value: str = "score") -> altair.LayerChart:
        """The mean of a per-seat value in each group of seats, with 95 % intervals: ``score_by("omerta")``.

        Args:
            by: a group of ``game.toml``, a column of ``study.by_seat()``, or an expression over it.
            value: what is averaged, a column of ``study.by_seat()``: "score", "won", or one of the ruleset's.

        Raises:
            UnknownName: no such column; lists them. WorkbenchError: too many different values.
        """
        s = self.study
        frame, groups = s.by_seat(), declared(s.draft.ruleset).groups
        if value not in frame.columns or not (frame.schema[value].is_numeric() or frame.schema[value] == pl.Boolean):
            raise UnknownName("column", value, [n for n, t in frame.schema.items() if t.is_numeric() or t == pl.Boolean])
        if isinstance(by, str) and by not in frame.columns:
            raise UnknownName("column", by, [*groups, *frame.columns])
        name = by if isinstance(by, str) else by.meta.output_name(raise_if_undetermined=False) or "?"
        frame = frame.select("deal", pl.col(value).alias("_value"), (pl.col(by) if isinstance(by, str) else by).alias("group"))
        different = frame["group"].n_unique()
        if different > CATEGORIES:
            raise WorkbenchError(say("chart.categories", name=name, n=different, most=CATEGORIES))
        share = value == "won" or frame.schema["_value"] == pl.Boolean
        found = stats.means(frame, "_value", "group", share=share)
        group = groups.get(name)
        about = next((pick(c.about) for c in s.declared if c.part == name), name)
        of_value = next((pick(c.about) for c in s.declared if c.part == value), value)
        everybody = stats.ratio(*stats.per_deal(frame, pl.col("_value")), share=share)
        line = {"mean": everybody.value, "said": say("chart.all")}
        title = say("chart.by", value=of_value, by=pick(group.title) if group else about)
        return _points(_labelled(found, group), "group", pick(group.title) if group else about, of_value, ".1%" if share else ".3~f", line,
                       _title(title, s))

    def _needs(self, part: str) -> None:
        if not any(c.part == part for c in self.study.declared):
            raise WorkbenchError(say("study.game_rows", rows=self.study.rows))


def _bin(column: str, lo: int, hi: int) -> pl.Expr:
    """Whole numbers as they are where they are few, else the lower ends of equal bins."""
    width = -(-(hi - lo + 1) // BINS)
    return (pl.col(column).cast(pl.Int64) - lo) // width * width + lo


def _labelled(found: pl.DataFrame, group: Group | None) -> pl.DataFrame:
    names = {key: pick(v) if "en" in v else key for key, v in group.values.items()} if group else {}
    return found.with_columns(pl.col("group").cast(pl.String).replace(names))


def _points(found: pl.DataFrame, who: str, who_title: str, title: str, form: str, line: dict | None, top: dict):
    """Points with 95 % intervals, one a line, in the order they come; a dashed line for what they are measured against."""
    alt, found = _altair(), clean(found.with_columns(pl.col(who).cast(pl.String)))
    at = alt.X("value:Q", title=title, axis=alt.Axis(format=form, labelAngle=0), scale=alt.Scale(zero=False))
    picked = alt.selection_point(name="picked", fields=[who])
    base = alt.Chart(found, height=alt.Step(26)).encode(
        y=alt.Y(f"{who}:N", title=who_title, sort=None), opacity=alt.condition(picked, alt.value(1.0), alt.value(0.35)),
        tooltip=_tips(alt, {who: (who_title, "")} | _interval(form) | _counted({"deals": (say("chart.deals"), ",d")})))
    layers = []
    if line is not None:
        against = alt.Chart(clean(pl.DataFrame({"value": [line["mean"]], "said": [line["said"]]}))).encode(x=at)
        layers = [against.mark_rule(strokeDash=[4, 3]),
                  against.mark_text(dy=-6, baseline="bottom").encode(y=alt.value(0), text="said:N")]
    return alt.layer(*layers, base.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
                     base.mark_point(filled=True, size=70).encode(x=at)).add_params(picked).properties(title=top)


def estimates(found: Mapping[str, stats.Estimate], *studies: Study, title: str, value: str, form: str = ".2f",
              line: float | None = None, said: str = ""):
    """Numbers of your own with their 95 % intervals, one a line, under the origin of the studies they come from.

    Args:
        found: what each number is called. title, value: the chart's title and its axis. form: a d3 number format.
        line, said: something to measure them against, and what it is called.

    >>> from workbench.analysis import stats
    >>> e = stats.mean([1, 3, 2, 6], [0, 0, 1, 1])
    >>> estimates({"mine": e}, title="a title", value="points").to_dict()["title"]["text"]
    'a title'
    """
    rows = [(name, e.value, e.low, e.high, int(e.n), e.deals) for name, e in found.items()]
    frame = pl.DataFrame(rows, schema=["who", "value", "low", "high", "n", "deals"], orient="row")
    against = {"mean": line, "said": said} if line is not None else None
    return _points(frame, "who", "", value, form, against, _title(title, *studies))


def differences(c: Comparison):
    """The differences of a comparison: points with 95 % intervals, zero, and the band of the tolerance."""
    alt = _altair()
    rows = [(f"{r.measure.text}{' (%)' if r.measure.share else f' ({pick(r.measure.unit)})' if r.measure.unit else ''}", r.bots,
             *(x * (100 if r.measure.share else 1) for x in (r.difference.value, r.difference.low, r.difference.high, r.tolerance or 0.0)),
             say(f"compare.verdict.{r.verdict}"), r.difference.deals) for r in c.results]
    found = clean(pl.DataFrame(rows, schema=["measure", "bots", "value", "low", "high", "tolerance", "verdict", "deals"], orient="row"))
    found = found.with_columns(below=-pl.col("tolerance"), zero=pl.lit(0.0))
    picked = alt.selection_point(name="picked", fields=["bots"])
    base = alt.Chart(height=alt.Step(26)).encode(
        y=alt.Y("bots:N", title=say("what.bot"), sort=None),
        tooltip=_tips(alt, {"measure": (say("what.measure"), ""), "bots": (say("what.bot"), ""), "verdict": (say("chart.verdict"), "")}
                      | _interval(".4~f") | {"tolerance": ("±", ".4~f"), "deals": (say("chart.deals"), ",d")}))
    title = say("chart.difference_axis")
    band = base.mark_rect(opacity=0.2, color=COLOURS[2]).encode(x=alt.X("below:Q", title=title), x2="tolerance:Q")
    layers = [band, base.mark_tick(color=INK, thickness=1).encode(x="zero:Q"),
              base.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
              base.mark_point(filled=True, size=70).encode(x=alt.X("value:Q", title=title, axis=alt.Axis(labelAngle=0)))]
    studies = [s for pair in c.studies for s in pair]
    return (alt.layer(*layers, data=found).add_params(picked).facet(row=alt.Row("measure:N", title=None, sort=None,
            header=alt.Header(labelAngle=0, labelAlign="left", labelOrient="top", labelAnchor="start")))
            .resolve_scale(x="independent").properties(title=_title(say("chart.differences"), *studies)))
