"""Nyan-bar One, draft 6 and its author's proposals. Ids are those of rules.en.md and rules.ja.md.

areas.py holds the map, judgement.py what follows from the cards of a trick.
"""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cards, cite, count, deal, flag, holds, left_of, many, number as count_of, one, phase, piece,
    reading, rule, seat, seats, state, steps_from,
)

from .areas import add_cubes, colour_tile, layout, tiles_in_use
from .playing import clear_table
from .table import number, suit

STATE = state(
    round=count_of(0, 9, en="round", ja="ラウンド"),
    trick=count_of(0, 14, en="trick of the round", ja="ラウンド内のトリック"),
    starter=seat(en="start player", ja="スタートプレイヤー"),
    lead=one("suit", place=False, en="lead suit", ja="リードのスート"),
    leader_by=seat(en="who has played a leader card in this trick", ja="このトリックでリーダーカードを出したプレイヤー"),
    duelist=seat(per=2, en="duelists", ja="ガチンコ状態のプレイヤー"),
    played=one("card", per="seat", en="card of this trick", ja="このトリックに出したカード"),
    counts_as=one("suit", per="seat", place=False, en="suit that the card counts as", ja="カードを何のスートとして扱うか"),
    boost=count_of(0, 300, per="seat", en="added by red cubes", ja="赤のキューブで足した数"),
    skilled=flag(per="seat", en="skill in force in this trick", ja="このトリックでスキルを使用中"),
    to_act=flag(per="seat", en="still to assist or mark", ja="助太刀・マーキングがまだ"),
    backs=seat(per="seat", en="whom the seat assists", ja="誰に助太刀したか"),
    at=one("area", per="seat", place=False, en="area marked in this trick", ja="このトリックでマーキングしたエリア"),
    gained=count_of(0, 900, per="seat", en="VP of this trick", ja="このトリックで得たVP"),
    tied=flag(en="the duel of this trick was tied", ja="このトリックのガチンコは引き分け"),
    owed=count_of(0, 9, en="cubes still to pay for a skill", ja="スキルにまだ支払うキューブ"),
    early=flag(en="the skill is paid for before the card is played", ja="カードを出す前にスキルの支払い中"),
    hand=many("card", per="seat", sees="owner", en="hand cards", ja="手札"),
    pile=many("card", per="seat", en="cards played earlier in this round", ja="このラウンドで前に出したカード"),
    faces=many("face", per="seat", place=False, en="what they counted as, cubes included",
               ja="それらを何のスート・数字として扱ったか（キューブ込み）"),
    void=many("suit", per="seat", place=False, en="suits that the seat is known to lack in this round",
              ja="このラウンドで持っていないとわかっているスート"),
    ready=flag(per="seat", en="leader card can be used", ja="リーダーカードを使える"),
    deck=many("card", sees="nobody", en="cards not dealt", ja="配られていないカード"),
    box=many("card", en="cards not in this game", ja="このゲームで使わないカード"),
    tribe=one("tribe", per="seat", en="tribe", ja="トライブ"),
    tribes=many("tribe", en="tribes that nobody has", ja="誰のものでもないトライブ"),
    tiles=many("tile", en="tiles not on the map", ja="並べていないエリアマップ"),
    laid=one("tile", per="slot", en="tiles of the map", ja="並べたエリアマップ"),
    angle=one("angle", per="slot", place=False, en="how they are turned", ja="エリアマップの向き"),
    free=many("area", en="areas without a marker", ja="マーカーのないエリア"),
    owned=many("area", per="seat", en="areas occupied", ja="占拠したエリア"),
    extra=count_of(0, 20, per="area", en="markers beyond the first", ja="2個目以降のマーカー"),
    cubes=count_of(0, 60, per="area", pool="cube", en="cubes on areas", ja="エリアにあるキューブ"),
    stock=count_of(0, 60, per=("seat", "suit"), pool="cube", en="cubes taken", ja="手に入れたキューブ"),
    supply=count_of(0, 60, pool="cube", en="cubes in the supply", ja="置き場に残るキューブ"),
    gone=count_of(0, 60, per="suit", pool="cube", en="cubes out of the game", ja="ゲームから除いたキューブ"),
    markers=count_of(0, 20, per="seat", derived=True, en="markers at hand", ja="手元のマーカー"),
    owner=seat(per="area", derived=True, en="who occupies the area", ja="エリアを占拠しているプレイヤー"),
    colour=one("suit", per="area", place=False, derived=True, en="colour of the area", ja="エリアの色"),
    coloured=many("area", per="suit", derived=True, en="areas of each colour", ja="各色のエリア"),
    points=count_of(0, 5000, per="seat", en="VP", ja="VP"),
    duel_points=count_of(0, 5000, per="seat", en="VP from duels", ja="ガチンコで得たVP"),
    assist_points=count_of(0, 5000, per="seat", en="VP from assisting", ja="助太刀で得たVP"),
    mark_points=count_of(0, 5000, per="seat", en="VP from markers at the ends of rounds", ja="ラウンド終了時のマーカーで得たVP"),
    gem_points=count_of(0, 99, per="seat", en="VP from the gem bonus", ja="宝石ボーナスのVP"),
    majority_points=count_of(0, 999, per="seat", en="VP from the majority bonus", ja="マジョリティボーナスのVP"),
    ties=count_of(0, 200, en="tied duels so far", ja="これまでの引き分けのガチンコ"),
    lones=count_of(0, 200, en="lone duelists so far", ja="これまでの1人だけのガチンコ"),
    assists=count_of(0, 200, per="seat", en="times the seat assisted", ja="助太刀した回数"),
    marks=count_of(0, 200, per="seat", en="times the seat marked", ja="マーキングした回数"),
    kicked=count_of(0, 200, per="seat", en="own markers kicked off", ja="蹴り出された自分のマーカー"),
    skills=count_of(0, 200, per="seat", en="times the seat used its skill", ja="スキルを使った回数"),
    leaders=count_of(0, 200, per="seat", en="times the seat played its leader card", ja="リーダーカードを出した回数"),
    spent=count_of(0, 300, per="seat", en="cubes the seat has used", ja="使ったキューブ"),
    low_dealt=count_of(0, 99, per="seat", sees="owner", en="low cards dealt to the seat so far", ja="これまでに配られた小さい数字の枚数"),
    winner=flag(per="seat", en="has won", ja="勝者"),
)

TRIBE, CHOOSE, LAY, START, DEAL = phase("tribe"), phase("choose"), phase("lay"), phase("start"), phase("deal")
LEAD, PLAY, LATE, NAME, ACT = phase("lead"), phase("play"), phase("late"), phase("name"), phase("act")
RED, BLUE, YELLOW = piece("suit", "R"), piece("suit", "B"), piece("suit", "Y")
CHOSEN_TRIBES, FIXED_TILES = reading("tribes_by", "choose"), reading("tile_shape", "square_fixed")
STRIP, REMOVE_TOP_TWO = reading("tile_shape", "strip"), reading("narrow_3p", "remove_top")
NAMED_WHILE_PLAYING = reading("yozakura_when", "playing")
NB_C2, NB_C7, NB_S1, NB_S2, NB_S3 = rule("NB-C2"), rule("NB-C7"), rule("NB-S1"), rule("NB-S2"), rule("NB-S3")
NB_S5, NB_S6, NB_F1, NB_F2, NB_F3, NB_F4 = rule("NB-S5"), rule("NB-S6"), rule("NB-F1"), rule("NB-F2"), rule("NB-F3"), rule("NB-F4")
NB_T1, NB_T2, NB_J2, NB_D9, NBV_6 = rule("NB-T1"), rule("NB-T2"), rule("NB-J2"), rule("NB-D9"), rule("NBV-6")


# ---------------------------------------------------------------- setup


def setup(p, s):
    tally, missing = ranks_tally(p), left_out(p, s)
    for card in range(len(p.card_number)):
        if in_ranks(p, tally, card) and not holds(missing, number(p, card)):
            s.deck |= bit(card)
        else:
            s.box |= bit(card)
    cite(NB_C2, NONE, 3 * p.ranks_count)
    if count(s.deck) < 3 * p.ranks_count:
        cite(NB_S5, NONE, 3 * p.ranks_count - count(s.deck))
    s.tribes = (1 << 4) - 1
    s.tiles = (1 << len(p.tile_nw)) - 1
    s.free = layout(p, s)
    s.supply = p.cubes
    for who in seats(s):
        s.markers[who] = p.markers
        s.ready[who] = 1
    s.turn = 0
    s.phase = START if p.tribes_by == CHOSEN_TRIBES else TRIBE


def ranks_tally(p):
    """NBV-2: how often each number stands in a suit, four bits a number."""
    tally = 0
    for i in range(p.ranks_count):
        tally += 1 << 4 * p.ranks[i]
    return tally


def in_ranks(p, tally, card):
    return (tally >> 4 * number(p, card) & 15) > p.card_copy[card]


def left_out(p, s):
    """NB-S5, NBQ-48: the numbers that three players leave out, as a set."""
    if s.players != 3:
        return 0
    named = 0
    for i in range(p.removed_3p_count):
        named |= bit(p.removed_3p[i])
    used = 0
    top = 0
    for i in range(p.ranks_count):
        used |= bit(p.ranks[i])
        top = max(top, p.ranks[i])
    if p.narrow_3p == REMOVE_TOP_TWO and named & used == 0:
        return 3 << top - 1
    return named


def weight_tribe(p, s, tribe):
    return 1 if holds(s.tribes, tribe) else 0


def do_tribe(p, s, tribe):
    take_tribe(s, tribe)
    s.turn = left_of(s, s.turn)
    if s.turn == 0:
        lay_tiles(s)


def take_tribe(s, tribe):
    s.tribes ^= bit(tribe)
    s.tribe[s.turn] = tribe
    cite(NB_S1, s.turn, tribe)


def forbids_choose(p, s, tribe):
    return ALLOWED if holds(s.tribes, tribe) else NB_S1


def do_choose(p, s, tribe):
    take_tribe(s, tribe)
    s.turn = left_of(s, s.turn)
    if s.turn == s.starter:
        lay_tiles(s)


def lay_tiles(s):
    s.phase = LAY
    s.turn = NONE


def weight_lay(p, s, tile, angle):
    """NB-S2, NBQ-2: any tile that is left, turned as the reading has it."""
    if not holds(s.tiles, tile) or (angle > 0 and p.tile_shape == FIXED_TILES) or (angle & 1 and p.tile_shape == STRIP):
        return 0
    return 1


def do_lay(p, s, tile, angle):
    slot = 0
    while s.laid[slot] != NONE:
        slot += 1
    s.tiles ^= bit(tile)
    s.laid[slot] = tile
    s.angle[slot] = angle
    colour_tile(p, s, slot)
    cite(NB_S2, NONE, tile)
    if slot + 1 == tiles_in_use(p, s):
        place_cubes(p, s)
        s.phase = DEAL if p.tribes_by == CHOSEN_TRIBES else START


def place_cubes(p, s):
    """NB-S3, NB-C7: one cube on every area, as far as there are any."""
    n = add_cubes(p, s, s.free)
    cite(NB_S3, NONE, n)
    if n < count(s.free):
        cite(NB_C7, NONE, count(s.free) - n)


def weight_start(p, s, who):
    return 1


def do_start(p, s, who):
    cite(NB_S6, who)
    s.starter = who
    s.turn = who
    s.phase = CHOOSE if p.tribes_by == CHOSEN_TRIBES else DEAL


def do_deal(p, s, luck):
    """NB-F2, NB-F3, NB-F4: everything but the carried cards is shuffled, and hands are filled up."""
    clear_table(s)
    for who in seats(s):
        if s.hand[who]:
            cite(NB_F3, who, p.hand_size - count(s.hand[who]))
        s.deck |= s.pile[who]
        s.low_dealt[who] -= low_cards(p, s.hand[who])
        s.pile[who] = 0
        s.faces[who] = 0
        s.void[who] = 0
    s.deck = deal(s.deck, s.hand, p.hand_size, s.players, luck)
    for who in seats(s):
        s.low_dealt[who] += low_cards(p, s.hand[who])
    cite(NB_F2, NONE, p.hand_size)
    cite(NB_F4, NONE, count(s.deck))
    s.round += 1
    s.trick = 0
    if s.round > 1:
        cite(NB_D9, s.starter)
    s.turn = s.starter
    s.phase = LEAD


def low_cards(p, hand):
    n = 0
    for card in cards(hand):
        if number(p, card) <= p.low:
            n += 1
    return n


def score(p, s, who):
    return s.points[who]


def won(p, s, who):
    return s.winner[who]


# ---------------------------------------------------------------- what follows from the rest, and what cannot be


def derive(p, s):
    """Colours, owners and markers at hand, from the tiles and the areas occupied."""
    for i in range(3):
        s.coloured[i] = 0
    for area in range(36):
        s.colour[area] = NONE
        s.owner[area] = NONE
    for slot in range(tiles_in_use(p, s)):
        if s.laid[slot] != NONE:
            colour_tile(p, s, slot)
    for who in seats(s):
        s.markers[who] = p.markers
        for area in cards(s.owned[who]):
            s.owner[area] = who
            s.markers[who] -= 1 + s.extra[area]


def may_hold(p, s, who, card):
    """NB-T2: not a suit that the seat could not follow in this round."""
    return who == NONE or not holds(s.void[who], suit(p, card))


def unsound(p, s):
    """Which rule a poked position, or a setup with these numbers, contradicts."""
    wanted = 0
    for card in range(len(p.card_number)):
        wanted += 1 if in_ranks(p, ranks_tally(p), card) else 0
    if wanted != 3 * p.ranks_count:
        return NB_C2
    if p.hand_size < p.tricks:
        return NB_F1
    if len(p.card_number) - count(s.box) < s.players * p.hand_size:
        return NB_F2
    if s.phase > START and (s.coloured[RED] | s.coloured[BLUE] | s.coloured[YELLOW]) != layout(p, s):
        return NB_S2
    for area in range(36):
        if s.cubes[area] > 0 and not holds(layout(p, s), area):
            return NB_S3
        if s.extra[area] > 0 and s.owner[area] == NONE:
            return NBV_6
    for who in seats(s):
        for card in cards(s.hand[who]):
            if not may_hold(p, s, who, card):
                return NB_T2
    if s.phase < LEAD or s.phase > ACT:
        return ALLOWED
    if s.starter == NONE or s.turn == NONE:
        return NB_T1
    for who in seats(s):
        if s.tribe[who] == NONE:
            return NB_S1
    return ALLOWED if s.phase == LEAD else unsound_trick(p, s)


def unsound_trick(p, s):
    """Which rule the cards on the table contradict: who has had a turn has played one card, or the leader card."""
    if s.early and s.turn == s.starter:
        return ALLOWED  # what lies there is of the trick before
    all_have = s.phase == ACT or s.phase == LATE or (s.phase == NAME and p.yozakura_when != NAMED_WHILE_PLAYING)
    for who in seats(s):
        turns = steps_from(s, s.starter, who) - steps_from(s, s.starter, s.turn)
        had = turns < 0 or (turns == 0 and s.phase != PLAY and not s.early)
        has = (s.played[who] != NONE) != (s.leader_by == who)
        if has != (had or all_have):
            return NB_T1
        if (s.counts_as[who] == NONE) != (s.played[who] == NONE):
            return NB_J2
    return ALLOWED
