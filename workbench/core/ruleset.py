"""A ruleset: a folder with text, numbers, code and examples of one game, read and checked.

Found by folder, never imported by name: a path, ``./rulesets/<name>`` (also beside the folder one is in, as for
a notebook in ``notebooks/``), then the built-in ones.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import re
import sys
import tomllib
import types
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.core.errors import RulesetError, UnknownName, WorkbenchError
from workbench.core.language import LANGUAGES, pick, say
from workbench.core.moves import Moves
from workbench.core.params import Parameters, read_parameters
from workbench.core.pieces import Pieces, read_pieces
from workbench.core.schema import Schema
from workbench.core.vocabulary import Declared, Handle

PACKAGE = Path(__file__).parents[1]
FILES = ("game.toml", "params.toml", "drafts.toml", "rules.py")
RULE_LINE = re.compile(r"^- \*\*([A-Za-z0-9]+-[A-Za-z0-9'-]+)\*\* +(.+)$")


def home(what: str) -> Path:
    """Where the built-in ``rulesets``, ``data`` or ``notebooks`` lie: beside the package, or inside an installed one."""
    beside, inside = PACKAGE.parent / what, PACKAGE / f"_{what}"
    return inside if inside.is_dir() or not (PACKAGE.parent / "pyproject.toml").exists() else beside


def folders() -> dict[str, Path]:
    """Every ruleset folder that can be loaded by name; one in ``./rulesets`` hides a built-in one."""
    found: dict[str, Path] = {}
    here = Path.cwd()
    for root in (home("rulesets"), here.parent / "rulesets", here / "rulesets"):
        if root.is_dir():
            found |= {d.name: d for d in sorted(root.iterdir()) if (d / "game.toml").is_file()}
    return found


def find(name: str | Path) -> Path:
    """The folder of a ruleset by name or path.

    Raises:
        UnknownName: lists what there is.
    """
    known = folders()
    if str(name) in known:
        return known[str(name)].resolve()
    path = Path(name)
    if (path / "game.toml").is_file():
        return path.resolve()
    if str(name) in _by_name:
        return _by_name[str(name)]
    raise UnknownName("ruleset", str(name), known)


_by_name: dict[str, Path] = {}
_loaded: dict[Path, tuple[tuple, Ruleset]] = {}


def load_ruleset(name: str | Path) -> Ruleset:
    """The ruleset of a folder; read again when one of its files has changed."""
    folder = find(name)
    data = folder.parent.parent / "data" / folder.name
    files = sorted(p for d in (folder, data) if d.is_dir() for p in d.rglob("*")
                   if p.is_file() and p.suffix in (".toml", ".py", ".md", ".csv"))
    stamp = tuple((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in files)
    if folder not in _loaded or _loaded[folder][0] != stamp:
        _loaded[folder] = (stamp, Ruleset(folder, data))
    _by_name[folder.name] = folder
    return _loaded[folder][1]


@dataclass
class Ruleset:
    """One game: what its files say, with names resolved. Immutable once read."""

    folder: Path
    data: Path
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.folder.name
        for f in FILES:
            if not (self.folder / f).is_file():
                raise RulesetError(say("ruleset.missing_file"), file=self.folder / f)
        self.game = read_toml(self.folder / "game.toml")
        file = self.folder / "game.toml"
        try:
            self._read_game(file)
        except UnknownName as e:
            raise RulesetError(str(e), file=file) from None
        except KeyError as e:
            raise RulesetError(say("ruleset.needs", key=e.args[0]), file=file) from None
        except (TypeError, AttributeError, ValueError) as e:
            if isinstance(e, WorkbenchError):
                raise
            raise RulesetError(say("ruleset.shape", why=e), file=file) from e

    def _read_game(self, file: Path) -> None:
        g = self.game
        self.phases = (*g["phases"], "over")
        self.dims: dict[str, int] = g.get("dims", {})
        self.pieces: dict[str, Pieces] = {}
        for k, e in g.get("pieces", {}).items():
            self.pieces[k] = read_pieces(k, e, self.data, file, self.pieces)
        players = g["players"]
        self.players = range(players["min"], players["max"] + 1)
        self.default_players: int = players.get("default", players["max"])
        params = self.folder / "params.toml"
        self.params_doc = read_toml(params)
        self.parameters = Parameters(read_parameters(self.params_doc, params), self.pieces)
        self.modules: dict[str, types.ModuleType] = {}
        self._package = self._new_package()
        for n in ("rules", "bots"):
            if (self.folder / f"{n}.py").is_file():
                self._module(n)
        declared = getattr(self.modules["rules"], "STATE", None)
        if not isinstance(declared, dict) or not all(isinstance(d, Declared) for d in declared.values()):
            raise RulesetError(say("ruleset.state"), file=self.folder / "rules.py")
        self.schema = Schema(declared, pieces=self.pieces, dims=self.dims, max_players=players["max"], phases=self.phases)
        self.moves = Moves(g["moves"], pieces=self.pieces, seat_names=self.schema.seat_names,
                           phases=self.phases, dims=self.dims)
        for bot in self.bots:
            if bot not in self.functions:
                raise RulesetError(say("ruleset.bot", name=bot), file=self.folder / "bots.py")

    # ------------------------------------------------------------ text

    @cached_property
    def text(self) -> dict[str, dict[str, str]]:
        """Rule text: language → rule id → sentence, in the order of the file."""
        return {lang: {id: text for id, text, _ in read_rule_text(self.folder / f"rules.{lang}.md")} for lang in LANGUAGES}

    @cached_property
    def say(self) -> dict[str, dict]:
        """Sentences of events and refusals from ``say.toml``."""
        path = self.folder / "say.toml"
        return read_toml(path) if path.is_file() else {}

    @cached_property
    def rule_ids(self) -> tuple[str, ...]:
        """Every id that code may cite: rule text, then questions and variants; number 0 stands for "allowed"."""
        ids = dict.fromkeys(["", *self.text["en"]])
        for p in self.parameters.entries.values():
            if p.question_id:
                ids[p.question_id] = None
        ids |= dict.fromkeys(self.params_doc.get("settled", {}))
        return tuple(ids)

    @cached_property
    def _rulings(self) -> dict:
        """Rulings by the id of their question; the first where several answer one."""
        return {p.question_id: p for p in reversed(self.parameters.entries.values()) if p.question_id and p.ruling}

    def rule_text(self, id: str, lang: str | None = None) -> str:
        """A rule's sentence; for a question its question and answer.

        Raises:
            UnknownName: lists the ids.
        """
        p = self._rulings.get(id)
        if p is not None:
            return f"{pick(p.meaning, lang)} → {pick(p.readings[p.default], lang)}"  # type: ignore[index]
        settled = self.params_doc.get("settled", {}).get(id)
        if settled:
            return f"{pick(settled['question'], lang)} → {pick(settled['answer'], lang)}"
        from workbench.core.language import language

        text = self.text[lang or language()]
        if id not in text:
            raise UnknownName("rule", id, self.rule_ids[1:])
        return text[id]

    # ------------------------------------------------------------ code

    @cached_property
    def functions(self) -> dict[str, types.FunctionType]:
        """The functions of rules.py and bots.py, and of the files of the folder that they import from, by name."""
        found: dict[str, types.FunctionType] = {}
        for module in self.modules.values():
            for name, f in vars(module).items():
                if isinstance(f, types.FunctionType) and f.__module__ == module.__name__:
                    if name in found:
                        raise RulesetError(say("ruleset.same_name", name=name), file=module.__file__)
                    found[name] = f
        return found

    @property
    def bots(self) -> dict[str, dict]:
        """The ruleset's bots and what they are, beside ``random``."""
        return self.game.get("bots", {})

    @cached_property
    def source_digest(self) -> str:
        """A digest of the code and declarations that decide how the game goes; titles and texts are not among them."""
        h = hashlib.sha256()
        for name in sorted(self.modules.keys() - {"bots"}):
            h.update((self.folder / f"{name}.py").read_bytes())
        moves = [(k.name, k.phases, k.args, k.values, k.chance, k.luck, k.secret) for k in self.moves.kinds.values()]
        h.update(repr((self.phases, self.dims, moves)).encode())
        for k in self.pieces.values():
            h.update(repr((k.kind, k.names, k.columns)).encode())
        return h.hexdigest()

    def resolve(self, handle: Handle) -> object:
        """What a handle of the rules stands for.

        Raises:
            UnknownName: no such rule, reading, phase, piece or move.
        """
        sort, names = handle.sort, handle.names
        if sort == "rule":
            return _index(self.rule_ids, names[0], "rule")
        if sort == "phase":
            return _index(self.phases, names[0], "phase")
        if sort == "reading":
            return _index(list(self.parameters[names[0]].readings), names[1], "reading")
        if names[0] not in (self.pieces if sort == "piece" else self.moves.kinds):
            raise UnknownName("piece_kind" if sort == "piece" else "move", names[0],
                              self.pieces if sort == "piece" else self.moves.kinds)
        if sort == "piece":
            return self.pieces[names[0]].index(names[1])
        kind = self.moves.kinds[names[0]]
        return (kind.base, kind.size, kind.sizes[1] if len(kind.sizes) > 1 else 1)

    def _new_package(self) -> str:
        """A package name of this ruleset's own, under which its files can say ``from .rules import``."""
        tag = hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        package = f"_ruleset_{re.sub(r'[^A-Za-z0-9]', '_', self.name)}_{tag}"
        for known in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
            del sys.modules[known]
        parent = types.ModuleType(package)
        parent.__path__ = []  # what a file imports from its folder is read here first
        sys.modules[package] = parent
        return package

    def _module(self, name: str) -> None:
        """Read one Python file of the folder, and before it those that it imports from beside it."""
        if name in self.modules:
            return
        path = self.folder / f"{name}.py"
        try:
            text = path.read_text("utf-8")
            tree = ast.parse(text, str(path))
        except SyntaxError as e:
            raise RulesetError(say("ruleset.python", why=e.msg), file=path, line=e.lineno) from None
        linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))  # as read, whatever the file says later
        module = types.ModuleType(f"{self._package}.{name}")
        module.__file__, module.__package__ = str(path), self._package
        sys.modules[module.__name__] = self.modules[name] = module
        for n in ast.walk(tree):
            if isinstance(n, ast.ImportFrom) and n.level == 1 and n.module and (self.folder / f"{n.module}.py").is_file():
                self._module(n.module)
        try:
            exec(compile(tree, str(path), "exec"), module.__dict__)
        except WorkbenchError:
            raise
        except Exception as e:
            line = next((t.lineno for t in _frames(e) if t.filename == str(path)), None)
            raise RulesetError(say("ruleset.broke", why=f"{type(e).__name__}: {e}"), file=path, line=line) from e


def _frames(e: Exception):
    import traceback

    return reversed(traceback.extract_tb(e.__traceback__))


def _index(names, name: str, what: str) -> int:
    names = list(names)
    if name not in names:
        raise UnknownName(what, name, names)
    return names.index(name)


def read_toml(path: Path) -> dict:
    """A TOML file, or an error with file, line and what was expected."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as e:
        line = re.search(r"at line (\d+)", str(e))
        last = path.read_text("utf-8").count("\n") + 1
        raise RulesetError(say("ruleset.toml", why=e), file=path, line=int(line[1]) if line else last) from None
    except UnicodeDecodeError:
        raise RulesetError(say("ruleset.utf8"), file=path) from None


def read_rule_text(path: Path) -> list[tuple[str, str, int]]:
    """The (id, sentence, line) of each rule in a ``rules.<language>.md``.

    Raises:
        RulesetError: an id that stands twice, or no file.
    """
    if not path.is_file():
        raise RulesetError(say("ruleset.missing_file"), file=path)
    found: dict[str, tuple[str, str, int]] = {}
    for line, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        m = RULE_LINE.match(text)
        if m:
            if m[1] in found:
                raise RulesetError(say("ruleset.rule_twice", id=m[1], line=found[m[1]][2]), file=path, line=line)
            found[m[1]] = (m[1], m[2].strip(), line)
    return list(found.values())


