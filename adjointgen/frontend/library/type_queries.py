"""Functions that ask for the type of an argument, which is known when the program is generated."""

from __future__ import annotations

from numbers import Number

import numpy as np

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Lazy,
    Module,
    Partial,
    Range,
    Ref,
    Seq,
    Zipped,
)
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.expressions.special_methods import class_held, special
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import COMPLEX, INTEGER, REAL
from adjointgen.rules.framework.builder import const

NUMBERS = frozenset({*COMPLEX, *REAL, *INTEGER})


def _operand(call: Call) -> Operand | None:
    """The one argument, where that is a number or array."""
    known = content(call.ctx, call.args[0]) if call.args else None
    return read(call.ctx, known) if isinstance(known, Value | Const | Ref) else None


def isscalar(call: Call) -> Abstract | None:
    """`np.isscalar(x)`."""
    operand = _operand(call)
    if operand is None and call.args and (cls := class_held(call.ctx, call.args[0])) is not None:
        # It may be registered as a number, whatever it does.
        return const(issubclass(cls, Number | np.generic))
    if operand is None or is_loose(call.ctx.loose, operand):
        return None
    call.ctx.ranks.add(name_of(operand))
    return const(operand.type.is_scalar)


def iterable(call: Call) -> Abstract | None:
    """`np.iterable(x)`."""
    if len(call.args) != 1 or call.keywords:
        return None
    ctx, value = call.ctx, call.args[0]
    known = content(ctx, value)
    if class_held(ctx, value) is not None:
        return const(any(special(ctx, value, name) for name in ("__iter__", "__getitem__")))
    if isinstance(known, Closure | Bound | Partial | Module) or known == const(None):
        return const(False)
    if isinstance(known, Seq | Range | Zipped | Lazy):
        return const(True)
    operand = _operand(call)
    if operand is None or is_loose(ctx.loose, operand) or operand.type.rank is None:
        return None
    ctx.ranks.add(name_of(operand))
    return const(operand.type.rank > 0) if operand.type.dtype in NUMBERS else None


def holds_complex(wanted: bool) -> Special:
    """`np.iscomplexobj(x)`, and `np.isrealobj(x)`."""

    def asked(call: Call) -> Abstract | None:
        operand = _operand(call)
        if operand is None or operand.type.dtype not in NUMBERS:
            return None
        call.ctx.kinds.add(name_of(operand))
        call.ctx.check_dtype(operand)
        return const((operand.type.dtype in COMPLEX) == wanted)

    return asked


def real_if_close(call: Call) -> Abstract | None:
    """`np.real_if_close(x)`: real numbers as they are; what becomes of others, values decide."""
    operand = _operand(call)
    if operand is None or operand.type.dtype not in {*REAL, *INTEGER} or len(call.args) > 1:
        return None
    return call.ctx.apply("array", operand) if operand.type.is_scalar else call.args[0]


ASKED: dict[str, Special] = {
    "numpy.isscalar": isscalar,
    "numpy.iterable": iterable,
    "numpy.iscomplexobj": holds_complex(True),
    "numpy.isrealobj": holds_complex(False),
    "numpy.real_if_close": real_if_close,
}
