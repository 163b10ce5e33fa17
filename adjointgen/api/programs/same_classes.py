"""Adjoints of instances in a written module: instances of the class of the argument.

    {"rate": p_rate_bar, "weights": p_weights_bar}
        ->  type(p)(rate=p_rate_bar, weights=p_weights_bar)

The decorator makes instances of what a program returns (`pack_structures.packed`); a module makes
them itself. The class is that of the argument, so the module imports nothing for it. A class whose
constructor does more than to set its fields is left as a dict of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.frontend.domain.structures import fields_of, is_dataclass
from adjointgen.ir.nodes import Function, Node, Tree
from adjointgen.ir.packing import CLASSES, CONSTRUCT, step
from adjointgen.records import replace


def with_classes(made: Function, names: Sequence[str], value: bool = True) -> Function:
    """A program of adjoints, by what is `names`, that returns instances for instances.

    The first result is the `value`, unless there is none.
    """
    results = made.results
    if not value and len(names) == 1:
        return replace(made, results=constructed(results, names[0]))
    if not isinstance(results, Node) or results.make != "tuple":
        return made
    first, bars = results.children[:value], results.children[value:]
    if len(bars) != len(names):
        return made
    own = (constructed(bar, name) for bar, name in zip(bars, names, strict=True))
    return replace(made, results=replace(results, children=(*first, *own)))


def constructed(tree: Tree, place: str) -> Tree:
    """A structure of which the instances are constructed; `place` is where the argument has it."""
    if not isinstance(tree, Node) or tree.make == "literal":
        return tree
    parts = [(step(tree, k), child) for k, child in enumerate(tree.children)]
    children = tuple(constructed(child, place + text) for text, child in parts)
    if tree.make in ("object", "named") and _is_plain(CLASSES.get(tree.class_), tree.keys):
        return Node(CONSTRUCT, children, tree.keys, place)
    return replace(tree, children=children)


def _is_plain(cls: Any, keys: tuple[Any, ...]) -> bool:
    """Whether the constructor of a class takes its fields by name, and does no more."""
    if cls is None:
        return False
    if issubclass(cls, tuple):
        return "_fields" in vars(cls)
    if not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return False
    fields = fields_of(cls)
    made: Any = cls.__init__
    generated = made.__code__.co_filename.startswith("<") and made.__module__ == cls.__module__
    return generated and all(f.init for f in fields) and [f.name for f in fields] == [*keys]
