"""An argument that the function reaches through the module as well is refused where it writes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad


class Model:
    def __init__(self) -> None:
        self.k = 1.0
        self.a = np.array([1.0, 2.0])
        self.values = [1.0]
        self.table = {"a": 1.0}


class Slotted:
    __slots__ = ("model",)

    def __init__(self, model: Model) -> None:
        self.model = model


MODEL, OTHER = Model(), Model()
MODELS = [MODEL]
SLOTTED = Slotted(MODEL)
TABLE = {"a": 1.0, "b": 2.0}


@pytest.fixture(autouse=True)
def _as_they_were() -> None:
    MODEL.__init__()  # type: ignore[misc]
    TABLE.update(a=1.0, b=2.0)


def sets(x: float, m: Any) -> Any:
    MODEL.k = x
    return m.k * x


def sets_a_constant(x: float, m: Any) -> Any:
    MODEL.k = 3.0
    return m.k * x


def sets_both(x: float, m: Any) -> Any:
    MODELS[0].k = x
    m.k += 1
    return MODELS[0].k


def sets_through_slots(x: float, m: Any) -> Any:
    SLOTTED.model.k = 3.0
    return m.k * x


def writes_an_array_of_its_own(x: float, m: Any) -> Any:
    m.a[0] = x
    return MODEL.a.sum() * x


def writes_an_array(x: float, a: Any) -> Any:
    a[0] = x
    return MODEL.a.sum() * x


def writes_a_list(x: float, values: Any) -> Any:
    values[0] = 3.0
    return MODEL.values[0] * x


def reads_a_list_of_objects(x: float, models: Any) -> Any:
    MODEL.k = x
    return models[0].k * x


def writes_a_dict(x: float, table: Any) -> Any:
    table["a"] = x
    return TABLE["a"] * x


def writes_the_modules_dict(x: float, table: Any) -> Any:
    TABLE["a"] = 3.0
    return table["a"] * x


def sets_in_a_helper(x: float, table: Any) -> Any:
    writes_a_dict(x, table)
    return TABLE["a"] * x


def removes_an_entry(x: float, table: Any) -> Any:
    del table["a"]
    return len(TABLE) * x


def reads(x: float, m: Any) -> Any:
    return m.k * MODEL.k * x + MODEL.a.sum() * m.a[0] + m.table["a"]


SHARED = [
    *((f, MODEL) for f in (sets, sets_a_constant, sets_both, sets_through_slots)),
    (writes_an_array_of_its_own, MODEL),
    (writes_an_array, MODEL.a),
    (writes_a_list, MODEL.values),
    (reads_a_list_of_objects, MODELS),
    (writes_a_dict, TABLE),
    (sets_in_a_helper, TABLE),
    (removes_an_entry, TABLE),
    (writes_the_modules_dict, TABLE),
]
Program = Callable[..., Any]


@pytest.mark.parametrize(("function", "shared"), SHARED, ids=lambda o: getattr(o, "__name__", ""))
@pytest.mark.parametrize("after", [False, True], ids=["at_first", "later"])
def test_what_is_shared_is_refused(function: Program, shared: Any, after: bool) -> None:
    # The array and the list of the model are those that it has now.
    one = {"writes_an_array": MODEL.a, "writes_a_list": MODEL.values}.get(function.__name__, shared)
    if after:
        alone = Model() if one is MODEL else [Model()] if one is MODELS else one.copy()
        grad(function)(0.7, alone)
    with pytest.raises(AdjointgenError) as raised:
        grad(function)(0.7, one)
    assert raised.value.code in ("AG112", "AG113")


@pytest.mark.parametrize(("function", "shared"), SHARED, ids=lambda o: getattr(o, "__name__", ""))
def test_objects_of_their_own_are_not(function: Program, shared: Any) -> None:
    alone = Model() if shared is MODEL else [Model()] if shared is MODELS else shared.copy()
    value, _ = value_and_grad(function)(0.7, alone)
    MODEL.__init__()  # type: ignore[misc]
    TABLE.update(a=1.0, b=2.0)
    alone = Model() if shared is MODEL else [Model()] if shared is MODELS else shared.copy()
    assert value == function(0.7, alone)


TUPLE = (np.array([1.0, 2.0]),)
BOUND = partial(lambda x, n, t: t[0] * x, t=TUPLE[0])


def writes_beside_a_tuple(x: float, n: Any) -> Any:
    n[0] = 9.0
    return TUPLE[0][0] * x


def writes_beside_a_partial(x: float, n: Any) -> Any:
    n[0] = 9.0
    return BOUND(x, n)


@pytest.mark.parametrize("function", [writes_beside_a_tuple, writes_beside_a_partial])
def test_arrays_in_tuples_and_partial_functions(function: Program) -> None:
    assert grad(function, wrt="x")(0.5, np.array([3.0, 4.0])) == TUPLE[0][0]
    with pytest.raises(AdjointgenError, match="AG113"):
        grad(function, wrt="x")(0.5, TUPLE[0])


def reads_a_default(x: float, table: Any = TABLE) -> Any:
    return x * table["a"] * TABLE["b"]


def writes_a_copy(x: float, table: Any) -> Any:
    mine = dict(table)
    mine["a"] = x
    return mine["a"] * TABLE["b"]


def test_what_is_only_read_may_be_shared() -> None:
    assert value_and_grad(reads_a_default, wrt="x")(0.7) == (1.4, 2.0)
    assert value_and_grad(writes_a_copy, wrt="x")(0.7, TABLE) == (1.4, 2.0)
    assert value_and_grad(reads)(0.7, MODEL) == (reads(0.7, MODEL), 1.0)
