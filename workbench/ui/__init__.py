"""The table on screen: views as data, a controller without GUI, and thin layouts for the notebook and for Panel.

No line here knows a game: everything comes from a ruleset's zones, schema, moves and sentences.
"""
