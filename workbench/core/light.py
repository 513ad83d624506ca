"""A lighter way through Numba for the functions inside a compiled game.

Numba optimises every function by itself, with all it calls, and emits machine code for each; for
a game of a hundred small rules that are inlined into one loop anyway, nearly all of that is
thrown away. Here the inner functions are only lowered; the entry links them all and is optimised
once. Measured on Omerta (86 functions): 13.6 s → about 4 s cold, the same speed after.

This rests on a few names inside Numba, so it is kept apart and ``available`` says whether they
are there; without them everything works, compiling slower.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

import llvmlite.binding as ll
from numba import njit
from numba.core import compiler, typed_passes, types
from numba.core.callconv import CPUCallConv
from numba.core.compiler_machinery import register_pass
from numba.np import arrayobj

try:
    from numba.core.codegen import CPUCodeLibrary

    available = all(hasattr(CPUCodeLibrary, n) for n in
                    ("_optimize_functions", "_optimize_final_module", "_ensure_finalized", "_get_module_for_linking"))
except ImportError:  # pragma: no cover - another Numba
    available = False


@register_pass(mutates_CFG=True, analysis_only=False)
class LightLowering(typed_passes.NativeLowering):
    """Lower to LLVM, but leave optimising and machine code to the function that links this one in."""

    _name = "light_lowering"

    def run_pass(self, state):
        """Lower one function."""
        library = state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library._optimize_functions = lambda module: None
        library.finalize = lambda: setattr(library, "_finalized", True)  # the entry links all of them, once
        state.flags.no_compile = True
        state.flags.noalias = True  # p, s, w and a view are never the same memory
        with _as_c_would():
            super().run_pass(state)
        # a built-in of its own stands for the entry point that was never made: Numba wants one, nobody calls it
        state["cr"] = state["cr"]._replace(cfunc=[].append)
        state.targetctx.insert_user_function(state["cr"].cfunc, state["cr"].fndesc, [library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(typed_passes.NativeLowering):
    """Lower the entry, and optimise it with all it links as one program."""

    _name = "entry_lowering"

    def run_pass(self, state):
        """Lower one function."""
        codegen = state.targetctx.codegen()
        library = state.library = codegen.create_library(state.func_id.func_qualname)
        library.enable_object_caching()

        def optimize() -> None:
            for f in library._final_module.functions:
                # nobody else calls the inner functions, so one that is called once can be inlined whole
                if not f.is_declaration and f.linkage == ll.Linkage.linkonce_odr:
                    f.linkage = ll.Linkage.internal
            tuning = ll.create_pipeline_tuning_options(speed_level=2)
            tuning.loop_vectorization = tuning.slp_vectorization = False  # loops over a few seats only get slower as vectors
            tuning.inlining_threshold = 600  # rules are many and small
            builder = ll.create_pass_builder(codegen._tm, tuning)
            passes = builder.getModulePassManager()
            passes.add_refprune_pass()
            passes.run(library._final_module, builder)

        finalize = library.finalize

        def link_all() -> None:
            library._linking_libraries[:] = _below(library)
            finalize()

        library._optimize_final_module, library.finalize = optimize, link_all
        with _as_c_would():
            return super().run_pass(state)


def _below(library: CPUCodeLibrary) -> list[CPUCodeLibrary]:
    """Every library that this one needs, those of the inner functions' inner functions too, each once."""
    found: dict[int, CPUCodeLibrary] = {}
    todo = list(library._linking_libraries)
    while todo:
        one = todo.pop()
        if id(one) not in found:
            found[id(one)] = one
            todo += one._linking_libraries
    return list(found.values())


@contextmanager
def _as_c_would():
    """Two things LLVM may know of rules that it may not know of Python.

    An index is never negative: -1 is "none", never "the last one" (the plain checks refuse it). And a
    record is all there: reading a field early, before the question whether it is needed, is harmless.
    """
    fix_index, decorate = arrayobj.fix_integer_index, CPUCallConv.decorate_function

    def fix(context, builder, idxty, idx, size):
        return context.cast(builder, idx, idxty, types.intp if idxty.signed else types.uintp)

    def decorate_function(self, fn, args, fe_argtypes, noalias=False):
        decorate(self, fn, args, fe_argtypes, noalias=noalias)
        if len(self.get_arguments(fn)) == len(fe_argtypes):
            for arg, t in zip(self.get_arguments(fn), fe_argtypes):
                if isinstance(t, types.Record):
                    arg.attributes.dereferenceable = t.size

    arrayobj.fix_integer_index, CPUCallConv.decorate_function = fix, decorate_function
    try:
        yield
    finally:
        arrayobj.fix_integer_index, CPUCallConv.decorate_function = fix_index, decorate


def _with(lowering: type) -> type:
    """Numba's own pipeline with another lowering in its place."""

    class Compiler(compiler.CompilerBase):
        def define_pipelines(self):
            """The passes."""
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            # the rewrites left out are about array expressions, which rules do not have
            manager.passes[:] = [(lowering if p is typed_passes.NativeLowering else p, why) for p, why in manager.passes
                                 if p is not typed_passes.NopythonRewrites]
            manager._finalized = False
            manager.finalize()
            return [manager]

    return Compiler


_spelled_out = types.Record.__repr__


def _remembered(self: types.Record) -> str:
    """A record type's text, spelled out once: Numba asks for it thousands of times in one compilation."""
    if "_text" not in self.__dict__:
        self.__dict__["_text"] = _spelled_out(self)
    return self.__dict__["_text"]


types.Record.__repr__ = _remembered
INNER, ENTRY = _with(LightLowering), _with(EntryLowering)


def inner(f: Callable) -> Callable:
    """An inner function: lowered only, and once for all whole numbers however small the field they come from."""
    if not available:
        return njit(f, nogil=True)
    made = njit(f, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=INNER)
    template = made.get_call_template

    def get_call_template(args, kws):
        return template(tuple(map(_wide, args)), {k: _wide(v) for k, v in kws.items()})

    made.get_call_template = get_call_template
    return made


def _wide(t: types.Type) -> types.Type:
    t = types.unliteral(t)
    return types.int64 if isinstance(t, types.Integer) and t.bitwidth < 64 else t


def entry(f: Callable, *, cached: bool) -> Callable:
    """The function that is called from outside; ``cached`` on disk under its ``__qualname__``."""
    options = {"pipeline_class": ENTRY} if available else {}
    return njit(f, nogil=True, cache=cached, **options)
