"""Polynomials of NumPy: made in the function, or held by the module.

np.polynomial.Polynomial(c)(x)       np.poly1d(c)(x)       P(x), P.deriv()(x) of the module's P

They are instances of the classes in `frontend/source/numpy_polynomials.py`. Where a domain is
given, and in programs that stand for the function, they are NumPy's own.
"""

from __future__ import annotations

import ast
from typing import Any, Final

import numpy as np

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Struct
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.source import numpy_polynomials
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import attribute_key
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read, shown_type
from adjointgen.ir.types import INTEGER, REAL, Type
from adjointgen.watch import MISSING, Held, look

_RISING, _FALLING = numpy_polynomials.Polynomial, numpy_polynomials.Poly1d
_HELD: Final[dict[type, tuple[type, str]]] = {
    np.polynomial.Polynomial: (_RISING, "coef"),
    np.poly1d: (_FALLING, "coeffs"),
}
_VECTOR: Final = Type("float64", (None,), "array")


def _making(cls: type) -> Special:
    def made(call: Call) -> Abstract | None:
        if call.ctx.outlines.primal or len(call.args) != 1 or call.keywords:
            return None
        named = call.function
        assert isinstance(named, Named)
        if not _are_coefficients(call.ctx, call.args[0]):
            return None
        kind = Class(cls, named.text, named.line)
        return construct(call.ctx, kind, [call.args[0]], {}, call.node)

    return made


def as_polynomial(ctx: Context, value: Abstract, node: ast.AST) -> Abstract:
    """A polynomial of the module by its coefficients; another value as it is."""
    own = living(ctx, value)
    if own is None or type(own.value) not in _HELD or ctx.outlines.primal:
        return value
    cls, name = _HELD[type(own.value)]
    of = own.reader()

    def simple(origin: Any) -> object:
        return True if _is_simple(of(origin)) else MISSING

    keys = (
        attribute_key(own.value, n) for n in (name, "domain", "window", "c", "coef", "coefficients")
    )
    if not _is_simple(own.value) or not all(map(ctx.outlines.facts.fold, keys)):
        return value
    look(Held(own.origin, simple), f"{own.steps} domain")
    coefficients = verbatim(ctx, f"_0_.{name}", (read(ctx, value),), _VECTOR, pure=True)
    return construct(ctx, Class(cls, cls.__name__), [coefficients], {}, node)


def _are_coefficients(ctx: Context, value: Abstract) -> bool:
    """Whether these are real numbers, and no truth values."""
    known = content(ctx, value)
    items = known.items if isinstance(known, Seq) else (value,)
    if isinstance(known, Struct) or any(
        isinstance(content(ctx, one), Seq | Struct) for one in items
    ):
        return False
    types = [shown_type(ctx, ctx.state, one) for one in items]
    if not isinstance(known, Seq) and types[0].kind == "scalar":
        return False
    return all(type.dtype in (*REAL, *INTEGER) and type.dtype != "bool" for type in types)


def _is_simple(value: Any) -> bool:
    """Whether the coefficients are floats, and those of the powers of the number itself."""
    floats = getattr(value, "coef", value).dtype.kind == "f"
    mapped = isinstance(value, np.polynomial.Polynomial)
    return floats and not (mapped and np.any(value.domain != value.window))


SPECIAL: dict[str, Special] = {
    "numpy.poly1d": _making(_FALLING),
    "numpy.polynomial.Polynomial": _making(_RISING),
    "numpy.polynomial.polynomial.Polynomial": _making(_RISING),
}
