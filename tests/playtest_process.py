"""The server of playtests in processes that can be killed and come back within a moment; by ``python -m tests.playtest_process``.

The parent has everything imported and forks; what serves in the child is the same code as behind ``workbench serve``.
For each line of its input, a JSON object, it starts a child and prints its number: {"folder", "url", "port", "wait",
"origins", "gate"}. gate: bots compute until this file is there.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def slow(gate):
    """Let bots compute until the file is there, as a bot does that looks far ahead."""
    from workbench.playtest import table

    first = table.bot_code

    def think(*args):
        while not gate.exists():  # looked at rarely: a thread that asks the system in between keeps Python from handing over
            for _ in range(200_000):
                pass
        return first(*args)

    table.bot_code = think


def serve(folder, url, port, wait=5_000, origins=(), gate=None):
    """Serve until killed."""
    from workbench.core.ruleset import load_ruleset
    from workbench.playtest.lobby import Lobby
    from workbench.playtest.serve import Served, veil_logs
    from workbench.playtest.store import Store

    if gate:
        slow(Path(gate))
    veil_logs()
    Served(Lobby(Store(url, wait=wait)), load_ruleset("omerta"), Path(folder), port=port, origins=tuple(origins)).run()


def main():
    """Fork a server for each line."""
    import panel  # noqa: F401 - so that the children have it

    import workbench.playtest.serve  # noqa: F401
    from workbench.core.draft import load
    from workbench.core.language import language

    language("en")
    load("omerta").start(luck=1)
    children = set()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            try:
                serve(**asked)
            finally:
                os._exit(1)
        children.add(child)
        print(child, flush=True)
        children = {c for c in children if os.waitpid(c, os.WNOHANG)[0] == 0}
    for c in children:
        os.kill(c, 9)
        os.waitpid(c, 0)


class Forked:
    """The parent process, and its children by name of what they serve."""

    def __init__(self, folder):
        self.folder, self.log = Path(folder), Path(folder) / "log.txt"
        with self.log.open("a") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "tests.playtest_process"], cwd=ROOT, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})

    def start(self, **asked):
        """Start a server and wait until it answers; the number of its process."""
        self.process.stdin.write(json.dumps({"folder": str(self.folder), **asked}) + "\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        answers(asked["port"], child)
        return child

    @staticmethod
    def kill(child):
        """Kill a server at once, and wait until it is dead."""
        os.kill(child, 9)
        while Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.002)

    def stop(self):
        """End it and its children."""
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def answers(port, child, seconds=60):
    """Wait until somebody listens there."""
    import socket

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            os.kill(child, 0)
            time.sleep(0.01)
    raise TimeoutError(port)


def memory(pid):
    """Megabytes that a process holds."""
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
