"""The import lines of a module: only what its text names, sorted, standard library first."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator

from adjointgen.emit.syntax.definition_trees import from_import, import_
from adjointgen.emit.syntax.statement_trees import with_blank_line
from adjointgen.emit.syntax.tree import Statement
from adjointgen.errors import Unsupported

Line = tuple[str, str, str]  # module, name or "", alias or ""

_FROM = {
    "numpy.typing.NDArray": "numpy.typing",
    "typing.Any": "typing",
    "typing.NamedTuple": "typing",
    "typing.TYPE_CHECKING": "typing",
    "typing.cast": "typing",
    "numba.prange": "numba",
}


def numpy_alias(lines: Iterable[str]) -> str:
    """`np`, unless the user's module calls something else by that name."""
    foreign = any(_bound(line) == "np" and line[0] != "numpy" for line in _parsed(lines))
    return "numpy" if foreign else "np"


def import_lines(
    modules: Collection[str],
    numpy: str,
    lines: Iterable[str],
    free: Collection[str],
    given: Iterable[str] = (),
) -> list[Statement]:
    """Imports for the modules used, those `given`, and those of the user's for free names."""
    wanted: set[Line] = set(_parsed(given))
    for module in modules:
        if module in _FROM:
            wanted.add((_FROM[module], module.rpartition(".")[2], ""))
        elif not module.startswith("adjointgen.runtime."):
            wanted.add((module, "", numpy if module == "numpy" != numpy else ""))
    wanted |= {line for line in _parsed(lines) if _bound(line) in free}
    _require_one_meaning(wanted)
    return _sorted(wanted)


def _require_one_meaning(wanted: Collection[Line]) -> None:
    """Refuse imports that bind one name to different objects: the last would hide the others."""
    meant: dict[str, tuple[str, str]] = {}
    for line in sorted(wanted):
        module, own, alias = line
        name = _bound(line)
        what = (module if own or alias else name, own)
        if meant.setdefault(name, what) != what:
            raise Unsupported(
                f"two different objects are called {name}, one in a helper",
                code="AG108",
                help=f"rename one of them, or pass {name} to the helper as an argument",
            )


def bound_by(lines: Iterable[str]) -> set[str]:
    """The names that import lines bind."""
    return {_bound(line) for line in _parsed(lines)}


def _parsed(lines: Iterable[str]) -> Iterator[Line]:
    for text in lines:
        for node in ast.parse(text.strip()).body:
            match node:
                case ast.Import(names=names):
                    yield from ((n.name, "", n.asname or "") for n in names)
                case ast.ImportFrom(module=module, names=names, level=level):
                    origin = "." * level + (module or "")
                    yield from ((origin, n.name, n.asname or "") for n in names)


def _bound(line: Line) -> str:
    module, own, alias = line
    return alias or own or module.partition(".")[0]


def _sorted(wanted: set[Line]) -> list[Statement]:
    statements: list[Statement] = []
    for group in (0, 1):
        lines = sorted(line for line in wanted if _is_foreign(line) == group)
        plain = [import_(m, alias) for m, own, alias in lines if not own]
        sources = sorted({m for m, own, _ in lines if own})
        named = [from_import(s, [(n, a) for m, n, a in lines if m == s and n]) for s in sources]
        block: list[Statement] = [*plain, *named]
        if statements and block:
            block[0] = with_blank_line(block[0])
        statements += block
    return statements


def _is_foreign(line: Line) -> int:
    return int(line[0].partition(".")[0] not in sys.stdlib_module_names)
