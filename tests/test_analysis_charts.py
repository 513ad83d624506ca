"""A chart is data: the dictionaries are tested, not the pixels."""

import json

import polars as pl
import pytest

import workbench as wb
from workbench.analysis import charts, compare, simulate
from workbench.core.errors import UnknownName, WorkbenchError
from workbench.core.language import language


@pytest.fixture(autouse=True)
def english():
    language("en")


@pytest.fixture(scope="module")
def study():
    return simulate(wb.load("omerta"), 400, bots=("heuristic", "random", "random", "random"), luck=3)


@pytest.fixture(scope="module")
def hands():
    return simulate(wb.load("omerta"), 200, rows="hand")


@pytest.fixture(scope="module")
def comparison():
    return compare(wb.load("omerta"), wb.load("omerta", "proposed"), 200, bots=["random", "heuristic"],
                   measure={"spread": "spread", "win P1": "win P1"}, tolerance={"win P1": 0.1})


def rows_of(chart: dict) -> list[dict]:
    return [row for data in chart["datasets"].values() for row in data]


def every(part, key):
    """Every value of a key, anywhere in a chart."""
    if isinstance(part, dict):
        yield from ([part[key]] if key in part else [])
        part = part.values()
    for x in part if not isinstance(part, (str, int, float, bool, type(None))) else ():
        yield from every(x, key)


def test_every_chart_is_sound(study, hands, comparison):
    for chart in (study.charts.scores(), study.charts.wins(), study.charts.lengths(), study.charts.lengths("hands"),
                  study.charts.score_by("omerta"), hands.charts.score_by("omerta", value="bonus"), comparison.chart()):
        d = chart.to_dict()
        json.dumps(d, allow_nan=False)
        assert 0 < len(rows_of(d)) <= charts.MOST_ROWS
        assert all(p["name"] for p in d.get("params", ())) and all(not n.startswith("param_") for n in every(d, "name") if isinstance(n, str))
        assert d["config"]["background"] == "transparent" and "Noto Sans CJK JP" in d["config"]["font"]
        assert "background" not in d and all(angle == 0 for angle in every(d, "labelAngle")) and list(every(d, "labelAngle"))
        assert isinstance(d["title"]["text"], str) and "luck" in d["title"]["subtitle"][0] and "games" in d["title"]["subtitle"][0]


def test_charts_speak_both_languages(study, comparison):
    language("ja")
    d = study.charts.score_by("omerta").to_dict()
    assert d["title"]["text"] == "オメルタごとの得点" and "運番号3" in d["title"]["subtitle"][0]
    assert {"7 幕引き", "3 謀略"} <= {r.get("group") for r in rows_of(d)}
    assert comparison.chart().to_dict()["title"]["text"].startswith("同じ運での差")
    language("en")
    d = study.charts.score_by("omerta").to_dict()
    assert {"7 Curtain", "3 Conspiracy"} <= {r.get("group") for r in rows_of(d)} and d["title"]["text"] == "score by omerta"


def test_the_subtitle_says_what_is_shown(study):
    line, = study.charts.scores().to_dict()["title"]["subtitle"]
    assert study.draft.digest in line and "heuristic, random, random, random" in line and "400 games" in line and "luck 3" in line
    cut = simulate(study.draft, 40, cap=30)
    assert "games cut at 30 decisions" in cut.charts.lengths().to_dict()["title"]["subtitle"][0]


def test_scores_are_counted(study):
    found = pl.DataFrame([r for r in rows_of(study.charts.scores().to_dict()) if "seat" in r])
    for i, (seat, part) in enumerate(found.partition_by("seat", as_dict=True).items()):
        assert seat == (f"P{i}",) and part["n"].sum() == 400 and part["value"].sum() == pytest.approx(1)
    zero = found.filter((pl.col("seat") == "P1") & (pl.col("score") == 0))["n"].item()
    assert zero == (study.frame["score_P1"] == 0).sum()
    assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"])).all()


def test_wins_stand_beside_par(study):
    d = study.charts.wins().to_dict()
    found = {r["who"]: r for r in rows_of(d) if "who" in r}
    assert list(found) == ["P0", "P1", "P2", "P3", "heuristic", "random"]
    assert found["P2"]["value"] == pytest.approx(study.estimate("win P2").value)
    assert any(r.get("value") == 0.25 and r.get("said") == "par 25 %" for r in rows_of(d))


def test_lengths_are_binned_and_show_the_tail(study):
    d = study.charts.lengths().to_dict()
    bars = [r for r in rows_of(d) if "n" in r]
    assert len(bars) <= charts.BINS and sum(r["n"] for r in bars) == 400
    tail = next(r for r in rows_of(d) if "said" in r)["length"]
    assert (study.frame["decisions"] <= tail).mean() >= 0.95
    with pytest.raises(UnknownName, match="decisions"):
        study.charts.lengths("leader")


def test_scores_by_a_group_a_column_or_an_expression(study, hands):
    found = {r["group"]: r for r in rows_of(hands.charts.score_by("omerta", value="bonus").to_dict()) if "group" in r}
    fours = hands.by_seat().filter(pl.col("omerta") == "4")
    assert found["4"]["value"] == fours["bonus"].mean() == 0 and found["4"]["n"] == fours.height
    assert len(found) == 8 and list(found) == sorted(found)
    leads = hands.charts.score_by((pl.col("leader") == pl.col("seat").cast(pl.String)).alias("led the final round"), value="gained").to_dict()
    assert {r["group"] for r in rows_of(leads) if "group" in r} == {"true", "false"}
    assert study.charts.score_by("bot", value="won").to_dict()
    for wrong in ({"by": "omertas"}, {"by": "omerta", "value": "revealed"}):
        with pytest.raises(UnknownName, match="score"):
            study.charts.score_by(**wrong)
    with pytest.raises(WorkbenchError, match="400 different values"):
        study.charts.score_by("game")
    with pytest.raises(WorkbenchError):
        hands.charts.wins()


def test_differences_stand_against_the_tolerance(comparison):
    d = comparison.chart().to_dict()
    found = pl.DataFrame(rows_of(d))
    assert found.height == 4 and found.filter(pl.col("measure").str.contains("win")).select("below", "tolerance").rows() == [(-10.0, 10.0)] * 2
    assert found["value"][0] == pytest.approx(comparison.results[0].difference.value)
    assert len(d["title"]["subtitle"]) == 4


def test_too_many_rows_and_holes():
    with pytest.raises(WorkbenchError, match="5,001 rows"):
        charts.clean(pl.DataFrame({"x": range(5001)}))
    assert charts.clean(pl.DataFrame({"x": [1.0, float("nan"), float("inf")]}))["x"].to_list() == [1.0, None, None]
