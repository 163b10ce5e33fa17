"""`try`, `except`, `else`, `finally` and `raise`: the derivative is that of the path taken."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])
A = np.array([[2.0, 0.3], [0.1, 1.0]])


@at(2.0, 1.5)
@at(2.0, 0)
def division(x: float, y: Any) -> float:
    try:
        z = x * x / y
    except ZeroDivisionError:
        z = 2.0 * x**3
    return z * x


@at(2.0)
@at(-2.0)
def returned(x: float) -> float:
    try:
        return math.sqrt(x)
    except ValueError:
        return -x * x


@at(V, 1)
@at(V, 5)
def index(x: Any, k: int) -> Any:
    try:
        y = x[k] * x[k]
    except IndexError:
        y = x[0] * x[1]
    return y * y


@at(2.0)
@at(0.5)
def all_parts(x: float) -> float:
    try:
        if x > 1.0:
            raise ValueError(f"big: {x}")
        y = x * x
    except ValueError:
        y = x**3
    else:
        y = y * 2 * x
    finally:
        z = x * x
    return y * z


def positive(x: float) -> float:
    if x < 0:
        raise ValueError("negative")
    return x * x


def doubled(x: float) -> float:
    y = positive(x)
    return 2.0 * y * x


@at(2.0)
@at(-2.0)
def out_of_functions(x: float) -> float:
    y = x
    try:
        y = x * doubled(x) + positive(x)
    except ValueError:
        y = y * 5.0 * x
    return y


@at(V)
@at(-V)
@at(V * V)
def out_of_a_loop(x: Any) -> Any:
    total = 1.0
    try:
        for v in x:
            if v < 0:
                raise ArithmeticError
            total = total * v + v
        else:
            total = total * total
    except ArithmeticError:
        total = total**3
    return total


@at(V)
def in_a_loop(x: Any) -> Any:
    total = 0.0
    for v in x:
        try:
            total += math.sqrt(v)
        except ValueError:
            total += v * v
            continue
        total *= 2.0
    return total


@at(2.0, 3)
@at(2.0, 0)
@at(2.0, 7)
@at(2.0, -1)
def handlers(x: float, n: int) -> float:
    y = x
    try:
        y = y * x
        if n == 7:
            raise KeyError("seven")
        y = y / n + W[n]
        y = y * math.sqrt(n)
    except ZeroDivisionError as error:
        print(f"{error}", end="")
        y = y * y
    except (IndexError, KeyError):
        y = y**3
    except ValueError as error:
        if "domain" not in str(error):
            raise
        y = y**2 * x
    return y


W = [0.5, 0.25, 2.0, 1.5]


@at(2.0)
@at(-2.0)
@at(0.5)
def nested(x: float) -> float:
    y = x
    try:
        try:
            y = y * x
            if x < 0.0:
                raise ValueError
            if x < 1.0:
                raise IndexError
        except ValueError:
            y = y * x
            raise
        finally:
            y = 3.0 * y
        y = y + x
    except (ValueError, IndexError):
        y = y**2
    return y


@at(A, V[:2])
@at(np.ones((2, 3)), V)
def linear_algebra(a: Any, b: Any) -> Any:
    try:
        s = np.linalg.inv(a) @ b
    except np.linalg.LinAlgError:
        s = a @ b
    return np.sum(s**3)


@at(2.0)
@at(-2.0)
def asserted(x: float) -> float:
    try:
        assert x > 0, "negative"
        y = x**3
    except AssertionError:
        y = x * x
    return y


class Failed(Exception):
    pass


class Worse(Failed):
    pass


@at(2.0)
@at(-2.0)
@at(0.5)
def own_exceptions(x: float) -> float:
    try:
        if x < 0:
            raise Worse("worse")
        if x > 1:
            raise Failed
        return x
    except Worse:
        return x**2
    except Failed:
        return x**3


@at(V)
def arrays_in_place(x: Any) -> Any:
    y = x * x
    try:
        y[0] *= 2.0
        y[1:] += x[:-1]
        y[7] = 1.0
        y[2] = 0.0
    except IndexError:
        y *= x
    return np.sum(y * y)


@at(3.0)
@at(30.0)
def while_and_break(x: float) -> float:
    n = 0
    while True:
        try:
            n += 1
            if x / n < 1.0:
                break
            x = x * math.log(4.0 - n)
        except ValueError:
            x = x * x
            break
        finally:
            x = x + 1.0
    return x * n


@at(1.3)
def for_any_reason(x: float) -> float:
    try:
        return x**3 / math.floor(x - 1.0)
    except Exception:
        return x**2


@at(V)
def ends_all_the_same(x: Any) -> Any:
    try:
        y = x * x
        return np.sum(y)
    finally:
        print("done", end="")


def first_root(x: Any, low: float) -> Any:
    for v in x:
        try:
            return math.sqrt(v - low)
        except ValueError:
            continue
    raise LookupError(low)


@at(V)
def called_in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(4):
        try:
            total += first_root(x, 0.5 * k) * (k + 1)
        except LookupError:
            total = total * 2.0
    return total


@at(1.5)
@at(V)
def number_or_array(x: Any) -> Any:
    try:
        n = len(x)
    except TypeError:
        return x**3
    return np.sum(x * x) * n


@at(1.5)
@at(V)
def by_attribute(x: Any) -> Any:
    try:
        first = x.shape[0] * x[0]
    except (AttributeError, TypeError):
        first = 2.0 * x
    return first**2


SETTINGS = {"weight": "2.5"}


@at(1.5, "weight")
@at(1.5, "none")
def looked_up(x: float, name: str) -> float:
    try:
        weight = float(SETTINGS[name])
    except KeyError:
        weight = 1.0
    try:
        n = int(SETTINGS.get(name, "text"))
    except ValueError:
        n = 3
    return weight * x**n


@at(0.7)
def entry_that_is_not_there(x: float) -> float:
    table, items = {"a": x}, [x, x * x]
    try:
        y = table["b"]
    except KeyError:
        y = 3.0 * x
    try:
        z = items[4] * table["a"]
    except IndexError as error:
        z = x**2 * len(error.args)
    try:
        u = items[0]
        u = u * table["b"]
    except LookupError:
        u = u * x
    return y * z * u
