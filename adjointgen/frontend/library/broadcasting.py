"""NumPy functions that bring arrays into one shape, or their axes into another order, first."""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.domain.abstract_values import Abstract, Named, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, read, view
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def broadcast_arrays(call: Call) -> Abstract | None:
    """Each array spread over the others; those of one shape are what they are."""
    if call.keywords:
        return None
    # A list is an array from here on; so is what is spread to its own shape.
    call.args = [_as_array(call.ctx, arg) for arg in call.args]
    types = [read(call.ctx, a).type for a in call.args]
    known = types[0].shape is not None and None not in types[0].shape
    if known and all(t.is_array and t.shape == types[0].shape for t in types):
        return Seq(tuple(call.args))
    return Seq(tuple(_spread(call, k) for k in range(len(types))))


def _as_array(ctx: Context, value: Abstract) -> Abstract:
    known = content(ctx, value)
    operand = read(ctx, value) if isinstance(known, Seq | Const | Value) else None
    if operand is None or operand.type.kind in ("array", "object"):
        return value if operand is None or isinstance(known, Value) else operand
    return ctx.apply("array", operand)


def _spread(call: Call, position: int) -> Abstract:
    result = call.args[position]
    for k, other in enumerate(call.args):
        if k != position or len(call.args) == 1:
            result = view(call.ctx, result, "spread", read(call.ctx, other))
    return result


def atleast(call: Call) -> Abstract | None:
    """Of several arrays it is one result each."""
    assert isinstance(call.function, Named)
    name, row = call.function.spelling, TABLE.find(call.function.spelling)
    if len(call.args) < 2 or row is None:
        return None
    each = (Call(call.ctx, call.node, call.function, [a], {}) for a in call.args)
    return Seq(tuple(apply_row(one, row, name) for one in each))


def cross(call: Call) -> Abstract | None:
    """With the components along another axis than the last one, that axis is moved there."""
    names = ("axisa", "axisb", "axisc", "axis")
    given = {n: call.take(n, k) for k, n in enumerate(names, 2)}
    if len(call.args) < 2:
        return None
    ctx = call.ctx
    if all(v is None for v in given.values()):
        for value in call.args[:2]:
            _check_components(ctx, read(ctx, value))
        return None
    axes = {n: -1 if v is None else static(ctx, v, n) for n, v in given.items()}
    if content(ctx, given["axis"] or const(None)) != const(None):
        axes = dict.fromkeys(names, axes["axis"])
    a, b = (
        moved(call, read(ctx, value), axes[name], -1)
        for value, name in zip(call.args[:2], names[:2], strict=True)
    )
    for value in (a, b):
        _check_components(ctx, value)
    return moved(call, ctx.apply("cross", a, b), -1, axes["axisc"])


def _check_components(ctx: Context, vectors: Operand) -> None:
    """The program raises for vectors of a plane, where their number of components is not known."""
    last = vectors.type.shape[-1] if vectors.type.shape else None
    if not vectors.type.is_array or (last is not None and last.known is not None):
        return
    said = "np.cross of vectors that have not three components has no derivative (AG201)"
    code = f"if _0_.shape[-1] != 3:\n    raise NotImplementedError({said!r})"
    statement(ctx, code, (ctx.apply("stop_gradient", vectors),))


def moved(call: Call, array: Operand, source: int, destination: int) -> Operand:
    """The array with one axis in another place, itself where it is there."""
    rank = array.type.rank
    if rank is not None and source % rank == destination % rank:
        return array
    return call.ctx.apply("moveaxis", array, source=source, destination=destination)


SPREADING: dict[str, Special] = {
    "numpy.atleast_1d": atleast,
    "numpy.atleast_2d": atleast,
    "numpy.broadcast_arrays": broadcast_arrays,
    "numpy.cross": cross,
}
