"""The bench in JupyterLab: standard ipywidgets around the table, laid out from the list of controls."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as w

from workbench.ui import bench as of
from workbench.ui.bench import Bench, Control
from workbench.ui.nodecharts import SELECTION
from workbench.ui.session import Session
from workbench.ui.still import Still
from workbench.ui.widget import TableWidget

WIDE = {"description_width": "initial"}


class LabBench(w.VBox):
    """A live table in a cell; ``session`` is the controller behind it, ``position`` where it stands."""

    def __init__(self, session: Session, *, autosave: bool | str | Path = True):
        self.session = session
        self.table = TableWidget(session)  # listens first: the table is redrawn before the controls
        self.bench = Bench(session, autosave=autosave)
        self._quiet = False
        self._known: dict[str, dict] = {}
        self._made = {c.id: self._make(c) for c in of.CONTROLS}
        self._tabs = w.Tab(children=[w.VBox(self._rows(place)) for place in of.TABS], layout=w.Layout(flex="1 1 380px", min_width="0"))
        table = w.Box([self.table], layout=w.Layout(flex="4 1 620px", min_width="0", max_width="1080px"))
        super().__init__([*self._rows(of.BAR), w.Box([table, self._tabs], layout=w.Layout(display="flex", flex_flow="row wrap", min_width="0"))])
        self._tabs.observe(lambda _: self.refresh(), "selected_index")
        self._end = self.bench.listen(self.refresh)
        self.refresh()
        self.bench.warm()

    @property
    def position(self):
        """The position one stands at."""
        return self.session.position

    def _rows(self, place: str) -> list[w.Widget]:
        rows: dict[int, list] = {}
        for c in of.CONTROLS:
            if c.place == place:
                rows.setdefault(c.row, []).append(self._made[c.id])
        flow = {"display": "flex", "flex_flow": "row wrap", "min_width": "0", "align_items": "center"}
        return [w.Box(x, layout=w.Layout(**flow)) for x in rows.values()]

    def _make(self, c: Control) -> w.Widget:
        if c.kind == of.BUTTON:
            made: Any = w.Button(layout=w.Layout(width="auto"))
            made.on_click(lambda _: self.bench.press(c.id))
            return made
        auto = w.Layout(width="auto", max_width="100%", min_width="0")
        if c.kind == of.CHOICE:
            made = w.Dropdown(style=WIDE, layout=auto)
        elif c.kind == of.NUMBER:
            made = w.BoundedIntText(min=c.least, max=c.most, style=WIDE, layout=w.Layout(width="150px"))
        elif c.kind == of.TEXT:
            made = w.Text(style=WIDE, continuous_update=False, layout=w.Layout(width="100%", max_width="460px"))
        elif c.kind == of.AREA:
            made = w.Textarea(style=WIDE, continuous_update=False, rows=3, layout=w.Layout(width="100%", max_width="460px"))
        elif c.kind == of.TICK:
            made = w.Checkbox(indent=False, layout=w.Layout(width="auto", margin="0 14px 0 8px"))
        elif c.kind == of.PROGRESS:
            return w.FloatProgress(min=0, max=1, layout=w.Layout(width="160px"))
        elif c.kind == of.NOTE:
            return w.HTML(layout=w.Layout(max_width="100%"))
        else:
            return w.VBox(layout=w.Layout(min_width="0", max_width="100%"))
        made.observe(lambda change: self._set(c.id, change["new"]), "value")
        return made

    def _set(self, id: str, value: object) -> None:
        if not self._quiet:
            self.bench.set(id, value)

    # ------------------------------------------------------------ how things stand

    def refresh(self) -> None:
        """Bring every control that can be seen up to date."""
        mine = self.bench.all_seen
        self._tabs.layout.display = "" if mine else "none"  # they show what a seat may not see
        tab = of.TABS[self._tabs.selected_index or 0] if mine else None
        self._tabs.titles = [self.bench.text(f"tab.{x}") for x in of.TABS]
        for c in of.CONTROLS:
            if c.place in (of.BAR, tab):
                state = self.bench.state(c)
                if state != self._known.get(c.id):
                    self._known[c.id] = state
                    self._show(c, self._made[c.id], state)

    def _show(self, c: Control, made: Any, state: dict) -> None:
        quiet, self._quiet = self._quiet, True
        try:
            made.layout.display = "" if state["shown"] else "none"
            if c.kind == of.FORM:
                made.children = [self._input(x) for x in state["value"]]
            elif c.kind == of.CHART:
                made.children = self._chart(state["value"])
            elif c.kind == of.NOTE:
                made.value = f"<div style='white-space:pre-wrap;line-height:1.4'>{escape(str(state['value']))}</div>"
            else:
                made.description = state["label"]
                if c.kind == of.CHOICE:
                    if tuple(state["options"]) != tuple(made.options):
                        made.options = state["options"]
                if c.kind not in (of.BUTTON,) and made.value != state["value"]:
                    made.value = state["value"]
                if c.kind != of.PROGRESS:
                    made.disabled = not state["enabled"]
        finally:
            self._quiet = quiet

    def _input(self, x: dict) -> w.Widget:
        kinds = {"number": lambda: w.BoundedIntText(min=x["least"], max=x["most"], value=x["value"]),
                 "choice": lambda: w.Dropdown(options=x["options"], value=x["value"]),
                 "text": lambda: w.Text(value=str(x["value"]), continuous_update=False, placeholder=x.get("help", ""))}
        made = kinds[x["kind"]]()
        made.description, made.style, made.layout = x["label"], WIDE, w.Layout(width="100%", max_width="420px")
        made.observe(lambda change: None if self._quiet else self.bench.set_input(x["id"], change["new"]), "value")
        return made if not x["fault"] else w.VBox([made, w.HTML(f"<small>✗ {escape(x['fault'])}</small>")])

    def _chart(self, chart: Any) -> list:
        if chart is None:
            return []
        import altair as alt

        alt.JupyterChart.enable_offline()
        shown = alt.JupyterChart(chart)
        bar = getattr(shown.selections, SELECTION, None)
        if bar is not None:
            shown.selections.observe(lambda change: self.bench.brushed(change["new"].value), SELECTION)
        return [shown]

    # ------------------------------------------------------------ elsewhere

    def close(self) -> None:
        """End the table: the tree is written, nothing stays behind."""
        if hasattr(self, "_end"):
            self._end()
            self.bench.close()
            self.table.close()
        super().close()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, meta = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), **Still(self.session.view())._repr_mimebundle_()}, meta
