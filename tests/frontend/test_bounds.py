"""Constants that would be large, and loops that would be long, cost little while generating."""

import operator
from pathlib import Path
from typing import Any

import pytest

from adjointgen import AdjointgenError, adjoint, generate
from adjointgen.frontend.domain.constant_bounds import BITS, ENTRIES, fits, text_fits
from adjointgen.frontend.expressions.arithmetic import fold
from adjointgen.frontend.statements import while_loops
from adjointgen.rules.framework.builder import const

LARGE: dict[str, tuple[Any, ...]] = {
    "a power": (operator.pow, 9, 9**9),
    "a power of a negative number": (operator.pow, -3, 10**8),
    "a shift": (operator.lshift, 1, 10**10),
    "a product": (operator.mul, 1 << BITS, 1 << BITS),
    "a repeated string": (operator.mul, "a", 10**10),
    "a string that is repeated from the left": (operator.mul, 10**10, "a"),
    "a sum of strings": (operator.add, "a" * ENTRIES, "a"),
    "padding": (operator.mod, "%1000000000d", 1),
}
SMALL: dict[str, tuple[Any, ...]] = {
    "a power": (operator.pow, 2, 62),
    "a power of no bits": (operator.pow, 0, 10**8),
    "a shift": (operator.lshift, 1, 10),
    "a shift to the right": (operator.rshift, 1, 10**10),
    "an empty string": (operator.mul, "", 10**10),
    "no string": (operator.mul, "ab", -(10**10)),
    "a sum of strings": (operator.add, "a", "b"),
    "padding": (operator.mod, "%12d", 1),
    "a remainder": (operator.mod, 10**18, 7),
    "the greatest": (max, 3, 4),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_large_is_not_carried_out(name: str) -> None:
    function, *values = LARGE[name]
    assert not fits(function, *values)
    assert fold(function, *values) is None


@pytest.mark.parametrize("name", SMALL)
def test_what_is_small_is_folded(name: str) -> None:
    function, *values = SMALL[name]
    assert fold(function, *values) == const(function(*values))


def test_only_failures_of_the_operation_are_left_to_the_run() -> None:
    def stopped(_: Any) -> Any:
        raise InterruptedError

    assert fold(operator.floordiv, 1, 0) is None
    assert fold(operator.lshift, 1, -1) is None
    assert fold(operator.add, "a", 1) is None
    with pytest.raises(InterruptedError):
        fold(stopped, 1)


@pytest.mark.parametrize("given", [(10**9,), ("a" * (ENTRIES + 1),), (["a" * ENTRIES, "a"],)])
def test_methods_of_strings_with_large_arguments(given: tuple[Any, ...]) -> None:
    assert not text_fits("a", given)
    assert not text_fits("{:1000000000}", (1,))
    assert text_fits("a,b", (",",))


UNTAKEN = {
    "a power": "9**9**9",
    "a power by its function": "pow(10, 10**8)",
    "a shift": "1 << 10**10",
    "a string": "len('a' * 10**10)",
    "a list": "len([0] * 10**9)",
    "a tuple": "len((0,) * 10**9)",
    "no entries": "len([] * 10**9)",
    "a range": "len(range(10**12))",
    "a long range": "len(range(10**30))",
    "a tuple of a range": "len(tuple(range(10**8)))",
    "a list of a range": "len(list(range(10**8)))",
    "a factorial": "math.factorial(10**7)",
    "binomials": "math.comb(10**7, 5 * 10**6)",
    "padding": "len('%1000000000d' % 1)",
    "a width": "len('a'.ljust(n))",
    "a width in a format": "len('{:1000000000}'.format(1))",
    "a set": "len({k for k in range(10**7)})",
}


@pytest.mark.parametrize("name", UNTAKEN)
def test_what_is_large_is_left_to_the_run(name: str, tmp_path: Path) -> None:
    path = f"    if x > 100.0:\n        n = 10**9\n        y = y * {UNTAKEN[name]}\n"
    text = f"import math\ndef f(x):\n    y = x * x\n{path}    return y\n"
    file = tmp_path / "model.py"
    file.write_text(text)
    names: dict[str, Any] = {}
    made = generate(f"{file}::f")
    assert len(str(made)) < 20_000
    exec(compile(text, str(file), "exec"), names)
    assert adjoint(names["f"], ("x",))(3.0, 1.0) == (9.0, 6.0)


def test_squares_of_squares(tmp_path: Path) -> None:
    squares = "        a = a * a\n" * 40
    path = f"    if x > 100.0:\n        a = 10\n{squares}        x = x * a\n"
    text = f"def f(x: float):\n{path}    return x\n"
    file = tmp_path / "model.py"
    file.write_text(text)
    assert len(str(generate(f"{file}::f"))) < 20_000


LONG = {
    "a tuple of a range": "    return x * tuple(range(10**5))[3]\n",
    "a tuple of products": "    return sum(tuple(x * k for k in range(10**5)))\n",
    "a display": "    return x * [*range(10**9)][3]\n",
    "two loops": "    return x * len([0 for a in range(1000) for b in range(1000)])\n",
    "arguments": "    return x * max(*range(10**9))\n",
    "loops in each other": """    y = 0.0
    for a in (1.0, 2.0) * 30:
        for b in (1.0, 2.0) * 30:
            for c in (1.0, 2.0) * 30:
                y += x * a * b * c
    return y
""",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", LONG)
def test_what_is_long_is_refused_or_not_written_out(name: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(f"def f(x: float):\n{LONG[name]}")
    try:
        text = str(generate(f"{file}::f"))
    except AdjointgenError as error:
        assert error.code.startswith("AG")
    else:
        assert len(text) < 20_000


@pytest.mark.parametrize("number", [1, 3, 40])
def test_what_is_short_is_what_python_computes(number: int) -> None:
    def f(x: float) -> float:
        entries = tuple(x * k for k in range(number))
        text = "a" * number
        return sum(entries) + x * len(text) + x * 2**number + x * len((0,) * number)

    value, slope = adjoint(f, ("x",))(0.5, 1.0)
    assert abs(value - f(0.5)) <= 1e-12 * abs(value)
    assert abs(slope - f(1.0)) <= 1e-12 * abs(slope)


def test_iterations_inside_each_other_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that grows is known iteration by iteration, until the branches are too deep."""
    deepest = 0
    before = while_loops.unless

    def counted(*given: Any) -> None:
        nonlocal deepest
        deepest += 1
        before(*given)

    def grown(x: float) -> float:
        kept: list[Any] = []
        while True:
            kept.append([x, kept])
            if x * len(kept) > 3.5:
                break
        return x * len(kept)

    monkeypatch.setattr(while_loops, "unless", counted)
    try:
        adjoint(grown)(1.0)
    except AdjointgenError as error:
        assert error.code
    assert 0 < deepest < 200
