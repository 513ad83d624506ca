"""The words that rules are written in. A ``rules.py`` imports this module and nothing else.

Everything here means the same in both engines. ``kernel`` swaps a few functions for faster
twins when it compiles (marked *twin* below); the plain ones are the definition.

Three groups: *declarations* (``state``, ``many``, ``one``, ``seat``, ``number``, ``flag``),
*handles* that stand for a name of the ruleset and become a small integer when the rules are
linked (``rule``, ``reading``, ``phase``, ``piece``, ``move``), and *words* used inside rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field as _field

# ---------------------------------------------------------------- constants

ALLOWED = 0
"""What a ``forbids_…`` function returns when no rule stands against the move."""
NONE = -1
"""No card, no seat."""
HIDDEN = -2
"""In a seat's view: there is a piece here, and this seat may not know which."""
CHANCE = -3
"""``to_move``: the next move is a chance move."""
OVER = -4
"""``to_move``: the game has ended."""

# ---------------------------------------------------------------- handles


@dataclass(frozen=True)
class Handle:
    """A name of the ruleset, resolved to a number when the rules are linked."""

    sort: str
    names: tuple[str, ...]


def rule(id: str) -> Handle:
    """The rule with this id, to return from ``forbids_…`` or to cite."""
    return Handle("rule", (id,))


def reading(ruling: str, name: str) -> Handle:
    """One reading of a ruling (or one choice of a parameter), to compare ``p.<ruling>`` with."""
    return Handle("reading", (ruling, name))


def phase(name: str) -> Handle:
    """A phase from ``game.toml``, to compare ``s.phase`` with. ``phase("over")`` always exists."""
    return Handle("phase", (name,))


def piece(kind: str, name: str) -> Handle:
    """One piece of a kind from ``game.toml``, by its short name."""
    return Handle("piece", (kind, name))


def move(kind: str) -> Handle:
    """A kind of move, for :func:`is_move`, :func:`first` and :func:`second`; used by bots."""
    return Handle("move", (kind,))


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True)
class Declared:
    """A field as written in ``state(…)``; :mod:`workbench.core.schema` gives it a name and a layout."""

    sort: str
    piece: str | None = None
    lo: int = 0
    hi: int = 0
    per: tuple = ()
    sees: str = "all"
    unless: dict = _field(default_factory=dict)
    place: bool = False
    pool: str | None = None
    derived: bool = False
    en: str = ""
    ja: str = ""


def _per(per: object) -> tuple:
    return () if per is None else tuple(per) if isinstance(per, (tuple, list)) else (per,)


def many(piece: str, *, per: object = None, sees: str = "all", unless: dict | None = None,
         place: bool = True, derived: bool = False, en: str = "", ja: str = "") -> Declared:
    """A set of pieces of one kind (at most 63 of them exist); ``place``: a piece here is nowhere else."""
    return Declared("many", piece, per=_per(per), sees=sees, unless=unless or {},
                    place=place and not derived, derived=derived, en=en, ja=ja)


def one(piece: str, *, per: object = None, sees: str = "all", unless: dict | None = None,
        place: bool = True, derived: bool = False, en: str = "", ja: str = "") -> Declared:
    """One piece of a kind, or none."""
    return Declared("one", piece, per=_per(per), sees=sees, unless=unless or {},
                    place=place and not derived, derived=derived, en=en, ja=ja)


def seat(*, per: object = None, sees: str = "all", unless: dict | None = None,
         derived: bool = False, en: str = "", ja: str = "") -> Declared:
    """A seat, or none."""
    return Declared("seat", per=_per(per), sees=sees, unless=unless or {}, derived=derived, en=en, ja=ja)


def number(lo: int, hi: int, *, per: object = None, sees: str = "all", unless: dict | None = None,
           pool: str | None = None, derived: bool = False, en: str = "", ja: str = "") -> Declared:
    """A whole number from ``lo`` to ``hi``; numbers of one ``pool`` always add up to the same total."""
    return Declared("number", lo=lo, hi=hi, per=_per(per), sees=sees, unless=unless or {},
                    pool=pool, derived=derived, en=en, ja=ja)


def flag(*, per: object = None, sees: str = "all", unless: dict | None = None,
         derived: bool = False, en: str = "", ja: str = "") -> Declared:
    """Yes (1) or no (0)."""
    return number(0, 1, per=per, sees=sees, unless=unless, derived=derived, en=en, ja=ja)


def state(**fields: Declared) -> dict[str, Declared]:
    """The state of the game, field by field. ``phase``, ``turn`` and ``players`` are added to it.

    ``sees`` is "all", "owner" (the seat that the field's first dimension names) or "nobody";
    ``unless={"ruling=reading": "owner"}`` changes it under one reading of a ruling.
    ``derived=True`` marks what ``derive(p, s)`` works out from the rest.
    """
    return fields


# ---------------------------------------------------------------- words: citing


def cite(rule, seat=NONE, n=0):
    """Say that this rule acted, for which seat, with which number. *Twin*: nothing when compiled."""


# ---------------------------------------------------------------- words: sets of pieces


def bit(card):
    """The set that holds this one piece."""
    return 1 << card


def holds(pieces, card):
    """Whether the piece is in the set."""
    return (pieces >> card) & 1 == 1


def lowest(pieces):
    """The first piece of a set that is not empty. *Twin*: one machine instruction."""
    return (pieces & -pieces).bit_length() - 1


def nth(pieces, k):
    """The piece with ``k`` pieces of the set before it. *Twin*: one machine instruction."""
    for _ in range(k):
        pieces &= pieces - 1
    return lowest(pieces)


def count(pieces):
    """How many pieces the set holds. *Twin*: one machine instruction."""
    return pieces.bit_count()


def cards(pieces):
    """Each piece of the set, in order."""
    while pieces:
        yield lowest(pieces)
        pieces &= pieces - 1


def listed_cards(pieces):
    """The plain engine's ``cards``: a list, made without a call for each piece."""
    found = []
    while pieces:
        low = pieces & -pieces
        found.append(low.bit_length() - 1)
        pieces ^= low
    return found


# ---------------------------------------------------------------- words: seats


def seats(s):
    """Each seat of the game, from the first."""
    return range(s.players)


def left_of(s, seat):
    """The next seat clockwise."""
    seat += 1
    return 0 if seat == s.players else seat


def steps_from(s, start, seat):
    """How many seats clockwise from ``start`` to ``seat``."""
    steps = seat - start
    return steps + s.players if steps < 0 else steps


# ---------------------------------------------------------------- words: luck


def mix(luck, k):
    """The ``k``-th number (48 bits) that follows from a luck number. *Twin*: 64-bit arithmetic."""
    z = (luck + (k + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return (z ^ (z >> 31)) >> 16


def below(mixed, n):
    """A number from 0 to n - 1 out of a mixed one, each equally likely (n below 32,768)."""
    return (mixed * n) >> 48


def shuffle(items, n, luck):
    """Put the first ``n`` items of a row into the order that the luck number says."""
    for i in range(n - 1, 0, -1):
        j = below(mix(luck, i), i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


def new_row(n):
    """A row of n zeros to work with inside a rule. *Twin*: an array."""
    return [0] * n


def deal(deck, hands, up_to, players, luck):
    """Shuffle the set ``deck`` and deal from it until each hand holds ``up_to`` pieces; return what is left."""
    row = new_row(count(deck))
    n = 0
    for card in cards(deck):
        row[n] = card
        n += 1
    shuffle(row, n, luck)
    i = 0
    for seat in range(players):
        for _ in range(up_to - count(hands[seat])):
            if i < n:
                hands[seat] |= bit(row[i])
                i += 1
    rest = 0
    while i < n:
        rest |= bit(row[i])
        i += 1
    return rest


# ---------------------------------------------------------------- words: moves (for bots)


def is_move(kind, code):
    """Whether the move is of this kind."""
    return kind[0] <= code < kind[0] + kind[1]


def first(kind, code):
    """The first argument of a move of this kind."""
    return (code - kind[0]) // kind[2]


def second(kind, code):
    """The second argument of a move of this kind."""
    return (code - kind[0]) % kind[2]
