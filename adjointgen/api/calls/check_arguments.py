"""A check: one call of a function, what of it is differentiated, its seeds, and the report."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.pack_structures import written_parts
from adjointgen.api.calls.solver_noise import Limits
from adjointgen.api.programs.warnings_told import told_in
from adjointgen.api.specialize.load_program import Made
from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.structures import holds_floats, is_dataclass
from adjointgen.frontend.lower import type_of
from adjointgen.records import dataclass
from adjointgen.verify.branches import branches_taken
from adjointgen.verify.report import Report
from adjointgen.verify.verify import verify

Program = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """A function at a point, and what is differentiated; `special` is the program of a live call,
    which knows what a function writes to that returns nothing."""

    function: Program
    binder: Binder
    values: tuple[Any, ...]
    wrt: tuple[str, ...]
    special: Callable[[], Made]


def reported(
    subject: Subject,
    tangent: Program | None,
    adjoint: Program | None,
    limits: Limits,
    text: str,
    seed: int,
    again: Program | None = None,
) -> Report:
    """The report on programs of a text, with what is known of them, and the branches taken."""
    start = len(subject.binder.owner)
    given = subject.values[start:]
    primal = flat_primal(subject.function, subject.binder, subject.special)
    report = verify(
        *(primal, tangent, adjoint, given),
        [subject.binder.names.index(name) - start for name in subject.wrt],
        seed,
        rtol=limits.rtol,
        doubt=limits.doubt,
        again=again,
    )
    report = report.with_notes((*told_in(text), *filter(None, [limits.note])))
    return report.with_branches(branches_taken(subject.function, primal, given))


def bound(binder: Binder, args: Sequence[Any] | Mapping[str, Any]) -> tuple[Any, ...]:
    """The argument of every parameter of a call whose arguments are given in order or by name."""
    if not isinstance(args, Mapping):
        return binder.bind(tuple(args), {})
    first, named = by_name(binder.signature, args)
    return binder.bind(first, named)


def by_name(
    signature: inspect.Signature, args: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call with arguments by name: those that go by position only, and the others."""
    kinds = {name: p.kind for name, p in signature.parameters.items()}
    first = [n for n, k in kinds.items() if k is inspect.Parameter.POSITIONAL_ONLY and n in args]
    return tuple(args[n] for n in first), {n: v for n, v in args.items() if n not in first}


def flat_primal(
    f: Callable[..., Any], binder: Binder, special: Callable[[], Made]
) -> Callable[..., Any]:
    """A function that takes one argument for every parameter, and returns what it writes to.

    What that is, `special` knows of a function that returns nothing.
    """

    @wraps(f)
    def run(*values: Any) -> Any:
        given = (*binder.owner, *values)
        result = binder.call(f, given)
        if result is None and (made := special()).written:
            return written_parts(made.layout, made.written, given)
        return result

    return run


def differentiated(
    binder: Binder, values: Sequence[Any], wrt: tuple[str, ...] | None
) -> tuple[str, ...]:
    """What is differentiated: as told, or every argument of floating-point numbers.

    Raises TypeMismatch (AG403) where an argument holds none.
    """
    rows = list(zip(binder.names, values, strict=True))[len(binder.owner) :]
    names = [name for name, value in rows if holds_floats(type_of(name, value, whole=True))]
    if not names or not {*names} >= set(wrt or ()):
        other = ", ".join(name for name in wrt or binder.own if name not in names)
        raise TypeMismatch(
            f"{other or 'nothing'} holds no floating-point numbers, so it has no derivative",
            code="AG403",
            help="pass floats, or leave it out of wrt",
        )
    chosen = names if wrt is None else [name for name in names if name in wrt]
    return tuple(chosen)


def leaves_of(tree: Any) -> Iterator[Any]:
    """The float-valued leaves of a result, in order."""
    if isinstance(tree, tuple | list):
        for entry in tree:
            yield from leaves_of(entry)
    elif isinstance(tree, dict):
        for entry in tree.values():
            yield from leaves_of(entry)
    elif is_dataclass(type(tree)):
        for entry in vars(tree).values():
            yield from leaves_of(entry)
    elif np.asarray(tree).dtype.kind in "fc":
        yield tree
