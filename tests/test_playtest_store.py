"""The store of playtests: who wins, what survives, what a database says that refuses."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from workbench.playtest.schema import MIGRATIONS  # noqa: E402
from workbench.playtest.store import Conflict, Store, StoreError, file_url, hashed  # noqa: E402

ROOT = Path(__file__).parents[1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "p.sqlite"


@pytest.fixture
def store(path):
    made = Store(file_url(path), wait=100)
    made.create("t", {"lang": "en"})
    yield made
    made.close()


def test_a_log_comes_back_as_it_was_written(store):
    first = store.append("t", 1, "P0", "move", {"m": "牌 \U0001f0cf"})
    store.append("t", 2, "P1", "sit", {"kind": "person"}, name="花子")
    assert store.events("t")[0] == first and [e.version for e in store.events("t", 1)] == [2]
    assert store.people("t") == {store.events("t")[1].person: "花子"} and store.versions() == {"t": 2}
    with pytest.raises(Conflict):
        store.append("t", 2, "P0", "move")
    with pytest.raises(Conflict):
        store.append("no table", 1, "P0", "move")  # foreign keys are watched
    assert len(store.events("t")) == 2


def test_of_those_who_write_one_version_at_once_exactly_one_wins(store, path):
    others = [Store(file_url(path)) for _ in range(4)]
    ready = threading.Barrier(4)

    def write(n):
        won = []
        for version in range(1, 26):
            ready.wait()
            try:
                others[n].append("t", version, f"P{n}", "move")
                won.append(version)
            except Conflict:
                pass
        return won

    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(write, range(4)))
    assert sorted(v for w in won for v in w) == list(range(1, 26))
    assert {(int(e.seat[1]), e.version) for e in store.events("t")} == {(n, v) for n, w in enumerate(won) for v in w}
    for o in others:
        o.close()


WRITER = """
import sys
from workbench.playtest.store import Conflict, Store
store, mine = Store(sys.argv[1], wait=20_000), 0
while True:
    version = max(store.versions().get("t", 0), mine) + 1
    try:
        store.append("t", version, sys.argv[2], "move", {"m": "x" * 200})
    except Conflict:
        continue
    mine = version
    print(version, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_confirmed(store, path):
    confirmed = []
    for _ in range(3):
        writers = [subprocess.Popen([sys.executable, "-c", WRITER, file_url(path), seat], cwd=ROOT, stdout=subprocess.PIPE, text=True)
                   for seat in ("P0", "P1")]
        for w in writers:  # both have written something
            confirmed.append((int(w.stdout.readline()), "P0" if w is writers[0] else "P1"))
        for w in writers:
            w.send_signal(signal.SIGKILL)
        for w, seat in zip(writers, ("P0", "P1"), strict=True):
            confirmed += [(int(x), seat) for x in w.stdout.read().split("\n") if x.strip()]
            w.wait()
            w.stdout.close()
    kept = {(e.version, e.seat) for e in store.events("t")}
    assert len(confirmed) >= 6 and set(confirmed) <= kept
    assert len(kept) == max(v for v, _ in kept)  # no gap, nothing twice
    with sqlite3.connect(path) as c:
        assert c.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_locked_database_says_so_and_loses_nothing(store, path):
    store.append("t", 1, "P0", "move")
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked.*try again"):
        store.append("t", 2, "P0", "move")
    assert len(store.events("t")) == 1  # reading goes on
    other.rollback()
    other.close()
    store.append("t", 2, "P0", "move")


def test_a_database_that_may_only_be_read_says_so(store, path):
    store.append("t", 1, "P0", "move")
    only = Store(f"sqlite:///file:{path}?mode=ro&uri=true")
    with pytest.raises(StoreError, match="only be read"):
        only.append("t", 2, "P0", "move")
    assert len(only.events("t")) == 1
    only.close()


def test_a_full_disk_says_so_and_loses_nothing(store):
    store.append("t", 1, "P0", "move")
    with store.engine.connect() as c:
        pages = c.exec_driver_sql("PRAGMA page_count").scalar()
        c.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreError, match="disk is full"):
        for n in range(2, 200):
            store.append("t", n, "P0", "mark", {"text": "x" * 4000})
    kept = len(store.events("t"))
    assert kept >= 1
    with store.engine.connect() as c:
        c.exec_driver_sql("PRAGMA max_page_count=1000000")
    store.append("t", kept + 1, "P0", "move")


def test_a_database_that_cannot_be_says_what_was_expected(tmp_path, path):
    for url, says in (("nonsense", "sqlite:///"), ("nosuch://x/y", "sqlite:///"), (f"sqlite:///{tmp_path}/no/such/p.sqlite", "cannot be reached")):
        with pytest.raises(StoreError, match=says):
            Store(url)
    path.write_text("this is no database, " * 100)
    with pytest.raises(StoreError, match="damaged"):
        Store(file_url(path))


def test_an_older_database_is_brought_up_and_a_newer_one_refused(path, monkeypatch):
    from workbench.playtest import store as module

    monkeypatch.setattr(module, "MIGRATIONS", MIGRATIONS[:1])
    old = Store(file_url(path))
    old.create("t", {})
    old.append("t", 1, "P0", "move")
    old.close()
    monkeypatch.setattr(module, "MIGRATIONS", MIGRATIONS)
    new = Store(file_url(path))
    assert len(new.events("t")) == 1
    new.close()
    with sqlite3.connect(path) as c:
        assert c.execute("SELECT max(version) FROM schema_version").fetchone() == (len(MIGRATIONS),)
        assert c.execute("SELECT count(*) FROM sqlite_master WHERE name='links_by_table'").fetchone() == (1,)
        c.execute("INSERT INTO schema_version VALUES (99)")
    with pytest.raises(StoreError, match="form 99"):
        Store(file_url(path))


def test_links_are_kept_as_hashes_and_a_new_one_ends_the_old(store, path):
    store.link("t", "P0", "key one")
    assert store.seat_of("t", "key one") == "P0" and store.seat_of("other", "key one") is None and store.seat_of("t", "key") is None
    store.link("t", "P0", "key two")
    store.link("t", "P1", "key three")
    assert store.seat_of("t", "key one") is None and store.seat_of("t", "key two") == "P0"
    store.revoke("t", "P0")
    assert store.seat_of("t", "key two") is None and store.seat_of("t", "key three") == "P1"
    store.close()
    raw = b"".join(p.read_bytes() for p in path.parent.iterdir())
    assert hashed("key three").encode() in raw and b"key three" not in raw


def test_an_erased_person_is_gone_from_the_file_and_the_moves_stay(store, path):
    e = store.append("t", 1, "P0", "sit", {"kind": "person"}, name="Unusualname")
    store.append("t", 2, "P0", "move", {"m": "A5"}, person=e.person)
    store.append("t", 3, "P0", "mark", {"kind": "great", "text": "Peculiarwords"}, person=e.person)
    store.append("t", 4, "P1", "mark", {"kind": "great", "text": "others' words"})
    store.backup(path.with_name("before.sqlite"))
    assert b"Peculiarwords" in path.with_name("before.sqlite").read_bytes()  # so what is looked for below would be found
    assert store.erase_person(" unusualNAME ") == 1 and store.erase_person("Unusualname") == 0
    assert [e.data for e in store.events("t")][1:] == [{"m": "A5"}, {"kind": "great", "text": ""}, {"kind": "great", "text": "others' words"}]
    with pytest.raises(StoreError, match="there already"):
        store.backup(path.with_name("before.sqlite"))
    store.close()
    raw = b"".join(p.read_bytes() for p in path.parent.glob("p.sqlite*"))
    assert b"Unusualname" not in raw and b"Peculiarwords" not in raw and b"others' words" in raw


def test_the_same_by_url_on_postgresql(postgres):
    a, b = Store(postgres.url), Store(postgres.url)
    a.create("t", {"lang": "ja"})
    e = a.append("t", 1, "P0", "sit", {"kind": "person"}, name="花子")
    with pytest.raises(Conflict):
        b.append("t", 1, "P1", "move")
    b.append("t", 2, "P0", "mark", {"text": "words"}, person=e.person)
    a.link("t", "P0", "k")
    assert b.seat_of("t", "k") == "P0" and a.events("t", 1)[0].data == {"text": "words"} and b.versions() == {"t": 2}
    assert b.erase_person("花子") == 1 and a.events("t")[1].data == {"text": ""} and a.tables()[0][2] == {"lang": "ja"}
    with pytest.raises(StoreError, match="pg_dump"):
        a.backup(Path("x"))
    assert json.dumps(a.events("t")[0].data)
    a.close()
    b.close()


def test_one_version_is_won_once_on_postgresql_too(postgres):
    stores = [Store(postgres.url) for _ in range(3)]
    stores[0].create("t", {})

    def write(n):
        won = 0
        for version in range(1, 21):
            try:
                stores[n].append("t", version, f"P{n}", "move")
                won += 1
            except Conflict:
                pass
        return won

    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(write, range(3))) == 20
    for s in stores:
        s.close()
