"""Structures on the way into and out of a program.

A program reads its leaves from the arguments itself; what is known here is where they are, to see
whether a program still fits (`Fit`) and which arrays share memory. A program returns dicts for
instances and tuples for named tuples, which `packed` turns into what they stand for without running
constructors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjointgen.api.arguments.argument_binding import guard_of_entry
from adjointgen.api.arguments.structure_layout import Layout, Path, Step
from adjointgen.ir.nodes import Function, Leaf, Node, Tree
from adjointgen.ir.packing import CLASSES, SHARED, passed
from adjointgen.records import dataclass
from adjointgen.watch import Hidden, Look


@dataclass(frozen=True, slots=True)
class Fit:
    """What the guards of arguments leave open: the kinds of attributes, and what is one object."""

    layout: Layout
    kinds: tuple[Any, ...]
    same: tuple[int, ...]
    hidden: tuple[bool, ...]

    def holds(self, values: tuple[Any, ...]) -> bool:
        """Whether the program fits these arguments."""
        return (self.kinds, self.same, self.hidden) == _facts(self.layout, values)


def fit_of(layout: Layout, values: tuple[Any, ...]) -> Fit:
    """What a program that was made for these arguments asks of others."""
    return Fit(layout, *_facts(layout, values))


Facts = tuple[tuple[Any, ...], tuple[int, ...], tuple[bool, ...]]


def _facts(layout: Layout, values: tuple[Any, ...]) -> Facts:
    kinds = tuple(guard_of_entry(at(values, path)) for path in layout.opened)
    marks = [id(at(values, path)) for path in layout.shared]
    hidden = tuple(name in getattr(at(values, path), "__dict__", ()) for path, name in layout.bare)
    return kinds, tuple(map(marks.index, marks)), hidden


class Gone:
    """What stands where there is no such part."""


def at(values: tuple[Any, ...], path: Path) -> Any:
    """A part of the arguments."""
    position, steps = path
    found = values[position]
    if not steps:
        return found
    for attribute, key in steps:
        try:
            found = getattr(found, key) if attribute else found[key]
        except (AttributeError, LookupError, TypeError):
            return Gone
    return found


def paths_of(primal: Function) -> dict[str, Path]:
    """Where the parameters of a function are among the arguments of a call."""
    trees = {packed.name: packed.tree for packed in primal.packed}
    found: dict[str, Path] = {}
    for position, parameter in enumerate(passed(primal)):
        found[parameter.name] = (position, ())
        tree = trees.get(parameter.name, Leaf(parameter.name))
        found |= {n.name: path for path, n in _nodes(tree, (position, ())) if isinstance(n, Leaf)}
    return found


def layout_of(primal: Function, results: Tree, looks: Iterable[Look] = ()) -> Layout:
    """Where the leaves of a function's arguments are."""
    trees = {packed.name: packed.tree for packed in primal.packed}
    opened: list[Path] = []
    objects: list[Path] = []
    again: list[Path] = []
    for position, parameter in enumerate(passed(primal)):
        tree = trees.get(parameter.name, Leaf(parameter.name))
        for path, node in _nodes(tree, (position, ())):
            match node:
                case Node(make="literal", class_=shared):
                    again += [path] * (shared == SHARED)
                case Node(make=make):
                    if make in ("dict", "list", "object"):
                        objects.append(path)
                    if make == "object":
                        opened += [(path[0], (*path[1], (True, key))) for key in node.keys]
    paths = paths_of(primal)
    ordered = tuple(paths[p.name] for p in primal.parameters)
    places = [(look.table.place, look.name) for look in looks if isinstance(look.table, Hidden)]
    bare = tuple((_path(primal, trees, place), name) for place, name in places if place)
    return Layout(ordered, tuple(opened), (*objects, *again), results, bare)


def _path(primal: Function, trees: Mapping[str, Tree], place: tuple[Any, ...]) -> Path:
    """The path of a place that the frontend names: a parameter, and the keys from there."""
    root, *keys = place
    steps, tree = [], trees.get(root, Leaf(root))
    for key in keys:
        assert isinstance(tree, Node)
        position = tree.keys.index(key) if tree.keys else key
        steps.append(step_to(tree, position))
        tree = tree.children[position]
    return [p.name for p in passed(primal)].index(root), tuple(steps)


def _nodes(tree: Tree, path: Path) -> Iterator[tuple[Path, Tree]]:
    yield path, tree
    if isinstance(tree, Node):
        for k, child in enumerate(tree.children):
            yield from _nodes(child, (path[0], (*path[1], step_to(tree, k))))


def step_to(node: Node, position: int) -> Step:
    """The step to an entry of a structure."""
    key = node.keys[position] if node.keys else position
    return node.make in ("object", "named"), key


def packed(tree: Tree, made: Any) -> Any:
    """What a program returned, with instances and named tuples in place."""
    if not isinstance(tree, Node) or tree.make == "literal":
        return made
    entries = list(made.values()) if tree.make in ("dict", "object") else list(made)
    parts = [packed(c, e) for c, e in zip(tree.children, entries, strict=True)]
    match tree.make:
        case "dict":
            return dict(zip(tree.keys, parts, strict=True))
        case "list":
            return parts
        case "named":
            return _class(tree.class_)._make(parts)
        case "object":
            cls = _class(tree.class_)
            whole = cls.__new__(cls)
            for key, part in zip(tree.keys, parts, strict=True):
                object.__setattr__(whole, str(key), part)
            return whole
    return tuple(parts)


def _class(name: str) -> Any:
    known = CLASSES.get(name)
    if known is not None:
        return known
    module, _, path = name.partition(":")
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part)
    return found


def is_instance_of(name: str, value: Any) -> bool:
    """Whether a value is an instance of the class of this name."""
    return isinstance(value, _class(name))


def has_nodes(tree: Tree) -> bool:
    """Whether results are more than numbers and arrays in tuples and lists."""
    if not isinstance(tree, Node):
        return False
    return tree.make not in ("tuple", "list") or any(map(has_nodes, tree.children))


def has_classes(tree: Tree) -> bool:
    """Whether a structure holds instances or named tuples."""
    if not isinstance(tree, Node):
        return False
    return tree.make in ("object", "named") or any(map(has_classes, tree.children))


def leaves_like(tree: Tree, value: Any) -> Iterator[Any]:
    """The leaves of a value in the order of a structure."""
    if isinstance(tree, Leaf):
        yield value
        return
    if not isinstance(tree, Node) or tree.make == "literal":
        return
    for k, child in enumerate(tree.children):
        yield from leaves_like(child, part_of(tree, k, value))


def part_of(tree: Node, position: int, value: Any) -> Any:
    """The entry of a value that stands at a position of its structure."""
    attribute, key = step_to(tree, position)
    return getattr(value, str(key)) if attribute else value[key]


def written_parts(layout: Layout | None, written: tuple[int, ...], values: tuple[Any, ...]) -> Any:
    """What a function that returns nothing hands back: the arguments that it writes to."""
    parts = values if layout is None else arrays(layout, values)
    found = tuple(parts[position] for position in written)
    return found[0] if len(found) == 1 else found


def arrays(layout: Layout, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parameters of the primal."""
    return tuple(at(values, path) for path in layout.leaves)


def apart_from_parts(layout: Layout, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parameters of the primal, without structures of which the parts are parameters."""
    wholes = {(position, tuple(steps[:-1])) for position, steps in layout.leaves if steps}
    wholes |= {(position, steps[:k]) for position, steps in wholes for k in range(len(steps))}
    found = zip(arrays(layout, values), layout.leaves, strict=True)
    return tuple(None if (k, tuple(steps)) in wholes else value for value, (k, steps) in found)
