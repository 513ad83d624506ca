"""Zones, views and still pictures: what is on the table, and that nothing hidden is."""

import json
import random
import shutil
from pathlib import Path

import pytest

import workbench as wb
from workbench.core.errors import RulesetError, UnknownName
from workbench.core.ruleset import home, load_ruleset
from workbench.ui.draw import DRAWERS, fitted, length
from workbench.ui.still import TEXTS, table
from workbench.ui.view import SeatView, plain, view_of
from workbench.ui.zones import KINDS, default_zones, zones_of

HERE = Path(__file__).parent
GAMES = {"omerta": home("rulesets") / "omerta", "zoo": HERE / "rulesets" / "zoo", "bids": HERE / "rulesets" / "bids"}


def played(folder, moves, luck=5, **draft):
    """A position after some random moves."""
    position, pick = wb.load(folder, **draft).start(luck=luck), random.Random(luck)
    for _ in range(moves):
        if position.over:
            break
        position = position.play(pick.choice(position.legal))
    return position


def zone(view, id):
    return next(z for z in view["zones"] if z["id"] == id)


# ---------------------------------------------------------------- zones


def test_every_kind_of_zone_has_a_drawing_and_a_text():
    assert set(DRAWERS) == set(TEXTS) == set(KINDS)
    assert {z.kind for g in ("zoo", "omerta") for z in zones_of(load_ruleset(GAMES[g]))} == set(KINDS)


@pytest.mark.parametrize(("old", "new", "says"), [
    ('kind = "board"', 'kind = "bord"', "[zones.town] kind is 'bord'; expected one of hand, row"),
    ('fields = ["cube", "owner"]', 'fields = ["cubes"]', "There is no field “cubes”"),
    ("columns = 4", "columns = 40", "columns must be 1 to 16, not 40"),
    ('ground = "colour"', 'ground = "tile"', "same dimensions"),
    ("A = [100, 50], ", "", "the space “A” needs a place"),
    ('["S", "R"]]', '["S", "Q"]]', "There is no place “Q”"),
    ('field = "stacks"', 'field = "strength"', "field “strength” cannot lie in a stack: expected one piece for each depth"),
    ('title = {en = "Port", ja = "港"}', 'title = {en = "Port"}', "title needs en and ja"),
    ("lo = 0\nhi = 10", "lo = 5\nhi = 5", "lo below hi"),
    ("columns = 4", "colums = 4", "There is no key “colums”"),
    ('red = "red"', 'red = "pink"', "colours are red, blue"),
    ("[look.space]", "[look.spice]", "There is no kind of piece “spice”"),
])
def test_a_wrong_zone_is_named_with_what_was_expected(tmp_path, old, new, says):
    folder = tmp_path / "zoo"
    shutil.copytree(GAMES["zoo"], folder)
    text = (folder / "game.toml").read_text("utf-8")
    assert text.count(old) >= 1
    (folder / "game.toml").write_text(text.replace(old, new, 1), "utf-8")
    wb.language("en")
    with pytest.raises(RulesetError) as e:
        zones_of(load_ruleset(folder))
    assert says in str(e.value) and str(folder / "game.toml") in str(e.value)


@pytest.mark.parametrize("game", GAMES)
def test_a_table_without_zones_shows_every_field_but_those_named_by_view(game):
    rules = load_ruleset(GAMES[game])
    shown = {f for z in default_zones(rules.schema) for f in z.fields}
    assert shown == {n for n in rules.schema.fields if n not in ("players", "phase", "turn")}


# ---------------------------------------------------------------- views


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("moves", [0, 7, 15, 400])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_view_is_plain_json_and_draws(game, moves, lang):
    position = played(GAMES[game], moves)
    for seat in ("designer", "-", *position.draft.seat_names):
        v = view_of(position, seat, lang)
        assert json.loads(json.dumps(v.data, allow_nan=False)) == v.data
        still = table(position, seat, lang=lang)
        bundle = still._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<svg") and bundle["text/plain"] == str(still)
        for z in v["zones"]:
            assert z["title"] in bundle["text/plain"]


@pytest.mark.parametrize("game", GAMES)
def test_positions_that_differ_only_in_what_a_seat_cannot_see_look_the_same_to_it(game):
    differed = 0
    for moves in range(1, 40, 3):
        position = played(GAMES[game], moves, luck=moves)
        for seat in position.draft.seat_names:
            other = position.resample(seat, 17 + moves)
            if position.over or seat == position.to_move and other.to_move != seat:
                continue
            differed += other != position
            # the log rests on the moves, which a resampled position does not have
            a, b = (dict(view_of(p, seat, "en", log=[]).data, events=[]) for p in (position, other))
            a.pop("rules"), b.pop("rules")
            assert a == b
            assert table(position, seat)._repr_mimebundle_ is not None
    assert differed or game == "bids"


def test_the_designer_sees_all_and_a_seat_its_own():
    p = wb.load("omerta").start(luck=7).play("omerta A1")
    all_, own, other = (view_of(p, s, "en") for s in ("designer", "P0", "P1"))
    assert len(zone(all_, "hand/P1")["items"]) == 8 and all_["zones"] != own["zones"]
    assert [x["label"] for x in zone(own, "omerta/P0")["items"]] == ["A1"]
    assert [x["label"] for x in zone(other, "omerta/P0")["items"]] == ["?"]
    assert not any("A1" in json.dumps(z) for z in other["zones"]) and "A1" not in json.dumps(other["log"])
    assert "A1" in json.dumps(all_["log"]) and "A1" in json.dumps(own["log"])
    assert own["moves"] == [] and len(other["moves"]) == 8
    assert p.table("P1").svg.count("A1") == 0 and p.table().svg.count("A1") > 0


def test_hidden_points_hide_the_score():
    p = wb.load("omerta", points_open="hidden").start(luck=7)
    p = p.poke(points={"P0": 3, "P1": 2, "P2": 0, "P3": 1})
    v = view_of(p, "P1", "en")
    assert [s["score"] for s in v["seats"]] == ["?", 2, "?", "?"]
    assert [r["values"][0] for r in zone(v, "scores")["rows"]] == ["?", 2, "?", "?"]
    assert [s["score"] for s in view_of(p, "designer", "en")["seats"]] == [3, 2, 0, 1]


def test_whose_turn_moves_targets_and_refusals():
    p = wb.load("omerta", players=4).start(luck=7).poke(
        phase="play", round=1, leader="P0", turn="P1", omerta={"P0": "J2", "P1": "J6", "P2": "A6", "P3": "A2"}, played={"P0": "A4"},
        hand={"P0": "A1 A7 I2 C2 C4 C6", "P2": "A8 I3 I7 I8 C5 J4 J5", "P1": "A5 I1 I6 C1 C3 C8 J8", "P3": "A3 I4 I5 C7 J1 J3 J7"})
    v = view_of(p, "P1", "en")
    assert v["why"] == "P1: play a card / declare elimination"
    assert {m["name"]: m["targets"] for m in v["moves"]}["A5"] == ["card:A5"]
    assert v["refused"]["card:C1"]["rule"] == "OM-P5" and v["rules"]["OM-P5"]
    assert not set(v["refused"]) & {t for m in v["moves"] for t in m["targets"]}
    assert [s["label"] for s in zone(v, "played")["slots"]] == ["P0", "P1", "P2", "P3"]
    assert view_of(p, "P0", "en")["refused"] == {}
    assert view_of(p, "P1", "ja")["refused"]["card:C1"]["text"] == "ほかのスートで、出ている最大の数字を上回っていません。"


def test_a_row_begins_with_the_start_player_and_two_argument_moves_have_two_targets():
    p = played(GAMES["omerta"], 20)
    while p.phase != "play" or p["leader"] == "P0":
        p = p.play(p.legal[0])
    assert zone(view_of(p), "played")["slots"][0]["label"] == p["leader"]
    v = view_of(played(GAMES["zoo"], 3), lang="en")
    targets = {m["name"]: m["targets"] for m in v["moves"]}
    assert ["maid:0", "space:A"] in targets.values() and any(t[0].startswith("row:") for t in targets.values())
    assert any(c["targets"] == ["row:1", "column:2"] for c in zone(v, "bingo")["cells"])
    assert any(t.startswith("area:") for t in v["refused"]) is any(c["items"] and c["items"][0]["label"] == p for c in zone(v, "map")["cells"] for p in (v["to_move"],))


def test_a_forced_move_is_marked_and_the_end_names_the_winners():
    position = wb.load("omerta").start(luck=1)
    seen = False
    while not position.over:
        if position.forced:
            assert view_of(position, "designer", "en")["forced"] is True
            seen = True
        position = position.play(position.legal[0])
    v = view_of(position, "-", "en")
    assert seen and v["over"] and v["why"].startswith("The game is over. Winner: ")
    assert [s["name"] for s in v["seats"] if s["won"]] == list(position.winners)


def test_an_edited_position_is_marked_and_only_the_designer_reads_what_was_edited():
    p = wb.load("omerta").start(luck=7)
    a, b = p["hand"]["P1"].split()[0], p["hand"]["P2"].split()[0]
    q = p.poke(hand={"P1": p["hand"]["P1"].replace(a, b), "P2": p["hand"]["P2"].replace(b, a)})
    v = view_of(q, "designer", "en")
    assert v["poked"] and v["log"][-1]["poked"] and any(a in x["text"] for x in v["log"][-1]["lines"])
    assert [x["text"] for x in view_of(q, "P0", "en")["log"][-1]["lines"]] == ["The position was edited."]
    assert "edited position" in str(table(q, lang="en"))


@pytest.mark.parametrize("bad", [float("nan"), 2**53, {1}, object()])
def test_what_a_browser_could_not_take_fails_at_the_border(bad):
    with pytest.raises((TypeError, ValueError)):
        plain({"x": [bad]})
    assert plain({1: (True, None, 2**53 - 1, "x")}) == {"1": [True, None, 2**53 - 1, "x"]}


def test_unknown_seats_are_refused_and_views_are_frozen():
    with pytest.raises(UnknownName):
        view_of(wb.load("omerta").start(), "P7")
    v = view_of(wb.load("omerta").start())
    assert isinstance(v, SeatView)
    with pytest.raises(AttributeError):
        v.seat = "P0"


def test_a_picture_escapes_and_needs_nothing_from_outside(tmp_path):
    folder = tmp_path / "odd"
    shutil.copytree(GAMES["zoo"], folder)
    text = (folder / "game.toml").read_text("utf-8").replace('en = "Port"', "en = \"<b>&'Port\"")
    (folder / "game.toml").write_text(text, "utf-8")
    svg = table(wb.load(folder).start(), lang="en").svg
    assert "<b>" not in svg and "&lt;b&gt;&amp;" in svg
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


# ---------------------------------------------------------------- what a table of pieces adds


def test_cards_can_show_columns_of_their_table(monkeypatch):
    p = wb.load("nyanbar-one").start(luck=5)
    while not any(p["hand"].values()):
        p = p.play(p.moves[0])
    look = p.draft.ruleset.game["look"].setdefault("card", {})
    monkeypatch.setitem(look, "note", "No. {number}")
    name = next(h.split()[0] for h in p["hand"].values() if h)
    shown = next(i for z in view_of(p)["zones"] for i in z.get("items", ()) if i["label"] == name)
    assert shown["note"] == f"No. {name.strip('RBY')}" and f">No. {name.strip('RBY')}</text>" in table(p).svg
    monkeypatch.setitem(look, "note", "{colour}")
    with pytest.raises(RulesetError, match=r"\[look.card\] note: “\{colour\}” cannot be filled in .* columns .*number"):
        view_of(p)


def test_a_grid_shows_only_cells_that_are_there():
    p = wb.load("nyanbar-one", players=3).start(luck=5)
    while not any(p["hand"].values()):
        p = p.play(p.moves[0])
    z = zone(view_of(p), "map")
    there = [c for c in z["cells"] if c]
    assert (z["rows"], z["columns"], len(z["cells"]), len(there)) == (4, 4, 16, 12) and all(c["ground"] for c in there)
    assert table(p).svg.count("r1c4") and "r4c4" not in table(p).svg and "r4c4" not in str(table(p))


def test_a_long_label_is_made_smaller_and_then_shorter():
    assert fitted("r1c1", 50, size=11) == ("r1c1", 11)
    words, size = fitted("Camellia, a long name", 50, size=11)
    assert size == 7.5 and words.endswith("…") and length(words, size) <= 50
