"""The judgement of a trick: who duels, who assists or marks in which order, and what the duel brings."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cite, holds, left_of, phase, piece, reading, rule, seats, steps_from,
)

from .areas import give_area
from .ending import end_round
from .table import (
    duels, follows, may_assist, next_to_act, number_of, pick_duelists, protected, reward_assistants, reward_lone,
    reward_loser, reward_winner, shut_out, strength, targets, triangle_up,
)

LEAD, NAME, ACT = phase("lead"), phase("name"), phase("act")
YOZAKURA = piece("tribe", "Yozakura")
BLUE_BY_PRINTED, MAY_DECLINE = reading("blue_number", "printed"), reading("must_act", "may")
NO_STACK, KICK_ONE = reading("stack", "no"), reading("kick_removes", "one")
TAKE_ONE, TIED_ASSIST = reading("take", "one"), reading("tie_assist", "number")
NEARER_NEXT, CLOCKWISE_NEXT = reading("tie_next", "nearer"), reading("tie_next", "clockwise")
TRIANGLE_BREAKS = reading("triangle_duel", "breaks")
NB_J1, NB_J2, NB_J3, NB_J4, NB_J5 = rule("NB-J1"), rule("NB-J2"), rule("NB-J3"), rule("NB-J4"), rule("NB-J5")
NB_J6, NB_J7, NB_A1, NB_A2, NB_K1, NB_K2 = rule("NB-J6"), rule("NB-J7"), rule("NB-A1"), rule("NB-A2"), rule("NB-K1"), rule("NB-K2")
NB_K4, NB_K5, NB_K6, NB_D1, NB_D4 = rule("NB-K4"), rule("NB-K5"), rule("NB-K6"), rule("NB-D1"), rule("NB-D4")
NB_D8, NB_CHARMONT, NBQ_7, NBQ_11, NBQ_14 = rule("NB-D8"), rule("NB-K-4"), rule("NBQ-7"), rule("NBQ-11"), rule("NBQ-14")
NBQ_15, NBQ_16, NBV_3, NBV_4, NBV_6 = rule("NBQ-15"), rule("NBQ-16"), rule("NBV-3"), rule("NBV-4"), rule("NBV-6")


# ---------------------------------------------------------------- judgement: who duels


def judge(p, s):
    """NB-J1: everybody has played."""
    cite(NB_J1)
    if p.blue_number != BLUE_BY_PRINTED:
        remember_faces(p, s)
    if s.duelist[0] == NONE:
        for who in seats(s):
            if s.skilled[who] and s.tribe[who] == YOZAKURA:
                s.turn = who
                s.phase = NAME
                return
        pick_duelists(p, s)
        cite_duelists(s)
    begin_acts(p, s)


def remember_faces(p, s):
    """NBQ-22: what each card counted as, cubes included."""
    for who in seats(s):
        if s.played[who] != NONE and number_of(p, s, who) <= 20:
            s.faces[who] |= bit(20 * s.counts_as[who] + number_of(p, s, who) - 1)


def cite_duelists(s):
    if s.duelist[1] == NONE:
        cite(NB_J4, s.duelist[0])
    else:
        cite(NB_J3, s.duelist[0])
        cite(NB_J3, s.duelist[1])


# ---------------------------------------------------------------- judgement: assisting and marking


def begin_acts(p, s):
    for who in seats(s):
        s.to_act[who] = 0 if duels(s, who) else 1
    s.phase = ACT
    next_act(p, s)


def next_act(p, s):
    """NB-J5: the next one in ascending order who can do something; when all have acted, the duel (NB-J7)."""
    while True:
        who = next_to_act(p, s)
        if who == NONE:
            resolve(p, s)
            return
        s.turn = who
        if may_assist(p, s, who) or targets(p, s, who):
            cite(NB_J5, who, number_of(p, s, who))
            return
        s.to_act[who] = 0
        cite_idle(p, s, who)


def cite_idle(p, s, who):
    """Which rule leaves a seat without anything to do."""
    if s.leader_by == who:
        cite(NBQ_7, who)
    elif shut_out(p, s, who):
        cite(NB_J2, who)
    elif s.markers[who] > 0:
        cite(NBQ_16, who)
    elif s.leader_by != NONE:
        cite(NB_K6, who)
    else:
        cite(NB_K5, who)


def forbids_assist(p, s, who):
    if s.leader_by != NONE:
        return NB_A2
    if not follows(s, s.turn):
        return NB_J6
    return ALLOWED if duels(s, who) and s.duelist[1] != NONE else NB_A1


def do_assist(p, s, who):
    s.backs[s.turn] = who
    s.assists[s.turn] += 1
    cite(NB_A1, s.turn, who)
    finish_act(p, s)


def legal_mark(p, s):
    return targets(p, s, s.turn)


def forbids_mark(p, s, area):
    """Which rule keeps the seat from marking an area that ``targets`` leaves out."""
    me = s.turn
    if holds(targets(p, s, me), area):
        return ALLOWED
    if s.colour[area] != s.counts_as[me] or s.counts_as[me] == NONE:
        return NB_K1
    if s.markers[me] == 0:
        return NB_K6 if s.leader_by != NONE else NB_K5
    if shut_out(p, s, me):
        return NB_J2
    if holds(s.owned[me], area):
        return NBQ_15
    return NB_CHARMONT if holds(protected(s, me), area) else NBV_4


def do_mark(p, s, area):
    """NB-K1, NB-K2, NB-K4, NBV-6, NBV-7."""
    me = s.turn
    s.marks[me] += 1
    s.at[me] = area
    cite(NB_K1, me, area)
    if holds(protected(s, me), area):
        cite(NB_CHARMONT, s.owner[area])
    else:
        occupy(p, s, area)
    finish_act(p, s)


def occupy(p, s, area):
    me = s.turn
    n = min(s.cubes[area], 1) if p.take == TAKE_ONE else s.cubes[area]
    if n > 0:
        s.cubes[area] -= n
        s.stock[me][s.colour[area]] += n
        cite(NB_K2, me, n)
    old = s.owner[area]
    if old == me:
        if p.stack != NO_STACK:
            s.extra[area] += 1
            s.markers[me] -= 1
            cite(NBV_6, me, 1 + s.extra[area])
        return
    if old != NONE:
        if s.extra[area] > 0 and p.kick_removes == KICK_ONE:
            s.extra[area] -= 1
            s.markers[old] += 1
            s.kicked[old] += 1
            cite(NBV_6, old, 1 + s.extra[area])
            return
        s.markers[old] += 1 + s.extra[area]
        s.kicked[old] += 1 + s.extra[area]
        s.extra[area] = 0
        cite(NB_K4, old, area)
    give_area(s, area, me)
    s.markers[me] -= 1


def forbids_decline(p, s):
    return ALLOWED if p.must_act == MAY_DECLINE else NBQ_14


def do_decline(p, s):
    cite(NBQ_14, s.turn)
    finish_act(p, s)


def finish_act(p, s):
    s.to_act[s.turn] = 0
    next_act(p, s)


# ---------------------------------------------------------------- the duel


def resolve(p, s):
    """NB-J7: who wins the duel, what it brings, and who leads next."""
    this, that = s.duelist[0], s.duelist[1]
    cite(NB_J7)
    if that == NONE:
        s.lones += 1
        reward_lone(p, s, this)
        end_trick(p, s, this)
        return
    ahead = strength(p, s, this) - strength(p, s, that)
    cite(NB_D1, this, strength(p, s, this))
    cite(NB_D1, that, strength(p, s, that))
    if ahead == 0 and not triangle_decides(p, s, this, that):
        resolve_tie(p, s, this, that)
        return
    wins = ahead > 0 or (ahead == 0 and triangle_up(p, s, this) > triangle_up(p, s, that))
    winner = this if wins else that
    n = reward_winner(s, winner, abs(ahead))
    reward_loser(p, s, that if wins else this, abs(ahead), n)
    reward_assistants(p, s, winner)
    end_trick(p, s, winner)


def triangle_decides(p, s, this, that):
    """NBV-3: whether ▲ settles a duel of equal strength, where it is read so."""
    if p.triangle_duel != TRIANGLE_BREAKS or triangle_up(p, s, this) == triangle_up(p, s, that):
        return False
    cite(NBV_3)
    return True


def resolve_tie(p, s, this, that):
    """NB-D4, NBQ-11, NBQ-13."""
    cite(NB_D4, NONE, strength(p, s, this))
    s.ties += 1
    s.tied = 1
    if p.tie_assist == TIED_ASSIST:
        reward_assistants(p, s, this)
        reward_assistants(p, s, that)
    end_trick(p, s, after_tie(p, s, this, that))


def after_tie(p, s, this, that):
    """NBQ-11: who leads after a tied duel."""
    if p.tie_next == CLOCKWISE_NEXT:
        return left_of(s, s.starter)
    if p.tie_next == NEARER_NEXT:
        return this if steps_from(s, s.starter, this) < steps_from(s, s.starter, that) else that
    return s.starter


def end_trick(p, s, who):
    """NB-D8, NB-R1: who leads the next trick; after the last one the round ends."""
    if s.tied:
        cite(NBQ_11, who)
    else:
        cite(NB_D8, who)
    s.starter = who
    s.turn = who
    s.phase = LEAD
    if s.trick == p.tricks:
        end_round(p, s)
