"""The decisions of a combat, one small thing each; fighting.py has what they bring about."""

from workbench.core.vocabulary import ALLOWED, bit, cite, holds, phase, rule

from .fighting import BATTLE, TRAP, attack, down_in_battle, face, flee, help_side, lend, push
from .flow import go_on, run
from .table import CHECK_ON, COVER_ON, HELP_ON, REVEAL, STAKE_ON, then

CHECK, GO, HELP = phase("check"), phase("go"), phase("help")
MM_C12, MM_C7, MM_C8 = rule("MM-C12"), rule("MM-C7"), rule("MM-C8")


# ---------------------------------------------------------------- combat


def forbids_battle(p, s):
    return ALLOWED


def do_battle(p, s):
    s.phase = GO
    attack(p, s, BATTLE)
    run(p, s)


def forbids_trap(p, s):
    return ALLOWED


def do_trap(p, s):
    s.phase = GO
    attack(p, s, TRAP)
    run(p, s)


def forbids_decline(p, s):
    return ALLOWED


def do_decline(p, s):
    """No fight, no help, or no coin for an event."""
    if s.phase == CHECK:
        then(s, CHECK_ON)
    elif s.phase == HELP:
        then(s, HELP_ON)
    go_on(p, s)


def do_target(p, s, who):
    s.phase = GO
    face(s, who)
    run(p, s)


def do_help(p, s, who):
    s.phase = GO
    help_side(p, s, who)
    run(p, s)


def forbids_lend(p, s):
    return ALLOWED


def do_lend(p, s):
    s.phase = GO
    lend(s, 1)
    run(p, s)


def forbids_withhold(p, s):
    return ALLOWED


def do_withhold(p, s):
    s.phase = GO
    lend(s, 0)
    run(p, s)


def forbids_stand(p, s):
    return ALLOWED


def do_stand(p, s):
    then(s, STAKE_ON)
    go_on(p, s)


def legal_flee(p, s):
    return s.purse[s.turn]


def forbids_flee(p, s, coin):
    return ALLOWED if holds(s.purse[s.turn], coin) else MM_C7


def do_flee(p, s, coin):
    s.phase = GO
    flee(p, s, coin)
    run(p, s)


def face_down(s, coin):
    """MM-C8: a coin lies face down before the seat."""
    s.purse[s.turn] ^= bit(coin)
    s.stake[s.turn] = coin


def legal_stake(p, s):
    return s.purse[s.turn]


def forbids_stake(p, s, coin):
    return ALLOWED if holds(s.purse[s.turn], coin) else MM_C8


def do_stake(p, s, coin):
    face_down(s, coin)
    then(s, COVER_ON)
    go_on(p, s)


def legal_cover(p, s):
    return s.purse[s.turn]


def forbids_cover(p, s, coin):
    return ALLOWED if holds(s.purse[s.turn], coin) else MM_C8


def do_cover(p, s, coin):
    face_down(s, coin)
    then(s, REVEAL)
    go_on(p, s)


def forbids_bare(p, s):
    """MM-C12: only in the first comparison."""
    return ALLOWED if s.rounds == 1 else MM_C12


def do_bare(p, s):
    cite(MM_C12, s.turn)
    then(s, REVEAL)
    go_on(p, s)


def do_push(p, s, n):
    s.phase = GO
    push(p, s, n)
    run(p, s)


def do_down(p, s, maid):
    s.phase = GO
    down_in_battle(p, s, maid)
    run(p, s)
