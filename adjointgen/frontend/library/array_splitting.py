"""NumPy functions that give parts of an array, which are views: splits, diagonals.

np.split(a, 3)       a[:n // 3], a[n // 3 : n // 3 * 2], a[n // 3 * 2 :]
np.diag(A, k)        A.diagonal(k)
x.conj()             x, where it is real
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.frontend.library.array_attributes import is_perhaps_complex
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.kept_views import all_of
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import read, view
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import INTEGER, REAL
from adjointgen.rules.framework.builder import const

End = int | Operand | None
_UNEVEN: Final = "array split does not result in an equal division"


def _ends(call: Call, array: Operand, sections: object, axis: int, even: bool) -> list[End] | None:
    """Where the parts begin and end."""
    if isinstance(sections, tuple):
        places = [k for k in sections if isinstance(k, int)]
        return [None, *places, None] if len(places) == len(sections) else None
    if not isinstance(sections, int) or sections < 1:
        return None
    ctx, number = call.ctx, length(call.ctx, array, axis)
    if isinstance(number, Const) and isinstance(number.value, int):
        if even and number.value % sections:
            fails(ctx, "ValueError", _UNEVEN)
        each, extra = divmod(number.value, sections)
        return [None, *(k * each + min(k, extra) for k in range(1, sections)), None]
    if even and sections > 1:
        code = f'if _0_ % {sections}: raise ValueError("{_UNEVEN}")'
        statement(ctx, code, (number,), raises="ValueError")
    return [None, *_inner_ends(ctx, number, sections, even), None]


def _inner_ends(ctx: Context, number: Operand, sections: int, even: bool) -> Iterator[Operand]:
    """Ends of parts of a length that is not known; the first may have one entry more."""
    part = ctx.apply("floordiv", number, const(sections))
    rest = None if even else ctx.apply("mod", number, const(sections))
    for k in range(1, sections):
        before = part if k == 1 else ctx.apply("mul", part, const(k))
        yield before if rest is None else ctx.apply("add", before, ctx.apply("min", rest, const(k)))


def _along(default: int, least: int = 1, even: bool = True) -> Special:
    """The parts along an axis; `even` where all are as long, `least` is the rank that is needed."""

    def split(call: Call) -> Abstract | None:
        if not call.args or call.keywords.keys() - {"axis", "indices_or_sections"}:
            return None
        array = read(call.ctx, call.args[0])
        sections = call.take("indices_or_sections", 1)
        rank = array.type.rank or 0
        if not array.type.is_array or rank < least or sections is None:
            return None
        along = min(default, rank - 1)
        named = static(call.ctx, call.take("axis", 2, const(along)) or const(along), "axis")
        if not -rank <= named < rank:
            return None
        axis, given = named % rank, static(call.ctx, sections, "indices_or_sections")
        ends = _ends(call, array, given, axis, even)
        if ends is None:
            return None
        parts = [_part(call, axis, *pair) for pair in pairwise(ends)]
        return Seq(tuple(parts), "list")

    return split


def _part(call: Call, axis: int, first: End, last: End) -> Abstract:
    ends = (first, last)
    texts = ["" if e is None else str(e) if isinstance(e, int) else "_" for e in ends]
    operands = [e for e in ends if e is not None and not isinstance(e, int)]
    index = ":, " * axis + ":".join(texts)
    return view(call.ctx, call.args[0], "load", *operands, index=index)


def _diagonal(call: Call) -> Abstract | None:
    """Of a matrix it is a view, of a vector a new matrix."""
    rank = read(call.ctx, call.args[0]).type.rank
    if rank != 2 or call.keywords.keys() - {"k"}:
        return None
    k = static(call.ctx, call.take("k", 1, const(0)) or const(0), "k")
    return view(call.ctx, call.args[0], "diagonal", **({"offset": k} if k else {}))


def _real(call: Call) -> Abstract | None:
    """Of a real array it is the array; a view of another one is a row."""
    array = read(call.ctx, call.args[0])
    real = array.type.is_array and array.type.dtype in (*REAL, *INTEGER)
    return call.args[0] if real and len(call.args) == 1 and not call.keywords else None


def _conjugate(call: Call) -> Abstract | None:
    """A method of a real array gives the array itself."""
    if is_perhaps_complex(call.ctx, call.args[0]):
        return None
    real = not read(call.ctx, call.args[0]).type.dtype.startswith(("complex", "object"))
    return call.args[0] if real and len(call.args) == 1 else None


def _eigen(call: Call) -> Abstract | None:
    """Values and vectors, each on its own."""
    if len(call.args) != 1 or call.keywords:
        return None
    matrix = numeric(call.ctx, read(call.ctx, call.args[0]))
    vectors = call.ctx.apply("eigenvectors", matrix)
    return Seq((call.ctx.apply("eigenvalues", matrix), vectors))


def _real_if_close(call: Call) -> Abstract | None:
    """What is real is what it is; of a complex array its values decide."""
    type = read(call.ctx, call.args[0]).type
    return call.args[0] if type.is_array and type.dtype in REAL else None


def _whole(call: Call) -> Abstract | None:
    """`x.view()`, without another dtype."""
    return all_of(call.ctx, call.args[0]) if len(call.args) == 1 and not call.keywords else None


PARTS: dict[str, Special] = {
    "numpy.split": _along(0),
    "numpy.array_split": _along(0, even=False),
    "numpy.vsplit": _along(0, least=2),
    "numpy.hsplit": _along(1),
    "numpy.dsplit": _along(2, least=3),
    "numpy.diag": _diagonal,
    "numpy.real": _real,
    "numpy.real_if_close": _real_if_close,
    ".view": _whole,
    "numpy.linalg.eig": _eigen,
    ".conj": _conjugate,
    ".conjugate": _conjugate,
}
