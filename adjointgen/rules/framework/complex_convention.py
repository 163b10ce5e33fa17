"""Complex numbers: the convention of derivatives, parts of numbers, and which rules hold for them.

The adjoint of a complex number `z = a + ib` is

    z_bar = dL/da - i dL/db        so that L_dot = Re(sum z_bar z_dot)

and the tangent is that of both parts, `z_dot = a_dot + i b_dot`. An analytic function multiplies
both by its derivative, without a conjugate, so that most rules hold as they stand; those that do
are named here. A real argument of a complex operation gets the real part. This is what JAX and
autograd give; PyTorch gives the conjugate, `dL/da + i dL/db`, which is the direction of steepest
ascent. (Wirtinger 1927: `z_bar = 2 dL/dz`.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Apply, Const
from adjointgen.ir.types import COMPLEX, INTEGER, Type
from adjointgen.rules.framework import series
from adjointgen.rules.framework.batching import unchanged
from adjointgen.rules.framework.declare import elementwise, linear
from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.framework.table import TABLE, Row
from adjointgen.rules.framework.type_rules import elementwise_type, real_type

_NAMES = """
complex_of add sub mul div neg pos pow square reciprocal sqrt exp exp2 expm1 log log1p log2 log10
sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh prod cumprod
solve inv det einsum full arange linspace concatenate stack array_of vstack hstack
column_stack append pad average broadcast_arrays insert multi_dot matrix_power real imag
abs angle norm var std erf erfc amax amin
eigh eigvalsh scipy_eigh scipy_eigvalsh svd svdvals sqrtm solve_sylvester eigenvectors
eigenvalues eigvals roots lambertw logm fractional_matrix_power
through cofactor cofactor_along wofz hankel1 hankel2 h1vp h2vp sph_harm_y
"""
ANALYTIC = frozenset(_NAMES.split())
"""Operations whose rule holds for complex numbers as it stands; all that are linear do, too."""

_REAL_NAMES = """
interp trapezoid cov corrcoef correlate nanvar nanstd fft_dctn fft_idctn fft_dstn fft_idstn
"""
_REAL_ONLY = frozenset(_REAL_NAMES.split())
"""Linear or composed operations whose definition, as it stands here, is that for real numbers."""


def holds_for_complex(row: Row) -> bool:
    """Whether the rule of an operation holds for complex numbers."""
    if row.name in _REAL_ONLY:
        return False
    return row.kind in ("linear", "structural", "constant") or row.name in ANALYTIC or row.follows


def may_be_complex(stmt: Apply) -> bool:
    """Whether a power of a number may be complex: of a negative base, by no integer."""
    if TABLE[stmt.op].symbol != "**" or stmt.option("spelling") is not None:
        return False
    base, exponent = stmt.args
    if stmt.result.type.dtype in COMPLEX or not stmt.result.type.is_scalar:
        return False
    if isinstance(base, Const):
        return isinstance(base.value, int | float) and base.value < 0
    if isinstance(exponent, Const):
        return isinstance(exponent.value, float) and not exponent.value.is_integer()
    return exponent.type.dtype not in INTEGER


def conjugated(a: Any) -> Any:
    """The conjugate, of what may be complex."""
    return op("conj", a) if a.type.dtype in COMPLEX else a


def real_part(value: Any, y: Any) -> Any:
    """The tangent of a real result, of which only the real part counts."""
    narrows = value.type.dtype in COMPLEX and y.type.dtype not in COMPLEX
    return op("real", value) if narrows else value


linear(
    "conj",
    "a",
    ["numpy.conj", "numpy.conjugate", ".conj", ".conjugate"],
    {0: lambda y_bar, a: op("conj", y_bar)},
    infer=elementwise_type,
    domain=[("float64[3]",), ("float64",), ([1.0 + 2.0j, 0.5 - 1.0j],)],
    loop="entries",
    keeps_zero=True,
    shape_of=0,
    batch=unchanged,
)
elementwise(
    "real",
    "a",
    ["numpy.real", ".real"],
    lambda y, a: 1.0,
    infer=real_type,
    on=(-3, 3),
    view="part",
    cost=0,
    loop="entries",
    keeps_zero=True,
    shape_of=0,
    series=series.real,
)
elementwise(
    "imag",
    "a",
    ["numpy.imag", ".imag"],
    lambda y, a: -1j if a.type.dtype in COMPLEX else 0.0,
    infer=real_type,
    on=(-3, 3),
    view="part",
    shares=lambda types, options: types[0].dtype in COMPLEX,
    cost=0,
    loop="entries",
    keeps_zero=True,
    shape_of=0,
    series=series.imag,
)


def _of_two_numbers(types: tuple[Type, ...], options: Any) -> tuple[Type, ...]:
    if not all(type.is_scalar for type in types):
        raise NoRule("complex() takes two numbers", code="AG201")
    return (Type("complex128"),)


# Not `real + 1j * imag`: that has other zeros and infinities.
elementwise(
    "complex_of",
    "real, imag",
    ["builtins.complex"],
    lambda y, real, imag: 1.0,
    lambda y, real, imag: 1j,
    infer=_of_two_numbers,
    domain=[("float64", "float64"), ("float64", "complex128")],
    loop="entries",
)


def _by_angle(y: Any, a: Any, deg: bool) -> Any:
    """`-i / z`, and 0 at 0; in degrees 180/pi times that. Of real numbers the angle is constant."""
    if a.type.dtype not in COMPLEX:
        return 0.0
    scale = -180j / np.pi if deg else -1j
    return scale * np.where(a == 0, 0.0, 1.0) / np.where(a == 0, 1.0, a)


def _angle_type(types: tuple[Type, ...], options: Any) -> tuple[Type, ...]:
    (real,) = real_type(types, options)
    return (real if real.is_differentiable else real.with_dtype("float64"),)


elementwise(
    "angle",
    "z, deg=False",
    ["numpy.angle"],
    _by_angle,
    infer=_angle_type,
    on=(0.5, 2),
    cost=20,
    edge="0 at 0",
)


def _complex_type(types: tuple[Type, ...], options: Any) -> tuple[Type, ...]:
    (found,) = elementwise_type(types[:1], options)
    return (found.with_dtype("complex128"),)


# From `w exp(w) = z` (Corless et al. 1996, section 3).
elementwise(
    "lambertw",
    "z, k=0, tol=1e-08",
    ["scipy.special.lambertw"],
    lambda y, z: 1.0 / ((1.0 + y) * np.exp(y)),
    infer=_complex_type,
    on=(0.3, 2),
    cost=40,
    edge="infinite at -1/e",
)
