"""What a function puts into an object of a module, and takes out again under any name.

An attribute of an object that is known is followed. A derivative by any other way is refused: it is
never taken for zero.
"""

from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import adjoint, jvp, value_and_grad
from adjointgen.errors import NoRule
from tests.analysis import kept_outside
from tests.analysis import kept_outside as other
from tests.analysis.kept_outside import (
    LAST,
    STATE,
    TABLE,
    State,
    append,
    get,
    get_number,
    put,
    put_in_table,
    set_number,
    twice,
)

HELD = {"state": STATE}


class Box:
    state = STATE
    states = (STATE,)


BOX = Box()


def helpers(t: Any) -> Any:
    put(t)
    return get()


def read_here(t: Any) -> Any:
    put(t)
    return STATE.value


def other_name(t: Any) -> Any:
    put(t)
    return kept_outside.STATE.value


def written_here(t: Any) -> Any:
    other.STATE.value = t
    return get()


def helper_of_helper(t: Any) -> Any:
    y = twice(t)
    return y + get()


def table(t: Any) -> Any:
    put_in_table(t)
    return TABLE["a"]


def appended(t: Any) -> Any:
    append(t)
    return LAST[-1]


def number(t: Any) -> Any:
    set_number(t)
    return get_number()


def number_of_module(t: Any) -> Any:
    set_number(t)
    return kept_outside.NUMBER * t


def held_in_a_dict(t: Any) -> Any:
    HELD["state"].put(t)
    return STATE.value * t


def held_in_an_object(t: Any) -> Any:
    BOX.states[0].value = t
    return STATE.value


def of_a_class(t: Any) -> Any:
    State.scale = t
    return State.scale


def of_the_class_of_an_object(t: Any) -> Any:
    State.rescale(t)
    return STATE.scale


def closed_over() -> Callable[[Any], Any]:
    held = {"v": 1.0}

    def keep(t: Any) -> None:
        held["v"] = t * t

    def f(t: Any) -> Any:
        keep(t)
        return held["v"]

    return f


FOLLOWED = (
    *(helpers, read_here, other_name, written_here, helper_of_helper),
    *(held_in_a_dict, held_in_an_object),
)
KEEPING = (
    *(table, appended, number, number_of_module, of_a_class),
    *(of_the_class_of_an_object, closed_over()),
)


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_attributes_of_objects_that_are_known_are_followed(f: Callable[[Any], Any]) -> None:
    slope = (f(3.0 + 1e-5) - f(3.0 - 1e-5)) / 2e-5
    assert value_and_grad(f)(3.0) == pytest.approx((f(3.0), slope))
    assert jvp(f, (3.0,), (1.0,)) == pytest.approx((f(3.0), slope))


@pytest.mark.parametrize("f", KEEPING, ids=lambda f: f.__name__)
def test_what_comes_back_from_the_state_of_a_module_is_not_zero(f: Callable[[Any], Any]) -> None:
    for derivative in (value_and_grad(f), adjoint(f), lambda t: jvp(f, (t,), (1.0,))):
        with pytest.raises(NoRule) as caught:
            derivative(3.0)
        assert caught.value.code == "AG201"


def counted(t: Any) -> Any:
    set_number(2.0)
    return kept_outside.NUMBER * t


def told(t: Any) -> Any:
    append(t)
    put(t)
    return t * t


def test_numbers_of_another_module_are_read_when_they_are_needed() -> None:
    assert value_and_grad(counted)(3.0) == (12.0, 4.0)
    kept_outside.NUMBER = 1.0
    assert value_and_grad(counted)(3.0) == (12.0, 4.0)


def test_what_is_only_put_away_has_no_part_in_the_derivative() -> None:
    assert value_and_grad(told)(3.0) == (9.0, 6.0)
    assert LAST[-1] == STATE.value == 9.0


class Below(State):
    def put(self, t: Any) -> None:
        State.put(self, t)
        self.put_here = True


BELOW = Below()


def put_by_two_methods(t: Any) -> Any:
    BELOW.put(2.0)
    return t * t


def test_methods_of_one_name_are_told_apart() -> None:
    assert value_and_grad(put_by_two_methods)(3.0) == (9.0, 6.0)
    assert BELOW.value == 4.0 and BELOW.put_here
