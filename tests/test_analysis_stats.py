"""Estimates against known answers, and whether their intervals hold what they promise (seeded)."""

import doctest
import importlib
import math

import numpy as np
import polars as pl
import pytest

from workbench.analysis import stats, words
from workbench.core.language import language


@pytest.fixture(autouse=True)
def english():
    language("en")


@pytest.mark.parametrize("module", ["", ".stats", ".words", ".replay", ".study", ".measures", ".columns", ".compare", ".charts"])
def test_examples_run(module):
    found = doctest.testmod(importlib.import_module("workbench.analysis" + module))
    assert found.failed == 0


def test_the_example_of_simulate_runs():
    import sys

    assert doctest.testmod(sys.modules["workbench.analysis.simulate"]).attempted >= 3


# ---------------------------------------------------------------- known answers


def test_clusters_of_one_give_the_usual_interval():
    e = stats.mean([1, 2, 3, 4, 5], range(5))
    assert e.value == 3 and e.se == pytest.approx(math.sqrt(2.5 / 5)) and e.n == e.deals == 5
    assert e.high - 3 == pytest.approx(2.776445 * e.se, rel=1e-5)  # Student's t with 4 degrees of freedom


def test_equal_games_of_a_deal_count_once():
    one, many = stats.mean([1, 2, 4], range(3)), stats.mean(np.repeat([1, 2, 4], 10), np.repeat(range(3), 10))
    assert many.se == pytest.approx(one.se) and many.n == 30 and many.deals == 3


def test_missing_values_and_conditions():
    e = stats.mean([1, math.nan, 3, math.nan], [0, 0, 1, 2])
    assert e.value == 2 and e.n == 2 and e.deals == 2
    bonus, is_four = np.array([2, 9, 4, 9]), np.array([1, 0, 1, 0])
    y, x = stats.totals(bonus * is_four, [0, 0, 1, 1], is_four)
    assert stats.ratio(y, x).value == 3


def test_plain_counts():
    assert stats.wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert stats.exact(5, 10) == pytest.approx((0.1871, 0.8129), abs=1e-4)
    assert stats.exact(10, 10)[1] == 1 and stats.wilson(0, 0) == (0.0, 1.0)
    e = stats.share([1] * 30 + [0] * 70, range(100))  # deals of one game: nearly Wilson's
    assert (e.low, e.high) == pytest.approx(stats.wilson(30, 100), abs=2e-3)


def test_shares_at_the_edge_keep_an_interval():
    none, every = (stats.share([v] * 40, np.repeat(range(10), 4)) for v in (0, 1))
    assert none.low == 0 and none.high == pytest.approx(1 - every.low) and 0.2 < none.high < 0.5


def test_one_deal_tells_nothing():
    assert math.isinf(stats.mean([1, 2], [0, 0]).high) and stats.share([1, 0], [0, 0]).high == 1
    assert math.isnan(stats.mean([], []).value)


def test_pairing_takes_out_what_deals_share():
    rng = np.random.default_rng(1)
    deal = rng.normal(0, 10, 200)
    x = np.ones(200)
    d = stats.difference((deal, x), (deal + 1 + rng.normal(0, 0.1, 200), x))
    assert d.value == pytest.approx(1, abs=0.05) and d.se < 0.02 < stats.ratio(deal, x).se
    assert stats.difference((deal, x), (3 * deal, 3 * x)).value == pytest.approx(0)  # three times as many rows, the same mean


def test_holm():
    assert stats.holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert stats.holm([0.5, 0.9]) == [1.0, 1.0] and stats.holm([]) == []


def test_p_values_agree_with_intervals():
    for value in np.linspace(-1, 1, 41):
        d = stats.ratio(np.array([value - 0.3, value + 0.3, value - 0.2, value + 0.2]), np.ones(4))
        for t in (0.0, 0.2, 0.6):
            assert (stats.beyond(d, t) < 0.05) == (d.low > t or d.high < -t)
            assert (stats.inside(d, t) < 0.05) == (-t < d.low and d.high < t)


def test_equal_shares_against_the_covariance_by_hand():
    rng = np.random.default_rng(2)
    wins = rng.multinomial(4, [0.4, 0.3, 0.3], 500)
    test = stats.equal_shares(wins, np.full(500, 4.0))
    p = wins / 4
    d = p[:, :2] - p[:, 2:]
    v = np.cov(d.T) / 500
    assert test.df == 2 and test.chi2 == pytest.approx(d.mean(axis=0) @ np.linalg.solve(v, d.mean(axis=0)))
    assert test.p < 0.001
    fixed = stats.equal_shares(np.tile([2, 1, 1], (50, 1)), np.full(50, 4.0))
    assert fixed.df == 0 and math.isnan(fixed.p)


# ---------------------------------------------------------------- coverage


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(3)
    held = {"mean": 0, "share": 0, "difference": 0, "naive": 0}
    rounds, deals = 600, 60
    for _ in range(rounds):
        of_deal = rng.normal(0, 1, deals)
        a, b = (of_deal[:, None] + rng.normal(0, 1, (deals, 4)) for _ in range(2))
        deal = np.repeat(range(deals), 4)
        e, s = stats.mean(a.ravel(), deal), stats.share((a > 1).ravel(), deal)
        d = stats.difference(stats.totals(a.ravel(), deal), stats.totals(b.ravel() + 0.2, deal))
        naive = stats.mean(a.ravel(), range(4 * deals))
        held["mean"] += e.low <= 0 <= e.high
        held["share"] += s.low <= 0.2397501 <= s.high  # P(N(0, 2) > 1)
        held["difference"] += d.low <= 0.2 <= d.high
        held["naive"] += naive.low <= 0 <= naive.high
    for name in ("mean", "share", "difference"):
        assert 0.925 < held[name] / rounds < 0.975, (name, held)
    assert held["naive"] / rounds < 0.85  # what treating each game for itself would have promised


def test_the_seat_test_rejects_as_often_as_it_says():
    rng = np.random.default_rng(4)
    rejected = sum(stats.equal_shares(rng.multinomial(4, [0.25] * 4, 40), np.full(40, 4.0)).p < 0.05 for _ in range(800))
    assert 0.03 < rejected / 800 < 0.075


# ---------------------------------------------------------------- frames and words


def test_groups_and_distributions():
    frame = pl.DataFrame({"deal": [0, 0, 1, 1, 2, 2], "card": ["A", "B", "A", None, "B", "A"], "v": [1, 5, 3, 9, None, 2]})
    found = stats.means(frame, "v", "card")
    assert found.select("card", "value", "n").rows() == [("A", 2.0, 3), ("B", 5.0, 1)]
    assert found["low"][0] == pytest.approx(stats.mean([1, 3, 2], [0, 1, 2]).low)
    shares = stats.spread_out(frame, "card")
    assert shares["value"].to_list() == pytest.approx([0.6, 0.4]) and shares["n"].to_list() == [3, 2]
    y, x = stats.per_deal(frame, pl.col("v"), deals=4)
    assert y.tolist() == [6, 12, 2, 0] and x.tolist() == [2, 2, 1, 0]


@pytest.mark.parametrize("x, en, ja", [(0, "no game", "0ゲーム"), (0.025, "one game in 40", "40ゲームに1回"), (0.3, "3 games in 10", "10ゲームに3回"),
                                       (0.99, "all but one game in 100", "100ゲームに1回を除くすべて"), (1, "every game", "すべてのゲーム")])
def test_shares_in_words(x, en, ja):
    assert (words.one_in(x, "en"), words.one_in(x, "ja")) == (en, ja)


def test_digits_follow_the_interval():
    assert words.number(1234.5678, 12) == "1,235" and words.number(-0.00001, 0.1, signed=True) == "0.00"
    assert words.number(math.nan, 1) == "–" and words.number(-math.inf, math.inf) == "-∞"
    e = stats.Estimate(0.25, 0.2415, 0.2585, 0.0043, 2500, 10000)
    assert words.shown(e, share=True) == "25.00 % [24.15, 25.85]"
    assert words.precision(e, share=True, lang="ja") == "この数では±0.85ポイント。ゲーム数を4倍にすると半分になります"
