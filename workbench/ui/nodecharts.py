"""Charts of what follows a node: the distribution of scores by seat against the parent's, and the legal moves beside each other."""

from __future__ import annotations

import polars as pl

from workbench.analysis.charts import COLOURS, INK, _altair, clean
from workbench.core.language import say
from workbench.ui.playouts import Playouts, bins

SELECTION = "bar"


def origin(p: Playouts, lang: str) -> str:
    """What was played, in one line."""
    text = say("ui.chart.origin", lang, games=p.games, bot=p.bot, luck=p.luck, draft=p.start[0].draft.label)
    if p.unseen_by:
        text += say("ui.chart.anew", lang, seat=p.unseen_by, deals=len(p.start))
    return text + (say("ui.chart.stopped", lang, asked=p.asked) if p.stopped else "") + (say("ui.chart.capped", lang, n=p.capped) if p.capped else "")


def scores(found: Playouts, parent: Playouts | None = None, lang: str = "en"):
    """Bars: how often each seat ends with each score, 95 % intervals; a line: the parent's. A click on a bar selects it."""
    alt = _altair()
    width, low = bins([found, *([parent] if parent is not None else [])])
    columns = ["seat", "score", "value", "low", "high", "n"]
    rows = [(s, *d) for s in found.seats for d in found.distribution(s, width, low)]
    table = clean(pl.DataFrame(rows, schema=columns, orient="row")).with_columns(end=pl.col("score") + width, middle=pl.col("score") + width / 2)
    picked = alt.selection_point(name=SELECTION, fields=["seat", "score"], on="click", toggle=False)
    x = alt.X("score:Q", title=say("ui.chart.score", lang), axis=alt.Axis(labelAngle=0, tickMinStep=1), scale=alt.Scale(nice=False))
    share = say("chart.share_of_games", lang)
    base = alt.Chart(table, width=128, height=100)
    tips = [alt.Tooltip("seat:N", title=say("what.seat", lang)), alt.Tooltip("score:Q", title=say("ui.chart.score", lang)),
            alt.Tooltip("value:Q", title=share, format=".1%"), alt.Tooltip("low:Q", title=say("chart.low", lang), format=".1%"),
            alt.Tooltip("high:Q", title=say("chart.high", lang), format=".1%"), alt.Tooltip("n:Q", title=say("ui.chart.games", lang))]
    bars = base.mark_bar(stroke="transparent", cursor="pointer").encode(
        x=x, x2="end:Q", y2=alt.datum(0), y=alt.Y("value:Q", title=share, axis=alt.Axis(format="%", tickCount=4)), tooltip=tips,
        color=alt.Color("seat:N", legend=None, scale=alt.Scale(domain=list(found.seats), range=COLOURS)),
        opacity=alt.condition(picked, alt.value(0.9), alt.value(0.35))).add_params(picked)
    layers = [bars, base.mark_rule(color=INK).encode(x="middle:Q", y="low:Q", y2="high:Q")]
    if parent is not None:
        before = {(s, d[0]): d[1] for s in parent.seats for d in parent.distribution(s, width, low)}
        ticks = pl.DataFrame([(s, v, v + width, share) for (s, v), share in before.items()], schema=["seat", "score", "end", "parent"], orient="row")
        table = clean(pl.concat([table, ticks], how="diagonal"))
        layers = [layer.properties(data=alt.Undefined) for layer in layers]
        layers.append(alt.Chart(width=128, height=100).mark_rule(color=INK, strokeWidth=2, strokeDash=[3, 2]).encode(x="score:Q", x2="end:Q", y="parent:Q"))
    subtitle = [origin(found, lang)] + ([say("ui.chart.parent", lang)] if parent is not None else [])
    return alt.layer(*layers, data=table).facet(facet=alt.Facet("seat:N", title=None), columns=2).properties(
        title={"text": say("ui.chart.scores", lang), "subtitle": subtitle})


def moves(found: dict[str, Playouts], seat: str, lang: str = "en"):
    """Each legal move of a seat: its share of wins with 95 % intervals, best first."""
    alt = _altair()
    rows = [(m, *(lambda e, s: (e.value, e.low, e.high, s.value))(p.win(seat), p.score(seat))) for m, p in found.items()]
    table = clean(pl.DataFrame(rows, schema=["move", "value", "low", "high", "score"], orient="row"))
    title = say("ui.chart.win", lang, seat=seat)
    base = alt.Chart(table, width=300, height=alt.Step(20)).encode(
        y=alt.Y("move:N", sort=None, title=None, axis=alt.Axis(labelLimit=160)),
        tooltip=[alt.Tooltip("move:N", title=say("what.move", lang)), alt.Tooltip("value:Q", title=title, format=".1%"),
                 alt.Tooltip("low:Q", title=say("chart.low", lang), format=".1%"), alt.Tooltip("high:Q", title=say("chart.high", lang), format=".1%"),
                 alt.Tooltip("score:Q", title=say("ui.chart.mean", lang), format=".2f")])
    at = alt.X("value:Q", title=title, axis=alt.Axis(format="%", labelAngle=0), scale=alt.Scale(zero=False))
    return alt.layer(base.mark_rule(color=COLOURS[0]).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
                     base.mark_point(filled=True, size=60, color=COLOURS[0]).encode(x=at)).properties(
        title={"text": say("ui.chart.moves", lang), "subtitle": [origin(next(iter(found.values())), lang)]})
