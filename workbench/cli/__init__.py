"""The command line: ``workbench list | check | simulate | compare | replay | rule | lab | serve | playtest | new``.

Exit codes: 0 fine; 1 a check failed; 2 wrong usage, or something that cannot be done; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from workbench.core.errors import WorkbenchError
from workbench.core.language import LANGUAGES, language, say

COMMANDS = ("list", "check", "simulate", "compare", "replay", "rule", "lab", "serve", "playtest", "new")
MODULES = {"list": "listing"}
"""Modules that cannot have their command's name."""
FINE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code.

    >>> main(["rule", "omerta", "OM-P2", "--lang", "en"])  # doctest: +ELLIPSIS
    OM-P2
    ...
    0
    """
    before = language()
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter shows "?" instead of breaking off
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except SystemExit as e:
        return e.code if isinstance(e.code, int) else FINE if e.code is None else WRONG
    except WorkbenchError as e:
        print(f"workbench: {e}", file=sys.stderr)
        return WRONG
    except BrokenPipeError:  # the reader has seen enough, as with "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as e:
        print("workbench: " + say("cli.os", file=e.filename or "", why=e.strerror or e), file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(say("cli.interrupted"), file=sys.stderr)
        return INTERRUPTED
    finally:
        language(before)


def _run(argv: list[str]) -> int:
    from workbench.cli.phrases import translated

    with translated():
        chosen = argparse.ArgumentParser(prog="workbench", add_help=False, allow_abbrev=False)
        chosen.add_argument("--lang", choices=LANGUAGES)
        wish, rest = chosen.parse_known_args(argv)
        if wish.lang:
            language(wish.lang)
    with translated():
        options, more = parser().parse_known_args(rest)
        if more and options.command != "lab":
            options.parser.error(say("cli.extra", what=" ".join(more)))
    options.more = more
    return options.run(options)


def parser() -> argparse.ArgumentParser:
    """Every command with its options, in the language in use."""
    p = _Parser(prog="workbench", description=say("cli.about"), epilog=say("cli.codes"),
                formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    p.add_argument("--lang", choices=LANGUAGES, help=say("cli.lang"))
    commands = p.add_subparsers(dest="command", metavar=say("cli.command"), required=True, title=say("cli.commands"))
    for name in COMMANDS:
        module = import_module(f"workbench.cli.{MODULES.get(name, name)}")
        about = say(f"cli.{name}.about")
        sub = commands.add_parser(name, help=about.split("\n")[0], description=about, allow_abbrev=False,
                                  epilog=say("cli.example", text=module.EXAMPLE), formatter_class=argparse.RawDescriptionHelpFormatter)
        module.options(sub)
        sub.set_defaults(run=module.run, parser=sub)
    return p


class _Parser(argparse.ArgumentParser):
    """Says after an error where help is."""

    def error(self, message: str):
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n{say('cli.help', prog=self.prog)}\n")
