"""What the bot aims at: what an action on a space is worth to it, in tenths of a coin, and how far that is."""

from workbench.core.vocabulary import NONE, bit, cards, count, holds, piece, seats

from .moving import steps_left
from .police import cheapest
from .table import arrows, beside, chips, on, place_of, pounds, slot_of, start_space, stat, stats, watched

GREEN, RED, YELLOW, SELLING = piece("colour", "green"), piece("colour", "red"), piece("colour", "yellow"), piece("use", "sell")
START, TEA_SPACE = piece("use", "start"), piece("use", "tea")


# ---------------------------------------------------------------- where to go


def needs_department(s, seat):
    """Whether a maid of the seat still has no department card."""
    for maid in cards(s.maids[seat]):
        if s.card_on[maid] == NONE:
            return True
    return False


def police_ahead(s):
    """Whether the police would win with one card more."""
    most = 0
    for who in seats(s):
        most = max(most, s.departments[who])
    return s.taken >= most


def best_goal(p, s, seat, group, space, left, moved):
    """The best that this group can do: now, within the steps left, or in a later turn, which counts half."""
    best = -999
    seen = bit(space)
    edge = seen
    trail = 0
    for maid in cards(group):
        trail |= s.trail[maid]
    far = 0
    while edge:
        for goal in cards(edge):
            if not watched(p, s, goal):
                n = worth(p, s, seat, group | on(s, seat, goal), goal)
                if far > left or (far == 0 and not moved):
                    n = n // 2 - 4 * (far - left)
                best = max(best, n)
        around = 0
        for near in cards(edge):
            around |= beside(p, near)
        edge = around & ~seen
        if far < left:
            edge &= ~trail
        seen |= edge
        far += 1
    return best


def worth(p, s, seat, workers, space):
    """What an action with these maids on the space brings, in tenths of a coin."""
    use = p.space_use[space]
    danger = 0
    if use != START:
        if holds(arrows(p, s.police), space):
            danger = 25 * count(workers)
        danger += 6 * enemies_stronger(p, s, seat, workers, space)
    if use == START:
        return worth_start(p, s, seat, workers)
    if use == TEA_SPACE:
        return worth_tea(p, s, seat, workers, space) - danger
    if use == SELLING:
        return worth_selling(p, s, seat, workers, space) - danger
    return worth_department(p, s, seat, workers, space) - danger


def enemies_stronger(p, s, seat, workers, space):
    n = 0
    for who in seats(s):
        if who != seat and stats(p, s, on(s, who, space), YELLOW) > stats(p, s, workers, YELLOW):
            n += count(on(s, who, space))
    return n


def room(p, s, seat):
    return p.chip_limit - chips(s, seat)


def worth_start(p, s, seat, workers):
    """A hire if it can be paid for and is wanted; else the job."""
    best = 10 * min(count(workers), room(p, s, seat)) + 2
    if wants_maid(p, s, seat):
        service = stats(p, s, workers, RED)
        for maid in cards(s.display):
            cost = max(0, p.maid_cost[maid] * s.crew[seat] - service)
            if pounds(p, s.purse[seat]) >= cost:
                best = max(best, 110 + like_maid(p, maid) - 3 * cost)
    return best


def wants_maid(p, s, seat):
    """Each department needs a maid of its own."""
    return s.crew[seat] < p.win_departments


def like_maid(p, maid):
    return 5 * (p.maid_service[maid] + p.maid_negotiation[maid]) + 4 * p.maid_force[maid] + (3 if p.maid_ability[maid] else 0)


def like_hiring(p, s, seat, maid):
    if not wants_maid(p, s, seat):
        return -10
    return 110 + like_maid(p, maid) - 3 * p.maid_cost[maid] * s.crew[seat]


def worth_tea(p, s, seat, workers, space):
    """Tea sells for about two coins, but wants a second turn; with the police about to win it helps them on."""
    n = min(min(count(workers), count(s.stall[space])), min(room(p, s, seat), 4 - count(s.tea[seat])))
    if n <= 0:
        return -20
    return 13 * n - (30 if police_ahead(s) and near_start(p, s) else 0)


def near_start(p, s):
    return holds(arrows(p, s.police), start_space(p))


def worth_selling(p, s, seat, workers, space):
    """A coin, the stat and about half a coin for tiles, for each chip that can be sold."""
    mine = count(s.tea[seat] & (p.teas_of_colour[p.space_colour[space]] | p.teas_of_colour[GREEN]))
    n = 0
    for maid in cards(workers):
        if mine > 0:
            n += 15 + 10 * stat(p, s, maid, p.space_colour[space])
            mine -= 1
    return min(n, 10 * (room(p, s, seat) + 2)) if n else -20


def worth_department(p, s, seat, workers, space):
    """Buying what is reserved is best, then reserving what a later turn can buy; an event is a small thing."""
    slot = slot_of(p, space)
    card = s.top[slot]
    if card == NONE:
        return -20
    if p.card_reward[card]:
        return 12
    cost = max(0, p.card_cost[card] - stats(p, s, workers, p.space_colour[space]))
    if pounds(p, s.purse[seat]) < cost or not needs_department(s, seat):
        return -20
    if s.henchmen[seat][slot]:
        return 400
    others = 0
    for who in seats(s):
        others += s.henchmen[who][slot]
    rescue = 20 if police_ahead(s) and holds(cheapest(p, s), slot) else 0
    return 100 + rescue - 15 * others - 2 * cost


def like_lead(p, s, seat, maid):
    """Begin with the maid who has most to do; more than ending, less than a good action that is ready."""
    return 2 + best_goal(p, s, seat, bit(maid), place_of(s, maid), steps_left(p, s, bit(maid)), 0)


def like_joining(p, s, seat, maid):
    """Own maids come along; others' are left where they are, unless all have to stop the police."""
    if not holds(s.maids[seat], maid):
        return -999
    with_her = best_goal(p, s, seat, s.group | bit(maid), s.here, steps_left(p, s, s.group), 0)
    return with_her + 3
