"""Nyan-bar One: its tables, its map, what must-follow reveals, its bot, and the drafts' claims on cards and players."""

import itertools
import shutil
from collections import Counter

import numpy as np
import pytest

from workbench.core import runner
from workbench.core.draft import load, players_of
from workbench.core.errors import BrokenPosition, OutOfRange, Refused, RulesetError
from workbench.core.loops import mix
from workbench.core.ruleset import load_ruleset

RULES = load_ruleset("nyanbar-one")
CARD, TILE = RULES.pieces["card"], RULES.pieces["tile"]


# ---------------------------------------------------------------- tables


def turned(square):
    return {square[k:] + square[:k] for k in range(4)}


def test_the_nine_tiles_are_all_that_show_three_colours():
    """NBQ-2: of the 2×2 squares in three colours, no two the same when turned, nine show all three, each colour twelve times."""
    classes = {min(turned(q)) for q in itertools.product((0, 1, 2), repeat=4)}
    assert len(classes) == 24
    whole = {q for q in classes if set(q) == {0, 1, 2}}
    ours = [min(turned(q)) for q in zip(*(TILE.columns[c] for c in ("nw", "ne", "se", "sw")), strict=True)]
    assert len(ours) == 9 and set(ours) == whole
    assert Counter(itertools.chain(*ours)) == {0: 12, 1: 12, 2: 12}
    assert Counter(TILE.columns["middle"]) == {0: 3, 1: 3, 2: 3}


def test_the_cards_of_each_draft():
    for name, ranks in (("draft6", range(1, 12)), ("proposed", (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7)), ("thick-middle", (1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7))):
        d = load("nyanbar-one", name)
        deck = [c for c in range(len(CARD)) if d.fresh.deck >> c & 1]
        for suit in (0, 1, 2):
            assert sorted(CARD.columns["number"][c] for c in deck if CARD.columns["suit"][c] == suit) == sorted(ranks)
        assert len(deck) == 33
    assert CARD.sets["cards_of_suit"][1] == sum(1 << c for c in range(len(CARD)) if CARD.names[c][0] == "B")


def test_three_players_leave_cards_out():
    assert load("nyanbar-one", players=3).fresh.deck.bit_count() == 27
    assert load("nyanbar-one", "proposed", players=3).fresh.deck.bit_count() == 33
    few = load("nyanbar-one", "proposed", players=3, narrow_3p="remove_top").fresh.deck
    assert {CARD.columns["number"][c] for c in range(len(CARD)) if few >> c & 1} == {1, 2, 3, 4, 5} and few.bit_count() == 27


@pytest.fixture
def copied(tmp_path):
    """A copy of the game, one of whose tables is changed: copied("tiles.csv", old, new)."""
    shutil.copytree(RULES.folder, tmp_path / "rulesets" / "cats")
    shutil.copytree(RULES.data, tmp_path / "data" / "cats")

    def change(table, old, new):
        path = tmp_path / "data" / "cats" / table
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        return load_ruleset(tmp_path / "rulesets" / "cats")

    return change


@pytest.mark.parametrize("table, old, new, line, says", [
    ("tiles.csv", "T3,R,B,R,Y", "T3,R,B,R,G", 4, "one of R, B, Y"),                       # no such colour
    ("tiles.csv", "T3,R,B,R,Y", "T3,R,B,R,B", 4, "lacks Y"),                              # a tile without yellow
    ("tiles.csv", "T9,Y,R,Y,B,Y", "T9,Y,R,R,B,Y", 10, "“R” 12 times in the whole table, met it 13 times"),
    ("tiles.csv", "T2,R,R,Y,B", "T2,Y,R,R,B", 3, "the same as line 2"),                   # a tile that another one is when turned
    ("tiles.csv", "T9,Y,R,Y,B,Y,tile 9,タイル9\n", "", 9, "9 rows, met 8"),
    ("tiles.csv", "T9,Y,R,Y,B,Y", "T9,Y,R,Y,B", 10, "values"),                            # an area missing
    ("tiles.csv", "T1,R,R,B,Y,B", "T1,R,R,B,Y,R", 8, "“R” 3 times in the whole table, met it 4 times"),
    ("tiles.csv", "nw,ne", "nw,north", 1, "“ne”"),
    ("cards.csv", "R7,R,7", "R7,B,7", 43, "“B” 21 times in the whole table, met it 22 times"),
    ("cards.csv", "R7,R,7", "R7,R,15", 15, "from 1 to 14, met 15"),
    ("cards.csv", "R7,R,7", "R7,R,8", 16, "the same as line 15"),
    ("skills.csv", "fence,Charmont", "fence,Kansai", 5, "“Kansai” 1 times"),
])
def test_a_changed_table_is_checked_with_file_and_line(copied, table, old, new, line, says):
    with pytest.raises(RulesetError, match=says) as e:
        copied(table, old, new)
    assert f"{table}:{line}:" in str(e.value)


def test_a_sound_change_of_a_table_is_taken(copied):
    rules = copied("tiles.csv", "T1,R,R,B,Y,B", "T1,B,Y,R,R,B")  # the same tile, turned
    assert rules.pieces["tile"].columns["nw"][0] == 1 and load(rules.folder).start(luck=1).phase == "lead"


# ---------------------------------------------------------------- the map


@pytest.mark.parametrize("players, changes, areas, pairs", [
    (4, {}, 16, 24), (3, {}, 12, 16), (3, {"map3": "row"}, 12, 16), (3, {"map3": "two"}, 8, 10),  # NBQ-1
    (4, {"neighbours": "tile"}, 16, 16), (4, {"neighbours": "corners"}, 16, 42), (4, {"areas_per_tile": 5, "cubes": 20}, 20, 40),
    (4, {"tile_shape": "strip"}, 16, 22), (3, {"tile_shape": "strip", "map3": "row"}, 12, 17), (4, {"tile_shape": "strip", "neighbours": "tile"}, 16, 12),
])
def test_areas_and_neighbours(players, changes, areas, pairs):
    d = load("nyanbar-one", players=players, **changes)
    s = d.start(luck=5).state
    assert s.free.bit_count() == areas and d.plain.touching_pairs(d.p, s, s.free) == pairs
    one_by_one = [d.plain.beside(d.p, s, 1 << a) & s.free for a in range(36) if s.free >> a & 1]
    assert sum(x.bit_count() for x in one_by_one) == 2 * pairs
    assert sorted(s.colour[a] for a in range(36) if s.free >> a & 1) == sorted(i for i in range(3) for _ in range(s.coloured[i].bit_count()))


# ---------------------------------------------------------------- what is hidden


def test_a_suit_that_was_not_followed_is_never_dealt_back():
    p = load("nyanbar-one").start(luck=11)
    for k in range(400):
        if p.over:
            break
        p = p.play(p.legal[mix(3, k) % len(p.legal)])
        known = {seat: set(v.split()) - {"-"} for seat, v in p["void"].items()}
        if p.phase == "play" and any(known.values()) and k % 7 == 0:
            for luck in range(5):
                for seat in p.draft.seat_names:
                    hands = p.resample(seat, luck)["hand"]
                    assert all(c[0] not in known[other] for other, hand in hands.items() for c in hand.split() if c != "-")
    assert k > 100


def test_a_poked_position_keeps_to_the_rules():
    p = load("nyanbar-one").start(luck=2)
    hand = p["hand"]["P0"].split()
    with pytest.raises(BrokenPosition, match="NB-T2"):
        p.poke(void={"P0": hand[0][0]})
    with pytest.raises(BrokenPosition, match="NB-S3"):
        p.poke(cubes={"r1c8": 1, "r1c1": 0})
    with pytest.raises(BrokenPosition, match="more than one place"):
        p.poke(owned={"P0": "r1c1"})
    with pytest.raises(BrokenPosition, match="markers"):
        p.poke(owned={"P0": "r1c1 r1c2 r1c3 r1c4 r2c1 r2c2 r2c3 r2c4 r3c1"}, free="r3c2 r3c3 r3c4 r4c1 r4c2 r4c3 r4c4")
    moved = p.poke(owned={"P1": "r1c1"}, free=p["free"].replace("r1c1 ", ""))
    assert moved["owner"]["r1c1"] == "P1" and moved["markers"]["P1"] == 7
    with pytest.raises(Refused, match="NBQ-6"):
        p.play("leader")


# ---------------------------------------------------------------- what can be played


def test_numbers_that_do_not_fit_are_refused():
    for changes, id in (({"hand_size": 9}, "NB-F2"), ({"ranks": [7, 7, 8]}, "NB-C2"), ({"tricks": 9}, "NB-F1")):
        d = load("nyanbar-one", **changes)
        for start in (d.start, lambda d=d: runner.run(d, games=1, engine="plain")):
            with pytest.raises(OutOfRange, match=id):
                start()


def test_two_players_only_where_a_draft_allows_them():
    assert list(players_of(RULES, "draft6")) == list(players_of(RULES, "no-kick")) == [3, 4] and list(players_of(RULES, "later")) == [2, 3, 4]
    with pytest.raises(OutOfRange, match="3 to 4"):
        load("nyanbar-one", players=2)
    with pytest.raises(OutOfRange, match="2 to 4"):
        load("nyanbar-one", "later").vary(players=5)


# ---------------------------------------------------------------- the bot


@pytest.mark.parametrize("name, players", [("draft6", 3), ("draft6", 4), ("proposed", 4)])
def test_the_heuristic_beats_random_from_every_seat(name, players):
    """Win share with its 95 % interval, clustered by deal: one heuristic among random players, and one random among heuristics."""
    games = 1200
    d = load("nyanbar-one", name, players=players)
    for one, others, better in (("heuristic", "random", True), ("random", "heuristic", False)):
        b = runner.run(d, games=games, seed=9, bots=(one, *(others,) * (players - 1)))
        won = b.info["won"][:, :players] / b.info["won"][:, :players].sum(axis=1, keepdims=True)
        mine = won[np.arange(games), np.arange(games) % players].reshape(-1, players)
        share, half = mine.mean(), 1.96 * mine.mean(axis=1).std(ddof=1) / len(mine) ** 0.5
        assert (share - half > 1.4 / players) if better else (share + half < 0.6 / players), (share, half)
        assert all((m > 1 / players) == better for m in mine.mean(axis=0))


@pytest.mark.parametrize("changes", [{}, {"lead_leader": "yes", "leader_red": "red", "red_when": "before_judgement"},
                                     {"yozakura_when": "playing", "tribes_by": "choose"}, {"follow": "may", "leader_when": "any"}])
def test_no_position_that_is_played_is_called_unsound(changes):
    for players in (3, 4):
        d = load("nyanbar-one", players=players, **changes)
        for game in range(4):
            p = d.start(luck=mix(game, 77))
            for k in range(1000):
                s = p.state
                assert d.plain.unsound(d.p, s) == 0, str(p)
                if p.over:
                    break
                p = p.play(p.legal[mix(game, k) % len(p.legal)])
