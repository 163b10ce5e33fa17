"""Golden files: a function, its SSA and its derivative programs, as one module that can be run.

    # What the file shows, in one sentence.
    # wrt: x, a   at: x=np.array([0.5, 1.5]), a=1.25
    import numpy as np


    def recur(x, a): ...


    # In single-assignment form:
    #
    # function recur(x: float64[x.0], a: float64) -> (result)
    #   ...


    def recur_tangent(x, a, x_dot, a_dot): ...


    def recur_adjoint(x, a, result_bar=1.0): ...

A person writes what stands above the SSA; the rest, and the imports it needs, are written by
`rewritten`. With `of: adjoint` after the arguments, the adjoint is followed by its own tangent and
adjoint. Line numbers in the generated comments are those of the file itself.

`python -m tests.goldens` prints every file as it would be written now, and with a number N every
Nth.
"""

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from adjointgen.api.programs.build_program import Built, Recipe, Step, build
from adjointgen.emit.write.module import emit, format
from adjointgen.frontend.lower import source_from_file, type_of
from adjointgen.frontend.source.source import Source
from adjointgen.ir.text import show
from adjointgen.opt.program import FUNCTION, Program, flatten, refill

ROOT: Final = Path(__file__).parents[1]
PATHS: Final = sorted((ROOT / "tests" / "golden").glob("*.py"))
SSA: Final = "# In single-assignment form:"
GAP: Final = "\n\n\n"
_HEAD: Final = re.compile(r"# wrt: (?P<wrt>.+?)   at: (?P<at>.+?)(?:   of: (?P<of>\w+))?$")


@dataclass(frozen=True, slots=True)
class Golden:
    """The parts of a file: `text` is all of it, `definitions` the user's, `ssa` the listing."""

    path: Path
    text: str
    comments: tuple[str, ...]
    imports: tuple[str, ...]
    definitions: str
    ssa: str
    wrt: tuple[str, ...]
    at: str
    of: str

    @property
    def above(self) -> str:
        """What a person writes: the text above the SSA."""
        return self.text.partition(SSA)[0]

    @property
    def name(self) -> str:
        """The function: the last that the user defines."""
        return _functions(self.definitions)[-1].name

    @property
    def size(self) -> int:
        """How many lines the function has."""
        node = _functions(self.definitions)[-1]
        return (node.end_lineno or node.lineno) - node.lineno + 1

    @property
    def source(self) -> Source:
        """The function as it is read from the file; nothing is run."""
        return source_from_file(self.path.relative_to(ROOT).as_posix(), self.name, self.text)

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The programs of the file."""
        tangent, adjoint = Step("tangent", self.wrt), Step("adjoint", self.wrt)
        if not self.of:
            return (tangent,), (adjoint,)
        return (adjoint,), (adjoint, tangent), (adjoint, adjoint)

    def arguments(self) -> dict[str, Any]:
        """The arguments that the file gives, made anew."""
        made: dict[str, Any] = eval(f"dict({self.at})", {"np": np})
        return made

    def built(self, disable: tuple[str, ...] = ()) -> Built:
        """The programs, for the types of the file's arguments; a process makes them once."""
        return _built(self, disable)


@cache
def _built(golden: Golden, disable: tuple[str, ...]) -> Built:
    return generated(golden.source, golden.arguments(), golden.recipes, disable)


def generated(
    source: Source,
    arguments: dict[str, Any],
    recipes: tuple[Recipe, ...],
    disable: tuple[str, ...] = (),
) -> Built:
    """Programs of a source, for the types of live arguments."""
    types = {name: type_of(name, value) for name, value in arguments.items()}
    return build(source, types, recipes, disable)


def written(built: Built) -> str:
    """Generated programs as formatted text."""
    return format(emit(built.functions)).strip() + "\n"


def parse(path: Path, text: str) -> Golden:
    """Take a file apart."""
    above, _, below = text.partition(SSA)
    lines = above.splitlines()
    comments = tuple(lines[: next(k for k, line in enumerate(lines) if not line.startswith("#"))])
    head = _HEAD.match(comments[-1])
    assert head, f"{path.name} does not say `# wrt: ...   at: ...` in its last comment at the top"
    imports = [n for n in ast.parse(above).body if isinstance(n, ast.Import | ast.ImportFrom)]
    start = max([len(comments), *(n.end_lineno or 0 for n in imports)])
    listing = [line for line in below.split(GAP)[0].splitlines()[2:] if line.startswith("# ")]
    return Golden(
        path,
        text,
        comments,
        tuple(ast.unparse(n) for n in imports),
        "\n".join(lines[start:]).strip(),
        "".join(line.removeprefix("# ") + "\n" for line in listing),
        tuple(name.strip() for name in head["wrt"].split(",")),
        head["at"],
        head["of"] or "",
    )


def read(path: Path) -> Golden:
    """A file as it is committed."""
    return parse(path, path.read_text("utf-8"))


def rewritten(golden: Golden) -> str:
    """The file as it should be. The first text decides on which lines the source stands."""
    text = _composed(golden)
    return text if text == golden.text else _composed(parse(golden.path, text))


def programs(golden: Golden) -> str:
    """The committed derivatives without the user's functions: what is generated, if up to date."""
    return "\n".join((*golden.imports, golden.text.partition(SSA)[2].partition(GAP)[2]))


def _composed(golden: Golden) -> str:
    built = golden.built()
    imports, programs = _without_imports(written(built))
    mine = tuple(line for line in golden.imports if _is_used(line, golden.definitions))
    listing = "\n".join(f"# {line}" for line in show(built.primal).splitlines())
    head = "\n".join((*golden.comments, *_arranged({*mine, *imports})))
    parts = (golden.definitions, f"{SSA}\n#\n{listing}", programs)
    return head + ("\n" if not (mine or imports) else GAP) + GAP.join(parts)


def _without_imports(text: str) -> tuple[tuple[str, ...], str]:
    """The imports of a generated module, and what follows them."""
    body = ast.parse(text).body
    imports = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom)]
    last = max((n.end_lineno or 0 for n in imports), default=0)
    return tuple(map(ast.unparse, imports)), "\n".join(text.splitlines()[last:]).strip() + "\n"


def _is_used(line: str, text: str) -> bool:
    """Whether a name that an import binds is read."""
    (node,) = ast.parse(line).body
    assert isinstance(node, ast.Import | ast.ImportFrom)
    bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(ast.parse(text)))


def _arranged(lines: set[str]) -> list[str]:
    """Imports in the usual order: the standard library, then the rest."""
    groups: dict[bool, list[str]] = {True: [], False: []}
    for line in sorted(lines, key=lambda line: (line.startswith("from"), line)):
        groups[line.split()[1].partition(".")[0] in sys.stdlib_module_names].append(line)
    between = [""] if all(groups.values()) else []
    return [*groups[True], *between, *groups[False]]


def _functions(text: str) -> list[ast.FunctionDef]:
    return [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]


@cache
def module(path: Path) -> ModuleType:
    """The file as committed, run."""
    spec = importlib.util.spec_from_file_location(f"golden_{path.stem}", path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def as_program(golden: Golden) -> Program:
    """The user's function as a program to be looked at: called by position, and with a result.

    A procedure returns what it writes. Arguments that can only be named are passed on by name.
    """
    arguments, name = golden.arguments(), golden.name
    names: dict[str, Any] = {}
    exec(golden.above, names)
    parameters = inspect.signature(names[name]).parameters.values()
    last = f"{FUNCTION} = {name}"
    if names[name](**golden.arguments()) is None:
        last = _calling(name, arguments, [golden.wrt[0]], "")
    elif any(p.kind is p.KEYWORD_ONLY for p in parameters):
        last = _calling(name, arguments, ["result"], "result = ")
    return _program(golden, golden.above, last, arguments)


def derivative_program(golden: Golden, name: str) -> Program:
    """One of the file's derivatives as a program: with seeds, and with its results in a row."""
    made, arguments = module(golden.path), golden.arguments()
    result = getattr(made, golden.name)(**golden.arguments())
    primal = inspect.signature(getattr(made, golden.name)).parameters
    seeds = [p for p in inspect.signature(getattr(made, name)).parameters if p not in primal]
    written = golden.arguments()[golden.wrt[0]]
    arguments |= zip(seeds, map(_seed, leaves(written if result is None else result)), strict=False)
    returned = getattr(made, name)(**deepcopy(arguments))
    results = [
        f"np.array(r{k})" if isinstance(leaf, list) else f"r{k}"
        for k, leaf in enumerate(leaves(returned), 1)
    ]
    last = _calling(name, arguments, results, f"{_names_for(returned, count(1))} = ")
    return _program(golden, golden.text, last, arguments)


def _program(golden: Golden, text: str, last: str, arguments: dict[str, Any]) -> Program:
    source = f"{text}\n\n{last}\n"
    return Program(0, source, tuple(arguments), tuple(arguments.values()), golden.wrt)


def _calling(name: str, arguments: Iterable[str], results: list[str], target: str) -> str:
    """A function that calls another with all its arguments by name."""
    passed = ", ".join(f"{a}={a}" for a in arguments)
    head = f"def {FUNCTION}({', '.join(arguments)}):"
    return f"{head}\n    {target}{name}({passed})\n    return {', '.join(results)}"


def _names_for(tree: Any, numbers: Iterator[int]) -> str:
    """The target of an assignment that takes a result apart."""
    if isinstance(tree, tuple):
        return f"({', '.join(_names_for(part, numbers) for part in tree)},)"
    return f"r{next(numbers)}"


def leaves(tree: Any) -> tuple[Any, ...]:
    """The arrays and numbers of a result: there is one seed for each."""
    if isinstance(tree, tuple):
        return tuple(leaf for part in tree for leaf in leaves(part))
    return (tree,)


def _seed(result: Any) -> Any:
    """Some numbers in the form of a result."""
    numbers = flatten(result)
    return refill(result, np.cos(np.arange(1.0, numbers.size + 1.0)))


if __name__ == "__main__":
    for each in PATHS[:: int(sys.argv[1]) if sys.argv[1:] else 1]:
        print(rewritten(read(each)))
