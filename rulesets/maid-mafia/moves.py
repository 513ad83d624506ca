"""The decisions, one small thing each. What a decision brings about stands in the other files."""

from workbench.core.vocabulary import ALLOWED, NONE, bit, cite, holds, phase, reading, rule

from .acting import choose_seller, hire, job, place, police, sell, take_tea
from .fighting import BATTLE, TRAP, attack, down_in_battle, face, flee, help_side, lend, push
from .flow import go_and_act, run
from .moving import answer, begin_group, bribe, halt, join, step
from .owning import buy, fighters, pay_revival, reserve, revive
from .paying import calm, drop, give_back, lift, pay, pour
from .police import arrive, police_take
from .table import ACT_ON, CHECK_ON, COVER_ON, END, HELP_ON, RAGE_ON, REVEAL, STAKE_ON, then

BID, CHECK, GO, HELP, MOVE, PRIZE = phase("bid"), phase("check"), phase("go"), phase("help"), phase("move"), phase("prize")
RAGE, REVIVE, SELL = phase("rage"), phase("revive"), phase("sell")
OWN_STAT = reading("sale_stat", "own")
MM_C12, MM_C7, MM_C8, MM_T5, MM_W4 = rule("MM-C12"), rule("MM-C7"), rule("MM-C8"), rule("MM-T5"), rule("MM-W4")


# ---------------------------------------------------------------- after every decision


def go_on(p, s):
    """On with what comes next."""
    s.phase = GO
    run(p, s)


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
