"""Moving: groups of maids, steps without turning back, bribes, and other players' maids that come along."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cards, cite, count, holds, phase, piece, reading, rule

from .fighting import begin_check
from .table import (
    BRIBE_ON, GROUP_ON, TURN_ON, ask, beside, clockwise, on, owner_of, place_of, standing, then, to_bag, watched, with_ability,
)

BRIBE, CONSENT, GIFT, MOVE, AT_TURN = phase("bribe"), phase("consent"), phase("gift"), phase("move"), phase("turn")
CHARMER, SPRINTER = piece("ability", "charmer"), piece("ability", "sprinter")
PER_MAID, ANY_COIN, CHECK_EACH = reading("bribe", "maid"), reading("bribe_coin", "any"), reading("check_where", "each")
LEAVING_COSTS, FIGHT_IN_PASSING = reading("leave_police", "bribe"), reading("pass_enemy", "combat")
CLOCKWISE_ONLY, NO_REVERSAL = reading("turning_back", "clockwise"), reading("turning_back", "reversal")
MM_K1, MM_K3, MM_M1, MM_T1, MM_T2 = rule("MM-K1"), rule("MM-K3"), rule("MM-M1"), rule("MM-T1"), rule("MM-T2")
MM_T3, SPRINTER_RULE, CHARMER_RULE = rule("MM-T3"), rule("MMA-1"), rule("MMA-2")


def steps_left(p, s, group):
    """MM-T1, MMA-1: how many steps are left in this turn when these maids move."""
    more = 1 if with_ability(p, s.maids[s.active] & (group | s.came | s.moved), SPRINTER) else 0
    return p.moves + more - s.steps


def bribe_coins(p, s, space):
    """MM-T3, MMQ-19: the coins that the police on a space take; where a space has no colour, any."""
    mine = s.purse[s.active]
    coins = p.coins_of_colour[p.space_colour[space]]
    return mine if p.bribe_coin == ANY_COIN or coins == 0 else mine & coins


def can_bribe(p, s, group, space):
    """MM-T3, MMQ-18, MMA-2."""
    if with_ability(p, group, CHARMER):
        return True
    return count(bribe_coins(p, s, space)) >= (count(group) if p.bribe == PER_MAID else 1)


def trail_of(s, group):
    """Where these maids have been in this turn."""
    found = 0
    for maid in cards(group):
        found |= s.trail[maid]
    return found


def exits(p, s, group, space):
    """MM-T1, MM-T2, MM-T3, MMQ-15, MMQ-20: where these maids can go from this space with one step."""
    left = steps_left(p, s, group)
    if left <= 0:
        return 0
    found = beside(p, space) & ~trail_of(s, group) & ~bit(space)
    if p.turning_back == CLOCKWISE_ONLY:
        found &= bit(clockwise(p, space))
    if s.police == NONE:
        return found
    if s.police == space and not s.ran and p.leave_police == LEAVING_COSTS and not can_bribe(p, s, group, space):
        return 0
    if holds(found, s.police) and watched(p, s, s.police):
        beyond = beside(p, s.police) & ~trail_of(s, group) & ~bit(space) & ~bit(s.police)
        if p.turning_back == CLOCKWISE_ONLY:
            beyond &= bit(clockwise(p, s.police))
        if left < 2 or beyond == 0 or not can_bribe(p, s, group, s.police):
            found &= ~bit(s.police)
    return found


def legal_lead(p, s):
    """MM-M1: own standing maids that can take a step."""
    found = 0
    for space in range(len(s.at)):
        for maid in cards(on(s, s.active, space)):
            if exits(p, s, bit(maid), space):
                found |= bit(maid)
    return found


def forbids_lead(p, s, maid):
    if not holds(standing(s, s.active), maid):
        return MM_M1
    return ALLOWED if holds(legal_lead(p, s), maid) else MM_T1


def begin_group(s, maid):
    s.group = bit(maid)
    s.ran = 0
    s.here = place_of(s, maid)


def legal_join(p, s):
    """MM-M1, MM-K3: who stands beside the group and could come along; others only if they have not said no."""
    if s.ran:
        return 0
    found = 0
    for maid in cards(s.at[s.here] & ~s.group & ~s.refused):
        if exits(p, s, s.group | bit(maid), s.here):
            found |= bit(maid)
    return found


def forbids_join(p, s, maid):
    if s.ran or not holds(s.at[s.here], maid) or holds(s.group, maid):
        return MM_M1
    if holds(s.refused, maid):
        return MM_K1
    return ALLOWED if holds(legal_join(p, s), maid) else MM_T1


def join(p, s, maid):
    """MM-M1: an own maid comes along; MM-K1, MM-K3: another player's if that player agrees."""
    if holds(s.maids[s.active], maid):
        s.group |= bit(maid)
        cite(MM_M1, s.active, maid)
        ask(s, MOVE, s.active)
    else:
        s.wanted = maid
        ask(s, CONSENT, owner_of(s, maid))


def answer(p, s, agreed):
    """MM-K1: the word of the maid's player; or of whom a promise was offered to."""
    if s.partner != NONE:
        if agreed:
            ask(s, GIFT, s.active)
        else:
            cite(MM_K1, s.turn)
            s.partner = NONE
            ask(s, AT_TURN, s.active)
        return
    if agreed:
        s.group |= bit(s.wanted)
        cite(MM_K3, s.turn, s.wanted)
    else:
        s.refused |= bit(s.wanted)
        cite(MM_K1, s.turn, s.wanted)
    s.wanted = NONE
    ask(s, MOVE, s.active)


def legal_step(p, s):
    return exits(p, s, s.group, s.here)


def forbids_step(p, s, space):
    if holds(legal_step(p, s), space):
        return ALLOWED
    if s.police == space and watched(p, s, space):
        return MM_T3
    return MM_T1


def step(p, s, space):
    """MM-T1: one step of the group; what the police take is paid on the spot."""
    before = s.here
    cost = 0
    if s.police == before and not s.ran and p.leave_police == LEAVING_COSTS:
        cost = 1
    s.at[before] &= ~s.group
    s.at[space] |= s.group
    for maid in cards(s.group):
        s.trail[maid] = bit(before) if p.turning_back == NO_REVERSAL else s.trail[maid] | bit(before)
    s.moved |= s.group
    s.came &= ~s.group
    s.steps += 1
    s.here = space
    s.ran = 1
    cite(MM_T1, s.active, space)
    if s.steps > p.moves:
        cite(SPRINTER_RULE, s.active, s.steps)
    then(s, GROUP_ON)
    if p.pass_enemy == FIGHT_IN_PASSING and not watched(p, s, space):
        begin_check(p, s, space, s.active)
    if s.police == space and watched(p, s, space):
        cost = 1
        s.bribe_on = space
    else:
        s.bribe_on = before
    if cost:
        if with_ability(p, s.group, CHARMER):
            cite(CHARMER_RULE, s.active, s.bribe_on)
            return
        s.bribes = count(s.group) if p.bribe == PER_MAID else 1
        cite(MM_T3, s.active, s.bribes)
        then(s, BRIBE_ON)


def bribe_on(p, s):
    if s.bribes:
        ask(s, BRIBE, s.active)


def legal_bribe(p, s):
    return bribe_coins(p, s, s.bribe_on)


def forbids_bribe(p, s, coin):
    return ALLOWED if holds(legal_bribe(p, s), coin) else MM_T3


def bribe(p, s, coin):
    to_bag(s, s.active, coin)
    s.bribes -= 1
    then(s, BRIBE_ON)


def group_on(p, s):
    """The group goes on, if it is still there; without steps left it stops by itself."""
    s.group &= s.at[s.here]
    if s.group & s.maids[s.active] == 0:
        s.group = 0
        s.ran = 0
        then(s, TURN_ON)
    elif steps_left(p, s, s.group) <= 0 and not watched(p, s, s.here):
        halt(p, s)
    else:
        ask(s, MOVE, s.active)


def forbids_halt(p, s):
    if not s.ran:
        return MM_T1
    return MM_T2 if watched(p, s, s.here) else ALLOWED


def halt(p, s):
    """MM-M2, MM-T4: the group stops, and its own maids may act here."""
    s.came |= s.group & s.maids[s.active]
    s.group = 0
    s.ran = 0
    then(s, TURN_ON)
    if p.pass_enemy != FIGHT_IN_PASSING and p.check_where == CHECK_EACH:
        begin_check(p, s, s.here, s.active)
