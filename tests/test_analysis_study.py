"""simulate and Study: the same frame whoever plays it, and a way back from each row to its game."""

import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import workbench as wb
from workbench.analysis import Study, simulate
from workbench.core.errors import DamagedFile, OutOfRange, RulesetError, UnknownName, WorkbenchError
from workbench.core.language import language, say

batches = sys.modules["workbench.analysis.simulate"]
MIXED = ("heuristic", "random", "random", "heuristic")


@pytest.fixture(autouse=True)
def english():
    language("en")


@pytest.fixture(scope="module")
def draft():
    return wb.load("omerta")


@pytest.fixture(scope="module")
def study(draft):
    return simulate(draft, 400, bots=MIXED, luck=7)


# ---------------------------------------------------------------- the same frame


def test_cores_executors_engines_and_batches_do_not_matter(draft, study, monkeypatch):
    with ProcessPoolExecutor(2) as pool:
        others = [simulate(draft, 400, bots=MIXED, luck=7, **how)
                  for how in ({"workers": 1}, {"workers": 3}, {"engine": "plain"}, {"executor": pool})]
    monkeypatch.setattr(batches, "FIRST_DEALS", 1)
    monkeypatch.setattr(batches, "LARGEST", 30)
    others.append(simulate(draft, 400, bots=MIXED, luck=7))
    for other in others:
        assert_frame_equal(other.frame, study.frame)


@pytest.mark.parametrize("rows", ["hand", "decision", "event"])
def test_other_rows_are_the_same_too(draft, rows, monkeypatch):
    whole = simulate(draft, 48, rows=rows)
    monkeypatch.setattr(batches, "FIRST_DEALS", 1)
    monkeypatch.setattr(batches, "LARGEST", 8)
    assert_frame_equal(simulate(draft, 48, rows=rows, workers=2).frame, whole.frame)
    assert_frame_equal(simulate(draft, 48, rows=rows, engine="plain").frame, whole.frame)


def test_a_longer_study_begins_with_the_shorter(draft, study):
    assert_frame_equal(simulate(draft, 800, bots=MIXED, luck=7).frame.head(400), study.frame)


def test_a_rule_of_a_notebook_cell_goes_to_other_processes(draft):
    def domination(p, s, seat):
        return 40 if s.leader == seat else 0

    domination.__module__ = "__main__"  # as in a notebook
    changed = draft.replace(domination)
    here = simulate(changed, 40)
    assert here.frame["score_P0"].max() > 30
    with ProcessPoolExecutor(1) as pool:
        assert_frame_equal(simulate(changed, 40, executor=pool).frame, here.frame)


# ---------------------------------------------------------------- the frame


def test_columns_are_declared(draft):
    for rows in ("game", "hand", "decision", "event"):
        s = simulate(draft, 8, rows=rows)
        assert s.columns["name"].to_list() == s.frame.columns
        assert [c.polars for c in s.declared] == list(s.frame.schema.values())
        assert all(en and ja for en, ja in s.columns.select("en", "ja").iter_rows())
    schema = simulate(draft, 4).frame.schema
    assert (schema["game"], schema["luck"], schema["won_P0"], schema["capped"]) == (pl.UInt32, pl.Int64, pl.Float32, pl.Boolean)
    assert schema["revealed_P3"] == pl.Enum(draft.ruleset.pieces["card"].names)


def test_rounded_up_to_whole_deals(draft):
    s = simulate(draft, 10)
    assert (s.games, s.deals, s.frame.height) == (12, 3, 12)
    assert "rounded up to whole deals: 12" in s.sentence
    assert s.frame["deal"].to_list() == [0] * 4 + [1] * 4 + [2] * 4
    assert s.frame["turn"].to_list() == [0, 1, 2, 3] * 3
    assert s.frame["won_P0"].dtype == pl.Float32
    assert "draft6@" + draft.digest in s.frame["draft"].unique().to_list()


def test_shared_wins_are_shared(draft):
    s = simulate(draft.vary(play="hand"), 400)
    won = s.frame.select(pl.sum_horizontal(f"won_{n}" for n in draft.seat_names))
    assert won.to_series().is_between(0.9999, 1.0001).all()
    assert s.frame["won_P0"].is_between(0.3, 0.6).any()


@pytest.mark.parametrize("cap", [20_000, 30])
def test_each_row_leads_back_to_its_game(draft, cap):
    s = simulate(draft, 48, bots=MIXED, luck=3, cap=cap)
    for row in s.frame.gather(range(0, 48, 4 - (cap == 30))).iter_rows(named=True):
        end = s.game(row)
        assert [p.to_move for p in end.history].count("chance") == 0 or not end.history[0].over
        assert sum(who >= 0 for who, _ in end.codes) == row["decisions"]
        assert end.over != row["capped"]
        assert end.score == {n: row[f"score_{n}"] for n in draft.seat_names}
        for field in ("leader", "round", "hands"):
            assert end[field] == row[field]
        for field in ("out", "gained", "points"):
            assert end[field] == {n: row[f"{field}_{n}"] for n in draft.seat_names}
        assert end["revealed"] == {n: row[f"revealed_{n}"] or "-" for n in draft.seat_names}
        started = draft.start(luck=row["luck"], turned=row["turn"])
        assert started in end.history
    assert (s.capped > 0) == (cap == 30) == ("cut at 30 decisions" in s.sentence)
    with pytest.raises(OutOfRange):
        s.game(48)


# ---------------------------------------------------------------- other rows


def test_hands_add_up_to_their_game(draft):
    games, hands = simulate(draft, 80), simulate(draft, 80, rows="hand")
    last = hands.frame.group_by("game", maintain_order=True).agg(
        pl.col("row").max(), pl.len(), pl.col("points_P2").last(), pl.col("gained_P2").cast(pl.Int64).sum())
    assert last["row"].to_list() == last["len"].to_list() == games.frame["hands"].to_list()
    assert last["points_P2"].to_list() == last["gained_P2"].to_list() == games.frame["score_P2"].to_list()
    cut = simulate(draft, 80, rows="hand", cap=20)
    assert cut.capped > 0 and cut.frame["revealed_P0"].null_count() == 0


def test_decisions_are_those_of_the_game(draft):
    games, s = simulate(draft, 40), simulate(draft, 40, rows="decision")
    assert s.frame.group_by("game", maintain_order=True).len()["len"].to_list() == games.frame["decisions"].to_list()
    assert (s.frame["forced"] == (s.frame["options"] == 1)).all()
    end = games.game(13)
    mine = s.frame.filter(pl.col("game") == 13)
    name = draft.ruleset.moves.name
    assert mine["move"].to_list() == [name(code) for who, code in end.codes if who >= 0]
    assert mine["seat"].to_list() == [draft.seat_names[who] for who, _ in end.codes if who >= 0]
    assert mine["step"].to_list() == list(range(1, len(mine) + 1))


def test_points_of_events_add_up(draft):
    games, s = simulate(draft, 40), simulate(draft, 40, rows="event")
    lost = pl.when(pl.col("rule") == "OMQ-15").then(pl.col("n")).otherwise(0)
    sums = s.frame.group_by("game").agg(
        *((pl.col("points") - lost).filter(pl.col("seat") == n).sum().alias(n) for n in draft.seat_names),
        hands=(pl.col("rule") == "OM-F1").sum()).sort("game")
    for n in draft.seat_names:
        assert sums[n].to_list() == games.frame[f"score_{n}"].to_list()
    assert sums["hands"].to_list() == games.frame["hands"].to_list()
    assert s.frame.filter(pl.col("step") == 0)["rule"].to_list() == ["OM-S3"] * 40
    assert s.summary().filter(pl.col("name") == "OM-P1")["value"].item() == 1.0


def test_by_seat_knows_bots_and_groups(study, draft):
    b = study.by_seat()
    assert b.height == 4 * study.games and b["seat"].to_list()[:4] == list(draft.seat_names)
    row = b.filter(pl.col("game") == 5)  # turn 1: the bot of P0 sits at P1
    assert row["bot"].to_list() == ["heuristic", "heuristic", "random", "random"]
    assert b.filter(pl.col("revealed").is_in(["A7", "J7"]))["omerta"].unique().to_list() == ["7"]
    assert b.filter(pl.col("seat") == "P2")["score"].to_list() == study.frame["score_P2"].to_list()
    with pytest.raises(WorkbenchError):
        simulate(draft, 4, rows="event").by_seat()


# ---------------------------------------------------------------- summary and text


def test_summary_has_intervals_and_par(study):
    t = study.summary()
    assert {"win P0", "score", "spread", "draw", "decisions", "win heuristic", "win random"} <= set(t["name"])
    assert ((t["low"] <= t["value"]) & (t["value"] <= t["high"])).all() and (t["deals"] == 100).all()
    assert t.filter(pl.col("name") == "win P1")["par"].item() == 0.25
    of_bots = [study.estimate(pl.sum_horizontal(f"won_P{i}" for i in range(4))).value] + [
        t.filter(pl.col("name") == f"win {bot}")["value"].item() for bot in ("heuristic", "random")]
    assert of_bots[0] == pytest.approx(1) and of_bots[1] + of_bots[2] == pytest.approx(0.5) and of_bots[1] > of_bots[2]


def test_it_says_where_its_numbers_come_from(study, draft):
    for lang, words in (("en", "400 games (100 deals"), ("ja", "400ゲーム（100ディール")):
        language(lang)
        for text in (study.sentence, repr(study), study._repr_html_()):
            assert words in text and draft.digest in text and "heuristic, random, random, heuristic" in text and "7" in text


# ---------------------------------------------------------------- stopping, progress


def test_an_interruption_keeps_whole_batches(draft, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST", 64)

    def stop(done, total):
        if done >= 200:
            raise KeyboardInterrupt

    s = simulate(draft, 4000, progress=stop)
    assert s.stopped and 200 <= s.games < 4000 and s.frame.height == s.games and s.games % 4 == 0
    assert f"STOPPED EARLY: {s.games} of 4,000" in s.sentence and "STOPPED" in repr(s) and "STOPPED" in s._repr_html_()
    assert_frame_equal(s.frame, simulate(draft, s.games).frame)
    language("ja")
    assert "途中で停止" in s.sentence


def test_an_interruption_before_the_first_batch_goes_on(draft, monkeypatch):
    monkeypatch.setattr(batches, "wait", lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        simulate(draft, 4000, engine="plain")


def test_progress_counts_to_the_end(draft):
    seen = []
    simulate(draft, 1000, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen) and seen[-1] == (1000, 1000)


# ---------------------------------------------------------------- on disk


def test_saved_and_loaded(study, tmp_path):
    path = study.save(tmp_path / "study.parquet")
    again = Study.load(path)
    assert_frame_equal(again.frame, study.frame)
    assert (again.draft, again.bots, again.luck, again.games, again.sentence) == (
        study.draft, study.bots, study.luck, study.games, study.sentence)
    assert again.game(9) == study.game(9)
    assert pl.read_parquet(path).height == 400


def test_damaged_and_foreign_files_are_refused(study, tmp_path):
    path = study.save(tmp_path / "study.parquet")
    data = path.read_bytes()
    (tmp_path / "text.parquet").write_text("no table")
    (tmp_path / "cut.parquet").write_bytes(data[: len(data) // 2])
    study.frame.write_parquet(tmp_path / "foreign.parquet")
    meta = {"workbench": pl.read_parquet_metadata(path)["workbench"]}
    study.frame.with_columns(pl.col("score_P0") + 1).write_parquet(tmp_path / "changed.parquet", metadata=meta)
    study.frame.write_parquet(tmp_path / "newer.parquet", metadata={"workbench": meta["workbench"].replace('"format": 1', '"format": 9')})
    for name, why in (("text", "cannot be read"), ("cut", "cannot be read"), ("foreign", "not a study"), ("changed", "not those"),
                      ("newer", "format 9"), ("missing", "cannot be read")):
        with pytest.raises(DamagedFile, match=why):
            Study.load(tmp_path / f"{name}.parquet")


def test_a_study_of_older_rules_says_so(study, draft, tmp_path):
    path = study.save(tmp_path / "study.parquet")
    older = Study.load(path, draft=draft.vary(hero_points=3))
    assert draft.digest in older.sentence and "another state" in older.sentence
    with pytest.raises(WorkbenchError, match="another state"):
        older.game(0)
    with pytest.raises(DamagedFile, match="columns"):
        Study.load(path, draft=wb.load("omerta", players=3))


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize("wrong, error, lists", [
    ({"bots": "heuristik"}, UnknownName, "heuristic"), ({"rows": "hands"}, UnknownName, "game, hand, decision, event"),
    ({"engine": "fast"}, UnknownName, "compiled"), ({"games": 0}, OutOfRange, "1 to"), ({"luck": -1}, OutOfRange, "0 to"),
    ({"cap": 0}, OutOfRange, "1 to"), ({"bots": ("random", "random")}, RulesetError, "4 bots")])
def test_errors_say_what_there_is(draft, wrong, error, lists):
    with pytest.raises(error, match=lists):
        simulate(draft, **{"games": 4, **wrong})
    language("ja")
    with pytest.raises(error):
        simulate(draft, **{"games": 4, **wrong})


def test_measures_are_listed(study):
    with pytest.raises(UnknownName, match="spread"):
        study.estimate("scores")
    with pytest.raises(UnknownName, match="decisions"):
        study.estimate(pl.col("length"))
    for wrong in (pl.col("leader"), pl.col("decisions").mean()):
        with pytest.raises(WorkbenchError):
            study.estimate(wrong)


# ---------------------------------------------------------------- a game of one's own

TOY = {
    "game.toml": """
title = "Toy"
players = {min = 2, max = 3, default = 2}
phases = ["play"]
dims = {amount = 2, heap = 2}
[pieces.token]
names = ["a", "b", "c"]
[moves.take]
phase = "play"
args = ["amount"]
[study]
columns = ["left", "taken", "kept", "heaps", "last", "phase"]
rows.turn = {before = ["take"]}
groups.many = {field = "taken", values = {few = {of = [0, 1, 2]}, lots = {of = [3, 4, 5, 6]}}}
""",
    "params.toml": '[params.stones]\nvalue = 6\nmin = 1\nmax = 40\nunit = "stones"\nen = "stones"\nja = "石"\nsource = "toy"\n',
    "drafts.toml": 'default = "one"\n[drafts.one]\n',
    "rules.en.md": "- **TOY-1** Take one or two stones.\n",
    "rules.ja.md": "- **TOY-1** 石を1個か2個取る。\n",
    "rules.py": """
from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, left_of, many, number, phase, rule, seat, state
STATE = state(left=number(0, 40, en="stones left", ja="残り"), taken=number(0, 40, per="seat", en="taken", ja="取った数"),
              kept=many("token", per="seat", place=False, en="kept", ja="印"), heaps=number(0, 9, per="heap"), last=seat())
OVER_NOW, TOY_1 = phase("over"), rule("TOY-1")
def setup(p, s):
    s.left = p.stones
    s.turn = 0
def forbids_take(p, s, a):
    return ALLOWED if a < s.left else TOY_1
def do_take(p, s, a):
    s.left -= a + 1
    s.taken[s.turn] += a + 1
    s.kept[s.turn] |= bit(a)
    s.heaps[a] += 1
    s.last = s.turn
    cite(TOY_1, s.turn, a + 1)
    s.turn = left_of(s, s.turn)
    if s.left == 0:
        s.phase = OVER_NOW
def score(p, s, who):
    return s.taken[who]
def won(p, s, who):
    best = s.taken[0]
    for other in range(s.players):
        best = max(best, s.taken[other])
    return 1 if s.taken[who] == best and best < p.stones else 0
""",
}


@pytest.fixture
def toy(tmp_path):
    def write(file="", old="", new=""):
        folder = tmp_path / "toy"
        folder.mkdir(exist_ok=True)
        for name, text in TOY.items():
            assert name != file or old in text
            (folder / name).write_text(text.replace(old, new) if name == file else text, "utf-8")
        return wb.load(folder)

    return write


def test_any_game_can_be_studied(toy):
    d = toy()
    s = simulate(d, 60)
    assert s.frame.columns[4:-2] == ["decisions", "capped", "score_P0", "score_P1", "won_P0", "won_P1", "left", "taken_P0", "taken_P1",
                                     "kept_P0", "kept_P1", "heaps_0", "heaps_1", "last", "phase"]
    assert set(s.frame["kept_P0"]) <= {"a", "b", "a b", "-"} and set(s.frame["phase"]) == {"over"}
    assert_frame_equal(s.frame, simulate(d, 60, engine="plain").frame)
    assert s.frame.filter(pl.col("won_P0") == 0.5).height == s.frame.filter(pl.col("taken_P0") == 3).height > 0
    assert (s.frame["heaps_0"] + 2 * s.frame["heaps_1"] == 6).all()
    turns = simulate(d, 60, rows="turn")
    assert turns.frame.filter(pl.col("row") == 1)["left"].to_list() == [6] * 60
    assert turns.frame["last"].null_count() == 60
    b = s.by_seat()
    assert (b["many"].cast(pl.String) == b["taken"].replace_strict({k: "few" if k < 3 else "lots" for k in range(7)})).all()
    assert simulate(d.vary(players=3), 30).frame["score_P2"].len() == 30


def test_a_copy_of_a_ruleset_in_another_folder_and_process(toy, tmp_path):
    here = simulate(toy(), 40).frame  # leaves its compiled rules on disk, which the copy then finds
    shutil.copytree(tmp_path / "toy", tmp_path / "elsewhere" / "toy")
    code = ("import sys, workbench as wb; from workbench.analysis import simulate; "
            "print(simulate(wb.load(sys.argv[1]), 40).frame['score_P0'].to_list())")
    there = subprocess.run([sys.executable, "-c", code, tmp_path / "elsewhere" / "toy"], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == str(here["score_P0"].to_list())


def test_a_wrong_study_table_is_named(toy):
    for old, new, why in (('"left"', '"lefd"', "left"), ('before = ["take"]', 'before = ["tak"]', "take"), ("rows.turn", "rows.event", "event"),
                          ('"taken", values', '"heaps", values', "taken"), ("of = [0, 1, 2]", 'off = [1]', "of"), ('"left",', '"turn",', "turn")):
        with pytest.raises(RulesetError, match=why) as e:
            simulate(toy("game.toml", old, new), 4)
        assert "game.toml" in str(e.value)


def test_a_position_without_moves_is_named(toy):
    d = toy("rules.py", "if s.left == 0", "if s.left < 0")
    for rows in ("game", "event"):
        with pytest.raises(RulesetError, match="no legal move"):
            simulate(d, 4, rows=rows)


# ---------------------------------------------------------------- layers


def test_nothing_heavy_is_imported():
    code = ("import sys, workbench.analysis; from workbench.core import runner; "
            "print([m for m in ('altair', 'scipy', 'panel', 'ipywidgets', 'numba') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_every_sentence_is_in_both_languages():
    from workbench.core.language import _messages

    def walk(table):
        for entry in table.values():
            if set(entry) == {"en", "ja"} and isinstance(entry["en"], str):
                fields = [{f[1] for f in __import__("string").Formatter().parse(entry[k]) if f[1]} for k in ("en", "ja")]
                assert fields[0] == fields[1] or "df" in fields[0] | fields[1], entry
            else:
                walk(entry)

    for part in ("study", "compare", "chart"):
        walk(_messages()[part])
    assert say("study.par")
