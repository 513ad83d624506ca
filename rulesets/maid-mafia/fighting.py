"""Combat: who is asked, who fights whom, who helps, the comparison, and what it leads to."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, count, holds, lowest, phase, piece, reading, rule

from .table import (
    AFTER_DOWN, CHECK_ON, COIN_ON, COMPARE, HELP_ON, JUDGE, LIMIT_ON, MARKER_ON, RAGE_ON, REVEAL, STAKE_ON, ask, chips,
    clockwise, draw, free_markers, on, owner_of, put_down, stats, sweep, take_off, tally, then, use_anger, watched,
    with_ability,
)

CHECK, COVER, DOWN, HELP, LEND = phase("check"), phase("cover"), phase("down"), phase("help"), phase("lend")
PUSH, RAGE, RETREAT, TARGET = phase("push"), phase("rage"), phase("retreat"), phase("target")
GUARD, STRIKER, TRAPPER = piece("ability", "guard"), piece("ability", "striker"), piece("ability", "trapper")
BLUE, YELLOW, START = piece("colour", "blue"), piece("colour", "yellow"), piece("use", "start")
ANGER_AFTER, LOSER_PICKS = reading("anger_when", "after"), reading("down_pick", "loser")
MOVER_LAST, COINLESS_LOSES = reading("mover_choice", "last"), reading("no_coin", "loses")
DEFENDER_LOOTS, TRAP_COUNTS = reading("retreat_loot", "defender"), reading("trap_police", "any")
MOVER_FOUGHT = reading("whom", "mover")
MM_A6, MM_B5, MM_C1, MM_C10, MM_C11 = rule("MM-A6"), rule("MM-B5"), rule("MM-C1"), rule("MM-C10"), rule("MM-C11")
MM_C12, MM_C2, MM_C3, MM_C4, MM_C5 = rule("MM-C12"), rule("MM-C2"), rule("MM-C3"), rule("MM-C4"), rule("MM-C5")
MM_C6, MM_C7, MM_C8, MM_C9, MM_K4 = rule("MM-C6"), rule("MM-C7"), rule("MM-C8"), rule("MM-C9"), rule("MM-K4")
MM_K5, MM_K6, MM_M5, MM_T4, MM_W3 = rule("MM-K5"), rule("MM-K6"), rule("MM-M5"), rule("MM-T4"), rule("MM-W3")
STRIKER_RULE, GUARD_RULE, TRAPPER_RULE = rule("MMA-4"), rule("MMA-5"), rule("MMA-6")
NO_MODE, BATTLE, TRAP = 0, 1, 2


# ---------------------------------------------------------------- who fights


def begin_check(p, s, space, mover):
    """MM-T4, MM-A6, MM-C3: somebody arrived; whether that asks for a combat check."""
    arrived = on(s, mover, space)
    if arrived == 0 or s.at[space] == arrived or holds(s.fought, space):
        return
    if p.space_use[space] == START:
        cite(MM_A6, mover, space)
        return
    cite(MM_T4, mover, space)
    s.spot = space
    s.mover = mover
    s.asked = 0
    then(s, CHECK_ON)


def check_on(p, s):
    """MM-C1, MM-C9, MMQ-55: from the mover's left, clockwise, who has maids and a coin here is asked; the mover last."""
    while s.asked < s.players:
        s.asked += 1
        who = (s.mover + s.asked) % s.players
        if who == s.mover and (p.mover_choice != MOVER_LAST or s.at[s.spot] == on(s, who, s.spot)):
            return
        if on(s, who, s.spot) and on(s, s.mover, s.spot):
            if s.purse[who]:
                cite(MM_C1, who, s.spot)
                ask(s, CHECK, who)
                return
            cite(MM_C9, who)


def attack(p, s, mode):
    """MM-C2, MM-C3, MMQ-56: this seat attacks; the mover is attacked, or picks one of those who are here."""
    me = s.turn
    s.mode = mode
    s.attacker = me
    s.fought |= bit(s.spot)
    s.fights[me] += 1
    cite(MM_C2, me, s.spot)
    cite(MM_C3, me, mode)
    if mode == BATTLE or p.trap_police == TRAP_COUNTS:
        s.had_battle = 1
    found = targets(p, s)
    if count(found) > 1:
        ask(s, TARGET, me)
    else:
        face(s, lowest(found))


def targets(p, s):
    """MMQ-56: whom the attacker may fight, as a set of seats."""
    if s.attacker != s.mover and p.whom == MOVER_FOUGHT:
        return bit(s.mover)
    found = 0
    for who in range(s.players):
        if who != s.attacker and on(s, who, s.spot):
            found |= bit(who)
    return found


def forbids_target(p, s, who):
    return ALLOWED if holds(targets(p, s), who) else MM_C2


def face(s, who):
    """MM-M5: both sides with all their maids here; then the others may help."""
    s.defender = who
    s.side[0] = on(s, s.attacker, s.spot)
    s.side[1] = on(s, who, s.spot)
    s.lent = s.side[0] | s.side[1]
    s.rounds = 0
    s.asked = 0
    s.downs[0] = 0
    s.downs[1] = 0
    then(s, COMPARE)
    then(s, HELP_ON)


# ---------------------------------------------------------------- who helps


def help_on(p, s):
    """MM-K4, MM-K5: from the attacker's left, clockwise, the others on the space."""
    while s.asked < s.players - 1:
        s.asked += 1
        who = (s.attacker + s.asked) % s.players
        if who != s.defender and on(s, who, s.spot):
            cite(MM_K5, who, s.spot)
            ask(s, HELP, who)
            return


def forbids_help(p, s, who):
    return ALLOWED if who == s.attacker or who == s.defender else MM_K4


def help_side(p, s, who):
    """MM-K4, MM-K6: these maids count as the helped side's; their abilities only with leave."""
    mine = on(s, s.turn, s.spot)
    s.side[0 if who == s.attacker else 1] |= mine
    cite(MM_K4, s.turn, who)
    then(s, HELP_ON)
    if with_ability(p, mine, STRIKER) | with_ability(p, mine, GUARD) | with_ability(p, mine, TRAPPER):
        ask(s, LEND, s.turn)


def lend(s, yes):
    cite(MM_K6, s.turn, yes)
    if yes:
        s.lent |= on(s, s.turn, s.spot)


# ---------------------------------------------------------------- one comparison


def compare(p, s):
    """MM-C7, MM-C10: before a comparison the attacker may have to retreat, and the defender may."""
    sweep(s)
    s.rounds += 1
    s.rage = 0
    s.raging = 0
    if s.purse[s.attacker] == 0:
        cite(MM_C10, s.attacker)
        retreat(p, s, 0)
        if p.retreat_loot == DEFENDER_LOOTS:
            loot(s, 1)
    elif s.purse[s.defender]:
        ask(s, RETREAT, s.defender)
    else:
        then(s, STAKE_ON)


def seat_of(s, side):
    return s.attacker if side == 0 else s.defender


def retreat(p, s, side):
    """MM-C7, MM-C10, MM-C11, MMQ-62, MMQ-63: a side flees one space clockwise."""
    who = seat_of(s, side)
    if who == s.active:
        s.no_act = 1
        cite(MM_C11, who)
    shift(p, s, s.side[side], who, 1)


def flee(p, s, coin):
    """MM-C7: a coin for the attacker, and away."""
    s.purse[s.defender] ^= bit(coin)
    s.fresh[s.attacker] |= bit(coin)
    cite(MM_C7, s.defender, s.spot)
    retreat(p, s, 1)
    then(s, LIMIT_ON)


def shift(p, s, group, who, n):
    """MMQ-61: a forced move clockwise: down where the police are, safe on the start space, a new check among enemies."""
    space = s.spot
    for _ in range(n):
        space = clockwise(p, space)
    take_off(s, group)
    end_combat(s)
    if watched(p, s, space):
        put_down(s, group)
        return
    s.at[space] |= group
    begin_check(p, s, space, who)


def stake_on(p, s):
    """MMQ-67: anger is used before the coins, or after they are seen; then the attacker's coin."""
    then(s, COIN_ON)
    if p.anger_when != ANGER_AFTER:
        then(s, RAGE_ON)


def rage_on(p, s):
    """MM-W4: the attacker, then the defender, if they have angry maids here."""
    while s.raging < 2:
        who = seat_of(s, s.raging)
        if s.side[s.raging] & s.maids[who] & s.angry & ~s.rage:
            ask(s, RAGE, who)
            return
        s.raging += 1


def cover_on(p, s):
    """MM-C12, MMQ-64: the defender's coin, if there is one."""
    if s.purse[s.defender] == 0:
        if s.rounds == 1:
            cite(MM_C12, s.defender)
        then(s, REVEAL)
    else:
        ask(s, COVER, s.defender)


def reveal(p, s):
    """MMQ-65: the coins are seen, and go into the bag whatever comes of it."""
    for side in range(2):
        who = seat_of(s, side)
        s.shown[who] = s.stake[who]
        s.stake[who] = NONE
    then(s, JUDGE)
    if p.anger_when == ANGER_AFTER:
        then(s, RAGE_ON)


def coin_worth(p, s, coin, space):
    """MM-C8: its value, more if it has the colour of the space."""
    if coin == NONE:
        return 0
    return p.coin_value[coin] * (p.coin_double if p.coin_colour[coin] == p.space_colour[space] else 1)


def strength(p, s, side):
    """MM-B5, MM-C8, MM-M5, MMA-4, MMA-5: base attack and coin of a side."""
    maids = s.side[side]
    total = stats(p, s, maids, YELLOW if s.mode == BATTLE else BLUE) + coin_worth(p, s, s.shown[seat_of(s, side)], s.spot)
    if s.mode == BATTLE:
        total += count(with_ability(p, maids & s.lent, STRIKER if side == 0 else GUARD))
    return total


def judge(p, s):
    """MM-C8, MMQ-64, MM-B5: the higher side wins, the attacker if they are equal."""
    attack_total, defence_total = strength(p, s, 0), strength(p, s, 1)
    cite(MM_B5, s.attacker, s.mode)
    cite(MM_C8, s.attacker, attack_total)
    cite(MM_C8, s.defender, defence_total)
    if count(s.side[0]) > 1 or count(s.side[1]) > 1:
        cite(MM_M5, s.attacker, count(s.side[0]) + count(s.side[1]))
    if s.mode == BATTLE and with_ability(p, s.side[0] & s.lent, STRIKER):
        cite(STRIKER_RULE, s.attacker, 1)
    if s.mode == BATTLE and with_ability(p, s.side[1] & s.lent, GUARD):
        cite(GUARD_RULE, s.defender, 1)
    use_anger(p, s)
    wins = attack_total >= defence_total
    if p.no_coin == COINLESS_LOSES and s.rounds > 1 and s.shown[s.defender] == NONE:
        wins = True
    s.ahead = 0 if wins else 1
    if s.mode == TRAP:
        ask(s, PUSH, seat_of(s, s.ahead))
        return
    losing = s.side[1 - s.ahead]
    if count(losing) > 1:
        ask(s, DOWN, seat_of(s, 1 - s.ahead if p.down_pick == LOSER_PICKS else s.ahead))
    else:
        down_in_battle(p, s, lowest(losing))


# ---------------------------------------------------------------- what the comparison leads to


def farthest(p, s):
    """MM-C6, MMA-6: how far the winner of a trap may push."""
    return p.trap_max + (1 if with_ability(p, s.side[s.ahead] & s.lent, TRAPPER) else 0)


def forbids_push(p, s, n):
    return ALLOWED if 1 <= n <= farthest(p, s) else MM_C6


def push(p, s, n):
    loser = 1 - s.ahead
    cite(MM_C6, seat_of(s, s.ahead), n)
    if n > p.trap_max:
        cite(TRAPPER_RULE, seat_of(s, s.ahead), n)
    shift(p, s, s.side[loser], seat_of(s, loser), n)


def legal_down(p, s):
    return s.side[1 - s.ahead]


def forbids_down(p, s, maid):
    return ALLOWED if holds(legal_down(p, s), maid) else MM_C4


def down_in_battle(p, s, maid):
    """MM-C4, MM-W3: she is down, and angry if her player has a marker for it."""
    who = owner_of(s, maid)
    cite(MM_C4, seat_of(s, s.ahead), maid)
    put_down(s, bit(maid))
    s.side[0] &= ~bit(maid)
    s.side[1] &= ~bit(maid)
    s.downs[s.ahead] += 1
    then(s, AFTER_DOWN)
    if holds(s.angry, maid):
        return
    if free_markers(p, s, who) > 0:
        enrage(p, s, maid, who)
    elif p.markers:
        s.wanted = maid
        s.marking = who
        then(s, MARKER_ON)


def enrage(p, s, maid, who):
    s.angry |= bit(maid)
    cite(MM_W3, who, maid)
    tally(p, s)


def after_down(p, s):
    """MM-C4, MM-C5: on with the next comparison, or the loot."""
    if s.side[1 - s.ahead]:
        then(s, COMPARE)
        return
    cite(MM_C5, seat_of(s, s.ahead), s.downs[s.ahead])
    loot(s, s.ahead)
    end_combat(s)


def loot(s, side):
    """MM-C5, MM-X3, MMQ-59, MMQ-60: a chip for each maid downed, from the backs, as far as there are any."""
    s.thief = seat_of(s, side)
    s.victim = seat_of(s, 1 - side)
    s.loot = min(s.downs[side], chips(s, s.victim))
    if s.loot:
        then(s, LIMIT_ON)
        draw(s)


def end_combat(s):
    s.side[0] = 0
    s.side[1] = 0
    s.lent = 0
    s.rage = 0
    s.mode = NO_MODE
