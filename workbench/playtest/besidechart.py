"""People beside a simulation as one chart: scores, length and win share by seat, each with 95 % intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from workbench.analysis.charts import COLOURS, _altair, clean
from workbench.core.language import pick, say
from workbench.playtest.beside import LENGTH, PEOPLE, SCORE, SCORES, WIN

if TYPE_CHECKING:
    from workbench.playtest.beside import Beside

WIDTH, STEP = 230, 16
"""Narrow enough for a phone."""


def chart(b: Beside, lang: str | None = None) -> Any:
    """The chart of a comparison; a panel that has nothing of people is left out."""
    alt = _altair()

    def text(key: str, **values: object) -> str:
        return say(f"playtest.beside.{key}", lang, **values)

    names = {PEOPLE: text("people"), b.bot: text("bot", bot=b.bot)}
    data = clean(b.frame.with_columns(source=pl.col("source").replace(names)))
    colour = alt.Color("source:N", title=None, sort=None, scale=alt.Scale(domain=list(names.values()), range=[COLOURS[1], COLOURS[0]]),
                       legend=alt.Legend(orient="top", symbolOpacity=1))
    kinds = b.frame["measure"].unique().to_list()

    def tips(form: str, *more: Any) -> list:
        return [alt.Tooltip("source:N", title=text("source")), *more, alt.Tooltip("value:Q", title=say("chart.value", lang), format=form),
                alt.Tooltip("low:Q", title=say("chart.low", lang), format=form), alt.Tooltip("high:Q", title=say("chart.high", lang), format=form),
                alt.Tooltip("games:Q", title=text("game"), format=",d")]

    def points(measure: str, title: str, form: str, seats: bool = False) -> Any:
        found = data.filter(pl.col("measure") == measure)
        at = alt.X("value:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(format=form, labelAngle=0, tickCount=5))
        y = alt.Y("seat:N", title=None, sort=None) if seats else alt.Y("source:N", title=None, sort=None, axis=None)
        base = alt.Chart(found, width=WIDTH, height=alt.Step(STEP, **({"for": "offset"} if seats else {}))).encode(
            y=y, color=colour, tooltip=tips(form, *([alt.Tooltip("seat:N", title=say("what.seat", lang))] if seats else [])))
        if seats:
            base = base.encode(yOffset=alt.YOffset("source:N", sort=list(names.values())))
        layers = [base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q"), base.mark_point(filled=True, size=70, opacity=1).encode(x=at)]
        if seats:
            layers.insert(0, alt.Chart(pl.DataFrame({"par": [1 / b.draft.players]})).mark_rule(strokeDash=[4, 3]).encode(x=alt.X("par:Q", title=title)))
        return alt.layer(*layers)

    def distribution() -> Any:
        found = data.filter(pl.col("measure") == SCORES).with_columns(end=pl.col("at") + b.bin, middle=pl.col("at") + b.bin / 2)
        at = alt.X("at:Q", title=f"{text('scores')} ({unit})" if unit else text("scores"), axis=alt.Axis(labelAngle=0, tickMinStep=1), scale=alt.Scale(nice=False, zero=False))
        share = alt.Y("value:Q", title=text("share"), axis=alt.Axis(format="%", tickCount=4))
        tip = tips(".1%", alt.Tooltip("at:Q", title=text("scores")))
        bars = alt.Chart(found, width=WIDTH, height=120).transform_filter(alt.datum.source != names[PEOPLE]).mark_bar(opacity=0.45).encode(
            x=at, x2="end:Q", y=share, y2=alt.datum(0), color=colour, tooltip=tip)
        mine = alt.Chart(found).transform_filter(alt.datum.source == names[PEOPLE]).encode(x=alt.X("middle:Q"), color=colour, tooltip=tip)
        return alt.layer(bars, mine.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q"), mine.mark_point(filled=True, size=60, opacity=1).encode(y=share))

    unit = pick(b.unit, lang)
    panels = [make() for kind, make in ((SCORES, distribution), (SCORE, lambda: points(SCORE, text("score"), "~f")),
                                        (LENGTH, lambda: points(LENGTH, text("length"), "~f")), (WIN, lambda: points(WIN, text("wins"), "~%", True)))
              if kind in kinds]
    lines = [text("title_draft", draft=b.study.label, players=b.draft.players),
             text("title_people", games=len(b.counted.games), tables=b.counted.tables), text("title_bot", bot=b.bot, games=b.study.games, luck=b.study.luck)]
    return alt.vconcat(*panels, spacing=14).properties(title={"text": text("title"), "subtitle": lines})
