"""Types as annotations: `float`, `NDArray[np.float64]`, `list[float]`, and `Any` for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.expression_trees import binary, literal, name, subscript
from adjointgen.emit.syntax.printer import text
from adjointgen.emit.syntax.tree import Expression
from adjointgen.emit.write.class_annotations import class_annotation
from adjointgen.ir import packing
from adjointgen.ir.nodes import Leaf, Node, Slot, Tree
from adjointgen.ir.types import Type
from adjointgen.records import replace

_SCALARS: Final = {
    "float64": "float",
    "int64": "int",
    "bool": "bool",
    "complex128": "complex",
}

_FEW: Final = 2
"""So many values that are recorded have a type each, even where it is the same."""


def annotation(type: Type, modules: Modules) -> Expression:
    """The annotation of a value of this type."""
    match type.kind:
        case "object":
            return any_type(modules)
        case "scalar":
            if type.dtype in _SCALARS:
                return name(_SCALARS[type.dtype])
            return modules.callee(f"numpy.{type.dtype}")
        case "list":
            inner = type.with_shape(type.shape[1:] if type.shape else ())
            return subscript(name("list"), [annotation(inner, modules)])
        case "array":
            if type.dtype == "object":
                return any_type(modules)
            modules.used.add("numpy.typing.NDArray")
            dtype = "bool_" if type.dtype == "bool" else type.dtype
            return subscript(name("NDArray"), [modules.callee(f"numpy.{dtype}")])


def any_type(modules: Modules) -> Expression:
    """`Any`."""
    modules.used.add("typing.Any")
    return name("Any")


def optional(type: Expression) -> Expression:
    """`type | None`."""
    return binary("|", type, literal(None))


def annotation_of_tree(tree: Tree, types: Iterator[Type], modules: Modules) -> Expression:
    """The annotation of a structure whose leaves have these types, in order."""
    match tree:
        case Leaf():
            return annotation(next(types), modules)
        case Slot():
            return subscript(name("list"), [any_type(modules)])
        case Node(make="tuple" | "named" | "", children=children):
            inner = [annotation_of_tree(c, types, modules) for c in children]
            return subscript(name("tuple"), inner) if inner else literal(None)
        case Node(make=packing.TAPE, class_=own, children=children):
            for child in children:
                annotation_of_tree(child, types, modules)
            return name(own)
        case Node(make=packing.CONSTRUCT):
            return _instance(tree, types, modules) or any_type(modules)
        case Node(make=packing.CONSTRUCT_BY, children=(_, *fields)):
            next(types)
            built = replace(tree, children=tuple(fields))
            return _instance(built, types, modules) or any_type(modules)
        case Node(make=packing.CLASS):
            return _class(tree, types, modules)
        case Node(make="list", children=children):
            items = [annotation_of_tree(c, types, modules) for c in children]
            alike = items and all(items[0] == item for item in items)
            return subscript(name("list"), items[:1] if alike else [any_type(modules)])
        case Node(make="dict" | "object"):
            return _dict(tree, types, modules)
        case Node():
            return any_type(modules)


def _dict(tree: Node, types: Iterator[Type], modules: Modules) -> Expression:
    """`dict[str, float]`, for keys of one class; `Any` for values that have no type in common."""
    items = [annotation_of_tree(c, types, modules) for c in tree.children]
    alike = items and all(items[0] == item for item in items)
    value = items[0] if alike else any_type(modules)
    classes = {type(key) for key in tree.keys}
    if classes not in ({str}, {int}):
        return any_type(modules)
    return subscript(name("dict"), [name(next(iter(classes)).__name__), value])


def _instance(tree: Node, types: Iterator[Type], modules: Modules) -> Expression | None:
    """The class of an instance; what is a constant in it may be of any type."""
    fields: dict[str, str | None] = {}
    for key, child in zip(tree.keys, tree.children, strict=True):
        fixed = isinstance(child, Node) and child.make == "literal"
        own = None if fixed else annotation_of_tree(child, types, modules)
        fields[str(key)] = None if own is None else text(own)
    return class_annotation(tree.class_, fields, modules)


def _class(tree: Node, types: Iterator[Type], modules: Modules) -> Expression:
    """`type[P]`."""
    next(types)
    cls = class_annotation(tree.class_, {}, modules) or any_type(modules)
    return subscript(name("type"), [cls])


def of_classes(tree: Tree, class_of: Callable[[Node], str]) -> Tree:
    """The tree with its instances named by their classes, where there is one."""
    if not isinstance(tree, Node):
        return tree
    children = tuple(of_classes(child, class_of) for child in tree.children)
    own = class_of(tree)
    make, class_ = (packing.CONSTRUCT, own) if own else (tree.make, tree.class_)
    return replace(tree, make=make, children=children, class_=class_)


def annotation_of_tape(tree: Tree, types: Iterator[Type], modules: Modules) -> Expression:
    """The annotation of what is recorded; `tuple[NDArray[np.float64], ...]` for many of a type."""
    if not isinstance(tree, Node) or tree.make == packing.TAPE:
        return annotation_of_tree(tree, types, modules)
    inner = [annotation_of_tree(child, types, modules) for child in tree.children]
    if len(inner) > _FEW and all(one == inner[0] for one in inner):
        inner = [inner[0], literal(...)]
    return subscript(name("tuple"), inner) if inner else any_type(modules)
