"""The loops that play whole games, written in the rules' own language and linked with them.

The plain engine runs the same text, over lists of plain states, as the compiled engine runs over
arrays of records: that is what makes their results comparable byte for byte.

Luck: game ``g`` of a study belongs to deal ``g // turns`` and sees it from seat turn ``g % turns``.
A deal's luck number is ``mix(seed, deal)``; its first chance move takes that number itself, the
k-th takes ``mix(luck, k)``; the bots' own numbers come from another stream, so that two drafts
meet the same deals whatever the bots do.
"""

# ruff: noqa: F821 - the names of a ruleset's functions are bound when linked

from workbench.core.vocabulary import CHANCE, OVER, mix

OUTSIDE = ("copy_state", "keep_row")
"""Functions about the states themselves: not rules, so not linked like them; compiled twins in ``kernel``."""


def copy_state(view, s):
    """Copy a plain state into ``view[0]``."""
    for name, value in vars(s).items():
        setattr(view[0], name, copied(value))


def keep_row(rows, i, s):
    """Keep a copy of a plain state as ``rows[i]``."""
    rows[i] = type(s)()
    for name, value in vars(s).items():
        setattr(rows[i], name, copied(value))


def copied(value):
    """A deep copy of nested rows; ints are themselves."""
    return type(value)(copied(v) for v in value) if isinstance(value, list) else value


def deal_luck(seed, deal):
    """The luck number of a study's deal."""
    return mix(seed, deal)


def chance_luck(luck, k):
    """The luck number of a game's k-th chance move."""
    return luck if k == 0 else mix(luck, k)


def bot_luck(luck, turned, decision):
    """The number a bot draws with at a game's decision, apart from the luck of the deals."""
    return mix(mix(luck, 1_000_003 + turned), decision)


def play_on(p, s, luck, turned, bots, cap, view, found, info, kinds, rows, row_info, g, kept):
    """Play game ``g`` from state ``s`` to its end; see :func:`run_games`. Returns how many rows there are now."""
    room = len(row_info)
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
            n = legal(p, s, found)
            if n == 0:
                ended = 2
                break
            if decisions >= cap:
                ended = 1
                break
            code = found[0]
            if n > 1:
                bot = bots[(who - turned + s.players) % s.players]
                code = choose(bot, p, s, view, who, found, n, bot_luck(luck, turned, decisions))
            decisions += 1
        if room > 0 and kinds[kind_of(code)] == 1:
            if kept < room:
                keep_row(rows, kept, s)
                row_info[kept][0] = g
                row_info[kept][1] = who
                row_info[kept][2] = code
                row_info[kept][3] = n
            kept += 1
        apply(p, s, code)
    info[g][0] = decisions
    info[g][1] = chances
    info[g][2] = ended
    for seat in seats(s):
        info[g][3 + seat] = score(p, s, seat)
        info[g][3 + s.players + seat] = won(p, s, seat)
    return kept


def run_games(p, seed, first, games, turns, bots, cap, states, view, found, info, kinds, rows, row_info):
    """Play games ``first`` to ``first + games - 1`` to their end, each into its own state.

    states: ``games`` blank states; view: one more, what a bot may see; found: room for legal moves.
    bots: per seat the number of its bot; the bot of seat 0 sits at seat ``turned``.
    cap: decisions after which a game is stopped. info[g] = [decisions, chance moves, how it ended
    (0 by the rules, 1 at the cap, 2 no legal move), score by seat, won by seat].
    kinds[k] = 1: before each move of kind k a row is kept in ``rows`` and, in ``row_info``,
    [game, seat, move, how many were legal]. Returns how many rows there were, which can be more
    than there was room for; the caller then comes again with more room.
    """
    kept = 0
    for g in range(games):
        luck = deal_luck(seed, (first + g) // turns)
        setup(p, states[g])
        kept = play_on(p, states[g], luck, (first + g) % turns, bots, cap, view, found, info, kinds,
                       rows, row_info, g, kept)
    return kept


def run_from(p, start, seed, first, games, bots, cap, states, view, found, info, kinds, rows, row_info):
    """Play on from a position, ``start[g]``, in each game with luck of its own; see :func:`run_games`."""
    kept = 0
    for g in range(games):
        keep_row(states, g, start[g])
        kept = play_on(p, states[g], deal_luck(seed, first + g), 0, bots, cap, view, found, info, kinds,
                       rows, row_info, g, kept)
    return kept
