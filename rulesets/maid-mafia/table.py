"""What lies on the table, and what follows from it: spaces, chips, stats, abilities, prices.

The last part keeps the list of what comes next. A decision does its own part, puts what has to follow on that list
and hands over to ``flow.run``; so a combat inside a move inside a turn needs no function that calls itself.
"""

from workbench.core.vocabulary import NONE, bit, cards, cite, count, holds, lowest, phase, piece, reading, rule, seats

DRAW = phase("draw")
BROKER, HEALER, RECRUITER = piece("ability", "broker"), piece("ability", "healer"), piece("ability", "recruiter")
VENDOR, BLUE, RED = piece("ability", "vendor"), piece("colour", "blue"), piece("colour", "red")
YELLOW, DEPARTMENT, SELLING = piece("colour", "yellow"), piece("use", "department"), piece("use", "sell")
START = piece("use", "start")
OWN_GRIDS, TWO_GRIDS, HIRE_COUNTS_STANDING = reading("grids", "own"), reading("grids", "two"), reading("hire_count", "standing")
MULTIPLIED, SAFE_START = reading("hire_multiplier", "count"), reading("police_start", "yes")
MM_W1, MM_W4, MM_X5, VENDOR_RULE = rule("MM-W1"), rule("MM-W4"), rule("MM-X5"), rule("MMA-3")

# What can come next, by number.
(BEGIN, TURN_ON, GROUP_ON, BRIBE_ON, ACT_ON, LIMIT_ON, BACK_ON, PAY_ON, HIRED, RESERVED, BOUGHT, REVIVED, MARKER_ON, CHECK_ON,
 HELP_ON, COMPARE, STAKE_ON, RAGE_ON, COIN_ON, COVER_ON, REVEAL, JUDGE, AFTER_DOWN, BINGO_ON, POLICE_ON, TAKE_ON, BID_ON,
 PRIZE_ON, END, POLICE_TURN, NEXT_TURN) = range(1, 32)


# ---------------------------------------------------------------- what comes next


def then(s, what):
    """This comes next, before all that was to come."""
    s.todo[s.waiting] = what
    s.waiting += 1


def ask(s, what, who):
    """This seat decides now."""
    s.phase = what
    s.turn = who


def draw(s):
    """Whatever is owed is drawn now."""
    s.phase = DRAW
    s.turn = NONE


# ---------------------------------------------------------------- the board


def start_space(p):
    return lowest(p.spaces_of_use[START])


def beside(p, space):
    """The spaces that a path joins with this one."""
    found = 0
    for path in cards(p.paths_of_from[space]):
        found |= bit(p.path_to[path])
    for path in cards(p.paths_of_to[space]):
        found |= bit(p.path_from[path])
    return found


def clockwise(p, space):
    """The next space clockwise."""
    for path in cards(p.paths_of_from[space]):
        if p.path_clockwise[path]:
            return p.path_to[path]
    return space


def arrows(p, space):
    """Where the police may go from here."""
    found = 0
    for path in cards(p.paths_of_from[space]):
        if p.path_arrow[path]:
            found |= bit(p.path_to[path])
    return found


def watched(p, s, space):
    """MM-T2, MM-A6, MMQ-21: whether the police keep maids from stopping on the space."""
    return s.police == space and not (p.space_use[space] == START and p.police_start == SAFE_START)


def place_of(s, maid):
    """The space on which a maid stands; NONE if she is down."""
    for space in range(len(s.at)):
        if holds(s.at[space], maid):
            return space
    return NONE


def on(s, who, space):
    """The standing maids of a seat on a space."""
    return s.at[space] & s.maids[who]


def standing(s, who):
    return s.maids[who] & ~s.down


def owner_of(s, maid):
    for who in seats(s):
        if holds(s.maids[who], maid):
            return who
    return NONE


def slot_of(p, space):
    """Which of the stacks lies on a department space."""
    return count(p.spaces_of_use[DEPARTMENT] & bit(space) - 1)


def take_off(s, group):
    """These maids leave the board."""
    for space in range(len(s.at)):
        s.at[space] &= ~group
    s.came &= ~group
    s.group &= ~group
    s.workers &= ~group


def put_down(s, group):
    """MM-W1: these maids are down."""
    take_off(s, group)
    s.down |= group
    for maid in cards(group):
        cite(MM_W1, owner_of(s, maid), maid)


# ---------------------------------------------------------------- stats and abilities


def with_ability(p, maids, ability):
    """Those of the maids who have this ability."""
    return maids & p.maids_of_ability[ability]


def stat(p, s, maid, colour):
    """MM-B1, MM-D2, MM-W4: one maid's service, negotiation or force, with her department card and her anger."""
    card = s.card_on[maid]
    n = p.anger if holds(s.rage, maid) else 0
    if colour == RED:
        return n + p.maid_service[maid] + (p.card_service[card] if card != NONE else 0)
    if colour == BLUE:
        return n + p.maid_negotiation[maid] + (p.card_negotiation[card] if card != NONE else 0)
    return n + p.maid_force[maid] + (p.card_force[card] if card != NONE else 0)


def stats(p, s, maids, colour):
    """MM-M5: the sum of one stat."""
    total = 0
    for maid in cards(maids):
        total += stat(p, s, maid, colour)
    return total


def all_stats(p, s, maids):
    """MM-B6: the sum of all stats; anger counts once."""
    return stats(p, s, maids, RED) + stats(p, s, maids, BLUE) + stats(p, s, maids, YELLOW) - 2 * p.anger * count(maids & s.rage)


# ---------------------------------------------------------------- chips


def pounds(p, coins):
    total = 0
    for coin in cards(coins):
        total += p.coin_value[coin]
    return total


def chips(s, who):
    """How many coins and tea chips a seat has."""
    return count(s.purse[who]) + count(s.fresh[who]) + count(s.tea[who]) + count(s.fresh_tea[who])


def to_bag(s, who, coin):
    """MM-X5: a paid coin."""
    s.purse[who] &= ~bit(coin)
    s.fresh[who] &= ~bit(coin)
    s.bag |= bit(coin)
    cite(MM_X5, who, coin)


def sweep(s):
    """Coins that were shown go into the bag."""
    for who in seats(s):
        if s.shown[who] != NONE:
            s.bag |= bit(s.shown[who])
            s.shown[who] = NONE


# ---------------------------------------------------------------- prices


def hire_cost(p, s, maid):
    """MM-A4, MM-M6, MM-B3: the printed cost, multiplied, less the service of the maids on the start space."""
    me = s.active
    n = count(standing(s, me)) if p.hire_count == HIRE_COUNTS_STANDING else count(s.maids[me])
    cost = p.maid_cost[maid] * n if p.hire_multiplier == MULTIPLIED else p.maid_cost[maid]
    return max(0, cost - stats(p, s, s.workers, RED) - recruiters(p, s))


def recruiters(p, s):
    """MMA-7."""
    return count(with_ability(p, s.workers, RECRUITER))


def department_cost(p, s, slot):
    """MM-B2: the cost of the card on top, less the stat of the space's colour."""
    return max(0, p.card_cost[s.top[slot]] - stats(p, s, s.workers, p.space_colour[s.action]) - brokers(p, s))


def brokers(p, s):
    """MMA-8."""
    return count(with_ability(p, s.workers, BROKER))


def revive_cost(p, s, n):
    """MM-W2, MMA-9: a pound for each but one; nothing while a healer stands."""
    if with_ability(p, standing(s, s.active), HEALER):
        return 0
    return max(0, n * p.revive_each - p.revive_off)


def vendor_coins(p, s, maid):
    """MMA-3."""
    if not with_ability(p, bit(maid), VENDOR):
        return 0
    cite(VENDOR_RULE, s.active, 1)
    return 1


# ---------------------------------------------------------------- the bingo grid


def sheet_of(p, s):
    """MMQ-9: which grid a sale uses; 0 is the one that all share."""
    if p.grids == OWN_GRIDS:
        return s.active
    return count(p.spaces_of_use[SELLING] & bit(s.action) - 1) if p.grids == TWO_GRIDS else 0


def chip_at(s, sheet, tile):
    return s.grid[tile] if sheet == 0 else s.more[sheet - 1][tile]


def put_at(s, sheet, tile, chip):
    if sheet == 0:
        s.grid[tile] = chip
    else:
        s.more[sheet - 1][tile] = chip


def empty_tiles(s, sheet):
    found = 0
    for tile in range(len(s.grid)):
        if chip_at(s, sheet, tile) == NONE:
            found |= bit(tile)
    return found


# ---------------------------------------------------------------- what is counted


def free_markers(p, s, who):
    n = p.markers - count(s.angry & s.maids[who])
    for slot in range(len(s.top)):
        n -= s.henchmen[who][slot]
    return n


def tally(p, s):
    """Keep the counts that follow from the rest."""
    for who in seats(s):
        s.markers[who] = free_markers(p, s, who)
        s.crew[who] = count(s.maids[who])
        n = count(s.spare[who])
        for maid in cards(s.maids[who]):
            if s.card_on[maid] != NONE:
                n += 1
        s.departments[who] = n
    s.taken = count(s.police_cards)


def use_anger(p, s):
    """MM-W4: anger that has just been used goes back to its owner."""
    for maid in cards(s.rage):
        cite(MM_W4, owner_of(s, maid), maid)
    s.angry &= ~s.rage
    s.rage = 0
    tally(p, s)
