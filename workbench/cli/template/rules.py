"""MYGAME. A rule is a plain function; p holds the numbers of params.toml, s the state declared here."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cite, deal, holds, left_of, many, number, one, phase, reading, rule, seats, state,
)

STATE = state(  # sees: who may know it, everybody if left out
    deck=many("card", sees="nobody", en="cards not dealt", ja="配られていないカード"),
    hand=many("card", per="seat", sees="owner", en="hand cards", ja="手札"),
    played=one("card", per="seat", en="card of this round", ja="このラウンドのカード"),
    pile=many("card", en="cards of earlier rounds", ja="以前のラウンドのカード"),
    coins=number(0, 15, per="seat", en="coins", ja="コイン"),
)
PLAY, OVER_NOW, NOBODY = phase("play"), phase("over"), reading("tie", "nobody")
HAND_ONLY, HIGHEST, THREE_ROUNDS, TIE = rule("MY-3"), rule("MY-4"), rule("MY-5"), rule("MYQ-1")


def setup(p, s):
    s.deck = (1 << 18) - 1  # the set of all 18 cards


def do_deal(p, s, luck):
    s.deck = deal(s.deck, s.hand, 3, s.players, luck)
    s.phase = PLAY
    s.turn = 0


def forbids_play(p, s, card):
    return ALLOWED if holds(s.hand[s.turn], card) else HAND_ONLY


def do_play(p, s, card):
    s.hand[s.turn] ^= bit(card)
    s.played[s.turn] = card
    s.turn = left_of(s, s.turn)
    if s.turn == 0:
        end_round(p, s)


def value(card):
    return card % 6 + 1


def end_round(p, s):
    best = 0
    tied = False
    for who in seats(s):
        if value(s.played[who]) > value(s.played[best]):
            best = who
            tied = False
        elif who != best and value(s.played[who]) == value(s.played[best]):
            tied = True
    if tied:
        cite(TIE, best)
    if not tied or p.tie != NOBODY:
        s.coins[best] += p.coins
        cite(HIGHEST, best, p.coins)
    for who in seats(s):
        s.pile |= bit(s.played[who])
        s.played[who] = NONE
    if s.hand[0] == 0:
        cite(THREE_ROUNDS)
        s.phase = OVER_NOW


def score(p, s, who):
    return s.coins[who]


def won(p, s, who):
    for other in seats(s):
        if s.coins[other] > s.coins[who]:
            return 0
    return 1
