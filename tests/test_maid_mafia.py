"""Maid Mafia: its tables, its board, combat beside a second calculation, what is hidden, and its bot."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.checks.placing import place
from workbench.core import runner
from workbench.core.draft import load
from workbench.core.errors import BrokenPosition, RulesetError
from workbench.core.loops import mix
from workbench.core.ruleset import load_ruleset
from workbench.core.vocabulary import piece
from workbench.ui.zones import zones_of

ROOT = Path(__file__).parents[1]
RULES = load_ruleset("maid-mafia")
SPACE, MAID, COIN, CARD = (RULES.pieces[k] for k in ("space", "maid", "coin", "card"))
RING = ["S", "A", "B", "R", "K1", "K2", "K3", "L", "C", "D"]


# ---------------------------------------------------------------- tables


@pytest.fixture
def copied(tmp_path):
    """Reads the ruleset anew with one text of its tables replaced."""
    shutil.copytree(ROOT / "rulesets" / "maid-mafia", tmp_path / "rulesets" / "mafia")
    shutil.copytree(ROOT / "data" / "maid-mafia", tmp_path / "data" / "mafia")

    def change(table, old, new):
        path = tmp_path / ("rulesets" if table == "game.toml" else "data") / "mafia" / table
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        return load_ruleset(tmp_path / "rulesets" / "mafia")

    return change


@pytest.mark.parametrize("table, old, new, line, says", [
    ("paths.csv", "A-B,A,B,1,1", "A-B,A,B,0,1", 11, "“A” 1 times"),                            # no clockwise successor
    ("paths.csv", "A-B,A,B,1,1", "A-B,A,S,1,1", 3, "the same as line 2"),
    ("paths.csv", "S-B,S,B,0,0", "S-B,S,B,1,0", 12, "“S” 1 times"),                            # two of them
    ("paths.csv", "D-S,D,S,1,1", "D-S,D,S,1,0", 10, "from “D” none leads back"),                # the police never come home
    ("paths.csv", "K2-K3,K2,K3", "K2-K3,K2,K9", 7, "one of S, A"),
    ("board.csv", "D,tea", "D,sell", 10, "4 rows, met 3"),
    ("board.csv", "R,sell,red", "R,sell,yellow", 5, "0 rows, met 1"),
    ("board.csv", "K2,department,yellow", "K2,department,plain", 7, "0–1 rows, met 2"),
    ("board.csv", "A,tea,red,2", "A,tea,red,0", 3, "0 rows, met 1"),
    ("departments.csv", "Parlour,7", "Parlour,8", 3, "3– rows, met 2"),                          # only two tops
    ("departments.csv", "Vault,9,1,0,1,Vault,金庫室\n", "", 4, "12 rows, met 11"),
    ("events.csv", "Auction,1", "Auction,5", 2, "from 0 to 3, met 5"),
    ("coins.csv", "b1a,blue", "b1a,green", 20, "0 rows, met 1"),
    ("tea.csv", "tr1,red,1", "tr1,yellow,1", 2, "0 rows, met 1"),
    ("events.csv", "name,reward", "name,prize", 1, "reward"),
    ("maids.csv", "Anise,5", "Anise,4", 2, "from 5 to 7, met 4"),
    ("maids.csv", "1,none,Anise", "1,flying,Anise", 2, "one of none, sprinter"),
])
def test_a_changed_table_is_checked_with_file_and_line(copied, table, old, new, line, says):
    with pytest.raises(RulesetError, match=says) as e:
        copied(table, old, new)
    assert ".csv:" in str(e.value) and f":{line}:" in str(e.value), str(e.value)


RUNNER = piece("ability", "runner")


def test_an_ability_is_a_line_in_the_table_and_a_function_in_a_cell(copied):
    """A runner: two steps more for a group with her."""
    copied("abilities.csv", "none,no ability", "runner,Runner: two steps more,走者：2歩多い\nnone,no ability")
    rules = copied("maids.csv", "1,none,Anise", "1,runner,Anise")

    def steps_left(p, s, group):
        return p.moves + (2 if group & p.maids_of_ability[RUNNER] else 0) - s.steps

    given = {"phase": "turn", "first": "P0", "active": "P0", "turn": "P0", "maids": {"P0": "Anise", "P1": "Basil"}, "top": "Kitchen Garden Parlour"}
    for draft, far in ((load(rules.folder, players=2), 3), (load(rules.folder, players=2).replace(steps_left), 5)):
        p = place(draft.start(luck=None), given | {"at": {"S": "Anise", "K2": "Basil"}}, {}).play("lead Anise")
        steps = 0
        while p.phase == "move":
            p = p.play(next(m for m in p.moves if m.startswith("step ")))
            steps += 1
        assert steps == far


def test_people_read_the_numbers_of_the_tables():
    assert MAID.title_of(MAID.index("Daisy"), "en") == "Daisy the sprinter (5: 3/1/0)"
    assert CARD.title_of(CARD.index("Laundry"), "ja") == "洗濯室（8：2/0/0）" and CARD.title_of(CARD.index("Auction"), "en").startswith("Auction: ")


def test_a_board_whose_arrows_fork_lets_the_active_player_choose(copied):
    rules = copied("paths.csv", "S-B,S,B,0,0", "S-B,S,B,0,1")
    d = load(rules.folder, players=2)
    s = d.start(luck=1).state
    s.police, s.police_left, s.active, s.phase, s.waiting = 0, 1, 1, RULES.phases.index("go"), 0
    d.plain.police_on(d.p, s)
    assert RULES.phases[s.phase] == "fork" and s.turn == 1
    w = d.workspace()
    assert {rules.moves.name(c) for c in w.found[: d.plain.legal(d.p, s, w)]} == {"fork A", "fork B"}


def test_the_board_is_drawn_from_its_tables():
    board = next(z for z in zones_of(RULES) if z.kind == "board")
    assert set(board.at) == set(RING) and len(board.links) == 12 and ("S", "C") in board.links


@pytest.mark.parametrize("old, new, says", [
    ('at = ["x", "y"]', 'at = ["x", "z"]', "“z”"),
    ('links = ["path", "from", "to"]', 'links = ["road", "from", "to"]', "“road”"),
    ('links = ["path", "from", "to"]', 'links = ["path", "from", "end"]', "“end”"),
])
def test_a_board_zone_names_what_its_tables_have(copied, old, new, says):
    with pytest.raises(RulesetError, match=says) as e:
        zones_of(copied("game.toml", old, new))
    assert "[zones.board]" in str(e.value)


def test_distances_and_the_way_round():
    """The audit's checked distances: tea 1, selling 2, K1 and K3 3, K2 4; ten steps a lap."""
    d = load("maid-mafia", players=2)
    far, seen, edge = {}, {0}, {0}
    for n in range(6):
        far |= {SPACE.names[i]: n for i in edge}
        edge = {j for i in edge for j in range(10) if d.plain.beside(d.p, i) >> j & 1} - seen
        seen |= edge
    assert [far[x] for x in RING] == [0, 1, 1, 2, 3, 4, 3, 2, 1, 1]
    at, walked = 0, []
    for _ in range(10):
        at = d.plain.clockwise(d.p, at)
        walked.append(SPACE.names[at])
        assert d.plain.arrows(d.p, SPACE.index(walked[-2] if len(walked) > 1 else "S")) == 1 << at
    assert walked == [*RING[1:], "S"]


# ---------------------------------------------------------------- combat and prices beside a second calculation


def printed(maid, stat, card):
    return MAID.columns[stat][maid] + (CARD.columns[stat][card] if card >= 0 else 0)


def test_strength_is_what_a_second_calculation_says():
    """MM-B5, MM-C8, MM-M5 over random sides, coins, cards and spaces."""
    d, rng = load("maid-mafia", players=2), random.Random(4)
    ability = [RULES.pieces["ability"].names[a] for a in MAID.columns["ability"]]
    for _ in range(400):
        s = d.start(luck=1).state
        maids = rng.sample(range(24), rng.randint(1, 6))
        cut = rng.randint(0, len(maids))
        coins = rng.sample(range(54), 2)
        s.side, s.attacker, s.defender, s.mode = [sum(1 << m for m in part) for part in (maids[:cut], maids[cut:])], 0, 1, rng.randint(1, 2)
        s.shown, s.spot, s.lent = [coins[0], coins[1] if rng.random() < 0.7 else -1, -1, -1], rng.randrange(1, 10), s.side[0] | s.side[1]
        for m in maids:
            s.card_on[m] = rng.choice([-1, *range(9)])
        s.rage = sum(1 << m for m in maids if rng.random() < 0.3)
        for side, part in ((0, maids[:cut]), (1, maids[cut:])):
            total = sum(printed(m, "force" if s.mode == 1 else "negotiation", s.card_on[m]) + 2 * (s.rage >> m & 1) for m in part)
            if s.mode == 1:
                total += sum(ability[m] == ("striker" if side == 0 else "guard") for m in part)
            coin = s.shown[side]
            if coin >= 0:
                total += COIN.columns["value"][coin] * (1 + (COIN.columns["colour"][coin] == SPACE.columns["colour"][s.spot]))
            assert d.plain.strength(d.p, s, side) == total


def test_payment_never_wastes_a_coin_and_never_gets_stuck():
    """MMQ-31: over random purses, every run of legal coins ends with enough, and no coin paid could be left out."""
    d, rng = load("maid-mafia", players=2), random.Random(5)
    for _ in range(400):
        s = d.start(luck=1).state
        purse = rng.sample(range(54), rng.randint(1, 8))
        value = COIN.columns["value"]
        s.purse[0], s.turn, s.active = sum(1 << c for c in purse), 0, 0
        s.due, s.last, paid = rng.randint(1, sum(value[c] for c in purse)), 99, []
        due = s.due
        while s.due > 0:
            legal = [c for c in purse if d.plain.legal_pay(d.p, s) >> c & 1]
            assert legal, (purse, due, paid)
            c = rng.choice(legal)
            paid.append(c)
            d.plain.pay(d.p, s, c)
            s.waiting = 0
        assert sum(value[c] for c in paid) - min(value[c] for c in paid) < due


def stops_by_play(p, maid):
    """Where a maid can stop alone, found by playing every way of moving her."""
    found, todo = set(), [p.play(f"lead {maid}")] if f"lead {maid}" in p.moves else []
    while todo:
        q = todo.pop()
        if q.phase == "move":
            todo += [q.play(m) for m in q.moves if m.startswith("step ")]
            if "halt" in q.moves:
                found.add(q["here"])
        elif q.phase == "bribe":
            todo.append(q.play(q.moves[0]))
        else:  # no steps left: she has stopped by herself
            found.add(q["here"])
    return found


def stops_by_hand(p, maid):
    """The same from the rules' own words: up to three steps, no space twice, past the police only with a coin of their colour."""
    path, names = RULES.pieces["path"], SPACE.names
    pairs = {(names[a], names[b]) for a, b in zip(path.columns["from"], path.columns["to"], strict=True)}
    near = {x: {b for a, b in pairs | {(b, a) for a, b in pairs} if a == x} for x in names}
    ability = RULES.pieces["ability"].names[MAID.columns["ability"][MAID.index(maid)]]
    colour = SPACE.columns["colour"][SPACE.index(p["police"])]
    seat = p["active"]
    free = ability == "charmer" or any(COIN.columns["colour"][COIN.index(c)] == colour for c in p["purse"][seat].split() if c != "-")
    start = next(x for x, there in p["at"].items() if maid in there.split())
    found = set()

    def go(way, left):
        for x in near[way[-1]] - set(way) if left else ():
            if x == p["police"] != "S":
                if free:
                    go([*way, x], left - 1)
            else:
                found.add(x)
                go([*way, x], left - 1)

    go([start], 4 if ability == "sprinter" else 3)
    return found


def test_where_a_maid_can_stop_is_what_a_second_search_says():
    d, looked = load("maid-mafia", players=3), 0
    for luck in range(12):
        p = walk(d, luck, lambda p, n=4 + 5 * luck: p["turns"] >= n and p.phase == "turn" and p["steps"] == 0)
        for maid in p["maids"][p["active"]].split() if not p.over else ():
            if maid not in p["down"].split():
                assert stops_by_play(p, maid) == stops_by_hand(p, maid), f"{maid} {p}"
                looked += 1
    assert looked > 10


# ---------------------------------------------------------------- what is hidden


def walk(draft, luck, until, bot=1):
    """Positions of a game in which the bot plays, until the test says so."""
    p, k = draft.start(luck=luck), 0
    while not p.over and not until(p):
        s, w = p.state, draft.workspace()
        n = draft.plain.legal(draft.p, s, w)
        who = p.seat_index(p.to_move)
        p = p.play(w.found[0] if n == 1 else draft.plain.choose(bot, draft.p, s, draft.ruleset.schema.blank(draft.players), who, w, n, mix(luck, k)))
        k += 1
    return p


def test_a_coin_face_down_is_seen_by_its_owner_alone():
    d = load("maid-mafia", players=3)
    p = next(p for luck in range(60) if (p := walk(d, luck, lambda p: p.phase == "cover")).phase == "cover")
    owner = next(seat for seat, coin in p["stake"].items() if coin != "-")
    assert p.seen_by(owner).fields["stake"][owner] == p["stake"][owner] != "?"
    for seat in (*(set(d.seat_names) - {owner}), None):
        assert p.seen_by(seat).fields["stake"][owner] == "?" and p["stake"][owner] not in " ".join(p.seen_by(seat).log)
    dealt = {p.resample(None, luck)["stake"][owner] for luck in range(20)}
    assert len(dealt) > 3


def test_chips_are_hidden_and_the_bag_from_everybody():
    d = load("maid-mafia", players=4)
    p = walk(d, 3, lambda p: p["turns"] > 20)
    for seat in d.seat_names:
        seen = p.seen_by(seat).fields
        assert seen["bag"].startswith("?") and seen["port"].startswith("?") and seen["purse"][seat] == p["purse"][seat]
        for other in set(d.seat_names) - {seat}:
            for kind in ("purse", "tea"):
                held = p[kind][other]
                assert seen[kind][other] == ("-" if held == "-" else f"?{len(held.split())}")


# ---------------------------------------------------------------- what has to hold in every game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_holds_in_every_game(players):
    """Chips within the limit and one step of the police at most between turns; no position that is played is called unsound."""
    d = load("maid-mafia", players=players)
    for luck in range(3):
        for bot in (0, 1):
            before = []

            def look(p, before=before):
                s = p.state
                assert d.plain.unsound(d.p, s) == 0, str(p)
                if p.phase == "turn" and s.steps == 0:
                    assert all(d.plain.chips(s, i) <= 8 for i in range(players))
                    assert not any(s.fresh) and not any(s.fresh_tea) and s.waiting == 0
                    before.append((s.police, s.laps))
                return len(before) > 40

            walk(d, luck, look, bot)
            assert len(before) > 20 or bot == 1
            laps = [b[1] for b in before]
            assert laps == sorted(laps)


def test_a_position_that_cannot_be_is_refused():
    p = walk(load("maid-mafia", players=2), 1, lambda p: p["turns"] == 2)
    mine, other = p["maids"]["P0"].split()[0], p["maids"]["P1"].split()[0]
    with pytest.raises(BrokenPosition, match="MM-S1"):
        p.poke(maids={"P0": f"{mine} {other}"})
    with pytest.raises(BrokenPosition, match="MM-S9"):
        p.poke(henchmen={"P0": {"k1": 3}})


# ---------------------------------------------------------------- the bot, and what studies say


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_heuristic_finishes_its_games(players):
    """Without the turn cap in at least 95 % of 1,000 games; how they end is told apart."""
    b = runner.run(load("maid-mafia", players=players), games=1000, seed=2, bots=("heuristic",) * players)
    assert not b.info["ended"].any() and b.states["turn_cap"].mean() <= 0.05
    assert set(np.unique(b.states["ended"])) <= {1, 2, 3, 4}
    lost = b.states["ended"] == 3
    assert (b.info["won"][lost] == 0).all() and (b.info["won"][~lost].sum(axis=1) >= 1).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_heuristic_beats_random_from_every_seat(players):
    """Win share with its 95 % interval, clustered by deal."""
    games = 1200
    d = load("maid-mafia", players=players)
    b = runner.run(d, games=games, seed=9, bots=("heuristic", *("random",) * (players - 1)))
    mine = b.info["won"][np.arange(games), np.arange(games) % players].reshape(-1, players)
    share, half = mine.mean(), 1.96 * mine.mean(axis=1).std(ddof=1) / len(mine) ** 0.5
    assert share - half > 0.8 and all(m > 0.8 for m in mine.mean(axis=0)), (share, half)


def test_every_report_says_that_the_components_are_a_stand_in():
    game = wb.load("maid-mafia")
    study = wb.simulate(game, games=30, bots="heuristic")
    assert "stand-in" in repr(study) and "promises" in repr(study) and "stand-in" in study._repr_html_()
    assert {"ended", "turn_cap", "turns", "taken"} <= set(study.frame.columns)
    income = wb.simulate(game, games=30, bots="heuristic", rows="income").frame
    assert income["action"].n_unique() > 5 and income["draws_P0"].sum() > 0
