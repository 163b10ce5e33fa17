"""`trace`: the executed graph of a call."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.records import dataclass
from adjointgen.tracing.arguments import (
    Leaves,
    Named,
    bind,
    chosen,
    is_leaf,
    numbers_of,
    parts,
    positions,
    rebuilt,
    results,
)
from adjointgen.tracing.drawing import dot, mermaid
from adjointgen.tracing.methods import CALLED
from adjointgen.tracing.patches import alone, replaced
from adjointgen.tracing.program import program
from adjointgen.tracing.renaming import reached, renaming
from adjointgen.tracing.standins import Busy
from adjointgen.tracing.svg import svg
from adjointgen.tracing.sweep import sweep
from adjointgen.tracing.tape import Record, Tape
from adjointgen.tracing.tree import tree

INSISTS: Final = "in a trace, where code that insists on arrays of NumPy's own takes none"


@dataclass(frozen=True, slots=True)
class Call:
    """The name of a function and its arguments by the names of parameters."""

    name: str
    bound: dict[str, Any]


class Trace:
    """The records of one call, its value, and derivatives by sweeps over the records."""

    def __init__(
        self, call: Call, tape: Tape, value: Any, result: Any, leaves: dict[str, Any], wrt: Any
    ) -> None:
        self.value = value
        self._call = call
        self._tape = tape
        self._result = result
        self._leaves = leaves
        self._wrt = wrt

    @property
    def records(self) -> tuple[Record, ...]:
        """What ran, in order."""
        return tuple(self._tape.records)

    @property
    def adjoints(self) -> list[Any]:
        """The derivative of each record's value, None where no sweep has reached it."""
        return self._tape.adjoints

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What is differentiated, with its record in the place of each number and array."""
        names = self._wrt if isinstance(self._wrt, tuple) else (self._wrt,)
        return tuple(self._leaves[name] for name in names)

    @property
    def outputs(self) -> Any:
        """The result, with what is recorded of each number and array that depends on inputs."""
        return self._result

    def backward(self, seed: Any = None) -> Trace:
        """Add the derivatives of the result in the direction of a seed to those of all records.

        `seed` has the structure and shape of the result; 1.0 is that of a single number. Raises
        TypeMismatch (AG404) where it is left out for more, AG407 where it does not fit.
        """
        found = list(numbers_of(self._result))
        if seed is None:
            if len(found) != 1 or np.shape(_value(found[0])) != ():
                raise TypeMismatch(
                    "the result is not one number, so backward needs a seed",
                    code="AG404",
                    help="pass one of the structure and shape of the result",
                )
            seed = 1.0
        sweep(self._tape, list(_seeds(self._result, seed, "seed")))
        return self

    @property
    def gradient(self) -> Any:
        """What the sweeps have added up for the arguments, in their structure."""
        if isinstance(self._wrt, tuple):
            return tuple(_gradient(self._leaves[name]) for name in self._wrt)
        return _gradient(self._leaves[self._wrt])

    def clear(self) -> None:
        """Forget all derivatives; the records stay."""
        self._tape.adjoints[:] = [None] * len(self._tape.records)

    def to_program(self) -> str:
        """The straight-line Python of the run, as the formatted text of a module.

        It has one function of the same parameters, which returns the same value for the same
        arguments. Raises Unsupported (AG163) where something in it cannot be written as Python.
        """
        call = self._call
        return program(call.name, list(call.bound), self._tape.records, self._result, call.bound)

    @property
    def dot(self) -> str:
        """The graph as text for Graphviz."""
        return dot(self._tape.records)

    @property
    def svg(self) -> str:
        """The graph as a picture, which needs no other program."""
        return svg(self._tape.records)

    @property
    def mermaid(self) -> str:
        """The graph as text for Mermaid, which Markdown pages render."""
        return mermaid(self._tape.records)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        roots = [one.record.index for one in numbers_of(self._result) if isinstance(one, Named)]
        return tree(self._tape.records, list(dict.fromkeys(roots)))

    def __repr__(self) -> str:
        return f"<trace of {self._call.name}: {len(self._tape.records)} records>"


def trace(f: Callable[..., Any], /, *args: Any, wrt: Any = ..., **kwargs: Any) -> Trace:
    """Run a function once, and record each operation on what its arguments become.

    The arguments may be numbers, arrays and structures of them; the function runs on copies of
    them. `wrt` is a position, a name, a tuple of these, names in a text, or `...` for all
    arguments with floating-point numbers. The result has `.value`, `.backward(seed)`,
    `.gradient`, `.clear()`, `.records`, `.to_program()`, `.dot`, `.svg` and `.mermaid`, and prints
    as a tree. Derivatives come from the records alone.

    Raises NoRule (AG202) for an operation without a derivative, and Unsupported (AG160)
    where a differentiated value goes to code that the trace cannot see into.
    """
    names = chosen(f, args, kwargs, wrt)
    tape = Tape()
    made = Leaves(tape)
    # An object may hold a module, of which there is one.
    modules = {id(module): module for module in sys.modules.values()}
    shown = copy.deepcopy(bind(f, args, kwargs), modules)
    given, leaves = _given(made, f, args, kwargs, set(names))
    try:
        with alone(tape):
            value, result = _run(f, given, reached([f, *map(type, _objects((args, kwargs)))]))
    finally:
        tape.open = False
        tape.captured.clear()
    one = isinstance(wrt, int) or (isinstance(wrt, str) and "," not in wrt)
    call = Call(str(getattr(f, "__name__", "f")), shown)
    return Trace(call, tape, value, result, leaves, names[0] if one else tuple(names))


def _run(f: Any, given: Any, functions: list[FunctionType]) -> tuple[Any, Any]:
    """What a function gives for stand-ins, as values and as records."""
    spaces = {id(one.__globals__): one.__globals__ for one in functions}
    cells = [cell for one in functions for cell in one.__closure__ or () if _is_full(cell)]
    try:
        with replaced(list(spaces.values()), cells) as new, renaming(functions, CALLED):
            made = results(new.get(id(f), (f, f))[1](*given[0], **given[1]), {})
    except Exception as error:
        if Busy.refused is not None and error is not Busy.refused:
            raise Busy.refused from error
        if isinstance(error, TypeError | ValueError | AttributeError):
            error.add_note(INSISTS)
        raise
    if Busy.refused is not None:
        raise Busy.refused
    return made


def _given(
    made: Leaves, f: Any, args: Any, kwargs: dict[str, Any], names: set[str]
) -> tuple[tuple[Any, Any], dict[str, Any]]:
    """The arguments as the function gets them, and the leaves by the names of parameters."""
    leaves: dict[str, Any] = {}
    positional = []
    plain, rest = positions(f)
    for k, value in enumerate(args):
        name = plain[k] if k < len(plain) else rest or f"x{k}"
        path = f"{rest}[{k - len(plain)}]" if name == rest else name
        new, leaf = made.tree(value, path, name in names)
        leaves[name] = (*leaves.get(name, ()), leaf) if name == rest else leaf
        positional.append(new)
    named = {}
    for key, value in kwargs.items():
        named[key], leaves[key] = made.tree(value, key, key in names)
    return (tuple(positional), named), leaves


def _objects(tree: Any) -> Iterator[Any]:
    yield tree
    for _, part in parts(tree):
        yield from _objects(part)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _value(leaf: Any) -> Any:
    return _shown(leaf.record) if isinstance(leaf, Named) else leaf


def _seeds(result: Any, seed: Any, path: str) -> Iterator[tuple[int, Any]]:
    """The records of a result, each with its seed."""
    if seed is None or is_leaf(result):
        return
    if isinstance(result, Named):
        shape, dtype = np.shape(_shown(result.record)), result.record.dtype
        if np.shape(seed) != shape:
            raise _unfit(f"{path} has the shape {np.shape(seed)}, not {shape}")
        if np.iscomplexobj(seed) and not dtype.startswith("complex"):
            raise _unfit(f"{path} is complex, and the result real")
        yield result.record.index, seed
        return
    own, given = list(parts(result)), list(parts(seed))
    if [where for where, _ in own] != [where for where, _ in given]:
        raise _unfit(f"{path} has another structure than the result")
    for (where, one), (_, part) in zip(own, given, strict=True):
        yield from _seeds(one, part, path + where)


def _shown(record: Record) -> Any:
    """An array of the shape of what a record stands for: after a write, the whole storage."""
    storage = record.storage
    return storage.base if storage is not None and record.overwrites is not None else record.live


def _unfit(message: str) -> TypeMismatch:
    return TypeMismatch(
        message,
        code="AG407",
        help="a seed has the structure, shape and kind of what it belongs to",
    )


def _gradient(leaf: Any) -> Any:
    """What has been added up for the leaves of an argument, in its structure and types."""
    if isinstance(leaf, Record):
        value = leaf.live
        bar = leaf.adjoint if leaf.adjoint is not None else np.zeros(np.shape(value))
        if isinstance(value, np.ndarray):
            return np.array(bar, value.dtype)
        return type(value)(np.asarray(bar)[()])
    found = [_gradient(part) for _, part in parts(leaf)]
    return rebuilt(leaf, found) if found else leaf
