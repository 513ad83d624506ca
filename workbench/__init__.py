"""Workbench: an interactive notebook workbench for people who design tabletop games.

>>> import workbench as wb
>>> omerta = wb.load("omerta")
>>> pos = omerta.start(luck=7)
>>> pos.to_move
'P0'

``wb.rulesets()`` shows what there is, ``wb.load`` opens a draft, ``wb.simulate`` plays many games of it,
``wb.compare`` plays two drafts on the same luck, ``wb.play`` opens the live table, ``wb.check`` runs the checks; ``help(wb.load)`` says more.
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.analysis.compare import Comparison, compare
    from workbench.analysis.simulate import simulate
    from workbench.analysis.study import Study
    from workbench.api import rulesets
    from workbench.checks import check
    from workbench.core.draft import Draft, load
    from workbench.core.errors import WorkbenchError
    from workbench.core.language import language
    from workbench.core.position import Position, read
    from workbench.core.saved import replay
    from workbench.playtest.results import playtests
    from workbench.ui.open import play
    from workbench.ui.still import table

__all__ = ["Comparison", "Draft", "Position", "Study", "WorkbenchError", "check", "compare", "language", "load", "play", "playtests",
           "read", "replay", "rulesets", "simulate", "table"]
__version__ = "0.1.0"

_LIES_IN = {
    "rulesets": "api", "load": "core.draft", "Draft": "core.draft", "read": "core.position", "Position": "core.position",
    "replay": "core.saved", "language": "core.language", "WorkbenchError": "core.errors", "check": "checks",
    "simulate": "analysis.simulate", "compare": "analysis.compare", "Comparison": "analysis.compare", "Study": "analysis.study",
    "table": "ui.still", "play": "ui.open", "playtests": "playtest.results",
}


def __getattr__(name: str) -> object:
    """Import what a name stands for when it is first used, so that importing the package takes no time."""
    if name not in _LIES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import(f"{__name__}.{_LIES_IN[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(n for n in globals() if n.startswith("__"))})
