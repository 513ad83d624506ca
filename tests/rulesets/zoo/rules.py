"""The zoo: something on every kind of zone."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cite, left_of, lowest, many, mix, number, one, phase, rule, seat, seats, shuffle, state, new_row,
)

STATE = state(
    colour=one("suit", per="area", place=False, en="colour of the area", ja="エリアの色"),
    cube=number(0, 1, per="area", en="cube", ja="キューブ"),
    owner=seat(per="area", en="marker", ja="マーカー"),
    at=one("space", per=("seat", "maid"), place=False, en="where the maids are", ja="メイドの場所"),
    police=one("space", place=False, en="police", ja="警察"),
    coins=number(0, 9, per="space", en="coins on the space", ja="マスのコイン"),
    tile=one("tea", per=("row", "column"), en="bingo tile", ja="ビンゴのタイル"),
    stacks=one("card", per=(2, "depth"), en="departments", ja="部門カード"),
    strength=number(0, 60, per="seat", en="strength", ja="戦力"),
    tea=many("tea", per="seat", sees="owner", en="tea in hand", ja="手元の紅茶"),
    port=many("tea", sees="nobody", en="port", ja="港"),
    markers=number(0, 8, per="seat", sees="owner", en="markers in hand", ja="手元のマーカー"),
    turns=number(0, 99, en="turns played", ja="手番の数"),
)
DRAW, ACT, OVER_NOW = phase("draw"), phase("act"), phase("over")
ZO_2, ZO_3, ZO_4, ZO_5 = rule("ZO-2"), rule("ZO-3"), rule("ZO-4"), rule("ZO-5")


def setup(p, s):
    s.phase = DRAW
    s.port = 15
    for i in range(8):
        s.stacks[i // 4][i % 4] = i


def do_draw(p, s, luck):
    row = new_row(16)
    for i in range(16):
        row[i] = i % 3
        s.cube[i] = 1
    shuffle(row, 16, luck)
    for i in range(16):
        s.colour[i] = row[i]
    for who in seats(s):
        s.at[who][0] = 0
        s.at[who][1] = 0
        s.markers[who] = 8
        s.tea[who] = bit(lowest(s.port))
        s.port ^= s.tea[who]
    s.police = 3
    s.coins[1] = mix(luck, 99) % 5 + 1
    cite(ZO_2)
    s.phase = ACT
    s.turn = 0


def forbids_step(p, s, maid, space):
    here = s.at[s.turn][maid]
    return ALLOWED if space == (here + 1) % 4 else ZO_3


def do_step(p, s, maid, space):
    s.at[s.turn][maid] = space
    cite(ZO_3, s.turn, space)
    finish(s)


def forbids_mark(p, s, area):
    return ALLOWED if s.owner[area] != s.turn and s.markers[s.turn] > 0 else ZO_4


def do_mark(p, s, area):
    if s.owner[area] != NONE:
        s.markers[s.owner[area]] += 1
    s.owner[area] = s.turn
    s.strength[s.turn] += s.cube[area]
    s.cube[area] = 0
    s.markers[s.turn] -= 1
    cite(ZO_4, s.turn, area)
    finish(s)


def forbids_place(p, s, row, column):
    return ALLOWED if s.tile[row][column] == NONE and s.tea[s.turn] != 0 else ZO_5


def do_place(p, s, row, column):
    chip = lowest(s.tea[s.turn])
    s.tea[s.turn] ^= bit(chip)
    s.tile[row][column] = chip
    cite(ZO_5, s.turn, row)
    finish(s)


def finish(s):
    s.turns += 1
    s.turn = left_of(s, s.turn)
    if s.turns == 20:
        s.phase = OVER_NOW


def score(p, s, who):
    return s.strength[who] + 8 - s.markers[who]


def won(p, s, who):
    for other in seats(s):
        if score(p, s, other) > score(p, s, who):
            return 0
    return 1
