"""Named sets of pieces (cards, suits, areas, …) and dimensions, as ``game.toml`` declares them."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import pick, say


@dataclass(frozen=True)
class Pieces:
    """One kind of piece: short names in order (index = the number that rules use) and titles."""

    kind: str
    names: tuple[str, ...]
    titles: tuple[dict, ...]
    title: dict | str
    columns: dict[str, tuple[int, ...]]
    sets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """For a column that names another kind: the set of pieces with each of its values (``cards_of_suit``)."""

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """The number of the piece with this short name."""
        try:
            return self._lookup[name]
        except KeyError:
            raise UnknownName("piece", name, self.names) from None

    @property
    def _lookup(self) -> dict[str, int]:
        table = self.__dict__.get("_table")
        if table is None:
            table = {n: i for i, n in enumerate(self.names)}
            self.__dict__["_table"] = table
        return table

    def title_of(self, index: int, lang: str | None = None) -> str:
        """What a person reads for piece ``index``."""
        return pick(self.titles[index], lang)


def read_pieces(kind: str, entry: dict, data: Path, file: Path, known: dict[str, Pieces]) -> Pieces:
    """One ``[pieces.<kind>]`` table: ``names``, ``product`` of lists, or a CSV ``table`` with a name column.

    Args:
        known: the kinds read before it, which the columns of its table may name.
    """
    title = entry.get("title", kind)
    if "table" in entry:
        return _from_table(kind, title, data / entry["table"], entry, known)
    if "product" in entry:
        parts = [[str(x) for x in part] for part in entry["product"]]
        names = ["".join(combo) for combo in itertools.product(*parts)]
    elif "names" in entry:
        names = [str(x) for x in entry["names"]]
    else:
        raise RulesetError(say("ruleset.pieces", kind=kind), file=file)
    titles = entry.get("titles") or names
    if len(titles) != len(names) or len(set(names)) != len(names):
        raise RulesetError(say("ruleset.pieces", kind=kind), file=file)
    return Pieces(kind, tuple(names), tuple(titles), title, {})


def _from_table(kind: str, title: dict | str, path: Path, entry: dict, known: dict[str, Pieces]) -> Pieces:
    """Pieces from a CSV table: ``name``, optional ``en``/``ja``, and columns for the rules.

    A column holds whole numbers, in the range that ``columns.<column> = {min = …, max = …}`` gives, or names of
    another kind of piece, where ``columns.<column> = "<kind>"``. ``checks`` says what the table as a whole must keep.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as f:
            reader = csv.DictReader(f, strict=True)
            header = reader.fieldnames or []
            for wanted in ("name", *entry.get("columns", ())):
                if wanted not in header:
                    raise RulesetError(say("ruleset.csv_name", column=wanted, header=", ".join(header)), file=path, line=1)
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise RulesetError(say("ruleset.csv_width", n=len(header)), file=path, line=reader.line_num)
                rows.append((reader.line_num, row))
    except FileNotFoundError:
        raise RulesetError(say("ruleset.missing_file"), file=path) from None
    except csv.Error as e:
        raise RulesetError(say("ruleset.csv", why=e), file=path, line=reader.reader.line_num) from None
    names, titles, seen = [], [], {}
    meant = {c: _meant(kind, c, entry, known) for c in header if c not in ("name", "en", "ja")}
    columns: dict[str, list[int]] = {c: [] for c in meant}
    for line, row in rows:
        name = row["name"]
        if not name or name in seen:
            raise RulesetError(say("ruleset.csv_twice", name=name, line=seen.get(name, line)), file=path, line=line)
        seen[name] = line
        names.append(name)
        titles.append({"en": row.get("en") or name, "ja": row.get("ja") or row.get("en") or name})
        for column, values in columns.items():
            values.append(_cell(column, row[column], meant[column], path, line))
    kinds = {c: m.names for c, m in meant.items() if isinstance(m, Pieces)}
    for check in entry.get("checks", ()):
        for line, message in _faults(check, rows, kinds):
            raise RulesetError(message, file=path, line=line)
    sets = {f"{kind}s_of_{c}": tuple(sum(1 << i for i, v in enumerate(columns[c]) if v == k) for k in range(len(values)))
            for c, values in kinds.items() if len(names) <= 63}
    return Pieces(kind, tuple(names), tuple(titles), title, {c: tuple(v) for c, v in columns.items()}, sets)


def _meant(kind: str, column: str, entry: dict, known: dict[str, Pieces]) -> Pieces | dict:
    """What the values of a column are: another kind of piece, or whole numbers with their range, if any."""
    told = entry.get("columns", {}).get(column, {})
    if isinstance(told, str) and told not in known:
        raise UnknownName("piece_kind", told, known)
    return known[told] if isinstance(told, str) else told


def _cell(column: str, text: str, meant: Pieces | dict, path: Path, line: int) -> int:
    if isinstance(meant, Pieces):
        if text not in meant.names:
            raise RulesetError(say("ruleset.csv_piece", column=column, known=", ".join(meant.names), met=text), file=path, line=line)
        return meant.names.index(text)
    try:
        value = int(text)
    except ValueError:
        raise RulesetError(say("ruleset.csv_number", column=column, met=text), file=path, line=line) from None
    if not meant.get("min", value) <= value <= meant.get("max", value):
        raise RulesetError(say("ruleset.csv_range", column=column, lo=meant.get("min", "–"), hi=meant.get("max", "–"), met=value),
                           file=path, line=line)
    return value


def _faults(check: dict, rows: list[tuple[int, dict]], kinds: dict[str, tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    """What a table breaks of one of its ``checks``, with the line.

    ``rows = 9``: so many rows. With ``of``, the columns looked at: ``each = 12``: every value stands so often in them,
    over all rows; ``whole = true``: every row has every value; ``different = true``: no two rows are the same there,
    ``different = "turned"``: not even when one of them is turned.
    """
    last, of = rows[-1][0] if rows else 1, check.get("of", [])
    values = kinds.get(of[0], ()) if of else ()
    if check.get("rows", len(rows)) != len(rows):
        yield last, say("ruleset.csv_rows", n=check["rows"], met=len(rows))
    counted: Counter = Counter()
    met: dict[tuple[str, ...], int] = {}
    for line, row in rows:
        here = tuple(row[c] for c in of)
        counted.update(here)
        for v in here:
            if counted[v] > check.get("each", counted[v]):
                yield line, say("ruleset.csv_each", columns=", ".join(of), value=v, n=check["each"], met=counted[v])
        if check.get("whole") and set(values) - set(here):
            yield line, say("ruleset.csv_whole", columns=", ".join(of), values=", ".join(sorted(set(values) - set(here))))
        if check.get("different"):
            turns = range(len(here)) if check["different"] == "turned" else (0,)
            like = min(here[k:] + here[:k] for k in turns)
            if like in met:
                yield line, say("ruleset.csv_same", columns=", ".join(of), line=met[like])
            met[like] = line
    for v in values:
        if counted[v] < check.get("each", counted[v]):
            yield last, say("ruleset.csv_each", columns=", ".join(of), value=v, n=check["each"], met=counted[v])
