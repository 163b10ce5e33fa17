"""A module of generated functions: header, imports, functions, and the helpers that they call.

The text is complete before formatting; `format` is black with its default mode, so what is emitted
looks as the user's own formatter would leave it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.definition_trees import module
from adjointgen.emit.syntax.formatting import format
from adjointgen.emit.syntax.tree import Statement
from adjointgen.emit.write.class_annotations import imports_of_classes
from adjointgen.emit.write.helper_text import helpers
from adjointgen.emit.write.imports import bound_by, import_lines, numpy_alias
from adjointgen.emit.write.link_functions import linked
from adjointgen.emit.write.module_constants import constant
from adjointgen.emit.write.parameter_capture import written
from adjointgen.emit.write.tape_class import tape_classes
from adjointgen.ir.nodes import Call, Function, walk


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
    below = _below(functions, modules, free, bool(classes))
    taken = {*bound_by([*imports, *lines]), *(function.name for function in functions)}
    checked = imports_of_classes(modules, taken)
    imported = import_lines(modules.used, modules.numpy, lines, free, imports)
    above = [line if line.startswith("#") else f"# {line}".rstrip() for line in header]
    parts = [module(above, [*imported, *definitions])]
    if classes or checked:
        first = module(above, imported) + (f"\n{checked}\n" if checked else "")
        parts = [first, *classes, module([], definitions)]
    return "\n\n".join([*parts, *below])


def _below(
    functions: Sequence[Function], modules: Modules, free: Collection[str], has_tapes: bool
) -> list[str]:
    """The texts that stand below the functions: what they call, and constants that they read."""
    tables = [table for function in functions for table in function.tables]
    called = helpers(modules, free, has_tapes, {table.helper for table in tables})
    return [*called, *(constant(table, modules) for table in tables)]


__all__ = ["emit", "format"]
