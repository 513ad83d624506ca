"""The table in JupyterLab: an anywidget over a session; in a stored notebook its still picture stands for it."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets

from workbench.ui.session import Session
from workbench.ui.still import Still
from workbench.ui.wire import Wire

ESM = (Path(__file__).parent / "table.js").read_text("utf-8")
"""As text, not as a path: with a path every closed widget stays alive."""


class TableWidget(anywidget.AnyWidget):
    """Shows a session's view; the browser can set ``move`` and nothing else."""

    _esm = ESM
    view = traitlets.Dict().tag(sync=True)
    move = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session):
        self.session, self.wire = session, Wire(session)
        super().__init__(view=self.wire.view(), layout={"width": "100%", "min_width": "0"})
        self.observe(self._moved, "move")
        self._end = session.listen(lambda _: self.show())

    def show(self) -> None:
        """Send the view as it is now."""
        if self.comm is not None:
            self.view = self.wire.view()

    def _moved(self, change) -> None:
        self.wire.receive(change["new"])

    def set_state(self, sync_data: dict) -> None:
        """From the browser: everything but ``move`` is left out."""
        super().set_state({k: v for k, v in sync_data.items() if k == "move"})

    def close(self) -> None:
        """Take the widget off the page and off the session."""
        end = getattr(self, "_end", None)
        if end is not None:
            end()
        super().close()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        still = Still(self.session.view())._repr_mimebundle_()
        data, meta = bundle if isinstance(bundle, tuple) else (bundle, {})
        return ({**(data or {}), **still}, meta)
