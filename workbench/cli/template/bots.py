"""A bot says how much it likes one of its legal moves; what its seat may not see is blank in s."""

from workbench.core.vocabulary import NONE, first, move, seats

from .rules import value

PLAY_MOVE = move("play")


def thrifty(p, s, seat, code):
    mine = value(first(PLAY_MOVE, code))
    for other in seats(s):
        if s.played[other] != NONE and value(s.played[other]) >= mine:
            return -mine
    return mine
