"""The syntax tree of a function, from the file or the notebook cell it was written in."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable
from functools import cache

from workbench.core.language import say
from workbench.core.machine.kinds import Outside
from workbench.core.meaning import code_key

MASK = 0x1FF0000
"""The bits of a code object's flags that tell which ``from __future__`` it was compiled with."""


def tree(f: Callable) -> ast.FunctionDef:
    """The function's definition, with the line numbers of its file.

    Raises:
        Outside: its text cannot be found, or says something else by now.
    """
    code = f.__code__  # type: ignore[attr-defined]
    carried = getattr(f, "__workbench_text__", None)
    text = carried if carried is not None else _text(code.co_filename)
    node = _definitions(text).get((code.co_name, 1 if carried is not None else code.co_firstlineno))
    if node is None or not code.co_freevars and not _says(node, code):
        raise Outside(say("machine.text", name=code.co_name), code.co_filename, code.co_firstlineno)
    return node


def _text(file: str) -> str:
    if file == "<string>" and "-c" in sys.orig_argv[:-1]:
        return sys.orig_argv[sys.orig_argv.index("-c") + 1]
    return "".join(linecache.getlines(file))


@cache
def _definitions(text: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Every function of a text by name and first line (that of its first decorator)."""
    try:
        module = ast.parse(text)
    except SyntaxError:
        return {}
    return {(n.name, min([n.lineno, *(d.lineno for d in n.decorator_list)])): n
            for n in ast.walk(module) if isinstance(n, ast.FunctionDef)}


def _says(node: ast.FunctionDef, code) -> bool:
    """Whether a definition compiles to this code."""
    bare = ast.FunctionDef(name=node.name, args=node.args, body=node.body, decorator_list=[], returns=None, type_comment=None,
                           lineno=node.lineno, col_offset=node.col_offset)
    if sys.version_info >= (3, 12):
        bare.type_params = []
    module = compile(ast.Module([bare], []), code.co_filename, "exec", code.co_flags & MASK, dont_inherit=True)
    found = next((c for c in module.co_consts if hasattr(c, "co_code") and c.co_name == code.co_name), None)
    return found is not None and code_key(found) == code_key(code)
