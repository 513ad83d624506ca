"""A draft: a ruleset with its numbers, readings and replaced rules. A value; changing one makes another."""

from __future__ import annotations

import hashlib
import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import dispatch, kernel, meaning
from workbench.core.errors import OutOfRange, RulesetError, UnknownName, WorkbenchError
from workbench.core.language import pick, say
from workbench.core.params import table_line
from workbench.core.ruleset import Ruleset, find, load_ruleset, read_toml
from workbench.core.schema import Field
from workbench.core.vocabulary import ALLOWED

if TYPE_CHECKING:
    from workbench.core.position import Position

_live: weakref.WeakValueDictionary[str, Draft] = weakref.WeakValueDictionary()
"""Drafts of this session by digest, so that a notation line of a cell's draft reads back."""


def load(ruleset: str | Path, draft: str | None = None, *, players: int | None = None, **changes: object) -> Draft:
    """Open a draft of a game.

    Args:
        ruleset: a name (``workbench list`` shows them) or a path to a ruleset folder.
        draft: a named draft of it; the author's text as written when left out.
        players: how many; the game's usual number when left out.
        changes: numbers and readings by name, as in :meth:`Draft.vary`.

    Raises:
        UnknownName, OutOfRange, RulesetError: with what exists, the range, or file and line.

    >>> load("omerta", "proposed", players=3).players
    3
    """
    rules = load_ruleset(ruleset)
    named = named_drafts(rules)
    values, replaced = _inherited(rules, draft or named["default"], named["drafts"])
    name = draft or named["default"]
    d = Draft(rules, name, _players(rules, name, players), values, replaced)
    return d.vary(**changes) if changes else d


def named_drafts(rules: Ruleset) -> dict:
    """The parsed ``drafts.toml``: ``default`` and ``drafts`` by name.

    Raises:
        RulesetError: no drafts, or a default that is none of them.
    """
    file = rules.folder / "drafts.toml"
    doc = read_toml(file)
    drafts = doc.get("drafts")
    if not isinstance(drafts, dict) or not all(isinstance(d, dict) for d in drafts.values()) or doc.get("default") not in drafts:
        raise RulesetError(say("ruleset.drafts", default=doc.get("default")), file=file)
    return doc


def _inherited(rules: Ruleset, name: str, drafts: dict, seen: tuple[str, ...] = ()) -> tuple[dict, dict]:
    if name not in drafts:
        raise UnknownName("draft", name, drafts)
    if name in seen:
        raise RulesetError(say("ruleset.circle", names=" → ".join((*seen, name))), file=rules.folder / "drafts.toml")
    entry = drafts[name]
    if "base" in entry:
        values, replaced = _inherited(rules, entry["base"], drafts, (*seen, name))
    else:
        values, replaced = {p.name: p.check(p.default) for p in rules.parameters.entries.values()}, {}
    try:
        values |= {k: rules.parameters[k].check(v) for k, v in entry.get("changes", {}).items()}
    except (OutOfRange, UnknownName) as e:
        file = rules.folder / "drafts.toml"
        raise RulesetError(f"[drafts.{name}] {e}", file=file, line=table_line(file, f"drafts.{name}")) from None
    if "rules" in entry:
        replaced = replaced | rule_file(rules, rules.folder / entry["rules"])
    return values, replaced


def rule_file(rules: Ruleset, path: Path) -> dict[str, Callable]:
    """The functions of a file of replaced rules; each must be the name of a rule of the ruleset.

    Raises:
        RulesetError, UnknownName: no such file, broken Python, or a name that replaces nothing.
    """
    if not path.is_file():
        raise RulesetError(say("ruleset.missing_file"), file=path)
    module = types.ModuleType(path.stem)
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
    except SyntaxError as e:
        raise RulesetError(say("ruleset.python", why=e.msg), file=path, line=e.lineno) from None
    except Exception as e:
        raise RulesetError(say("ruleset.broke", why=f"{type(e).__name__}: {e}"), file=path) from e
    found = {n: f for n, f in vars(module).items()
             if isinstance(f, types.FunctionType) and f.__code__.co_filename == str(path)}
    for n in found:
        if n not in rules.functions:
            raise UnknownName("function", n, rules.functions)
    return found


def players_of(rules: Ruleset, name: str) -> range:
    """The numbers of players that a named draft is for: its own ``players``, that of its base, or the game's.

    Raises:
        RulesetError: not a table with min and max, or more players than the game has seats.
    """
    drafts, most = named_drafts(rules)["drafts"], rules.schema.max_players
    while name in drafts and "players" not in drafts[name] and "base" in drafts[name]:
        name = drafts[name]["base"]
    told = drafts.get(name, {}).get("players")
    if told is None:
        return rules.players
    if not isinstance(told, dict) or not {"min", "max"} <= set(told) or not 1 <= told["min"] <= told["max"] <= most:
        raise RulesetError(say("ruleset.draft_players", name=name, most=most), file=rules.folder / "drafts.toml")
    return range(told["min"], told["max"] + 1)


def _players(rules: Ruleset, name: str, players: int | None) -> int:
    known = players_of(rules, name)
    n = players if players is not None else rules.default_players if rules.default_players in known else known[-1]
    if n not in known:
        raise OutOfRange(say("players", game=f"{pick(rules.game['title'])} ({name})", n=n, lo=known.start, hi=known.stop - 1))
    return n


class Draft:
    """A draft of a game: compare, vary, start games from it. Never changes.

    Attributes:
        name: the named draft it rests on; values: every number and reading; players: how many;
        digest: twelve hex digits that change when the game could go differently.
    """

    def __init__(self, ruleset: Ruleset, name: str, players: int, values: dict[str, object],
                 replaced: dict[str, Callable], *, alias: str | None = None):
        self.ruleset, self.name, self.players = ruleset, name, players
        self.values, self.replaced, self.alias = values, replaced, alias
        _live[self.digest] = self

    # ------------------------------------------------------------ changing

    def vary(self, *, players: int | None = None, alias: str | None = None, **changes: object) -> Draft:
        """A new draft with other numbers, readings or players.

        Args:
            alias: a name of your own for it, shown in studies and charts.

        Raises:
            UnknownName, OutOfRange: with what exists and the range.

        >>> load("omerta").vary(hero_points=3).changes
        {'hero_points': 3}
        """
        values = self.values | {k: self.ruleset.parameters[k].check(v) for k, v in changes.items()}
        n = self.players if players is None else _players(self.ruleset, self.name, players)
        return Draft(self.ruleset, self.name, n, values, self.replaced, alias=alias)

    def replace(self, *functions: Callable, alias: str | None = None) -> Draft:
        """A new draft in which these functions stand for the rules of the same name. Usable as a decorator.

        Raises:
            UnknownName: no rule of that name; lists them. WorkbenchError: other parameters than the rule has.
        """
        replaced = dict(self.replaced)
        for f in functions:
            name = f.__name__
            old = self.ruleset.functions.get(name)
            if old is None:
                raise UnknownName("function", name, self.ruleset.functions)
            want, met = (list(inspect.signature(g).parameters) for g in (old, f))
            if len(want) != len(met):
                raise WorkbenchError(say("replace", name=name, want=", ".join(want), met=", ".join(met)))
            replaced[name] = meaning.frozen(f)
        return Draft(self.ruleset, self.name, self.players, self.values, replaced, alias=alias)

    # ------------------------------------------------------------ naming

    @cached_property
    def _base_values(self) -> dict[str, object]:
        return _inherited(self.ruleset, self.name, named_drafts(self.ruleset)["drafts"])[0]

    @cached_property
    def _base_replaced(self) -> dict[str, Callable]:
        return _inherited(self.ruleset, self.name, named_drafts(self.ruleset)["drafts"])[1]

    @property
    def changes(self) -> dict[str, object]:
        """What differs from the named draft, by name."""
        return {k: v for k, v in self.values.items() if v != self._base_values[k]}

    @property
    def new_rules(self) -> list[str]:
        """The rules replaced beyond the named draft."""
        base = {n: meaning.source(f) for n, f in self._base_replaced.items()}
        return [n for n, f in self.replaced.items() if base.get(n) != meaning.source(f)]

    @property
    def label(self) -> str:
        """A short name for charts and sentences: the alias, else the named draft with its changes."""
        if self.alias:
            return self.alias
        extra = [f"{k}={_plain(v)}" for k, v in self.changes.items()] + [f"+{n}" for n in self.new_rules]
        return self.name + (f"[{','.join(extra)}]" if extra else "")

    @property
    def key(self) -> str:
        """The draft as one word of a notation line: ``omerta:draft6[hero_points=3]@4``, with the digest where code was replaced."""
        extra = [f"{k}={_plain(v)}" for k, v in self.changes.items()] + [f"+{n}" for n in self.new_rules]
        text = f"{self.ruleset.name}:{self.name}" + (f"[{','.join(extra)}]" if extra else "")
        return f"{text}@{self.players}" + (f"#{self.digest}" if self.new_rules else "")

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits over code, numbers, readings and players."""
        h = hashlib.sha256(self.ruleset.source_digest.encode())
        h.update(repr((self.players, sorted(self.values.items()))).encode())
        for name, f in sorted(self.replaced.items()):
            h.update(name.encode() + meaning.source(f))
        return h.hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Draft) and (self.ruleset.name, self.digest) == (other.ruleset.name, other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{self.key} {self.digest}>"

    def __reduce__(self):
        code = {n: meaning.packed(f) for n, f in self.replaced.items()}
        return _unpack, (str(self.ruleset.folder), self.name, self.players, self.values, code, self.alias)

    # ------------------------------------------------------------ reading

    def rule(self, id: str, lang: str | None = None) -> str:
        """A rule's sentence by id, in ``lang`` or the language in use."""
        return self.ruleset.rule_text(id, lang)

    @property
    def seat_names(self) -> tuple[str, ...]:
        """"P0", "P1", … for the seats in the game."""
        return self.ruleset.schema.seat_names[: self.players]

    # ------------------------------------------------------------ engines

    @cached_property
    def p(self):
        """The parameters as the plain engine reads them."""
        return self.ruleset.parameters.plain(self.values)

    @cached_property
    def record(self) -> np.ndarray:
        """The parameters as the compiled engine reads them: an array of one record."""
        return self.ruleset.parameters.record(self.values)

    @cached_property
    def workspace_dtype(self) -> np.dtype:
        """What a run of games needs beside the states; see :func:`workbench.core.loops.run_games`."""
        moves = self.ruleset.moves
        return np.dtype([("found", "i8", (moves.size + 1,)), ("bots", "i8", (self.ruleset.schema.max_players,)),
                         ("seated", "i8", (self.ruleset.schema.max_players,)),
                         ("kinds", "i8", (len(moves.kinds),))])

    @property
    def info_dtype(self) -> np.dtype:
        """What a run notes of each game."""
        n = self.ruleset.schema.max_players
        return np.dtype([("decisions", "i4"), ("chances", "i4"), ("ended", "i4"), ("score", "i4", (n,)), ("won", "i1", (n,))], align=True)

    @property
    def row_dtype(self) -> np.dtype:
        """What a run notes beside each kept row."""
        return np.dtype([("game", "i4"), ("seat", "i4"), ("move", "i8"), ("options", "i4")], align=True)

    def workspace(self, bots: Sequence[int] = (), kinds: Sequence[int] = ()) -> SimpleNamespace:
        """A plain workspace with these bots by seat and these kinds kept as rows."""
        d = self.workspace_dtype
        rows = {n: [0] * d[n].shape[0] for n in d.names or ()}
        rows["bots"][: len(bots)], rows["kinds"][: len(kinds)] = bots, kinds
        return SimpleNamespace(**rows)

    @cached_property
    def linked_functions(self) -> tuple[dict[str, Callable], dict]:
        """Every function and constant below the joining functions, as the kernel links them."""
        rules = self.ruleset
        functions = {**rules.functions, **self.replaced}
        meaning.known_attributes(functions, {"s": rules.schema.fields, "p": rules.parameters.dtype.names or ()})
        joined = kernel.written(dispatch.source(rules.schema, rules.moves, functions, self.sees_expression), "dispatch")
        wanted = {n: f for n, f in functions.items() if n not in rules.bots}
        found, constants = meaning.gather({**wanted, **joined}, rules.resolve)
        return found, constants

    def sees_expression(self, f: Field) -> str:
        """Who may see a field, as an expression over ``p``: 0 all, 1 owner, 2 nobody."""
        codes = {"all": dispatch.ALL, "owner": dispatch.OWNER, "nobody": dispatch.NOBODY}
        text = codes[f.declared.sees]
        for condition, sees in f.declared.unless.items():
            name, _, reading = condition.partition("=")
            readings = list(self.ruleset.parameters[name].readings)
            if reading not in readings:
                raise UnknownName("reading", reading, readings)
            text = f"({codes[sees]} if p.{name} == {readings.index(reading)} else {text})"
        return text

    @cached_property
    def plain(self) -> kernel.Linked:
        """The plain engine of this draft."""
        functions, constants = self.linked_functions
        bots, more = meaning.gather({n: self.ruleset.functions[n] for n in self.ruleset.bots}, self.ruleset.resolve)
        chooser = kernel.written(dispatch.chooser(list(self.ruleset.bots)), "bots")
        return kernel.link_plain({**bots, **functions, **chooser}, {**constants, **more})

    @property
    def _kinds(self) -> tuple:
        """What the arguments of ``run_games`` are, compiled."""
        from workbench.core.machine.kinds import INT, Record, Row

        state = Record(self.ruleset.schema.dtype, known=(("players", self.players),))
        states, info, row_info = (Row(r, (None,), "") for r in (state, Record(self.info_dtype), Record(self.row_dtype)))
        return (Record(self.ruleset.parameters.dtype), Record(self.workspace_dtype), states, *[INT] * 5, states, states, info, states, row_info)

    def compiled(self, bots: tuple[str, ...] = (), *, cached: bool = True) -> kernel.Compiled:
        """The compiled engine with these bots beside ``random``; compiles at the first call of ``run_games``."""
        key = (self.ruleset.source_digest, self.players, bots, tuple(sorted((n, meaning.source(f)) for n, f in self.replaced.items())))
        if not cached or key not in _compiled:
            functions, constants = self.linked_functions
            extra, more = meaning.gather({n: self.ruleset.functions[n] for n in bots}, self.ruleset.resolve)
            chooser = kernel.written(dispatch.chooser(list(bots)), "bots")
            linked = kernel.Compiled({**extra, **functions, **chooser}, {**constants, **more},
                                     players=self.players, kinds=self._kinds, cached=cached)
            if not cached:
                return linked
            while len(_compiled) > 40:
                _compiled.pop(next(iter(_compiled)))
            _compiled[key] = linked
        return _compiled[key]

    # ------------------------------------------------------------ starting

    def start(self, luck: int | None = 1, *, turned: int = 0) -> Position:
        """The first position of a game.

        Args:
            luck: the game's luck number; chance moves then follow from it by themselves. None: they are
                played by hand (``pos.play("deal 7")``).
            turned: seats turned by this much, as in a study with rotated seats.
        """
        from workbench.core.position import Position

        self.fresh  # noqa: B018 - a draft that cannot be played says so here
        s = self.ruleset.schema.blank(self.players)
        self.plain.cite.take()
        self.plain.setup(self.p, s)
        first = Position(self, self.ruleset.schema.freeze(s), luck=luck, turned=turned,
                         events=tuple(self.plain.cite.take()))
        return first._go_on()

    @cached_property
    def fresh(self):
        """The plain state just after setup: which pieces there are and each pool's total.

        Raises:
            OutOfRange: the ruleset's ``unsound`` names a rule that these numbers and players cannot meet.
        """
        s = self.ruleset.schema.blank(self.players)
        self.plain.setup(self.p, s)
        unsound = self.plain._namespace.get("unsound")
        number = unsound(self.p, s) if unsound else ALLOWED
        self.plain.cite.take()
        if number != ALLOWED:
            id = self.ruleset.rule_ids[number]
            why = self.ruleset.say.get("refusals", {}).get(id)
            raise OutOfRange(say("ruleset.cannot_play", key=self.key, id=id, rule=pick(why) if why else self.rule(id)))
        return s


_compiled: dict[tuple, kernel.Compiled] = {}


def live_draft(digest: str) -> Draft | None:
    """A draft of this session by its digest."""
    return _live.get(digest)


def draft_of_key(key: str) -> Draft:
    """The draft that a notation line names.

    Raises:
        WorkbenchError: not such a word, or a rule replaced in a cell that was not run in this session.
    """
    import re

    m = re.fullmatch(r"([^:\s]+):([^\[@#\s]+)(?:\[([^\]]*)\])?@(\d+)(?:#([0-9a-f]{12}))?", key)
    if not m:
        raise WorkbenchError(say("notation.key", key=key))
    name, draft, changes, players, digest = m.groups()
    if digest:
        known = live_draft(digest)
        if known is None:
            raise WorkbenchError(say("notation.cell", key=key))
        return known
    find(name)
    d = load(name, draft, players=int(players))
    values = {}
    for part in filter(None, (changes or "").split(",")):
        k, _, v = part.partition("=")
        values[k] = d.ruleset.parameters[k].parse(v)
    return d.vary(**values) if values else d


def _plain(v: object) -> str:
    return ".".join(map(str, v)) if isinstance(v, tuple) else str(v)


def _unpack(folder: str, name: str, players: int, values: dict, code: dict, alias: str | None) -> Draft:
    return Draft(load_ruleset(folder), name, players, values, {n: meaning.unpacked(f) for n, f in code.items()}, alias=alias)
