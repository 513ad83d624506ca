"""Playtests: tables served to people in their own browsers, each seat seeing only what it may know."""

FILE = "playtests.sqlite"
"""The database in a data folder."""
