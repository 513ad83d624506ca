"""Playing the cards of a trick, with the cubes and skills that are used while playing."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cards, cite, holds, left_of, phase, piece, reading, rule, seats,
)

from .areas import cubes_of
from .judgement import begin_acts, cite_duelists, judge
from .table import follows, number, number_of, printed, suit

LEAD, PLAY, USE, PAY, LATE = phase("lead"), phase("play"), phase("use"), phase("pay"), phase("late")
NAME = phase("name")
RED, BLUE, KANSAI = piece("suit", "R"), piece("suit", "B"), piece("tribe", "Kansai")
YOZAKURA, CHARMONT = piece("tribe", "Yozakura"), piece("tribe", "Charmont")
MUST_FOLLOW, LEADER_IF_VOID = reading("follow", "must"), reading("leader_when", "void")
LEADER_MAY_LEAD, RED_ON_LEADER = reading("lead_leader", "yes"), reading("leader_red", "red")
RED_LATE, BLUE_IF_VOID = reading("red_when", "before_judgement"), reading("blue", "when_void")
BLUE_TO_LEAD, NO_EVASION = reading("blue_target", "lead"), reading("blue_follow", "no_evasion")
BLUE_BY_PRINTED, SPENT_GONE = reading("blue_number", "printed"), reading("spent_to", "gone")
KANSAI_AT_ONCE, NAMED_WHILE_PLAYING = reading("kansai", "same_turn"), reading("yozakura_when", "playing")
NB_T1, NB_T2, NB_T3, NB_T4, NB_T5 = rule("NB-T1"), rule("NB-T2"), rule("NB-T3"), rule("NB-T4"), rule("NB-T5")
NB_U1, NB_U2, NB_E1, NB_E2, NB_KANSAI = rule("NB-U1"), rule("NB-U2"), rule("NB-E1"), rule("NB-E2"), rule("NB-K-1")
NB_SAMURAI, NB_YOZAKURA, NB_CHARMONT, NBQ_6, NBQ_21 = rule("NB-K-2"), rule("NB-K-3"), rule("NB-K-4"), rule("NBQ-6"), rule("NBQ-21")
NBQ_22, NBQ_42, NBV_9 = rule("NBQ-22"), rule("NBQ-42"), rule("NBV-9")


# ---------------------------------------------------------------- playing cards


def clear_table(s):
    """The cards of the trick before stay in front of their players; everything else about it is over."""
    for who in seats(s):
        if s.played[who] != NONE:
            s.pile[who] |= bit(s.played[who])
        s.played[who] = NONE
        s.counts_as[who] = NONE
        s.boost[who] = 0
        s.skilled[who] = 0
        s.backs[who] = NONE
        s.at[who] = NONE
        s.gained[who] = 0
    s.duelist[0] = NONE
    s.duelist[1] = NONE
    s.leader_by = NONE
    s.lead = NONE
    s.tied = 0


def begin_trick(s):
    clear_table(s)
    s.trick += 1


def legal_lead(p, s):
    return s.hand[s.turn]


def forbids_lead(p, s, card):
    return ALLOWED if holds(s.hand[s.turn], card) else NB_T1


def do_lead(p, s, card):
    begin_trick(s)
    s.lead = suit(p, card)
    cite(NB_T1, s.turn, card)
    put_down(p, s, card)


def must_follow(p, s):
    """NB-T2: whether the seat holds cards of the lead suit and so has to play one of them."""
    return p.follow == MUST_FOLLOW and s.lead != NONE and s.hand[s.turn] & p.cards_of_suit[s.lead] != 0


def legal_play(p, s):
    """The cards that forbids_play allows: those of the lead suit, or all."""
    return s.hand[s.turn] & p.cards_of_suit[s.lead] if must_follow(p, s) else s.hand[s.turn]


def forbids_play(p, s, card):
    """NB-T2, NB-T3: follow the lead suit if you can."""
    if not holds(s.hand[s.turn], card):
        return NB_T1
    return NB_T2 if must_follow(p, s) and suit(p, card) != s.lead else ALLOWED


def do_play(p, s, card):
    if s.lead == NONE:  # a leader card was led (NBQ-6)
        s.lead = suit(p, card)
        cite(NBQ_6, s.turn, s.lead)
    elif suit(p, card) == s.lead:
        cite(NB_T2, s.turn, card)
    else:
        cite(NB_T3, s.turn, card)
        if p.follow == MUST_FOLLOW:
            s.void[s.turn] |= bit(s.lead)
    put_down(p, s, card)


def put_down(p, s, card):
    me = s.turn
    s.hand[me] ^= bit(card)
    s.played[me] = card
    s.counts_as[me] = suit(p, card)
    s.early = 0
    offer(p, s)


def no_leader_now(p, s):
    """NB-T3, NB-T4, NBQ-6: which rule keeps any leader card out of this turn; ALLOWED if none."""
    if s.phase == LEAD:
        return ALLOWED if p.lead_leader == LEADER_MAY_LEAD else NBQ_6
    if s.leader_by != NONE:
        return NB_T4
    if p.leader_when == LEADER_IF_VOID and s.hand[s.turn] & p.cards_of_suit[s.lead]:
        return NB_T3
    return ALLOWED


def forbids_leader(p, s):
    """NB-T5 and what ``no_leader_now`` names."""
    why = no_leader_now(p, s)
    return NB_T5 if why == ALLOWED and not s.ready[s.turn] else why


def do_leader(p, s):
    me = s.turn
    if s.phase == LEAD:
        begin_trick(s)
    elif p.leader_when == LEADER_IF_VOID:
        s.void[me] |= bit(s.lead)
    s.leader_by = me
    s.ready[me] = 0
    s.leaders[me] += 1
    s.early = 0
    cite(NB_T5, me)
    offer(p, s)


def lead_seat(s):
    """Whose card sets the lead suit: the start player's, or the next one's where a leader card was led."""
    return left_of(s, s.starter) if s.leader_by == s.starter else s.starter


# ---------------------------------------------------------------- resources and skills


def offer(p, s):
    """NB-U1: let the seat use what it has, if there is anything that it can use; else go on."""
    if can_use(p, s):
        s.phase = USE
    else:
        next_player(p, s)


def can_use(p, s):
    if cubes_of(s, s.turn) == 0:
        return False
    if forbids_red(p, s) == ALLOWED or forbids_usual_skill(p, s) == ALLOWED:
        return True
    for target in range(3):
        if forbids_blue(p, s, target) == ALLOWED:
            return True
    return False


def spend(p, s, colour):
    """NBQ-24: a used cube goes back to the supply, or out of the game."""
    s.stock[s.turn][colour] -= 1
    s.spent[s.turn] += 1
    if p.spent_to == SPENT_GONE:
        s.gone[colour] += 1
    else:
        s.supply += 1


def forbids_red(p, s):
    if s.stock[s.turn][RED] == 0:
        return NB_E1
    if s.leader_by == s.turn and p.leader_red != RED_ON_LEADER:
        return NBQ_21
    return ALLOWED


def do_red(p, s):
    """NB-E1, NBV-8."""
    spend(p, s, RED)
    s.boost[s.turn] += p.red
    cite(NB_E1, s.turn, number_of(p, s, s.turn))
    if s.phase == USE:
        offer(p, s)
    elif forbids_red(p, s) != ALLOWED:
        next_late(p, s)


def forbids_blue(p, s, target):
    me = s.turn
    if s.leader_by == me:
        return NBQ_21
    if s.stock[me][BLUE] == 0 or s.counts_as[me] == target:
        return NB_E2
    if p.blue == BLUE_IF_VOID:
        return forbids_blue_if_void(p, s, target)
    if p.blue_follow == NO_EVASION and me != lead_seat(s) and follows(s, me):
        return NBQ_22
    return ALLOWED if played_before(p, s, target) else NB_E2


def forbids_blue_if_void(p, s, target):
    """NBV-9: only a seat that cannot follow, and only to the lead suit unless any will do."""
    me = s.turn
    if me == lead_seat(s) or suit(p, s.played[me]) == s.lead or s.hand[me] & p.cards_of_suit[s.lead]:
        return NBV_9
    return NBV_9 if p.blue_target == BLUE_TO_LEAD and target != s.lead else ALLOWED


def played_before(p, s, target):
    """NB-E2, NBQ-22: whether the seat has played the same number of that suit in an earlier trick of this round."""
    me = s.turn
    if p.blue_number != BLUE_BY_PRINTED:
        return number_of(p, s, me) <= 20 and holds(s.faces[me], 20 * target + number_of(p, s, me) - 1)
    for card in cards(s.pile[me] & p.cards_of_suit[target]):
        if number(p, card) == printed(p, s, me):
            return True
    return False


def do_blue(p, s, target):
    """NB-E2, NBV-9, NBQ-23: the card counts as of another suit; on the lead it sets the lead suit."""
    me = s.turn
    spend(p, s, BLUE)
    s.counts_as[me] = target
    if me == lead_seat(s):
        s.lead = target
    if p.blue == BLUE_IF_VOID:
        cite(NBV_9, me, target)
    else:
        cite(NB_E2, me, target)
    offer(p, s)


def forbids_skill(p, s):
    """NB-U1, NB-U2, NBQ-41: before the card only for a leader card that the seat could then play."""
    if s.phase != USE and (s.tribe[s.turn] != KANSAI or p.kansai != KANSAI_AT_ONCE or no_leader_now(p, s) != ALLOWED):
        return NB_U1
    return forbids_usual_skill(p, s)


def forbids_usual_skill(p, s):
    """NB-U2, NB-K-1, NBQ-42: what it costs, and that it must have an effect."""
    me = s.turn
    if s.tribe[me] == KANSAI and s.ready[me]:
        return NB_KANSAI
    if s.tribe[me] != KANSAI and s.skilled[me]:
        return NBQ_42
    return ALLOWED if cubes_of(s, me) >= p.skill_cost[s.tribe[me]] else NB_U2


def do_skill(p, s):
    s.owed = p.skill_cost[s.tribe[s.turn]]
    s.early = 0 if s.phase == USE else 1
    s.phase = PAY
    cite(NB_U2, s.turn, s.owed)


def forbids_pay(p, s, colour):
    return ALLOWED if s.stock[s.turn][colour] > 0 else NB_U2


def do_pay(p, s, colour):
    spend(p, s, colour)
    s.owed -= 1
    if s.owed == 0:
        use_skill(p, s)


def use_skill(p, s):
    """NB-K-1, NB-K-2, NB-K-3, NB-K-4."""
    me = s.turn
    mine = s.tribe[me]
    s.skills[me] += 1
    if mine == KANSAI:
        s.ready[me] = 1
        cite(NB_KANSAI, me)
    else:
        s.skilled[me] = 1
        if mine == YOZAKURA:
            cite(NB_YOZAKURA, me)
        elif mine == CHARMONT:
            cite(NB_CHARMONT, me)
        else:
            cite(NB_SAMURAI, me)
    if mine == YOZAKURA and p.yozakura_when == NAMED_WHILE_PLAYING:
        s.phase = NAME
    else:
        go_on_playing(p, s)


def go_on_playing(p, s):
    """Back to the turn in which a skill was paid for."""
    if s.early:
        s.early = 0
        s.phase = LEAD if s.turn == s.starter else PLAY
    else:
        offer(p, s)


def forbids_done(p, s):
    return ALLOWED


def do_done(p, s):
    if s.phase == LATE:
        next_late(p, s)
    else:
        next_player(p, s)


def next_player(p, s):
    s.turn = left_of(s, s.turn)
    if s.turn != s.starter:
        s.phase = PLAY
    elif p.red_when == RED_LATE:
        s.phase = LATE
        if forbids_red(p, s) != ALLOWED:
            next_late(p, s)
    else:
        judge(p, s)


def next_late(p, s):
    """NBQ-20: the next seat clockwise that can still use red cubes, else the judgement."""
    while True:
        s.turn = left_of(s, s.turn)
        if s.turn == s.starter:
            judge(p, s)
            return
        if forbids_red(p, s) == ALLOWED:
            return


# ---------------------------------------------------------------- Yozakura-kai names the duelists


def forbids_name(p, s, who):
    return NB_YOZAKURA if s.duelist[0] == who else ALLOWED


def do_name(p, s, who):
    """NB-K-3, NBQ-38: the first, then the second."""
    if s.duelist[0] == NONE:
        s.duelist[0] = who
        return
    s.duelist[1] = who
    cite_duelists(s)
    if p.yozakura_when == NAMED_WHILE_PLAYING:
        go_on_playing(p, s)
    else:
        begin_acts(p, s)
