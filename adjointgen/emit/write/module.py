"""A module of generated functions: header, imports, functions, and the helpers that they call.

The text is complete before formatting; `format` is black with its default mode, so what is emitted
looks as the user's own formatter would leave it.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.definition_trees import module
from adjointgen.emit.syntax.formatting import format
from adjointgen.emit.syntax.tree import Statement
from adjointgen.emit.write.imports import import_lines, numpy_alias
from adjointgen.emit.write.link_functions import linked
from adjointgen.emit.write.parameter_capture import written
from adjointgen.emit.write.tape_class import HELPER, tape_classes
from adjointgen.ir.nodes import Call, Function, walk
from adjointgen.rules.framework.table import TABLE

_RUNTIME = "adjointgen.runtime."
_OTHERS = {
    "caught": "caught.py",
    "outcome": "caught.py",
    "kept": "managers.py",
    HELPER: "tapes.py",
    **dict.fromkeys(
        ("log_keeps", "binomial_keeps", "online_keeps", "periodic_keeps", "latest"), "schedules.py"
    ),
}


def emit(
    functions: Sequence[Function],
    *,
    header: Sequence[str] = (),
    imports: Sequence[str] = (),
    plain: bool = False,
) -> str:
    """The text of a module with these functions, in this order, below the lines of a header.

    With `plain`, what they return as a number is one of Python's, whatever NumPy's functions give.
    """
    programs, functions = functions, linked(functions)
    lines = [line for function in functions for line in function.imports]
    called_here = {s.function for f in functions for s in walk(f.body) if isinstance(s, Call)}
    own = {function.name for function in programs} - called_here
    modules = Modules(numpy_alias([*imports, *lines]), own if plain else None)
    definitions: list[Statement] = []
    free: set[str] = set()
    for function in functions:
        made, names = written(function, modules, [other.name for other in functions])
        definitions += made
        free |= names
    classes = tape_classes(functions, modules)
    free -= {function.name for function in functions}
    below = [_helper(name, modules) for name in _helpers(modules, free, bool(classes))]
    imported = import_lines(modules.used, modules.numpy, lines, free, imports)
    above = [line if line.startswith("#") else f"# {line}".rstrip() for line in header]
    parts = [module(above, [*imported, *definitions])]
    if classes:
        parts = [module(above, imported), *classes, module([], definitions)]
    return "\n\n".join([*parts, *below])


def _helpers(modules: Modules, free: set[str], has_tapes: bool) -> list[str]:
    """The functions of the package whose text a module needs."""
    called = {m.removeprefix(_RUNTIME) for m in modules.used if m.startswith(_RUNTIME)}
    # The text of the user's program calls these itself.
    called |= {name for name in ("caught", "outcome", "kept") if f"_{name}" in free}
    return sorted(called | {HELPER} if has_tapes else called)


def _helper(name: str, modules: Modules) -> str:
    """The source of a helper, under a leading underscore.

    It stands below everything else, so it need not be parsed to be printed.
    """
    text = _source(name).replace(f"def {name}(", f"def _{name}(")
    modules.used |= {"typing.Any", *(["numpy"] if "np." in text else [])}
    if modules.numpy != "np":
        text = text.replace("np.", f"{modules.numpy}.")
    return f"{text}\n"


@cache
def _source(name: str) -> str:
    # `importlib.resources` would do as well, and take as long as emitting a function.
    loader: Any = __spec__.loader
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    text = loader.get_data(
        os.path.join(package, "runtime", _OTHERS.get(name) or TABLE.get(name).runtime)
    ).decode()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.get_source_segment(text, node) or ""
    raise KeyError(name)


__all__ = ["emit", "format"]
