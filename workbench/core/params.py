"""Parameters and rulings: a draft's numbers and readings, each with unit, range and meaning.

Both live in one NumPy record that rules receive as ``p``, so that changing one never recompiles.
A choice or a ruling is stored as the index of its reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.core.errors import OutOfRange, RulesetError, UnknownName
from workbench.core.language import pick, say
from workbench.core.pieces import Pieces


@dataclass(frozen=True)
class Parameter:
    """One number, row of numbers, choice or ruling."""

    name: str
    default: object
    rule: str | None
    question_id: str | None
    """The id of the open question (ruling) or of the author's proposal (variant) behind it."""
    ruling: bool
    unit: str
    lo: int
    hi: int
    length: int
    """0 for a single value, else the longest row."""
    readings: dict[str, dict]
    """For a choice or ruling: reading → meaning."""
    meaning: dict
    reason: dict | str
    source: str

    def check(self, value: object) -> object:
        """The value in its normal form.

        Raises:
            OutOfRange: says the range and the meaning.
        """
        if self.readings:
            if isinstance(value, str) and value in self.readings:
                return value
        elif self.length:
            if (isinstance(value, (list, tuple)) and 0 < len(value) <= self.length
                    and all(self._fits(v) for v in value)):
                return tuple(int(v) for v in value)
        elif isinstance(value, bool) and self.lo <= value <= self.hi or self._fits(value):
            return int(value)  # type: ignore[call-overload]
        raise OutOfRange(say("param.range", name=self.name, value=value, range=self.range,
                             meaning=pick(self.meaning), source=self.question_id or self.rule or self.source))

    def parse(self, text: str) -> object:
        """The value that a text stands for, as in a notation line or on the command line; a row as "2.3.1".

        Raises:
            OutOfRange: says the range and the meaning.
        """
        try:
            value: object = text if self.readings else [int(x) for x in text.split(".")] if self.length else int(text)
        except ValueError:
            value = text
        return self.check(value)

    def _fits(self, v: object) -> bool:
        return isinstance(v, (int, np.integer)) and not isinstance(v, bool) and self.lo <= v <= self.hi

    @property
    def range(self) -> str:
        """The range in words."""
        if self.readings:
            return ", ".join(self.readings)
        unit = f" {self.unit}" if self.unit else ""
        row = say("param.row", n=self.length) if self.length else ""
        return f"{row}{self.lo}..{self.hi}{unit}"

    def stored(self, value: object) -> object:
        """The value as the record keeps it."""
        if self.readings:
            return list(self.readings).index(value)  # type: ignore[arg-type]
        if self.length:
            return list(value) + [0] * (self.length - len(value))  # type: ignore[call-overload, arg-type]
        return value


class PlainParams:
    """The parameters as rules see them when stepping."""

    def __repr__(self) -> str:
        return "params(" + ", ".join(f"{k}={v!r}" for k, v in vars(self).items()) + ")"


class Parameters:
    """All parameters of a ruleset, and the columns of its tables, which rules read from ``p`` too."""

    def __init__(self, entries: dict[str, Parameter], pieces: dict[str, Pieces]):
        self.entries = entries
        self.tables = {f"{k.kind}_{c}": v for k in pieces.values() for c, v in k.columns.items()}
        self.tables |= {n: v for k in pieces.values() for n, v in k.sets.items()}
        layout: list[tuple] = []
        for e in entries.values():
            layout.append((e.name, "i8", (e.length,)) if e.length else (e.name, "i8"))
            if e.length:
                layout.append((f"{e.name}_count", "i8"))
        layout += [(n, "i8", (len(v),)) for n, v in self.tables.items()]
        self.dtype = np.dtype(layout or [("none", "i8")])

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self.entries[name]
        except KeyError:
            raise UnknownName("parameter", name, self.entries) from None

    def record(self, values: dict[str, object]) -> np.ndarray:
        """An array of one record with these values, read-only."""
        r = np.zeros(1, self.dtype)
        for name, e in self.entries.items():
            r[name][0] = e.stored(values[name])
            if e.length:
                r[f"{name}_count"][0] = len(values[name])  # type: ignore[arg-type]
        for name, v in self.tables.items():
            r[name][0] = v
        r.flags.writeable = False
        return r

    def plain(self, values: dict[str, object]) -> PlainParams:
        """The plain object with these values."""
        record, p = self.record(values)[0], PlainParams()
        for name in self.dtype.names or ():
            setattr(p, name, record[name].tolist())
        return p


def read_parameters(doc: dict, file: Path) -> dict[str, Parameter]:
    """Parameters from the parsed ``params.toml``: tables ``[params.*]`` and ``[rulings.*]``.

    Raises:
        RulesetError: names the table and what was expected.
    """
    found: dict[str, Parameter] = {}
    for name, e in doc.get("params", {}).items():
        _need(e, ("value", "en", "ja"), f"params.{name}", file)
        value, choices = e["value"], e.get("choices", {})
        if not choices:
            _need(e, ("min", "max"), f"params.{name}", file)
        length = e.get("length", len(value)) if isinstance(value, list) else 0
        found[name] = Parameter(name, value, e.get("rule"), e.get("variant"), False, e.get("unit", ""),
                                e.get("min", 0), e.get("max", 0), length, choices,
                                {"en": e["en"], "ja": e["ja"]}, "", e.get("source", ""))
    for name, e in doc.get("rulings", {}).items():
        _need(e, ("id", "default", "question", "readings", "reason"), f"rulings.{name}", file)
        if name in found:
            raise RulesetError(say("param.twice", name=name), file=file)
        found[name] = Parameter(name, e["default"], e.get("rule"), e["id"], True, "", 0, 0, 0, e["readings"],
                                e["question"], e["reason"], e.get("source", e["id"]))
    for p in found.values():
        try:
            p.check(p.default)
        except OutOfRange as err:
            table = f"{'rulings' if p.ruling else 'params'}.{p.name}"
            raise RulesetError(f"[{table}] {err}", file=file, line=table_line(file, table)) from None
    return found


def _need(entry: dict, keys: tuple[str, ...], table: str, file: Path) -> None:
    if not isinstance(entry, dict):
        raise RulesetError(say("param.table", table=table, met=entry), file=file)
    for k in keys:
        if k not in entry:
            raise RulesetError(say("param.needs", table=table, key=k), file=file, line=table_line(file, table))


def table_line(file: Path, table: str) -> int | None:
    """The line of a TOML file on which ``[table]`` begins, where it is written so."""
    heads = (i for i, text in enumerate(file.read_text("utf-8").splitlines(), 1) if text.strip().startswith(f"[{table}]"))
    return next(heads, None)
