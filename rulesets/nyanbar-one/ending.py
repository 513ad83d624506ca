"""The end of a round and of the game: cards carried over, VP for markers, bonuses, winners."""

from workbench.core.vocabulary import (
    ALLOWED, NONE, bit, cards, cite, count, holds, left_of, phase, piece, reading, rule, seats,
)

from .areas import add_cubes, clear_map, connected

DEAL, CARRY, OVER_NOW = phase("deal"), phase("carry"), phase("over")
YELLOW = piece("suit", "Y")
NO_RECOVERY, RECOVERY_ALL = reading("recovery", "none"), reading("recovery", "unoccupied")
COLLECT, GEMS_FROM_NONE = reading("markers_return", "collect"), reading("gem_zero", "share")
NB_C7, NB_F1, NB_R1, NB_R2, NB_R3 = rule("NB-C7"), rule("NB-F1"), rule("NB-R1"), rule("NB-R2"), rule("NB-R3")
NB_R4, NB_B1, NB_B2, NB_B3, NBQ_25 = rule("NB-R4"), rule("NB-B1"), rule("NB-B2"), rule("NB-B3"), rule("NBQ-25")
NBV_7 = rule("NBV-7")


# ---------------------------------------------------------------- the end of a round


def end_round(p, s):
    cite(NB_R1, NONE, s.round)
    s.phase = CARRY
    if s.round == p.rounds or s.hand[s.turn] == 0:
        next_carry(p, s)


def next_carry(p, s):
    """NB-R2: each in turn who has a card left; not after the last round (NBQ-30)."""
    while True:
        s.turn = left_of(s, s.turn)
        if s.turn == s.starter or s.round == p.rounds:
            score_markers(p, s)
            return
        if s.hand[s.turn]:
            return


def legal_carry(p, s):
    return s.hand[s.turn]


def forbids_carry(p, s, card):
    return ALLOWED if holds(s.hand[s.turn], card) else NB_R2


def do_carry(p, s, card):
    s.deck |= s.hand[s.turn] ^ bit(card)
    s.hand[s.turn] = bit(card)
    cite(NB_R2, s.turn, 1)
    next_carry(p, s)


def forbids_discard(p, s):
    return ALLOWED


def do_discard(p, s):
    s.deck |= s.hand[s.turn]
    s.hand[s.turn] = 0
    cite(NB_R2, s.turn, 0)
    next_carry(p, s)


def score_markers(p, s):
    """NB-R3, then NBV-7 and NBQ-25, or the end of the game."""
    for who in seats(s):
        n = p.marker_points * (p.markers - s.markers[who])
        s.points[who] += n
        s.mark_points[who] += n
        cite(NB_R3, who, n)
    s.turn = NONE
    if s.round == p.rounds:
        end_game(p, s)
        return
    if p.recovery != NO_RECOVERY:
        recover(p, s)
    if p.markers_return == COLLECT:
        clear_map(p, s)
        cite(NBQ_25)
    s.phase = DEAL


def recover(p, s):
    """NBV-7: a cube more on every area that nobody occupies and (unless told otherwise) still has one, while the supply lasts."""
    wanted = 0
    for area in cards(s.free):
        if s.cubes[area] > 0 or p.recovery == RECOVERY_ALL:
            wanted |= bit(area)
    n = add_cubes(p, s, wanted)
    cite(NBV_7, NONE, n)
    if n < count(wanted):
        cite(NB_C7, NONE, count(wanted) - n)


# ---------------------------------------------------------------- the end of the game


def end_game(p, s):
    cite(NB_F1, NONE, s.round)
    cite(NB_R4)
    gem_bonus(p, s)
    for who in seats(s):
        n = p.majority_each * connected(p, s, s.owned[who])
        s.points[who] += n
        s.majority_points[who] += n
        cite(NB_B2, who, n)
    best = 0
    for who in seats(s):
        best = max(best, standing(s, who))
    for who in seats(s):
        if standing(s, who) == best:
            s.winner[who] = 1
            cite(NB_B3, who, s.points[who])
    s.phase = OVER_NOW


def gem_bonus(p, s):
    """NB-B1, NBQ-31: the most yellow cubes; several share, rounded down."""
    most = 0
    sharing = 0
    for who in seats(s):
        if s.stock[who][YELLOW] > most:
            most = s.stock[who][YELLOW]
            sharing = 0
        if s.stock[who][YELLOW] == most:
            sharing += 1
    if most == 0 and p.gem_zero != GEMS_FROM_NONE:
        return
    for who in seats(s):
        if s.stock[who][YELLOW] == most:
            s.points[who] += p.gem_bonus // sharing
            s.gem_points[who] += p.gem_bonus // sharing
            cite(NB_B1, who, p.gem_bonus // sharing)


def standing(s, who):
    """NB-B3: VP first, then occupied areas."""
    return 64 * s.points[who] + count(s.owned[who])
