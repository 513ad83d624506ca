"""``workbench check``: the shared checks over a ruleset, or any file of worked examples."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from workbench.core.language import say

EXAMPLE = """workbench check omerta
  workbench check omerta --draft proposed --players 3 --only legal engines
  workbench check omerta --examples my-cases.toml"""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("--draft", nargs="+", metavar="D", help=say("cli.check.draft"))
    p.add_argument("--players", type=int, metavar="N", help=say("cli.check.players"))
    p.add_argument("--only", nargs="+", metavar="CHECK", help=say("cli.check.only"))
    p.add_argument("--examples", nargs="+", metavar="FILE", help=say("cli.check.examples"))
    p.add_argument("--games", type=int, default=20, metavar="N", help=say("cli.check.games"))
    p.add_argument("--luck", type=int, default=1, metavar="N", help=say("cli.option.luck"))
    p.add_argument("--write-transcripts", action="store_true", help=say("cli.check.write"))
    p.add_argument("--json", action="store_true", help=say("cli.option.json"))


def run(a: argparse.Namespace) -> int:
    """Run the checks; 1 when one failed."""
    from workbench.checks import check, write_transcripts
    from workbench.cli.common import draft_of
    from workbench.core.ruleset import load_ruleset

    if a.write_transcripts:
        for path in write_transcripts(load_ruleset(a.ruleset)):
            print(path)
        return 0
    if a.examples and not a.only:
        return _examples(a)
    drafts = [draft_of(a.ruleset, d, a.players) for d in a.draft] if a.draft else None
    report = check(a.ruleset, drafts=drafts, only=a.only, players=a.players, games=a.games, seed=a.luck,
                   examples=a.examples, progress=None if a.json else _progress)
    print(report.to_json() if a.json else report)
    return 0 if report.ok else 1


def _progress(done: int, n: int, row: object) -> None:
    """One line that rewrites itself, where somebody is looking."""
    if sys.stderr.isatty():
        print(f"\r\033[K{done}/{n}", end="" if done < n else "\r\033[K", file=sys.stderr, flush=True)


def _examples(a: argparse.Namespace) -> int:
    """Every example of the files, one a line with its rules and where it stands; then what does not hold."""
    from workbench.checks import read_examples, run_example
    from workbench.core.ruleset import load_ruleset

    rules = load_ruleset(a.ruleset)
    results = [(e, run_example(rules, e)) for f in a.examples for e in read_examples(Path(f))]
    failed = [(e, found) for e, found in results if found]
    if a.json:
        rows = [{"id": e.id, "rules": list(e.rules), "file": str(e.file), "line": e.line, "ok": not found,
                 "failures": [{"line": f.line, "text": f.sentence} for f in found]} for e, found in results]
        print(json.dumps({"ok": not failed and bool(results), "examples": rows}, ensure_ascii=False, indent=1))
    else:
        for e, found in results:
            print(f"{say('check.bad', n=len(found)) if found else say('check.good')}  {e.file}:{e.line}: {e.name()} [{', '.join(e.rules)}]")
        for _, found in failed:
            print("", *found, sep="\n")
        print("\n" + (say("cli.check.none") if not results else say("cli.check.all", n=len(results)) if not failed
                      else say("cli.check.some", n=len(failed), all=len(results))))
    return 0 if results and not failed else 1
