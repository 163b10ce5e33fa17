"""Values that have a narrower dtype on some paths: `t = 0 if x < 1.0 else x` may be an integer.

Where an integer meets a float the value has the type of the float, which is what is computed with
from there on. NumPy asks the value itself: `np.full(3, t)` is an array of integers on one of the
paths, and what is written into that loses its fraction. So the dtype that a value may have instead
goes with it, from operands to results, and a write that is not the same in both is refused.

A list may be all integers where each of its entries may be one. The entries of an empty list are of
no dtype, an empty text: what it gets decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.ir.nodes import UNDEFINED, Const, Operand, Value
from adjointgen.ir.types import COMPLEX, DTYPES, INTEGER, REAL, Type
from adjointgen.records import replace
from adjointgen.rules.framework.table import Row

Narrow = Mapping[str, str]
"""The dtype that a value may have instead of its own, by name."""

EMPTY: Final = ""
_WIDTHS = tuple(reversed((*COMPLEX, *REAL, *INTEGER)))


def dtype_of(narrow: Narrow, operand: Operand) -> str:
    """The narrowest dtype that an operand may have."""
    own = operand.type.dtype
    return narrow.get(operand.name, own) if isinstance(operand, Value) else own


def met(narrow: Narrow, type: Type, operands: Iterable[Operand]) -> str | None:
    """The narrower dtype of what is one of these, depending on the path; None if there is none."""
    there = (o for o in operands if not (isinstance(o, Const) and o.value == UNDEFINED))
    return narrowest(type, [dtype_of(narrow, o) for o in there])


def narrowest(type: Type, dtypes: Collection[str]) -> str | None:
    """The narrowest of the dtypes that a value of this type may have; None if that is its own."""
    if dtypes and not any(dtypes):
        return EMPTY
    return min(({*dtypes} - {type.dtype}) & DTYPES, key=_WIDTHS.index, default=None)


def gathered(narrow: Narrow, held: Operand, new: Operand) -> str | None:
    """The narrower dtype of a list that has got another entry."""
    before, own = dtype_of(narrow, held), dtype_of(narrow, new)
    if own == held.type.dtype or before == held.type.dtype:
        return None
    return own if before == EMPTY else min(before, own, key=_WIDTHS.index)


def followed(
    narrow: Narrow, row: Row, args: Sequence[Operand], options: Mapping[str, Any]
) -> Iterator[str | None]:
    """The narrower dtype of each result of an operation; None where it has its own in any case."""
    defaults = {p.name: p.default for p in row.parameters if not p.operand}
    options = {k: v for k, v in (defaults | dict(options)).items() if k != "spelling"}
    narrower = [dtype_of(narrow, a) or a.type.dtype for a in args]
    types = [replace(a.type, dtype=d, value=None) for a, d in zip(args, narrower, strict=True)]
    try:
        found = row.infer(tuple(types), options)
        wide = row.infer(tuple(a.type for a in args), options)
    except (AdjointgenError, ArithmeticError, LookupError, TypeError, ValueError):
        return
    for one, other in zip(found, wide, strict=True):
        yield one.dtype if one.dtype != other.dtype and one.dtype in DTYPES else None


def castable(source: str, target: str, casting: str = "same_kind") -> bool:
    """Whether NumPy casts one dtype to another; true where one is not known."""
    known = source in DTYPES and target in DTYPES
    return not known or bool(np.can_cast(source, target, casting))  # type: ignore[arg-type]
