"""``workbench simulate``: play many games of a draft."""

from __future__ import annotations

import argparse
import json

from workbench.core.language import say

EXAMPLE = """workbench simulate omerta --games 100000
  workbench simulate omerta --draft proposed --players 3 --set played_bonus=2 --bots heuristic --out games.parquet"""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    from workbench.cli.common import play_options

    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("--draft", metavar="D", help=say("cli.option.draft"))
    p.add_argument("--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help=say("cli.option.set"))
    p.add_argument("--bots", default="random", metavar="A[,B,…]", help=say("cli.option.bots"))
    p.add_argument("--rows", default="game", metavar="KIND", help=say("cli.simulate.rows"))
    p.add_argument("--out", metavar="FILE", help=say("cli.simulate.out"))
    play_options(p)


def run(a: argparse.Namespace) -> int:
    """Play, print the summary, and write the rows; 130 when it was stopped early (what it has is kept)."""
    from workbench.cli.common import bots_of, draft_of, out_file, whole

    out = out_file(a.out, (".parquet", ".csv"))
    draft = draft_of(a.ruleset, a.draft, a.players, a.set)
    from workbench.analysis.simulate import simulate

    study = simulate(draft, a.games, bots=bots_of(a.bots), luck=a.luck, rows=a.rows, engine=a.engine, workers=a.workers)
    if out is not None:
        with whole(out) as part:
            study.save(part) if out.suffix == ".parquet" else study.frame.write_csv(part)
    if a.json:
        print(json.dumps(_data(study) | ({"out": str(out)} if out else {}), ensure_ascii=False, indent=1, default=str))
    else:
        print(study)
        if out is not None:
            print(say("cli.written", path=out))
    return 130 if study.stopped else 0


def _data(study) -> dict:
    return {"draft": study.draft.key, "digest": study.digest, "bots": list(study.bots), "luck": study.luck, "rows": study.rows,
            "games": study.games, "deals": study.deals, "capped": study.capped, "stopped": study.stopped, "engine": study.engine,
            "sentence": study.sentence, "summary": study.summary().to_dicts(), "notes": study.notes}
