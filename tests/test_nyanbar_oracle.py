"""The project's Nyan-bar One against an independent program of the same rules: same luck, same choices, same results."""

import random

import pytest
from oracle.nyanbar import NUMBERS, READINGS, Nyanbar

from workbench.core.draft import load, players_of
from workbench.core.loops import chance_luck, mix
from workbench.core.ruleset import load_ruleset
from workbench.core.vocabulary import CHANCE, NONE, OVER, cards

RULES = load_ruleset("nyanbar-one")
SINGLE = [(n, r) for n, p in RULES.parameters.entries.items() for r in p.readings if r != p.default]
COUNTS = {"draft6": 300, "proposed": 300}
NAMES = {k: RULES.pieces[k].names for k in ("card", "area", "suit", "tribe", "tile")}
DEAL = RULES.phases.index("deal")


def named(kind, mask):
    return {NAMES[kind][i] for i in cards(mask)}


def started(draft, s):
    """The second program at the beginning of the same game."""
    laid = [(NAMES["tile"][t], s.angle[i]) for i, t in enumerate(s.laid) if t != NONE]
    values = {n: v for n, v in draft.values.items() if n in READINGS or n in NUMBERS}
    return Nyanbar(draft.players, tribes=[NAMES["tribe"][t] for t in s.tribe[: draft.players]], tiles=laid, start=s.starter,
                   skill_cost=draft.values["skill_cost"], **values)


def assert_same(draft, s, o):
    """Points by source, markers, cubes and the start player."""
    n, seats = draft.players, range(draft.players)
    for source, field in (("duel", "duel_points"), ("assist", "assist_points"), ("marks", "mark_points"), ("gems", "gem_points"), ("majority", "majority_points")):
        assert [o.vp[i][source] for i in seats] == getattr(s, field)[:n], field
    assert [o.total(i) for i in seats] == s.points[:n]
    assert (o.ties, o.lone, o.start, o.supply) == (s.ties, s.lones, s.starter, s.supply)
    assert [o.areas(i) for i in seats] == [named("area", s.owned[i]) for i in seats]
    assert [o.at_hand(i) for i in seats] == s.markers[:n]
    assert [[o.stock[i][x] for x in "RBY"] for i in seats] == s.stock[:n]
    assert {a: k for a, k in o.on.items() if k} == {NAMES["area"][i]: k for i, k in enumerate(s.cubes) if k}
    assert o.suit_of == {NAMES["area"][i]: NAMES["suit"][x] for i, x in enumerate(s.colour) if x != NONE}
    assert o.ready == [bool(x) for x in s.ready[:n]]


def play_games(draft, games, seed):
    """Play whole games in both programs and compare every decision; how many decisions there were."""
    rng = random.Random(seed)
    e, p, n, moves = draft.plain, draft.p, draft.players, RULES.moves
    decisions = 0
    for game in range(games):
        s, w = draft.ruleset.schema.blank(n), draft.workspace()
        luck, chances, o, play = mix(seed, game), 0, None, None
        e.setup(p, s)
        while (who := e.to_move(p, s)) != OVER:
            if who == CHANCE:
                deals = s.phase == DEAL
                if deals and o is None:
                    o = started(draft, s)
                    play = o.play()
                    asked = next(play)
                    assert_same(draft, s, o)
                e.apply(p, s, e.chance(p, s, chance_luck(luck, chances), 0))
                chances += 1
                if deals:
                    assert asked[0] == "deal"
                    asked = play.send([sorted(named("card", s.hand[i])) for i in range(n)])
                continue
            legal = w.found[: e.legal(p, s, w)]
            if o is None:  # choosing tribes comes before everything that the oracle plays
                e.apply(p, s, rng.choice(legal))
                continue
            what, seat, options = asked
            names = {moves.name(c): c for c in legal}
            assert seat == who and set(names) == options, (what, seat, who, options, set(names))
            choice = rng.choice(sorted(options))
            e.apply(p, s, names[choice])
            decisions += 1
            try:
                asked = play.send(choice)
            except StopIteration:
                asked = ("over", None, None)
            if what == "act" or asked[0] in ("deal", "carry", "over"):
                assert_same(draft, s, o)
        assert asked[0] == "over"
        assert_same(draft, s, o)
        assert [i for i in range(n) if s.winner[i]] == o.winners
        e.cite.take()
    return decisions


@pytest.mark.parametrize("name, players", [(d, n) for d in ("draft6", "proposed", "thick-middle", "no-kick", "stacking", "later") for n in players_of(RULES, d)])
def test_named_drafts_agree_with_the_oracle(name, players):
    assert play_games(load("nyanbar-one", name, players=players), COUNTS.get(name, 60), seed=1) > 1000


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("name, reading", SINGLE, ids=[f"{n}={r}" for n, r in SINGLE])
def test_each_single_reading_agrees_with_the_oracle(name, reading, players):
    base = {"take": "proposed", "blue_target": "proposed", "kick_removes": "stacking", "triangle_duel": "proposed"}.get(name, "draft6")
    play_games(load("nyanbar-one", base, players=players, **{name: reading}), 20, seed=2)


@pytest.mark.parametrize("k", range(60))
def test_random_combinations_agree_with_the_oracle(k):
    rng = random.Random(k)
    values = {n: rng.choice(list(p.readings)) for n, p in RULES.parameters.entries.items() if p.readings}
    base = rng.choice(["draft6", "proposed", "no-kick", "stacking"])
    numbers = {"markers": rng.choice([3, 6, 8]), "cubes": rng.choice([12, 16, 40]), "red": rng.choice([1, 2]), "areas_per_tile": rng.choice([4, 5])}
    play_games(load("nyanbar-one", base, players=3 + k % 2, **values, **numbers), 12, seed=k)


def test_the_oracle_can_disagree():
    """The comparison sees a rule that is wrong by one point, an area too few, and another order."""
    def doubled(s, who, n):
        return n

    def majority(p, s, areas):
        return 0

    def act_rank(p, s, who):
        return who

    for wrong in (doubled, act_rank):
        with pytest.raises(AssertionError):
            play_games(load("nyanbar-one").replace(wrong), 60, seed=1)
    majority.__name__ = "connected"
    with pytest.raises(AssertionError):
        play_games(load("nyanbar-one").replace(majority), 20, seed=1)
