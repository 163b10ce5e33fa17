"""What an object keeps is not lost: an active value taken out again has no zero derivative."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad, hessian, jvp, value_and_grad

KEPT: list[float] = []
TOTAL = 1.0


class Record:
    """An object without a structure of its own."""


def in_a_mapping(x: float) -> float:
    kept = OrderedDict()
    kept["a"] = x * x
    return float(kept["a"]) * x


def in_a_queue(x: float) -> float:
    kept = deque()
    kept.append(x * x)
    return float(kept[0]) * x


def in_a_dict(x: float) -> float:
    kept: dict[str, Any] = {}
    kept.setdefault("a", []).append(x * x)
    return float(kept["a"][0]) * x


def in_an_object_within(x: float) -> float:
    outer: Any = OrderedDict()
    outer["inner"] = deque()
    inner = outer["inner"]
    inner.append(x * x)
    return float(outer["inner"][0]) * x


def in_an_attribute(x: float) -> float:
    record: Any = Record()
    record.a = x * x
    return float(record.a) * x


def under_another_name(x: float) -> float:
    kept = deque()
    other = kept if x > 0.0 else deque()
    for _ in range(2):
        other.append(x * x)
    return float(kept[1]) * x


def in_the_module(x: float) -> float:
    KEPT.append(x * x)
    return float(KEPT[-1]) * x


def as_a_number_of_the_module(x: float) -> float:
    global TOTAL
    TOTAL = x * x
    return TOTAL * x


def in_the_result(x: float) -> Any:
    kept = OrderedDict()
    kept["a"] = x
    return kept


def only_printed(x: float) -> float:
    kept, other = OrderedDict(), OrderedDict()
    kept["a"] = x
    other["a"] = 2.0
    KEPT.append(x)
    print(kept, x)
    return float(other["a"]) * x


SEEN = [in_a_mapping, in_a_queue, in_an_object_within, under_another_name]
ALWAYS_REFUSED = [in_the_module, in_the_result]
NEVER_WRONG = [*SEEN, in_the_module, in_a_dict, in_an_attribute, as_a_number_of_the_module]


@pytest.mark.parametrize("f", NEVER_WRONG, ids=lambda f: f.__name__)
def test_never_a_silent_zero(f: Callable[[float], float]) -> None:
    """All of these are x³."""
    for derive in (grad(f), lambda x: jvp(f, (x,), (1.0,))[1]):
        try:
            assert derive(2.0) == pytest.approx(12.0)
        except AdjointgenError as error:
            assert error.code == "AG201"


@pytest.mark.parametrize("f", SEEN, ids=lambda f: f.__name__)
def test_what_is_kept_in_a_collection_of_its_own_is_seen(f: Callable[[float], float]) -> None:
    """Value, both modes and second order, at every call: nothing is left over from the last."""
    derivative = value_and_grad(f)
    for x in (2.0, 3.0, 2.0):
        assert derivative(x) == pytest.approx((x**3, 3.0 * x**2))
        assert jvp(f, (x,), (0.5,)) == pytest.approx((x**3, 1.5 * x**2))
        assert hessian(f)(x) == pytest.approx(6.0 * x)
        assert (f(x + 1e-5) - f(x - 1e-5)) / 2e-5 == pytest.approx(grad(f)(x), rel=1e-8)


def test_the_path_on_which_the_collection_is_another_is_refused() -> None:
    """Nothing is in the first queue then: the function fails, and its derivative is none."""
    derivative = grad(under_another_name)
    assert derivative(2.0) == pytest.approx(12.0)
    with pytest.raises(IndexError):
        under_another_name(-2.0)
    with pytest.raises((AdjointgenError, IndexError)):
        derivative(-2.0)
    assert derivative(2.0) == pytest.approx(12.0)


@pytest.mark.parametrize("f", ALWAYS_REFUSED, ids=lambda f: f.__name__)
def test_what_is_not_seen_is_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(AdjointgenError, match="AG201"):
        jvp(f, (2.0,), (1.0,))


def test_what_is_kept_and_not_used_is_fine() -> None:
    assert grad(only_printed)(2.0) == 2.0
