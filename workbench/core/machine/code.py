"""Machine code of a program: optimised as one, kept on disk, loaded and called."""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as ll

from workbench.core.machine.kinds import INT, Kind, Row

KEPT = 300
"""How many programs stay on disk; the longest unused go first."""
_one_at_a_time = threading.RLock()  # LLVM's own tables are shared


def folder() -> Path:
    """Where machine code is kept: ``NUMBA_CACHE_DIR``, or the user's cache."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named) / "workbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "workbench"


@cache
def _target() -> tuple[ll.Target, str, str]:
    ll.initialize_native_target()
    ll.initialize_native_asmprinter()
    return ll.Target.from_default_triple(), ll.get_host_cpu_name(), ll.get_host_cpu_features().flatten()


def instructions() -> frozenset[str]:
    """The extensions that this processor has."""
    return frozenset(f[1:] for f in _target()[2].split(",") if f.startswith("+"))


def _machine() -> ll.TargetMachine:
    target, cpu, features = _target()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="default", codemodel="jitdefault", jit=True)


def machine_code(text: str) -> bytes:
    """The object file of a program, inlined and optimised as one."""
    with _one_at_a_time:
        tm = _machine()
        module = ll.parse_assembly(text, context=ll.create_context())
        module.triple, module.data_layout = tm.triple, str(tm.target_data)
        tuning = ll.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = tuning.slp_vectorization = False  # loops over a few seats only get slower as vectors
        tuning.inlining_threshold = 600  # rules are many and small
        builder = ll.create_pass_builder(tm, tuning)
        builder.getModulePassManager().run(module, builder)
        return tm.emit_object(module)


def stored(key: str, make: Callable[[], bytes]) -> bytes:
    """The object file kept under a key, made where there is none or where it is damaged."""
    path = folder() / f"{hashlib.sha256(repr((key, llvmlite.__version__, *_target()[1:])).encode()).hexdigest()[:32]}.code"
    try:
        whole = path.read_bytes()
        if hashlib.sha256(whole[32:]).digest() == whole[:32]:
            os.utime(path)
            return whole[32:]
    except OSError:
        pass
    code = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as f:
            f.write(hashlib.sha256(code).digest() + code)
        os.replace(f.name, path)
        for old in sorted(path.parent.glob("*.code"), key=lambda p: p.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        pass  # a folder that cannot be written costs time, nothing else
    return code


class Loaded:
    """A program in memory; called with NumPy records, arrays of records and whole numbers."""

    def __init__(self, code: bytes, kinds: tuple[Kind, ...]):
        with _one_at_a_time:
            empty = ll.parse_assembly("", context=ll.create_context())
            self._engine = ll.create_mcjit_compiler(empty, _machine())
            self._engine.add_object_file(ll.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
            address = self._engine.get_function_address("entry")
        types = []
        for k in kinds:
            types += [ctypes.c_int64] if k == INT else [ctypes.c_void_p, ctypes.c_int64] if isinstance(k, Row) else [ctypes.c_void_p]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *types)(address)
        self._kinds = kinds

    def __call__(self, *args: object) -> tuple[int, int]:
        """What the program returns, and the code of what turned out impossible (0: nothing)."""
        given: list[int] = []
        for kind, a in zip(self._kinds, args, strict=True):
            if kind == INT:
                given.append(int(a))  # type: ignore[call-overload]
                continue
            given.append(a.__array_interface__["data"][0])  # type: ignore[attr-defined]
            if isinstance(kind, Row):
                given.append(len(a))  # type: ignore[arg-type]
        fault = ctypes.c_int64(0)
        result = self._call(ctypes.addressof(fault), *given)
        return result, fault.value
