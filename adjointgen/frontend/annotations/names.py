"""What the names in annotations stand for: static scoping over the text of a module.

    Vector = NDArray[np.float64]     an alias, which is followed
    class Params: w: float           a class, with its fields
    from jaxtyping import Float      jaxtyping.Float, whether it is installed or not

Type checkers read annotations without running anything, and so does this: imports under
`TYPE_CHECKING` count, and modules of the user's that are written in Python are opened.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from adjointgen.frontend.source.module_search import absolute, home_of, module_file
from adjointgen.frontend.source.source import decoded
from adjointgen.records import dataclass

DEEPEST = 16
"""How many aliases and modules are followed for one name."""

Definition = ast.expr | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one module: its text, the file it stands in, and the functions around."""

    file: str
    text: str
    depth: int = 0

    @property
    def home(self) -> str:
        """The name that the module is imported by; empty where there is none."""
        return home_of(self.file)

    def find(self, node: ast.expr) -> str | tuple[Definition, Names]:
        """What a dotted name stands for: a definition in a text, or the name from outside."""
        match node:
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=value, attr=name):
                owner = self.find(value)
                if isinstance(owner, str):
                    return self.imported(owner, name)
        return ast.unparse(node)

    def outside(self, node: ast.expr) -> str:
        """The name from outside that a dotted name stands for; empty where it is something else.

        So is a name that the module defines in more than one way.
        """
        try:
            found = self.find(node)
        except Several:
            return ""
        return found if isinstance(found, str) else ""

    def named(self, name: str) -> str | tuple[Definition, Names]:
        """What a name of the module stands for; itself where the module does not bind it."""
        found = _bound(self.text).get(name, ())
        if not found:
            return _USUAL.get(name, name)
        if len({ast.dump(node) for node in found}) > 1:
            raise Several(name)
        match found[0]:
            case ast.Import(names=[alias]):
                return alias.name if alias.asname else alias.name.partition(".")[0]
            case ast.ImportFrom(names=[alias], module=module, level=level):
                return self.imported("." * level + (module or ""), alias.name)
            case ast.ClassDef() | ast.expr() as definition:
                return definition, self
        return name

    def imported(self, module: str, name: str) -> str | tuple[Definition, Names]:
        """A member of another module: followed where that is a text of the user's."""
        file = None if _outside(module) else module_file(module, self.file)
        if file is None or self.depth > DEEPEST:
            return f"{absolute(module, self.file)}.{name}"
        text = _read(file)
        if name not in _bound(text):
            return f"{absolute(module, self.file)}.{name}"
        return Names(str(file), text, self.depth + 1).named(name)


_USUAL = {"np": "numpy", "npt": "numpy.typing"}
"""What names mean that a module does not bind: those of `--type`, say."""


class Several(Exception):
    """A name that the module defines in more than one way."""


_KNOWN = frozenset({"numpy", "jaxtyping", "typing", "typing_extensions", "scipy", "jax"})


def _outside(module: str) -> bool:
    """Whether a module is one whose names are known, so that its text is not read."""
    return module.partition(".")[0] in _KNOWN


def _read(file: Path) -> str:
    try:
        return decoded(file.read_bytes())
    except (OSError, UnicodeDecodeError, SyntaxError):
        return ""


@lru_cache(maxsize=64)
def _bound(text: str) -> dict[str, tuple[ast.AST, ...]]:
    """The names that the statements of a module bind, each with all that it may be."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, tuple[ast.AST, ...]] = {}
    for name, node in _bindings(tree.body):
        found[name] = (*found.get(name, ()), node)
    return found


def _bindings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    for stmt in body:
        match stmt:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0], _alone(stmt, alias)
            case ast.ClassDef(name=name):
                yield name, stmt
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _ if type(stmt).__name__ == "TypeAlias":
                yield stmt.name.id, stmt.value  # type: ignore[attr-defined]
            case ast.If() | ast.Try() | ast.With():
                for part in ("body", "orelse", "finalbody"):
                    yield from _bindings(getattr(stmt, part, []))


def _alone(stmt: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.AST:
    """An import of one name only."""
    if isinstance(stmt, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(stmt.module, [alias], stmt.level)
