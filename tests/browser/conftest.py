"""Real browsers on loopback: Debian's chromium, driven by Playwright; skipped, with the reason, where they are not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from browser.table import ARGS, CHROMIUM, NEEDS, ROOT, Served, Watched, free_port, sync_playwright, wait_for


def pytest_collection_modifyitems(items):
    if sync_playwright is not None and CHROMIUM is not None:
        return
    assert "WORKBENCH_ALL_TESTS" not in os.environ, NEEDS  # .ci/run: nothing is left out there
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason=NEEDS))


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def watch(chromium):
    opened = []

    def new(**options):
        opened.append(Watched(chromium, **{"viewport": {"width": 1280, "height": 900}, **options}))
        return opened[-1]

    yield new
    for w in opened:
        w.page.close()


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path, "omerta", "--luck", "3")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """``workbench serve --playtest omerta``, one for the tests of a file."""
    pytest.importorskip("sqlalchemy")
    from browser.playtests import Playtests

    made = Playtests(tmp_path_factory.mktemp("playtests"))
    yield made
    made.stop()
    made.lobby.store.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab on a folder of its own; yields a function that writes a notebook and gives its address."""
    folder = tmp_path_factory.mktemp("lab")
    settings = folder / "conf/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    port = free_port()
    env = {**os.environ, "JUPYTER_CONFIG_DIR": str(folder / "conf"), "JUPYTER_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT),
           "JUPYTER_RUNTIME_DIR": str(folder / "run"), "WORKBENCH_SAVES": str(folder / "saves")}
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--ip", "127.0.0.1", "--port", str(port),
                                    "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.port_retries=0"],
                                   cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)
    wait_for(f"http://127.0.0.1:{port}/api", process)
    made = []

    def notebook(source):
        cells = [{"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
                 for i, s in enumerate(source if isinstance(source, list) else [source])]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        name = f"n{len(made)}.ipynb"
        made.append(name)
        (folder / name).write_text(json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}))
        return f"http://127.0.0.1:{port}/lab/workspaces/w{len(made)}/tree/{name}", folder / name

    yield notebook
    process.terminate()
    process.wait()
