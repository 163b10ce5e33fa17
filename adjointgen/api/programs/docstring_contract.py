"""The docstring of a generated program: what it returns, and what happens to every argument."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.ir import packing
from adjointgen.ir.nodes import Apply, Function, Leaf, Node, Operand, Slot, Tree, Value, walk
from adjointgen.ir.packing import find, leaves, places, step
from adjointgen.ir.types import Type
from adjointgen.records import replace

WRITTEN = "written"
_CONSTANTS = ("None", "bool", "int", "float", "str", "bytes")
"""Types of arguments that are fixed, which nothing writes to."""

_TITLE = {
    "primal": "Value of {of}",
    "tangent": "Value and tangent of {of}",
    "taylor": "Value and Taylor coefficients of {of}",
    "adjoint": "Value and adjoint of {of}",
    "grad": "Gradient of {of}",
    "jacobian": "Jacobian of {of}",
    "sparse": "Sparse Jacobian of {of}",
    "value_and_grad": "Value and gradient of {of}",
    "forward": "Value of {of}, with the tape that its reverse sweep reads",
}
_HESSIANS = {"jacobian": "Hessian", "sparse": "Sparse Hessian"}
_NOUN = {
    "primal": "value",
    "tangent": "tangent",
    "taylor": "Taylor coefficients",
    "adjoint": "adjoint",
    "grad": "gradient",
    "value_and_grad": "value and gradient",
}


def contract(primal: Function, made: Function, recipe: Recipe, wrt: tuple[str, ...]) -> str:
    """The docstring: a title, what the user's says first, a line per argument and result."""
    mode = recipe[-1].kind
    owners = [own and structure_name(own, recipe[-1].alone) for own in _owners(recipe, wrt)]
    parts = dict(_parts(made, owners))
    shown = structure_text(_with_structures(made.results, owners, parts), _apart(made, parts))
    title = f"{_title(primal.name, recipe)}: {shown}."
    inside = {**places(primal), **places(made)}
    results = {n: _type(y, inside) for n, y in zip(made.names, made.body.yields, strict=True)}
    if (given := recipe[-1].compression) is not None:
        results = dict.fromkeys(results, f"`scipy.sparse.csr_array` {given.shape}")
    lines = []
    for name, place, type, role in _arguments(primal, made, wrt if mode != "primal" else ()):
        about = f"{type}, {role}" if role else type
        lines.append(f"{place}: {about}{_again(role, type, results.pop(name, ''))}")
    recorded = {*made.names[len(made.names) - made.kept :]} if made.kept else ()
    lines += [
        f"{parts.get(name, name)}: {type}, {'recorded' if name in recorded else 'returned'}"
        for name, type in results.items()
    ]
    parts_of_text = title, _summary(primal), "\n".join(lines), _of_pattern(recipe[-1])
    return "\n\n".join(part for part in parts_of_text if part)


def _of_pattern(step: Step) -> str:
    """What is said of a sparse matrix."""
    given = step.compression
    if given is None:
        return ""
    kind = "adjoints along groups of rows" if given.by_rows else "tangents along groups of columns"
    return (
        f"There are {len(given.columns)} entries, by {given.count} {kind},\nand one more, along "
        "weights, by which the pattern is checked.\n\nRaises ValueError for other shapes, "
        "RuntimeError where an entry is not in the pattern."
    )


def _title(name: str, recipe: Recipe) -> str:
    """What a program gives: of the function, or of a derivative of it."""
    *before, last = recipe
    of = f"`{name}`"
    if [step.kind for step in before] == ["grad"]:
        if last.alone:
            return f"Hessian-vector product of {of}"
        if last.kind in _HESSIANS:
            return f"{_HESSIANS[last.kind]} of {of}"
    for inner in before:
        of = f"the {_NOUN[inner.kind]} of {of}"
    if last.batch:
        of += " for each sample"
    return _TITLE[last.kind].format(of=of)


def _owners(recipe: Recipe, wrt: tuple[str, ...]) -> tuple[str, ...]:
    """What the results belong to, where these are adjoints; the value belongs to no argument."""
    match recipe[-1]:
        case Step(kind="adjoint"):
            return ("", *wrt)
        case Step(kind="grad") | Step(alone=True):
            return wrt
    return ()


def _trees(results: Tree, owners: Sequence[str]) -> tuple[Tree, ...]:
    """The results one by one, if there is one for each owner."""
    if len(owners) == 1:
        return (results,)
    return results.children if isinstance(results, Node) else ()


def _parts(made: Function, owners: Sequence[str]) -> Iterator[tuple[str, str]]:
    """How the adjoints in dicts, lists and instances are read: `p_w_bar` as `p_bar["w"]`."""
    trees = _trees(made.results, owners)
    names = iter(made.names)
    for own, tree in zip(owners, trees, strict=False):
        inner = list(_leaves(tree, own))
        given = list(islice(names, len(inner)))
        if own and len(trees) == len(owners) and has_name(tree):
            yield from zip(given, inner, strict=True)


def structure_name(place: str, is_tangent: bool = False) -> str:
    """`params_bar`: the adjoint of the structure at a place; `params_bar_dot`: its tangent."""
    return "_".join(re.findall(r"\w+", place)) + ("_bar_dot" if is_tangent else "_bar")


def has_name(tree: Tree) -> bool:
    """Whether an adjoint is told by one name, and its parts in a line each."""
    return isinstance(tree, Node) and tree.make not in ("tuple", "", "literal")


def _leaves(tree: Tree, text: str) -> Iterator[str]:
    """How each leaf of what a program returns is read."""
    match tree:
        case Leaf():
            yield text
        case Node(make=make, children=children, keys=keys):
            for k, child in enumerate(children):
                in_dict = make in ("dict", "object")
                yield from _leaves(child, text + (f"[{keys[k]!r}]" if in_dict else step(tree, k)))


def _with_structures(results: Tree, owners: Sequence[str], parts: Mapping[str, str]) -> Tree:
    """The results with a name in the place of each structure that has one."""
    if not parts:
        return results
    pairs = zip(owners, _trees(results, owners), strict=True)
    named = tuple(Slot(own) if own and has_name(bar) else bar for own, bar in pairs)
    if len(owners) == 1 or not isinstance(results, Node):
        return named[0]
    return replace(results, children=named)


def _apart(made: Function, parts: Mapping[str, str]) -> Iterator[str]:
    """The names of the results that are no parts of such structures."""
    return (name for name in made.names if name not in parts)


def _summary(primal: Function) -> str:
    """The first paragraph of the user's own docstring."""
    return primal.origin.doc.strip().partition("\n\n")[0]


def _type(value: Operand, inside: Mapping[str, str]) -> str:
    return type_text(value.type, inside)


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
    fixed = {p.name: p.type for p in made.parameters if p.type in _CONSTANTS}
    for param in made.body.params:
        if not whole.get(param.root):
            place = inside.get(param.root, param.root)
            constant = fixed.get(param.root) if param.type.kind == "object" else None
            role = "" if constant else _role(param, primal, active, left)
            yield param.root, place, constant or _type(param, inside), role


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
        case packing.CONSTRUCT_BY:
            inner = (f"{key}={item}" for key, item in zip(keys, items[1:], strict=True))
            return f"{items[0]}({', '.join(inner)})"
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
    own = any(param.root == p.root for p in primal.body.params)
    role = "differentiated" if param.root in active else "" if own else "seed"
    # A number cannot be written to.
    kept = "" if param.type.is_scalar else "read only"
    return ", ".join(part for part in (role, kept) if part)


def type_text(type: Type, inside: Mapping[str, str] = MappingProxyType({})) -> str:
    """A type for people: `float`, `float64 array (n, 3)`, `list of n floats`.

    Lengths of arrays `inside` structures are written as these are read: `p.weights.shape[0]`.
    """
    if type.is_scalar:
        return {"float64": "float", "int64": "int"}.get(type.dtype, type.dtype)
    if type.kind == "object":
        return "object"
    if type.kind == "list":
        return _list_text(type, inside)
    if type.shape is None:
        return f"{type.dtype} array"
    if type.shape and not any(type.shape):
        return f"{type.dtype} array of rank {type.rank}"
    sizes = ", ".join("?" if d is None else _length(str(d), inside) for d in type.shape)
    comma = "," if type.rank == 1 else ""
    return f"{type.dtype} array ({sizes}{comma})"


def _list_text(type: Type, inside: Mapping[str, str]) -> str:
    """`list of len(x) floats`, `list of 3 float64 arrays (n,)`."""
    if type.shape is None:
        return f"list of {type.dtype}"
    first, *rest = type.shape
    noun, is_array, sizes = type_text(type.with_shape(tuple(rest)), inside).partition(" array")
    many = f"{noun} arrays{sizes}" if is_array else f"{noun}s"
    length = "" if first is None else _length(str(first), inside)
    counted = re.sub(r"(.+)\.shape\[0\]", r"len(\1)", length)
    return f"list of {counted} {many}" if counted else f"list of {many}"


def _length(text: str, inside: Mapping[str, str]) -> str:
    """`x.0` is written as Python writes it: `x.shape[0]`."""
    symbol, dot, rest = text.partition(".")
    axis = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{inside.get(symbol, symbol)}.shape[{axis}]{rest[len(axis) :]}" if dot else text
