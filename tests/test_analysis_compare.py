"""Two drafts on the same luck: verdicts, sentences in both languages, and what is refused."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import workbench as wb
from workbench.analysis import compare, simulate
from workbench.analysis.compare import verdict
from workbench.core.errors import OutOfRange, UnknownName, WorkbenchError
from workbench.core.language import language


@pytest.fixture(autouse=True)
def english():
    language("en")


@pytest.fixture(scope="module")
def draft():
    return wb.load("omerta")


@pytest.fixture(scope="module")
def proposed():
    return wb.load("omerta", "proposed")


@pytest.mark.parametrize("low, high, tolerance, better, said", [
    (0.1, 0.3, None, None, "more"), (-0.3, -0.1, None, None, "less"), (-0.1, 0.3, None, None, "unclear"),
    (0.1, 0.3, None, "more", "better"), (0.1, 0.3, None, "less", "worse"), (-0.3, -0.1, None, "less", "better"),
    (0.1, 0.3, 0.2, None, "unclear"), (0.1, 0.3, 0.5, None, "within"), (0.1, 0.3, 0.05, None, "more"),
    (-0.3, -0.1, 0.05, "more", "worse"), (-0.1, 0.1, 0.2, "more", "within"), (-0.1, 0.2, 0.2, None, "unclear"),
    (0.0, 0.0, None, None, "same"), (0.0, 0.0, 0.1, None, "within"), (0.0, 0.3, None, None, "unclear"),
    (float("-inf"), float("inf"), 1.0, None, "unclear")])
def test_verdicts(low, high, tolerance, better, said):
    assert verdict(low, high, tolerance=tolerance, better=better) == said


def test_the_sentence_says_everything(draft, proposed):
    c = compare(draft, proposed, 2000, measure="spread", bots="heuristic", better="less", tolerance=0.1, luck=5)
    r, = c.results
    assert r.verdict == "better" and r.difference.high < -0.1
    for lang, words in (("en", ("Better (tolerance ±0.1 VP): with heuristic bots", "2,000 games each, luck 5", "500 deals")),
                        ("ja", ("良くなった（許容幅±0.1 VP）：ボットheuristic", "各2,000ゲーム、運番号5", "500ディール"))):
        language(lang)
        for part in (*words, draft.digest, proposed.digest, f"{r.difference.value:+.2f}", f"{r.difference.low:+.2f}"):
            assert part in c.sentence
        assert c.sentence in repr(c) and "p = " in repr(c) and draft.digest in c._repr_html_()


def test_pairs_by_deal_whatever_the_length(draft, proposed):
    c = compare(draft, proposed, 800, measure="decisions")
    (a, b), = c.studies
    by_deal = [s.frame.group_by("deal").agg(pl.col("decisions").mean()).sort("deal")["decisions"] for s in (a, b)]
    d = by_deal[1] - by_deal[0]
    r, = c.results
    assert r.difference.value == pytest.approx(d.mean()) and r.difference.se == pytest.approx(d.std() / len(d) ** 0.5)
    assert a.frame["luck"].equals(b.frame["luck"]) and not a.frame["decisions"].equals(b.frame["decisions"])
    assert c.table.select("deals", "games", "luck").rows() == [(200, 800, 1)]


def test_ready_studies_and_the_deals_they_share(draft, proposed):
    a, b = simulate(draft, 400, luck=9), simulate(proposed, 800, luck=9)
    short = compare(a, b, measure="draw")
    assert short.results[0].difference.deals == 100
    again = compare(draft, proposed, 400, luck=9, measure="draw")
    assert_frame_equal(short.table, again.table)
    half = compare(a, proposed, measure="draw")
    assert_frame_equal(half.table, again.table)
    hands = compare(simulate(draft, 400, rows="hand"), proposed, measure="bonus")
    assert hands.results[0].measure.name == "bonus" and hands.seats.height == 0


def test_several_measures_are_corrected_together(draft, proposed):
    c = compare(draft, proposed, 400, measure={"score": "score", "long": pl.col("decisions") > 60, "first": "win P0", "cut": "capped"},
                better={"score": "more"}, tolerance={"first": 0.2})
    assert [r.measure.name for r in c.results] == ["score", "long", "first", "cut"]
    assert [r.verdict for r in c.results][2:] == ["within", "same"] and c.results[0].verdict in ("better", "unclear")
    assert all(r.holm >= r.p for r in c.results) and c.results[1].measure.share
    assert "4 comparisons" in c.sentence and "points" in c.sentence
    language("ja")
    assert "比較は4回" in c.sentence and "どのディールでも差なし" in c.sentence


def test_holm_can_take_a_verdict_back(draft):
    pair = draft, draft.vary(hero_points=3)
    single = compare(*pair, 200, measure="bonus")
    r, = single.results
    assert r.p == r.holm and r.verdict == "more"
    other = {f"m{i}": pl.col("turn") + i for i in range(40)}
    many = compare(*pair, 200, measure={"bonus": pl.col("score_P0"), **other})
    mine = many.results[0]
    assert mine.holm == pytest.approx(min(1, 41 * mine.p))


def test_a_verdict_that_depends_on_the_bot_is_said_first(draft, proposed):
    c = compare(draft, proposed, 4000, bots=["random", "heuristic", ("heuristic", "random", "random", "random")],
                measure="spread", better="less", tolerance=0.3)
    assert c.sentence.startswith("THE VERDICT DEPENDS ON THE BOT for spread")
    assert [r.bots for r in c.results] == ["random", "heuristic", "heuristic, random, random, random"]
    assert len({r.verdict for r in c.results}) > 1 and "3 comparisons" in c.sentence and len(c.studies) == 3
    language("ja")
    assert "判定はボットによって変わります" in c.sentence.split("\n")[0]


def test_seats_beside_par(draft, proposed):
    c = compare(draft, proposed, 400)
    assert c.seats["par"].unique().to_list() == [0.25] and c.seats.height == 8
    assert c.seats["p"].n_unique() == 2 and ((c.seats["low"] < c.seats["value"]) & (c.seats["value"] < c.seats["high"])).all()


def test_what_was_cut_or_stopped_is_said(draft):
    c = compare(draft, draft.vary(hero_points=3), 40, cap=30)
    assert c.sentence.count("cut at 30 decisions") == 2

    def stop(done, total):
        raise KeyboardInterrupt

    stopped = simulate(draft, 4000, progress=stop)
    assert "stopped early, after 64 games" in compare(stopped, simulate(draft.vary(hero_points=3), 64)).sentence


def test_what_cannot_be_compared(draft, proposed):
    with pytest.raises(WorkbenchError, match="number of players"):
        compare(draft, wb.load("omerta", players=3))
    with pytest.raises(WorkbenchError, match="cannot be paired"):
        compare(simulate(draft, 4), simulate(proposed, 4, luck=2))
    with pytest.raises(UnknownName, match="spread"):
        compare(draft, proposed, 4, measure="sprea")
    with pytest.raises(UnknownName, match="heuristic"):
        compare(draft, proposed, 4, bots=["random", "clever"])
    with pytest.raises(UnknownName, match="score"):
        compare(draft, proposed, 4, measure={"score": "score"}, better={"scor": "less"})
    for wrong in ({"better": "up"}, {"tolerance": -1}):
        with pytest.raises(OutOfRange):
            compare(draft, proposed, 4, **wrong)
