"""What a global name is, from the text of its module: nothing is executed.

What a name stands for is what all its possible bindings agree on (`module_bindings.py`); where they
do not, it is an object that the program imports from the module, and of which nothing is known.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Closure,
    Module,
    Named,
    Outside,
    Seq,
)
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.source.assigned_elsewhere import Neighbours
from adjointgen.frontend.source.decorators import decorated
from adjointgen.frontend.source.module_bindings import (
    UNBOUND,
    Binding,
    Bindings,
    State,
    bindings,
    known,
    of,
)
from adjointgen.frontend.source.module_search import absolute
from adjointgen.frontend.source.name_resolution import known_module, member_of_known
from adjointgen.frontend.source.rewritten_names import Rewritten, rewritten
from adjointgen.frontend.source.static_tests import UNKNOWN
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import OBJECT
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE
from adjointgen.wrapping import is_harmless


@lru_cache(maxsize=32)
def _alone(tree: ast.Module) -> State:
    """The bindings of a module, which depend on no other one."""
    return bindings(tree.body)


_STAR = re.compile(r"import\s*\(?\s*\*")
_STARRED = ("numpy", "math", "cmath")
"""Modules whose names are asked of the modules themselves."""


class TextResolver:
    """Reads the statements of a module: imports, constants and functions.

    `home` is the name that the module is imported by, `other` reads another module.
    """

    def __init__(
        self,
        path: str,
        text: str,
        tree: ast.Module,
        make: Callable[..., Any],
        other: Callable[[str, str], TextResolver | None] = lambda module, importer: None,
        home: str = "",
    ) -> None:
        self.identity: object = path
        self.path, self.home = path, home
        self._other, self.text, self._make = other, text, make
        self._tree = tree
        self._open: set[str] = set()
        self._changed: dict[str, bool] = {}
        self._reading = False

    @cached_property
    def state(self) -> State:
        """What the names of the module may stand for."""
        if _STAR.search(self.text) is None:
            return _alone(self._tree)
        self._reading = True
        try:
            return bindings(self._tree.body, self._stars)
        finally:
            self._reading = False

    @cached_property
    def rewritten(self) -> Rewritten:
        """What the module changes by other means than its statements."""
        return rewritten(self._tree, self.text)

    def changes(self, name: str) -> bool:
        """Whether a name may stand for something else than the module's own statements say."""
        if self.rewritten.has(name):
            return True
        if name not in self._changed:
            self._changed[name] = name in self.state and self._neighbours.assign(name)
        return self._changed[name]

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.path)

    def origin(self, name: str) -> tuple[TextResolver, str] | None:
        """The module that a name is imported from, and its name there; None where the text does not
        say that, or the module has no text."""
        found = of(self.state, name)
        stmt = next(iter(found)).stmt if len(found) == 1 else None
        if not isinstance(stmt, ast.ImportFrom) or self.changes(name):
            return None
        alias = next((a for a in reversed(stmt.names) if (a.asname or a.name) == name), None)
        other = self._other("." * stmt.level + (stmt.module or ""), self.path)
        return None if other is None else (other, name if alias is None else alias.name)

    def find(self, name: str) -> Abstract:
        if name in self._open:
            # What is made of itself, in modules that import each other, is not followed.
            return self._outside(name)
        self._open.add(name)
        try:
            return self._agreed(name)
        finally:
            self._open.discard(name)

    def _agreed(self, name: str) -> Abstract:
        """What all bindings of a name mean."""
        found = of(self.state, name)
        if self.changes(name):
            return self._outside(name)
        imports = [b for b in found if isinstance(b.stmt, ast.Import | ast.ImportFrom)]
        if len(imports) == 1 and all(b.spare for b in found if b not in imports):
            # A program that imports this fails where it cannot be imported.
            found = frozenset(imports)
        first, *others = [self.meaning(name, binding) for binding in found]
        return first if all(other == first for other in others) else self._outside(name)

    def meaning(self, name: str, binding: Binding) -> Abstract:
        """What a name stands for by one of its bindings."""
        if binding is UNBOUND:
            return Named(f"builtins.{name}", name) if hasattr(builtins, name) else ABSENT
        match binding.stmt:
            case ast.Import(names=names):
                return next(m for alias in reversed(names) if (m := self._module(alias, name)))
            case ast.ImportFrom() as stmt:
                return self._imported(stmt, name)
            case ast.FunctionDef() as node:
                if not self.steady(node.args, binding.seen):
                    return self._outside(name)
                made = self.decorated(node, node.decorator_list, binding.seen)
                return self._outside(name) if made is None else made
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                return self._assigned(name, value, binding)
        return self._outside(name)

    def decorated(
        self, node: ast.AST, decorators: Sequence[ast.expr], seen: Mapping[str, Bindings]
    ) -> Abstract | None:
        """A function with what decorators make of it; None where these may do anything."""
        plain = Closure(self._make(self.path, self.text, node, self))
        return decorated(plain, decorators, lambda part: self.ways(part, seen))

    def steady(self, node: ast.AST, seen: Mapping[str, Bindings]) -> bool:
        """Whether the names that a node was evaluated with stand for the same in the end."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return all(seen[n] == of(self.state, n) for n in names if n in seen)

    def ways(self, node: ast.expr, seen: Mapping[str, Bindings]) -> list[Abstract]:
        """All that a dotted name may stand for, where these are its bindings."""
        match node:
            case ast.Name(id=name):
                if self.changes(name):
                    return [self._outside(name)]
                # A name that nothing has bound there, as in a `try` that may fail, may be anything.
                return [self.meaning(name, b) for b in seen.get(name, ())] or [ABSENT]
            case ast.Attribute(value=value, attr=name):
                owners = self.ways(value, seen)
                return [self.member(m, name) if isinstance(m, Module) else ABSENT for m in owners]
        return [ABSENT]

    def _outside(self, name: str) -> Outside:
        return Outside(name, OBJECT, f"from {self.home} import {name}" if self.home else "")

    def _module(self, alias: ast.alias, name: str) -> Module | None:
        if alias.asname == name:
            return Module(alias.name, name, f"import {alias.name} as {name}")
        if alias.asname is None and alias.name.split(".")[0] == name:
            return Module(name, name, f"import {alias.name}")
        return None

    def _imported(self, stmt: ast.ImportFrom, name: str) -> Abstract:
        starred = ast.alias(name)
        aliases = [a for a in stmt.names if (a.asname or a.name) == name]
        alias = aliases[-1] if aliases else starred
        written = "." * stmt.level + (stmt.module or "")
        module = absolute(written, self.path)
        line = f"from {module} import {alias.name}" + (f" as {name}" if alias.asname else "")
        if module in ("math", "numpy") and isinstance(
            value := getattr(math, alias.name, None), float
        ):
            return const(value)
        if not known_module(module) and not is_harmless(f"{module}.{alias.name}"):
            found = self._elsewhere(module, alias.name) or self._submodule(module, alias, line)
            if found is not None:
                return found
            qualified = f"{module}.{alias.name}"
            return Named(qualified, name, line, known=TABLE.find(qualified) is not None)
        member = member_of_known(Module(module, module, line), alias.name)
        return type(member)(f"{module}.{alias.name}", name, line)  # type: ignore[arg-type, call-arg]

    def _elsewhere(self, module: str, name: str) -> Abstract | None:
        """A function or constant of another module, where that is written in Python."""
        other = self._other(module, self.path)
        found = ABSENT if other is None else other.find(name)
        return found if isinstance(found, Closure | Const | Seq | Outside) else None

    def _submodule(self, module: str, alias: ast.alias, line: str) -> Module | None:
        """`from package import module`."""
        whole = f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
        exists = self._other(whole, self.path) is not None
        return Module(whole, alias.asname or alias.name, line) if exists else None

    def _stars(self, written: str) -> Iterable[str] | None:
        """The names that a module hands out to `import *`."""
        module = absolute(written, self.path)
        if module in _STARRED:
            live = vars(import_module(module))
            return live.get("__all__") or [name for name in live if not name.startswith("_")]
        other = self._other(module, self.path)
        if other is None or other._reading or other.rewritten.anything:
            # Modules that take all names of each other have those that they had so far.
            return None
        return other.public()

    def public(self) -> Iterable[str] | None:
        """The names of this module that `import *` binds; None where these are not known."""
        if "__all__" in self.state:
            named = known(self.state, "__all__")
            given = of(self.state, "__all__")
            listed = next(iter(given)).stmt if len(given) == 1 else None
            match listed:
                case ast.Assign(value=ast.List(elts=elts)) if all(
                    isinstance(e, ast.Constant) for e in elts
                ):
                    named = tuple(e.value for e in elts if isinstance(e, ast.Constant))
            return named if isinstance(named, tuple) else None
        if UNBOUND not in of(self.state, "*") or len(of(self.state, "*")) > 1:
            return None
        return [name for name in self.state if not name.startswith("_") and name != "*"]

    def _assigned(self, name: str, value: ast.expr, binding: Binding) -> Abstract:
        if isinstance(value, ast.Lambda):
            return Closure(self._make(self.path, self.text, value, self))
        folded = None if binding.value is UNKNOWN else constant(binding.value)
        if folded is not None:
            return folded
        if isinstance(value, ast.Name | ast.Attribute):
            first, *others = self.ways(value, binding.seen)
            if isinstance(first, Closure | Named) and all(other == first for other in others):
                return first
        return self._outside(name)

    def variable(self, name: str) -> Outside | None:
        return None

    def default(self, name: str) -> Abstract | None:
        return None

    def definition(self, name: str) -> ast.expr | None:
        found = of(self.state, name)
        if len(found) > 1 or self.changes(name):
            return None
        (binding,) = found
        match binding.stmt:
            case ast.Assign(targets=[ast.Name()], value=value) if self.steady(value, binding.seen):
                return value
        return None

    def imported(self, name: str) -> str:
        bound = self.state.get(name, frozenset()) - {UNBOUND}
        return self._outside(name).line if bound else ""

    def function_line(self, name: str) -> str:
        return self.imported(name)

    def reaches(self, name: str) -> bool:
        return True

    def member(self, module: Module, name: str) -> Abstract:
        if (module.text, name) in self.rewritten.members:
            return Outside(f"{module.text}.{name}", OBJECT, module.line)
        known = known_module(module.name) or is_harmless(f"{module.name}.{name}")
        found = None if known else self._elsewhere(module.name, name)
        return member_of_known(module, name) if found is None else found
