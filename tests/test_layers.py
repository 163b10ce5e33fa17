"""The import directions that docs/architecture.md draws are the ones that the code has.

The fenced block `layers` of that page lists the parts of the package, bottom first, one level per
line.  A module imports from its own part and from the levels below, nothing else.  Parts on one
line, separated by commas, do not know each other.  `__init__` and `__main__` stand above all.
Imports count wherever they are written: in functions and under `TYPE_CHECKING` too.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "adjointgen"
DRAWING = ROOT / "docs" / "architecture.md"

# Import of the package stays cheap, so these may be loaded where they are first needed: packages,
# the parts of `api` that generate a program, find one on disk and compare one with its function,
# the run of a function that is refused, the names of passes, loops for compilers, products before
# loops, which few programs have, and rules of projects, which few declare.
HEAVY = {
    "black",
    "click",
    "dataclasses",
    "libcst",
    "mpi4py",
    "numba",
    "platformdirs",
    "rich",
    "scipy",
}
LAZY = {
    "adjointgen.api.cache.disk_lookup",
    "adjointgen.api.calls.first_call_check",
    "adjointgen.api.calls.other_paths",
    "adjointgen.api.calls.sparse_derivatives",
    "adjointgen.api.specialize.specialize",
    "adjointgen.cli.declared_rules",
    "adjointgen.config.options",
    "adjointgen.emit.usercode.libcst_rewrite",
    "adjointgen.frontend.domain.library_objects",
    "adjointgen.frontend.source.source",
    "adjointgen.observe.enclosing",
    "adjointgen.observe.isolated",
    "adjointgen.observe.kinds",
    "adjointgen.observe.outcomes",
    "adjointgen.observe.unreached",
    "adjointgen.optimize.matmul.matmul_before_loop",
    "adjointgen.rules.opaque_rules",
    "adjointgen.targets.loops.directions.direction_sparsity",
    "adjointgen.targets.loops.length_comparisons",
    "adjointgen.targets.loops.lower",
    "adjointgen.targets.loops.passes.dead_initialisation",
    "adjointgen.targets.loops.passes.parallel_loops",
}


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: who imports it, the module that it comes from, and where this stands."""

    module: str
    target: str
    place: str
    local: bool


def read_layers(page: str) -> dict[str, int]:
    """The level of every part that the page's `layers` block names."""
    block = re.search(r"^```layers\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert block, "docs/architecture.md has no fenced block `layers`"
    lines = [line.split("#")[0].strip() for line in block[1].splitlines()]
    levels = [line.split(",") for line in lines if line]
    return {part.strip(): level for level, parts in enumerate(levels) for part in parts}


def modules_of(package: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    names = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports_of(package: Path) -> list[Import]:
    """Every import in the package, at any depth."""
    return _own_imports() if package == PACKAGE else _imports_of(package)


@cache
def _own_imports() -> list[Import]:
    return _imports_of(PACKAGE)


def _imports_of(package: Path) -> list[Import]:
    modules = modules_of(package)
    found = []
    for module, path in modules.items():
        base = module if path.stem == "__init__" else module.rpartition(".")[0]
        where = path.relative_to(package.parent).as_posix()
        for node, local in _walk(ast.parse(path.read_text("utf-8"), where), False):
            for name in _targets(node, base):
                target = name if name in modules else name.rpartition(".")[0]
                known = target if target in modules else name
                found.append(Import(module, known, f"{where}:{node.lineno}", local))
    return found


def _walk(node: ast.AST, local: bool) -> Iterator[tuple[ast.stmt | ast.expr, bool]]:
    """All statements and expressions below a node, with whether a function encloses them."""
    for child in ast.iter_child_nodes(node):
        inside = local or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(child, ast.stmt | ast.expr):
            yield child, inside
        yield from _walk(child, inside)


def _targets(node: ast.stmt | ast.expr, base: str) -> list[str]:
    """The dotted names that a node imports, relative ones counted from the package `base`."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            parents = base.split(".")[: len(base.split(".")) - level + 1] if level else []
            origin = ".".join([*parents, *([module] if module else [])])
            return [f"{origin}.{alias.name}" for alias in names]
        case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="import_module")):
            first = node.args[0] if node.args else None
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
            return [first.value] if is_text else []
    return []


def part_of(module: str) -> str:
    """The part of the package that a module belongs to: `adjointgen.ir.types` to `ir`."""
    names = module.split(".")
    return names[1] if len(names) > 1 else "__init__"


def within(package: Path, found: list[Import]) -> list[Import]:
    """The imports whose target is in the package itself."""
    return [one for one in found if one.target.split(".")[0] == package.name]


def wrong_directions(package: Path, layers: dict[str, int]) -> list[str]:
    """The imports that go sideways or up, and the parts that no layer names."""
    levels = {"__init__": len(layers), "__main__": len(layers) + 1, **layers}
    parts = {part_of(module) for module in modules_of(package)}
    faults = [
        f"{part} is in no layer of docs/architecture.md" for part in sorted(parts - {*levels})
    ]
    for one in within(package, imports_of(package)):
        lower, upper = part_of(one.target), part_of(one.module)
        if lower == upper or not {lower, upper} <= {*levels} or levels[lower] < levels[upper]:
            continue
        below = [part for part in layers if layers[part] < levels[upper]]
        may = f"only {', '.join(below)}" if below else "nothing of the package"
        faults.append(f"{one.place} imports {one.target}, but {upper} may import {may}")
    return faults


def cycles(package: Path) -> list[str]:
    """A chain of modules that import each other, if there is one."""
    graph: dict[str, set[str]] = {module: set() for module in modules_of(package)}
    for one in within(package, imports_of(package)):
        graph[one.module] |= {one.target} - {one.module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" imported by ".join(error.args[1])]
    return []


def outward_imports(package: Path, part: str) -> list[str]:
    """What a part imports of the package outside itself."""
    return [
        f"{one.place} imports {one.target}"
        for one in within(package, imports_of(package))
        if part_of(one.module) == part != part_of(one.target)
    ]


def local_imports(package: Path) -> list[str]:
    """Imports inside functions of anything that is not heavy."""
    return [
        f"{one.place} imports {one.target} inside a function"
        for one in imports_of(package)
        if one.local and one.target.split(".")[0] not in HEAVY and one.target not in LAZY
    ]


def test_the_package_is_clean() -> None:
    """One test, so that the package is parsed once. The runtime stands alone: generated modules
    carry its helpers, and they run without the package."""
    found = wrong_directions(PACKAGE, read_layers(DRAWING.read_text("utf-8")))
    found += cycles(PACKAGE) + local_imports(PACKAGE) + outward_imports(PACKAGE, "runtime")
    assert not found, "\n".join(found)


def test_every_layer_exists() -> None:
    parts = {part_of(module) for module in modules_of(PACKAGE)}
    assert not (unknown := {*read_layers(DRAWING.read_text("utf-8"))} - parts), unknown


LAYERS = "text\n```layers\nerrors  # the messages\nleft, right\ntop\n```\n"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A package without faults, to plant one in."""
    package = tmp_path / "small"
    for name in ("errors", "left", "right", "top"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "__init__.py").write_text("from small.top import thing\n")
    (package / "left" / "a.py").write_text("from ..errors import E\nfrom . import b\n")
    (package / "left" / "b.py").write_text(
        "import small.errors\n\ndef f():\n    import scipy.linalg\n"
    )
    (package / "top" / "c.py").write_text("from small.left.a import x\nfrom small.right import y\n")
    return package


def faults_of(package: Path) -> list[str]:
    found = wrong_directions(package, read_layers(LAYERS))
    return found + cycles(package) + local_imports(package)


def test_a_clean_package_passes(planted: Path) -> None:
    assert faults_of(planted) == []


def test_outward_imports(planted: Path) -> None:
    assert outward_imports(planted, "left") == [
        "small/left/a.py:1 imports small.errors",
        "small/left/b.py:1 imports small.errors",
    ]
    assert outward_imports(planted, "right") == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        (
            "errors/d.py",
            "from small.left.a import x",
            "errors may import nothing of the package",
        ),
        ("left/d.py", "from small.right import x", "left may import only errors"),
        ("left/d.py", "import small.right as r", "left may import only errors"),
        ("left/d.py", "from ..right import x", "left may import only errors"),
        ("left/d.py", "from small import top", "left may import only errors"),
        ("left/d.py", "from small import thing", "left/d.py:1 imports small, but left"),
        (
            "left/d.py",
            "if TYPE_CHECKING:\n    import small.top.c",
            "left/d.py:2 imports small.top.c",
        ),
        ("left/d.py", "def f():\n    from small.top import c", "left may import only errors"),
        ("left/d.py", "import_module('small.top')", "left may import only errors"),
        ("extra.py", "", "extra is in no layer"),
        ("left/b.py", "from small.left.a import x", "imported by"),
        ("left/d.py", "def f():\n    from small.left.a import x", "inside a function"),
        ("left/d.py", "class C:\n    def f(self):\n        import math", "imports math inside"),
    ],
)
def test_a_planted_fault_is_found(planted: Path, file: str, text: str, fault: str) -> None:
    (planted / file).write_text(text + "\n")
    assert any(fault in found for found in faults_of(planted)), faults_of(planted)


def test_a_page_without_the_block_is_refused() -> None:
    with pytest.raises(AssertionError, match="no fenced block"):
        read_layers("```python\nerrors\n```\n")
