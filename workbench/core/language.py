"""The two languages: which one is on, and the core's own sentences in both."""

from __future__ import annotations

import locale
import os
import tomllib
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "ja")
_current: str | None = None
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)


def language(code: str | None = None) -> str:
    """Return the language in use; with a code ("en" or "ja"), switch to it first.

    Starts as ``WORKBENCH_LANG`` or the machine's locale says, else English.

    >>> language("en")
    'en'
    """
    global _current
    if code is not None:
        if code not in LANGUAGES:
            raise ValueError(f"language is one of {', '.join(LANGUAGES)}, not {code!r}")
        _current = code
    if code is None and (spoken := _spoken.get()) is not None:
        return spoken
    if _current is None:
        wish = os.environ.get("WORKBENCH_LANG") or locale.getlocale()[0] or os.environ.get("LANG", "")
        _current = "ja" if wish.lower().startswith(("ja", "japan")) else "en"
    return _current


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Inside this block, in this thread, this is the language in use: for answers to one of several people.

    >>> with speaking("ja"):
    ...     language()
    'ja'
    """
    before = _spoken.set(code)
    try:
        yield
    finally:
        _spoken.reset(before)


def spoken() -> str | None:
    """The language of :func:`speaking`; None outside of it."""
    return _spoken.get()


@cache
def _messages() -> dict:
    return tomllib.loads((Path(__file__).parent / "messages.toml").read_text("utf-8"))


def say(key: str, lang: str | None = None, /, **values: object) -> str:
    """A sentence of the core by key, in ``lang`` or the language in use."""
    entry: object = _messages()
    for part in key.split("."):
        entry = entry[part]  # type: ignore[index]
    return entry[lang or language()].format(**values)  # type: ignore[index]


def pick(entry: dict | str | None, lang: str | None = None) -> str:
    """The text of an ``{en, ja}`` table in ``lang`` or the language in use; a bare string serves both."""
    if entry is None:
        return ""
    if isinstance(entry, str):
        return entry
    return entry.get(lang or language()) or entry.get("en") or next(iter(entry.values()), "")


def width(text: str) -> int:
    """How many columns a text takes in a terminal; Japanese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, columns: int) -> str:
    """The text with spaces up to this many columns."""
    return text + " " * (columns - width(text))
