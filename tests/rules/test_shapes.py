"""Inferred types against NumPy and SciPy, at lengths and ranks that no row has been declared with.

The arrays of each example get an axis more, one less, axes turned, and lengths of 0, 1 and others.
Where the function takes them, the row says which type comes out, or that it is not for these.
"""

import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np
import pytest

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, Type
from adjointgen.opt.interpreter_rows import STRUCTURAL, perform
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import const
from tests.rules.programs import agrees
from tests.rules.test_table import EXAMPLES, Example, of_each_operation

PER_EXAMPLE = 15
EXCEPT = {"einsum": "an axis of no entries and one of three are one axis to NumPy"}

Shape = tuple[int, ...]


def others(shape: Shape) -> Iterator[Shape]:
    yield shape
    for k, n in product(range(len(shape)), (0, 1, 4)):
        yield (*shape[:k], n, *shape[k + 1 :])
    yield from ((2, *shape), (1, *shape), shape[1:], shape[::-1], (2, 3), (3, 0), (0, 3))


def resized(value: Any, shape: Shape) -> Any:
    return np.resize(value, shape).astype(value.dtype) if value.size else np.ones(shape)


def variants(example: Example) -> Iterator[list[Any]]:
    """The arguments with arrays of other shapes."""
    places = [k for k, v in enumerate(example.values) if isinstance(v, np.ndarray)]
    shapes = [list(dict.fromkeys(others(example.values[k].shape))) for k in places]
    every = list(product(*shapes))
    random.Random(str(example)).shuffle(every)
    for chosen in islice(every, PER_EXAMPLE):
        made = [*example.values]
        for k, shape in zip(places, chosen, strict=True):
            made[k] = resized(made[k], shape)
        yield made


def typed(value: Any) -> Type:
    if not isinstance(value, np.ndarray):
        return const(value).type
    return Type(str(value.dtype), tuple(Dim("", n) for n in value.shape), "array")


def taken(op: str, values: list[Any], options: dict[str, Any]) -> Any:
    """What the function gives; None where it does not take these."""
    try:
        return perform(op, values, options)
    except Exception:  # functions of these packages raise whatever they like
        return None


def is_of(type: Type, value: Any) -> bool:
    """Whether a value has a type; a number may be in an array without axes."""
    if np.ndim(value) == 0 and type.shape == ():
        return np.asarray(value).dtype == type.dtype or type.is_scalar
    return agrees(type, value, {})


CASES = [
    e
    for e in EXAMPLES
    if TABLE[e.op].spellings
    and e.op not in STRUCTURAL
    and e.op not in EXCEPT
    and any(isinstance(v, np.ndarray) for v in e.values)
]


@pytest.mark.sampled(4)
@of_each_operation(CASES, each=3)
@pytest.mark.filterwarnings("ignore")
def test_types_at_other_shapes(example: Example) -> None:
    row, options = TABLE[example.op], dict(example.options)
    for values in variants(example):
        with np.errstate(all="ignore"):
            found = taken(example.op, values, options)
        if found is None or isinstance(found, list):
            continue
        try:
            types = row.infer(tuple(map(typed, values)), options)
        except NoRule:
            continue
        results = found if isinstance(found, tuple) and len(types) > 1 else (found,)
        for type, result in zip(types, results, strict=True):
            shown = [np.shape(v) for v in values]
            assert is_of(type, result), f"{type} for {np.shape(result)} of {shown}"


def test_there_are_cases() -> None:
    assert len(CASES) > 900
