"""Whether the text of a module can run: it compiles, and every name in it is defined.

    names read of the module  ⊆  names that its statements bind  ∪  builtins

The compiler's own symbol tables say what a name is read from. What stands in the head of a function
(defaults, annotations, decorators) is evaluated where it stands, so it is bound further up. A
module that fails this is refused and not written.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator
from typing import Final

from adjointgen.errors import SourceError, Unsupported

_GIVEN: Final = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__spec__"}


def require_sound(text: str) -> None:
    """Raises SourceError (AG010) for a module that would not run, Unsupported (AG121) for one
    that is nested too deeply for Python's own compiler."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<generated>", "exec", dont_inherit=True)
            missing = next(undefined(text), None)
    except SyntaxError as error:
        line = text.split("\n")[(error.lineno or 1) - 1].strip()
        raise SourceError(
            f"the generated module does not compile: {error.msg}, in {line!r}",
            code="AG010",
            help="write the expression that this comes from in another way",
        ) from error
    except (RecursionError, MemoryError) as error:
        what = "the generated module is nested too deeply to be compiled"
        raise Unsupported(what, code="AG121", help="split the expression") from error
    if missing is not None:
        raise SourceError(
            f"the generated module would not run: {missing} is not defined in it",
            code="AG010",
            help=f"make {missing} a parameter, or a name of a module that can be imported",
        )


def undefined(text: str) -> Iterator[str]:
    """The names of a module that are read, and that nothing in it binds, or nothing above."""
    top = symtable.symtable(text, "<generated>", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    bound |= _GIVEN
    yield from sorted(name for name in _read(top) if name not in bound)
    above = set(_GIVEN)
    for stmt in ast.parse(text).body:
        yield from sorted(name for name in _early(stmt) if name not in above)
        match stmt:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                above.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                above.update(a.asname or a.name.partition(".")[0] for a in names)
            case _:
                stored = (n for n in ast.walk(stmt) if isinstance(n, ast.Name))
                above.update(n.id for n in stored if isinstance(n.ctx, ast.Store))


def _read(table: symtable.SymbolTable) -> Iterator[str]:
    """The names of the module that a scope and those in it read."""
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (outermost or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _read(child)


def _early(stmt: ast.stmt) -> Iterator[str]:
    """The names that are read when a statement of the module runs, bodies of functions left out."""
    if isinstance(stmt, ast.Import | ast.ImportFrom):
        return
    left: list[ast.AST] = [stmt]
    while left:
        node = left.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        if isinstance(node, ast.FunctionDef):
            left += [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
        elif not isinstance(node, ast.Lambda | _COMPREHENSIONS):
            left += ast.iter_child_nodes(node)


_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
