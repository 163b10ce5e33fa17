"""The results of a program in their structure: `{"w": p_w_bar}`, `type(p)(w=p_w_bar, n=0)`.

What has no derivative is 0, or None. A field that is declared as something else than None is given
it as `cast(Any, None)`, which is None for Python, and for type checkers no mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.expression_trees import call, dict_, list_, literal, name, tuple_
from adjointgen.emit.syntax.tree import Expression
from adjointgen.emit.usercode.verbatim import expression
from adjointgen.emit.write.class_annotations import declared_fields
from adjointgen.ir import packing
from adjointgen.ir.nodes import Function, Leaf, Node, Slot, Tree
from adjointgen.ir.packing import CLASSES, find

_NONE = re.compile(r"\b(None|Optional|Any|object)\b")


def packed_results(
    function: Function,
    leaves: Iterator[Expression],
    slots: Mapping[str, Expression],
    modules: Modules,
) -> Expression:
    """What a program returns: the `leaves` in order, and lists of its tape."""

    def packed(tree: Tree) -> Expression:
        if isinstance(tree, Leaf):
            return next(leaves)
        if isinstance(tree, Slot):
            return slots[tree.name]
        if tree.make == "literal":
            return expression(repr(tree.keys[0]), {})
        items = [packed(child) for child in tree.children]
        match tree.make:
            case packing.CONSTRUCT:
                cls = call(name("type"), [expression(tree.class_, {})])
                return _constructed(cls, tree, items, class_of_result(function, tree), modules)
            case packing.CONSTRUCT_BY:
                return _constructed(items[0], tree, items[1:], tree.class_, modules)
        return _plain(tree, items)

    return packed(function.results)


def class_of_result(function: Function, node: Node) -> str:
    """The class of an instance that is constructed: that of the argument at its place."""
    found = find(function, node.class_) if node.make == packing.CONSTRUCT else None
    return found[1].class_ if found and isinstance(found[1], Node) else ""


def _plain(tree: Node, items: Sequence[Expression]) -> Expression:
    """A structure whose text does not depend on what its class declares."""
    match tree.make:
        case "dict" | "object":
            keys = [expression(repr(key), {}) for key in tree.keys]
            return dict_(list(zip(keys, items, strict=True)))
        case packing.TAPE:
            return call(name(tree.class_), [], dict(zip(map(str, tree.keys), items, strict=True)))
        case packing.CLASS:
            return items[0]
        case "tuple" | "named" | "":
            return tuple_(items)
        case "list":
            return list_(items)
        case make:
            return call(name(make), items)


def _constructed(
    cls: Expression, tree: Node, items: Sequence[Expression], class_: str, modules: Modules
) -> Expression:
    """A call of a class by the names of its fields."""
    declared = declared_fields(CLASSES.get(class_))
    given: dict[str, Expression] = {}
    for key, item in zip(map(str, tree.keys), items, strict=True):
        other = not _NONE.search(declared.get(key, "None"))
        given[key] = _any_none(modules) if other and item == literal(None) else item
    return call(cls, [], given)


def _any_none(modules: Modules) -> Expression:
    """None, where a type checker is not to object."""
    modules.used |= {"typing.Any", "typing.cast"}
    return call(name("cast"), [name("Any"), literal(None)])
