"""`trace`: the executed graph of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.trace.arguments import Leaves, bind, chosen, parts, rebuilt, results
from adjointgen.trace.methods import CALLED
from adjointgen.trace.patches import replaced
from adjointgen.trace.renaming import reached, renaming
from adjointgen.trace.sweep import sweep
from adjointgen.trace.tape import Record, Tape


class Trace:
    """The records of one call, its value, and derivatives by sweeps over the records."""

    def __init__(
        self, name: str, tape: Tape, value: Any, result: Any, leaves: dict[str, Any], wrt: Any
    ) -> None:
        self.name = name
        self.value = value
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

    def backward(self, seed: Any = None) -> Trace:
        """Add the derivatives of the result in the direction of a seed to those of all records.

        `seed` has the structure and shape of the result; 1.0 is that of a single number. Raises
        TypeMismatch (AG404) where it is left out for more, AG407 where it does not fit.
        """
        found = list(_leaves_of(self._result))
        if seed is None:
            if len(found) != 1 or not isinstance(found[0][1], Record) or found[0][1].shape != ():
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


def trace(f: Callable[..., Any], /, *args: Any, wrt: Any = ..., **kwargs: Any) -> Trace:
    """Run a function once, and record each operation on what its arguments become.

    The arguments may be numbers, arrays and structures of them; the function runs on copies of
    them. `wrt` is a position, a name, a tuple of these, names in a text, or `...` for all arguments
    with floating-point numbers. The result has `.value`, `.backward(seed)`, `.gradient`, `.clear()`,
    `.records`, `.to_program()`, `.dot`, `.svg` and `.mermaid`, and prints as a tree. Derivatives come
    from the records alone. Raises NoRule (AG202) for an operation without a derivative, and
    Unsupported (AG160) where a differentiated value goes to code that the trace cannot see into.
    """
    names = chosen(f, args, kwargs, wrt)
    tape = Tape()
    made = Leaves(tape)
    given, leaves = _given(made, f, args, kwargs, set(names))
    functions = reached([f, *map(type, _objects((args, kwargs)))])
    spaces = {id(one.__globals__): one.__globals__ for one in functions}
    cells = [cell for one in functions for cell in one.__closure__ or () if _is_full(cell)]
    try:
        with replaced(tape, list(spaces.values()), cells), renaming(functions, CALLED):
            value, result = results(f(*given[0], **given[1]), {})
    finally:
        tape.open = False
        tape.captured.clear()
    one = isinstance(wrt, int) or (isinstance(wrt, str) and "," not in wrt)
    name = str(getattr(f, "__name__", "f"))
    return Trace(name, tape, value, result, leaves, names[0] if one else tuple(names))


def _given(
    made: Leaves, f: Any, args: Any, kwargs: dict[str, Any], names: set[str]
) -> tuple[tuple[Any, Any], dict[str, Any]]:
    """The arguments as the function gets them, and the leaves by the names of parameters."""
    bound = bind(f, args, kwargs)
    place = {id(value): name for name, value in reversed(bound.items())}
    leaves: dict[str, Any] = {}
    rest = list(bound)
    positional = []
    for k, value in enumerate(args):
        name = rest[k] if k < len(rest) and bound[rest[k]] is value else place.get(id(value), "")
        inner = _starred(bound, value, k) if not name else (name, name)
        new, leaf = made.tree(value, inner[1], inner[0] in names)
        leaves[inner[0]] = leaf if name else (*leaves.get(inner[0], ()), leaf)
        positional.append(new)
    named = {}
    for key, value in kwargs.items():
        named[key], leaves[key] = made.tree(value, key, key in names)
    return (tuple(positional), named), leaves


def _starred(bound: dict[str, Any], value: Any, k: int) -> tuple[str, str]:
    """The parameter `*rest` that has taken an argument, and how the argument is written."""
    for name, taken in bound.items():
        if isinstance(taken, tuple) and any(one is value for one in taken):
            before = list(bound).index(name)
            return name, f"{name}[{k - before}]"
    return f"x{k}", f"x{k}"


def _objects(tree: Any) -> Iterator[Any]:
    yield tree
    for _, part in parts(tree):
        yield from _objects(part)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _leaves_of(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Record):
        yield path, tree
    elif isinstance(tree, float | complex | np.ndarray):
        yield path, tree
    else:
        for where, part in parts(tree):
            yield from _leaves_of(part, path + where)


def _seeds(result: Any, seed: Any, path: str) -> Iterator[tuple[int, Any]]:
    """The records of a result, each with its seed."""
    if isinstance(result, Record):
        if seed is None:
            return
        if np.shape(seed) != result.shape:
            raise TypeMismatch(
                f"{path} has the shape {np.shape(seed)}, not {result.shape}",
                code="AG407",
                help="a seed has the structure, shape and kind of what it belongs to",
            )
        if np.iscomplexobj(seed) and not result.dtype.startswith("complex"):
            raise TypeMismatch(
                f"{path} is complex, and the result real",
                code="AG407",
                help="a seed has the structure, shape and kind of what it belongs to",
            )
        yield result.index, seed
        return
    own, given = list(parts(result)), list(parts(seed))
    if own and seed is not None:
        if [where for where, _ in own] != [where for where, _ in given]:
            raise TypeMismatch(
                f"{path} has another structure than the result",
                code="AG407",
                help="a seed has the structure, shape and kind of what it belongs to",
            )
        for (where, one), (_, part) in zip(own, given, strict=True):
            yield from _seeds(one, part, path + where)


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
