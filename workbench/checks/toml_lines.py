"""Where each table and key of a TOML text stands, so that an error can name its line.

``tomllib`` gives the values alone. This scanner reads only headers and keys, and steps over the
values; it runs after ``tomllib`` has accepted the text, so it need not find faults.
"""

from __future__ import annotations

import re

Path = tuple[str | int, ...]
BARE = re.compile(r"[A-Za-z0-9_-]+")
STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)


def lines_of(text: str) -> dict[Path, int]:
    """The line of each table and key, by its path; a table of an array has its index in the path.

    >>> lines_of("a = 1\\n[[b]]\\nc.d = 2\\n")
    {('a',): 1, ('b', 0): 2, ('b',): 2, ('b', 0, 'c'): 3, ('b', 0, 'c', 'd'): 3}
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    i = 0
    while i < len(text):
        if text[i] in " \t\r\n":
            i += 1
        elif text[i] == "#":
            i = _line_end(text, i)
        elif text[i] == "[":
            line = text.count("\n", 0, i) + 1
            array = text.startswith("[[", i)
            keys, i = _keys(text, i + 1 + array)
            table = _resolved(keys, counts, array)
            found.setdefault(table, line)
            if array:
                found.setdefault(table[:-1], line)
            i = _line_end(text, i)
        else:
            line = text.count("\n", 0, i) + 1
            keys, i = _keys(text, i)
            for n in range(1, len(keys) + 1):
                found.setdefault((*table, *keys[:n]), line)
            i = _value_end(text, i + 1)
    return found


def line_at(lines: dict[Path, int], path: Path) -> int | None:
    """The line of a path, or of the nearest table or key around it."""
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path)


def _line_end(text: str, i: int) -> int:
    end = text.find("\n", i)
    return len(text) if end < 0 else end


def _keys(text: str, i: int) -> tuple[list[str], int]:
    """A dotted key from ``i``; the index of the ``=`` or ``]`` after it."""
    keys = []
    while text[i] not in "=]":
        if m := STRING.match(text, i):
            keys.append(m[0][1:-1])
            i = m.end()
        elif m := BARE.match(text, i):
            keys.append(m[0])
            i = m.end()
        else:
            i += 1
    return keys, i


def _resolved(keys: list[str], counts: dict[Path, int], array: bool) -> Path:
    """The path of a header: where a part is an array of tables, its last one is meant, or a new one."""
    path: Path = ()
    for n, key in enumerate(keys):
        path = (*path, key)
        if array and n == len(keys) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _value_end(text: str, i: int) -> int:
    """The end of a value: the first line end outside brackets and strings."""
    depth = 0
    while i < len(text):
        if m := STRING.match(text, i):
            i = m.end()
            continue
        if text[i] == "#":
            i = _line_end(text, i)
            continue
        if text[i] == "\n" and depth == 0:
            break
        depth += (text[i] in "[{") - (text[i] in "]}")
        i += 1
    return i
