"""Studies: play many games, compare drafts on the same luck, say what can be said and draw it.

>>> import workbench as wb
>>> study = simulate(wb.load("omerta"), games=400)
>>> study.frame.height
400
"""

from workbench.analysis.compare import Comparison, compare
from workbench.analysis.simulate import simulate
from workbench.analysis.study import Study

__all__ = ["Comparison", "Study", "compare", "simulate"]
