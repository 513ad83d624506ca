"""The bench as a Panel app: standard Panel widgets around the same table and the same session object."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn
import param
from bokeh.models import CustomJS
from panel.custom import AnyWidgetComponent

from workbench.core.language import say
from workbench.ui import bench as of
from workbench.ui.autosave import Autosave
from workbench.ui.bench import Bench, Control
from workbench.ui.nodecharts import SELECTION
from workbench.ui.session import Session
from workbench.ui.widget import ESM
from workbench.ui.wire import Wire

LATER = 60
"""Milliseconds after which the controls follow the table."""
TEMPLATE = """{% block preamble %}<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{margin:8px}</style>{% endblock %}"""
"""Without it a phone lays the page out as wide as a desktop."""


COME_BACK = """window.wbAway ??= setInterval(() => fetch(location.href, {method: 'HEAD', cache: 'no-store'})
  .then(() => location.reload(), () => null), 3000);"""
"""Bokeh gives up after a few attempts; this goes on until the server answers, and shows how things stand then."""


class PanelTable(AnyWidgetComponent):
    """The table in Panel; of what a browser sends only ``move`` is taken."""

    _esm = ESM
    _debounce = 0  # private to Panel, pinned by a test: a click takes 18 ms instead of 58
    view = param.String("{}", doc="the view as JSON: one text crosses faster than a nested table")
    move = param.Dict({})

    @property
    def _linked_properties(self) -> tuple[str, ...]:  # private to Panel, pinned by a test
        return ("move",)


class PanelBench:
    """One browser session's bench: ``page`` is what Panel shows."""

    def __init__(self, session: Session, *, autosave: Autosave | bool = True, tabs: tuple[str, ...] = of.TABS, above: tuple = (), beside: tuple = ()):
        """A bench on a session.

        Args:
            autosave: one that others share, or whether to keep the tree. tabs: those that are offered.
            above, beside: panes of the page's own, above the table and on top of the tabs.
        """
        self.session, self.wire, self.tabs = session, Wire(session), tabs
        self.table = PanelTable(sizing_mode="stretch_width", max_width=1080, min_width=0)
        self._view()
        self.table.param.watch(lambda e: self.wire.receive(e.new), "move")
        self._doc = pn.state.curdoc
        self._ends = [session.listen(lambda _: self._here(self._view))]
        self.bench = Bench(session, autosave=autosave)
        self._quiet = False
        self._known: dict[str, dict] = {}
        self._made: dict[str, Any] = {}
        self._tab = pn.widgets.RadioButtonGroup(options={x: x for x in tabs}, value=tabs[0])
        self._sheets: dict[str, Any] = {}  # made when they are first looked at: a page opens sooner
        self._sheet = pn.Column(sizing_mode="stretch_width", min_width=0)
        tabs_and_sheet = pn.Column(self._tab, self._sheet, sizing_mode="stretch_width", min_width=0)
        side = pn.Column(*beside, tabs_and_sheet, styles={"flex": "1 1 340px", "min-width": "0"}, sizing_mode="stretch_width")
        self._side = tabs_and_sheet if beside else side
        self.page = pn.Column(*self._rows(of.BAR), pn.FlexBox(
            pn.Column(*above, self.table, styles={"flex": "4 1 620px", "min-width": "0"}, sizing_mode="stretch_width"),
            side,
            sizing_mode="stretch_width"), sizing_mode="stretch_width", min_width=0, styles={"color": "inherit"})
        self._tab.param.watch(lambda _: None if self._quiet else self.refresh(), "value")
        self._due = False
        self._ends.append(self.bench.listen(self._later))
        self.refresh()
        self.bench.warm()

    def _here(self, f) -> None:
        """Run where this page's document lives: at once in its own callbacks, else at its next tick."""
        doc = self._doc
        if doc is None or doc is pn.state.curdoc:
            f()
        elif doc.session_context is not None:
            doc.add_next_tick_callback(lambda: f())

    def _later(self) -> None:
        """The controls follow a moment after the table, once for all that changed meanwhile."""
        doc = self._doc
        if doc is None or doc.session_context is None:
            self.refresh()
        elif not self._due:
            self._due = True
            doc.add_next_tick_callback(lambda: doc.add_timeout_callback(self._refresh_now, LATER))

    def _refresh_now(self) -> None:
        self._due = False
        self.refresh()

    def _view(self) -> None:
        self.table.view = json.dumps(self.wire.view(), ensure_ascii=False)

    def _rows(self, place: str) -> list:
        rows: dict[int, list] = {}
        for c in of.CONTROLS:
            if c.place == place:
                self._made[c.id] = self._make(c)
                rows.setdefault(c.row, []).append(self._made[c.id])
        return [pn.FlexBox(*x, align_items="end", gap="6px", sizing_mode="stretch_width", min_width=0) for x in rows.values()]

    def _make(self, c: Control) -> Any:
        if c.kind == of.BUTTON:
            made: Any = pn.widgets.Button(label=c.id)
            made.on_click(lambda _: self.bench.press(c.id))
            return made
        if c.kind == of.CHOICE:
            made = pn.widgets.Select(width=200, max_width=330)
        elif c.kind == of.NUMBER:
            made = pn.widgets.IntInput(start=c.least, end=c.most, width=110)
        elif c.kind == of.TEXT:
            made = pn.widgets.TextInput(sizing_mode="stretch_width", max_width=440)
        elif c.kind == of.AREA:
            made = pn.widgets.TextAreaInput(sizing_mode="stretch_width", max_width=440, rows=3)
        elif c.kind == of.TICK:
            made = pn.widgets.Checkbox()
        elif c.kind == of.PROGRESS:
            return pn.indicators.Progress(max=100, value=0, width=160)
        elif c.kind == of.NOTE:
            return pn.pane.HTML(sizing_mode="stretch_width", min_width=0)
        elif c.kind == of.CHART:
            return pn.Column(sizing_mode="stretch_width", min_width=0)
        else:
            return pn.Column(sizing_mode="stretch_width", min_width=0)
        made.param.watch(lambda e: None if self._quiet else self.bench.set(c.id, e.new), "value")
        return made

    # ------------------------------------------------------------ how things stand

    def refresh(self) -> None:
        """Bring every control that can be seen up to date."""
        mine = self.bench.all_seen
        self._side.visible = mine  # it shows what a seat may not see
        tab = self._tab.value if mine and self._tab.value in self.tabs else None
        titles = {self.bench.text(f"tab.{x}"): x for x in self.tabs}
        if titles != self._tab.options:
            self._quiet = True
            self._tab.param.update(options=titles, value=self._tab.value)
            self._quiet = False
        if tab and tab not in self._sheets:
            self._sheets[tab] = pn.Column(*self._rows(tab), sizing_mode="stretch_width", min_width=0)
        if tab and list(self._sheet) != [self._sheets[tab]]:
            self._sheet[:] = [self._sheets[tab]]
        for c in of.CONTROLS:
            if c.place in (of.BAR, tab):
                state = self.bench.state(c)
                if state != self._known.get(c.id):
                    self._known[c.id] = state
                    self._show(c, self._made[c.id], state)

    def _show(self, c: Control, made: Any, state: dict) -> None:
        quiet, self._quiet = self._quiet, True
        try:
            made.visible = state["shown"]
            if c.kind == of.FORM:
                made[:] = [self._input(x) for x in state["value"]]
            elif c.kind == of.CHART:
                made[:] = self._chart(state["value"])
            elif c.kind == of.NOTE:
                made.object = f"<div style='white-space:pre-wrap;overflow-wrap:anywhere'>{escape(str(state['value']))}</div>"
            elif c.kind == of.PROGRESS:
                made.value = int(100 * state["value"])
            elif c.kind == of.BUTTON:
                made.param.update(label=state["label"], disabled=not state["enabled"])
            elif c.kind == of.CHOICE:
                made.param.update(label=state["label"], options=_unique(state["options"]), value=state["value"], disabled=not state["enabled"])
            else:
                made.param.update(label=state["label"], value=state["value"])
        finally:
            self._quiet = quiet

    def _input(self, x: dict) -> Any:
        kinds = {"number": lambda: pn.widgets.IntInput(start=x["least"], end=x["most"], value=x["value"]),
                 "choice": lambda: pn.widgets.Select(options=dict(x["options"]), value=x["value"]),
                 "text": lambda: pn.widgets.TextInput(value=str(x["value"]), placeholder=x.get("help", ""))}
        made = kinds[x["kind"]]()
        made.param.update(label=x["label"], sizing_mode="stretch_width", max_width=440)
        made.param.watch(lambda e: None if self._quiet else self.bench.set_input(x["id"], e.new), "value")
        return made if not x["fault"] else pn.Column(made, pn.pane.HTML(f"<small>✗ {escape(x['fault'])}</small>"), sizing_mode="stretch_width")

    def _chart(self, chart: Any) -> list:
        return [] if chart is None else [vega(chart, SELECTION, self.bench.brushed)]

    def close(self) -> None:
        """The page was closed: let go of everything."""
        for end in self._ends:
            end()
        self.bench.close()


def vega(chart: Any, selection: str = "", picked: Callable[[Any], object] | None = None, *, sizing_mode: str | None = None) -> Any:
    """An Altair chart on a page; ``picked`` is told what was picked in its selection of this name."""
    # Panel's Vega-Lite is a little older than Altair's: the schema of the major version suits both
    pane = pn.pane.Vega({**chart.to_dict(), "$schema": "https://vega.github.io/schema/vega-lite/v6.json"}, sizing_mode=sizing_mode, min_width=0)
    if picked is not None and selection in pane._selections:
        pane.selection.param.watch(lambda e: picked(e.new), selection)
    return pane


def _unique(options: list[tuple[str, Any]]) -> dict[str, Any]:
    """Options by their text, each text once."""
    found: dict[str, Any] = {}
    for label, value in options:
        found[label if label not in found else f"{label} ({value})"] = value
    return found


def page(session: Session, autosave: Autosave | bool) -> Any:
    """What a visitor gets: the bench, or one sentence when it could not be made (never a traceback with values)."""
    try:
        made = PanelBench(session, autosave=autosave)
    except Exception:  # noqa: BLE001 - a page that fails would show its traceback to the visitor
        traceback.print_exc()
        return pn.pane.HTML(escape(say("ui.serve.failed")))
    pn.state.on_session_destroyed(lambda _: made.close())
    prepare(pn.state.curdoc, TEMPLATE)
    return made.page


def prepare(doc: Any, template: str) -> None:
    """Give a page its frame, and let it load itself anew when its connection is lost."""
    doc.template = template
    doc.js_on_event("client_reconnected", CustomJS(code="window.location.reload()"))
    doc.js_on_event("connection_lost", CustomJS(code=COME_BACK))
