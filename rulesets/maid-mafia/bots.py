"""Bots for Maid Mafia. A bot says how much it likes one legal move, here in tenths of a coin; ``s`` holds what its seat may see."""

from workbench.core.vocabulary import bit, cards, count, first, holds, is_move, lowest, move, phase, piece, seats

from .acting import ROWS
from .fighting import BATTLE, TRAP, coin_worth
from .goals import best_goal, like_hiring, like_joining, like_lead, like_maid, needs_department, police_ahead, room, worth
from .moving import steps_left
from .table import arrows, clockwise, empty_tiles, on, slot_of, standing, start_space, stat, stats, watched

BID, RAGE, SELL = phase("bid"), phase("rage"), phase("sell")
BLUE, GREEN, YELLOW = piece("colour", "blue"), piece("colour", "green"), piece("colour", "yellow")
ACT_MOVE, AGREE_MOVE, BACK_MOVE, BATTLE_MOVE, BID_MOVE = move("act"), move("agree"), move("back"), move("battle"), move("bid")
BUY_MOVE, CALM_MOVE, COVER_MOVE, DOWN_MOVE, DROP_MOVE = move("buy"), move("calm"), move("cover"), move("down"), move("drop")
FLEE_MOVE, HALT_MOVE, HELP_MOVE, HIRE_MOVE, JOB_MOVE = move("flee"), move("halt"), move("help"), move("hire"), move("job")
JOIN_MOVE, KEEP_MOVE, LEAD_MOVE, LEAVE_MOVE, LEND_MOVE = move("join"), move("keep"), move("lead"), move("leave"), move("lend")
LIFT_MOVE, PASS_MOVE, PAY_MOVE, PLACE_MOVE, POLICE_MOVE = move("lift"), move("pass"), move("pay"), move("place"), move("police")
POUR_MOVE, PUSH_MOVE, RAGE_MOVE, RESERVE_MOVE = move("pour"), move("push"), move("rage"), move("reserve")
REVIVE_MOVE, SELL_MOVE, SELLER_MOVE, STAKE_MOVE = move("revive"), move("sell"), move("seller"), move("stake")
STEP_MOVE, TAKE_MOVE, TARGET_MOVE, TEA_MOVE, TRAP_MOVE = move("step"), move("take"), move("target"), move("tea"), move("trap")


# ---------------------------------------------------------------- the list of likings


def heuristic(p, s, seat, code):
    if is_move(STEP_MOVE, code):
        return best_goal(p, s, seat, s.group, first(STEP_MOVE, code), steps_left(p, s, s.group) - 1, 1)
    if is_move(LEAD_MOVE, code):
        return like_lead(p, s, seat, first(LEAD_MOVE, code))
    if is_move(ACT_MOVE, code):
        return 1 + 3 * worth(p, s, seat, on(s, seat, first(ACT_MOVE, code)), first(ACT_MOVE, code))
    if is_move(HALT_MOVE, code):
        return best_goal(p, s, seat, s.group, s.here, 0, 1) + 1
    if is_move(PAY_MOVE, code):
        return like_paying(p, s, first(PAY_MOVE, code))
    if is_move(TEA_MOVE, code):
        return like_tea(p, s, seat, first(TEA_MOVE, code))
    if is_move(JOIN_MOVE, code):
        return like_joining(p, s, seat, first(JOIN_MOVE, code))
    return like_rarer(p, s, seat, code)


def like_rarer(p, s, seat, code):
    if is_move(PLACE_MOVE, code):
        return like_tile(p, s, first(PLACE_MOVE, code))
    if is_move(SELLER_MOVE, code):
        return 10 * stat(p, s, first(SELLER_MOVE, code), p.space_colour[s.action])
    if is_move(SELL_MOVE, code):
        return 10 - (1 if p.tea_colour[first(SELL_MOVE, code)] == GREEN else 0)
    if is_move(HIRE_MOVE, code):
        return like_hiring(p, s, seat, first(HIRE_MOVE, code))
    if is_move(JOB_MOVE, code):
        return 10 * count(s.workers)
    if is_move(BUY_MOVE, code):
        return 400 + count(bit(first(BUY_MOVE, code)) & ~s.down)
    if is_move(RESERVE_MOVE, code):
        return 100 if s.henchmen[seat][slot_of(p, s.action)] == 0 and needs_department(s, seat) else -5
    if is_move(POLICE_MOVE, code):
        return like_police(p, s, seat, first(POLICE_MOVE, code))
    if is_move(REVIVE_MOVE, code):
        return 25 + 40 * count(s.maids[seat] & s.down)
    if is_move(KEEP_MOVE, code):
        return like_maid(p, first(KEEP_MOVE, code)) - 4 * p.maid_cost[first(KEEP_MOVE, code)]
    if is_move(TAKE_MOVE, code):
        return -s.henchmen[seat][first(TAKE_MOVE, code)]
    if is_move(RAGE_MOVE, code):
        return 5 if s.phase == RAGE or s.phase == SELL or s.phase == BID else -1
    if is_move(AGREE_MOVE, code):
        return 1 if police_ahead(s) else -1
    if is_move(PASS_MOVE, code):
        return -20
    return like_chips(p, s, seat, code)


def like_chips(p, s, seat, code):
    """The least valuable coin goes; tea counts as two pounds; anger is given up before a reservation."""
    if is_move(DROP_MOVE, code):
        return -p.coin_value[first(DROP_MOVE, code)]
    if is_move(BACK_MOVE, code):
        return -p.coin_value[first(BACK_MOVE, code)]
    if is_move(POUR_MOVE, code):
        return -2
    if is_move(CALM_MOVE, code) or is_move(LEND_MOVE, code):
        return 1
    if is_move(LEAVE_MOVE, code):
        return 3
    if is_move(LIFT_MOVE, code):
        return -1
    return like_fight(p, s, seat, code)


# ---------------------------------------------------------------- acting


def like_paying(p, s, coin):
    """The exact coin, else a smaller one, else as little too much as can be."""
    value = p.coin_value[coin]
    return 50 if value == s.due else value if value < s.due else -value


def like_tea(p, s, seat, chip):
    """The colour for which the maids have the best stat; none where there is no room."""
    if room(p, s, seat) <= 0:
        return -1
    colour = p.tea_colour[chip]
    if colour == GREEN:
        return 20
    best = 0
    for maid in cards(standing(s, seat)):
        best = max(best, stat(p, s, maid, colour))
    return 5 + 4 * best


def like_tile(p, s, tile):
    """Lines first, then +1 tiles, then tiles that leave no line for others."""
    filled = ~empty_tiles(s, s.sheet) | bit(tile)
    n = 5 * p.tile_plus[tile]
    for line in ROWS:
        if holds(line, tile):
            have = count(filled & line)
            n += 12 if have == 3 else -3 if have == 2 else 0
    return n


def like_police(p, s, seat, n):
    """Down others, spare one's own, and keep the police from the start when they are ahead."""
    space = s.police
    liking = 1 if n == 0 else 0
    for _ in range(n):
        space = lowest(arrows(p, space))
        if space == start_space(p):
            liking -= 60 if police_ahead(s) else 10
    if n and space != start_space(p):
        for who in seats(s):
            liking += (-30 if who == seat else 20) * count(on(s, who, space))
    return liking


# ---------------------------------------------------------------- fighting


def best_coin(p, s, seat):
    best = 0
    for coin in cards(s.purse[seat]):
        best = max(best, coin_worth(p, s, coin, s.spot))
    return best


def base(p, s, maids, mode):
    return stats(p, s, maids, YELLOW if mode == BATTLE else BLUE)


def strongest_foe(p, s, seat, mode):
    """The base attack of the seat that would be fought, with a coin of two."""
    if s.mover != seat:
        return base(p, s, on(s, s.mover, s.spot), mode) + 2
    best = 99
    for who in seats(s):
        if who != seat and on(s, who, s.spot):
            best = min(best, base(p, s, on(s, who, s.spot), mode) + 2)
    return best


def like_attack(p, s, seat, mode):
    """Only with a coin to spare, and when one's best coin makes it likely."""
    foe = strongest_foe(p, s, seat, mode)
    margin = base(p, s, on(s, seat, s.spot), mode) + best_coin(p, s, seat) - foe
    if count(s.purse[seat]) < 2:
        return -5
    return 3 * margin - 2 + (4 if mode == BATTLE else 0)


def foe_of(s, seat):
    return s.attacker if seat == s.defender else s.defender


def like_fight(p, s, seat, code):
    if is_move(BATTLE_MOVE, code):
        return like_attack(p, s, seat, BATTLE)
    if is_move(TRAP_MOVE, code):
        return like_attack(p, s, seat, TRAP)
    if is_move(FLEE_MOVE, code):
        behind = base(p, s, s.side[0], s.mode) + 3 - base(p, s, s.side[1], s.mode) - best_coin(p, s, seat)
        return 3 * behind - 4 * p.coin_value[first(FLEE_MOVE, code)] + (4 if s.mode == BATTLE else -4)
    if is_move(STAKE_MOVE, code):
        coin = first(STAKE_MOVE, code)
        return 3 * coin_worth(p, s, coin, s.spot) - p.coin_value[coin]
    if is_move(COVER_MOVE, code):
        coin = first(COVER_MOVE, code)
        lacking = base(p, s, s.side[0], s.mode) + 2 - base(p, s, s.side[1], s.mode)
        return (8 if coin_worth(p, s, coin, s.spot) > lacking else -3) - 2 * p.coin_value[coin]
    if is_move(PUSH_MOVE, code):
        return like_push(p, s, first(PUSH_MOVE, code))
    if is_move(DOWN_MOVE, code):
        maid = first(DOWN_MOVE, code)
        return like_maid(p, maid) * (-1 if holds(s.maids[seat], maid) else 1)
    if is_move(BID_MOVE, code):
        return 3 - 2 * p.coin_value[first(BID_MOVE, code)]
    if is_move(HELP_MOVE, code):
        return like_helping(s, seat, first(HELP_MOVE, code))
    if is_move(TARGET_MOVE, code):
        return -base(p, s, on(s, first(TARGET_MOVE, code), s.spot), s.mode)
    return 0


def like_push(p, s, n):
    """Onto the police if they stand there; else as far as it goes."""
    space = s.spot
    for _ in range(n):
        space = clockwise(p, space)
    return 20 if watched(p, s, space) else n


def like_helping(s, seat, who):
    """Against a player who has more departments than oneself; else it is nobody's fight."""
    other = foe_of(s, who)
    return 1 if s.departments[other] > s.departments[seat] and s.departments[other] > s.departments[who] else -1
