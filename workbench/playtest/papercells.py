"""How a typed line falls into words and cells, whatever keyboard or spreadsheet it came from."""

from __future__ import annotations

import csv
import re
import unicodedata
from functools import cache

from workbench.core.language import LANGUAGES, say, width
from workbench.playtest.texts import clean

WIDE = str.maketrans("，、；", ",,;")
BLANK = " \t\u3000\u00a0,;，、；"


def visible(line: str) -> str:
    """The line without letters that cannot be seen; tabs stay."""
    return "".join(c for c in line if c == "\t" or unicodedata.category(c)[0] != "C")


@cache
def words(what: str) -> frozenset[str]:
    """What may be typed for a head, in either language."""
    return frozenset(plain(w) for lang in LANGUAGES for w in say(f"playtest.paper.words.{what}", lang).split(","))


def plain(text: str) -> str:
    """A word or number whatever keyboard it came from."""
    return clean(unicodedata.normalize("NFKC", text), 100).casefold()


def meant(word: str, among: tuple[str, ...]) -> str | None:
    """Which of these heads a word stands for."""
    return next((w for w in among if word in words(w)), None) if word else None


def row_number(word: str) -> int | None:
    """The number that a row is called by: "1", "1." or "第1回"."""
    m = re.fullmatch(r"[^0-9+\-−.]*([0-9]{1,4})[^0-9]*", word)
    return int(m[1]) if m else None


def cut(line: str) -> tuple[str, list[str]]:
    """What parts the cells of a line (tabs, else commas or semicolons, whichever are more, else spaces), and the cells."""
    parts = line.split('"')
    parts[::2] = [p.translate(WIDE) for p in parts[::2]]  # outside of quotes
    counts = {s: sum(p.count(s) for p in parts[::2]) for s in "\t,;"}
    sep = "\t" if counts["\t"] else max(",;", key=counts.__getitem__)
    if not counts[sep]:
        sep = " "
    if sep == " ":
        return sep, line.split()
    return sep, [c.strip() for c in next(csv.reader(['"'.join(parts)], delimiter=sep, skipinitialspace=True))]


def spans(line: str) -> list[tuple[int, int]]:
    """From which column to which each word stands, as an editor shows it."""
    return [(width(line[:m.start()]), width(line[:m.end()])) for m in re.finditer(r"\S+", line)]
