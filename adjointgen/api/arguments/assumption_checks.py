"""What a written module takes for granted of its arguments, checked where a program begins.

    if not (u.shape == v.shape == w.shape):     lengths that are equal, or known, in the example
    if len(params) != 2:                        the structure of an argument

A module is called long after, by anyone; the decorator makes another program instead.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import ModuleType

from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.api.arguments.fixed_arguments import written_as_text
from adjointgen.errors import Unsupported
from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.structures import Argument, leaves_of
from adjointgen.ir.nodes import Apply, Function, Value, walk
from adjointgen.ir.packing import places
from adjointgen.ir.types import Dim, Type
from adjointgen.records import replace

Met = frozenset[tuple[Dim, Dim | None]]
"""Lengths that decide over others in an operation, as they are equal or the others 1."""
Row = tuple[tuple[str, ...], str, str]
"""The arguments that a test reads, the test that must not hold, and what was assumed."""


def unguarded(primal: Function, met: Iterable[tuple[Dim, Dim | None]]) -> Met:
    """The lengths of arguments that met, without those that a product of matrices compares."""
    names = {p.root for p in primal.body.params}
    compared = {
        frozenset((a.shape[-1], b.shape[-2:][0]))
        for stmt in walk(primal.body)
        if isinstance(stmt, Apply) and stmt.op in ("matmul", "dot", "vdot")
        for a, b in [(stmt.args[0].type, stmt.args[1].type)]
        if a.shape and b.shape
    }
    return frozenset(
        (one, other)
        for one, other in met
        if _axis_of(one, names) and frozenset((one, other)) not in compared
    )


def _axis_of(dim: Dim | None, names: Container[str], lists: Container[str] = ()) -> str:
    """How the length of an argument's axis is written."""
    found = None if dim is None else dim.whole_axis
    if found is None or found[0] not in names:
        return ""
    name, axis = found
    return f"len({{{name}}})" if name in lists else f"{{{name}}}.shape[{axis}]"


def assumptions_checked(
    function: Function, arguments: Mapping[str, Argument], met: Met = frozenset()
) -> Function:
    """The function with a check of the lengths and structures that it was lowered for.

    Raises Unsupported (AG101) for a structure that holds a function.
    """
    leaves = {name: leaf for name, (leaf, _) in leaves_of(arguments).items()}
    equal = Equal()
    structures = [*_structures(arguments, function.ordered)]
    rows = [*structures, *lengths(leaves, equal)]
    alone = [*_met(function, leaves, met, equal)]
    rows += [*equal.rows(), *alone]
    params = {p.root: p for p in function.body.params}
    known = (row for row in rows if all(name in params for name in row[0]))
    # The length of an array in a structure is tested once: where the array has its name.
    checks = {
        _assumed(function, row): _check(function, params, row, row not in structures)
        for row in known
    }
    stmts = (*checks.values(), *function.body.stmts)
    return replace(function, body=replace(function.body, stmts=stmts)) if checks else function


def _check(function: Function, params: Mapping[str, Value], row: Row, lengths: bool) -> Apply:
    names, test, _ = row
    holes = {name: f"_{k}_" for k, name in enumerate(names)}
    message = f"{function.name} was differentiated for {_assumed(function, row)}"
    of_shape = len(names) == 1 and test.startswith(f"{{{names[0]}}}.shape != (")
    noted = {"ranks": of_shape and " or " not in test, "lengths": lengths}
    given = [params[n] for n in names]
    return check_statement(given, test.format(**holes), "ValueError", message, **noted)


def _assumed(function: Function, row: Row) -> str:
    """What a test is for, with the arrays in structures as they are read."""
    *_, assumed = row
    for name, place in places(function).items():
        own = place.replace("\\", r"\\")
        assumed = re.sub(rf"\b{name}(?=\.shape\b|\))", own, assumed)
    return assumed


class Equal:
    """Lengths that have to be equal, each class of them in one test:
    `not (F.shape[0] == F.shape[1] == x.shape[0])`."""

    def __init__(self) -> None:
        self.classes: list[list[tuple[str, str]]] = []

    def add(self, *lengths: tuple[str, str]) -> None:
        """Add lengths that are equal: for each, the argument and how the length is written."""
        joined = [c for c in self.classes if any(one in c for one in lengths)]
        merged = dict.fromkeys(one for c in (*joined, lengths) for one in c)
        at = self.classes.index(joined[0]) if joined else len(self.classes)
        self.classes[at:at] = [[*merged]]
        self.classes = [c for c in self.classes if c not in joined]

    def rows(self) -> Iterator[Row]:
        """A test for each class."""
        for lengths in self.classes:
            names = tuple(dict.fromkeys(name for name, _ in lengths))
            texts = [text for _, text in lengths]
            all_equal = " == ".join(texts)
            test = " != ".join(texts) if len(texts) == 2 else f"not ({all_equal})"
            yield names, test, _plain(all_equal)


def lengths(arrays: Mapping[str, Type], equal: Equal) -> Iterator[Row]:
    """The lengths of arrays and lists that are stated by others, or as numbers."""
    for name, type in arrays.items():
        if type.kind == "list" and (number := _known_length(type)) is not None:
            yield (name,), f"len({{{name}}}) != {number}", f"len({name}) == {number}"
    arrays = {n: t for n, t in arrays.items() if t.is_array and t.shape}
    groups: dict[str, list[str]] = {}
    for name, type in arrays.items():
        base = _base(name, type.shape or ())
        if base in arrays and arrays[base].rank == type.rank:
            groups.setdefault(base, [base]).append(name)
            continue
        numbers = [dim.offset for dim in type.shape or () if dim is not None and not dim.symbol]
        if len(numbers) == type.rank:
            shape = tuple(numbers)
            yield (name,), f"{{{name}}}.shape != {shape}", f"{name}.shape == {shape}"
            continue
        for k, dim in enumerate(type.shape or ()):
            yield from _axis(name, k, dim, arrays, equal)
    for names in groups.values():
        shapes = [f"{{{name}}}.shape" for name in names]
        test = " != ".join(shapes) if len(shapes) == 2 else f"not ({' == '.join(shapes)})"
        yield tuple(names), test, f"{listed(names)} of one shape"


def _met(
    function: Function, arguments: Mapping[str, Type], met: Met, equal: Equal
) -> Iterator[Row]:
    """The lengths that met others, where the types do not say that they are equal."""
    names = {p.root for p in function.body.params}
    lists = {name for name, type in arguments.items() if type.kind == "list"}
    alone: dict[str, Row] = {}
    for one, other in sorted(met, key=str):
        own, same = _axis_of(one, names, lists), _axis_of(other, names, lists)
        if one.axis is None or not own or not _is_own(one, arguments):
            continue
        name = one.axis[0]
        if not same:
            alone[own] = (name,), f"{own} == 1", _plain(f"{own} > 1")
        elif other is not None and other.axis is not None and _is_own(other, arguments):
            equal.add((name, own), (other.axis[0], same))
    yield from alone.values()


def _is_own(dim: Dim, arguments: Mapping[str, Type]) -> bool:
    """Whether a length is not stated by another one in the type of its argument."""
    assert dim.axis is not None
    name, axis = dim.axis
    given = arguments.get(name)
    return given is None or dim in (given.shape or ())[axis:][:1]


def _plain(text: str) -> str:
    return text.replace("{", "").replace("}", "")


def _base(name: str, shape: Iterable[Dim | None]) -> str:
    """The argument whose shape this is, axis by axis; empty where there is none."""
    axes = [None if dim is None else dim.whole_axis for dim in shape]
    found = {a[0] if a is not None and a[1] == k else "" for k, a in enumerate(axes)}
    return found.pop() if len(found) == 1 and found != {name} else ""


def _axis(
    name: str, k: int, dim: Dim | None, arrays: Mapping[str, Type], equal: Equal
) -> Iterator[Row]:
    if dim is None or dim == Dim(f"{name}.{k}"):
        return
    own = f"{{{name}}}.shape[{k}]"
    if not dim.symbol:
        yield (name,), f"{own} != {dim.offset}", f"{name}.shape[{k}] == {dim.offset}"
        return
    base, axis = dim.axis or ("", 0)
    if base in arrays:
        if not dim.offset:
            equal.add((base, f"{{{base}}}.shape[{axis}]"), (name, own))
            return
        more = f" {'+' if dim.offset > 0 else '-'} {abs(dim.offset)}"
        other = f"{{{base}}}.shape[{axis}]{more}"
        names = tuple(dict.fromkeys((name, base)))
        yield names, f"{own} != {other}", _plain(f"{own} == {other}")


def _structures(arguments: Mapping[str, Argument], ordered: bool) -> Iterator[Row]:
    for name, argument in arguments.items():
        if isinstance(argument, Parts):
            tests = list(_tests(argument, f"{{{name}}}", name, ordered))
            if tests:
                yield (name,), " or ".join(tests), f"another structure of {name}"
            for length, number in _known(argument, f"{{{name}}}"):
                yield (name,), f"{length} != {number}", _plain(f"{length} == {number}")


def _tests(argument: Argument, place: str, shown: str, ordered: bool) -> Iterator[str]:
    """The tests of a structure that find what is not as it was, or its keys in another order."""
    match argument:
        case Parts(kind="tuple" | "list", parts=parts):
            yield f"len({place}) != {len(parts)}"
        case Parts(kind="dict", keys=keys) if ordered and len(keys) > 1:
            yield f"[*{place}] != [{', '.join(_escaped(repr(key)) for key in keys)}]"
        case Parts(kind="dict", keys=keys):
            held = ", ".join(_escaped(repr(key)) for key in keys)
            yield f"{place}.keys() != {{{{{held}}}}}" if keys else place
        case Parts(kind=type() as cls) if not issubclass(cls, tuple):
            # Another class may have other methods under these names.
            yield f"type({place}).__qualname__ != {cls.__qualname__!r}"
        case Fixed(value=value) if said := _titles(value):
            asked = ", ".join(f'getattr({place}, "{name}", None)' for name in said)
            held = ", ".join(_escaped(repr(text)) for text in said.values())
            yield f"({asked},) != ({held},)"
        case Fixed(value=value) if callable(value) and not written_as_text(value):
            raise Unsupported(
                f"{shown} is a function, and a module cannot tell whether another is given",
                code="AG101",
                help="leave it out of the structure: name it in the function",
            )
        case Fixed(value=value) if text := _escaped(written_as_text(value)):
            same = value is None or isinstance(value, bool)
            yield f"{place} {'is not' if same else '!='} {text}"
    for step, part in _inside(argument):
        yield from _tests(part, place + step, shown + step, ordered)


def _titles(value: object) -> dict[str, str]:
    """What tells a module, or a function that one has, from others; nothing of what has no name."""
    if isinstance(value, ModuleType):
        return {"__name__": value.__name__}
    home, name = (getattr(value, key, None) for key in _OF_FUNCTIONS)
    found: object = sys.modules.get(home) if isinstance(home, str) else None
    for part in str(name).split("."):
        found = getattr(found, part, None)
    plain = callable(value) and not isinstance(value, type) and found is value
    return dict(zip(_OF_FUNCTIONS, (str(home), str(name)), strict=True)) if plain else {}


_OF_FUNCTIONS = ("__module__", "__qualname__")


def _known(argument: Argument, place: str) -> Iterator[tuple[str, int]]:
    """Lengths in a structure: of arrays those that are 1, which broadcasts; of lists all."""
    match argument:
        case Type(kind="array", shape=tuple(shape)):
            ones = (k for k, dim in enumerate(shape) if dim is not None and dim == Dim("", 1))
            yield from ((f"{place}.shape[{k}]", 1) for k in ones)
        case Type(kind="list") if (number := _known_length(argument)) is not None:
            yield f"len({place})", number
    for step, part in _inside(argument):
        yield from _known(part, place + step)


def _known_length(type: Type) -> int | None:
    dim = type.shape[0] if type.shape else None
    return None if dim is None else dim.known


def _inside(argument: Argument) -> Iterator[tuple[str, Argument]]:
    """The entries of a structure, with how each is written."""
    if isinstance(argument, Parts):
        for key, part in zip(argument.keys, argument.parts, strict=True):
            yield f".{key}" if isinstance(argument.kind, type) else f"[{_escaped(repr(key))}]", part


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def listed(names: Sequence[str]) -> str:
    """One name or more: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
