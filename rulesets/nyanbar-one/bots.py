"""Bots for Nyan-bar One. A bot says how much it likes one legal move, here in tenths of a VP; ``s`` holds what its seat may see."""

from workbench.core.vocabulary import NONE, bit, count, first, holds, is_move, left_of, move, piece, seats

from .areas import beside, cubes_of
from .table import follows, number, number_of, strength, suit

LEAD_MOVE, PLAY_MOVE, LEADER_MOVE, CARRY_MOVE = move("lead"), move("play"), move("leader"), move("carry")
RED_MOVE, BLUE_MOVE, SKILL_MOVE, PAY_MOVE = move("red"), move("blue"), move("skill"), move("pay")
NAME_MOVE, ASSIST_MOVE, MARK_MOVE = move("name"), move("assist"), move("mark")
RED, BLUE, YELLOW = piece("suit", "R"), piece("suit", "B"), piece("suit", "Y")
KANSAI, SAMURAI, YOZAKURA = piece("tribe", "Kansai"), piece("tribe", "Samurai"), piece("tribe", "Yozakura")


def heuristic(p, s, seat, code):
    if is_move(LEAD_MOVE, code):
        return like_lead(p, s, seat, first(LEAD_MOVE, code))
    if is_move(PLAY_MOVE, code):
        return like_card(p, s, seat, first(PLAY_MOVE, code))
    if is_move(MARK_MOVE, code):
        return like_area(p, s, seat, first(MARK_MOVE, code))
    if is_move(ASSIST_MOVE, code):
        return like_side(p, s, seat, first(ASSIST_MOVE, code))
    if is_move(LEADER_MOVE, code):
        return like_leader(p, s)
    if is_move(RED_MOVE, code):
        return like_red(p, s, seat)
    if is_move(BLUE_MOVE, code):
        return like_blue(p, s, seat, first(BLUE_MOVE, code))
    if is_move(SKILL_MOVE, code):
        return like_skill(p, s, seat)
    if is_move(PAY_MOVE, code):
        return 2 if first(PAY_MOVE, code) == BLUE else 1 if first(PAY_MOVE, code) == RED else 0
    if is_move(NAME_MOVE, code):
        return like_naming(p, s, seat, first(NAME_MOVE, code))
    if is_move(CARRY_MOVE, code):
        return number(p, first(CARRY_MOVE, code))
    return 0


# ---------------------------------------------------------------- the cards


def best_but(p, s, seat, rank):
    """The highest (1) or second highest (2) number of the lead suit that others have played so far; 0 if there is none."""
    top = 0
    second = 0
    for who in seats(s):
        if who != seat and s.played[who] != NONE and follows(s, who):
            n = number_of(p, s, who)
            second = max(second, min(n, top))
            top = max(top, n)
    return top if rank == 1 else second


def still_to_play(s, seat):
    """How many play after this seat."""
    n = 0
    who = left_of(s, seat)
    while who != s.starter:
        n += 1
        who = left_of(s, who)
    return n


def like_lead(p, s, seat, card):
    """A low number, so as to assist or mark; but a high one of a suit that others are known to lack."""
    lacking = 0
    for who in seats(s):
        if who != seat and holds(s.void[who], suit(p, card)):
            lacking += 1
    return (25 * lacking - 10) * number(p, card)


def like_card(p, s, seat, card):
    """What following may bring in the duel or by assisting; off suit the card that is missed least and marks well."""
    n = number(p, card)
    if suit(p, card) != s.lead:
        return 2 * best_mark(p, s, seat, suit(p, card)) - 6 * n
    top, second = best_but(p, s, seat, 1), best_but(p, s, seat, 2)
    if s.leader_by != NONE:
        return 5 * (p.leader_number - n) - 4 * n if n > top else 10 - 4 * n
    if n > top:
        return 10 * (n - top) // (1 + still_to_play(s, seat)) + 10
    if n > second:
        return 5 * (top - n) - 3 * n
    return best_mark(p, s, seat, s.lead) // 2 - 2 * n


def like_leader(p, s):
    """In the last round; before that only where it wins by very much."""
    gain = 10 * (p.leader_number - best_but(p, s, s.turn, 1))
    return gain + 20 if s.round == p.rounds else gain - 90


# ---------------------------------------------------------------- cubes and skills


def last_chance(p, s):
    """Whether this is the last trick of the game, after which cubes are worth nothing but gems."""
    return s.round == p.rounds and s.trick == p.tricks


def like_red(p, s, seat):
    """Where the cubes turn a lost duel into a won one and nobody plays after; at the very end wherever they count."""
    if last_chance(p, s):
        return 5
    if not follows(s, seat) or still_to_play(s, seat) > 0:
        return -5
    n, top = number_of(p, s, seat), best_but(p, s, seat, 1)
    return 5 if n <= top and n + p.red * s.stock[seat][RED] > top and top > 0 else -5


def like_blue(p, s, seat, target):
    """To follow after all with a card that wins so far."""
    return 10 if target == s.lead and number_of(p, s, seat) > best_but(p, s, seat, 1) else -5


def like_skill(p, s, seat):
    """Each tribe where its skill brings most."""
    ahead = number_of(p, s, seat) - best_but(p, s, seat, 1) if s.played[seat] != NONE else 0
    if s.tribe[seat] == KANSAI:
        return 30 if s.round == p.rounds and s.leader_by != seat else -5
    if s.tribe[seat] == SAMURAI:
        return 10 if follows(s, seat) and ahead >= 3 and still_to_play(s, seat) == 0 else -5
    if s.tribe[seat] == YOZAKURA:
        return 10 if not follows(s, seat) and s.played[seat] != NONE and number_of(p, s, seat) > 8 else -5
    return 5 if last_chance(p, s) and count(s.owned[seat]) > 3 and cubes_of(s, seat) > s.stock[seat][YELLOW] + 2 else -5


def like_naming(p, s, seat, who):
    """Itself, against the lowest number that has been played."""
    if who == seat:
        return 100
    return -number_of(p, s, who) if s.played[who] != NONE or s.leader_by == who else -99


# ---------------------------------------------------------------- assisting and marking


def like_side(p, s, seat, duelist):
    """The own number, if the side that it joins will be ahead; less where others can still turn it."""
    other = s.duelist[1] if s.duelist[0] == duelist else s.duelist[0]
    mine = number_of(p, s, seat)
    ahead = strength(p, s, duelist) + mine - strength(p, s, other)
    if ahead <= 0:
        return -20
    open_yet = 0
    for who in seats(s):
        if who != seat and s.to_act[who] and follows(s, who):
            open_yet += number_of(p, s, who)
    return 10 * mine if ahead > open_yet else 5 * mine


def like_area(p, s, seat, area):
    """Its cube, the VP that a marker there will bring, the own areas it joins, and whom it kicks off."""
    left = p.rounds - s.round + 1
    liking = 10 * left
    near = count(beside(p, s, bit(area)) & s.owned[seat])
    if near > 0:
        liking += 35 + 2 * near
    if s.cubes[area] > 0:
        liking += 14 if s.colour[area] == YELLOW else 8
    if s.owner[area] != NONE and s.owner[area] != seat:
        liking += 8
    for who in seats(s):
        if who != seat and s.to_act[who] and s.counts_as[who] == s.colour[area]:
            liking -= 4
    return liking


def best_mark(p, s, seat, colour):
    """About what marking an area of this colour would bring."""
    if s.markers[seat] == 0:
        return 0
    if s.coloured[colour] & s.free:
        return 14
    return 8
