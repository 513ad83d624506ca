"""Omerta, draft 6 and its author's proposals. Ids are those of rules.en.md and rules.ja.md."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cards, cite, deal, flag, holds, left_of, many, number as count_of, one, phase,
    reading, rule, seat, seats, state, steps_from,
)

from .cards import above, number, of_suit, suit
from .omertas import base_points, hand_points, omerta_of, omerta_points, somebody_out

STATE = state(
    hands=count_of(0, 1000, en="hands finished in this match", ja="このマッチで終わったハンド数"),
    round=count_of(0, 7, en="round of the hand", ja="ハンドのラウンド番号"),
    leader=seat(en="start player of the round", ja="ラウンドのスタートプレイヤー"),
    next_leader=seat(unless={"omerta_choice=choose_first": "nobody"},
                     en="start player of the next hand", ja="次のハンドのスタートプレイヤー"),
    deck=many("card", sees="nobody", en="cards not dealt yet", ja="まだ配られていないカード"),
    aside=many("card", en="cards of suits not in use", ja="使わないスートのカード"),
    hand=many("card", per="seat", sees="owner", en="hand cards", ja="手札"),
    omerta=one("card", per="seat", sees="owner", en="face-down omerta", ja="伏せたオメルタ"),
    played=one("card", per="seat", en="card played in this round", ja="このラウンドでプレイしたカード"),
    pile=many("card", per="seat", en="cards played in earlier rounds", ja="以前のラウンドでプレイしたカード"),
    shown=many("card", per="seat", en="hand shown after elimination", ja="脱落して公開した手札"),
    revealed=one("card", per="seat", en="revealed omerta", ja="公開したオメルタ"),
    family=one("suit", place=False, derived=True, en="family suit", ja="ファミリースート"),
    highest=count_of(0, 8, derived=True, en="number to beat with another suit", ja="他スートで超えるべき数字"),
    out=flag(per="seat", en="eliminated in this hand", ja="このハンドで脱落"),
    drops=count_of(0, 4000, en="eliminations in this match", ja="このマッチの脱落回数"),
    base=count_of(-50, 50, per="seat", en="base VP of this hand", ja="このハンドの基本VP"),
    bonus=count_of(-50, 100, per="seat", en="omerta VP of this hand", ja="このハンドのオメルタVP"),
    gained=count_of(-2000, 2000, per="seat", en="VP of this hand", ja="このハンドのVP"),
    points=count_of(-2000, 2000, per="seat", unless={"points_open=hidden": "owner"}, en="VP of the match", ja="マッチのVP"),
    winner=flag(per="seat", en="has won", ja="勝者"),
)

HAND_SIZE, NUMBERS = 8, 8
DEAL, OMERTA, START, PLAY, OVER_NOW = phase("deal"), phase("omerta"), phase("start"), phase("play"), phase("over")

ONE_HAND = reading("play", "hand")
CHOOSE_FIRST, KNOW_FIRST = reading("omerta_choice", "choose_first"), reading("omerta_choice", "know_first")
WHOLE_TABLE, FAMILY_ONLY = reading("scope", "table"), reading("highest_of", "family")
STOP, SHOW = reading("elimination", "stop"), reading("elimination_proof", "show")
IN_ORDER = reading("target_check", "in_order")

OM_S3, OM_S4, OM_S6 = rule("OM-S3"), rule("OM-S4"), rule("OM-S6")
OM_P1, OM_P2, OM_P4, OM_P5 = rule("OM-P1"), rule("OM-P2"), rule("OM-P4"), rule("OM-P5")
OM_P6, OM_P7, OM_P8 = rule("OM-P6"), rule("OM-P7"), rule("OM-P8")
OM_R1, OM_R2, OM_F1, OM_F3, OM_V3 = rule("OM-R1"), rule("OM-R2"), rule("OM-F1"), rule("OM-F3"), rule("OM-V3")
OM_N1, OM_N2, OM_N3 = rule("OM-N1"), rule("OM-N2"), rule("OM-N3")
OMQ_25 = rule("OMQ-25")


# ---------------------------------------------------------------- setup and deal


def setup(p, s):
    s.deck = (1 << NUMBERS * s.players) - 1
    s.aside = ((1 << 32) - 1) ^ s.deck
    s.phase = DEAL


def do_deal(p, s, luck):
    everything = ((1 << 32) - 1) ^ s.aside
    for who in seats(s):
        s.hand[who] = 0
        s.pile[who] = 0
        s.shown[who] = 0
        s.omerta[who] = NONE
        s.played[who] = NONE
        s.revealed[who] = NONE
        s.out[who] = 0
        s.base[who] = 0
        s.bonus[who] = 0
        s.gained[who] = 0
    s.deck = deal(everything, s.hand, HAND_SIZE, s.players, luck)
    cite(OM_S3, NONE, HAND_SIZE)
    s.round = 0
    s.family = NONE
    s.highest = 0
    s.leader = NONE if p.omerta_choice == CHOOSE_FIRST else s.next_leader
    if s.hands == 0 and p.omerta_choice == KNOW_FIRST:
        s.phase = START
    else:
        choose_omertas(s)


def choose_omertas(s):
    s.phase = OMERTA
    s.turn = 0


def legal_omerta(p, s):
    return s.hand[s.turn]


def forbids_omerta(p, s, card):
    return ALLOWED if holds(s.hand[s.turn], card) else OM_S4


def do_omerta(p, s, card):
    s.hand[s.turn] ^= bit(card)
    s.omerta[s.turn] = card
    cite(OM_S4, s.turn)
    s.turn = left_of(s, s.turn)
    if s.turn == 0:
        if s.leader != NONE:
            begin_round(p, s, s.leader)
        elif s.hands == 0:
            s.phase = START
        else:
            cite(OM_N1, s.next_leader)
            begin_round(p, s, s.next_leader)


def weight_start(p, s, who):
    return 1


def do_start(p, s, who):
    cite(OM_S6, who)
    s.leader = who
    s.next_leader = who
    if s.omerta[0] == NONE:
        choose_omertas(s)
    else:
        begin_round(p, s, who)


# ---------------------------------------------------------------- playing cards


def leads(s):
    return s.turn == s.leader


def playable(s):
    """The hand cards the seat may play: any to lead; else of the family suit (OM-P4) or higher than all so far (OM-P5)."""
    if leads(s):
        return s.hand[s.turn]
    return s.hand[s.turn] & (of_suit(s.family) | above(s.highest))


def legal_play(p, s):
    return playable(s)


def forbids_play(p, s, card):
    """Which rule forbids the seat to play this card; ALLOWED if none."""
    if holds(playable(s), card):
        return ALLOWED
    return OM_P5 if holds(s.hand[s.turn], card) else OM_P1


def do_play(p, s, card):
    me = s.turn
    s.hand[me] ^= bit(card)
    s.played[me] = card
    if leads(s):
        s.family = suit(card)
        cite(OM_P1, me, card)
        cite(OM_P2, NONE, s.family)
    elif suit(card) == s.family:
        cite(OM_P4, me, card)
    else:
        cite(OM_P5, me, card)
    if p.scope == WHOLE_TABLE or p.highest_of == FAMILY_ONLY:
        derive(p, s)
    else:
        s.highest = max(s.highest, number(card))
    next_turn(p, s)


def forbids_out(p, s):
    return OM_P7 if playable(s) else ALLOWED


def do_out(p, s):
    me = s.turn
    s.out[me] = 1
    s.drops += 1
    cite(OM_P6, me)
    if p.elimination_proof == SHOW:
        s.shown[me] = s.hand[me]
        s.hand[me] = 0
    if p.elimination == STOP:
        cite(OM_P8, me)
        end_hand(p, s)
    else:
        next_turn(p, s)


def derive(p, s):
    """The family suit and the number to beat, from the cards on the table."""
    lead = NONE if s.leader == NONE else s.played[s.leader]
    s.family = NONE if lead == NONE else suit(lead)
    s.highest = 0
    for who in seats(s):
        if s.played[who] != NONE:
            raise_highest(p, s, s.played[who])
        if p.scope == WHOLE_TABLE:
            for card in cards(s.pile[who]):
                raise_highest(p, s, card)


def raise_highest(p, s, card):
    if p.highest_of != FAMILY_ONLY or suit(card) == s.family:
        s.highest = max(s.highest, number(card))


def unsound(p, s):
    """Which rule a poked position contradicts: a round needs its start player, and what is played a lead."""
    if s.phase == PLAY:
        if s.leader == NONE or s.turn == NONE:
            return OM_P1
        for who in seats(s):
            if (s.played[who] != NONE) != (steps_from(s, s.leader, who) < steps_from(s, s.leader, s.turn)) and not s.out[who]:
                return OM_P1
    return ALLOWED


# ---------------------------------------------------------------- rounds


def begin_round(p, s, who):
    s.phase = PLAY
    s.round += 1
    s.leader = who
    s.turn = who
    for each in seats(s):
        if s.played[each] != NONE:
            s.pile[each] |= bit(s.played[each])
            s.played[each] = NONE
    s.family = NONE
    s.highest = 0
    if p.scope == WHOLE_TABLE:
        derive(p, s)


def next_turn(p, s):
    s.turn = left_of(s, s.turn)
    if leads(s):
        end_round(p, s)


def end_round(p, s):
    cite(OM_R1, NONE, s.round)
    if somebody_out(s) or s.round == p.rounds:
        end_hand(p, s)
    else:
        who = lowest_player(s)
        cite(OM_R2, who)
        begin_round(p, s, who)


def lowest_player(s):
    """Who played the lowest number of the round; two equal lowest cards cannot happen (OMQ-6)."""
    best = NONE
    low = NUMBERS + 1
    for who in seats(s):
        card = s.played[who]
        if card != NONE and number(card) < low:
            low = number(card)
            best = who
    return best


# ---------------------------------------------------------------- scoring a hand


def end_hand(p, s):
    cite(OM_F1, NONE, s.round)
    for who in seats(s):
        s.base[who] = base_points(p, s, who)
    for who in seats(s):
        s.revealed[who] = s.omerta[who]
        s.omerta[who] = NONE
        cite(OM_V3, who, s.revealed[who])
    for who in seats(s):
        if omerta_of(s, who) != 4:
            s.bonus[who] = omerta_points(p, s, who)
    for who in seats(s):
        if omerta_of(s, who) == 4:
            s.bonus[who] = omerta_points(p, s, who)
    for who in seats(s):
        s.gained[who] = hand_points(p, s, who)
        s.points[who] += s.gained[who]
    s.hands += 1
    s.next_leader = lowest_player(s)
    if p.omerta_choice != CHOOSE_FIRST:
        cite(OM_N1, s.next_leader)
    s.turn = NONE
    end_match_or_deal(p, s)


# ---------------------------------------------------------------- end of a match


def end_match_or_deal(p, s):
    if p.play == ONE_HAND:
        best = s.gained[0]
        for who in seats(s):
            best = max(best, s.gained[who])
        if not somebody_won(s):
            for who in seats(s):
                s.winner[who] = 1 if s.gained[who] == best else 0
        s.phase = OVER_NOW
    elif somebody_won(s) or name_winner(p, s):
        s.phase = OVER_NOW
    elif s.hands >= p.max_hands:
        cite(OMQ_25, NONE, s.hands)
        s.phase = OVER_NOW
    else:
        s.phase = DEAL


def somebody_won(s):
    for who in seats(s):
        if s.winner[who]:
            return True
    return False


def name_winner(p, s):
    """OM-F3, OM-N2, OM-N3: whether somebody has reached the target, and who of them wins."""
    target = p.target_per_player * s.players
    best = NONE
    tied = False
    who = s.leader
    for step in seats(s):
        if s.points[who] >= target:
            if best == NONE or (s.points[who] > s.points[best] and p.target_check != IN_ORDER):
                best = who
                tied = False
            elif s.points[who] == s.points[best]:
                tied = True
        who = left_of(s, who)
    if best == NONE:
        return False
    cite(OM_F3, best, s.points[best])
    if tied and p.target_check != IN_ORDER:
        cite(OM_N3, best)
    cite(OM_N2, best, s.points[best])
    s.winner[best] = 1
    return True


# ---------------------------------------------------------------- outcome


def score(p, s, who):
    return s.gained[who] if p.play == ONE_HAND else s.points[who]


def won(p, s, who):
    return s.winner[who]
