"""Moves: small integers with names people type, read and click.

A kind of move is declared in ``game.toml`` with its phase and arguments; its code is
``base + first * size_of_second + second``. A move that carries luck (a shuffle) has the code
``(index of its kind + 1) << 48 | luck``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import pick, say
from workbench.core.pieces import Pieces

LUCK_BITS = 48
MAX_LUCK = (1 << LUCK_BITS) - 1


@dataclass(frozen=True)
class Kind:
    """One kind of move."""

    name: str
    index: int
    base: int
    phases: tuple[str, ...]
    args: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    """The names that each argument can take, in order."""
    rule: str | None
    chance: bool
    luck: bool
    secret: bool
    format: str
    title: dict | str
    sentence: dict | str

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each argument has."""
        return tuple(len(v) for v in self.values)

    @property
    def size(self) -> int:
        """How many codes the kind takes."""
        n = 1
        for k in self.sizes:
            n *= k
        return n

    def code(self, *args: int) -> int:
        """The code of this kind with these arguments (for a kind with luck: the luck number)."""
        if self.luck:
            return ((self.index + 1) << LUCK_BITS) | args[0]
        code = 0
        for size, a in zip(self.sizes, args, strict=True):
            code = code * size + a
        return self.base + code


@dataclass(frozen=True, repr=False)
class Refusal:
    """Why a move is not allowed: the rule's id (None: not a move at all now) and the reason in both languages."""

    move: str
    rule: str | None
    en: str
    ja: str

    def __str__(self) -> str:
        text = pick({"en": self.en, "ja": self.ja})
        return f"{self.move}: {text}" + (f" [{self.rule}]" if self.rule else "")

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"**{self.move}** — {pick({'en': self.en, 'ja': self.ja})}" + (f" `{self.rule}`" if self.rule else "")


class Moves:
    """All kinds of move of a ruleset."""

    def __init__(self, entries: dict, *, pieces: dict[str, Pieces], seat_names: tuple[str, ...],
                 phases: tuple[str, ...], dims: dict[str, int]):
        self.pieces = pieces
        self.kinds: dict[str, Kind] = {}
        base = 0
        for index, (name, e) in enumerate(entries.items()):
            args = tuple(e.get("args", ()))
            values = tuple(_values(a, pieces, seat_names, dims) for a in args)
            in_phases = tuple([e["phase"]] if isinstance(e["phase"], str) else e["phase"])
            for ph in in_phases:
                if ph not in phases:
                    raise UnknownName("phase", ph, phases)
            if len(args) > 2:
                raise RulesetError(say("ruleset.args", kind=name))
            short = " ".join(f"{{{i}}}" for i in range(len(args)))
            kind = Kind(name, index, base, in_phases, args, values, e.get("rule"), bool(e.get("chance") or e.get("luck")),
                        bool(e.get("luck")), bool(e.get("secret")), e.get("name", f"{name} {short}".strip()),
                        e.get("title", name), {k: e[k] for k in ("en", "ja") if k in e} or name)
            self.kinds[name] = kind
            if not kind.luck:
                base += kind.size
        self.size = base
        """How many codes there are beside moves with luck."""
        self._decode = [(k, c) for k in self.kinds.values() if not k.luck for c in range(k.size)]

    def of(self, code: int) -> tuple[Kind, tuple[int, ...]]:
        """The kind and the arguments of a code."""
        if code >> LUCK_BITS:
            return list(self.kinds.values())[(code >> LUCK_BITS) - 1], (code & MAX_LUCK,)
        kind, rest = self._decode[code]
        args: list[int] = []
        for size in reversed(kind.sizes):
            args.insert(0, rest % size)
            rest //= size
        return kind, tuple(args)

    def name(self, code: int) -> str:
        """The short name, as people type it."""
        kind, args = self.of(code)
        if kind.luck:
            return f"{kind.name} {args[0]}"
        return kind.format.format(*(v[a] for v, a in zip(kind.values, args, strict=True)))

    def secret_name(self, code: int) -> str:
        """What others see of a move that is secret or carries luck."""
        return self.of(code)[0].name

    def parse(self, text: str, phase: str) -> int:
        """The code of a name; names of the phase's own kinds win, and their bare arguments are enough.

        Raises:
            UnknownName: no such move; lists what the phase asks for.
        """
        text = " ".join(text.split())
        now = [k for k in self.kinds.values() if phase in k.phases]
        for kind in now + [k for k in self.kinds.values() if phase not in k.phases]:
            code = self._match(kind, text)
            if code is not None:
                return code
        bare = [v for k in now if len(k.args) == 1 for v in k.values[0]]
        raise UnknownName("move", text, [n for k in now for n in self.names_of(k)], bare)

    def names_of(self, kind: Kind) -> list[str]:
        """Every name of a kind ("deal <luck>" for one with luck)."""
        if kind.luck:
            return [f"{kind.name} <{say('luck')}>"]
        return [self.name(kind.base + c) for c in range(kind.size)]

    def _match(self, kind: Kind, text: str) -> int | None:
        words = text.split(" ")
        if words[0] == kind.name:
            words = words[1:]
        elif not kind.args or kind.luck:
            return None
        if kind.luck:
            ok = len(words) == 1 and re.fullmatch(r"\d+", words[0]) and int(words[0]) <= MAX_LUCK
            return kind.code(int(words[0])) if ok else None
        if len(words) == len(kind.args) and all(w in v for w, v in zip(words, kind.values, strict=True)):
            return kind.code(*(v.index(w) for w, v in zip(words, kind.values, strict=True)))
        for c in range(kind.size):  # a format of the ruleset's own
            if self.name(kind.base + c) == text:
                return kind.base + c
        return None


def _values(arg: str, pieces: dict[str, Pieces], seat_names: tuple[str, ...], dims: dict[str, int]) -> tuple[str, ...]:
    if arg == "seat":
        return seat_names
    if arg in pieces:
        return pieces[arg].names
    if arg in dims:
        return tuple(str(i) for i in range(dims[arg]))
    raise UnknownName("argument", arg, ["seat", *pieces, *dims])
