"""The decisions, one small thing each. What a decision brings about stands in the other files."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, holds, phase, reading, rule, seats

from .acting import choose_seller, hire, job, place, police, sell, take_tea
from .fights import face_down
from .flow import go_and_act, go_on, run
from .moving import answer, begin_group, bribe, halt, join, step
from .owning import buy, fighters, pay_revival, reserve, revive
from .paying import calm, drop, give_back, lift, pay, pour
from .police import arrive, police_take
from .table import ACT_ON, END, LIMIT_ON, RAGE_ON, TURN_ON, ask, then

BID, CONSENT, GIVE, GIVE_TEA, GO = phase("bid"), phase("consent"), phase("give"), phase("give_tea"), phase("go")
MOVE, PRIZE, RAGE, REVIVE, SELL = phase("move"), phase("prize"), phase("rage"), phase("revive"), phase("sell")
OWN_STAT = reading("sale_stat", "own")
MM_C8, MM_K2, MM_T5, MM_W4 = rule("MM-C8"), rule("MM-K2"), rule("MM-T5"), rule("MM-W4")


# ---------------------------------------------------------------- moving


def do_lead(p, s, maid):
    begin_group(s, maid)
    s.phase = MOVE


def do_join(p, s, maid):
    join(p, s, maid)


def forbids_agree(p, s):
    return ALLOWED


def do_agree(p, s):
    answer(p, s, 1)


def forbids_refuse(p, s):
    return ALLOWED


def do_refuse(p, s):
    answer(p, s, 0)


def do_step(p, s, space):
    s.phase = GO
    step(p, s, space)
    run(p, s)


def do_halt(p, s):
    s.phase = GO
    halt(p, s)
    run(p, s)


def do_bribe(p, s, coin):
    s.phase = GO
    bribe(p, s, coin)
    run(p, s)


def do_act(p, s, space):
    s.phase = GO
    go_and_act(p, s, space)
    run(p, s)


def do_end(p, s):
    then(s, END)
    go_on(p, s)


def do_pass(p, s):
    cite(MM_T5, s.active)
    s.passes[s.active] += 1
    do_end(p, s)


# ---------------------------------------------------------------- actions


def forbids_job(p, s):
    return ALLOWED


def do_job(p, s):
    s.phase = GO
    job(p, s)


def do_hire(p, s, maid):
    s.phase = GO
    hire(p, s, maid)
    run(p, s)


def do_tea(p, s, chip):
    prize = s.phase == PRIZE
    s.phase = GO
    take_tea(p, s, chip, prize)
    run(p, s)


def do_seller(p, s, maid):
    choose_seller(s, maid)


def do_sell(p, s, chip):
    sell(p, s, chip)


def do_place(p, s, tile):
    place(p, s, tile)


def do_police(p, s, n):
    s.phase = GO
    police(p, s, n)
    run(p, s)


def do_reserve(p, s):
    s.phase = GO
    reserve(p, s)
    run(p, s)


def do_buy(p, s, maid):
    s.phase = GO
    buy(p, s, maid)
    run(p, s)


def do_revive(p, s, maid):
    s.phase = GO
    revive(p, s, maid)
    run(p, s)


def do_enough(p, s):
    """Nothing more: of this action, of the maids to revive, or of the anger to use."""
    was = s.phase
    s.phase = GO
    if was == RAGE:
        s.raging += 1
        then(s, RAGE_ON)
    elif was == REVIVE:
        pay_revival(p, s)
    else:
        s.workers = 0
        s.seller = NONE
        then(s, ACT_ON)
    run(p, s)


def legal_rage(p, s):
    """MM-W4: own angry maids whose stat is about to be used."""
    if s.phase == RAGE:
        about = s.side[s.raging]
    elif s.phase == BID:
        about = fighters(p, s, s.turn)
    elif s.phase == SELL and p.sale_stat == OWN_STAT:
        about = bit(s.seller)
    else:
        about = s.workers
    return about & s.maids[s.turn] & s.angry & ~s.rage


def forbids_rage(p, s, maid):
    return ALLOWED if holds(legal_rage(p, s), maid) else MM_W4


def do_rage(p, s, maid):
    s.rage |= bit(maid)
    cite(MM_W4, s.turn, maid)
    if s.phase == RAGE:
        then(s, RAGE_ON)
        go_on(p, s)


# ---------------------------------------------------------------- chips and markers


def do_pay(p, s, coin):
    s.phase = GO
    pay(p, s, coin)
    run(p, s)


def do_drop(p, s, coin):
    s.phase = GO
    drop(p, s, coin)
    run(p, s)


def do_pour(p, s, chip):
    s.phase = GO
    pour(p, s, chip)
    run(p, s)


def do_back(p, s, coin):
    s.phase = GO
    give_back(p, s, coin)
    run(p, s)


def do_lift(p, s, slot):
    s.phase = GO
    lift(p, s, slot)
    run(p, s)


def do_calm(p, s, maid):
    s.phase = GO
    calm(p, s, maid)
    run(p, s)


def do_leave(p, s):
    s.wanted = NONE
    go_on(p, s)


# ---------------------------------------------------------------- events


def legal_bid(p, s):
    return s.purse[s.turn]


def forbids_bid(p, s, coin):
    return ALLOWED if holds(s.purse[s.turn], coin) else MM_C8


def do_bid(p, s, coin):
    face_down(s, coin)
    go_on(p, s)


# ---------------------------------------------------------------- the police


def do_fork(p, s, space):
    s.phase = GO
    arrive(p, s, space)
    run(p, s)


def do_take(p, s, slot):
    s.phase = GO
    police_take(p, s, slot)
    run(p, s)


# ---------------------------------------------------------------- promises: the word is spoken; here is that it was given, and its mark


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


def forbids_coin_gift(p, s):
    return ALLOWED if s.purse[s.turn] else MM_K2


def do_coin_gift(p, s):
    """That it is a coin is open, as everybody sees how many coins there are (MMQ-97); which one is not."""
    s.phase = GIVE


def forbids_tea_gift(p, s):
    return ALLOWED if s.tea[s.turn] else MM_K2


def do_tea_gift(p, s):
    s.phase = GIVE_TEA


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
