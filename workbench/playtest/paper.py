"""The score sheet of a game played on paper, as a designer types it: plain text to a checked value, nothing else.

Heads first (``ruleset: omerta``, ``draft: draft6``, …), then the names in the order of the seats, then a row for each hand or
round with its number and what each gained, then ``total`` and ``won`` where they were written down.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from workbench.core.errors import WorkbenchError
from workbench.core.language import language, say
from workbench.playtest.papercells import BLANK, WIDE, cut, meant, plain, row_number, spans, visible
from workbench.playtest.texts import LONGEST_NAME, LONGEST_TEXT, clean

LONGEST_SHEET, MOST_SHOWN = 20_000, 200
HEADS = ("ruleset", "draft", "date", "minutes", "note", "digest")
NEEDED = ("ruleset", "draft")
ENDS = ("total", "won")
RINGS, CROSSES = {"○", "◯", "〇", "◎"}, {"×", "✕"}
YES, NO = RINGS | {"x", "o", "✓", "✔", "*", "1", "yes", "勝", "勝ち"}, {"", "-", "–", "—", "−", "ー", ".", "・", "0", "no", "負", "負け"}
RULED = re.compile(r"[\s\-－=＝_＿─━—|+]+")
FIRST = re.compile(r'[\s"]*([^:：\t,;，；、"]+?)[\s"]*([:：\t,;，；、])(.*)', re.DOTALL)
DASHES = "\\-−‐–ー"
NUMBER = re.compile(rf"([+{DASHES}▲△])?([0-9]{{1,9}}|[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,2}})")


T = TypeVar("T")


class SheetError(WorkbenchError):
    """A score sheet that cannot be used; nothing of it was stored."""


@dataclass(frozen=True)
class Sheet:
    """What a score sheet says. ``won``: places in the order of the names; None where nobody is marked."""

    ruleset: str
    draft: str
    names: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    won: tuple[int, ...] | None = None
    date: str | None = None
    minutes: int | None = None
    note: str = ""
    digest: str | None = None
    lines: dict[str, int] = field(default_factory=dict, compare=False, hash=False)
    """Where each head, and the names, stand."""

    @property
    def best(self) -> tuple[int, ...]:
        """Who has the most; several where they tie."""
        return tuple(n for n, v in enumerate(self.scores) if v == max(self.scores))

    @property
    def winners(self) -> tuple[int, ...]:
        """Who is marked, else who has the most."""
        return self.best if self.won is None else self.won


def parse(text: str, lang: str | None = None) -> Sheet:
    """A score sheet as a value.

    Raises:
        SheetError: with the line, what was expected, what was met and what to do.

    >>> parse("ruleset: omerta\\ndraft: 6\\n   Aki Bo Chi\\n1  3  0  1\\n2  0  4  0").scores
    (3, 4, 1)
    """
    return _Reader(lang or language()).read(text)


def decoded(data: bytes, lang: str | None = None) -> str:
    """The text of a file: UTF-8, or what a spreadsheet writes (UTF-16 with its mark, Shift_JIS).

    Raises:
        SheetError: none of these, or too long.
    """
    if len(data) > 4 * LONGEST_SHEET:
        raise SheetError(say("playtest.paper.long", lang, n=LONGEST_SHEET, met=len(data)))
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp932")
    except UnicodeDecodeError:
        raise SheetError(say("playtest.paper.encoding", lang)) from None


class _Reader:
    """Reads one sheet line by line."""

    def __init__(self, lang: str):
        self.lang = lang
        self.at = 0
        self.heads: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.names: tuple[str, ...] = ()
        self.spans: list[tuple[int, int]] = []
        """Where each name stands, in columns; empty unless only spaces part the names."""
        self.rows: list[tuple[int, ...]] = []
        self.total: tuple[int, ...] | None = None
        self.won: tuple[int, ...] | None = None

    def fail(self, key: str, line: int | None = None, **values: object) -> SheetError:
        shown = {k: v if isinstance(v, int) else clean(v, MOST_SHOWN) or "–" for k, v in values.items()}
        said = say(f"playtest.paper.{key}", self.lang, **shown)
        return SheetError(say("playtest.paper.line", self.lang, n=line or self.at, why=said))

    def read(self, text: str) -> Sheet:
        if len(text) > LONGEST_SHEET:
            raise SheetError(say("playtest.paper.long", self.lang, n=LONGEST_SHEET, met=len(text)))
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for self.at, line in enumerate(map(visible, lines), 1):
            if line.strip(BLANK) and not RULED.fullmatch(line):
                self._line(line)
        for head in NEEDED:
            if head not in self.heads:
                raise self.fail("needs", 1, head=self._word(head))
        if not self.names:
            raise self.fail("no_names")
        if not self.rows and self.total is None:
            raise self.fail("no_rows")
        sums = tuple(map(sum, zip(*self.rows)))
        if self.rows and self.total not in (None, sums):
            n = next(i for i, (a, b) in enumerate(zip(sums, self.total)) if a != b)  # type: ignore[arg-type]
            raise self.fail("sum", self.lines["total"], name=self.names[n], expected=sums[n], met=self.total[n])  # type: ignore[index]
        h = self.heads
        return Sheet(h["ruleset"], h["draft"], self.names, tuple(self.rows), self.total or sums, self.won, self._date(), self._minutes(),
                     h.get("note", ""), self._digest(), self.lines)

    def _word(self, what: str) -> str:
        return say(f"playtest.paper.words.{what}", self.lang).split(",")[0]

    def _line(self, line: str) -> None:
        m = FIRST.match(line)
        first, colon, rest = (m[1], m[2] in ":：", m[3]) if m else (line, False, "")
        if colon and line.lstrip()[0] == rest[:1] == '"':
            rest = rest[1:]  # the whole cell was quoted
        word = plain(first)
        if m and (head := meant(word, HEADS)):
            return self._head(head, rest)
        if colon and not (meant(word, ENDS) or row_number(word)):
            raise self.fail("word", met=first, known=", ".join(map(self._word, (*HEADS, *ENDS))))
        if not self.names:
            return self._names(line)
        sep, cells = cut(rest if colon else line)
        label = first if colon else self._label(sep, cells)
        if colon and sep != " " and rest[:1].translate(WIDE) == sep:
            cells.pop(0)  # "won:,,x,": the first comma only ends the cell of the label
        while len(cells) > len(self.names) and not plain(cells[-1]):
            cells.pop()
        row = meant(plain(label), ENDS)
        if row == "won":
            return self._winners(line, sep, cells, colon)
        numbers = self._numbers(cells, label)
        if row == "total":
            self._once("total")
            self.total = numbers
        elif row_number(plain(label)) != len(self.rows) + 1:
            raise self.fail("row", n=len(self.rows) + 1, met=label)
        else:
            self.rows.append(numbers)
        return None

    def _label(self, sep: str, cells: list[str]) -> str:
        """Take the row's number or word off its cells."""
        if sep == " " and len(cells) > 1 + len(self.names) and meant(plain(cells[0]), ("corner",)):
            return cells.pop(0) + cells.pop(0)  # "hand 1"
        m = re.fullmatch(r"(\S+)\s+(\S.*)", cells[0])
        if sep != " " and m and len(cells) == len(self.names):  # "1 3, 0, 1"
            cells[0] = m[2]
            return m[1]
        return cells.pop(0)

    def _once(self, what: str) -> None:
        if what in self.lines:
            raise self.fail("twice", what=self._word(what), before=self.lines[what])
        self.lines[what] = self.at

    def _head(self, head: str, rest: str) -> None:
        self._once(head)
        value = rest.strip(BLANK)
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1].replace('""', '"')
        if head == "note":
            if len(value) > LONGEST_TEXT:
                raise self.fail("note", n=LONGEST_TEXT, met=len(value))
            self.heads[head] = clean(value, LONGEST_TEXT)
            return
        self.heads[head] = clean(unicodedata.normalize("NFKC", value), LONGEST_TEXT)
        if not self.heads[head] and head in NEEDED:
            raise self.fail("empty", head=self._word(head))

    # ------------------------------------------------------------ the table

    def _names(self, line: str) -> None:
        sep, cells = cut(line)
        if sep == " " and (head := meant(plain(cells[0]), HEADS)):
            raise self.fail("colon", head=self._word(head))
        if cells and (not plain(cells[0]) or meant(plain(cells[0]), ("corner",))):
            cells.pop(0)
        while cells and not plain(cells[-1]):
            cells.pop()
        if not cells or meant(plain(cells[0]), ENDS) or all(NUMBER.fullmatch(plain(c)) for c in cells):
            raise self.fail("no_names")
        names, alike = [clean(c, 2 * LONGEST_NAME) for c in cells], [plain(c) for c in cells]
        for n, name in enumerate(names, 1):
            if not name:
                raise self.fail("no_name", n=n)
            if len(name) > LONGEST_NAME:
                raise self.fail("name", n=LONGEST_NAME, met=name)
            if alike.count(plain(name)) > 1:
                raise self.fail("same_name", met=name)
        self.names = tuple(names)
        self.lines["names"] = self.at
        if sep == " ":
            self.spans = spans(line)[-len(names):]

    def _numbers(self, cells: list[str], label: str) -> tuple[int, ...]:
        if len(cells) != len(self.names):
            raise self.fail("count", n=len(self.names), names=", ".join(self.names), met=len(cells), label=label)
        found = []
        for name, cell in zip(self.names, cells):
            m = NUMBER.fullmatch(plain(cell).replace(" ", ""))
            if m is None:
                raise self.fail("number", name=name, met=cell)
            found.append(int(m[2].replace(",", "")) * (1 if m[1] in (None, "+") else -1))
        return tuple(found)

    def _winners(self, line: str, sep: str, cells: list[str], colon: bool) -> None:
        """By a mark for each seat, by marks that stand below names, or by names."""
        self._once("won")
        marks, known = [plain(c) for c in cells], {plain(n): i for i, n in enumerate(self.names)}
        if not any(marks):  # a row that was printed and left empty
            return
        rings = RINGS & set(marks)
        no = NO | CROSSES if rings else NO
        each = marks if sep == " " else [*marks, *[""] * (len(self.names) - len(marks))]
        full = len(each) == len(self.names) and set(each) <= YES | no
        # a cross beside a ring, or a player who is called like a mark: two ways to read it
        unclear = rings and "x" in marks or len(marks) < len(self.names) and (full or not colon) and known.keys() & set(marks) & (YES | no)
        if full and not unclear:
            self.won = tuple(n for n, m in enumerate(each) if m in YES)
        elif set(marks) - {""} <= known.keys() and not unclear:
            self.won = tuple(sorted(known[m] for m in set(marks) - {""}))
        elif colon and " ".join(marks) in known:  # a name with a space in it
            self.won = (known[" ".join(marks)],)
        elif set(marks) <= NO and not unclear:
            self.won = ()
        elif sep == " " and set(marks) <= YES - {"1"} and not unclear:
            self.won = tuple(sorted(self._above(span) for span in spans(line)[-len(marks):]))
        else:
            raise self.fail("winner", names=", ".join(self.names), met=" ".join(cells))

    def _above(self, mark: tuple[int, int]) -> int:
        """The name under which a mark stands."""
        found = [n for n, (start, end) in enumerate(self.spans) if mark[0] < end and start < mark[1]]
        if len(found) != 1:
            raise self.fail("whose", name=self.names[0])
        return found[0]

    # ------------------------------------------------------------ heads

    def _date(self) -> str | None:
        form = rf"([0-9]{{4}})[{DASHES}/.年]([0-9]{{1,2}})[{DASHES}/.月]([0-9]{{1,2}})日?"
        return self._value("date", form, lambda m: date(int(m[1]), int(m[2]), int(m[3])).isoformat())

    def _minutes(self) -> int | None:
        return self._value("minutes", r"0*([1-9][0-9]{0,3})(?:min|mins|minutes|分)?\.?", lambda m: int(m[1]))

    def _digest(self) -> str | None:
        return self._value("digest", r"([0-9a-f]{12})", lambda m: m[1])

    def _value(self, head: str, form: str, make: Callable[[re.Match], T]) -> T | None:
        text = self.heads.get(head)
        if not text:
            return None
        m = re.fullmatch(form, text.casefold().replace(" ", ""))
        try:
            if m is not None:
                return make(m)
        except ValueError:  # there is no such day
            pass
        raise self.fail(head, self.lines[head], met=text)
