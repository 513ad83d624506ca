"""The format of worked examples: what a file may say, what it means, and how its errors read."""

import re
from pathlib import Path

import pytest

from workbench.checks.examples import play_example, read_examples, run_example
from workbench.checks.toml_lines import line_at, lines_of
from workbench.core.errors import RulesetError
from workbench.core.language import language
from workbench.core.ruleset import load_ruleset

RULES = load_ruleset("omerta")
BIDS = load_ruleset(Path(__file__).parent / "rulesets" / "bids")

ROUND = """
[[example]]
id = "X-1"
rules = ["OM-P1"]
players = 3
given.phase = "play"
given.round = 1
given.leader = "P0"
given.turn = "P0"
given.hand.P0 = "A5 I2"
given.hand.P1 = "A6 C8"
given.hand.P2 = "I1 C7"
"""


@pytest.fixture(autouse=True)
def english():
    before = language()
    language("en")
    yield
    language(before)


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "some.toml"
        path.write_text(text, "utf-8")
        return path
    return write


def failures(path, rules=RULES):
    return [str(f) for e in read_examples(path) for f in run_example(rules, e)]


# ---------------------------------------------------------------- files that cannot be read


@pytest.mark.parametrize("text, line, needle", [
    ("[[example]\nid = 1\n", 1, "Expected"),
    ('[[examples]]\nid = "X"\n', 1, "no key “examples”.*Did you mean “example”"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nmove = ["A5"]\n', 4, "no key “move”.*Did you mean “moves”"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nmoves = 5\n', 4, "“moves” must be a list of texts, or one text with commas, not 5"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\nplayers = "3"\n', 5, "“players” must be a whole number, not '3'"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\nluck = true\n', 5, "“luck” must be a whole number, not True"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nscore = {P0 = "5"}\n', 4, "“score” must be a table of whole numbers by seat"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nrefused = ["A5"]\n', 4, "“refused” must be a table move = rule id"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\ntitle = {fr = "x"}\n', 5, "“title” must be a text, or a table with en and ja"),
    ('[[example]]\nrules = ["OM-P1"]\nlegal = []\n', 1, "needs “id”"),
    ('\n[[example]]\nid = "X"\nlegal = []\n', 2, "needs “rules”"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nmoves = ["A5"]\n', 1, "expects nothing, so it cannot fail; add one of: legal, refused"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\n[[example.under]]\nchanges = {base = "flat"}\n', 5, "expects nothing"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\n[[example.then]]\nmoves = []\nchanges = {}\n', 7, "no key “changes”"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\nposition = "phase=deal"\nluck = 3\n', 5, "“position” gives the whole position; leave out luck"),
    ('[[example]]\nid = "X"\nrules = ["OM-P1"]\nlegal = []\n' * 2, 6, "the id “X” stands on line 1 too"),
])
def test_files_that_cannot_be_read(written, text, line, needle):
    path = written(text)
    with pytest.raises(RulesetError) as e:
        read_examples(path)
    assert str(e.value).startswith(f"{path}:{line}: "), str(e.value)
    assert re.search(needle, str(e.value)), str(e.value)
    assert e.value.line == line


def test_errors_speak_japanese(written):
    language("ja")
    with pytest.raises(RulesetError, match="「moves」には文字列のリスト"):
        read_examples(written('[[example]]\nid = "X"\nrules = ["OM-P1"]\nmoves = 5\n'))
    assert "期待 6、実際 5" in failures(written(ROUND + 'moves = ["A5"]\nfields.highest = 6\n'))[0]


# ---------------------------------------------------------------- expectations that fail, each with its line


LINE = ROUND.count("\n") + 1


@pytest.mark.parametrize("text, line, needle", [
    ('moves = ["A5"]\nfields.highest = 6\n', 1, r"highest: expected 6, met 5 \(after the forced moves A6, C7\)|highest: expected 6, met 5"),
    ('moves = ["A5"]\nfields = {hihgest = 6}\n', 1, "no field “hihgest”.*Did you mean “highest”"),
    ('moves = ["A5"]\nfields.played = "A5"\n', 1, "a value for each of P0, P1, P2"),
    ('moves = ["A5"]\nfields.played.P9 = "A5"\n', 1, "no place “P9”"),
    ('moves = ["A5"]\nfields.played.P0 = "A9"\n', 1, "no piece or card “A9”|“A9”"),
    ('moves = ["A5"]\nlegal = "A6"\n', 1, "legal moves of P1: expected A6, met A6, C8; legal, but not listed: C8"),
    ('moves = ["A5"]\nlegal = "A6, C8, out"\n', 1, r"listed, but not legal: out: You have a playable card.*\[OM-P7\]"),
    ('moves = ["A5"]\nlegal = "A6, C8, X1"\n', 1, "no move “X1”"),
    ('moves = ["A5"]\nrefused = {C8 = "OM-P5"}\n', 1, "move “C8”: expected forbidden by OM-P5, met it is allowed"),
    ('moves = ["A5"]\nrefused = {out = "OM-P5"}\n', 1, r"expected forbidden by OM-P5, met out: .*\[OM-P7\]"),
    ('moves = ["A5"]\nrefused = {out = "OM-P99"}\n', 1, "no rule “OM-P99”"),
    ('moves = ["A5"]\nto_move = "P2"\n', 1, "to move: expected P2, met P1"),
    ('moves = ["A5"]\nto_move = "P7"\n', 1, "no seat “P7”"),
    ('moves = ["A5"]\nwinners = "P1"\nto_move = "P1"\n', 1, "winners: expected P1, met –"),
    ('moves = ["A5"]\nscore = {P1 = 4}\nto_move = "P1"\n', 1, "score of P1: expected 4, met 0"),
    ('moves = ["A5"]\nevents = ["OM-P1 P0 A6"]\n', 1, "events: expected OM-P1 P0 A6, met OM-P1 P0 4"),
    ('moves = ["A5"]\nevents = ["OM-P2", "OM-P1"]\nto_move = "P1"\n', 1, "it happened, but earlier than an event listed before it"),
    ('moves = ["A5"]\nevents = ["OM-O9"]\n', 1, "no rule “OM-O9”"),
    ('moves = ["A5"]\nevents = ["OM-O6 P1 2 3"]\n', 1, "is no event; write rule, seat and number"),
    ('moves = ["A5"]\nno_events = ["OM-P1 P0"]\nto_move = "P1"\n', 1, "expected no OM-P1 P0, met OM-P1 P0 4: P0 opens the round with A5"),
    ('moves = ["A5"]\nseen_by.P1.hand.P0 = "?2"\n', 1, r"hand\[P0\] as P1 sees it: expected \?2, met \?1"),
    ('moves = ["A5"]\nseen_by.P9.hand.P0 = "?2"\n', 1, "no seat “P9”"),
    ('moves = ["A6"]\nto_move = "P1"\n', 0, r"move “A6”: expected a legal move, met A6: That card is not one of your hand cards. \[OM-P1\]"),
    ('moves = ["P2 A5"]\nto_move = "P1"\n', 0, "move “P2 A5”: it is P0's turn"),
    ('moves = ["A5, X"]\nto_move = "P1"\n', 0, "no move “X”"),
    ('changes = {bose = "flat"}\nto_move = "P0"\n', 0, "no parameter or ruling “bose”.*Did you mean “base”"),
    ('draft = "draft7"\nto_move = "P0"\n', 0, "no draft “draft7”"),
    ('given.highest = 3\nto_move = "P0"\n', 0, "“highest” is worked out from the other fields; leave it out"),
    ('given.omerta.P0 = "A6 A7"\nto_move = "P0"\n', 0, "no piece or card “A6 A7”|“A6 A7”"),
    ('given.omerta.P0 = "A6"\nto_move = "P0"\n', -3, r"A6 stands in more than one place"),
    ('given.deck = "A1"\nto_move = "P0"\n', None, r'A2 is nowhere \(rest = \{card = "<place>"\} says where'),
    ('given.turn = "P1"\nto_move = "P0"\n', None, "(?i)given|overwrite"),
    ('given.hands = 5000\nto_move = "P0"\n', 0, r"hands is 5000; it can be 0\.\.1000"),
    ('given.played.P2 = "A8"\nto_move = "P0"\n', None, r"OM-P1"),
    ('rest = "nowhere"\nto_move = "P0"\ngiven.deck = "A1"\n', 0, "no place “nowhere”"),
    ('rest = {cards = "deck"}\nto_move = "P0"\n', 0, "no kind of piece “cards”"),
    ('rest = "hands"\nto_move = "P0"\ngiven.deck = "A1"\n', 0, "“hands” is no place for card"),
])
def test_failing_examples(written, text, line, needle):
    path = written(ROUND + text)
    if text.startswith("given.turn"):  # a key that stands twice is TOML's own error
        with pytest.raises(RulesetError, match=needle):
            read_examples(path)
        return
    found = failures(path)
    assert any(re.search(needle, f, re.S) for f in found), found
    if line is not None and line >= 0:
        assert any(f.startswith(f"{path}:{LINE + line}: X-1 [OM-P1]: ") for f in found), found


def test_a_failure_shows_the_position(written):
    assert "omerta:draft6@3 phase=play turn=P1" in failures(written(ROUND + 'moves = ["A5"]\nto_move = "P2"\n'))[0]


def test_a_rule_that_is_claimed_must_act(written):
    text = ROUND.replace('["OM-P1"]', '["OM-P1", "OM-O6", "OM-C1", "OMQ-7", "OMQ-12", "OM-Q"]') + 'moves = ["A5"]\nto_move = "P1"\n'
    found = failures(written(text))
    assert len(found) == 3
    assert "claims OM-O6, which did not act in it (acted: OM-P1, OM-P2)" in found[0]
    assert "claims OMQ-12" in found[1]
    assert "no rule “OM-Q”" in found[2]
    assert not failures(written(text.replace(', "OM-Q"', "").replace('"OM-O6", ', "") + 'changes = {position = "played"}\n'))


def test_a_rule_that_breaks_off_is_a_failure(tmp_path):
    import shutil

    folder = tmp_path / "crashing"
    shutil.copytree(RULES.folder, folder)
    rules = folder / "rules.py"
    rules.write_text(rules.read_text("utf-8").replace("def do_play(p, s, card):\n", "def do_play(p, s, card):\n    s.hand[9] = 0\n"), "utf-8")
    path = tmp_path / "x.toml"
    path.write_text(ROUND + 'moves = ["A5"]\nto_move = "P1"\n', "utf-8")
    assert re.search(r"IndexError.*rules\.py:\d+, in do_play: s\.hand\[9\] = 0", failures(path, load_ruleset(folder))[0], re.S)


# ---------------------------------------------------------------- what a file may say


def test_partial_positions_keep_every_card(written):
    path = written(ROUND + 'given.pile.P1 = "A7"\nmoves = ["A5"]\nto_move = "P1"\n')
    [example] = read_examples(path)
    played = play_example(RULES, example)
    assert not played.failures
    position = played.ends[0]
    assert not RULES.schema.faults(position.state, position.draft.fresh)
    assert position["deck"] == "A1 A2 A3 A4 A8 I3 I4 I5 I6 I7 I8 C1 C2 C3 C4 C5 C6"


def test_rest_says_where_pieces_go(written):
    text = ROUND + 'given.deck = "A1"\nmoves = ["A5"]\nfields.deck = "A1"\n'
    assert "is nowhere" in failures(written(text))[0]
    for rest in ('rest = "pile[P2]"\n', 'rest = {card = "pile[P2]"}\n'):
        path = written(text + rest + 'fields.pile.P2 = "A2 A3 A4 A7 A8 I3 I4 I5 I6 I7 I8 C1 C2 C3 C4 C5 C6"\n')
        assert not failures(path)


def test_an_edit_over_a_dealt_game(written):
    """With luck the cards are dealt; a stated card leaves the hand it was in, what it displaces goes to the deck."""
    text = """
[[example]]
id = "X"
rules = ["OM-P4"]
players = 3
luck = 7
given.phase = "play"
given.round = 1
given.leader = "P0"
given.turn = "P0"
given.hand.P0 = "A1 A2"
moves = ["A1"]
fields.hand.P0 = "A2"
"""
    [example] = read_examples(written(text))
    assert "claims OM-P4" in str(run_example(RULES, example)[0])
    end = play_example(RULES, example).ends[0]
    assert not RULES.schema.faults(end.state, end.draft.fresh)
    assert "A1" not in end["hand"]["P1"].split() and "A2" not in end["hand"]["P2"].split()
    assert end["deck"] != "-"


def test_a_position_line_with_and_without_its_draft(written):
    line = "phase=play turn=P1 round=1 leader=P0 hand=I2/A6,C8/I1,C7 aside=J1,J2,J3,J4,J5,J6,J7,J8 played=A5/-/- " \
           "deck=A1,A2,A3,A4,A7,A8,I3,I4,I5,I6,I7,I8,C1,C2,C3,C4,C5,C6 family=A highest=5"
    for key, extra in (("omerta:draft6[base=flat]@3 ", ""), ("omerta:proposed@3 ", 'draft = "draft6"\n'), ("", "players = 3\n")):
        path = written(f'[[example]]\nid = "X"\nrules = ["OM-P4"]\nposition = "{key}{line}"\n{extra}moves = ["A6"]\n'
                       'events = ["OM-P4 P1 A6"]\nto_move = "P2"\n')
        [example] = read_examples(path)
        played = play_example(RULES, example)
        assert not played.failures, played.failures
        assert played.ends[0].draft.key == {"omerta:draft6[base=flat]@3 ": "omerta:draft6[base=flat]@3"}.get(key, "omerta:draft6@3")
    path = written('[[example]]\nid = "X"\nrules = ["OM-P4"]\nposition = "bids:first@2 phase=bid"\nlegal = []\n')
    assert "not of omerta" in failures(path)[0]
    path = written('[[example]]\nid = "X"\nrules = ["OM-P4"]\nposition = "omerta:draft6@3 phase=bid"\nlegal = []\n')
    assert failures(path)[0].startswith(f"{path}:4: ")


def test_luck_and_draws_by_hand(written):
    path = written('[[example]]\nid = "X"\nrules = ["OM-S3"]\nluck = 7\nto_move = "P0"\nevents = ["OM-S3"]\nfields.phase = "omerta"\n'
                   '[[example]]\nid = "Y"\nrules = ["OM-S3"]\nto_move = "chance"\nlegal = "deal <luck>"\n'
                   '[[example.then]]\nmoves = ["deal 7"]\nto_move = "P0"\n')
    assert not failures(path)
    a, b = (play_example(RULES, e).ends[0] for e in read_examples(path))
    assert a["hand"] == b["hand"]


def test_forced_moves_may_be_left_out(written):
    """P1 must play A6 (no other A, nothing above 5 in another suit), P2 has nothing and is eliminated."""
    text = ROUND.replace('"A6 C8"', '"A6 I1"').replace('"I1 C7"', '"C2 C3"').replace('["OM-P1"]', '["OM-P6"]')
    text += 'given.omerta = "A4 I4 C4"\nmoves = ["A5"]\n'
    assert not failures(written(text + 'fields.gained = "1 2 0"\nevents = ["OM-P4 P1 A6", "OM-P6 P2"]\n'))
    # what is expected of the position itself is looked at before any forced move
    here = text.replace('["OM-P6"]', '["OM-P1"]')
    assert not failures(written(here + 'legal = "A6"\nfields.highest = 5\n'))
    listed = text.replace('["A5"]', '["A5, P2 out"]')  # A6 before it is forced
    assert not failures(written(listed + 'fields.out = "0 0 1"\n'))
    assert not failures(written(text + 'no_events = ["OM-O6"]\n'))
    assert "met OM-P6 P2" in failures(written(text + 'no_events = ["OM-P6"]\n'))[0]


def test_forced_moves_are_told_in_a_failure(written):
    text = ROUND.replace('"A6 C8"', '"A6 I1"').replace('"I1 C7"', '"C2 C3"') + 'given.omerta = "A4 I4 C4"\nmoves = ["A5"]\n'
    assert "gained[P1]: expected 3, met 2 (after the forced moves A6, out)" in failures(written(text + 'fields.gained = "1 3 0"\n'))[0]


def test_several_drafts_and_numbers_of_players(written):
    path = written(ROUND + 'drafts = ["draft6", "proposed"]\nmoves = ["A5"]\nto_move = "P1"\n'
                   '[[example.under]]\nplayers = 4\nto_move = "P1"\n[[example.under]]\ndraft = "draft6-omerta4-all"\nto_move = "P1"\n')
    [example] = read_examples(path)
    played = play_example(RULES, example)
    assert not played.failures
    assert [p.draft.key for p in played.ends] == ["omerta:draft6@3", "omerta:proposed@3", "omerta:draft6@4", "omerta:proposed@4",
                                                  "omerta:draft6-omerta4-all@3"]


def test_under_repeats_the_story(written):
    text = ROUND + 'moves = ["A5"]\n[[example.then]]\nmoves = ["C8"]\nfields.highest = 8\n[[example.then]]\nmoves = ["out"]\nfields.out = "0 0 1"\n'
    text = text.replace("given.leader", 'given.omerta = "A4 I4 C4"\ngiven.leader')
    assert not failures(written(text + '[[example.under]]\nchanges = {base = "flat"}\nfields.gained = "3 3 0"\n'))
    # its own moves stand for the example's first, its own then for those that follow
    assert not failures(written(text + '[[example.under]]\nmoves = ["I2"]\nthen = [{moves = ["C8"], fields = {highest = 8}}]\nfields.highest = 2\n'))
    # without a then of its own, those of the example follow its moves (the out is P0's now, after the forced I1 and C7)
    assert not failures(written(text + '[[example.under]]\nmoves = ["I2"]\nfields.pile = ["I2", "C8", "I1"]\nfields.out = "1 0 0"\n'))
    # a failure is told at the block it belongs to
    path = written(text + '[[example.under]]\nchanges = {base = "flat"}\nfields.gained = "1 1 1"\n')
    line = path.read_text("utf-8").splitlines().index('fields.gained = "1 1 1"') + 1
    assert failures(path)[0].startswith(f"{path}:{line}: ")


def test_pools_and_boards_of_two_dimensions(written):
    head = '[[example]]\nid = "X"\nrules = ["BI-3"]\ngiven.phase = "bid"\ngiven.turn = "P0"\ngiven.drawn = "red"\n'
    assert not failures(written(head + 'given.coins.P0 = 2\nmoves = ["bid 2"]\nfields = {bank = 14, bag = "blue green white"}\n'), BIDS)
    assert not failures(written(head + 'given.coins = "2 1"\ngiven.board.1 = "blue - -"\nmoves = ["bid 2"]\n'
                                'fields = {bank = 17, bag = "green white", board = {1 = {0 = "blue", 1 = "-"}}}\n'), BIDS)
    # the bank is stated too: the coins no longer add up, unless rest says who has the others
    text = head + 'given.coins.P0 = 2\ngiven.bank = 1\nmoves = ["bid 2"]\nfields.coins.P0 = 2\n'
    assert "coin: 7 in all, but there are 20" in failures(written(text), BIDS)[0]
    assert not failures(written(text + 'rest = {coin = "coins[P1]"}\nfields.coins.P1 = 17\n'), BIDS)
    assert "no place for coin" in failures(written(text + 'rest = {coin = "tiles[P1]"}\n'), BIDS)[0]


def test_notes_and_titles_are_kept():
    example = read_examples(RULES.folder / "examples.toml")[0]
    assert example.name("en") == "OME-1 Seven full rounds: Peace, Hero and Prophecy"
    assert example.name("ja").endswith("和平・英雄・予言")
    assert example.note["en"].startswith("Play order of round 7")
    assert example.line == lines_of(example.file.read_text("utf-8"))[("example", 0)]


def test_the_page_of_the_format_runs(written):
    page = (RULES.folder.parent / "EXAMPLES.md").read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, re.S)
    assert len(blocks) == 1 and not failures(written(blocks[0]))


# ---------------------------------------------------------------- lines


def test_lines_of_every_kind_of_toml():
    text = '''# [[no]]
[[example]]
id = "a = ] # b"      # c = 1
moves = [
  "x", # d = 2
  """e
f = 3""",
]
"g h".i = {j = 1}
[example.given]
hand.P0 = 'k'
[[example.then]]
l = 4
[[example]]
m = """
n = 5
"""
[[example.then]]
'''
    lines = lines_of(text)
    assert lines[("example", 0)] == 2
    assert lines[("example", 0, "moves")] == 4
    assert lines[("example", 0, "g h", "i")] == 9
    assert lines[("example", 0, "given", "hand", "P0")] == 11
    assert lines[("example", 0, "then", 0, "l")] == 13
    assert lines[("example", 1, "m")] == 15
    assert lines[("example", 1, "then", 0)] == 18
    assert not {"c", "d", "f", "n", "no"} & {k[-1] for k in lines}
    assert line_at(lines, ("example", 0, "given", "hand", "P0", "deeper")) == 11
