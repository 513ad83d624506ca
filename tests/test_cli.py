"""The command line: what each command prints, writes and returns."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import workbench as wb
from workbench.analysis import Study
from workbench.cli import COMMANDS, lab, main
from workbench.cli.common import bots_of, draft_of, out_file, whole
from workbench.core.errors import WorkbenchError
from workbench.core.language import language
from workbench.core.ruleset import home

ROOT = Path(__file__).parents[1]
examples = home("rulesets") / "omerta" / "examples.toml"


@pytest.fixture
def workbench(capsys):
    """Run a command; its exit code, what it printed, and what it complained about."""
    def call(*argv):
        code = main([str(a) for a in argv])
        return (code, *capsys.readouterr())
    return call


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------- help


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example_in_both_languages(workbench, lang, command):
    code, out, err = workbench("--lang", lang, command, "--help")
    assert code == 0 and err == "" and f"workbench {command}" in out
    assert {"en": "for example:", "ja": "例："}[lang] in out and {"en": "usage: ", "ja": "使い方: "}[lang] in out
    assert workbench(command, "--lang", lang, "--help") == (0, out, ""), "the language can stand before or after"


def test_help_lists_the_commands_and_the_exit_codes(workbench, lang):
    code, out, _ = workbench("--lang", lang, "--help")
    assert code == 0 and all(f"    {c} " in out for c in COMMANDS) and "130" in out


@pytest.mark.parametrize("argv", [[], ["chek"], ["check"], ["list", "more"], ["--lang", "fr", "list"], ["simulate", "omerta", "--games", "x"],
                                  ["replay", "f", "--to"]])
def test_wrong_usage_is_2_and_says_where_help_is(workbench, argv):
    code, out, err = workbench(*argv)
    assert code == 2 and out == "" and "usage: workbench" in err


def test_the_language_of_a_command_does_not_stay(workbench):
    workbench("--lang", "ja", "list")
    assert language() == "en"


def test_help_is_quick_and_imports_no_engine():
    probe = ("import sys, workbench\nfrom workbench.cli import main\nmain(['list', '--help'])\n"
             "heavy = {'numba', 'polars', 'altair', 'panel', 'numpy'} & set(sys.modules)\nassert not heavy, heavy")
    subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, cwd=ROOT)


def test_the_module_runs_as_a_program():
    run = subprocess.run([sys.executable, "-m", "workbench", "list", "--json"], check=True, capture_output=True, cwd=ROOT)
    assert json.loads(run.stdout)[0]["name"]


# ---------------------------------------------------------------- list and rule


def test_list_names_games_and_drafts(workbench, lang):
    code, out, _ = workbench("--lang", lang, "list")
    assert code == 0 and "draft6-omerta4-all" in out and {"en": "The author's proposals", "ja": "作者の提案"}[lang] in out
    found = {g["name"]: g for g in json.loads(workbench("--lang", lang, "list", "--json")[1])}
    assert [d["name"] for d in found["omerta"]["drafts"] if d["default"]] == ["draft6"] and found["omerta"]["players"] == [3, 4]


def test_list_shows_a_broken_ruleset_and_the_others(workbench, here):
    (here / "rulesets" / "broken").mkdir(parents=True)
    (here / "rulesets" / "broken" / "game.toml").write_text("title = ", "utf-8")
    code, out, _ = workbench("list")
    assert code == 0 and "game.toml:1: " in out and "omerta" in out


@pytest.mark.parametrize(("id", "said"), [
    ("OM-O6", ["6, Hero", "英雄", "hero_points = 2", "0..10 VP"]), ("OMV-1a", ["OMV-1", "omerta4 = none", "failed_all"]), ("OMV-1", ["omerta4 = none"]),
    ("OMQ-3", ["scope = round", "table: ", "→ "]), ("OMQ-7", ["Hero"]),
])
def test_rule_prints_both_languages_numbers_and_rulings(workbench, id, said):
    code, out, _ = workbench("rule", "omerta", id)
    assert code == 0 and out.startswith(id + "\n") and all(x in out for x in said)
    assert set(json.loads(workbench("rule", "omerta", id, "--json")[1])["text"]) == {"en", "ja"}


# ---------------------------------------------------------------- check


def test_check_of_two_checks_of_one_draft(workbench):
    code, out, _ = workbench("check", "omerta", "--draft", "proposed", "draft6[hero_points=3]", "--players", 3, "--only", "ends", "text", "--games", 3)
    assert code == 0 and out.count("omerta:proposed@3") == 1 and "hero_points=3" in out and "All 3 checks passed." in out


def test_check_that_fails_is_1(workbench, here):
    workbench("new", "mygame")
    file = here / "rulesets" / "mygame" / "examples.toml"
    file.write_text(file.read_text("utf-8").replace("score = {P0 = 1, P1 = 0}", "score = {P0 = 9, P1 = 0}"), "utf-8")
    code, out, _ = workbench("check", "mygame", "--only", "examples", "text")
    assert code == 1 and "FAILED" in out and "examples.toml:" in out and "MY-4" in out
    code, out, _ = workbench("check", "mygame", "--only", "examples", "--json")
    assert code == 1 and json.loads(out)["ok"] is False


def test_check_of_a_file_of_examples_names_rules_and_lines(workbench, here):
    code, out, _ = workbench("check", "omerta", "--examples", examples)
    lines = [x for x in out.splitlines() if x.startswith("ok")]
    assert code == 0 and len(lines) > 20 and f"ok  {examples}:" in lines[0] and "OME-1 " in lines[0] and "OM-P1" in lines[0]
    mine = here / "mine.toml"
    mine.write_text(examples.read_text("utf-8").replace('winners = "P2"', 'winners = "P1"', 1), "utf-8")
    code, out, _ = workbench("check", "omerta", "--examples", mine, examples)
    assert code == 1 and f"{mine}:" in out and "winners: expected P1, met P2" in out
    code, out, _ = workbench("check", "omerta", "--examples", mine, "--json")
    bad = [e for e in json.loads(out)["examples"] if not e["ok"]]
    assert code == 1 and [e["id"] for e in bad] == ["OME-1"] and bad[0]["failures"][0]["line"] > bad[0]["line"]
    mine.write_text("", "utf-8")
    assert workbench("check", "omerta", "--examples", mine)[0] == 1, "no example is no success"


def test_check_writes_transcripts(workbench, here):
    workbench("new", "mygame")
    file = here / "rulesets" / "mygame" / "transcripts" / "draft1.txt"
    before = file.read_text("utf-8")
    file.write_text("changed", "utf-8")
    assert workbench("check", "mygame", "--only", "transcripts")[0] == 1
    code, out, _ = workbench("check", "mygame", "--write-transcripts")
    assert code == 0 and "draft1.txt" in out and file.read_text("utf-8") == before


# ---------------------------------------------------------------- simulate and compare


def test_simulate_prints_and_writes(workbench, here):
    code, out, _ = workbench("simulate", "omerta", "--games", 40, "--set", "play=hand", "hero_points=3", "--out", "games.parquet")
    assert code == 0 and "40 games" in out and "play=hand" in out and "Written: games.parquet" in out
    study = Study.load("games.parquet")
    assert study.games == 40 and study.draft == wb.load("omerta", play="hand", hero_points=3)
    again = workbench("simulate", "omerta", "--games", 40, "--set", "play=hand", "--set", "hero_points=3", "--engine", "plain", "--out", "games.csv", "--json")
    data = json.loads(again[1])
    assert data["games"] == 40 and data["draft"] == study.draft.key and data["out"] == "games.csv" and data["summary"]
    assert pl.read_csv("games.csv")["score_P0"].to_list() == study.frame["score_P0"].to_list()
    assert sorted(os.listdir(here)) == ["games.csv", "games.parquet"]


def test_simulate_names_bots_players_and_rows(workbench):
    argv = ["simulate", "omerta", "--draft", "proposed", "--players", 3, "--bots", "heuristic,random,random", "--games", 9, "--luck", 5, "--workers", 1]
    data = json.loads(workbench(*argv, "--rows", "hand", "--json")[1])
    assert data["bots"] == ["heuristic", "random", "random"] and data["rows"] == "hand" and data["luck"] == 5 and data["draft"].endswith("@3")


def test_a_study_that_is_stopped_keeps_what_it_has(workbench, here, monkeypatch):
    module = import_module("workbench.analysis.simulate")
    played = module.play
    batches = []

    def stopped(*args):
        if batches:
            raise KeyboardInterrupt
        batches.append(1)
        return played(*args)

    monkeypatch.setattr(module, "play", stopped)
    code, out, _ = workbench("simulate", "omerta", "--games", 100_000, "--out", "games.csv")
    assert code == 130 and "STOPPED EARLY" in out and 0 < pl.read_csv("games.csv").height < 100_000


def test_interrupting_is_130(workbench, monkeypatch):
    monkeypatch.setattr(import_module("workbench.cli.listing"), "run", lambda a: (_ for _ in ()).throw(KeyboardInterrupt))
    code, _, err = workbench("list")
    assert code == 130 and "Traceback" not in err


@pytest.mark.parametrize("suffix", ["html", "svg", "png"])
def test_compare_draws_a_chart(workbench, here, suffix):
    code, out, _ = workbench("compare", "omerta", "draft6[play=hand]", "draft6[play=hand,hero_points=9]", "--games", 400, "--chart", f"d.{suffix}")
    assert code == 0 and "draft6[hero_points=9,play=hand]" in out and f"Written: d.{suffix}" in out
    head = (here / f"d.{suffix}").read_bytes()[:200]
    assert {"html": b"<!DOCTYPE html>", "svg": b"<svg", "png": b"\x89PNG"}[suffix] in head and os.listdir(here) == [f"d.{suffix}"]


def test_compare_takes_bots_measures_tolerance_and_direction(workbench):
    argv = ["compare", "omerta", "draft6[play=hand]", "[play=hand,hero_points=9]", "--games", 400, "--bots", "random", "--bots", "heuristic",
            "--measure", "score", "spread", "--better", "less", "--tolerance", 0.001, "--json"]
    code, out, _ = workbench(*argv)
    data = json.loads(out)
    assert code == 0 and len(data["results"]) == 4 and {r["bots"] for r in data["results"]} == {"random", "heuristic"}
    assert {r["verdict"] for r in data["results"]} <= {"better", "worse", "within", "unclear"} and data["seats"]


def test_a_missing_chart_library_is_said_before_the_games_are_played(workbench, here, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = workbench("compare", "omerta", "draft6", "proposed", "--games", 10**9, "--chart", "d.html")
    assert code == 2 and 'pip install "tabletop-workbench[notebook]"' in err


# ---------------------------------------------------------------- replay


@pytest.fixture
def saved(here):
    p = wb.load("omerta", play="hand").start(luck=5)
    while not p.over:
        p = p.play(p.legal[0])
    return p.save(here / "game.jsonl")


def test_replay_prints_moves_events_and_the_end(workbench, lang, saved):
    last = wb.replay(saved)
    code, out, _ = workbench("--lang", lang, "replay", saved)
    assert code == 0 and all(f". {p.previous.to_move}: " in out for p in last.history[1:] if p.previous.to_move != "chance")
    assert "[OM-S3]" in out and out.rstrip().endswith(str(last)) and {"en": "won: ", "ja": "勝者："}[lang] in out
    code, out, _ = workbench("--lang", "en", "replay", saved, "--to", 3)
    assert code == 0 and "\n3. P1: omerta" in out and "\n4. " not in out and "to move: P2" in out
    assert workbench("replay", saved, "--to", 999)[0] == 2


def test_replay_as_json(workbench, saved):
    last = wb.replay(saved)
    data = json.loads(workbench("replay", saved, "--json")[1])
    assert [m["move"] for m in data["moves"]] == last.log and data["position"] == str(last) and data["winners"] == list(last.winners)
    assert data["moves"][0]["events"][0]["rule"] == "OM-S3" and data["moves"][0]["seat"] == "chance"


# ---------------------------------------------------------------- lab


@pytest.fixture
def opened(monkeypatch):
    calls = []
    monkeypatch.setattr(lab, "start", lambda folder, argv: calls.append((folder, argv)))
    return calls


def test_lab_opens_the_notebooks_and_passes_options_on(workbench, opened):
    assert workbench("lab", "--no-browser", "--port", 9000)[0] == 0
    folder, argv = opened[0]
    assert folder == home("notebooks") and argv[-3:] == ["--no-browser", "--port", "9000"]
    assert all(a.endswith(".ipynb") for a in argv[:-3])


def test_lab_of_an_installed_package_copies_the_notebooks_and_keeps_what_is_there(workbench, here, opened, monkeypatch):
    package = here / "site" / "workbench"
    (package / "_notebooks").mkdir(parents=True)
    for name in ("01_a.ipynb", "02_b.ipynb"):
        (package / "_notebooks" / name).write_text("fresh", "utf-8")
    monkeypatch.setattr("workbench.core.ruleset.PACKAGE", package)
    (here / lab.COPY).mkdir()
    (here / lab.COPY / "01_a.ipynb").write_text("mine", "utf-8")
    assert workbench("lab")[0] == 0 and opened == [(here / lab.COPY, ["01_a.ipynb"])]
    assert [(here / lab.COPY / n).read_text("utf-8") for n in ("01_a.ipynb", "02_b.ipynb")] == ["mine", "fresh"]


def test_lab_without_jupyterlab_says_how_to_get_it(workbench, opened, monkeypatch, lang):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = workbench("--lang", lang, "lab")
    assert code == 2 and not opened and 'pip install "tabletop-workbench[all]"' in err and "jupyterlab" in err


# ---------------------------------------------------------------- what they share


@pytest.mark.parametrize(("text", "changes", "label"), [
    (None, (), "draft6"), ("proposed", (), "proposed"), ("draft6[hero_points=3, base=flat]", (), "draft6[hero_points=3,base=flat]"),
    ("[hero_points=3]", ["base=flat"], "draft6[hero_points=3,base=flat]"), ("draft6[]", (), "draft6"),
])
def test_a_draft_is_a_name_with_changes(text, changes, label):
    assert draft_of("omerta", text, None, changes).label == label


@pytest.mark.parametrize("text", ["draft6[", "draft6[hero_points]", "draft6[hero_points=]", "draft6]x[", "draft6[hero_points=1.5]"])
def test_what_is_no_draft_is_refused(text):
    with pytest.raises(WorkbenchError):
        draft_of("omerta", text, None)


def test_bots_are_one_for_all_or_one_a_seat():
    assert bots_of("random") == "random" and bots_of("a, b,c") == ("a", "b", "c")


def test_out_files_are_looked_at_first(here):
    assert out_file(None, (".csv",)) is None and out_file("a.csv", (".csv",)) == Path("a.csv")
    for bad in ("a.txt", "a", "no/a.csv", "."):
        with pytest.raises(WorkbenchError):
            out_file(bad, (".csv",))


def test_a_file_is_replaced_whole_or_not_at_all(here):
    path = here / "a.csv"
    path.write_text("old", "utf-8")
    with pytest.raises(ZeroDivisionError), whole(path) as part:
        part.write_text("half", "utf-8")
        1 / 0  # noqa: B018
    assert path.read_text("utf-8") == "old" and os.listdir(here) == ["a.csv"]
    with whole(path) as part:
        part.write_text("new", "utf-8")
    assert path.read_text("utf-8") == "new" and os.listdir(here) == ["a.csv"]


# ---------------------------------------------------------------- the package itself


def test_importing_is_light_and_names_are_there():
    probe = ("import sys, time\nt = time.perf_counter()\nimport workbench as wb\nspent = time.perf_counter() - t\n"
             "heavy = {'numba', 'polars', 'altair', 'panel', 'scipy', 'numpy'} & set(sys.modules)\nassert not heavy, heavy\n"
             "assert set(wb.__all__) <= set(dir(wb))\nassert spent < 0.3, spent\n"
             "wb.load('omerta').start(luck=1)\nassert not {'numba', 'polars', 'altair'} & set(sys.modules)\n"
             "import pydoc\nassert 'simulate(draft' in pydoc.render_doc(wb, renderer=pydoc.plaintext)")
    subprocess.run([sys.executable, "-c", probe], check=True, cwd=ROOT)


def test_every_public_name_can_be_had_and_no_other():
    assert all(getattr(wb, n) is not None for n in wb.__all__)
    with pytest.raises(AttributeError, match="simulat"):
        wb.simulat  # noqa: B018


def test_rulesets_prints_shows_and_lists(lang):
    found = wb.rulesets()
    assert "omerta" in found.names and [g.name for g in found] == found.names and len(found[0].drafts) >= 1
    assert {"en": "Draft 6", "ja": "草稿6"}[lang] in repr(found) and "<table>" in found._repr_html_()
    assert all(d.name in repr(found) for g in found for d in g.drafts)
