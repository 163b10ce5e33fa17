"""The docstring of a generated program: what it returns, and what happens to every argument."""

from __future__ import annotations

from collections.abc import Container, Iterator

from adjointgen.ir import packing
from adjointgen.ir.nodes import Apply, Function, Leaf, Node, Operand, Slot, Tree, Value, walk
from adjointgen.ir.packing import find, leaves, places
from adjointgen.ir.types import Type

WRITTEN = "written"

_TITLE = {
    "primal": "Value of `{name}`",
    "tangent": "Value and tangent of `{name}`",
    "adjoint": "Value and adjoint of `{name}`",
    "grad": "Gradient of `{name}`",
    "value_and_grad": "Value and gradient of `{name}`",
    "forward": "Value of `{name}`, with the tape that its reverse sweep reads",
}


def contract(primal: Function, made: Function, mode: str, wrt: tuple[str, ...]) -> str:
    """The docstring: a title, what the user's says first, a line per argument and result."""
    shown = structure_text(made.results, iter(made.names))
    title = f"{_TITLE[mode].format(name=primal.name)}: {shown}."
    results = dict(zip(made.names, map(_type, made.body.yields), strict=True))
    lines = []
    for name, place, type, role in _arguments(primal, made, wrt if mode != "primal" else ()):
        lines.append(f"{place}: {type}, {role}{_again(role, type, results.pop(name, ''))}")
    recorded = {*made.names[len(made.names) - made.kept :]} if made.kept else ()
    lines += [
        f"{name}: {type}, {'recorded' if name in recorded else 'returned'}"
        for name, type in results.items()
    ]
    return "\n\n".join(part for part in (title, _summary(primal), "\n".join(lines)) if part)


def _summary(primal: Function) -> str:
    """The first paragraph of the user's own docstring."""
    return primal.origin.doc.strip().partition("\n\n")[0]


def _type(value: Operand) -> str:
    return type_text(value.type)


def _again(role: str, argument: str, result: str) -> str:
    """What is added to the line of an argument where a result has its name."""
    if not result:
        return ""
    if role == WRITTEN:
        return " and returned"
    return "; returned anew" if result == argument else f"; returned anew as {result}"


def _arguments(
    primal: Function, made: Function, wrt: tuple[str, ...]
) -> Iterator[tuple[str, str, str, str]]:
    """The name, place, type and role of every argument; those of a structure by its parts."""
    left = {
        s.option("name") for s in walk(primal.body) if isinstance(s, Apply) and s.op == "written"
    }
    inside = places(made)
    whole = {p.name: {leaf for leaf, _ in leaves(p.tree)} for p in made.packed}
    active = {leaf for name in wrt for leaf in inputs(primal, name)}
    for param in made.body.params:
        if not whole.get(param.root):
            place = inside.get(param.root, param.root)
            yield param.root, place, _type(param), _role(param, primal, active, left)


def inputs(primal: Function, name: str) -> Iterator[str]:
    """The parameters that are differentiated for a name: those of a structure are its numbers."""
    found = find(primal, name)
    inner = {leaf for leaf, _ in leaves(found[1])} if found else {name}
    for param in primal.body.params:
        if param.root == name or (param.root in inner and param.type.is_differentiable):
            yield param.root


def structure_text(tree: Tree, names: Iterator[str]) -> str:
    """What is returned as Python writes it, by the names of the results."""
    match tree:
        case Leaf():
            return next(names)
        case Slot(name=name):
            return name
        case Node(make="literal", keys=(value, *_)):
            return repr(value)
        case Node(make=make, children=children, keys=keys):
            items = [structure_text(child, names) for child in children]
    match make:
        case packing.CONSTRUCT:
            inner = (f"{key}={item}" for key, item in zip(keys, items, strict=True))
            return f"type({tree.class_})({', '.join(inner)})"
        case packing.TAPE:
            return tree.class_
        case "dict" | "object":
            inner = (f"{_key(key)}: {item}" for key, item in zip(keys, items, strict=True))
            return f"{{{', '.join(inner)}}}"
        case "list":
            return f"[{', '.join(items)}]"
    comma = "," if len(items) == 1 and make in ("tuple", "named", "") else ""
    return f"{make if make not in ('tuple', 'named') else ''}({', '.join(items)}{comma})"


def _key(key: object) -> str:
    text = repr(key)
    plain = isinstance(key, str) and not {'"', "'", "\\"} & set(text[1:-1])
    return f'"{key}"' if plain else text


def _role(param: Value, primal: Function, active: Container[str], left: Container[object]) -> str:
    if param.root in left:
        return WRITTEN
    if param.root in active:
        return "differentiated, read only"
    if any(param.root == p.root for p in primal.body.params):
        return "read only"
    return "seed, read only"


def type_text(type: Type) -> str:
    """A type for people: `float`, `float64 array (n, 3)`, `list of float`."""
    if type.is_scalar:
        return {"float64": "float", "int64": "int"}.get(type.dtype, type.dtype)
    if type.kind == "object":
        return "object"
    noun = "list" if type.kind == "list" else "array"
    if type.shape is None:
        return f"{type.dtype} {noun}"
    if type.shape and not any(type.shape):
        return f"{type.dtype} {noun} of rank {type.rank}"
    sizes = ", ".join("?" if d is None else _length(str(d)) for d in type.shape)
    comma = "," if type.rank == 1 else ""
    return f"{type.dtype} {noun} ({sizes}{comma})"


def _length(text: str) -> str:
    """`x.0` is written as Python writes it: `x.shape[0]`."""
    symbol, dot, rest = text.partition(".")
    axis = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{symbol}.shape[{axis}]{rest[len(axis) :]}" if dot else text
