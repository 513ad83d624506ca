"""What the documentation shows is true: examples in docstrings, and the README's tour."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import workbench

ROOT = Path(__file__).parents[1]
MODULES = [m.name for m in pkgutil.walk_packages(workbench.__path__, "workbench.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", ["workbench", *MODULES])
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
    assert (module.__doc__ or "").strip(), "a module says what it is"


def test_the_tour_of_the_readme_runs():
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
    assert "games=100_000" in code and 'wb.check("omerta")' in code
    code = code.replace("games=100_000", "games=400").replace("game(4711)", "game(211)").replace('wb.check("omerta")', "")
    exec(compile(code, "README.md", "exec"), {})


def test_links_of_the_pages_lead_somewhere():
    for page in (ROOT / "README.md", ROOT / "rulesets" / "README.md"):
        for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page}: {link}"
