"""The primal program does what the function does: value, exceptions, effects, aliasing."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate
from adjointgen.api.calls.modes import primal
from adjointgen.errors import AdjointgenError
from tests.api.outcomes import outcome
from tests.frontend.cases import Case, read_cases
from tests.frontend.test_semantics import arguments, live

LOG: list[Any] = []


def writes(x: Any, a: float) -> Any:
    x[0] = a
    x[1:] += 2.0
    return x


def writes_and_raises(x: Any, a: float) -> None:
    x[0] = a
    if a > 0.0:
        raise ValueError("positive")
    x[1] = a


def writes_in_a_loop(x: Any, n: int) -> None:
    for i in range(n):
        x[i] = x[i] ** 2
        if x[i] > 5.0:
            break


def returns_a_view(x: Any) -> Any:
    return x[1:], x.T, x


def unread_values(x: Any, a: float) -> float:
    x[7]
    return a


def unread_quotient(a: float, b: float) -> float:
    a / b
    _ = a // b
    return a


def unread_root(a: float) -> float:
    math.sqrt(a)
    return a


def changes_a_dict(d: Any, a: float) -> Any:
    d["a"] += a
    d["new"] = a
    return d


def returns_a_dict(d: Any, a: float) -> Any:
    return d, d["a"] * a


def returns_dicts_that_hold_each_other(d: Any, a: float) -> Any:
    return {"d": d["inner"], "a": d["inner"]["a"] * a}, d


def changes_a_list(values: Any, a: float) -> Any:
    values.append(a)
    values[0] = a
    return len(values), values


def changes_and_raises(d: Any, a: float) -> None:
    d["a"] = a
    if a > 0.0:
        raise KeyError("a")


def calls_in_order(a: float) -> Any:
    return [print("first", a), print("second"), print("third", a + 1)]


def overwrites_the_first(y: Any) -> float:
    y[0] = 7.0
    return 1.0


def reads_an_entry_before_a_call(x: Any) -> Any:
    x[0] += overwrites_the_first(x)
    x[0:2] *= overwrites_the_first(x)
    return x


def adds_to_the_whole(x: Any) -> float:
    x[...] += 1.0
    total = x.sum()
    x[...] = 2.0
    return float(total)


class Plain:
    def __init__(self) -> None:
        self.x = 1.0
        self.seen: list[float] = []


def changes_an_object(o: Any, a: float) -> Any:
    o.x += a
    o.seen.append(o.x)
    o.y = a
    return o


def writes_after_a_choice(x: float, v: Any) -> Any:
    held = max(v, default=x)  # noqa: F841
    v += 3.0 if x else v
    unknown = ctypes.c_double(x)
    return unknown, v.copy()


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (writes, (np.ones(4), 3.0)),
    (writes_and_raises, (np.ones(4), 3.0)),
    (writes_and_raises, (np.ones(4), -3.0)),
    (writes_in_a_loop, (np.arange(4.0), 4)),
    (writes_in_a_loop, (np.arange(4.0), 9)),
    (returns_a_view, (np.ones((2, 3)),)),
    (unread_values, (np.ones(3), 1.0)),
    (unread_values, (np.ones(8), 1.0)),
    (unread_quotient, (1.0, 0.0)),
    (unread_quotient, (1.0, 2.0)),
    (unread_root, (-1.0,)),
    (changes_a_dict, ({"a": 1.0}, 2.0)),
    (returns_a_dict, ({"a": 1.0, "b": np.ones(2)}, 2.0)),
    (returns_dicts_that_hold_each_other, ({"inner": {"a": 1.0}, "b": 2}, 2.0)),
    (changes_a_list, ([1.0, "s"], 2.0)),
    (changes_a_list, ([1.0, 3.0], 2.0)),
    (changes_a_list, ([], 2.0)),
    (changes_and_raises, ({"a": 1.0}, 2.0)),
    (calls_in_order, (1.0,)),
    (adds_to_the_whole, (np.ones(3),)),
    (reads_an_entry_before_a_call, (np.array([0.5, 1.5, -0.7]),)),
    (changes_an_object, (Plain(), 2.0)),
]


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_the_program_does_what_the_function_does(f: Any, args: Any) -> None:
    assert outcome(primal(f), args) == outcome(f, args)


APART = ("view_written_in_a_loop", "windows_show_what_is_written")
"""Programs that return a copy in the place of a view: windows, and a view that a loop writes."""


REFUSED = ("tangled_with_what_is_dead",)
"""Programs that write to what is the argument if a loop makes no iteration."""


@pytest.mark.parametrize("case", read_cases("programs.txt"), ids=lambda case: case.name)
def test_accepted_programs(case: Case) -> None:
    f = live(case)
    try:
        found = outcome(primal(f), tuple(arguments(case)))
    except AdjointgenError as error:
        pytest.fail(f"{error.code}: {error}")
    wanted = outcome(f, tuple(arguments(case)))
    if case.name in REFUSED:
        assert "AG110" in str(found.raised)
        return
    if case.name in APART:
        assert found.shown.partition(" shared ")[0] == wanted.shown.partition(" shared ")[0]
    else:
        assert found == wanted


def bound_to_itself_in_a_loop(x: Any, c: float) -> float:
    for _ in range(2):
        x = np.asarray(x)
    x[1:] = 3.0
    return c * 2


def test_a_write_that_only_the_caller_may_see_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG110"):
        primal(bound_to_itself_in_a_loop)(np.ones(3), 2.0)


def test_text_of_the_primal_program() -> None:
    text = generate(writes, modes="primal", types={"x": "float64[:]"}).body
    assert text == (
        "import numpy as np\n"
        "from numpy.typing import NDArray\n\n\n"
        "def writes_primal(x: NDArray[np.float64], a: float) -> NDArray[np.float64]:\n"
        '    """Value of `writes`: x.\n\n'
        "    x: float64 array (x.shape[0],), written and returned\n"
        "    a: float\n"
        '    """\n'
        "    x[0] = a\n"
        "    x[1:] += 2.0\n"
        "    return x\n"
    )


def test_a_choice_that_only_reads_an_array_leaves_the_caller_its_storage() -> None:
    v = np.ones(3)
    _, copy = primal(writes_after_a_choice)(2.0, v)
    assert v.tolist() == copy.tolist() == [4.0, 4.0, 4.0]
