"""Numbers as people read them: with as many digits as the interval bears, and what a sample size means."""

from __future__ import annotations

import math

from workbench.analysis.stats import Estimate
from workbench.core.language import say


def number(x: float, half: float, *, share: bool = False, signed: bool = False) -> str:
    """One number with the digits that an interval of this half-width bears; a share in percent, without its sign.

    >>> number(0.24831, 0.0085, share=True), number(-1.2345, 0.04, signed=True)
    ('24.83', '-1.234')
    """
    if math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "-∞"
    scale = 100 if share else 1
    half = abs(half * scale)
    digits = 2 if not half or not math.isfinite(half) else min(max(1 - math.floor(math.log10(half)), 0), 4)
    text = f"{x * scale:{'+' if signed else ''},.{digits}f}"
    return text if text.strip("+-0.") else text.lstrip("+-")


def interval(e: Estimate, *, share: bool = False, signed: bool = False) -> str:
    """The interval in brackets.

    >>> interval(Estimate(0.25, 0.2415, 0.2585, 0.004, 2500, 10000), share=True)
    '[24.15, 25.85]'
    """
    return f"[{number(e.low, e.half, share=share, signed=signed)}, {number(e.high, e.half, share=share, signed=signed)}]"


def shown(e: Estimate, *, share: bool = False, unit: str = "") -> str:
    """A number with its unit and interval: "24.83 % [23.98, 25.68]"."""
    unit = " %" if share else f" {unit}" if unit else ""
    return f"{number(e.value, e.half, share=share)}{unit} {interval(e, share=share)}"


def one_in(share: float, lang: str | None = None) -> str:
    """A share of games in words.

    >>> one_in(0.025, "en"), one_in(0.7, "en")
    ('one game in 40', '7 games in 10')
    """
    if share <= 0:
        return say("study.one_in.none", lang)
    if share >= 1:
        return say("study.one_in.every", lang)
    if share < 0.15:
        return say("study.one_in.one", lang, n=round(1 / share))
    if share > 0.95:
        return say("study.one_in.but", lang, n=round(1 / (1 - share)))
    return say("study.one_in.ten", lang, k=round(share * 10))


def precision(e: Estimate, *, share: bool = False, lang: str | None = None) -> str:
    """What this many games can tell, and what four times as many would.

    >>> precision(Estimate(0.25, 0.2415, 0.2585, 0.004, 2500, 10000), share=True, lang="en")
    '±0.85 points at this size; four times the games halve it'
    """
    key = "study.precision.share" if share else "study.precision.mean"
    return say(key, lang, half=number(e.half, e.half, share=share))


def name_of_bots(bots: tuple[str, ...]) -> str:
    """The bots of all seats in one word or list: "random", "heuristic, random, random, random"."""
    return bots[0] if len(set(bots)) == 1 else ", ".join(bots)
