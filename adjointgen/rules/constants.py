"""Operations whose derivative is zero, each with the reason why."""

from __future__ import annotations

from adjointgen.ir.types import BOOL
from adjointgen.rules.declare import constant
from adjointgen.rules.infer import (
    always,
    boolean_type,
    elementwise_type,
)

_TRUTH = "a truth value has no derivative"
_STEPS = "it is constant between its jumps"
_PLACE = "a position is an integer"
_COUNT = "a count is an integer"
_BITS = "it is defined on integers and truth values"


def _compare(name: str, symbol: str, *spellings: str) -> None:
    constant(name, "a, b", spellings, symbol=symbol, infer=boolean_type, because=_TRUTH)


_compare("lt", "<", "numpy.less", "operator.lt")
_compare("le", "<=", "numpy.less_equal", "operator.le")
_compare("gt", ">", "numpy.greater", "operator.gt")
_compare("ge", ">=", "numpy.greater_equal", "operator.ge")
_compare("eq", "==", "numpy.equal", "operator.eq")
_compare("ne", "!=", "numpy.not_equal", "operator.ne")


def _scalar_truth(name: str, symbol: str, *spellings: str, signature: str = "a, b") -> None:
    constant(name, signature, spellings, symbol=symbol, infer=always(BOOL), because=_TRUTH)


_scalar_truth("not", "not", "operator.not_", signature="a")
_scalar_truth("is", "is", "operator.is_")
_scalar_truth("is_not", "is not", "operator.is_not")
_scalar_truth("in", "in")
_scalar_truth("not_in", "not in")
_scalar_truth("and", "and")
_scalar_truth("or", "or")


def _bitwise(name: str, symbol: str, *spellings: str, signature: str = "a, b") -> None:
    constant(name, signature, spellings, symbol=symbol, infer=elementwise_type, because=_BITS)


_bitwise("bit_and", "&", "numpy.bitwise_and", "operator.and_")
_bitwise("bit_or", "|", "numpy.bitwise_or", "operator.or_")
_bitwise("bit_xor", "^", "numpy.bitwise_xor", "operator.xor")
_bitwise("lshift", "<<", "numpy.left_shift", "operator.lshift")
_bitwise("rshift", ">>", "numpy.right_shift", "operator.rshift")
_bitwise("invert", "~", "numpy.invert", "operator.invert", signature="a")
