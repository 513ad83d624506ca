"""The table on screen: views as data, a controller without GUI, and thin layouts for the notebook and for Panel.

No line here knows a game: everything comes from a ruleset's zones, schema, moves and sentences.
"""

from threading import RLock

ENGINE = RLock()
"""A draft's plain engine keeps one list of what it cites, whatever table asks: one thread at a time uses it."""
