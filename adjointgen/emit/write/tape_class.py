"""The class of the tape that a forward sweep hands to its reverse sweep: a named tuple.

class FTape(NamedTuple):
    x: NDArray[np.float64]
    ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.printer import INDENT, text
from adjointgen.emit.write.annotations import annotation_of_tree
from adjointgen.ir.nodes import Function, Node
from adjointgen.ir.packing import CLASS, TAPE

HELPER = "nbytes"


def tape_classes(functions: Sequence[Function], modules: Modules) -> list[str]:
    """The text of a class for each tape that a function returns."""
    return [_class(function, tape, modules) for function in functions for tape in _tapes(function)]


def _tapes(function: Function) -> Iterator[Node]:
    if isinstance(function.results, Node):
        for child in function.results.children:
            if isinstance(child, Node) and child.make == TAPE:
                yield child


def _class(function: Function, tape: Node, modules: Modules) -> str:
    modules.used.add("typing.NamedTuple")
    yields = function.body.yields
    types = iter([y.type for y in yields[len(yields) - function.kept :]])
    fields = [
        f"{key}: {text(annotation_of_tree(child, types, modules))}"
        for key, child in zip(tape.keys, tape.children, strict=True)
    ]
    classes = sum(isinstance(c, Node) and c.make == CLASS for c in tape.children)
    recorded = f"self[{classes}:]" if classes else "tuple(self)"
    size = f"return _{HELPER}({recorded})"
    lines = [
        f"class {tape.class_}(NamedTuple):",
        f'{INDENT}"""What `{function.name}` records for its reverse sweep."""\n',
        *(f"{INDENT}{field}" for field in fields),
        f"\n{INDENT}@property",
        f"{INDENT}def nbytes(self) -> int:",
        f'{INDENT * 2}"""The bytes of what is recorded."""',
        f"{INDENT * 2}{size}",
    ]
    return "\n".join(lines)
