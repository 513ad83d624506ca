"""The police: their way along the arrows, what they take, and how the game ends."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, count, holds, left_of, lowest, phase, reading, rule, seats

from .table import (
    BEGIN, LIMIT_ON, NEXT_TURN, POLICE_ON, POLICE_TURN, TAKE_ON, arrows, ask, draw, pounds, put_down, start_space, tally,
    then,
)

FORK, GAME_OVER, TAKE = phase("fork"), phase("over"), phase("take")
SHOW_AT_END, AT_ANY_TIME = reading("display_when", "end"), reading("police_check", "always")
AT_THREE, PLAYER_FIRST = reading("police_check", "three"), reading("police_first", "player")
PASS_DOWN, PASS_TAKE = reading("police_pass_down", "yes"), reading("police_pass_take", "yes")
STACKS_AT_ONCE, WIN_AT_ONCE = reading("stacks_when", "once"), reading("win_when", "once")
MM_A6, MM_D2, MM_D8, MM_P1, MM_P2 = rule("MM-A6"), rule("MM-D2"), rule("MM-D8"), rule("MM-P1"), rule("MM-P2")
MM_P3, MM_P4, MM_P5, MM_P6, MM_P7 = rule("MM-P3"), rule("MM-P4"), rule("MM-P5"), rule("MM-P6"), rule("MM-P7")
MM_P8, MM_S9, MMQ_79, MMQ_90 = rule("MM-P8"), rule("MM-S9"), rule("MMQ-79"), rule("MMQ-90")
THREE_DEPARTMENTS, TWO_STACKS, ALL_LOSE, TURN_CAP = 1, 2, 3, 4


# ---------------------------------------------------------------- the way of the police


def police_on(p, s):
    """MM-P1: the next of the steps that the police still have to go."""
    if s.police_left == 0:
        return
    ahead = arrows(p, s.police)
    if count(ahead) > 1:
        ask(s, FORK, s.active)
    else:
        arrive(p, s, lowest(ahead))


def forbids_fork(p, s, space):
    return ALLOWED if holds(arrows(p, s.police), space) else MM_P1


def arrive(p, s, space):
    """MM-P4, MM-P5, MMQ-76: what the police do on the space that they reach."""
    s.police = space
    s.police_left -= 1
    cite(MM_P1, NONE, space)
    then(s, POLICE_ON)
    stops = s.police_left == 0
    if space == start_space(p):
        if s.at[space]:
            cite(MM_A6, NONE, space)
        if stops or p.police_pass_take == PASS_TAKE:
            s.laps += 1
            cite(MM_P5)
            then(s, TAKE_ON)
    elif s.at[space] and (stops or p.police_pass_down == PASS_DOWN):
        cite(MM_P4, NONE, space)
        put_down(s, s.at[space])


def rank(p, s, slot):
    """MM-P6: the cheaper stack, then the one with fewer markers; MM-P8: an event counts as 0."""
    n = 0
    for who in seats(s):
        n += s.henchmen[who][slot]
    return 64 * p.card_cost[s.top[slot]] + n


def cheapest(p, s):
    """MM-P6: the stacks between which whoever moved the police may choose."""
    found = 0
    best = 0
    for slot in range(len(s.top)):
        if s.top[slot] != NONE:
            here = rank(p, s, slot)
            if found == 0 or here < best:
                found = 0
                best = here
            if here == best:
                found |= bit(slot)
    return found


def take_on(p, s):
    found = cheapest(p, s)
    if found == 0:
        cite(MMQ_79)
    elif count(found) > 1:
        ask(s, TAKE, s.active)
    else:
        police_take(p, s, lowest(found))


def forbids_take(p, s, slot):
    return ALLOWED if holds(cheapest(p, s), slot) else MM_P6


def police_take(p, s, slot):
    card = s.top[slot]
    cite(MM_P6, s.active, slot)
    if p.card_reward[card]:
        cite(MM_P8, NONE, card)
    s.police_cards |= bit(card)
    uncover(p, s, slot)
    most = 0
    for who in seats(s):
        most = max(most, s.departments[who])
    if (p.police_check == AT_ANY_TIME and s.taken > most) or (p.police_check == AT_THREE and s.taken >= p.win_departments):
        finish(p, s, ALL_LOSE)


def uncover(p, s, slot):
    """MM-S9, MM-D5, MMQ-43, MMQ-80: the card on top has gone, its markers return, the next card lies open."""
    for who in seats(s):
        if s.henchmen[who][slot]:
            cite(MM_S9, who, s.henchmen[who][slot])
            s.henchmen[who][slot] = 0
            s.deposit[who][slot] = 0
    s.top[slot] = s.under[slot][0]
    for k in range(len(s.under[slot]) - 1):
        s.under[slot][k] = s.under[slot][k + 1]
    s.under[slot][len(s.under[slot]) - 1] = NONE
    tally(p, s)
    if p.stacks_when == STACKS_AT_ONCE and empty_stacks(s) >= p.end_stacks:
        finish(p, s, TWO_STACKS)


def empty_stacks(s):
    n = 0
    for slot in range(len(s.top)):
        if s.top[slot] == NONE:
            n += 1
    return n


# ---------------------------------------------------------------- the end of a turn


def end_turn(p, s):
    """Limits that wait for the end of the turn, then the police (MMQ-72)."""
    s.closing = 1
    then(s, POLICE_TURN)
    then(s, LIMIT_ON)


def police_turn(p, s):
    """MM-P2, MM-P3: one step, if the turn gave cause and no bingo has moved the police."""
    then(s, NEXT_TURN)
    caused = (s.had_battle and p.police_battle) or (s.hired and p.police_hire) or (s.bought and p.police_tea)
    if not caused:
        return
    if s.bingo_moved:
        cite(MM_P3)
        return
    cite(MM_P2, s.active, p.police_step)
    s.police_left = p.police_step
    then(s, POLICE_ON)


def next_turn(p, s):
    """MM-D8, MM-D2, MMQ-48, MMQ-90: the ends that are looked at after a turn; else the left neighbour is next."""
    if s.phase == GAME_OVER:
        return
    if empty_stacks(s) >= p.end_stacks:
        finish(p, s, TWO_STACKS)
    elif left_of(s, s.active) == s.first and most_departments(s) >= p.win_departments:
        finish(p, s, THREE_DEPARTMENTS)
    elif s.turns >= p.max_turns:
        s.turn_cap = 1
        cite(MMQ_90, NONE, s.turns)
        finish(p, s, TURN_CAP)
    else:
        s.active = left_of(s, s.active)
        then(s, BEGIN)
        if p.display_when == SHOW_AT_END and count(s.display) < p.display and (s.deck or s.discard):
            s.show = 1
            draw(s)


def most_departments(s):
    most = 0
    for who in seats(s):
        most = max(most, s.departments[who])
    return most


def won_at_once(p, s):
    """MM-D2, MMQ-45: whether the department just bought ends the game."""
    if s.departments[s.active] >= p.win_departments and p.win_when == WIN_AT_ONCE:
        finish(p, s, THREE_DEPARTMENTS)


# ---------------------------------------------------------------- the end of the game


def standing_in(p, s, who):
    """MM-D8: department cards, then maids, then pounds."""
    return (s.departments[who] * 64 + s.crew[who]) * 1024 + pounds(p, s.counted[who])


def finish(p, s, how):
    """MM-P7 first, then who has won (MMQ-46, MMQ-47, MMQ-50)."""
    for who in seats(s):
        if s.shown[who] != NONE:
            s.bag |= bit(s.shown[who])
            s.shown[who] = NONE
        s.counted[who] = s.purse[who] | s.fresh[who]
        s.purse[who] = 0
        s.fresh[who] = 0
    s.phase = GAME_OVER
    s.turn = NONE
    s.ended = how
    reached = most_departments(s) >= p.win_departments
    if s.taken > most_departments(s) and not (reached and p.police_first == PLAYER_FIRST):
        cite(MM_P7, NONE, s.taken)
        s.ended = ALL_LOSE
        return
    if how == ALL_LOSE:  # the police could have won, but a player has as many
        s.ended = THREE_DEPARTMENTS
    best = 0
    for who in seats(s):
        best = max(best, standing_in(p, s, who))
    for who in seats(s):
        if standing_in(p, s, who) == best:
            s.winner[who] = 1
            if reached:
                cite(MM_D2, who, s.departments[who])
            else:
                cite(MM_D8, who, s.departments[who])
