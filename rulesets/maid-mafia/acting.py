"""What a turn is for: the job and hiring, tea, sales with bingo."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cards, cite, count, holds, lowest, phase, piece, reading, rule

from .owning import event
from .paying import charge, owns_lucky, rich
from .table import (
    ACT_ON, BINGO_ON, END, HIRED, LIMIT_ON, POLICE_ON, ask, chip_at, draw, empty_tiles, hire_cost, on, put_at, recruiters,
    sheet_of, slot_of, start_space, stats, then, use_anger, vendor_coins, with_ability,
)

BINGO, AT_DEPARTMENT, PRIZE, REVIVE, SELL = phase("bingo"), phase("department"), phase("prize"), phase("revive"), phase("sell")
SELLER, AT_START, AT_TEA, TILE = phase("seller"), phase("start"), phase("tea"), phase("tile")
RECRUITER, GREEN, DEPARTMENT = piece("ability", "recruiter"), piece("colour", "green"), piece("use", "department")
SELLING, START, TEA_SPACE = piece("use", "sell"), piece("use", "start"), piece("use", "tea")
MUST_ACT, MOVE_PER_LINE = reading("act", "must"), reading("bingo_moves", "line")
DECLINED_CANCELS, SHOW_AT_ONCE = reading("declined", "cancelled"), reading("display_when", "once")
ONE_JOB_COIN, SAME_COLOUR = reading("job_coins", "one"), reading("line", "colour")
PRINTED_BASE, OWN_STAT, ONE_TEA_CHIP = reading("sale_base", "printed"), reading("sale_stat", "own"), reading("tea_chips", "one")
PICKED_IS_BOUGHT, TILES_IN_ORDER = reading("tea_purchase", "yes"), reading("tile_choice", "order")
MM_A1, MM_A10, MM_A11, MM_A13, MM_A2 = rule("MM-A1"), rule("MM-A10"), rule("MM-A11"), rule("MM-A13"), rule("MM-A2")
MM_A3, MM_A4, MM_A5, MM_A7, MM_A8 = rule("MM-A3"), rule("MM-A4"), rule("MM-A5"), rule("MM-A7"), rule("MM-A8")
MM_A9, MM_B3, MM_B4, MM_D3, MM_M2 = rule("MM-A9"), rule("MM-B3"), rule("MM-B4"), rule("MM-D3"), rule("MM-M2")
MM_M3, MM_M4, MM_M6, MM_M7, MM_M8 = rule("MM-M3"), rule("MM-M4"), rule("MM-M6"), rule("MM-M7"), rule("MM-M8")
MM_S10, RECRUITER_RULE, MMQ_22, MMQ_91, MMV_2 = rule("MM-S10"), rule("MMA-7"), rule("MMQ-22"), rule("MMQ-91"), rule("MMV-2")
MMV_3 = rule("MMV-3")
ROWS = (7, 56, 448, 73, 146, 292, 273, 84)
"""The lines of the grid: rows, columns, diagonals, as sets of tiles."""


# ---------------------------------------------------------------- the action of a space


def act(p, s, space):
    """MM-M2, MM-M3: from now on this is the turn's action space; every own maid there works."""
    s.action = space
    s.acted = 1
    s.workers = on(s, s.active, space)
    s.seller = NONE
    s.rage = 0
    cite(MM_M2, s.active, space)
    then(s, ACT_ON)
    if p.space_use[space] == SELLING and p.sell_coin:
        cite(MMV_3, s.active, p.sell_coin)
        s.draws[s.active] += p.sell_coin
        draw(s)


def act_on(p, s):
    """The next thing that the maids on the action space can do."""
    me = s.active
    use = p.space_use[s.action]
    s.workers &= s.at[s.action]
    s.rage = 0
    if s.no_act or s.workers == 0:
        then(s, END)
    elif use == START:
        ask(s, AT_START, me)
    elif use == TEA_SPACE:
        if s.stall[s.action]:
            ask(s, AT_TEA, me)
        else:
            then(s, END)
    elif use == SELLING:
        if s.tea[me] == 0:
            then(s, END)
        elif count(s.workers) > 1:
            ask(s, SELLER, me)
        else:
            choose_seller(s, lowest(s.workers))
    elif s.top[slot_of(p, s.action)] == NONE:
        then(s, END)
    elif p.card_reward[s.top[slot_of(p, s.action)]]:
        event(p, s)
    else:
        ask(s, AT_DEPARTMENT, me)


def action_left(p, s, space):
    """MM-D3, MM-A7: the rule that leaves nothing to do on a space; ALLOWED if there is something."""
    if p.space_use[space] == TEA_SPACE and s.stall[space] == 0:
        return MM_A7
    if p.space_use[space] == SELLING and s.tea[s.active] == 0:
        return MM_A8
    if p.space_use[space] == DEPARTMENT and s.top[slot_of(p, space)] == NONE:
        return MM_D3
    return ALLOWED


def forbids_enough(p, s):
    """MMQ-22: whether the player may leave it; what was begun with several maids may always end."""
    if p.act != MUST_ACT or s.phase == SELLER or s.phase == REVIVE or s.phase == AT_DEPARTMENT:
        return ALLOWED
    if s.phase == SELL:
        return MMQ_22 if s.tea[s.active] & sellable(p, s) else ALLOWED
    return ALLOWED if s.phase == AT_TEA and p.tea_price else MMQ_22


# ---------------------------------------------------------------- the start space


def job(p, s):
    """MM-A1, MM-A2, MM-M3, MM-M8, MMQ-26: a coin for each maid here."""
    me = s.active
    n = 1 if p.job_coins == ONE_JOB_COIN else count(s.workers)
    s.back = owns_lucky(p, s.workers)
    s.draws[me] += n + s.back
    s.job_coins[me] += n
    cite(MM_A1, me)
    cite(MM_A2, me, n)
    if n > 1:
        cite(MM_M3, me, n)
        cite(MM_M8, me)
    s.workers = 0
    then(s, ACT_ON)
    draw(s)


def forbids_hire(p, s, maid):
    if not holds(s.display, maid):
        return MM_S10
    return ALLOWED if rich(p, s, hire_cost(p, s, maid)) else MM_A4


def hire(p, s, maid):
    """MM-A3, MM-A4, MM-B3, MM-M6."""
    me = s.active
    cost = hire_cost(p, s, maid)
    cite(MM_A1, me)
    cite(MM_A4, me, cost)
    if stats(p, s, s.workers, 0):
        cite(MM_B3, me, stats(p, s, s.workers, 0))
        if count(s.maids[me]) > 1:
            cite(MM_M6, me, cost)
    if with_ability(p, s.workers, RECRUITER):
        cite(RECRUITER_RULE, me, recruiters(p, s))
    s.wanted = maid
    then(s, HIRED)
    charge(s, cost)


def hired(p, s):
    """MM-A3, MM-A5, MM-M4, MMQ-33, MMQ-35: she stands on the start space; the tea spaces and the display are filled."""
    me, maid = s.active, s.wanted
    s.wanted = NONE
    s.display ^= bit(maid)
    s.maids[me] |= bit(maid)
    s.at[start_space(p)] |= bit(maid)
    s.hired = 1
    use_anger(p, s)
    cite(MM_A3, me, maid)
    cite(MM_A5, me)
    if count(s.workers) > 1:
        cite(MM_M4, me, count(s.workers))
    s.workers = 0
    s.refill = 1
    s.show = 1 if p.display_when == SHOW_AT_ONCE else 0
    then(s, ACT_ON)
    draw(s)


# ---------------------------------------------------------------- tea


def legal_tea(p, s):
    """MM-A7, and the prize of an event."""
    if s.phase == PRIZE:
        found = 0
        for space in range(len(s.stall)):
            found |= s.stall[space]
        return found
    return s.stall[s.action] if rich(p, s, p.tea_price) else 0


def forbids_tea(p, s, chip):
    return ALLOWED if holds(legal_tea(p, s), chip) else MM_A7


def take_tea(p, s, chip, prize):
    """MM-A7, MM-M3, MMQ-27, MMQ-71, MMV-2: one chip for each maid here."""
    who = s.turn
    for space in range(len(s.stall)):
        s.stall[space] &= ~bit(chip)
    s.fresh_tea[who] |= bit(chip)
    if prize:
        then(s, LIMIT_ON)
        return
    cite(MM_A7, who, s.action)
    if s.workers & s.workers - 1:
        cite(MM_M3, who, count(s.workers))
    s.workers = 0 if p.tea_chips == ONE_TEA_CHIP else s.workers & s.workers - 1
    if p.tea_purchase == PICKED_IS_BOUGHT:
        s.bought = 1
    then(s, ACT_ON)
    then(s, LIMIT_ON)
    if p.tea_price:
        cite(MMV_2, who, p.tea_price)
        charge(s, p.tea_price)


# ---------------------------------------------------------------- selling


def choose_seller(s, maid):
    s.seller = maid
    ask(s, SELL, s.active)


def forbids_seller(p, s, maid):
    return ALLOWED if holds(s.workers, maid) else MM_M7


def sellable(p, s):
    """MM-A9: the tea that this space buys."""
    return p.teas_of_colour[p.space_colour[s.action]] | p.teas_of_colour[GREEN]


def legal_sell(p, s):
    return s.tea[s.active] & sellable(p, s)


def forbids_sell(p, s, chip):
    if not holds(s.tea[s.active], chip):
        return MM_A8
    return ALLOWED if holds(sellable(p, s), chip) else MM_A9


def sell(p, s, chip):
    s.tea[s.active] ^= bit(chip)
    s.offer = chip
    s.sheet = sheet_of(p, s)
    cite(MM_A8, s.active, chip)
    if p.tea_colour[chip] == GREEN:
        cite(MM_A9, s.active, chip)
    ask(s, TILE, s.active)


def legal_place(p, s):
    free = empty_tiles(s, s.sheet)
    return free & -free if p.tile_choice == TILES_IN_ORDER else free


def forbids_place(p, s, tile):
    return ALLOWED if holds(legal_place(p, s), tile) else MM_A10


def place(p, s, tile):
    """MM-A10, MM-A11, MM-A13, MM-B4, MM-M7: one sale with all that follows from it."""
    me = s.active
    chip = s.offer
    s.offer = NONE
    put_at(s, s.sheet, tile, chip)
    lines = complete_lines(p, s, tile)
    own = bit(s.seller) if p.sale_stat == OWN_STAT else on(s, me, s.action)
    worth = stats(p, s, own, p.space_colour[s.action])
    n = (p.tea_plus[chip] if p.sale_base == PRINTED_BASE else p.sale_coin) + p.tile_plus[tile] + lines * p.bingo_coin + worth
    n += vendor_coins(p, s, s.seller)
    cite(MM_A13, me, n)
    if worth:
        cite(MM_B4, me, worth)
    if count(s.workers) > 1:
        cite(MM_M7, me, s.seller)
    use_anger(p, s)
    s.draws[me] += n
    s.sale_coins[me] += n
    s.workers &= ~bit(s.seller)
    s.seller = NONE
    then(s, ACT_ON)
    if lines:
        cite(MM_A10, me, lines)
        cite(MM_A11, me, lines)
        s.bingos[me] += lines
        s.refill = 1
        s.bingo_moves = lines if p.bingo_moves == MOVE_PER_LINE else 1
        then(s, BINGO_ON)
    elif empty_tiles(s, s.sheet) == 0:
        cite(MMQ_91, me)
        s.cleared = (1 << len(s.grid)) - 1
    draw(s)


def complete_lines(p, s, tile):
    """MM-A10, MMQ-10: how many lines this tile completes; their tiles are marked to be cleared."""
    filled = ~empty_tiles(s, s.sheet)
    n = 0
    for line in ROWS:
        if holds(line, tile) and filled & line == line and (p.line != SAME_COLOUR or one_colour(p, s, line)):
            n += 1
            s.cleared |= line
    return n


def one_colour(p, s, line):
    colour = p.tea_colour[chip_at(s, s.sheet, lowest(line))]
    for tile in cards(line):
        if p.tea_colour[chip_at(s, s.sheet, tile)] != colour:
            return False
    return True


def bingo_on(p, s):
    """MM-A11, MMQ-73: who made the bingo may move the police."""
    if s.bingo_moves:
        ask(s, BINGO, s.active)


def forbids_police(p, s, n):
    return ALLOWED if n == 0 or p.bingo_min <= n <= p.bingo_max else MM_A11


def police(p, s, n):
    """MM-A11, MM-P3, MMQ-75: so many steps; with 0 the police stay."""
    s.bingo_moves -= 1
    then(s, BINGO_ON)
    if n or p.declined == DECLINED_CANCELS:
        s.bingo_moved = 1
    if n:
        s.police_left = n
        then(s, POLICE_ON)
