"""An operation on stand-ins: run it on what they stand for, record it, stand in for its result.

    y = f(a, b)   ->   Record(f, value y, parents of a and b), and pull: y_bar -> (a_bar, b_bar)

A rule takes the adjoint, the value, and the arguments as they were; it gives adjoints by the names
of its parameters. They need not have the shape of the operand: what was broadcast is summed here,
and a real operand of a complex operation gets the real part. A result that lies in the memory of an
operand is a view: its elements are found in the storage by their addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any

import numpy as np

from adjointgen.tracing.standins import (
    Standin,
    filled,
    is_array,
    is_floating,
    is_plain,
    lowered,
    no_rule,
    node,
    own,
    spelled,
    standins,
    tape_of,
)
from adjointgen.tracing.tape import Part, Record, Slot, Spelling, Storage, Tape, outside

Rule = Callable[..., Any]
MAKERS: dict[str, Callable[..., Any]] = {}
"""What stands in for a number of Python, a number of NumPy, and an array."""


@own
def apply(
    name: str,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    rule: Rule | None = None,
    form: str = "",
    zero: bool = False,
) -> Any:
    """The result of a function of stand-ins; with `zero`, its derivative is zero everywhere.

    Raises NoRule (AG202) where there is an active operand, but no rule.
    """
    args, kwargs = tuple(args), kwargs or {}
    operands = standins((args, kwargs))
    tape = _one_tape(operands)
    value = function(*lowered(args), **lowered(kwargs))
    if is_plain(value):
        return value
    active = any(node(one).active for one in operands) and not zero
    if not is_floating(value):
        if active:
            raise no_rule(name, f"it gives a {type(value).__name__}")
        return value
    view, value = _viewed(operands, value)
    if view is not None:
        return _view(tape, name, view, value, spelled(form or name, args, kwargs)[0])
    if not active and not isinstance(value, np.ndarray | tuple):
        return value
    if active and rule is None:
        raise no_rule(name)
    spelling = spelled(form or name, args, kwargs)[0]
    return _recorded(tape, name, value, operands, rule if active else None, spelling)


def _recorded(
    tape: Tape, name: str, value: Any, operands: list[Any], rule: Rule | None, spelling: Spelling
) -> Any:
    """The stand-in for a value, with a record; it is active if there is a rule."""
    nodes = [node(one) for one in operands]
    made = tape.add(
        name,
        value,
        tuple(one.index for one in nodes),
        active=rule is not None,
        pull=_pull(rule, spelling, len(nodes)) if rule is not None else None,
        operands=tuple(one._raw for one in operands),
        spelling=spelling,
    )
    for place, one in enumerate(operands, 1):
        if is_array(one):
            tape.capture(one._storage, made.kept, place)
    return standing(tape, value, made)


def _one_tape(operands: list[Any]) -> Tape:
    tape = tape_of(operands[0])
    if any(one._tape() is not tape for one in operands):
        raise outside()
    return tape


def standing(tape: Tape, value: Any, made: Record) -> Any:
    """What stands in for a value that a record has."""
    if isinstance(value, tuple):
        items = [_item(tape, part, made, k) for k, part in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is np.ndarray:
        storage = Storage(value, made.index)
        made.storage = storage
        tape.capture(storage, made.kept, 0)
        return MAKERS["array"](tape, value, made.index, storage, None)
    if isinstance(value, np.ndarray):
        raise no_rule(made.operation, f"its result is a {type(value).__name__}")
    kind = "scalar" if isinstance(value, np.generic) else "number"
    return MAKERS[kind](tape, value, made.index)


def _item(tape: Tape, value: Any, made: Record, k: int) -> Any:
    """An entry of a result that is a tuple."""
    if not is_floating(value):
        return value
    spelling = Spelling("item", (Slot(1, made.index), k))
    item = tape.add(
        f"item {k}",
        value,
        (made.index,),
        active=made.active,
        pull=lambda g, _: [(k, g)],
        spelling=spelling,
    )
    return standing(tape, value, item)


def _viewed(operands: list[Any], value: Any) -> tuple[Any, Any]:
    """The operand in whose memory a result lies, if there is one, and the result.

    Parts of complex numbers are read only: what was written to them would not be seen.
    """
    if isinstance(value, np.ndarray):
        for one in operands:
            if is_array(one) and value.size and owner(value) is owner(one._storage.base):
                if value.dtype == one._raw.dtype:
                    return one, value
                value = value.copy()
                value.flags.writeable = False
    return None, value


def owner(array: Any) -> Any:
    """The array that has the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _view(tape: Tape, name: str, of: Standin, value: Any, spelling: Spelling) -> Any:
    """A stand-in for a view that a function has made."""
    if value is of._raw:
        return of
    storage: Storage = of._storage  # type: ignore[attr-defined]
    return view_of(tape, name, storage, value, located(storage, value), spelling)


@own
def view_of(
    tape: Tape, name: str, storage: Storage, value: Any, positions: Any, spelling: Spelling
) -> Any:
    """A view, with a record of its own that reads these elements of a storage."""
    parent = tape.records[storage.current]
    made = tape.add(
        name,
        value,
        (parent.index,),
        active=parent.active,
        pull=lambda g, _: [Part(positions, g)],
        spelling=spelling,
    )
    made.storage, made.version = storage, storage.version
    return MAKERS["array"](tape, value, made.index, storage, positions)


def located(storage: Storage, value: Any) -> Any:
    """The positions in the base of the elements of a view, by their addresses."""
    base = storage.base
    table = np.full(_offsets(owner(base), owner(base)).max() + 1, -1)
    table[_offsets(base, owner(base)).ravel()] = np.arange(base.size)
    return table[_offsets(value, owner(base))]


def _offsets(value: Any, whole: Any) -> Any:
    """How many elements into its memory each element of a view lies."""
    start = value.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    offsets = np.full(value.shape, start // value.itemsize)
    for axis, step in enumerate(value.strides):
        along = np.arange(value.shape[axis]) * (step // value.itemsize)
        offsets += along.reshape([-1 if k == axis else 1 for k in range(value.ndim)])
    return offsets


# The adjoints of the operands


def _pull(rule: Rule, spelling: Spelling, count: int) -> Callable[[Any, list[Any]], list[Any]]:
    """What a rule gives, by operand."""

    def pull(g: Any, kept: list[Any]) -> list[Any]:
        found: list[Any] = [None] * count
        if getattr(rule, "by_operand", False):
            found = rule(g, kept, spelling)
        else:
            args, kwargs = filled(spelling.args, kept), filled(spelling.kwargs, kept)
            with np.errstate(all="ignore"):
                given = rule(g, kept[0], *args, **kwargs)
                for name, tree in _named(rule, spelling):
                    _place(tree, given.get(name), found)
        return [fitted(one, kept[k]) for k, one in enumerate(found, 1)]

    return pull


def _named(rule: Rule, spelling: Spelling) -> list[tuple[str, Any]]:
    """The parameters of a rule with what stands for them in a call."""
    parameters = list(signature(rule).parameters.values())[2:]
    named, args = list(spelling.kwargs.items()), spelling.args
    for k, one in enumerate(parameters):
        if one.kind is Parameter.VAR_POSITIONAL:
            return [*named, (one.name, list(args[k:]))]
        if k < len(args):
            named.append((one.name, args[k]))
    return named


def _place(tree: Any, given: Any, found: list[Any]) -> None:
    """Put what is given for the parts of an argument at the numbers of its slots."""
    kind = type(tree)
    if given is None:
        return
    if kind is Slot:
        found[tree.number - 1] = given() if callable(given) else given
    elif kind is tuple or kind is list:
        for k, part in enumerate(tree):
            _place(part, given[k], found)


def fitted(given: Any, operand: Any) -> Any:
    """A contribution in the shape of its operand, real if that is real."""
    if given is None:
        return None
    if isinstance(given, Part):
        if np.iscomplexobj(given.value) and not np.iscomplexobj(operand):
            return Part(given.positions, np.real(given.value))
        return given
    shape, made = np.shape(operand), np.asarray(given)
    if made.shape != shape:
        made = np.broadcast_to(made, np.broadcast_shapes(made.shape, shape))
        made = made.sum(axis=tuple(range(made.ndim - len(shape))))
        axes = tuple(k for k, n in enumerate(shape) if n == 1 and made.shape[k] != 1)
        made = made.sum(axis=axes, keepdims=True) if axes else made
    return made.real if np.iscomplexobj(made) and not np.iscomplexobj(operand) else made


def lazily(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """A contribution that is computed only for an operand that needs it."""
    return lambda: function(*args)
