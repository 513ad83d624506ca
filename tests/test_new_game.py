"""``workbench new``: a tiny complete game, at once playable, checked and studied."""

import os
import re
from pathlib import Path

import pytest

import workbench as wb
from workbench.checks import CHECKS, check
from workbench.cli import main
from workbench.core import vocabulary
from workbench.core.ruleset import home

README = (Path(__file__).parents[1] / "rulesets" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A new game in a folder of its own, where the tests of this file stay."""
    here = tmp_path_factory.mktemp("designer")
    before = Path.cwd()
    os.chdir(here)
    assert main(["new", "mygame"]) == 0
    yield here / "rulesets" / "mygame"
    os.chdir(before)


def test_every_check_passes_at_once(made):
    report = check("mygame", games=5)
    assert report.ok, str(report)
    assert {r.check for r in report.rows} == set(CHECKS) and {r.players for r in report.rows} == {0, 2, 3, 4}


def test_it_is_about_a_hundred_lines_in_both_languages_with_an_example_a_rule(made):
    text = [x for f in made.iterdir() if f.is_file() for x in f.read_text("utf-8").splitlines() if x.strip() and not x.startswith("#")]
    assert 80 < len(text) < 150 and not any("MYGAME" in x for x in text)
    game = wb.load("mygame")
    assert game.ruleset.text["en"].keys() == game.ruleset.text["ja"].keys() and game.ruleset.bots and game.ruleset.players == range(2, 5)


def test_it_plays_and_cites(made):
    p = wb.load("mygame", players=4).start(luck=3)
    assert p.to_move == "P0" and len(p.moves) == 3
    foreign = p["hand"]["P1"].split()[0]
    assert p.why_not(foreign).rule == "MY-3"
    while not p.over:
        p = p.play(p.moves[0])
    assert len(p.log) == 13 and p.winners and p.events[-1].rule == "MY-5"


def test_a_draft_of_it_can_be_studied_and_compared(made):
    game, first = wb.load("mygame"), wb.load("mygame", "first-wins")
    study = wb.simulate(game, 300, bots=("thrifty", "random", "random"))
    assert study.estimate("draw").value > 0
    found = wb.compare(game, first, 300, measure="draw", better="less")
    assert found.results[0].verdict in ("better", "unclear")


def test_it_is_found_from_a_notebook_beside_rulesets(made, monkeypatch):
    (made.parent.parent / "notebooks").mkdir(exist_ok=True)
    monkeypatch.chdir(made.parent.parent / "notebooks")
    assert wb.load("mygame").ruleset.folder == made and "mygame" in wb.rulesets().names


def test_an_existing_folder_is_never_overwritten(made, capsys, lang):
    (made / "notes.txt").write_text("mine", "utf-8")
    before = {f.name: f.read_bytes() for f in made.iterdir() if f.is_file()}
    assert main(["--lang", lang, "new", "mygame"]) == 2 and str(made.name) in capsys.readouterr().err
    assert {f.name: f.read_bytes() for f in made.iterdir() if f.is_file()} == before
    (made.parent / "taken").mkdir(exist_ok=True)
    assert main(["--lang", lang, "new", "taken"]) == 2 and os.listdir(made.parent / "taken") == []
    assert main(["--lang", lang, "new", "omerta"]) == 2 and not (made.parent / "omerta").exists(), "it would hide the built-in one"


@pytest.mark.parametrize("name", ["../mygame", "my game", "", ".", "a/b", "Mygame", "1st", "con", "a" * 41, "オメルタ", "-x"])
def test_the_name_must_be_safe_for_a_folder(made, name, capsys):
    before = sorted(made.parent.parent.rglob("*"))
    assert main(["new", "--", name]) == 2 and "Traceback" not in capsys.readouterr().err
    assert sorted(made.parent.parent.rglob("*")) == before


def test_another_folder_can_be_named(made, tmp_path, capsys):
    assert main(["new", "other", "--folder", str(tmp_path / "games")]) == 0
    assert f"workbench check {tmp_path / 'games' / 'other'}" in capsys.readouterr().out
    assert wb.load(tmp_path / "games" / "other").start(luck=1).to_move == "P0"
    assert os.listdir(tmp_path / "games") == ["other"]


# ---------------------------------------------------------------- what rulesets/README.md says


def test_the_page_has_every_word_and_check_and_function():
    words = {n for n in vars(vocabulary) if not n.startswith("_") and n not in ("Handle", "Declared", "annotations", "dataclass", "listed_cards")}
    named = set(re.findall(r"`(\w+)", README))
    assert words <= named, words - named
    rows = re.findall(r"^\| (`.*?) \|", README.split("### Every word")[1].split("\n### ")[0], re.M)
    assert {n for row in rows for n in re.findall(r"`(\w+)", row)} <= words, "a word that is no longer there"
    checks = re.findall(r"^\| `(\w+)` \|", README.split("## What the checks mean")[1], re.M)
    assert checks == list(CHECKS)


def test_the_page_has_ten_steps_in_both_languages():
    for part in (README.split("## Ten steps")[1].split("## The files")[0], README.split("## 自分のゲーム")[1]):
        assert re.findall(r"^(\d+)\. ", part, re.M) == [str(i) for i in range(1, 11)]


def test_the_page_s_replaced_rule_works(tmp_path):
    import shutil

    toml, code = re.findall(r"```(?:toml|python)\n(.*?)```", README, re.S)
    folder = tmp_path / "omerta2"
    shutil.copytree(home("rulesets") / "omerta", folder)
    (folder / "bold_hero.py").write_text(code, "utf-8")
    with (folder / "drafts.toml").open("a", encoding="utf-8") as f:
        f.write("\n" + toml)
    bold = wb.load(folder, "bold-hero")
    assert bold.replaced.keys() == {"hero"} and bold.start(luck=1).moves
