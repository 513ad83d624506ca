"""What can be measured on a study's rows, by name or as a Polars expression."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from workbench.analysis.columns import declared
from workbench.analysis.stats import Estimate, per_deal, ratio
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import LANGUAGES, pick, say

if TYPE_CHECKING:
    from workbench.analysis.study import Study


@dataclass(frozen=True)
class Measure:
    """One number a row: its name, an expression over the frame, its text, whether it is a share, its unit."""

    name: str
    value: pl.Expr
    title: dict | str
    share: bool = False
    unit: dict | str = ""

    @property
    def text(self) -> str:
        """What it is, in the language in use."""
        return pick(self.title)

    def of(self, frame: pl.DataFrame) -> Estimate:
        """Its mean over a frame, with an interval clustered by deal."""
        return ratio(*per_deal(frame, self.value), share=self.share)


def both(key: str, **values: object) -> dict:
    """A sentence of the messages in both languages."""
    return {lang: say(key, lang, **values) for lang in LANGUAGES}


def known(study: Study) -> dict[str, Measure]:
    """Every measure that a study offers by name.

    "score" and other per-seat things are means over the seats, "score P1" is one seat's; then "spread"
    (highest score less lowest), "draw" (share of games won by several), "nobody" (by none), and each column.
    """
    score = declared(study.draft.ruleset).score
    single: dict[str, Measure] = {}
    seats: dict[str, list[Measure]] = {}
    found: dict[str, Measure] = {}
    for c in study.declared:
        if c.dtype in ("Enum", "String", "Categorical") or c.name in ("game", "deal", "turn", "luck"):
            continue
        m = Measure(c.name, pl.col(c.name), c.meaning, c.dtype == "Boolean" or c.part == "won", score if c.part == "score" else "")
        single[c.name] = m
        if c.part:
            seats.setdefault(c.part, []).append(m)
            name = f"{'win' if c.part == 'won' else c.part} {c.seat}"
            single[name] = replace(m, name=name)
            mean = pl.mean_horizontal(x.value.cast(pl.Float64) for x in seats[c.part])
            title = {lang: say("study.measure.seats", lang, what=text) for lang, text in c.about.items()}
            found[c.part] = Measure(c.part, mean, title, m.share, m.unit)
    if "won" in found:  # its mean over the seats says nothing
        del found["won"]
        scores, most = [m.value for m in seats["score"]], pl.max_horizontal(m.value for m in seats["won"])
        found["spread"] = Measure("spread", pl.max_horizontal(scores) - pl.min_horizontal(scores), both("study.measure.spread"), unit=score)
        found["draw"] = Measure("draw", (most > 0) & (most < 0.75), both("study.measure.draw"), share=True)
        found["nobody"] = Measure("nobody", most == 0, both("study.measure.nobody"), share=True)
    return found | single


def measure(study: Study, what: str | pl.Expr, name: str = "") -> Measure:
    """A measure by name or from an expression over the study's frame (one value a row).

    Raises:
        UnknownName: no such measure or column; lists them. WorkbenchError: not a number a row.
    """
    if isinstance(what, str):
        offered = known(study)
        if what not in offered:
            raise UnknownName("measure", what, offered)
        return offered[what] if name in ("", what) else replace(offered[what], name=name, title=name)
    name = name or what.meta.output_name(raise_if_undetermined=False) or "?"
    try:
        values = study.frame.select(what.alias("value"))
    except pl.exceptions.ColumnNotFoundError as e:
        missing = re.search(r'"([^"]+)"', str(e))
        raise UnknownName("column", missing[1] if missing else str(e), study.frame.columns) from None
    except pl.exceptions.PolarsError as e:
        raise WorkbenchError(say("study.expression", name=name, why=str(e).split("\n")[0])) from None
    kind = values.schema["value"]
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise WorkbenchError(say("study.expression", name=name, why=str(kind)))
    if values.height != study.frame.height:
        raise WorkbenchError(say("study.one_a_row", name=name))
    return Measure(name, what, name, kind == pl.Boolean)
