"""Dense Jacobians and Hessians, nested as results and arguments are.

    f(x, p) -> (y, {"a": z})      jacobian(f, ("x", "p"))(x, p) = ((y/x, y/p), {"a": (z/x, z/p)})

In the place of every number and array of the result stands what is differentiated (a tuple where
`wrt` is one), and in the place of every number and array of that a block of shape
`y.shape + x.shape`. One run of a tangent program gives a column, one reverse sweep a row; of an
array by an array, one run gives many where the program can follow them (`vector_sweeps.py`). A
function that does more than compute runs once: its rows are those of one forward sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Literal

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.pack_structures import leaves_like, part_of
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.jacobian_blocks import as_block, is_array, numbers_in, opened
from adjointgen.api.calls.kept_programs import Specialisation
from adjointgen.api.calls.modes import Wrt, adjoint, grad, split, tangent
from adjointgen.api.calls.signatures import P
from adjointgen.api.calls.split_sweeps import run_forward
from adjointgen.api.calls.sweep_structures import inputs_of, leaves_traces, results_of
from adjointgen.api.calls.vector_sweeps import Sweeps, copies, plain, run
from adjointgen.config.compilers import PYTHON, Target, known_target
from adjointgen.errors import AdjointgenError, TypeMismatch
from adjointgen.ir.nodes import Leaf, Node, Tree
from adjointgen.ir.packing import ZERO
from adjointgen.records import replace

Values = tuple[Any, ...]


def jacfwd(f: Callable[P, Any], wrt: Wrt = 0, *, compile: Target = PYTHON) -> Callable[P, Any]:
    """The dense Jacobian by tangents, one for each input entry: shape `y.shape + x.shape`.

    Several arguments in `wrt`, and structures of results and arguments, nest as in JAX: results
    outside, arguments inside. Of an array by an array, one run follows many entries at once.
    """
    program = tangent(f, wrt, compile=compile)
    sweeps = split(f, wrt)
    together = _Together(f, "tangent", wrt, compile)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        values = together.binder.bind(args, kwargs)
        if leaves_traces(program, values):
            return _by_sweeps(sweeps, values, together.is_tuple)
        found = together.blocks(values, together.points(values))
        if found is None:
            return _by_columns(program, values, together.is_tuple)
        return together.as_asked(found)

    return jacobian_of


def jacrev(f: Callable[P, Any], wrt: Wrt = 0, *, compile: Target = PYTHON) -> Callable[P, Any]:
    """The dense Jacobian by adjoints, one for each result entry: shape `y.shape + x.shape`.

    It nests as that of `jacfwd`. Of an array by an array, one run follows many entries at once;
    else there is one forward sweep, and one reverse sweep for each entry.
    """
    program = adjoint(f, wrt, compile=compile)
    sweeps = split(f, wrt)
    together = _Together(f, "adjoint", wrt, compile)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        values = together.binder.bind(args, kwargs)
        if leaves_traces(sweeps if together.python else program, values):
            return _by_sweeps(sweeps, values, together.is_tuple)
        y = run(f, together.binder, values)
        found = together.blocks(values, [y] * len(together.points(values)))
        if found is None and together.python:
            return _by_sweeps(sweeps, values, together.is_tuple)
        if found is None:
            return _by_rows(program, values, y, together.is_tuple)
        return together.as_asked([_turned(columns, np.ndim(y)) for columns in found])

    return jacobian_of


def jacobian(
    f: Callable[P, Any], wrt: Wrt = 0, *, compile: Target = PYTHON, sparse: Any = False
) -> Callable[P, Any]:
    """The dense Jacobian, by the mode that needs fewer runs at the sizes of the call.

    With `sparse=True` it is a `scipy.sparse.csr_array` with a row for each number of the result and
    a column for each number of the arguments, from as few sweeps as the pattern allows; a matrix in
    place of `True` is the pattern, which is found by `sparsity` otherwise. Every call makes one
    sweep more, along a random direction. Raises CheckFailed (AG505) where it says that an entry is
    missing from the pattern.
    """
    if sparse is not False:
        return _sparse(f, wrt, compile, sparse)
    forward, reverse = jacfwd(f, wrt, compile=compile), jacrev(f, wrt, compile=compile)
    binder = Binder(plain(f))
    names = binder.wrt(wrt)[0] or binder.own

    program = tangent(f, wrt)

    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        values = binder.bind(args, kwargs)
        try:
            once = leaves_traces(program, values)
        except AdjointgenError:
            # What has no tangent may have an adjoint.
            once = True
        if once:
            return reverse(*args, **kwargs)
        y = run(f, binder, values)
        inputs = sum(numbers_in(_named(binder, name, values)) for name in names)
        return (forward if inputs <= numbers_in(y) else reverse)(*args, **kwargs)

    return jacobian_of


def hessian(f: Callable[P, Any], wrt: Wrt = 0, *, sparse: Any = False) -> Callable[P, Any]:
    """The dense Hessian of a scalar function, forward over reverse; it nests twice.

    For `sparse` see `jacobian`; the pattern is that of the gradient's run, and as each entry may be
    read in its row or in its column, fewer sweeps are needed.
    """
    if sparse is not False:
        return _sparse(grad(f, wrt), wrt, PYTHON, sparse, symmetric=True)
    return jacfwd(grad(f, wrt), wrt)


def _sparse(*given: Any, **more: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = import_module("adjointgen.api.calls.sparse_derivatives").Sparse
    return made(*given, **more)  # type: ignore[no-any-return]


class _Together:
    """Compiled sweeps by arguments that are numbers or arrays, many entries at once."""

    def __init__(
        self, f: Callable[..., Any], kind: Literal["tangent", "adjoint"], wrt: Wrt, compile: Target
    ) -> None:
        self.binder = Binder(plain(f))
        names, self.is_tuple = self.binder.wrt(wrt)
        self.python = known_target(compile) == PYTHON
        self.names = names or ()
        self.sweeps = [Sweeps(f, kind, name, compile) for name in self.names]

    def points(self, values: Values) -> list[Any]:
        """What is differentiated."""
        return [_named(self.binder, name, values) for name in self.names]

    def blocks(self, values: Values, likes: list[Any]) -> list[Any] | None:
        """The columns along the entries of each; None where that is not one array by arrays."""
        if not likes or not all(is_array(x) and np.size(x) for x in (*likes, *self.points(values))):
            return None
        if self.python and not all(isinstance(x, np.ndarray) and x.size > 1 for x in likes):
            return None
        rows = zip(self.sweeps, likes, strict=True)
        found = [sweeps.columns(values, like) for sweeps, like in rows]
        return None if any(columns is None for columns in found) else found

    def as_asked(self, found: list[Any]) -> Any:
        """A tuple of blocks, or the one that there is."""
        blocks = tuple(map(as_block, found))
        return blocks if self.is_tuple else blocks[0]


def _turned(found: Any, axes: int) -> Any:
    """The entries of the result come last, as directions do, and are to be first."""
    order = (*range(found.ndim - axes, found.ndim), *range(found.ndim - axes))
    return np.ascontiguousarray(np.transpose(found, order))


def _named(binder: Binder, name: str, values: Values) -> Any:
    """The argument of a name; `args[1]` is one of those that `*args` collects."""
    head, _, rest = name.partition("[")
    if "." in head:
        return None
    found = values[binder.names.index(head)]
    return found[int(rest.rstrip("]"))] if rest.rstrip("]").isdigit() else found


def _by_columns(program: Derivative, values: Values, several: bool) -> Any:
    """The blocks from one tangent run per entry of what is differentiated."""
    special = program.generated.special(values)
    inputs = inputs_of(special, values)
    zeros = {name: one.zeros() for name, one in inputs.items()}

    def run(seeds: dict[str, Any]) -> Any:
        return program.generated.apply(
            special, copies(program.generated.binder, values), (), {**zeros, **seeds}
        )

    runs = {name: [run({name: unit}) for unit in one.units()] for name, one in inputs.items()}
    y, y_dot = next((made[0] for made in runs.values() if made), None) or run({})
    _require_numbers(program, y)
    tree = results_of(special, 2)[1]
    results = opened(tree, leaves_like(tree, y_dot))
    columns = {n: [results.parts_of(made[1]) for made in found] for n, found in runs.items()}
    rows = []
    for k, part in enumerate(results.parts_of(y)):
        blocks = [
            one.columns([column[k] for column in columns[name]], np.shape(part))
            for name, one in inputs.items()
        ]
        rows.append(tuple(blocks) if several else blocks[0])
    return results.filled(rows)


def _require_numbers(program: Derivative, y: Any) -> None:
    """Raise TypeMismatch (AG404) for a result that is no number, and holds none."""
    if y is None or isinstance(y, str | bytes):
        name = getattr(program.generated.function, "__name__", "f")
        what = f"{name} returns {y!r:.40}, which has no derivative"
        raise TypeMismatch(what, code="AG404", help="return a number or an array")


def _by_sweeps(program: Derivative, values: Values, several: bool) -> Any:
    """The blocks from one forward sweep, and one reverse sweep per entry of the result."""
    recorded = run_forward(program.generated, values)
    _require_numbers(program, recorded.value)
    return _rows(partial(recorded.pulled, ()), recorded.special, recorded.value, several)


def _by_rows(program: Derivative, values: Values, y: Any, several: bool) -> Any:
    """The blocks from one adjoint run per entry of the result."""
    special = program.generated.special(values)
    _require_numbers(program, y)

    def run(seeds: dict[str, Any]) -> Any:
        return program.generated.apply(
            special, copies(program.generated.binder, values), (), seeds
        )[1:]

    return _rows(run, special, y, several)


def _rows(
    run: Callable[[dict[str, Any]], Any], special: Specialisation, y: Any, several: bool
) -> Any:
    """The blocks of a result, whose adjoints for seeds `run` computes."""
    seeding = special.made.seeding
    outputs: Tree = (seeding and seeding.outputs) or Leaf()
    parts = [(name, opened(Leaf(), [part])) for name, part in _named_leaves(outputs, y)]
    runs = [[run({name: unit}) for unit in one.units()] if name else [] for name, one in parts]
    bars = next((found[0] for found in runs if found), None) or run({})
    trees = zip(results_of(special, len(bars) + 1)[1:], bars, strict=True)
    inputs = [opened(tree, leaves_like(tree, bar)) for tree, bar in trees]
    rows = []
    for (_, one), found in zip(parts, runs, strict=True):
        first = 0
        for part in one.parts:
            own = found[first : first + np.size(part)]
            first += np.size(part)
            columns = [[x.parts_of(bars[j]) for bars in own] for j, x in enumerate(inputs)]
            pairs = zip(inputs, columns, strict=True)
            blocks = tuple(x.rows(column, np.shape(part)) for x, column in pairs)
            rows.append(blocks if several else blocks[0])
    whole = opened(_with_all(outputs), (part for _, part in _named_leaves(outputs, y)))
    return whole.filled(rows)


def _named_leaves(outputs: Tree, value: Any) -> Iterator[tuple[str, Any]]:
    """What stands at the leaves of a result, by their seeds; without one where there is none."""
    if isinstance(outputs, Leaf) or outputs == ZERO:
        yield (outputs.name if isinstance(outputs, Leaf) else ""), value
    elif isinstance(outputs, Node) and outputs.make != "literal":
        for k, child in enumerate(outputs.children):
            yield from _named_leaves(child, part_of(outputs, k, value))


def _with_all(outputs: Tree) -> Tree:
    """The structure of a result with leaves where there are no seeds as well."""
    if outputs == ZERO:
        return Leaf()
    if not isinstance(outputs, Node):
        return outputs
    return replace(outputs, children=tuple(map(_with_all, outputs.children)))
