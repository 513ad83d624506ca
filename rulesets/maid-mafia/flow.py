"""What comes next: the list that the table keeps is worked off here until somebody has to decide or something is drawn."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cards, phase, piece, reading, rule

from .acting import act, act_on, action_left, bingo_on, hired
from .fighting import after_down, begin_check, check_on, compare, cover_on, help_on, judge, rage_on, reveal, stake_on
from .moving import bribe_on, group_on, legal_lead
from .owning import bid_on, bought, legal_revive, prize_on, reserved, revived
from .paying import back_on, limit_on, marker_on, pay_on
from .police import end_turn, next_turn, police_on, police_turn, take_on
from .table import (
    ACT_ON, BACK_ON, BEGIN, BID_ON, BINGO_ON, BOUGHT, CHECK_ON, COIN_ON, COMPARE, COVER_ON, END, GROUP_ON, HELP_ON, HIRED,
    JUDGE, LIMIT_ON, NEXT_TURN, PAY_ON, POLICE_ON, POLICE_TURN, RAGE_ON, RESERVED, REVEAL, REVIVED, STAKE_ON, TAKE_ON,
    TURN_ON, ask, on, slot_of, sweep,
)

GO, STAKE, AT_TURN = phase("go"), phase("stake"), phase("turn")
DEPARTMENT = piece("use", "department")
MUST_ACT, CHECK_AT_ACTION, ONLY_STUCK = reading("act", "must"), reading("check_where", "action"), reading("pass_when", "stuck")
STAY = reading("stay", "yes")
MM_C11, MM_D6, MM_M2, MM_T5, MMQ_22 = rule("MM-C11"), rule("MM-D6"), rule("MM-M2"), rule("MM-T5"), rule("MMQ-22")
MMQ_86 = rule("MMQ-86")


# ---------------------------------------------------------------- the list


def run(p, s):
    """Work off what comes next."""
    while s.phase == GO:
        s.waiting -= 1
        what = s.todo[s.waiting]
        if what < LIMIT_ON:
            in_a_turn(p, s, what)
        elif what < CHECK_ON:
            about_chips(p, s, what)
        elif what < BINGO_ON:
            in_combat(p, s, what)
        else:
            afterwards(p, s, what)


def go_on(p, s):
    """After a decision: on with what comes next."""
    s.phase = GO
    run(p, s)


def in_a_turn(p, s, what):
    if what == GROUP_ON:
        group_on(p, s)
    elif what == TURN_ON:
        ask(s, AT_TURN, s.active)
    elif what == ACT_ON:
        act_on(p, s)
    elif what == BEGIN:
        begin_turn(s)
    else:
        bribe_on(p, s)


def about_chips(p, s, what):
    if what == LIMIT_ON:
        limit_on(p, s)
    elif what == PAY_ON:
        pay_on(p, s)
    elif what == HIRED:
        hired(p, s)
    elif what == RESERVED:
        reserved(p, s)
    elif what == BOUGHT:
        bought(p, s)
    elif what == BACK_ON:
        back_on(p, s)
    elif what == REVIVED:
        revived(p, s)
    else:
        marker_on(p, s)


def in_combat(p, s, what):
    if what == CHECK_ON:
        check_on(p, s)
    elif what == HELP_ON:
        help_on(p, s)
    elif what == COMPARE:
        compare(p, s)
    elif what == STAKE_ON:
        stake_on(p, s)
    elif what == RAGE_ON:
        rage_on(p, s)
    elif what == COIN_ON:
        ask(s, STAKE, s.attacker)
    elif what == COVER_ON:
        cover_on(p, s)
    elif what == REVEAL:
        reveal(p, s)
    elif what == JUDGE:
        judge(p, s)
    else:
        after_down(p, s)


def afterwards(p, s, what):
    if what == END:
        end_turn(p, s)
    elif what == POLICE_TURN:
        police_turn(p, s)
    elif what == POLICE_ON:
        police_on(p, s)
    elif what == TAKE_ON:
        take_on(p, s)
    elif what == NEXT_TURN:
        next_turn(p, s)
    elif what == BINGO_ON:
        bingo_on(p, s)
    elif what == BID_ON:
        bid_on(p, s)
    else:
        prize_on(p, s)


# ---------------------------------------------------------------- a turn


def begin_turn(s):
    """A clean slate; shown coins go into the bag."""
    sweep(s)
    for maid in cards(s.moved):
        s.trail[maid] = 0
    s.moved = 0
    s.came = 0
    s.group = 0
    s.ran = 0
    s.refused = 0
    s.fought = 0
    s.workers = 0
    s.rage = 0
    s.steps = 0
    s.acted = 0
    s.no_act = 0
    s.had_battle = 0
    s.hired = 0
    s.bought = 0
    s.bingo_moved = 0
    s.closing = 0
    s.promised = 0
    s.action = NONE
    s.here = NONE
    s.spot = NONE
    s.mover = NONE
    s.attacker = NONE
    s.defender = NONE
    s.turns += 1
    ask(s, AT_TURN, s.active)


def arrived(p, s, space):
    """MM-M2, MMQ-16: own maids that came to a space in this turn; or just stand there, if staying is allowed."""
    if p.stay == STAY and s.steps == 0:
        return on(s, s.active, space)
    return on(s, s.active, space) & s.came


def legal_act(p, s):
    found = 0
    if s.no_act:
        return 0
    for space in range(len(s.at)):
        if arrived(p, s, space) and action_left(p, s, space) == ALLOWED:
            found |= bit(space)
    return found


def forbids_act(p, s, space):
    if s.no_act:
        return MM_C11
    return action_left(p, s, space) if arrived(p, s, space) else MM_M2


def go_and_act(p, s, space):
    """MM-M2, MMQ-24: the action, behind a combat check where the reading wants it only here."""
    act(p, s, space)
    if p.check_where == CHECK_AT_ACTION:
        begin_check(p, s, space, s.active)


def waiting_event(p, s):
    """MM-D6, MMQ-22: whether a maid has come to a department space with an event on top."""
    if s.no_act:
        return False
    for space in cards(p.spaces_of_use[DEPARTMENT]):
        top = s.top[slot_of(p, space)]
        if s.came & on(s, s.active, space) and top != NONE and p.card_reward[top]:
            return True
    return False


def forbids_end(p, s):
    """A turn ends without an action only if nothing has to be done."""
    if s.steps == 0:
        return MM_T5
    if waiting_event(p, s):
        return MM_D6
    return MMQ_22 if p.act == MUST_ACT and legal_act(p, s) else ALLOWED


def forbids_pass(p, s):
    """MM-T5, MMQ-86: instead of moving; or only if nothing else can be done."""
    if s.steps:
        return MM_T5
    if p.pass_when == ONLY_STUCK and (legal_lead(p, s) or legal_revive(p, s)):
        return MMQ_86
    return ALLOWED
