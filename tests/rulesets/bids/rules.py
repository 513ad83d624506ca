"""Bids: only the tests play it."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cite, count, holds, left_of, many, number, one, phase, reading, rule, seats, state,
)

STATE = state(
    bag=many("tile", en="tiles to come", ja="残りのタイル"),
    drawn=one("tile", en="tile bid for", ja="競りのタイル"),
    board=one("tile", per=("row", "column"), en="board", ja="盤"),
    coins=number(0, 20, per="seat", pool="coin", en="coins", ja="コイン"),
    bank=number(0, 20, pool="coin", en="bank", ja="銀行"),
    bid=number(-1, 3, per="seat", sees="owner", en="bid, -1: none yet", ja="入札額（-1は未入札）"),
    paid=number(-1, 3, per="seat", en="bids shown", ja="公開した入札"),
    tiles=number(0, 4, per="seat", en="tiles won", ja="得たタイル"),
)
DRAW, BID, PLACE, END = phase("draw"), phase("bid"), phase("place"), phase("over")
BI_2, BI_3, BI_4, BI_5 = rule("BI-2"), rule("BI-3"), rule("BI-4"), rule("BI-5")
LAST = reading("ties", "last")


def setup(p, s):
    s.bag = 15
    for who in seats(s):
        s.coins[who] = p.coins
        s.bid[who] = -1
        s.paid[who] = -1
    s.bank = 20 - p.coins * s.players
    s.phase = DRAW


def weight_draw(p, s, tile):
    return 1 if holds(s.bag, tile) else 0


def do_draw(p, s, tile):
    s.bag ^= bit(tile)
    s.drawn = tile
    cite(BI_2, NONE, tile)
    for who in seats(s):
        s.paid[who] = -1
    s.turn = 0
    s.phase = BID


def forbids_bid(p, s, amount):
    return ALLOWED if amount <= s.coins[s.turn] else BI_3


def do_bid(p, s, amount):
    s.bid[s.turn] = amount
    cite(BI_3, s.turn)
    s.turn = left_of(s, s.turn)
    if s.turn == 0:
        show(p, s)


def show(p, s):
    best = 0
    for who in seats(s):
        s.paid[who] = s.bid[who]
        s.bid[who] = -1
        if s.paid[who] > s.paid[best] or (s.paid[who] == s.paid[best] and p.ties == LAST):
            best = who
    s.coins[best] -= s.paid[best]
    s.bank += s.paid[best]
    cite(BI_4, best, s.paid[best])
    s.turn = best
    s.phase = PLACE


def forbids_place(p, s, row, column):
    return ALLOWED if s.board[row][column] == NONE else BI_5


def do_place(p, s, row, column):
    s.board[row][column] = s.drawn
    s.tiles[s.turn] += 1
    cite(BI_5, s.turn, s.drawn)
    s.drawn = NONE
    s.phase = END if count(s.bag) == 0 else DRAW
    s.turn = NONE


def score(p, s, who):
    return 3 * s.tiles[who] + s.coins[who]


def won(p, s, who):
    for other in seats(s):
        if score(p, s, other) > score(p, s, who):
            return 0
    return 1
