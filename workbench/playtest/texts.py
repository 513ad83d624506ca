"""What people type: cut to a length, without letters that cannot be seen. It is data, and shown as text only."""

from __future__ import annotations

import unicodedata

LONGEST_NAME, LONGEST_TITLE, LONGEST_TEXT, LONGEST_ANSWER = 40, 60, 500, 4_000


def clean(text: object, most: int, *, lines: bool = False) -> str:
    """The text without control and direction letters, on one line (or several), at most so long.

    >>> clean(" A\\x00\\u202eb\\n c ", 20)
    'Ab c'
    """
    if not isinstance(text, str):
        return ""
    text = text[: 4 * most]
    kept = "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else " " if c in "\t\r" else "" for c in text)
    kept = unicodedata.normalize("NFC", kept)
    if not lines:
        kept = " ".join(kept.split())
    return kept.strip()[:most]
