"""The audit's worked examples (OME-*) and open questions, run against the oracle."""

import itertools

import pytest

from .omerta import NUMBER, READINGS, SUIT, Omerta, parse, random_hands, random_match

PROPOSED = {"omerta4": "failed_survivors", "peace": "win_match", "base": "flat"}


def play_hand(hands, omertas, plays, **options):
    """Play a listed hand: hands and omertas per seat, plays as "seat card" rounds."""
    game = Omerta(len(hands), **options)
    game.deal([parse(f"{hand} {omerta}") for hand, omerta in zip(hands, omertas)])
    for seat, omerta in enumerate(omertas):
        game.choose(seat, *parse(omerta))
    moves = [move.split() for round_ in plays for move in round_.split(", ")]
    game.name_leader(int(moves[0][0]))
    for seat, name in moves:
        assert not game.over
        assert game.seat == int(seat)
        game.play(*parse(name))
    assert game.over
    return game


def ending(players, round_no, leader, played, omertas, eliminated=(), totals=None, **options):
    """A finished hand given by its final round only: seat -> card played, and who is out."""
    game = Omerta(players, **options)
    game.totals = list(totals or game.totals)
    end_hand(game, round_no, leader, played, omertas, eliminated)
    return game


def end_hand(game, round_no, leader, played, omertas, eliminated=()):
    """Set the game to the end of such a hand."""
    game.deal()
    game.omertas = [number - 1 for number in omertas]  # only the number matters
    game.round = round_no
    game.order = [(leader + step) % game.players for step in range(game.players)]
    game.table = {seat: parse(name)[0] for seat, name in played.items()}
    game.eliminated = set(eliminated)
    game.over = True


OME_1 = dict(
    hands=["A5 A6 C4 C5 C6 I2 I5", "A1 A7 C3 C7 C8 I4 I8", "A2 A3 A4 C2 I1 I3 I7"],
    omertas=["C1", "I6", "A8"],
    plays=["0 A6, 1 A7, 2 A3", "2 A2, 0 C5, 1 C8", "2 I3, 0 A5, 1 C7", "2 A4, 0 C6, 1 A1",
           "1 I4, 2 I1, 0 I5", "2 C2, 0 C4, 1 C3", "2 I7, 0 I2, 1 I8"])
OME_4 = dict(
    hands=["A2 A7 A8 C3 C8 I1 I4", "A1 A4 C1 I3 I5 I6 I8", "A5 A6 C2 C4 C5 C6 I7"],
    omertas=["I2", "C7", "A3"],
    plays=["0 A8, 1 A4, 2 A5", "1 C1, 2 C4, 0 A7", "1 I5, 2 C6, 0 I4", "0 A2, 1 I6, 2 A6",
           "0 C8"])
OME_8 = dict(
    hands=["A1 A4 C3 C4 C7 C8 I7", "A5 A8 C2 C5 I1 I3 I6", "A2 A3 A7 C1 C6 I2 I8"],
    omertas=["A6", "I4", "I5"],
    plays=["0 C7, 1 A8, 2 C6", "2 C1, 0 C8, 1 C2", "2 I8, 0 I7, 1 I1", "1 A5, 2 A3, 0 A1",
           "0 C4, 1 I6, 2 A7", "0 A4, 1 C5, 2 A2", "2 I2, 0 C3, 1 I3"])


def test_ome_1_peace_hero_prophecy():
    game = play_hand(**OME_1)
    assert game.order == [2, 0, 1]
    result = game.score()
    assert result.vp == [5, 5, 8]
    assert result.sources[0] == {"base": 2, "omerta": 3, "loss": 0}
    assert result.next_leader == 0
    assert result.winners == [2]
    assert play_hand(**OME_1, base="flat").score().vp == [6, 5, 10]
    result = play_hand(**OME_1, peace="win_match").score()
    assert result.vp == [2, 5, 8]
    assert result.winners == [0]


def test_ome_4_elimination_of_the_second_seat():
    game = play_hand(**OME_4)
    assert game.round == 5 and game.eliminated == {1}
    result = game.score()
    assert result.vp == [3, 3, 4]
    assert [source["base"] for source in result.sources] == [1, 0, 3]
    assert result.next_leader == 0
    assert result.winners == []
    assert play_hand(**OME_4, base="flat").score().vp == [5, 3, 3]


def test_ome_5_lone_hero():
    assert ending(3, 5, 0, {0: "C8"}, [6, 7, 6], {1}).score().vp == [3, 3, 3]


def test_ome_8_hero_tie_and_domination():
    game = play_hand(**OME_8)
    assert game.order == [2, 0, 1]
    result = game.score()
    assert result.vp == [2, 3, 2]
    assert result.next_leader == 2
    assert play_hand(**OME_8, omerta4="failed_survivors").score().vp == [2, 4, 2]


def test_ome_11_prophecy_not_played():
    assert ending(4, 5, 0, {0: "J8"}, [3, 7, 2, 8], {1}).score().vp == [2, 3, 3, 4]


@pytest.mark.parametrize("options, total, winners",
                         [({}, 8, [3]), ({"base": "flat"}, 4, [])])
def test_ome_12_doing_nothing_twice(options, total, winners):
    game = ending(4, 3, 0, {0: "A5"}, [4, 4, 4, 4], {1}, **options)
    assert game.score().winners == []
    end_hand(game, 2, 0, {0: "A5", 1: "A7"}, [4, 4, 4, 4], {2})
    assert game.score().winners == winners
    assert game.totals[3] == total


@pytest.mark.parametrize("hand, shown, expected", [
    ("A1 I5 I6 C8", "A5", "A1 I6 C8"),
    ("A1 I5 I6 C8", "A5 I8", "A1"),
    ("I5 C8", "A5 I8", ""),
    ("A1 I5 I6 C8", "", "A1 I5 I6 C8"),
    ("A1 J6", "A5 I6 A4", "A1"),
])
def test_ome_13_legal_moves(hand, shown, expected):
    game = Omerta(4)
    game.deal()
    game.order = [0, 1, 2, 3]
    game.table = dict(enumerate(parse(shown)))
    seat = len(game.table)
    game.hands[seat] = parse(hand)
    assert sorted(game.playable(seat)) == sorted(parse(expected))


def test_ome_14_two_fours():
    game = ending(4, 7, 0, {0: "A2", 1: "A3", 2: "A4", 3: "A5"}, [4, 4, 3, 5],
                  omerta4="failed_survivors")
    assert game.score().vp == [3, 4, 3, 4]


@pytest.mark.parametrize("reading, total", [("hand", 5), ("match", 0)])
def test_ome_16_curtain_loss(reading, total):
    game = ending(4, 4, 0, {0: "A5"}, [3, 3, 3, 7], {1}, totals=[0, 0, 0, 5],
                  curtain_loss=reading)
    game.score()
    assert game.totals[3] == total


@pytest.mark.parametrize("players, hero_ties", [(3, 168), (4, 6048)])
def test_omq_6_and_7_ties(players, hero_ties):
    """In full tricks two lowest never tie; two highest do, as often as counted."""
    tied = 0
    for trick in legal_tricks(range(8 * players), players):
        numbers = sorted(NUMBER[card] for card in trick)
        assert numbers[0] < numbers[1]
        tied += numbers[-1] == numbers[-2]
    assert tied == hero_ties


def legal_tricks(deck, players, trick=()):
    """Every full trick in which each card was legal when played."""
    if len(trick) == players:
        yield trick
        return
    for card in deck:
        if card in trick:
            continue
        if not trick or SUIT[card] == SUIT[trick[0]] or \
                NUMBER[card] > max(NUMBER[shown] for shown in trick):
            yield from legal_tricks(deck, players, (*trick, card))


@pytest.mark.parametrize("position, base", [("seat", 3), ("played", 0), ("survivors", 2)])
def test_omq_12_positions_after_an_elimination(position, base):
    game = ending(3, 2, 0, {0: "A5"}, [4, 4, 4], {1}, position=position)
    assert game.score().vp == [1, 0, base]


def test_omq_8_finishing_the_round():
    """The round goes on after an elimination, and 2 and 3 count all who went out."""
    hands = ["A8 A7 A6 A5 A4 A3 A2", "I1 I2 I3 I4 I5 I6 I7", "C1 C2 C3 C4 C5 C6 C7"]
    game = Omerta(3, elimination="finish", eliminated_omerta="condition")
    game.deal([parse(f"{hand} {omerta}") for hand, omerta in zip(hands, ["A1", "I8", "C8"])])
    for seat, omerta in enumerate(parse("A1 I8 C8")):
        game.choose(seat, omerta)
    game.name_leader(0)
    game.play(*parse("A8"))
    assert game.over and game.eliminated == {1, 2}
    game.omertas = parse("A3 I2 C3")
    assert game.score().vp == [2, 2, 1]


@pytest.mark.parametrize("players", [3, 4])
def test_every_reading_plays_matches_to_the_end(players):
    """No reading leaves a hand without moves or a match without an end."""
    for name, readings in READINGS.items():
        for reading, seed in itertools.product(readings, range(3)):
            game = random_match(players, seed, **{name: reading})
            assert game.winners or name == "curtain_loss"
    assert random_match(players, 1, **PROPOSED).winners


def test_random_hands_totals():
    totals = random_hands(200, 4, seed=3)
    assert totals["hands"] == 200
    assert sum(totals["times_chosen"]) == 800
    assert sum(totals["vp"]) == sum(totals["vp_by_omerta"])
    assert totals == random_hands(200, 4, seed=3)
