"""What a module's text changes behind the back of its own statements.

    global K  in a function           K is read anew each time
    globals()["h"] = g, exec(text)    h, or any name, may be something else
    np.sin = mine                     so may the member of a module

Names like these stand for what the running module has, and for nothing that the text says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from adjointgen.frontend.source.assigned_attributes import assigned_attributes
from adjointgen.frontend.source.desugar import changed_names
from adjointgen.records import dataclass

_TABLES = ("globals", "vars", "locals")
_READERS = ("get", "keys", "items", "values", "copy")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The names that change, the members of modules that do, and whether any name may."""

    names: frozenset[str]
    members: frozenset[tuple[str, str]]
    anything: bool

    def has(self, name: str) -> bool:
        """Whether a name of the module may stand for something else than its statements say."""
        return self.anything or name in self.names


@lru_cache(maxsize=32)
def rewritten(tree: ast.Module, text: str) -> Rewritten:
    """What changes in a module that is read."""
    names, members = set(changed_names(tree)), set(_members(tree))
    anything = False
    if any(f"{word}(" in text for word in (*_TABLES, "exec")):
        for name in _written(tree):
            anything |= not name
            names.add(name)
    return Rewritten(frozenset(names), frozenset(members), anything)


def _members(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The members of modules and objects that are assigned, as text of the owner and name."""
    for owner, name in assigned_attributes(tree):
        if isinstance(owner, ast.Name | ast.Attribute):
            yield ast.unparse(owner), name


def _written(tree: ast.Module) -> Iterator[str]:
    """The names that are written through a table of names; empty where any may be."""
    outer = {id(n) for stmt in tree.body if not isinstance(stmt, _SCOPES) for n in ast.walk(stmt)}
    harmless: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Call() as table, slice=key, ctx=how) if _is_table(table):
                harmless.add(id(table))
                if not isinstance(how, ast.Load):
                    literal = isinstance(key, ast.Constant) and isinstance(key.value, str)
                    yield key.value if literal else ""  # type: ignore[attr-defined]
            case ast.Attribute(value=ast.Call() as table, attr=name) if (
                _is_table(table) and name in _READERS
            ):
                harmless.add(id(table))
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Call() as table]):
                harmless.add(id(table))
            case ast.Call(func=ast.Name(id="exec"), args=[_], keywords=[]):
                yield ""
            case ast.Call() if _is_table(node) and id(node) not in harmless:
                # What only a function's own table is does not matter.
                if node.func.id == "globals" or id(node) in outer:  # type: ignore[attr-defined]
                    yield ""


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_table(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in _TABLES and not node.args
