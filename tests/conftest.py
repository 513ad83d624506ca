"""What all tests share."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from workbench.core.language import language


@pytest.fixture(autouse=True)
def _english():
    """Every test begins in English, whatever the machine or an earlier test says."""
    language("en")
    yield
    language("en")


@pytest.fixture(params=["en", "ja"])
def lang(request):
    """A test that takes this runs in both languages."""
    return language(request.param)


POSTGRES = next((p for p in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True) if (p / "initdb").exists()), None)


class Postgres:
    """A PostgreSQL of its own, reached by its socket only, that can be stopped and started again."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="wbpg"))  # the path of a socket is short
        self.url, self.as_other = f"postgresql+psycopg://w@/postgres?host={self.folder}", []
        if os.getuid() == 0:  # it refuses to run as root
            if shutil.which("runuser") is None:
                pytest.skip("PostgreSQL does not run as root")
            shutil.chown(self.folder, "nobody")
            self.as_other = ["runuser", "-u", "nobody", "--"]
        self._run("initdb", "-A", "trust", "-U", "w", "--no-sync")
        self.start()

    def _run(self, program, *options):
        return subprocess.run([*self.as_other, POSTGRES / program, "-D", self.folder / "d", *options], check=True, capture_output=True, cwd="/")

    def start(self):
        """Start it, and wait until it can be asked."""
        self.process = subprocess.Popen([*self.as_other, POSTGRES / "postgres", "-D", self.folder / "d", "-k", self.folder, "-c", "listen_addresses="],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        until = time.monotonic() + 30
        while not (self.folder / ".s.PGSQL.5432").exists() and time.monotonic() < until:
            time.sleep(0.1)

    def stop(self):
        """Stop it at once, as when its machine is gone."""
        self._run("pg_ctl", "-m", "immediate", "stop")
        self.process.wait(20)


@pytest.fixture
def postgres():
    """A PostgreSQL of its own."""
    pytest.importorskip("psycopg")
    if POSTGRES is None:
        assert "WORKBENCH_ALL_TESTS" not in os.environ, ".ci/run installs PostgreSQL"
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    made = Postgres()
    yield made
    made.stop()
    shutil.rmtree(made.folder)


@pytest.fixture
def lobby(tmp_path):
    """The tables of a database of their own."""
    pytest.importorskip("sqlalchemy")
    from workbench.playtest.lobby import Lobby
    from workbench.playtest.store import Store, file_url

    made = Lobby(Store(file_url(tmp_path / "playtests.sqlite")))
    yield made
    made.store.close()
