"""``workbench compare``: two drafts on the same luck."""

from __future__ import annotations

import argparse
import json

from workbench.core.language import say

EXAMPLE = """workbench compare omerta draft6 proposed --measure spread --better less
  workbench compare omerta draft6 'draft6[base=flat,played_bonus=2]' --bots heuristic --bots random --chart difference.html"""


def options(p: argparse.ArgumentParser) -> None:
    """The command's own options."""
    from workbench.cli.common import play_options

    p.add_argument("ruleset", help=say("cli.option.ruleset"))
    p.add_argument("a", metavar="A", help=say("cli.compare.a"))
    p.add_argument("b", metavar="B", help=say("cli.compare.b"))
    p.add_argument("--measure", nargs="+", default=["score"], metavar="M", help=say("cli.compare.measure"))
    p.add_argument("--better", metavar="more|less", help=say("cli.compare.better"))
    p.add_argument("--tolerance", type=float, metavar="X", help=say("cli.compare.tolerance"))
    p.add_argument("--bots", action="append", metavar="A[,B,…]", help=say("cli.compare.bots"))
    p.add_argument("--chart", metavar="FILE", help=say("cli.compare.chart"))
    play_options(p)


def run(a: argparse.Namespace) -> int:
    """Play both, print the verdict, and write the chart; 130 when it was stopped early."""
    from workbench.cli.common import bots_of, draft_of, out_file, whole

    chart = out_file(a.chart, (".html", ".svg", ".png"))
    if chart is not None:
        _needs_charts(chart.suffix)
    one, two = (draft_of(a.ruleset, text, a.players) for text in (a.a, a.b))
    from workbench.analysis.compare import compare

    measures = a.measure[0] if len(a.measure) == 1 else {m: m for m in a.measure}
    found = compare(one, two, a.games, bots=[bots_of(x) for x in a.bots or ["random"]], luck=a.luck, measure=measures,
                    better=a.better, tolerance=a.tolerance, engine=a.engine, workers=a.workers)
    if chart is not None:
        with whole(chart) as part:
            found.chart().save(part, format=chart.suffix[1:])
    if a.json:
        print(json.dumps({"sentence": found.sentence, "results": found.table.to_dicts(), "seats": found.seats.to_dicts()},
                         ensure_ascii=False, indent=1))
    else:
        print(found)
        if chart is not None:
            print(say("cli.written", path=chart))
    return 130 if any(s.stopped for pair in found.studies for s in pair) else 0


def _needs_charts(suffix: str) -> None:
    from importlib.util import find_spec

    from workbench.core.errors import WorkbenchError

    for module in ("altair", *(() if suffix == ".html" else ("vl_convert",))):
        if find_spec(module) is None:
            raise WorkbenchError(say("cli.extra_install", module=module, extra="notebook"))
