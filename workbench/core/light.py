"""A lighter way through Numba for the functions inside a compiled game.

Numba optimises every function by itself, with all it calls, and emits machine code for each; for
a game of a hundred small rules that are inlined into one loop anyway, nearly all of that is
thrown away. Here the inner functions are only lowered; the entry links them all and is optimised
once. Measured on Omerta (86 functions): 13.6 s → under 4 s cold, the same speed after.

This rests on a few names inside Numba, so it is kept apart and ``available`` says whether they
are there; without them everything works, compiling slower.
"""

from __future__ import annotations

import llvmlite.binding as ll
from numba.core import compiler, typed_passes
from numba.core.compiler_machinery import register_pass

try:
    from numba.core.codegen import CPUCodeLibrary

    available = all(hasattr(CPUCodeLibrary, n) for n in
                    ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals"))
except ImportError:  # pragma: no cover - another Numba
    available = False


@register_pass(mutates_CFG=True, analysis_only=False)
class LightLowering(typed_passes.NativeLowering):
    """Lower to LLVM, but leave optimising and machine code to the function that links this one in."""

    _name = "light_lowering"

    def run_pass(self, state):
        """Lower one function."""
        library = state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library.enable_object_caching()

        def finalize() -> None:
            library._finalize_dynamic_globals()
            library._finalized = True

        library._optimize_final_module = lambda: None
        library._finalize_final_module = finalize
        state.flags.no_compile = True
        state.flags.noalias = True
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
            # loops over a few seats only get slower as vectors
            for cost in ("cheap", None):
                passes, builder = codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, cost=cost)
                passes.run(library._final_module, builder)

        library._optimize_final_module = optimize
        return super().run_pass(state)


def _with(lowering: type) -> type:
    """Numba's own pipeline with another lowering in its place."""

    class Compiler(compiler.CompilerBase):
        def define_pipelines(self):
            """The passes."""
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes[:] = [(lowering if p is typed_passes.NativeLowering else p, why) for p, why in manager.passes]
            manager._finalized = False
            manager.finalize()
            return [manager]

    return Compiler


INNER, ENTRY = _with(LightLowering), _with(EntryLowering)


def inner() -> dict:
    """What ``njit`` is given for an inner function."""
    if not available:
        return {"nogil": True}
    return {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": INNER}


def entry() -> dict:
    """What ``njit`` is given for the entry."""
    return {"nogil": True, "pipeline_class": ENTRY} if available else {"nogil": True}
