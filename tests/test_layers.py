"""Who may import whom, and that the README's test command is the one that CI runs."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RULES = [p for folder in ("rulesets", "tests/rulesets", "workbench/cli/template") for p in (ROOT / folder).rglob("*.py")]
OURS = sorted((ROOT / "workbench").rglob("*.py"))


def imported(path):
    """The modules that a file imports, as written."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names)


def test_the_contracts_hold():
    run = subprocess.run([Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("path", RULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_rules_import_the_vocabulary_and_nothing_else(path):
    allowed = {"workbench.core.vocabulary"} | {f".{p.stem}" for p in path.parent.glob("*.py") if p.name != "bots.py"}
    assert set(imported(path)) <= allowed


def test_only_the_two_ways_to_machine_code_import_llvm():
    knowing = {p.relative_to(ROOT / "workbench").as_posix() for p in OURS if any(m.split(".")[0] in ("numba", "llvmlite") for m in imported(p))}
    assert knowing <= {"core/through_numba.py", "core/light.py", "core/machine/code.py"}


def test_nothing_names_a_game():
    games = [p.name for p in (ROOT / "rulesets").iterdir() if p.is_dir()]
    for path in OURS:
        code = ast.parse(path.read_text("utf-8"))
        names = {n.id for n in ast.walk(code) if isinstance(n, ast.Name)} | {n.attr for n in ast.walk(code) if isinstance(n, ast.Attribute)}
        assert not any(g in name.lower() for g in games for name in names), path
        assert not any(m.split(".")[0] in ("rulesets", *games) for m in imported(path)), path


def test_the_readme_and_ci_run_the_same_command():
    readme, ci = (ROOT / "README.md").read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8")
    lab, tests = re.findall(r"^python3 -m venv .*$", readme, re.M)
    assert lab.endswith("workbench lab") and tests.endswith("pytest")
    assert tests in ci.splitlines(), "the last line of .ci/run is the README's test command"


def test_ci_pins_every_release_and_names_no_address():
    lines = (ROOT / ".ci" / "constraints.txt").read_text("utf-8").splitlines()
    assert len(lines) > 50 and all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", x) for x in lines)
    pinned = {x.split("==")[0].lower().replace("_", "-") for x in lines}
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [r for r in [*project["dependencies"], *(r for e in project["optional-dependencies"].values() for r in e)] if "tabletop" not in r]
    assert {re.split(r"[<>=\[]", r)[0].lower() for r in wanted} <= pinned
