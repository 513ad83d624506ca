"""Means, shares and differences with intervals that know which games belong together.

The unit is the deal: its games (one from each seat turn) share their cards, so an interval that
took each game for itself would be too narrow or too wide. Every estimate here is a ratio of two
sums over deals, and its error comes from how the deals differ (linearised, cluster-robust).

Pure functions on NumPy arrays and Polars frames; intervals are 95 % intervals unless told otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its interval: ``low`` to ``high``, standard error, deals it rests on, ``n`` values in it.

    >>> Estimate(2.0, 1.5, 2.5, 0.25, 100, 400).half
    0.5
    """

    value: float
    low: float
    high: float
    se: float
    deals: int
    n: float

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Test:
    """A test of one question over several numbers at once: ``p`` is how often chance alone goes this far."""

    __test__ = False  # not for pytest

    chi2: float
    df: int
    p: float
    deals: int


# ---------------------------------------------------------------- one number


def totals(values: Sequence, deal: Sequence, weight: Sequence | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Sums a deal of values and of weights (1 each), over deals in ascending order; missing values are left out."""
    values, deal = np.asarray(values, float), np.asarray(deal)
    weight = np.ones(len(values)) if weight is None else np.asarray(weight, float)
    there = ~(np.isnan(values) | np.isnan(weight))
    deals, which = np.unique(deal, return_inverse=True)
    y = np.bincount(which[there], values[there], len(deals))
    return y, np.bincount(which[there], weight[there], len(deals))


def mean(values: Sequence, deal: Sequence, *, level: float = LEVEL) -> Estimate:
    """The mean of values, which belong together by deal.

    >>> e = mean([1, 3, 2, 6], [0, 0, 1, 1])
    >>> e.value, e.deals, e.n
    (3.0, 2, 4.0)
    """
    return ratio(*totals(values, deal), level=level)


def share(hits: Sequence, deal: Sequence, *, level: float = LEVEL) -> Estimate:
    """The share of hits (0 to 1 each), with an interval that stays inside 0 to 1 and does not vanish at 0 or 1.

    >>> e = share([1, 0, 0, 0], [0, 0, 1, 1])
    >>> e.value, 0 < e.low < e.high < 1
    (0.25, True)
    """
    return ratio(*totals(hits, deal), share=True, level=level)


def ratio(y: np.ndarray, x: np.ndarray, *, share: bool = False, level: float = LEVEL) -> Estimate:
    """Σy / Σx from the sums of each deal: a mean, a share, or a mean given something (``x`` counts where it holds).

    Args:
        y, x: one sum a deal. share: the values lie in 0 to 1; gives a Wilson interval at the size that
            the deals are worth.

    Returns:
        An :class:`Estimate`; without any ``x`` its value is NaN, and from one deal its interval is without bounds.
    """
    y, x = np.asarray(y, float), np.asarray(x, float)
    n, deals = float(x.sum()), int((x != 0).sum())
    value = float(y.sum() / n) if n else math.nan
    if deals < 2:
        return Estimate(value, *((0.0, 1.0) if share else (-math.inf, math.inf)), math.nan, deals, n)
    error = (y - value * x) / n
    se, t = math.sqrt(deals / (deals - 1) * float(error @ error)), quantile(level, deals - 1)
    if share and 0 <= value <= 1:
        # constant 0 or 1 says nothing about spread: then each deal counts as one
        worth = value * (1 - value) / se**2 if se > 0 else deals if value in (0, 1) else math.inf
        return Estimate(value, *_wilson(value, worth, t), se, deals, n)
    return Estimate(value, value - t * se, value + t * se, se, deals, n)


def difference(a: tuple, b: tuple, *, level: float = LEVEL) -> Estimate:
    """Σy/Σx of ``b`` less that of ``a``, on the same deals: what the deals have in common cancels.

    Args:
        a, b: (y, x), one sum a deal, deals in the same order in both.

    >>> e = difference(([1, 2, 3], [1, 1, 1]), ([2, 3, 4], [1, 1, 1]))
    >>> e.value, e.se
    (1.0, 0.0)
    """
    (ya, xa), (yb, xb) = ((np.asarray(y, float), np.asarray(x, float)) for y, x in (a, b))
    na, nb, deals = float(xa.sum()), float(xb.sum()), int(((xa != 0) | (xb != 0)).sum())
    if not na or not nb:
        return Estimate(math.nan, -math.inf, math.inf, math.nan, deals, min(na, nb))
    va, vb = float(ya.sum() / na), float(yb.sum() / nb)
    if deals < 2:
        return Estimate(vb - va, -math.inf, math.inf, math.nan, deals, min(na, nb))
    error = (yb - vb * xb) / nb - (ya - va * xa) / na
    se = math.sqrt(deals / (deals - 1) * float((error**2).sum()))
    t = quantile(level, deals - 1)
    return Estimate(vb - va, vb - va - t * se, vb - va + t * se, se, deals, min(na, nb))


def wilson(hits: float, n: float, *, level: float = LEVEL) -> tuple[float, float]:
    """The Wilson interval of a plain count, each of ``n`` for itself.

    >>> lo, hi = wilson(0, 10)
    >>> round(lo, 3), round(hi, 3)
    (0.0, 0.278)
    """
    return _wilson(hits / n, n, quantile(level, math.inf)) if n else (0.0, 1.0)


def exact(hits: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval of a plain count; for small ones.

    >>> lo, hi = exact(0, 10)
    >>> round(lo, 3), round(hi, 3)
    (0.0, 0.308)
    """
    from scipy.special import betaincinv

    a = (1 - level) / 2
    low = float(betaincinv(hits, n - hits + 1, a)) if hits else 0.0
    return low, float(betaincinv(hits + 1, n - hits, 1 - a)) if hits < n else 1.0


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    if math.isinf(n):
        return p, p
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
    return (0.0 if p == 0 else max(low, 0.0)), (1.0 if p == 1 else min(high, 1.0))


def quantile(level: float, df: float) -> float:
    """How many standard errors an interval of this level reaches (Student's t; normal for infinite ``df``)."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri((1 + level) / 2) if math.isinf(df) else stdtrit(df, (1 + level) / 2))


# ---------------------------------------------------------------- several numbers


def beyond(d: Estimate, tolerance: float = 0.0) -> float:
    """The p value of "the difference lies beyond ±tolerance"; below 0.05 just when the whole interval does."""
    from scipy.special import stdtr

    if math.isnan(d.se):
        return 1.0
    over = abs(d.value) - tolerance
    return (0.0 if over > 0 else 1.0) if d.se == 0 else min(1.0, 2 * float(stdtr(d.deals - 1, -over / d.se)))


def inside(d: Estimate, tolerance: float) -> float:
    """The p value of "the difference lies within ±tolerance"; below 0.05 just when the whole interval does."""
    from scipy.special import stdtr

    if math.isnan(d.se) or tolerance <= 0:
        return 1.0
    room = tolerance - abs(d.value)
    return (0.0 if room > 0 else 1.0) if d.se == 0 else min(1.0, 2 * float(stdtr(d.deals - 1, -room / d.se)))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p values: what each is worth when all were looked at together.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order, adjusted, least = sorted(range(len(p)), key=lambda i: p[i]), [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = least
    return adjusted


def equal_shares(y: np.ndarray, x: np.ndarray) -> Test:
    """Whether several shares (seats that win) could all be the same: one test for all of them.

    A Wald test on the differences from the last share, with the covariance between deals; its p value is
    Hotelling's, which for many deals is that of chi-squared.

    Args:
        y: deals × shares, the sum of hits of each. x: the games of each deal.
    """
    from scipy.special import fdtrc

    y, x = np.asarray(y, float), np.asarray(x, float)
    deals, n = len(x), x.sum()
    shares = y.sum(axis=0) / n
    apart = shares[:-1] - shares[-1]
    error = (y - shares * x[:, None]) / n
    error = error[:, :-1] - error[:, -1:]
    v = deals / max(deals - 1, 1) * error.T @ error
    rank = int(np.linalg.matrix_rank(v, hermitian=True)) if deals > 1 else 0
    if rank == 0 or deals <= rank:
        return Test(math.nan, rank, 1.0 if np.allclose(apart, 0) else math.nan, deals)
    chi2 = float(apart @ np.linalg.pinv(v, hermitian=True) @ apart)
    p = float(fdtrc(rank, deals - rank, chi2 * (deals - rank) / (rank * (deals - 1))))
    return Test(chi2, rank, p, deals)


# ---------------------------------------------------------------- frames


def per_deal(frame: pl.DataFrame, value: pl.Expr, *, deals: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Sum and count of a value for each deal 0, 1, … of a frame; missing values are left out.

    Args:
        deals: how many deals there are; up to the frame's last when left out.
    """
    some = frame.select("deal", v=value.cast(pl.Float64)).drop_nulls()
    return _sums(some["deal"].to_numpy(), some["v"].to_numpy(), _deals(frame) if deals is None else deals)


def _deals(frame: pl.DataFrame) -> int:
    return int(frame["deal"].max()) + 1 if frame.height else 0  # type: ignore[arg-type]


def _sums(deal: np.ndarray, values: np.ndarray, deals: int) -> tuple[np.ndarray, np.ndarray]:
    return np.bincount(deal, values, deals), np.bincount(deal, minlength=deals).astype(float)


def _coded(s: pl.Series) -> tuple[list, np.ndarray]:
    """The different values in order, and each row's place among them (-1: missing)."""
    names = s.drop_nulls().unique().sort()
    return names.to_list(), s.replace_strict(names, range(len(names)), default=-1, return_dtype=pl.Int32).to_numpy()


def means(frame: pl.DataFrame, value: str | pl.Expr, by: str, *, share: bool = False) -> pl.DataFrame:
    """The mean of a value in each group of rows, such as the bonus by omerta.

    Returns:
        A row a group: ``by``, value, low, high, n (rows), deals.
    """
    value = (pl.col(value) if isinstance(value, str) else value).cast(pl.Float64)
    some = frame.select("deal", by, v=value).drop_nulls()
    names, code = _coded(some[by])
    deal, v, deals, found = some["deal"].to_numpy(), some["v"].to_numpy(), _deals(some), []
    for k, name in enumerate(names):
        e = ratio(*_sums(deal[code == k], v[code == k], deals), share=share)
        found.append([name, e.value, e.low, e.high, int(e.n), e.deals])
    schema = {by: frame.schema[by]} | dict(value=pl.Float64, low=pl.Float64, high=pl.Float64, n=pl.Int64, deals=pl.Int64)
    return pl.DataFrame(found, schema=schema, orient="row")


def spread_out(frame: pl.DataFrame, category: str) -> pl.DataFrame:
    """How a column's values are distributed: the share of each.

    Returns:
        A row a value: ``category``, value (the share), low, high, n (rows).
    """
    some, found = frame.select("deal", category).drop_nulls(), []
    names, code = _coded(some[category])
    deal, deals = some["deal"].to_numpy(), _deals(some)
    x = np.bincount(deal, minlength=deals).astype(float)
    for k, name in enumerate(names):
        y = np.bincount(deal[code == k], minlength=deals).astype(float)
        e = ratio(y, x, share=True)
        found.append([name, e.value, e.low, e.high, int(y.sum())])
    schema = {category: frame.schema[category]} | dict(value=pl.Float64, low=pl.Float64, high=pl.Float64, n=pl.Int64)
    return pl.DataFrame(found, schema=schema, orient="row")
