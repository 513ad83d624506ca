"""What the columns of a study are: declared here once, read here from the records that games leave behind.

Nothing here calls into Polars until ``frame``: the reading runs inside worker processes, and a
forked one must not touch Polars' threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from workbench.core.draft import Draft
from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import LANGUAGES, say
from workbench.core.notation import shown_axes, value_name, value_of
from workbench.core.ruleset import Ruleset
from workbench.core.schema import Field

STORED = {"i1": "Int16", "i2": "Int32", "i4": "Int64", "i8": "Int64"}
"""One size up from the state's own, so that sums and products of columns do not run over."""


@dataclass(frozen=True)
class Column:
    """One column: its name, the Polars type of its values, and its meaning in both languages."""

    name: str
    dtype: str
    meaning: dict
    names: tuple[str, ...] = ()
    """The values of an Enum, in order."""
    part: str = ""
    """For a column that belongs to a seat: its name without the seat ("score" of "score_P0")."""
    seat: str = ""
    about: dict = field(default_factory=dict)
    """For a column that belongs to a seat: its meaning without the seat."""
    of: Field | None = None
    """The field of the state that it is read from."""
    index: tuple[int, ...] = ()

    @property
    def polars(self) -> pl.DataType:
        """The type as Polars knows it."""
        return pl.Enum(self.names) if self.dtype == "Enum" else getattr(pl, self.dtype)()


def told(name: str, dtype: str, names: Sequence[str] = (), key: str = "", **values: object) -> Column:
    """A column whose meaning stands in the messages."""
    meaning = {lang: say(f"study.column.{key or name}", lang, **values) for lang in LANGUAGES}
    return Column(name, dtype, meaning, tuple(names))


# ---------------------------------------------------------------- what game.toml says under [study]


@dataclass(frozen=True)
class Rows:
    """A kind of row of the ruleset's own: kept before these kinds of move."""

    before: tuple[str, ...]
    skip_first: bool
    and_end: bool
    title: dict | str
    columns: tuple[str, ...] = ()
    """Fields that only these rows have as columns, beside those of all rows."""


@dataclass(frozen=True)
class Group:
    """A grouping of a per-seat field's values, such as cards by their number."""

    field: str
    title: dict | str
    values: dict[str, dict]
    """Key of the group → its text in both languages and ``of``: the values that belong to it."""


@dataclass(frozen=True)
class Declared:
    """The [study] table of a ruleset."""

    score: dict | str
    columns: tuple[str, ...]
    rows: dict[str, Rows]
    groups: dict[str, Group]


def declared(ruleset: Ruleset) -> Declared:
    """The [study] table of a ruleset, checked.

    Raises:
        RulesetError: names the file and what is unknown or missing.
    """
    table = ruleset.game.get("study", {})
    try:
        for name in table.get("columns", ()):
            _known("field", name, ruleset.schema.fields)
        for entry in table.get("rows", {}).values():
            for name in entry.get("columns", ()):
                _known("field", name, ruleset.schema.fields)
        rows = {n: _rows(ruleset, n, e) for n, e in table.get("rows", {}).items()}
        groups = {n: _group(ruleset, n, e) for n, e in table.get("groups", {}).items()}
    except (UnknownName, KeyError, TypeError) as e:
        why = str(e) if isinstance(e, UnknownName) else say("study.declared", what=f"{type(e).__name__}: {e}")
        raise RulesetError(f"[study] {why}", file=ruleset.folder / "game.toml") from None
    return Declared(table.get("score", {"en": "points", "ja": "点"}), tuple(table.get("columns", ())), rows, groups)


def _known(what: str, name: str, known: object) -> None:
    if name not in known:  # type: ignore[operator]
        raise UnknownName(what, name, known)  # type: ignore[arg-type]


def _rows(ruleset: Ruleset, name: str, entry: dict) -> Rows:
    for kind in entry["before"]:
        _known("move", kind, ruleset.moves.kinds)
    if name in ("game", "decision", "event"):
        raise RulesetError(say("study.taken", name=name), file=ruleset.folder / "game.toml")
    return Rows(tuple(entry["before"]), entry.get("skip_first", False), entry.get("and_end", False), entry.get("title", name),
                tuple(entry.get("columns", ())))


def _group(ruleset: Ruleset, name: str, entry: dict) -> Group:
    schema = ruleset.schema
    _known("field", entry["field"], [n for n, f in schema.fields.items() if f.axes == (schema.seat_names,)])
    f = schema.fields[entry["field"]]
    values = {key: {**v, "of": [value_name(schema, f, value_of(schema, f, x)) for x in v["of"]]}
              for key, v in entry["values"].items()}
    return Group(entry["field"], entry.get("title", name), values)


# ---------------------------------------------------------------- the columns of each kind of row


def columns_of(draft: Draft, rows: str) -> list[Column]:
    """The columns of a study of this draft with this kind of row; ``draft`` and ``bots`` come last.

    Raises:
        UnknownName: no such kind of row; lists them. RulesetError: two columns of one name.
    """
    own = declared(draft.ruleset)
    _known("rows", rows, ("game", *own.rows, "decision", "event"))
    columns = [told("game", "UInt32"), told("deal", "UInt32"), told("turn", "UInt8", key="seat_turn"), told("luck", "Int64")]
    if rows == "game":
        columns += [told("decisions", "Int32"), told("capped", "Boolean")]
        columns += [_for_seat(n, what, dtype) for what, dtype in (("score", "Int32"), ("won", "Float32")) for n in draft.seat_names]
    elif rows == "decision":
        moves = draft.ruleset.moves
        columns += [told("step", "Int32"), told("seat", "Enum", draft.seat_names), told("kind", "Enum", moves.kinds),
                    told("move", "Enum", dict.fromkeys(_move_names(draft))), told("options", "Int32"), told("forced", "Boolean")]
    elif rows == "event":
        columns += [told("step", "Int32", key="event_step"), told("rule", "Enum", draft.ruleset.rule_ids[1:]),
                    told("seat", "Enum", draft.seat_names, key="event_seat"), told("n", "Int64"), told("points", "Int64")]
    else:
        columns.append(told("row", "Int32", rows=rows))
    if rows not in ("decision", "event"):
        names = own.columns + (own.rows[rows].columns if rows in own.rows else ())
        columns += [c for name in names for c in state_columns(draft, draft.ruleset.schema.fields[name])]
    columns += [told("draft", "Categorical"), told("bots", "Categorical")]
    twice = [n for n, k in itertools.groupby(sorted(c.name for c in columns)) if len(list(k)) > 1]
    if twice:
        raise RulesetError(say("study.taken", name=", ".join(twice)), file=draft.ruleset.folder / "game.toml")
    return columns


def _for_seat(seat: str, part: str, dtype: str) -> Column:
    about = {lang: say(f"study.column.{part}", lang) for lang in LANGUAGES}
    return Column(f"{part}_{seat}", dtype, _at(about, [seat]), part=part, seat=seat, about=about)


def _at(about: dict, where: Sequence[str]) -> dict:
    return {lang: f"{text} ({', '.join(where)})" if where else text for lang, text in about.items()}


def state_columns(draft: Draft, f: Field) -> list[Column]:
    """The columns of one field of the state: one a seat, area, …; of a single value, one."""
    schema, found = draft.ruleset.schema, []
    axes = shown_axes(schema, f, draft.players)
    dtype, names = "Enum", {"seat": draft.seat_names, "one": f.pieces.names if f.pieces else ()}.get(f.sort, ())
    if f.name == "phase":
        names = schema.phases
    elif f.sort == "many":
        dtype = "String"
    elif f.sort == "number":
        dtype = "Boolean" if (f.declared.lo, f.declared.hi) == (0, 1) else STORED[f.storage]
    text = {"en": f.declared.en or f.name, "ja": f.declared.ja or f.declared.en or f.name}
    mine = int(f.axes[:1] == (schema.seat_names,))
    for index in itertools.product(*(range(len(a)) for a in axes)):
        where = [a[i] for a, i in zip(axes, index, strict=True)]
        belongs = dict(part="_".join([f.name, *where[1:]]), seat=where[0], about=_at(text, where[1:])) if mine else {}
        found.append(Column("_".join([f.name, *where]), dtype, _at(text, where), tuple(names), of=f, index=index, **belongs))
    return found


# ---------------------------------------------------------------- reading records


def read_state(draft: Draft, columns: Sequence[Column], records: np.ndarray) -> dict[str, np.ndarray]:
    """The values of the columns that come from the state, as arrays; names of an Enum by number, -1 for none."""
    found = {}
    for c in columns:
        if c.of is not None:
            values = records[c.of.name][(slice(None), *c.index)]
            found[c.name] = _sets(draft, c.of, values) if c.dtype == "String" else np.ascontiguousarray(values)
    return found


def _sets(draft: Draft, f: Field, masks: np.ndarray) -> np.ndarray:
    different, which = np.unique(masks, return_inverse=True)
    names = [value_name(draft.ruleset.schema, f, int(m)).replace(",", " ") for m in different]
    return np.array(names, dtype=str)[which] if names else np.zeros(0, str)


def _move_names(draft: Draft) -> list[str]:
    moves = draft.ruleset.moves
    return [moves.name(code) for code in range(moves.size)]


def read_moves(draft: Draft, codes: np.ndarray) -> dict[str, np.ndarray]:
    """The kinds and names of moves, by number."""
    moves, names = draft.ruleset.moves, _move_names(draft)
    place = {n: i for i, n in enumerate(dict.fromkeys(names))}
    return {"kind": np.array([moves.of(c)[0].index for c in range(moves.size)])[codes],
            "move": np.array([place[n] for n in names])[codes]}


def frame(columns: Sequence[Column], arrays: dict[str, np.ndarray], **constant: str) -> pl.DataFrame:
    """A Polars frame of arrays in the declared order and types; ``constant`` columns say the same in each row."""
    return pl.DataFrame([_series(c, arrays[c.name]) for c in columns if c.name not in constant]).with_columns(
        pl.lit(text).cast(pl.Categorical).alias(name) for name, text in constant.items())


def _series(c: Column, values: np.ndarray) -> pl.Series:
    if c.dtype == "Enum":
        return pl.Series(c.name, values).cast(pl.UInt32, strict=False).cat.to(c.polars)
    return pl.Series(c.name, values).cast(c.polars)
