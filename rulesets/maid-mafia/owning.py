"""Departments, events, and reviving."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cards, cite, count, holds, phase, piece, reading, rule, seats

from .paying import charge, rich
from .police import uncover, won_at_once
from .table import (
    ACT_ON, BID_ON, BOUGHT, END, MARKER_ON, PRIZE_ON, RESERVED, REVIVED, all_stats, ask, brokers, department_cost, draw, on,
    revive_cost, slot_of, standing, start_space, stats, sweep, tally, then, use_anger, with_ability,
)

BID, PRIZE, REVIVE = phase("bid"), phase("prize"), phase("revive")
BROKER, HEALER = piece("ability", "broker"), piece("ability", "healer")
OWN_LIMITED, DIRECT = reading("dept_per_maid", "own"), reading("direct", "yes")
EVENT_IS_BATTLE, NO_EVENT_COIN = reading("event_battle_police", "yes"), reading("event_coin", "no")
EVENT_ON_SPACE, REFUNDED = reading("event_who", "space"), reading("lost_money", "refunded")
PAY_AT_BUYING, DEPOSIT = reading("reserve_cost", "buying"), reading("reserve_cost", "deposit")
ONE_MARKER_ONLY = reading("two_markers", "no")
MM_B2, MM_B6, MM_D2, MM_D3, MM_D4 = rule("MM-B2"), rule("MM-B6"), rule("MM-D2"), rule("MM-D3"), rule("MM-D4")
MM_D5, MM_D6, MM_D7, MM_M4, MM_W2 = rule("MM-D5"), rule("MM-D6"), rule("MM-D7"), rule("MM-M4"), rule("MM-W2")
BROKER_RULE, HEALER_RULE, MMQ_40, MMQ_41, MMQ_42 = rule("MMA-8"), rule("MMA-9"), rule("MMQ-40"), rule("MMQ-41"), rule("MMQ-42")


# ---------------------------------------------------------------- departments


def price_now(p, s, buying):
    """MM-D4, MM-D5, MMQ-37: what reserving or buying the card on top costs."""
    slot = slot_of(p, s.action)
    held = s.henchmen[s.active][slot] > 0
    if (p.reserve_cost == PAY_AT_BUYING and not buying) or (p.reserve_cost == DEPOSIT and buying and held):
        return 0
    return department_cost(p, s, slot)


def forbids_reserve(p, s):
    me, slot = s.active, slot_of(p, s.action)
    if s.henchmen[me][slot] and p.two_markers == ONE_MARKER_ONLY:
        return MMQ_42
    if s.markers[me] == 0 and not spare_marker(p, s, me, slot):
        return MMQ_41
    return ALLOWED if rich(p, s, price_now(p, s, False)) else MM_D4


def spare_marker(p, s, who, slot):
    """MM-X2: whether a marker can be taken from elsewhere."""
    return (s.angry & s.maids[who]) != 0 or p.markers > s.henchmen[who][slot]


def reserve(p, s):
    """MM-D4, MM-X2."""
    s.slot = slot_of(p, s.action)
    cost = price_now(p, s, False)
    cite_reduction(p, s)
    cite(MM_D4, s.active, cost)
    then(s, RESERVED)
    s.before = count(s.purse[s.active])
    charge(s, cost)
    if s.markers[s.active] == 0:
        s.wanted = NONE
        s.marking = s.active
        then(s, MARKER_ON)


def cite_reduction(p, s):
    """MM-B2, MM-M4, MMA-8."""
    less = stats(p, s, s.workers, p.space_colour[s.action])
    if less:
        cite(MM_B2, s.active, less)
    if count(s.workers) > 1:
        cite(MM_M4, s.active, count(s.workers))
    if with_ability(p, s.workers, BROKER):
        cite(BROKER_RULE, s.active, brokers(p, s))


def reserved(p, s):
    me, slot = s.active, s.slot
    s.henchmen[me][slot] += 1
    s.deposit[me][slot] += s.before - count(s.purse[me])
    s.reserves[me] += 1
    use_anger(p, s)
    s.workers = 0
    tally(p, s)
    then(s, ACT_ON)


def forbids_buy(p, s, maid):
    """MM-D5, MM-D2, MMQ-38, MMQ-44."""
    me, slot = s.active, slot_of(p, s.action)
    if not holds(s.maids[me], maid):
        return MM_D2
    if s.henchmen[me][slot] == 0 and p.direct != DIRECT:
        return MM_D5
    if s.card_on[maid] != NONE and (p.dept_per_maid == OWN_LIMITED or without_card(s, me)):
        return MM_D2
    return ALLOWED if rich(p, s, price_now(p, s, True)) else MM_D5


def without_card(s, who):
    """Whether a seat has a maid without a department card."""
    for maid in cards(s.maids[who]):
        if s.card_on[maid] == NONE:
            return True
    return False


def buy(p, s, maid):
    s.slot = slot_of(p, s.action)
    s.wanted = maid
    cite_reduction(p, s)
    then(s, BOUGHT)
    charge(s, price_now(p, s, True))


def bought(p, s):
    """MM-D5, MM-D2, MMQ-40: the card is on the maid; the markers on it return."""
    me, slot, maid = s.active, s.slot, s.wanted
    card = s.top[slot]
    s.wanted = NONE
    use_anger(p, s)
    if s.card_on[maid] == NONE:
        s.card_on[maid] = card
    else:
        s.spare[me] |= bit(card)
    s.top[slot] = NONE
    cite(MM_D5, me, card)
    refunded = False
    for who in seats(s):
        if who != me and s.henchmen[who][slot] and p.lost_money == REFUNDED and s.deposit[who][slot]:
            cite(MMQ_40, who, s.deposit[who][slot])
            s.draws[who] += s.deposit[who][slot]
            refunded = True
    s.workers = 0
    then(s, ACT_ON)
    if refunded:
        draw(s)
    uncover(p, s, slot)
    won_at_once(p, s)


# ---------------------------------------------------------------- events


def event(p, s):
    """MM-D6, MMQ-52, MMQ-53: the event is discarded, and all players battle for it."""
    slot = slot_of(p, s.action)
    card = s.top[slot]
    cite(MM_D3, s.active, card)
    s.top[slot] = NONE
    s.gone |= bit(card)
    s.reward = p.card_reward[card]
    if p.event_battle_police == EVENT_IS_BATTLE:
        s.had_battle = 1
    sweep(s)
    s.workers = 0
    s.asked = 0
    then(s, ACT_ON)
    then(s, BID_ON)
    uncover(p, s, slot)


def fighters(p, s, who):
    """MMQ-52: the maids with whom a seat takes part."""
    return on(s, who, s.action) if p.event_who == EVENT_ON_SPACE else standing(s, who)


def takes_part(p, s, who):
    return p.event_who != EVENT_ON_SPACE or fighters(p, s, who) != 0


def bid_on(p, s):
    """MMQ-52: from the player who set it off, clockwise, each may put a coin face down."""
    while s.asked < s.players:
        who = (s.active + s.asked) % s.players
        s.asked += 1
        if takes_part(p, s, who) and p.event_coin != NO_EVENT_COIN and s.purse[who]:
            then(s, BID_ON)
            ask(s, BID, who)
            return
    then(s, PRIZE_ON)


def prize_on(p, s):
    """MM-B6, MM-D7: the highest sum wins, of equals the first from who set it off."""
    best = NONE
    top = 0
    for k in range(s.players):
        who = (s.active + k) % s.players
        s.shown[who] = s.stake[who]
        s.stake[who] = NONE
        if takes_part(p, s, who):
            n = all_stats(p, s, fighters(p, s, who)) + (p.coin_value[s.shown[who]] if s.shown[who] != NONE else 0)
            cite(MM_B6, who, n)
            if best == NONE or n > top:
                best = who
                top = n
            elif n == top:
                cite(MM_D7, best, n)
    use_anger(p, s)
    if best == NONE:
        return
    cite(MM_D6, best)
    if s.reward == 1:
        s.draws[best] += p.prize_coins
        draw(s)
    elif s.reward == 2:
        if tea_left(s):
            ask(s, PRIZE, best)
    else:
        raise_up(p, s, best, s.maids[best] & s.down)


def tea_left(s):
    for space in range(len(s.stall)):
        if s.stall[space]:
            return True
    return False


# ---------------------------------------------------------------- reviving


def legal_revive(p, s):
    """MM-W2, MMQ-88: downed maids, as many as can be paid for, in a turn that has done nothing else."""
    if s.steps or s.acted or not rich(p, s, revive_cost(p, s, count(s.reviving) + 1)):
        return 0
    return s.maids[s.active] & s.down & ~s.reviving


def forbids_revive(p, s, maid):
    return ALLOWED if holds(legal_revive(p, s), maid) else MM_W2


def revive(p, s, maid):
    """One more; when all are named, they are paid for."""
    s.reviving |= bit(maid)
    if s.maids[s.active] & s.down & ~s.reviving:
        ask(s, REVIVE, s.active)
    else:
        pay_revival(p, s)


def pay_revival(p, s):
    then(s, REVIVED)
    charge(s, revive_cost(p, s, count(s.reviving)))


def revived(p, s):
    """MM-W2, MMA-9, MMQ-89."""
    me = s.active
    if with_ability(p, standing(s, me), HEALER):
        cite(HEALER_RULE, me, count(s.reviving))
    raise_up(p, s, me, s.reviving)
    s.reviving = 0
    then(s, END)


def raise_up(p, s, who, group):
    s.down &= ~group
    s.at[start_space(p)] |= group
    s.revives[who] += count(group)
    cite(MM_W2, who, count(group))
