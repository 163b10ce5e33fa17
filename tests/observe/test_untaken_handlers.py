"""`try` of which no handler was entered, around what cannot be tried before it is run."""

import ast
import contextlib
import json
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad, value_and_grad


class Row:
    def __init__(self, mach: float, drag: float) -> None:
        self.mach, self.drag = mach, drag


TABLE = [{"mach": 0.1 * k, "drag": 0.2 + 0.01 * k} for k in range(90)]


def rows(table: Any) -> Any:
    try:
        return [row if isinstance(row, Row) else Row(row["mach"], row["drag"]) for row in table]
    except (KeyError, TypeError) as error:
        raise ValueError("no table of drag") from error


class Bullet:
    def __init__(self, weight: Any, table: Any) -> None:
        self.weight = weight
        self.table = rows(table)
        if len(self.table) <= 0:
            self.table.append(Row(0.0, 0.0))
        self.form = float(self.table[3].drag) / weight


def many_rows(x: Any) -> Any:
    return Bullet(x, TABLE).form * x**2


def chosen(x: Any, text: str) -> Any:
    try:
        found = [x * k if k else ast.literal_eval(text)[0] for k in (2, 3)][0]  # noqa: RUF015
    except SyntaxError as error:
        raise KeyError(text) from error
    else:
        found = found * 2.0
    finally:
        x = x * 3.0
    return found * x


def recovering(x: Any, text: str) -> Any:
    try:
        scale = [float(t) if t else json.loads(t) for t in text.split()][0]  # noqa: RUF015
    except ValueError:
        return x * x
    return scale * x


def around(x: Any, text: str) -> Any:
    """The outer handler is for what the inner one turns its exception into, and for no other."""
    try:
        try:
            scale = [float(t) if t else 0.0 for t in text.split()][0]  # noqa: RUF015
        except ValueError:
            scale = {"one": 1.0}[text]
        return scale * x
    except KeyError:
        return x * x


def test_the_path_past_the_handlers_is_differentiated() -> None:
    assert value_and_grad(many_rows)(0.7) == pytest.approx((0.23 * 0.7, 0.23))


def test_else_and_finally_are_what_they_are() -> None:
    assert value_and_grad(chosen)(0.5, "[2, 3]") == pytest.approx((3.0, 12.0))


@pytest.mark.parametrize(("text", "wanted"), [("2.5", (1.75, 2.5)), ("one", (0.7, 1.0))])
def test_a_handler_further_out_takes_nothing_that_is_not_its_own(
    text: str, wanted: tuple[float, float]
) -> None:
    try:
        found = value_and_grad(around)(0.7, text)
    except AdjointgenError:
        return
    assert found == pytest.approx(wanted)


def test_an_exception_that_a_handler_is_for_ends_the_program_or_makes_another() -> None:
    def rated(x: Any, table: Any) -> Any:
        return Bullet(x, table).form * x**2

    slope = grad(rated)
    assert slope(0.7, TABLE) == pytest.approx(0.23)
    with pytest.raises((ValueError, KeyError, AdjointgenError)):
        slope(0.7, [{"speed": 1.0}] * 90)
    assert slope(0.7, TABLE) == pytest.approx(0.23)


def test_further_paths_of_one_function_each_have_a_program() -> None:
    for f in (around, recovering):
        slope = grad(f)
        for text, wanted in (("2.5", 2.5), ("no", 1.4), ("2.5", 2.5)):
            with contextlib.suppress(AdjointgenError):
                assert slope(0.7, text) == pytest.approx(wanted)


class Result:
    def __init__(self, depth: Any = None, message: str = "") -> None:
        self.depth, self.message = depth, message


def solved(v: Any, limit: float) -> Any:
    try:
        if v > limit:
            return {"depth": [v]}
        return Result(v * v)
    except ZeroDivisionError as error:
        return Result(message=str(error))
    except Exception:
        return None


def results(x: Any, limit: float) -> Any:
    return solved(x, limit).depth + solved(2.0 * x, limit).depth


def test_a_path_inside_of_what_is_tried_is_left_out_with_its_handlers() -> None:
    slope = grad(results)
    assert slope(1.5, 9.0) == 15.0
    assert slope(2.0, 9.0) == 20.0
    with pytest.raises((AdjointgenError, AttributeError)):
        slope(2.0, 3.0)
    assert slope(1.5, 9.0) == 15.0
