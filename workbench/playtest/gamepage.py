"""The page that steps through a game of a table: the designer's own bench on a copy of it, with what was marked and thought along it."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import polars as pl

from workbench.analysis.charts import COLOURS, INK, _altair, clean
from workbench.core.language import language, say
from workbench.playtest.designerpage import SHOWN, ByKey
from workbench.playtest.page import Page, complain
from workbench.playtest.state import MARKS, Decision, Mark, Played
from workbench.playtest.table import PlayTable
from workbench.playtest.told import long_thoughts, marks_of, thoughts_of, told
from workbench.ui.app import TEMPLATE, PanelBench, PanelTable, prepare, vega
from workbench.ui.bench import TABS
from workbench.ui.result import Result
from workbench.ui.session import Session
from workbench.ui.treefile import Opened

PICKED = "moment"
OFFERED = tuple(t for t in TABS if t != "keep")
"""The tabs of this bench: a page that is served to others reads and writes no file."""
BARS = 2_000
"""Thinking times that the chart shows, the longest ones."""


HEAD = TEMPLATE.replace("<style>", '<meta name="referrer" content="no-referrer"><style>')
SHEET = (Path(__file__).parent / "sheet.js").read_text("utf-8")
SHEETS = ("sheet", "place", "side")


class PanelSheet(PanelTable):
    """A sheet of controls beside the bench, in Panel as the bench is."""

    _esm = SHEET


class GamePage(ByKey, Page):
    """One game of a table as it stood when the page was opened, to be stepped through and tried out; the table is not touched."""

    def __init__(self, table: PlayTable, game: Played):
        super().__init__()
        tree, self.end = told(table, game)
        with table.lock:
            self.id, self.number, self.people = table.id, game.number, dict(table.people)
            self.marks, self.thoughts = marks_of(table, game), thoughts_of(table, game)
        self.counted = {n.id for n in tree.line(self.end)}
        self.session = Session(Opened(tree, tree.root, ()), lang=language())
        self.doc = pn.state.curdoc
        self.sheets = {part: PanelSheet(sizing_mode="stretch_width", max_width=1080, min_width=0) for part in SHEETS}
        for part, sheet in self.sheets.items():
            self.seqs[part], self.said[part] = 0, ""
            sheet.param.watch(lambda e, part=part: (self.received(part, e.new), self.show()), "move")
        self.chart, self.drawn = pn.Column(sizing_mode="stretch_width", min_width=0), ""
        self.bench = PanelBench(self.session, autosave=False, tabs=OFFERED, above=(self.sheets["place"],), beside=(self.chart, self.sheets["side"]))
        self.column = pn.Column(self.sheets["sheet"], self.bench.page, sizing_mode="stretch_width", min_width=0,
                                styles={"color": "inherit", "padding": "4px 8px"})
        self.ends += [self.bench.close, self.session.listen(lambda _: self.later())]
        self.connect(self._soon)
        self.show()

    def _soon(self, seconds: float) -> None:
        if self.doc is not None and self.doc.session_context is not None:
            self.doc.add_next_tick_callback(self.show)

    def show(self) -> None:
        """Bring what stands around the bench up to date."""
        if self.due:
            self.refresh()
            for part, sheet in self.sheets.items():
                sheet.view = json.dumps(self.shown.get(part, {}), ensure_ascii=False)

    @property
    def lang(self) -> str:  # type: ignore[override]
        """The language of the bench, which has a control for it."""
        return self.session.lang

    @lang.setter
    def lang(self, value: str) -> None:
        self.session.speak(value)

    # ------------------------------------------------------------ what it shows

    def parts(self) -> dict[str, dict | None]:
        """The heading, the place one stands at, the moments; and the chart in the language in use."""
        if self.drawn != self.lang:
            self.drawn = self.lang
            self.chart[:] = [vega(timeline(self.thoughts, self.marks, self.counted, self.lang), PICKED, self.picked, sizing_mode="stretch_width")] \
                if self.thoughts or self.marks else []
        return {"sheet": self.sheet("sheet", self.sheet_items()), "place": self.sheet("place", self.place_items()),
                "side": self.sheet("side", self.side_items())}

    def sheet_items(self) -> list[dict]:
        """Which game this is."""
        return [{"k": "head", "id": "head", "text": self.text("game", id=self.id, game=self.number, step=self.end.depth)},
                {"k": "text", "id": "copy", "text": self.text("game_copy"), "look": "small"}]

    def place_items(self) -> list[dict]:
        """What was marked at the place one stands at, and how long who thought there."""
        node, here = self.session.here.id, self.session.here
        items = [{"k": "text", "id": f"m{n}", "text": f"⚑ {self._marked(m)}", "look": "turn"} for n, m in enumerate(self.marks) if m.node == node]
        thought = " · ".join(self._thought(d) for d in self.thoughts if d.node == node)
        place = self.text("place" if node in self.counted else "place_aside", step=here.depth)
        return [*items, {"k": "text", "id": "thought", "text": f"{place} {thought}".strip()}]

    def side_items(self) -> list[dict]:
        """Every mark and every long thought, in the order of the game; each is a button that leads there."""
        found = [(m.depth, 0, m.node, f"⚑ {self._marked(m)}") for m in self.marks]
        found += [(d.depth, 1, d.node, self._thought(d)) for d in long_thoughts(self.thoughts)]
        buttons = [{"k": "button", "id": f"go {node} {n}", "label": self.text("moment", step=depth, what=what)}
                   for n, (depth, _, node, what) in enumerate(sorted(found, key=lambda x: x[:2]))][:SHOWN]
        return [{"k": "group", "id": "moments", "label": self.text("moments", n=len(found)), "fold": True, "open": True,
                 "items": [{"k": "row", "id": "go", "items": buttons}] if buttons else [{"k": "text", "id": "none", "text": self.text("moments_none"), "look": "small"}]}]

    def _who(self, seat: str, person: int | None) -> str:
        name = self.people.get(person or 0, "")
        return f"{seat} {name}" if name else seat

    def _marked(self, m: Mark) -> str:
        return self.text("mark_place", who=self._who(m.seat, m.person), kind=self.text(f"mark.{m.kind}")) + (f" {m.text}" if m.text else "")

    def _thought(self, d: Decision) -> str:
        return self.text("thought", who=self._who(d.seat, d.person), move=d.move, seconds=f"{d.seconds:.1f}")

    # ------------------------------------------------------------ what it does

    def act(self, id: str, value: object) -> Result | None:
        """Go to a moment of the list."""
        word, _, rest = id.partition(" ")
        node = rest.partition(" ")[0]
        return self.session.jump(int(node)) if word == "go" and node.isascii() and node.isdigit() and len(node) < 10 else self.malformed()

    def picked(self, value: object) -> None:
        """Go to what was picked in the chart: rows, or one table a field, as its toolkit has it."""
        for row in value if isinstance(value, list) else [value]:
            node = row.get("node") if isinstance(row, dict) else None
            node = node[0] if isinstance(node, list) and node else node
            if isinstance(node, int) and not isinstance(node, bool):
                self.session.jump(node)
                return


def shown(made: Callable[[], GamePage | None]) -> Any:
    """What a visitor gets: the page, or one sentence; never a traceback."""
    try:
        page = made()
        if page is None:
            return _sentence("playtest.page.no_link")
    except Exception as e:  # noqa: BLE001 - Panel would show the traceback, with values, to the visitor
        complain(e)
        return _sentence("playtest.page.failed")
    pn.state.on_session_destroyed(lambda _: page.close())
    prepare(pn.state.curdoc, HEAD)
    return page.column


def _sentence(key: str) -> Any:
    pn.state.curdoc.template = HEAD
    return pn.pane.HTML(f"<p>{escape(say(key))}</p>")


def timeline(thoughts: list[Decision], marks: list[Mark], counted: set[int], lang: str) -> Any:
    """Thinking times along a game as bars, one colour a seat (paler: taken back), the marks above them; a click picks one."""
    alt = _altair()
    kinds = [say(f"playtest.page.mark.{m}", lang) for m in MARKS]
    longest = sorted(thoughts, key=lambda d: -d.seconds)[:BARS]
    last = {(d.node, d.seat): d for d in thoughts if d.node in counted}  # one that was taken back was made again at the same place, or leads aside
    bars = clean(pl.DataFrame([(d.node, d.depth, d.seat, d.move, round(d.seconds, 1), last.get((d.node, d.seat)) is d) for d in longest], orient="row",
                              schema={"node": pl.Int64, "step": pl.Int64, "seat": pl.String, "move": pl.String, "seconds": pl.Float64, "counts": pl.Int8}))
    flags = clean(pl.DataFrame([(m.node, m.depth, m.seat, say(f"playtest.page.mark.{m.kind}", lang), m.text) for m in marks[-BARS:]], orient="row",
                               schema={"node": pl.Int64, "step": pl.Int64, "seat": pl.String, "mark": pl.String, "text": pl.String}))
    step, seconds, seat = say("playtest.page.step", lang), say("playtest.page.seconds", lang), say("what.seat", lang)
    seats = sorted({d.seat for d in thoughts})
    x = alt.X("step:Q", title=step, axis=alt.Axis(tickMinStep=1, labelAngle=0), scale=alt.Scale(zero=False, nice=False, padding=8))
    picked = alt.selection_point(name=PICKED, fields=["node"], on="click", toggle=False)
    drawn = alt.Chart(bars).mark_bar(size=4, cursor="pointer").encode(
        x=x, y=alt.Y("seconds:Q", title=seconds, axis=alt.Axis(tickCount=3)),
        color=alt.Color("seat:N", title=None, scale=alt.Scale(domain=seats, range=COLOURS), legend=alt.Legend(orient="top")),
        opacity=alt.condition("datum.counts == 1", alt.value(1.0), alt.value(0.35)),
        tooltip=[alt.Tooltip("step:Q", title=step), alt.Tooltip("seat:N", title=seat), alt.Tooltip("move:N", title=say("what.move", lang)),
                 alt.Tooltip("seconds:Q", title=seconds)]).add_params(picked)
    above = alt.Chart(flags).mark_point(size=70, filled=True, color=INK, cursor="pointer", opacity=1).encode(
        x=x, y=alt.value(-6), shape=alt.Shape("mark:N", title=None, scale=alt.Scale(domain=kinds, range=["triangle-down", "diamond", "circle"]),
                                              legend=alt.Legend(orient="top", columns=1) if marks else None),
        tooltip=[alt.Tooltip("step:Q", title=step), alt.Tooltip("seat:N", title=seat), alt.Tooltip("mark:N", title=say("playtest.page.mark_title", lang)),
                 alt.Tooltip("text:N", title=say("playtest.page.mark_line_title", lang))])
    return alt.layer(drawn, above).properties(width="container", height=90)
