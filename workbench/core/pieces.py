"""Named sets of pieces (cards, suits, areas, …) and dimensions, as ``game.toml`` declares them."""

from __future__ import annotations

import csv
import itertools
from dataclasses import dataclass
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


def read_pieces(kind: str, entry: dict, data: Path, file: Path) -> Pieces:
    """One ``[pieces.<kind>]`` table: ``names``, ``product`` of lists, or a CSV ``table`` with a name column."""
    title = entry.get("title", kind)
    if "table" in entry:
        return _from_table(kind, title, data / entry["table"])
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


def _from_table(kind: str, title: dict | str, path: Path) -> Pieces:
    """Pieces from a CSV table: ``name``, optional ``en``/``ja``, and whole-number columns for the rules."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as f:
            reader = csv.DictReader(f, strict=True)
            header = reader.fieldnames or []
            if "name" not in header:
                raise RulesetError(say("ruleset.csv_name", header=", ".join(header)), file=path, line=1)
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise RulesetError(say("ruleset.csv_width", n=len(header)), file=path, line=reader.line_num)
                rows.append((reader.line_num, row))
    except FileNotFoundError:
        raise RulesetError(say("ruleset.missing_file"), file=path) from None
    except csv.Error as e:
        raise RulesetError(str(e), file=path, line=reader.line_num) from None
    names, titles, seen = [], [], {}
    columns: dict[str, list[int]] = {c: [] for c in header if c not in ("name", "en", "ja")}
    for line, row in rows:
        name = row["name"]
        if not name or name in seen:
            raise RulesetError(say("ruleset.csv_twice", name=name, line=seen.get(name, line)), file=path, line=line)
        seen[name] = line
        names.append(name)
        titles.append({"en": row.get("en") or name, "ja": row.get("ja") or row.get("en") or name})
        for column, values in columns.items():
            try:
                values.append(int(row[column]))
            except ValueError:
                raise RulesetError(
                    say("ruleset.csv_number", column=column, met=row[column]), file=path, line=line
                ) from None
    return Pieces(kind, tuple(names), tuple(titles), title, {c: tuple(v) for c, v in columns.items()})
