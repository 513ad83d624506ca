"""argparse's own phrases in the language in use."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.core.language import language, say

PHRASES = {
    "usage: ": "usage", "options": "options", "positional arguments": "arguments",
    "show this help message and exit": "show_help", "the following arguments are required: %s": "required",
    "invalid %(type)s value: %(value)r": "value", "invalid choice: %(value)r (choose from %(choices)s)": "choice",
    "expected one argument": "one", "expected at least one argument": "some", "unrecognized arguments: %s": "extra",
}


@contextmanager
def translated() -> Iterator[None]:
    """While this is open, argparse speaks the language in use; a phrase that it does not know stays English."""
    before = argparse._  # type: ignore[attr-defined]
    if language() != "en":
        argparse._ = lambda text: say(f"cli.argparse.{PHRASES[text]}") if text in PHRASES else before(text)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        argparse._ = before  # type: ignore[attr-defined]
