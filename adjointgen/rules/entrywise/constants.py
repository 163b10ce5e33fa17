"""Operations whose derivative is zero, each with the reason why."""

from __future__ import annotations

from typing import Any

from adjointgen.ir.types import BOOL, INT, Dim, Type
from adjointgen.rules.framework.batching import (
    Batch,
    Sample,
    along,
    by_truth,
    counted,
    entries,
    reduction,
    rounded,
)
from adjointgen.rules.framework.declare import constant
from adjointgen.rules.framework.table import Truth
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    always,
    bool_reduction,
    boolean_type,
    elementwise_type,
    fresh,
    int_reduction,
    object_type,
    size_dim,
)

_TRUTH = "a truth value has no derivative"
_STEPS = "it is constant between its jumps"
_PLACE = "a position is an integer"
_COUNT = "a count is an integer"
_BITS = "it is defined on integers and truth values"


def _compare(name: str, symbol: str, *spellings: str) -> None:
    constant(
        name,
        "a, b",
        spellings,
        symbol=symbol,
        infer=boolean_type,
        because=_TRUTH,
        noun="test",
        loop="entries",
        batch=entries,
    )


_compare("lt", "<", "numpy.less", "operator.lt")
_compare("le", "<=", "numpy.less_equal", "operator.le")
_compare("gt", ">", "numpy.greater", "operator.gt")
_compare("ge", ">=", "numpy.greater_equal", "operator.ge")
_compare("eq", "==", "numpy.equal", "operator.eq")
_compare("ne", "!=", "numpy.not_equal", "operator.ne")


def _scalar_truth(
    name: str,
    symbol: str,
    *spellings: str,
    signature: str = "a, b",
    truth: Truth = "own",
    batch: Batch | None = None,
) -> None:
    infer = always(BOOL)
    constant(
        name,
        signature,
        spellings,
        symbol=symbol,
        infer=infer,
        because=_TRUTH,
        noun="test",
        truth=truth,
        batch=batch,
    )


_scalar_truth("not", "not", "operator.not_", signature="a", batch=by_truth("logical_not"))
_scalar_truth("is", "is", "operator.is_")
_scalar_truth("is_not", "is not", "operator.is_not")
_scalar_truth("in", "in")
_scalar_truth("not_in", "not in")
_scalar_truth("and", "and", truth="operand", batch=by_truth("logical_and"))
_scalar_truth("or", "or", truth="operand", batch=by_truth("logical_or"))


def _bitwise(
    name: str, symbol: str, *spellings: str, signature: str = "a, b", **fields: Any
) -> None:
    infer = elementwise_type
    fields["batch"] = entries
    constant(name, signature, spellings, symbol=symbol, infer=infer, because=_BITS, **fields)


_bitwise("bit_and", "&", "numpy.bitwise_and", "operator.and_", loop="entries")
_bitwise("bit_or", "|", "numpy.bitwise_or", "operator.or_", loop="entries")
_bitwise("bit_xor", "^", "numpy.bitwise_xor", "operator.xor", loop="entries")
_bitwise("lshift", "<<", "numpy.left_shift", "operator.lshift", widens=True, shifts=1)
_bitwise("rshift", ">>", "numpy.right_shift", "operator.rshift", shifts=1)


def _inverted(numpy: bool, a: Any) -> Any:
    """`~True` is False in NumPy, and -2 in Python."""
    return NotImplemented if numpy or a.type.dtype != "bool" else None


_bitwise(
    *("invert", "~", "numpy.invert", "operator.invert"),
    signature="a",
    loop="entries",
    compiled=_inverted,
)


def _test(name: str, *spellings: str, signature: str = "a", **fields: Any) -> None:
    fields.setdefault("batch", entries)
    constant(name, signature, spellings, infer=boolean_type, because=_TRUTH, **fields)


_test("logical_and", "numpy.logical_and", signature="a, b", loop="entries")
_test("logical_or", "numpy.logical_or", signature="a, b", loop="entries")
_test("logical_xor", "numpy.logical_xor", signature="a, b", loop="entries")
_test("logical_not", "numpy.logical_not", loop="entries")
_test("isnan", "numpy.isnan", "math.isnan", loop="entries")
_test("isinf", "numpy.isinf", "math.isinf", loop="entries")
_test("isfinite", "numpy.isfinite", "math.isfinite", loop="entries")
_test("isneginf", "numpy.isneginf")
_test("isposinf", "numpy.isposinf")
_test("signbit", "numpy.signbit")
_test("isreal", "numpy.isreal")
_CLOSE = "a, b, rtol=1e-05, atol=1e-08, equal_nan=False"
_test("isclose", "numpy.isclose", signature=_CLOSE)
_CLOSE_SCALARS = "a, b, rel_tol=1e-09, abs_tol=0.0"
_test("isclose_scalar", "math.isclose", signature=_CLOSE_SCALARS, batch=None)


def _step(name: str, *spellings: str, signature: str = "a", **fields: Any) -> None:
    fields["batch"] = entries
    constant(name, signature, spellings, infer=elementwise_type, because=_STEPS, **fields)


def _to_integer(types: Types, options: Options) -> Types:
    """`math.floor(x)` is an integer, but `np.floor(x)` has the dtype of `x`."""
    return (INT,) if types[0].is_scalar else elementwise_type(types, options)


_step("sign", "numpy.sign", loop="entries")
_step("floor", "numpy.floor", loop="entries")
_step("ceil", "numpy.ceil", loop="entries")
_step("trunc", "numpy.trunc", "numpy.fix", loop="entries")
_step("rint", "numpy.rint")
_step("round", "numpy.round", "numpy.around", ".round", signature="a, decimals=0")


def _rounded_type(types: Types, options: Options) -> Types:
    """Without digits, Python rounds to an integer."""
    digits = len(types) > 1 and types[1].kind != "object"
    return elementwise_type(types[:1], {}) if digits else (INT,)


constant(
    "integer_round",
    "a, ndigits=",
    ["builtins.round"],
    infer=_rounded_type,
    because=_STEPS,
    batch=rounded("rint"),
)
for _name in ("floor", "ceil", "trunc"):
    _fields: dict[str, Any] = {"because": _STEPS, "batch": rounded(_name)}
    constant(f"integer_{_name}", "a", [f"math.{_name}"], infer=_to_integer, **_fields)


def reduced(sample: Sample) -> Any:
    """Positions are those along one axis; of a matrix they are of its flattened entries."""
    whole = sample.types[0].dtype != "bool" and sample.options.get("axis") is None
    return along(sample) if whole else reduction(sample)


def _reduces(name: str, *spellings: str, of: str = _TRUTH) -> None:
    signature = "a, axis=None, keepdims=False"
    infer = bool_reduction if of == _TRUTH else int_reduction
    constant(name, signature, spellings, infer=infer, because=of, batch=reduced)


_reduces("any", "numpy.any", ".any", "builtins.any")
_reduces("all", "numpy.all", ".all", "builtins.all")
_reduces("argmax", "numpy.argmax", ".argmax", of=_PLACE)
_reduces("argmin", "numpy.argmin", ".argmin", of=_PLACE)
_reduces("nanargmax", "numpy.nanargmax", of=_PLACE)
_reduces("nanargmin", "numpy.nanargmin", of=_PLACE)
_reduces("count_nonzero", "numpy.count_nonzero", of=_COUNT)
for _name in ("allclose", "array_equal"):
    _signature = _CLOSE if _name == "allclose" else "a, b"
    constant(_name, _signature, [f"numpy.{_name}"], infer=always(BOOL), because=_TRUTH)


def _argsort_type(types: Types, options: Options) -> Types:
    a = types[0]
    flat = options.get("axis", -1) is None
    return (fresh("int64", (size_dim(a.shape),) if flat else a.shape),)


constant(
    "argsort",
    "a, axis=-1, kind=None",
    ["numpy.argsort", ".argsort"],
    infer=_argsort_type,
    because=_PLACE,
    cost=20,
    batch=along,
)


def _like_second(types: Types, options: Options) -> Types:
    return (fresh("int64", types[1].shape) if not types[1].is_scalar else INT,)


def _size_type(types: Types, options: Options) -> Types:
    return (Type("int64", value=size_dim(types[0].shape)),)


def _rank_type(types: Types, options: Options) -> Types:
    rank = types[0].rank
    return (Type("int64", value=None if rank is None else Dim("", rank)),)


constant(
    "searchsorted",
    "a, v, side='left'",
    ["numpy.searchsorted", ".searchsorted"],
    infer=_like_second,
    because=_PLACE,
    cost=20,
)
constant(
    "size",
    "a",
    ["numpy.size"],
    infer=_size_type,
    because=_COUNT,
    cost=0,
    measures=True,
    checked="plain",
    batch=counted,
)
constant(
    "ndim",
    "a",
    ["numpy.ndim"],
    infer=_rank_type,
    because=_COUNT,
    cost=0,
    measures=True,
    checked="plain",
)
constant("shape", "a", ["numpy.shape"], infer=object_type, because=_COUNT, cost=0)


def _unknown_length(types: Types, options: Options) -> Types:
    return (fresh("int64", (None,)),)


def _digitize_type(types: Types, options: Options) -> Types:
    return (fresh("int64", types[0].shape) if not types[0].is_scalar else INT,)


constant("nonzero", "a", ["numpy.nonzero", ".nonzero"], infer=object_type, because=_PLACE)
constant("flatnonzero", "a", ["numpy.flatnonzero"], infer=_unknown_length, because=_PLACE)
constant("argwhere", "a", ["numpy.argwhere"], infer=object_type, because=_PLACE)
constant(
    "digitize", "a, bins, right=False", ["numpy.digitize"], infer=_digitize_type, because=_PLACE
)
constant("indices", "shape", ["numpy.indices"], infer=object_type, because=_PLACE)
constant("ix_", "*axes...", ["numpy.ix_"], infer=object_type, because=_PLACE)
constant("triu_indices", "n, k=0", ["numpy.triu_indices"], infer=object_type, because=_PLACE)
constant("tril_indices", "n, k=0", ["numpy.tril_indices"], infer=object_type, because=_PLACE)
for _name in ("isscalar", "iscomplexobj", "isrealobj"):
    constant(_name, "a", [f"numpy.{_name}"], infer=always(BOOL), because=_TRUTH)
constant("isinstance", "a, kind", ["builtins.isinstance"], infer=always(BOOL), because=_TRUTH)


def _like_first(types: Types, options: Options) -> Types:
    return boolean_type(types[:1], options)


constant(
    "argpartition",
    "a, kth=None, axis=-1, kind=None",
    ["numpy.argpartition", ".argpartition"],
    infer=_argsort_type,
    because=_PLACE,
    cost=20,
)
constant("rankdata", "a", ["scipy.stats.rankdata"], infer=object_type, because=_PLACE, cost=20)
constant("lexsort", "keys, axis=-1", ["numpy.lexsort"], infer=object_type, because=_PLACE, cost=20)
constant("unravel_index", "a, shape", ["numpy.unravel_index"], infer=object_type, because=_PLACE)
constant("isin", "a, values", ["numpy.isin"], infer=_like_first, because=_TRUTH, cost=20)
constant("spacing", "a", ["numpy.spacing"], infer=elementwise_type, because=_STEPS)
_test("iscomplex", "numpy.iscomplex")

for _name, _signature in (("factorial", "n"), ("comb", "n, k"), ("perm", "n, k="), ("isqrt", "n")):
    constant(f"int_{_name}", _signature, [f"math.{_name}"], infer=always(INT), because=_COUNT)
for _name in ("bisect_left", "bisect_right"):
    _spellings = [f"bisect.{_name}", f"_bisect.{_name}"]
    _spellings += ["bisect.bisect"] if _name == "bisect_right" else []
    constant(_name, "a, x, lo=0, hi=None", _spellings, infer=always(INT), because=_PLACE, cost=20)
for _name in ("gcd", "lcm"):
    constant(f"int_{_name}", "*n...", [f"math.{_name}"], infer=always(INT), because=_COUNT)


def _points_type(types: Types, options: Options) -> Types:
    value = types[0].value
    return (fresh("float64", (None if value is None else value,)),)


for _name in ("hanning", "hamming", "blackman", "bartlett"):
    constant(_name, "m", [f"numpy.{_name}"], infer=_points_type, because=_COUNT)
constant(
    "stride",
    "a, axis=0",
    [],
    infer=always(INT),
    because="it says how an array lies in memory",
    code="_0_.strides[_axis_]",
)
