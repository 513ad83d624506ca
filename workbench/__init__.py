"""Workbench: an interactive notebook workbench for people who design tabletop games."""

from workbench.api import *  # noqa: F403
