"""Reads files of worked examples. ``rulesets/EXAMPLES.md`` is the format's page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.checks.toml_lines import line_at, lines_of
from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import pick, say
from workbench.core.ruleset import read_toml

HERE = ("legal", "refused", "to_move")
"""Expectations about the very position after the last listed move: no forced move is taken for them."""
EXPECTATIONS = (*HERE, "fields", "score", "winners", "events", "no_events", "seen_by")


@dataclass(frozen=True)
class Step:
    """One stretch of an example: an edit of the position, moves, and what is then expected."""

    given: dict
    rest: dict
    moves: tuple[str, ...]
    expect: dict[str, object]
    at: tuple
    """Its table in the file, for the line of a failure."""
    moves_at: tuple = ()
    """The table that the moves stand in; another one where an ``under`` block repeats them."""
    given_at: tuple = ()
    stays: bool = False
    """Whether the example looks at the very position after these moves, so that no forced move follows them."""
    title: dict | str = ""
    note: dict | str = ""


@dataclass(frozen=True)
class Run:
    """An example played under one draft."""

    draft: str | None
    changes: dict[str, object]
    players: int | None
    luck: int | None
    position: str | None
    steps: tuple[Step, ...]
    at: tuple


@dataclass(frozen=True)
class Example:
    """A worked example: what it shows, and every way it is played."""

    id: str
    title: dict | str
    rules: tuple[str, ...]
    runs: tuple[Run, ...] = field(repr=False)
    note: dict | str = field(repr=False)
    file: Path = field(repr=False)
    at: tuple = field(repr=False)
    lines: dict = field(repr=False, compare=False)

    @property
    def line(self) -> int | None:
        """The line of its ``[[example]]``."""
        return self.line_of(self.at)

    def line_of(self, path: tuple) -> int | None:
        """The line of one of its keys."""
        return line_at(self.lines, path)

    def name(self, lang: str | None = None) -> str:
        """Its id and title."""
        return f"{self.id} {pick(self.title, lang)}".strip()


# ---------------------------------------------------------------- what a key may hold


def _texts(v: object) -> bool:
    return isinstance(v, str) or isinstance(v, list) and all(isinstance(x, str) for x in v)


def _whole(v: object) -> bool:
    return isinstance(v, int) and not isinstance(v, bool)


def _is(*types: type) -> Callable[[object], bool]:
    return lambda v: isinstance(v, types)


def _tables(v: object) -> bool:
    return isinstance(v, list) and all(isinstance(x, dict) for x in v)


def _numbers(v: object) -> bool:
    return isinstance(v, dict) and all(map(_whole, v.values()))


def _sentences(v: object) -> bool:
    return isinstance(v, dict) and all(isinstance(x, str) for x in v.values())


def _title(v: object) -> bool:
    return isinstance(v, str) or _sentences(v) and bool(v) and set(v) <= {"en", "ja"}  # type: ignore[arg-type]


TEXT, TEXTS, TABLE = (_is(str), "text"), (_texts, "texts"), (_is(dict), "table")
EXPECTED: dict[str, tuple] = {
    "legal": TEXTS, "refused": (_sentences, "refused"), "to_move": TEXT, "fields": TABLE, "score": (_numbers, "numbers"),
    "winners": TEXTS, "events": TEXTS, "no_events": TEXTS, "seen_by": TABLE,
}
STEP: dict[str, tuple] = {"title": (_title, "title"), "note": (_title, "title"), "given": TABLE,
                          "rest": (_is(str, dict), "rest"), "moves": TEXTS, **EXPECTED}
FRAME: dict[str, tuple] = {"draft": TEXT, "drafts": TEXTS, "changes": TABLE, "players": (_whole, "number")}
THEN, UNDER = {"then": (_tables, "tables")}, {"under": (_tables, "tables")}
EXAMPLE: dict[str, tuple] = {"id": TEXT, "rules": TEXTS, "luck": (_whole, "number"), "position": TEXT,
                             **FRAME, **STEP, **THEN, **UNDER}


def split(value: object) -> tuple[str, ...]:
    """Texts from a list or from one text, each split at commas."""
    parts = [value] if isinstance(value, str) else value
    return tuple(" ".join(x.split()) for part in parts for x in part.split(",") if x.strip())  # type: ignore[union-attr]


# ---------------------------------------------------------------- reading


def read_examples(path: str | Path) -> list[Example]:
    """The worked examples of a TOML file, in its order.

    Args:
        path: any file; it need not lie in a ruleset's folder.

    Raises:
        RulesetError: not TOML, an unknown key, or a value that cannot be; with file, line and what was expected.
    """
    path = Path(path)
    if not path.is_file():
        raise RulesetError(say("check.no_file"), file=path)
    doc = read_toml(path)
    return _Reader(path, lines_of(path.read_text("utf-8"))).all(doc)


class _Reader:
    """Reads one file; keeps where things stand."""

    def __init__(self, file: Path, lines: dict):
        self.file, self.lines = file, lines

    def wrong(self, at: tuple, message: str) -> RulesetError:
        return RulesetError(message, file=self.file, line=line_at(self.lines, at))

    def all(self, doc: dict) -> list[Example]:
        self.keys(doc, {"example": (_tables, "tables")}, ())
        found: dict[str, Example] = {}
        for i, entry in enumerate(doc.get("example", [])):
            example = self.example(entry, ("example", i))
            if example.id in found:
                raise self.wrong((*example.at, "id"), say("check.twice", id=example.id, line=found[example.id].line))
            found[example.id] = example
        return list(found.values())

    def keys(self, entry: dict, known: dict[str, tuple], at: tuple) -> None:
        for key, value in entry.items():
            if key not in known:
                raise self.wrong((*at, key), str(UnknownName("key", key, known)))
            fits, what = known[key]
            if not fits(value):
                raise self.wrong((*at, key), say("check.type", key=key, expected=say(f"check.a.{what}"), met=value))

    def example(self, entry: dict, at: tuple) -> Example:
        self.keys(entry, EXAMPLE, at)
        for key in ("id", "rules"):
            if not split(entry.get(key, "")):
                raise self.wrong(at, say("check.needs", key=key))
        if "position" in entry and (both := {"luck", "given"} & set(entry)):
            raise self.wrong((*at, "position"), say("check.both", a="position", b=" / ".join(sorted(both))))
        told = self.steps(entry, at)
        runs = self.runs(entry, {}, told, at)
        for i, under in enumerate(entry.get("under", [])):
            here = (*at, "under", i)
            self.keys(under, {**FRAME, **STEP, **THEN}, here)
            runs += self.runs({**{k: v for k, v in entry.items() if k not in FRAME}, **under}, entry,
                              self.retold(under, told, here), here)
        for run in runs:
            if not any(s.expect for s in run.steps):
                raise self.wrong(run.at, say("check.nothing", keys=", ".join(EXPECTATIONS)))
        return Example(entry["id"], entry.get("title", ""), split(entry["rules"]), tuple(runs), entry.get("note", ""),
                       self.file, at, self.lines)

    def steps(self, entry: dict, at: tuple) -> list[Step]:
        found = [self.step(entry, at)]
        for i, then in enumerate(entry.get("then", [])):
            here = (*at, "then", i)
            self.keys(then, STEP, here)
            found.append(self.step(then, here))
        return found

    def step(self, entry: dict, at: tuple) -> Step:
        rest = entry.get("rest", {})
        expect = {k: entry[k] for k in EXPECTATIONS if k in entry}
        return Step(entry.get("given", {}), {"": rest} if isinstance(rest, str) else rest, split(entry.get("moves", [])),
                    expect, at, at, at, any(k in expect for k in HERE), entry.get("title", ""), entry.get("note", ""))

    def retold(self, under: dict, told: list[Step], at: tuple) -> list[Step]:
        """The example's steps as an ``under`` block plays them: without their expectations, with its own."""
        own = self.steps(under, at)
        first = replace(own[0], given=_merged(told[0].given, own[0].given), rest={**told[0].rest, **own[0].rest},
                        given_at=at if "given" in under else told[0].at, stays=told[0].stays or own[0].stays)
        if "moves" not in under:
            first = replace(first, moves=told[0].moves, moves_at=told[0].at)
        if "then" in under or len(told) == 1:
            return [first, *own[1:]]
        # its expectations come at the end of the story
        between = [replace(s, expect={}) for s in told[1:-1]]
        last = replace(told[-1], expect=first.expect, at=at, stays=own[0].stays)
        return [replace(first, expect={}, stays=told[0].stays), *between, last]

    def runs(self, entry: dict, outer: dict, steps: list[Step], at: tuple) -> list[Run]:
        """One run for each draft named; an ``under`` block adds to what the example says."""
        names = split(entry.get("drafts", entry.get("draft", outer.get("drafts", outer.get("draft", "")))))
        changes = {**outer.get("changes", {}), **entry.get("changes", {})}
        return [Run(name, changes, entry.get("players", outer.get("players")), entry.get("luck"), entry.get("position"),
                    tuple(steps), at) for name in names or (None,)]


def _merged(old: dict, new: dict) -> dict:
    return {**old, **{k: _merged(old[k], v) if isinstance(v, dict) and isinstance(old.get(k), dict) else v
                      for k, v in new.items()}}
