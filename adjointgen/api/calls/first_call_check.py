"""The first call of every program, held against the function (`ADJOINTGEN_CHECK=first`).

    value           of the function, but for rounding; of a gradient program, that of the program
                    with value that is made in the same way
    arguments       left alone, or as the function leaves them; by a primal program, the latter
    storage         shared by results only where those of the function share it
    exceptions      of the same class

For people who test: the function runs once more at the first call of every specialisation, and with
what it does beside its result. It gets copies of the arguments. Of the derivative of a derivative
the inner program is the function, and is checked itself.

A wrapper around the program compares, so that a call costs nothing more where this is off.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from adjointgen.api.arguments.pack_structures import has_classes, packed, written_parts
from adjointgen.api.programs.recipes import Recipe
from adjointgen.api.specialize.load_program import Made
from adjointgen.errors import CheckFailed
from adjointgen.ir.nodes import Node
from adjointgen.records import dataclass, replace
from adjointgen.verify import effects, judge
from adjointgen.verify.attempt import Outcome, observed
from adjointgen.verify.report import Row, spelled
from adjointgen.verify.structures import flatten, misfit, sizes
from adjointgen.verify.twins import twins, uncopied
from adjointgen.verify.verify import noise_at

Program = Callable[..., Any]
Generated = Any
"""`api.derivative.Generated`, which makes the wrapper and so is not imported."""

VALUE_FIRST = ("tangent", "adjoint", "value_and_grad", "forward")
"""Programs that return the value before the derivatives."""
VALUE_ALONE = ("primal",)
MOST_NOISE = 1e-6
"""How far apart values may be at most, beside numbers as large as they and the arguments are."""


def checked(program: Program, generated: Generated, made: Made) -> Program:
    """The program, compared with the function until it has once agreed with it."""
    pending = True

    def run(*args: Any, **kwargs: Any) -> Any:
        nonlocal pending
        if not pending:
            return program(*args, **kwargs)
        seeds = {name: value for name, value in kwargs.items() if name in made.seeds}
        named = {name: value for name, value in kwargs.items() if name not in seeds}
        values = generated.binder.values(args, named)
        result = _Call(generated, made, values, seeds).compare(partial(program, *args, **kwargs))
        pending = False
        return result

    return run


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a program: the arguments of the function, one for each parameter, and seeds."""

    generated: Generated
    made: Made
    values: tuple[Any, ...]
    seeds: dict[str, Any]

    def compare(self, program: Callable[[], Any]) -> Any:
        """What the program returns or raises. Raises CheckFailed (AG502) where it differs."""
        given = self.values, self.seeds
        if unknown := uncopied(given):
            name, what = self.generated.function.__name__, ", ".join(unknown)
            warnings.warn(f"{name} is not checked: {what} cannot be copied", stacklevel=5)
            return program()
        before = twins(given)
        function = observed(self.function, twins(before)[0], before[0])
        self.check_value_of_gradient(*twins(before))
        kept: list[Any] = []

        def run(*_: Any) -> Any:
            kept.append(program())
            return self.in_structure(kept[0])

        outcome = observed(run, given, before)
        if isinstance(outcome.error, TypeError) and len(self.seeds) < len(self.made.seeds):
            raise outcome.error
        for row in self.rows(before[0], function, outcome):
            raise _failed(self.generated.function.__name__, row) from outcome.error
        if outcome.error is not None:
            raise outcome.error
        return kept[0]

    def function(self, *values: Any) -> Any:
        """What the program is a derivative of."""
        generated = self.generated
        if len(generated.recipe) == 1:
            plain = getattr(generated.function, "__func__", generated.function)
            binder = generated.binder
            return plain(*binder.by_position(values), **binder.by_name(values))
        inner = self.twin(generated.recipe[:-1])
        names = inner.special(values).made.seeds
        seeds = {name: seed for name, seed in twins(self.seeds).items() if name in names}
        return inner.apply(inner.special(values), values, (), seeds)

    def twin(self, recipe: Recipe) -> Generated:
        """Another program of the same function."""
        made = self.generated
        return type(made)(made.function, recipe, made.disable, made.target)

    def in_structure(self, result: Any) -> Any:
        """What the program returned, with instances in place."""
        layout = self.made.layout
        tree = None if layout is None else layout.results
        if self.made.reverse:
            # The tape is no result of the function's.
            assert tree is None or isinstance(tree, Node)
            result = result[:1]
            tree = tree and Node("tuple", tree.children[:1])
        return packed(tree, result) if tree is not None and has_classes(tree) else result

    def check_value_of_gradient(self, values: tuple[Any, ...], seeds: dict[str, Any]) -> None:
        """A gradient program has no value: one with value is made, called and compared."""
        *first, last = self.generated.recipe
        if last.kind != "grad":
            return
        # What it raises otherwise, the program itself has to raise, and is compared in that.
        with suppress(ArithmeticError, LookupError, TypeError, ValueError):
            twin = self.twin((*first, replace(last, kind="value_and_grad")))
            twin.apply(twin.special(values), values, (), seeds)

    def rows(self, before: Any, function: Outcome, program: Outcome) -> Iterator[Row]:
        """How the program differs from the function."""
        kind: str = self.generated.recipe[-1].kind
        if function.error is not None or program.error is not None:
            yield from judge.raises(function, program)
            return
        calls = [(kind, program)]
        if harm := tuple(effects.changed(before, function, calls, range(len(before)))):
            yield judge.unchanged(harm)
        if kind in VALUE_ALONE and not effects.close(function.after, program.after[0]):
            yield judge.unchanged(("the arguments are not left as the function leaves them",))
        yield from judge.apart(tuple(effects.shared(function, calls)))
        if kind in (*VALUE_FIRST, *VALUE_ALONE):
            value = program.result[0] if kind in VALUE_FIRST else program.result
            if kind == "adjoint" and self.generated.recipe[-1].aux:
                value = value, program.result[-1]
            yield from self.value_rows(before, self.result_of(function), value)

    def result_of(self, function: Outcome) -> Any:
        """What the function returns; of a procedure, what it has written to."""
        if function.result is not None:
            return function.result
        return written_parts(self.made.layout, self.made.written, function.after)

    def value_rows(self, before: Any, wanted: Any, found: Any) -> Iterator[Row]:
        """A row where the value is another one, and by more than the noise of the function."""
        if fault := misfit(wanted, found):
            yield Row("value", "same form", "another form", np.nan, np.nan, "fail", fault)
            return
        row = judge.value("generated", wanted, found, np.zeros(sum(sizes(wanted))))
        if row.verdict == "fail" and not np.isnan(row.error):
            size = 1.0 + max(np.max(np.abs(flatten(t)), initial=0.0) for t in (wanted, before))
            noise = np.minimum(noise_at(self.function, before), MOST_NOISE / 64.0 * size)
            row = judge.value("generated", wanted, found, noise)
        if row.verdict == "fail":
            yield row


def _failed(name: str, row: Row) -> CheckFailed:
    return CheckFailed(
        f"{name}: {row.test}: the function gives {spelled(row.expected)}, "
        f"the generated program {spelled(row.got)}",
        code="AG502",
        help=row.note,
    )
