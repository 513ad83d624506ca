"""A wheel built from the tree works from another folder, with its rulesets, data and notebooks."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLAY = """
import workbench as wb
from workbench.core.ruleset import home
assert {site!r} in wb.__file__ and home("rulesets").parent.name == "workbench", wb.__file__
p = wb.load("omerta", play="hand").start(luck=7)
while not p.over:
    p = p.play(p.legal[0])
print(p.winners, home("notebooks").is_dir(), home("data").is_dir())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=ROOT, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def tracked(folder):
    """The files of a folder that belong to the project."""
    files = (p for p in (ROOT / folder).rglob("*") if p.is_file())
    return {p.relative_to(ROOT / folder).as_posix() for p in files if not re.search(r"__pycache__|\.ipynb_checkpoints|\.part$", str(p))}


def test_everything_a_designer_needs_is_inside(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("rulesets", "data", "notebooks"):
        assert {f"workbench/_{folder}/{f}" for f in tracked(folder)} <= names, folder
    assert {"workbench/core/messages.toml", "workbench/cli/template/game.toml"} <= names
    assert not [n for n in names if "__pycache__" in n or n.startswith(("tests/", "rulesets/"))]


def test_it_works_from_another_folder(wheel, tmp_path):
    site, here = tmp_path / "site", tmp_path / "elsewhere"
    here.mkdir()
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site), str(wheel)],
                   check=True, capture_output=True)
    env = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    script = next(p for p in (site / "bin", site / "Scripts") if p.is_dir())
    program = next(script.glob("workbench*"))

    def run(*argv):
        return subprocess.run([str(a) for a in argv], cwd=here, env=env, check=True, capture_output=True, text=True).stdout

    assert "draft6-omerta4-all" in run(sys.executable, program, "list", "--lang", "en")
    assert run(sys.executable, "-c", PLAY.format(site=str(site))).strip().endswith("True True")
    run(sys.executable, program, "new", "mygame")
    assert "All 2 checks passed." in run(sys.executable, program, "check", "mygame", "--only", "text", "examples", "--lang", "en")
