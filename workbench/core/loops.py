"""The loops that play whole games, written in the rules' own language and linked with them.

The plain engine runs the same text, over lists of plain states, as the compiled engine runs over
arrays of records: that is what makes their results comparable byte for byte.

Luck: game ``g`` of a study belongs to deal ``g // turns`` and sees it from seat turn ``g % turns``.
A deal's luck number is ``mix(seed, deal)``; its first chance move takes that number itself, the
k-th takes ``mix(luck, k)``; the bots' own numbers come from another stream, so that two drafts
meet the same deals whatever the bots do.
"""

# ruff: noqa: F821 - the names of a ruleset's functions are bound when linked

from workbench.core.vocabulary import CHANCE, NONE, OVER, mix

OUTSIDE = ("copy_state",)
"""About states themselves: not rules, so not linked like them; the compiled twin is in ``kernel``."""


def copy_state(to, s):
    """Copy a plain state into another."""
    for name, value in vars(s).items():
        setattr(to, name, copied(value))


def copied(value):
    """A deep copy of nested rows; ints are themselves."""
    return type(value)(copied(v) for v in value) if isinstance(value, list) else value


def deal_luck(seed, deal):
    """The luck number of a study's deal."""
    return mix(seed, deal)


def chance_luck(luck, k):
    """The luck number of a game's k-th chance move."""
    return luck if k == 0 else mix(luck, k)


def bot_stream(luck, turned):
    """The luck number that a game's bots draw from, the d-th decision with ``mix(stream, d)``."""
    return mix(luck, 1_000_003 + turned)


def run_games(p, w, start, seed, first, games, turns, cap, states, view, info, rows, row_info):
    """Play games ``first`` to ``first + games - 1`` to their end, each into its own blank state.

    w: the workspace: ``found`` (room for legal moves), ``bots`` (per seat the number of its bot; the
    bot of seat 0 sits at seat ``turned``), ``seated`` (filled here), ``kinds`` (1: before each move of this kind a row is kept).
    start: empty, or one position a game to play on from. view: one state, what a bot may see.
    cap: decisions after which a game is stopped. info[g]: decisions, chance moves, how it ended
    (0 by the rules, 1 at the cap, 2 no legal move), score and won by seat. A kept row is the state in
    ``rows`` and, in ``row_info``, the game, the seat, the move and how many moves were legal.
    Returns how many rows there were, which can be more than there was room for; the caller then
    comes again with more room.
    """
    kept = 0
    room = len(rows)
    deal = first // turns
    turned = first % turns - 1
    for g in range(games):
        turned += 1
        if turned == turns:
            turned = 0
            deal += 1
        luck = deal_luck(seed, deal)
        stream = bot_stream(luck, turned)
        s = states[g]
        if len(start) > 0:
            copy_state(s, start[g])
        else:
            setup(p, s)
        for seat in seats(s):
            w.seated[seat + turned - (s.players if seat + turned >= s.players else 0)] = w.bots[seat]
        decisions = 0
        chances = 0
        ended = 0
        while True:
            who = to_move(p, s)
            if who == OVER:
                break
            n = 0
            if who == CHANCE:
                code = chance(p, s, chance_luck(luck, chances), turned)
                chances += 1
            else:
                if decisions >= cap:
                    ended = 1
                    break
                ticket = mix(stream, decisions)
                decisions += 1
                if w.seated[who] == 0:
                    code = pick(p, s, w, ticket)
                else:
                    n = legal(p, s, w)
                    code = choose(w.seated[who], p, s, view[0], who, w, n, ticket) if n > 0 else NONE
                if code == NONE:
                    ended = 2
                    decisions -= 1
                    break
            if room > 0 and w.kinds[kind_of(code)] == 1:
                if kept < room:
                    copy_state(rows[kept], s)
                    row = row_info[kept]
                    row.game = g
                    row.seat = who
                    row.move = code
                    row.options = n if n > 0 or who == CHANCE else legal(p, s, w)
                kept += 1
            apply(p, s, code)
        result = info[g]
        result.decisions = decisions
        result.chances = chances
        result.ended = ended
        for seat in seats(s):
            result.score[seat] = score(p, s, seat)
            result.won[seat] = won(p, s, seat)
    return kept
