"""Who is told of changes."""

from __future__ import annotations

from collections.abc import Callable


class Listeners(list):
    """Functions to be called, in the order in which they came.

    >>> heard = Listeners()
    >>> end = heard.join(print)
    >>> heard.tell("changed")
    changed
    >>> end()
    >>> heard.tell("again")
    """

    def join(self, f: Callable) -> Callable[[], None]:
        """Let ``f`` be called from now on; returns what ends that, which may be called again."""
        self.append(f)
        return lambda: self.remove(f) if f in self else None

    def tell(self, *args: object) -> None:
        """Call everybody who listens now, also those who leave meanwhile."""
        for f in list(self):
            f(*args)
