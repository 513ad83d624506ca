"""Chips: paying coin by coin, the limit, coins that go back, markers, and everything that is drawn at random."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, below, bit, cards, cite, count, holds, mix, nth, phase, piece, reading, rule, seats,
)

from .table import BACK_ON, LIMIT_ON, PAY_ON, ask, chip_at, chips, empty_tiles, pounds, put_at, sweep, tally, then, to_bag

LIMIT, MARKER, PAY, RETURN = phase("limit"), phase("marker"), phase("pay"), phase("return")
LUCKY, TEA_SPACE = piece("ability", "lucky"), piece("use", "tea")
LIMIT_AT_END, FROM_THE_GAINED = reading("discard_when", "end"), reading("limit", "gained")
MAY_OVERPAY, FROM_THE_GRID = reading("overpay", "yes"), reading("warehouse", "grid")
MM_A12, MM_D4, MM_S10, MM_S3, MM_W3 = rule("MM-A12"), rule("MM-D4"), rule("MM-S10"), rule("MM-S3"), rule("MM-W3")
MM_X1, MM_X2, MM_X3, MM_X4, MM_X5 = rule("MM-X1"), rule("MM-X2"), rule("MM-X3"), rule("MM-X4"), rule("MM-X5")
MM_X6, LUCKY_RULE, MMQ_13, MMQ_14, MMQ_31 = rule("MM-X6"), rule("MMA-10"), rule("MMQ-13"), rule("MMQ-14"), rule("MMQ-31")
MMQ_7 = rule("MMQ-7")


# ---------------------------------------------------------------- paying


def charge(s, n):
    """The active player pays so many pounds, coin by coin."""
    s.due = n
    s.last = 99
    then(s, PAY_ON)


def pay_on(p, s):
    if s.due > 0:
        ask(s, PAY, s.active)
    else:
        if s.due < 0:
            cite(MM_X6, s.active, -s.due)
        s.due = 0


def legal_pay(p, s):
    """MMQ-31: coins of falling value, so that none of them is superfluous at the end; or any, if that is allowed."""
    mine = s.purse[s.turn]
    if p.overpay == MAY_OVERPAY:
        return mine
    found = 0
    for coin in cards(mine):
        value = p.coin_value[coin]
        if value <= s.last:
            reach = 0
            for other in cards(mine):
                if p.coin_value[other] <= value:
                    reach += p.coin_value[other]
            if reach >= s.due:
                found |= bit(coin)
    return found


def forbids_pay(p, s, coin):
    return ALLOWED if holds(legal_pay(p, s), coin) else MMQ_31


def pay(p, s, coin):
    s.due -= p.coin_value[coin]
    s.last = p.coin_value[coin]
    to_bag(s, s.turn, coin)
    then(s, PAY_ON)


# ---------------------------------------------------------------- the limit


def limit_on(p, s):
    """MM-X4, MMQ-29: from the active player on, whoever holds too many chips gives up some."""
    for k in range(s.players):
        who = (s.active + k) % s.players
        if chips(s, who) > p.chip_limit and (s.closing or p.discard_when != LIMIT_AT_END):
            then(s, LIMIT_ON)
            ask(s, LIMIT, who)
            return
        s.purse[who] |= s.fresh[who]
        s.tea[who] |= s.fresh_tea[who]
        s.fresh[who] = 0
        s.fresh_tea[who] = 0


def only_gained(p, s):
    """MMQ-30: whether the excess has to come from the chips just gained."""
    return p.limit == FROM_THE_GAINED and (s.fresh[s.turn] | s.fresh_tea[s.turn]) != 0


def legal_drop(p, s):
    return s.fresh[s.turn] if only_gained(p, s) else s.fresh[s.turn] | s.purse[s.turn]


def forbids_drop(p, s, coin):
    return ALLOWED if holds(legal_drop(p, s), coin) else MM_X4


def drop(p, s, coin):
    cite(MM_X4, s.turn, coin)
    to_bag(s, s.turn, coin)


def legal_pour(p, s):
    return s.fresh_tea[s.turn] if only_gained(p, s) else s.fresh_tea[s.turn] | s.tea[s.turn]


def forbids_pour(p, s, chip):
    return ALLOWED if holds(legal_pour(p, s), chip) else MM_X4


def pour(p, s, chip):
    """MM-X4, MM-X5: a tea chip goes to the port."""
    s.tea[s.turn] &= ~bit(chip)
    s.fresh_tea[s.turn] &= ~bit(chip)
    s.port |= bit(chip)
    cite(MM_X4, s.turn)
    cite(MM_X5, s.turn)


def back_on(p, s):
    """MMA-10: coins drawn one more at the job go back, of the player's choice."""
    if s.back and count(s.fresh[s.active]) > 1:
        ask(s, RETURN, s.active)
    else:
        s.back = 0


def legal_back(p, s):
    return s.fresh[s.turn]


def forbids_back(p, s, coin):
    return ALLOWED if holds(s.fresh[s.turn], coin) else LUCKY_RULE


def give_back(p, s, coin):
    cite(LUCKY_RULE, s.turn, 1)
    to_bag(s, s.turn, coin)
    s.back -= 1
    then(s, BACK_ON)


# ---------------------------------------------------------------- markers


def marker_on(p, s):
    """MM-X2, MMQ-41, MMQ-68: a marker is needed and none is free."""
    ask(s, MARKER, s.marking)


def forbids_lift(p, s, slot):
    """A henchman comes off a card, and the reservation with it; not off the card that it is wanted for."""
    if s.henchmen[s.turn][slot] == 0 or (s.wanted == NONE and s.slot == slot):
        return MM_X2
    return ALLOWED


def lift(p, s, slot):
    s.henchmen[s.turn][slot] -= 1
    if s.henchmen[s.turn][slot] == 0:
        s.deposit[s.turn][slot] = 0
    cite(MM_X2, s.turn, slot)
    tally(p, s)
    place_marker(p, s)


def legal_calm(p, s):
    return s.angry & s.maids[s.turn]


def forbids_calm(p, s, maid):
    return ALLOWED if holds(legal_calm(p, s), maid) else MM_X2


def calm(p, s, maid):
    s.angry ^= bit(maid)
    cite(MM_X2, s.turn, maid)
    tally(p, s)
    place_marker(p, s)


def place_marker(p, s):
    """The marker that has come free goes where it was wanted: on a maid, or on the card (which its payment does)."""
    if s.wanted != NONE:
        s.angry |= bit(s.wanted)
        cite(MM_W3, s.turn, s.wanted)
        tally(p, s)
        s.wanted = NONE


def forbids_leave(p, s):
    return ALLOWED if s.wanted != NONE else MM_D4


# ---------------------------------------------------------------- everything that is drawn


def do_all_draws(p, s, luck):
    """Coins, loot, tea and maids that are owed; the flow goes on after it."""
    sweep(s)
    then(s, LIMIT_ON)
    if s.back:
        then(s, BACK_ON)
    draw_coins(s, luck)
    take_loot(s, mix(luck, 1))
    if s.refill:
        refill(p, s, mix(luck, 2))
    clear_lines(p, s)
    if s.show:
        show(p, s, mix(luck, 3))


def draw_coins(s, luck):
    """MM-X1, MMQ-14: out of the bag, as far as there are any."""
    k = 0
    for who in seats(s):
        n = min(s.draws[who], count(s.bag))
        if s.draws[who]:
            cite(MM_X1, who, n)
            if n < s.draws[who]:
                cite(MMQ_14, who, s.draws[who] - n)
        s.draws[who] = 0
        for _ in range(n):
            coin = nth(s.bag, below(mix(luck, k), count(s.bag)))
            s.bag ^= bit(coin)
            s.fresh[who] |= bit(coin)
            k += 1


def take_loot(s, luck):
    """MM-X3: backs look alike, so which chip is taken is chance."""
    for k in range(s.loot):
        coins, tea = s.purse[s.victim], s.tea[s.victim]
        i = below(mix(luck, k), count(coins) + count(tea))
        if i < count(coins):
            coin = nth(coins, i)
            s.purse[s.victim] ^= bit(coin)
            s.fresh[s.thief] |= bit(coin)
        else:
            chip = nth(tea, i - count(coins))
            s.tea[s.victim] ^= bit(chip)
            s.fresh_tea[s.thief] |= bit(chip)
    if s.loot:
        cite(MM_X3, s.thief, s.loot)
        s.looted[s.thief] += s.loot
    s.loot = 0


def refill(p, s, luck):
    """MM-S3, MMQ-6, MMQ-7: the tea spaces in their order, up to the number on each, out of the supply."""
    s.refill = 0
    k = 0
    for space in cards(p.spaces_of_use[TEA_SPACE]):
        n = 0
        while count(s.stall[space]) < p.space_number[space]:
            chip = supply(p, s, mix(luck, k))
            if chip == NONE:
                cite(MMQ_7, NONE, space)
                break
            s.stall[space] |= bit(chip)
            n += 1
            k += 1
        if n:
            cite(MM_S3, NONE, space)


def supply(p, s, luck):
    """MMQ-6: a chip from the port; or, as one reading has it after a bingo, from the grid."""
    if p.warehouse == FROM_THE_GRID and s.cleared:
        filled = count(empty_tiles(s, s.sheet) ^ (1 << len(s.grid)) - 1)
        if filled == 0:
            return NONE
        tile = nth(empty_tiles(s, s.sheet) ^ (1 << len(s.grid)) - 1, below(luck, filled))
        chip = chip_at(s, s.sheet, tile)
        put_at(s, s.sheet, tile, NONE)
        return chip
    if s.port == 0:
        return NONE
    chip = nth(s.port, below(luck, count(s.port)))
    s.port ^= bit(chip)
    return chip


def clear_lines(p, s):
    """MM-A12, MMQ-8: the tea of the lines goes to the port, after the refill."""
    if s.cleared:
        cite(MM_A12, s.active, count(s.cleared))
    for tile in cards(s.cleared):
        chip = chip_at(s, s.sheet, tile)
        if chip != NONE:
            s.port |= bit(chip)
            put_at(s, s.sheet, tile, NONE)
    s.cleared = 0


def show(p, s, luck):
    """MM-S10, MMQ-13: maids for hire; discarded ones come back when the deck runs out."""
    s.show = 0
    k = 0
    while count(s.display) < p.display:
        if s.deck == 0:
            if s.discard == 0:
                cite(MMQ_13, NONE, count(s.display))
                return
            s.deck = s.discard
            s.discard = 0
        maid = nth(s.deck, below(mix(luck, k), count(s.deck)))
        s.deck ^= bit(maid)
        s.display |= bit(maid)
        cite(MM_S10, NONE, maid)
        k += 1


def owns_lucky(p, maids):
    """MMA-10: how many of these maids draw one coin more."""
    return count(maids & p.maids_of_ability[LUCKY])


def rich(p, s, n):
    """Whether the active player has so many pounds."""
    return pounds(p, s.purse[s.active]) >= n
