"""Classes of SciPy of which the frontend has its own: interpolators and sparse matrices.

Where a float that is no constant goes into the constructor, what is made is an instance of a class
in `frontend/source/scipy_interpolators.py` or `sparse_class.py`; else the call is copied.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Struct
from adjointgen.frontend.expressions import sparse_calls
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.functions.numpy_definitions import holds_floats
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.library.array_attributes import shape
from adjointgen.frontend.library.sparse_class import Sparse
from adjointgen.frontend.source import scipy_interpolators
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const

INTERPOLATORS: Final = {
    "CubicSpline": scipy_interpolators.CubicSpline,
    "PchipInterpolator": scipy_interpolators.PchipInterpolator,
    "Akima1DInterpolator": scipy_interpolators.Akima1DInterpolator,
    "interp1d": scipy_interpolators.Interpolated,
}
LINEAR: Final = const("linear")
WRITTEN: Final = {
    "bc_type": ("not-a-knot", "natural", "clamped"),
    "kind": ("linear", "cubic"),
    "method": ("akima",),
    "axis": (0, -1),
}
"""The options of interpolators that are written out; with others they have no derivative."""
FORMATS: Final = ("csr", "csc", "coo")
PLACES: Final = Type("int64", (None,), "array")


def _interpolator(call: Call) -> Abstract | None:
    assert isinstance(call.function, Named)
    if not _is_meant(call):
        return None
    values = call.take("y", 1)
    if values is None or read(call.ctx, values).type.rank != 1 or not _is_written(call):
        return None
    cls = INTERPOLATORS[call.function.spelling.rpartition(".")[2]]
    made = Class(cls, call.function.text, call.function.line)
    return construct(call.ctx, made, list(call.args), dict(call.keywords), call.node)


def _is_written(call: Call) -> bool:
    """Whether the options are those of an interpolator that is written out."""
    name = str(getattr(call.function, "spelling", "")).rpartition(".")[2]
    options = {"CubicSpline": ("axis", "bc_type"), "interp1d": ("kind", "axis")}.get(
        name, ("axis",)
    )
    given = dict(zip(options, call.args[2:], strict=False)) | call.keywords
    for option, value in given.items():
        known = content(call.ctx, value)
        if option in WRITTEN and not (isinstance(known, Const) and known.value in WRITTEN[option]):
            return False
        if option == "fill_value" and isinstance(known, Seq):
            return False
    return True


def _is_meant(call: Call) -> bool:
    """Whether there may be something to differentiate; SciPy knows more kinds of interpolators."""
    if call.ctx.outlines.primal:
        return False
    return holds_floats(call.ctx, (*call.args, *call.keywords.values()))


def _grid(call: Call) -> Abstract | None:
    """`RegularGridInterpolator` of as many rows of points as its values have axes."""
    assert isinstance(call.function, Named)
    points, values = (call.take(name, k) for k, name in enumerate(("points", "values")))
    if not _is_meant(call):
        return None
    known = None if points is None else content(call.ctx, points)
    if values is None or not isinstance(known, Seq) or call.take("method", 2, LINEAR) != LINEAR:
        return None
    if read(call.ctx, values).type.rank != len(known.items):
        return None
    made = Class(scipy_interpolators.Grid, call.function.text, call.function.line)
    return construct(call.ctx, made, list(call.args), dict(call.keywords), call.node)


def _sparse(call: Call) -> Abstract | None:
    """From `(data, (row, col))`, from a matrix, or from another one."""
    assert isinstance(call.function, Named)
    if not call.args or call.keywords.keys() - {"shape"}:
        return None
    given = call.args[0]
    known = content(call.ctx, given)
    if isinstance(known, Struct):
        return given if known.kind == _class() else None
    if not holds_floats(call.ctx, (given,)):
        return None
    if isinstance(known, Seq):
        return _of_triple(call, known)
    return _of_dense(call, numeric(call.ctx, read(call.ctx, given)))


def _of_triple(call: Call, given: Seq) -> Abstract | None:
    sizes = call.take("shape", 1)
    places = content(call.ctx, given.items[1]) if len(given.items) == 2 else None
    if sizes is None or not isinstance(places, Seq) or len(places.items) != 2:
        return None
    lengths = entries(call.ctx, sizes)
    if lengths is None or len(lengths) != 2:
        return None
    parts = [numeric(call.ctx, read(call.ctx, v)) for v in (given.items[0], *places.items)]
    if any(p.type.rank != 1 for p in parts):
        return None
    return _made(call, parts, Seq(lengths))


def _of_dense(call: Call, array: Operand) -> Abstract | None:
    sizes = shape(call.ctx, array)
    if array.type.rank != 2 or not isinstance(sizes, Seq):
        return None
    n, m = (read(call.ctx, v) for v in sizes.items)
    flat = call.ctx.apply("ravel", array)
    row = verbatim(call.ctx, "np.arange(_0_ * _1_) // _1_", (n, m), PLACES, pure=True)
    col = verbatim(call.ctx, "np.arange(_0_ * _1_) % _1_", (n, m), PLACES, pure=True)
    call.ctx.imports["import numpy as np"] = None
    return _made(call, [flat, row, col], sizes)


def _diagonals(call: Call) -> Abstract | None:
    """One diagonal, the main one."""
    values = numeric(call.ctx, read(call.ctx, call.args[0])) if len(call.args) == 1 else None
    if values is None or call.keywords or values.type.rank != 1:
        return None
    if not holds_floats(call.ctx, call.args):
        return None
    n = call.ctx.apply("dim", values, axis=0)
    row, col = (verbatim(call.ctx, "np.arange(_0_)", (n,), PLACES, pure=True) for _ in range(2))
    call.ctx.imports["import numpy as np"] = None
    return _made(call, [values, row, col], Seq((n, n)))


def _stacked(axis: int) -> Special:
    def stack(call: Call) -> Abstract | None:
        blocks = content(call.ctx, call.args[0]) if len(call.args) == 1 else None
        if not isinstance(blocks, Seq) or call.keywords.keys() - {"format"}:
            return None
        parts = [content(call.ctx, b) for b in blocks.items]
        known = [p for p in parts if isinstance(p, Struct) and p.kind == _class()]
        if not known or len(known) < len(parts):
            return None
        return _side_by_side(call, known, axis)

    return stack


def _side_by_side(call: Call, blocks: list[Struct], axis: int) -> Abstract:
    ctx = call.ctx
    names = ("_data", "_row", "_col")
    columns: list[list[Operand]] = [[], [], []]
    offset: Operand = const(0)
    for block in blocks:
        values = [read(ctx, block.get(name) or const(None)) for name in names]
        moved = 1 + axis
        values[moved] = ctx.apply("add", values[moved], offset)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        sizes = entries(ctx, block.get("shape") or const(None))
        assert sizes is not None
        offset = ctx.apply("add", offset, read(ctx, sizes[axis]))
    lengths: list[Abstract] = [*(entries(ctx, blocks[0].get("shape") or const(None)) or ())]
    lengths[axis] = offset
    return _made(call, [ctx.apply("concatenate", *c) for c in columns], Seq(tuple(lengths)))


def _class() -> Class:
    return Class(Sparse, "Sparse")


def _made(call: Call, parts: list[Operand], sizes: Seq) -> Abstract:
    return construct(call.ctx, _class(), [*parts, sizes], {}, call.node)


def _solved(call: Call) -> Abstract | None:
    """`spsolve(A, b)`."""
    if len(call.args) != 2 or call.keywords:
        return None
    ctx, matrix = call.ctx, content(call.ctx, call.args[0])
    right = numeric(ctx, read(ctx, call.args[1]))
    if (given := sparse_calls.solved(ctx, call.args[0], right)) is not None:
        return given
    if not isinstance(matrix, Struct) or matrix.kind != _class() or right.type.rank != 1:
        return None
    parts = [read(ctx, matrix.get(name) or const(None)) for name in ("_data", "_row", "_col")]
    ctx.imports |= {"import scipy.sparse": None, "import scipy.sparse.linalg": None}
    return ctx.apply("spsolve", *parts, right)


def _is_sparse(call: Call) -> Abstract | None:
    known = content(call.ctx, call.args[0]) if len(call.args) == 1 else None
    if isinstance(known, Struct):
        return const(known.kind == _class())
    return const(False) if isinstance(known, Const | Seq) else None


MODELLED: dict[str, Special] = {
    **{f"scipy.interpolate.{name}": _interpolator for name in INTERPOLATORS},
    "scipy.interpolate.RegularGridInterpolator": _grid,
    **{f"scipy.sparse.{f}_{kind}": _sparse for f in FORMATS for kind in ("array", "matrix")},
    "scipy.sparse.diags_array": _diagonals,
    "scipy.sparse.hstack": _stacked(1),
    "scipy.sparse.vstack": _stacked(0),
    "scipy.sparse.linalg.spsolve": _solved,
    "scipy.sparse.issparse": _is_sparse,
}
