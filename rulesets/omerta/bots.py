"""Bots for Omerta. A bot says how much it likes one legal move; ``s`` holds only what its seat may see."""

from workbench.core.vocabulary import NONE, bit, cards, count, first, holds, is_move, move, seats

from .rules import number, suit

OMERTA_MOVE, PLAY_MOVE = move("omerta"), move("play")


def heuristic(p, s, seat, code):
    if is_move(OMERTA_MOVE, code):
        return like_omerta(p, s, seat, first(OMERTA_MOVE, code))
    if is_move(PLAY_MOVE, code):
        return like_card(p, s, seat, first(PLAY_MOVE, code))
    return 0


def weak_spots(s, seat, hand):
    """How many of the suits in use this hand cannot follow, and how low its best cards are."""
    weak = 0
    for family in seats(s):
        mine = hand >> (8 * family) & 255
        if mine == 0:
            weak += 3
        elif count(mine) == 1:
            weak += 1
    return weak


def like_omerta(p, s, seat, card):
    """Keep what the hand can reach: 7 with a hand that will break, else a goal that elimination of others meets."""
    rest = s.hand[seat] ^ bit(card)
    wanted = number(card)
    highs = 0
    for other in cards(rest):
        if number(other) >= 6:
            highs += 1
    risk = weak_spots(s, seat, rest) + 3 - highs
    if wanted == 7:
        return 6 * risk - 18
    if wanted == 2:
        return 14 - risk
    if wanted == 3:
        return 16 - risk
    if wanted == 6:
        return 9 + 2 * highs - risk
    if wanted == 5:
        return 8 - risk
    if wanted == 8:
        return 4 - risk
    if wanted == 1:
        return 2 - risk
    return 3 - risk


def like_card(p, s, seat, card):
    """Stay able to follow and to beat: lead low from long suits, follow with the lowest, keep high cards."""
    hand = s.hand[seat] ^ bit(card)
    mine = number(s.omerta[seat])
    if mine == 7:
        return like_falling(s, seat, card, hand)
    liking = -4 * weak_spots(s, seat, hand)
    for other in cards(hand):
        liking += number(other)
    last = s.turn != s.leader and 1 + steps(s, seat) == s.players
    if mine == 5 and number(card) <= 2:
        liking += 3
    if mine == 6 and last and number(card) > s.highest:
        liking += 2
    if mine == 8 and number(card) == s.round:
        liking += 4
    if mine == 2 and suit_gone(s, seat, suit(card)):
        liking += 2
    return liking


def like_falling(s, seat, card, hand):
    """With Curtain: throw the high cards and empty suits, so that a round comes that cannot be played."""
    return 4 * weak_spots(s, seat, hand) + number(card)


def steps(s, seat):
    return seat - s.leader if seat >= s.leader else seat - s.leader + s.players


def suit_gone(s, seat, family):
    """Whether most cards of a suit are already on the table, so that others may lack it."""
    seen = 0
    for other in seats(s):
        seen += count(s.pile[other] >> (8 * family) & 255)
        if s.played[other] != NONE and suit(s.played[other]) == family:
            seen += 1
    return seen >= 4 and not holds(s.hand[seat], 8 * family)
