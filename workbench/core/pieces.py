"""Named sets of pieces (cards, suits, areas, …) and dimensions, as ``game.toml`` declares them."""

from __future__ import annotations

import csv
import itertools
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.errors import RulesetError, UnknownName
from workbench.core.language import pick, say
from workbench.core.tables import Line, faults


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
        tables = entry["table"] if isinstance(entry["table"], list) else [entry["table"]]
        return _from_tables(kind, title, [data / t for t in tables], entry, known)
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


def _from_tables(kind: str, title: dict | str, paths: list[Path], entry: dict, known: dict[str, Pieces]) -> Pieces:
    """Pieces from CSV tables, one after another: ``name``, optional ``en``/``ja``, and columns for the rules.

    A column holds whole numbers, in the range that ``columns.<column> = {min = …, max = …}`` gives, or names of
    another kind of piece, where ``columns.<column> = "<kind>"``. Where one of several tables lacks a column of numbers,
    it counts as 0 there. ``checks`` says what the tables as a whole must keep.
    """
    wanted = ("name", *(c for c, told in entry.get("columns", {}).items() if isinstance(told, str) or len(paths) == 1))
    rows = [row for path in paths for row in _rows(path, wanted)]
    header = list(dict.fromkeys(c for row in rows for c in row.cells))
    for wish in entry.get("columns", ()):
        if rows and wish not in header:
            raise RulesetError(say("ruleset.csv_name", column=wish, header=", ".join(header)), file=paths[0], line=1)
    names, titles, seen = [], [], {}
    meant = {c: _meant(kind, c, entry, known) for c in header if c not in ("name", "en", "ja")}
    columns: dict[str, list[int]] = {c: [] for c in meant}
    for row in rows:
        name = row.cells["name"]
        if not name or name in seen:
            raise RulesetError(say("ruleset.csv_twice", name=name, line=seen.get(name, row.line)), file=row.path, line=row.line)
        seen[name] = row.line
        names.append(name)
        titles.append(_title(row.cells, entry.get("titled", {})))
        for column, values in columns.items():
            values.append(_cell(column, row.cells.get(column, "0"), meant[column], row.path, row.line))
    kinds = {c: m.names for c, m in meant.items() if isinstance(m, Pieces)}
    for check in entry.get("checks", ()):
        for row, message in faults(check, rows, kinds):
            raise RulesetError(message, file=row.path if row else paths[0], line=row.line if row else 1)
    sets = {f"{kind}s_of_{c}": tuple(sum(1 << i for i, v in enumerate(columns[c]) if v == k) for k in range(len(values)))
            for c, values in kinds.items() if len(names) <= 63}
    return Pieces(kind, tuple(names), tuple(titles), title, {c: tuple(v) for c, v in columns.items()}, sets)


def _title(cells: dict[str, str], titled: dict[str, str]) -> dict[str, str]:
    """What people read for a row: its ``en`` and ``ja``, or what ``titled`` makes of them and of other columns, if the row has those."""
    plain = {"en": cells.get("en") or cells["name"], "ja": cells.get("ja") or cells.get("en") or cells["name"]}
    try:
        return plain | {lang: text.format(**cells | plain) for lang, text in titled.items()}
    except KeyError:
        return plain


def _rows(path: Path, wanted: tuple[str, ...]) -> list[Line]:
    """The rows of one CSV file, each as wide as its first line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as f:
            reader = csv.DictReader(f, strict=True)
            header = reader.fieldnames or []
            for column in wanted:
                if column not in header:
                    raise RulesetError(say("ruleset.csv_name", column=column, header=", ".join(header)), file=path, line=1)
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise RulesetError(say("ruleset.csv_width", n=len(header)), file=path, line=reader.line_num)
                rows.append(Line(path, reader.line_num, row))
            return rows
    except FileNotFoundError:
        raise RulesetError(say("ruleset.missing_file"), file=path) from None
    except csv.Error as e:
        raise RulesetError(say("ruleset.csv", why=e), file=path, line=reader.reader.line_num) from None


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
