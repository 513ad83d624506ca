"""Promises: at a human table a chip and a word. The word itself is spoken; what is kept here is that it was given, and its mark."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, holds, phase, rule, seats

from .moves import go_on
from .table import LIMIT_ON, TURN_ON, ask, then

CONSENT = phase("consent")
MM_K2 = rule("MM-K2")


# ---------------------------------------------------------------- giving and marking


def legal_promise(p, s):
    """MM-K2, MMQ-83: the active player may offer one a turn, if there is a chip to give."""
    if not p.promises or s.promised or s.purse[s.active] | s.tea[s.active] == 0:
        return 0
    return (1 << s.players) - 1 ^ bit(s.active)


def forbids_promise(p, s, who):
    return ALLOWED if holds(legal_promise(p, s), who) else MM_K2


def do_promise(p, s, who):
    s.promised = 1
    s.partner = who
    ask(s, CONSENT, who)


def legal_give(p, s):
    return s.purse[s.turn]


def forbids_give(p, s, coin):
    return ALLOWED if holds(s.purse[s.turn], coin) else MM_K2


def do_give(p, s, coin):
    s.purse[s.turn] ^= bit(coin)
    s.fresh[s.partner] |= bit(coin)
    given(p, s)


def legal_give_tea(p, s):
    return s.tea[s.turn]


def forbids_give_tea(p, s, chip):
    return ALLOWED if holds(s.tea[s.turn], chip) else MM_K2


def do_give_tea(p, s, chip):
    s.tea[s.turn] ^= bit(chip)
    s.fresh_tea[s.partner] |= bit(chip)
    given(p, s)


def given(p, s):
    """MM-K2: the chip is handed over, and the partner owes what was agreed."""
    s.bonds[s.turn][s.partner] += 1
    cite(MM_K2, s.turn, s.partner)
    s.partner = NONE
    then(s, TURN_ON)
    then(s, LIMIT_ON)
    go_on(p, s)


def legal_kept(p, s):
    """Whose promise the active player can tick off."""
    found = 0
    if p.promises:
        for who in seats(s):
            if s.bonds[s.turn][who]:
                found |= bit(who)
    return found


def forbids_kept(p, s, who):
    return ALLOWED if holds(legal_kept(p, s), who) else MM_K2


def do_kept(p, s, who):
    s.bonds[s.turn][who] -= 1
    s.kept[who] += 1


def legal_broken(p, s):
    return legal_kept(p, s)


def forbids_broken(p, s, who):
    return forbids_kept(p, s, who)


def do_broken(p, s, who):
    s.bonds[s.turn][who] -= 1
    s.broken[who] += 1
