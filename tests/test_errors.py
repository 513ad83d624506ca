"""What bad input gets: each message says what was expected, met, where, and what to do, in both languages."""

import os
import re
import shutil
import sys

import pytest

import workbench as wb
from workbench.cli import main
from workbench.core.errors import (
    BrokenPosition,
    DamagedFile,
    NotCompilable,
    OutOfRange,
    Refused,
    RulesetError,
    UnknownName,
    WorkbenchError,
)
from workbench.core.language import LANGUAGES, _messages
from workbench.core.ruleset import home
from workbench.core.runner import run

JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
HAND = wb.load("omerta", play="hand")


@pytest.fixture
def game(tmp_path):
    """A copy of the template's game to break."""
    folder = tmp_path / "rulesets" / "coin"
    shutil.copytree(home("rulesets").parent / "workbench" / "cli" / "template", folder)
    return folder


@pytest.fixture
def fails(lang):
    """Call something that must fail; its message, which is in the language in use."""
    def failing(kind, call):
        with pytest.raises(kind) as e:
            call()
        text = str(e.value)
        assert bool(JAPANESE.search(text)) == (lang == "ja"), text
        return text
    return failing


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def line_of(path, text):
    return next(i for i, x in enumerate(path.read_text("utf-8").splitlines(), 1) if text in x)


def test_every_message_stands_in_both_languages_with_the_same_slots():
    def walk(entry, where):
        if isinstance(entry, dict) and set(entry) & set(LANGUAGES) and all(isinstance(v, str) for v in entry.values()):
            assert set(entry) == set(LANGUAGES), where
            slots = [sorted(set(re.findall(r"\{(\w+)", text)) | set(re.findall(r"%\(\w+\)\w|%s", text))) for text in entry.values()]
            assert slots[0] == slots[1], where
        else:
            for k, v in entry.items():
                walk(v, f"{where}.{k}")
    walk(_messages(), "messages")


# ---------------------------------------------------------------- names and ranges


@pytest.mark.parametrize(("call", "met", "nearest", "also"), [
    (lambda: wb.load("omertta"), "omertta", "omerta", "omerta"),
    (lambda: wb.load("omerta", "draft5"), "draft5", "draft6", "proposed"),
    (lambda: HAND.vary(hero_point=3), "hero_point", "hero_points", "rounds"),
    (lambda: HAND.start().play("X5"), "X5", "[AICJ]5", "J8"),
    (lambda: HAND.start().play("c7 "), "c7", "C7", "J8"),
    (lambda: HAND.start().why_not("omerta A9"), "omerta A9", "omerta A", "omerta J8"),
    (lambda: HAND.start()["hands_"], "hands_", "hands", "leader"),
    (lambda: HAND.start().poke(hand={"P9": "A1"}), "P9", "P3", "P0"),
    (lambda: HAND.start().poke(hand={"P0": "A0"}), "A0", "A", "J8"),
    (lambda: HAND.start().seen_by("P7"), "P7", "P3", "P0"),
    (lambda: HAND.rule("OM-O66"), "OM-O66", "OM-O6", "OM-C1"),
    (lambda: HAND.replace(lambda p, s, seat: 0), "<lambda>", "", "setup"),
    (lambda: wb.check("omerta", only=["legall"]), "legall", "legal", "notation"),
    (lambda: wb.simulate(HAND, 4, bots="heuristics"), "heuristics", "heuristic", "random"),
    (lambda: wb.simulate(HAND, 4, rows="hands"), "hands", "hand", "game"),
    (lambda: wb.simulate(HAND, 4, engine="compile"), "compile", "compiled", "plain"),
])
def test_an_unknown_name_lists_what_there_is_and_the_nearest(fails, call, met, nearest, also):
    text = fails(UnknownName, call)
    assert met in text and also in text
    assert not nearest or re.search(rf"[“「]{nearest}", text.split(met, 1)[1]), text


@pytest.mark.parametrize(("call", "said"), [
    (lambda: HAND.vary(hero_points=11), ["11", "0..10 VP", "OM-O6"]),
    (lambda: HAND.vary(hero_points=2.5), ["2.5", "0..10 VP"]),
    (lambda: HAND.vary(base="flatt"), ["'flatt'", "order, flat", "OMV-4"]),
    (lambda: wb.load("omerta", players=5), ["5", "3", "4"]),
    (lambda: wb.simulate(HAND, 0), ["games", "0", "1"]),
    (lambda: wb.simulate(HAND, 4, luck=-1), ["luck", "-1", "281,474,976,710,655"]),
])
def test_a_value_out_of_range_says_the_range_and_the_meaning(fails, call, said):
    text = fails(OutOfRange, call)
    assert all(x in text for x in said), text


def test_the_meaning_is_in_the_language_in_use(fails, lang):
    text = fails(OutOfRange, lambda: HAND.vary(hero_points=11))
    assert {"en": "points for Hero", "ja": "英雄の得点"}[lang] in text


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), [
    ("game.toml", "luck = true", "luck true", "luck true", "'='"),
    ("params.toml", "max = 5", "max = 5 5", "max = 5 5", "TOML"),
    ("params.toml", "max = 5", "", "[params.coins]", "max"),
    ("params.toml", "value = 1", "value = 9", "[params.coins]", "1..5 coins"),
    ("params.toml", 'default = "nobody"', 'default = "someone"', "[rulings.tie]", "nobody, first"),
    ("drafts.toml", '{tie = "first"}', '{ties = "first"}', "[drafts.first-wins]", "tie"),
    ("drafts.toml", '{tie = "first"}', '{tie = "last"}', "[drafts.first-wins]", "nobody, first"),
    ("rules.py", "    best = 0", "    best =", "    best =", "rules.py"),
    ("rules.py", "state(  #", "state(x=numbr(0, 1),  #", "x=numbr", "numbr"),
])
def test_a_broken_file_says_file_and_line(fails, game, file, old, new, at, said):
    edit(game / file, old, new)
    text = fails(RulesetError, lambda: wb.load(game, "first-wins"))
    assert f"{game / file}:{line_of(game / file, at)}: " in text and said in text, text


@pytest.mark.parametrize(("file", "old", "new", "said"), [
    ("game.toml", "players = {min = 2, max = 4, default = 3}", "", "players"),
    ("game.toml", "players = {min = 2, max = 4, default = 3}", "players = 3", "README"),
    ("game.toml", 'phases = ["deal", "play"]', 'phases = ["deal", "plays"]', "plays"),
    ("game.toml", 'args = ["card"]', 'args = ["crad"]', "card"),
    ("game.toml", '["R", "G", "B"]', '["R", "G", "R"]', "[pieces.card]"),
    ("rules.py", "STATE = ", "STATES = ", "STATE"),
    ("rules.py", "def won", "def wins", "won"),
    ("rules.py", "def do_play(p, s, card)", "def do_play(p, s)", "do_play"),
    ("rules.py", 'rule("MY-4")', 'rule("MY-44")', "MY-4"),
    ("rules.py", "s.coins[best] += p.coins", "s.coins[best] += p.coin", "coins"),
    ("rules.py", "s.phase = PLAY", "s.phases = PLAY", "phase"),
    ("rules.py", "value(s.played[who])", "values(s.played[who])", "value"),
    ("bots.py", "def thrifty", "def spendthrift", "thrifty"),
    ("rules.ja.md", "**MY-3**", "**MY-2**", "MY-2"),
    ("drafts.toml", 'default = "draft1"', 'default = "draft"', "draft"),
    ("drafts.toml", 'base = "draft1"', 'base = "first-wins"', "first-wins"),
])
def test_a_ruleset_that_cannot_be_says_what_is_wrong(fails, game, file, old, new, said):
    edit(game / file, old, new)
    text = fails(WorkbenchError, lambda: wb.load(game, "first-wins").start().events[0].sentence("ja"))
    assert said in text and (file in text or "“MY-4" in text or "「MY-4" in text), text


def test_a_missing_file_and_one_in_another_encoding(fails, game):
    (game / "drafts.toml").write_bytes('# 草稿\ndefault = "draft1"'.encode("shift_jis"))
    assert "UTF-8" in fails(RulesetError, lambda: wb.load(game))
    (game / "params.toml").unlink()
    assert str(game / "params.toml") in fails(RulesetError, lambda: wb.load(game))


@pytest.mark.parametrize(("table", "line", "said"), [
    ("name,worth\nR1,1\nR2\n", 3, "2"),
    ("name,worth\nR1,1\nR1,2\n", 3, "R1"),
    ("name,worth\nR1,one\n", 2, "worth"),
    ("nam,worth\nR1,1\n", 1, "name"),
    ('name,worth\nR1,"1\n', 2, "cards.csv"),
])
def test_a_broken_table_says_file_and_line(game, lang, table, line, said):
    edit(game / "game.toml", "product = [[\"R\", \"G\", \"B\"], [1, 2, 3, 4, 5, 6]]", 'table = "cards.csv"')
    data = game.parent.parent / "data" / "coin"
    data.mkdir(parents=True)
    (data / "cards.csv").write_text(table, "utf-8")
    with pytest.raises(RulesetError) as e:
        wb.load(game)
    assert f"{data / 'cards.csv'}:{line}: " in str(e.value) and said in str(e.value)


# ---------------------------------------------------------------- moves and positions


def test_an_illegal_move_cites_its_rule(fails, lang):
    p = HAND.start(luck=7)
    for _ in range(5):
        p = p.play(p.legal[0])
    card = next(c for c in p["hand"][p.to_move].split() if p.why_not(c))
    text = fails(Refused, lambda: p.play(card))
    assert f"{card}: " in text and "[OM-P5]" in text and str(p) in text
    assert {"en": "Another suit", "ja": "ほかのスート"}[lang] in text
    assert "[OM-S4]" in fails(Refused, lambda: p.play(f"omerta {card}")), "a move of another phase says what is asked now"
    assert fails(Refused, lambda: HAND.start(luck=None).play("A1")), "chance is asked, not a seat"


@pytest.mark.parametrize(("poke", "field", "said"), [
    (lambda p: {"hand": {"P0": p["hand"]["P0"].split()[1:]}}, "card", lambda p: p["hand"]["P0"].split()[0]),
    (lambda p: {"hand": {"P0": p["hand"]["P0"].split() + p["hand"]["P1"].split()[:1]}}, "hand", lambda p: p["hand"]["P1"].split()[0]),
    (lambda p: {"hand": {"P0": "A1 A1"}}, "hand", lambda p: "A1"),
    (lambda p: {"round": 8}, "round", lambda p: "0..7"),
    (lambda p: {"round": "many"}, "round", lambda p: "0..7"),
    (lambda p: {"points": [1, 2]}, "points", lambda p: "P0, P1, P2, P3"),
    (lambda p: {"phase": "play"}, "OM-P1", lambda p: p.draft.rule("OM-P1")),
])
def test_a_poked_position_says_what_is_broken(fails, poke, field, said):
    p = HAND.start(luck=7)
    text = fails(BrokenPosition, lambda: p.poke(**poke(p)))
    assert f"\n  {field}: " in text and said(p) in text


def test_a_lost_or_doubled_card_of_a_notation_line_is_named(fails):
    p = HAND.start(luck=7)
    card = p["hand"]["P2"].split()[0]
    assert card in fails(BrokenPosition, lambda: wb.read(str(p).replace(f"{card},", "", 1)))
    assert card in fails(BrokenPosition, lambda: wb.read(f"{p} aside={card}"))


@pytest.mark.parametrize("text", ["", "chess:start@2", "omerta:draft6@4 nofield=3", "omerta:draft6@4 hand=A1/A2", "omerta:draft6@4 round=x",
                                  "omerta:draft6[hero_points=x]@4 phase=deal", "omerta:draft6[hero_points=99]@4", "omerta:draft6@9 phase=deal",
                                  "{", '{"workbench": "game"}', '{"workbench": "position"}', '{"workbench": "position", "draft": "omerta:draft6@4", "state": 3}',
                                  "omerta:draft6[+hero]@4#0123456789ab phase=deal"])
def test_what_is_no_position_is_refused(fails, text):
    fails(WorkbenchError, lambda: wb.read(text))


# ---------------------------------------------------------------- rules that cannot be compiled


CONSTRUCTS = {
    "text": ('    name = f"{seat:>3}"', "return len(name)"),
    "dictionary": ("    points = {k: [k] for k in range(3)}", "return len(points[seat % 3][:1]) + (seat and points)"),
    "two kinds": ('    if seat == 0:\n        return "nothing"', "return 1"),
    "function": ("    best = max(s.played, key=lambda c: c)", "return best"),
}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_rule_that_cannot_be_compiled_names_line_and_construct_and_the_other_engine(fails, tmp_path, construct):
    body, last = CONSTRUCTS[construct]
    file = tmp_path / "cell.py"
    file.write_text(f"def won(p, s, seat):\n{body}\n    {last}\n", "utf-8")
    scope: dict = {}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), scope)
    text = fails(NotCompilable, lambda: run(HAND.replace(scope["won"]), games=4, cached=False))
    assert re.search(rf"won[”」].*{re.escape(str(file))}:[1-4]", text) and 'engine="plain"' in text


def test_such_a_rule_runs_on_the_plain_engine(tmp_path):
    def won(p, s, seat):
        return len(f"{seat:>3}") == 3 and {0: 1}.get(seat, 0)

    assert run(HAND.replace(won), games=4, engine="plain").info["won"][:, 0].all()


@pytest.mark.parametrize(("body", "said"), [("s.hnad[seat]", "s.hnad"), ("p.hero_point", "hero_points"), ("numbr(seat)", "numbr"), ("sorted(s.played)", "sorted")])
def test_a_rule_that_uses_what_is_not_there_names_it_before_it_runs(fails, body, said):
    scope: dict = {}
    exec(compile(f"def hero(p, s, seat):\n    return {body}\n", "cell.py", "exec"), scope)
    for engine in ("plain", "compiled"):
        text = fails(RulesetError, lambda engine=engine: run(HAND.replace(scope["hero"]), games=1, engine=engine))
        assert text.startswith("cell.py:2: ") and said in text


def test_a_rule_with_other_parameters_is_refused(fails):
    def hero(p, s):
        return 0

    assert "(p, s, seat)" in fails(WorkbenchError, lambda: HAND.replace(hero))


# ---------------------------------------------------------------- saved games


@pytest.fixture
def saved(tmp_path):
    p = HAND.start(luck=5)
    while not p.over:
        p = p.play(p.legal[0])
    return p.save(tmp_path / "game.jsonl")


def test_a_saved_game_comes_back_whole(saved):
    p = wb.replay(saved)
    assert p.over and p.draft == HAND and len(p.history) > 20


@pytest.mark.parametrize(("damage", "said"), [
    (lambda t: "", "game.jsonl"),
    (lambda t: "hello\n", ":1"),
    (lambda t: '{"a": 1}\n', "game.jsonl"),
    (lambda t: t.replace('"format": 1', '"format": 99'), "99"),
    (lambda t: "\n".join(t.split("\n")[:9]), "9"),
    (lambda t: t.replace('"move": "', '"move": "X', 3).replace("Xdeal", "deal"), ":3"),
    (lambda t: t.replace('{"move"', '{"mov', 4).replace('{"mov"', '{"move"', 2), ":"),
    (lambda t: t.replace("draft6[play=hand]@4", "draft7@4"), "draft7"),
    (lambda t: t.replace("points=", "points=9", 1), "points=9"),
    (lambda t: "\n".join([*t.split("\n")[:5], *t.split("\n")[6:]]), ""),
    (lambda t: t.replace('{"move"', '[{"move"', 1), ":2"),
    (lambda t: t.replace('"turned": 0', '"turned": "x"'), ":1"),
])
def test_a_damaged_or_foreign_game_is_refused_with_its_reason(fails, saved, damage, said):
    saved.write_text(damage(saved.read_text("utf-8")), "utf-8")
    text = fails(DamagedFile, lambda: wb.replay(saved))
    assert said in text and str(saved) in text


def test_a_binary_or_missing_file_is_no_game(fails, saved):
    saved.write_bytes(bytes(range(256)))
    fails(DamagedFile, lambda: wb.replay(saved))
    fails(DamagedFile, lambda: wb.replay(saved.with_name("nothing.jsonl")))


def test_a_game_saved_under_an_older_draft_is_noted(saved, lang, capsys):
    edit(saved, f'"digest": "{HAND.digest}"', '"digest": "0123456789ab"')
    assert wb.replay(saved).over
    assert main(["--lang", lang, "replay", str(saved), "--to", "2"]) == 0
    assert {"en": "another state of omerta:draft6", "ja": "別の状態で保存"}[lang] in capsys.readouterr().out


# ---------------------------------------------------------------- nothing saved is lost


def test_a_game_that_cannot_be_written_leaves_the_old_one(saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(os, "replace", lambda a, b: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError):
        HAND.start(luck=1).save(saved)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("command", [
    ["simulate", "omerta", "--games", "8", "--rows", "nosuch", "--out", "OLD.csv"],
    ["simulate", "omerta", "--games", "8", "--set", "hero_points=99", "--out", "OLD.parquet"],
    ["compare", "omerta", "draft6", "proposed", "--games", "8", "--measure", "nosuch", "--chart", "OLD.html"],
])
def test_a_command_that_fails_leaves_its_old_file_and_nothing_else(tmp_path, monkeypatch, capsys, lang, command):
    monkeypatch.chdir(tmp_path)
    old = tmp_path / command[-1]
    old.write_text("kept", "utf-8")
    assert main(["--lang", lang, *command]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("workbench: ") and "Traceback" not in err and bool(JAPANESE.search(err)) == (lang == "ja")
    assert old.read_text("utf-8") == "kept" and os.listdir(tmp_path) == [old.name]


def test_a_file_that_breaks_off_while_it_is_written_leaves_the_old_one(tmp_path, monkeypatch, capsys):
    import polars as pl

    old = tmp_path / "games.csv"
    old.write_text("kept", "utf-8")

    def half(frame, path):
        path.write_text("game,dea", "utf-8")
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(pl.DataFrame, "write_csv", half)
    assert main(["simulate", "omerta", "--games", "8", "--out", str(old)]) == 2
    assert "No space left" in capsys.readouterr().err
    assert old.read_text("utf-8") == "kept" and os.listdir(tmp_path) == [old.name]


def test_the_command_line_shows_no_traceback(capsys, lang, saved):
    saved.write_text("junk", "utf-8")
    for command in (["replay", str(saved)], ["check", "omertta"], ["rule", "omerta", "OM-99"], ["check", "omerta", "--examples", "nofile.toml"],
                    ["simulate", "omerta", "--out", "x.txt"], ["compare", "omerta", "draft6", "draft6[base"], ["new", "No Name"]):
        assert main(["--lang", lang, *command]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("workbench: ") and "Traceback" not in err
        assert bool(JAPANESE.search(err)) == (lang == "ja"), err
    assert sys.exc_info() == (None, None, None)
