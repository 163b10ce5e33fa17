"""What is lowered computes what the source does, and ends in a state the source would leave.

Each program of programs.txt is run as Python and, lowered, by the interpreter of the IR, on the
same arguments. Lowering from the text alone and from the live function must agree.
"""

import copy
import linecache
import types
from typing import Any

import numpy as np
import pytest

from adjointgen.frontend.lower import lower, source_from_file, source_from_function, type_of
from adjointgen.frontend.source.source import Source
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import show
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.opt.program import load
from adjointgen.rules.all import TABLE
from adjointgen.runtime.caught import caught, outcome
from tests.frontend.cases import Case, read_cases
from tests.fuzz.generator import generate

CASES = read_cases("programs.txt")
HEADER = "import math\nimport numpy as np\n"
VALUES = {
    "np": np,
    "X": np.array([0.5, 1.5, -2.0, 3.0]),
    "A": np.arange(12.0).reshape(3, 4) / 5 - 1,
    "I": np.array([2, 0, 2]),
    "Z": np.array([0.5 + 1j, -1.0 + 0.25j]),
}


def arguments(case: Case) -> list[Any]:
    return list(copy.deepcopy(eval(f"[{case.rest}]", VALUES)))


def live(case: Case) -> types.FunctionType:
    """The function of a case, with its text where `inspect` finds it."""
    text, file = HEADER + case.source, f"<{case.name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType(case.name)
    exec(compile(text, file, "exec"), module.__dict__)
    found: types.FunctionType = module.__dict__["f"]
    return found


def lowered(source: Source, args: list[Any]) -> Function:
    names = [a.arg for a in (*source.arguments.args, *source.arguments.kwonlyargs)]
    function = lower(source, {n: type_of(n, v) for n, v in zip(names, args, strict=False)})
    verify(function, rows=TABLE.rows)
    return function


def executed(function: Function, args: list[Any], names: dict[str, Any]) -> Any:
    """The lowered program's result; parameters that were fixed are not read."""
    missing = [None] * (len(function.body.params) - len(args))
    helpers = {"_caught": caught, "_outcome": outcome}
    return run(function, *args, *missing, environment=names | helpers)


def leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def assert_same(found: Any, wanted: Any) -> None:
    pairs = list(zip(leaves(found), leaves(wanted), strict=True))
    for a, b in pairs:
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_program(case: Case) -> None:
    f = live(case)
    wanted = f(*arguments(case))
    function = lowered(source_from_function(f), arguments(case))
    assert_same(executed(function, arguments(case), f.__globals__), wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_source_alone_gives_the_same_program(case: Case) -> None:
    text = HEADER + case.source
    alone = lowered(source_from_file(f"<{case.name}>", "f", text), arguments(case))
    assert show(alone) == show(lowered(source_from_function(live(case)), arguments(case)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lowering_is_deterministic(case: Case) -> None:
    source = source_from_file("m.py", "f", HEADER + case.source)
    assert lowered(source, arguments(case)) == lowered(source, arguments(case))


def test_random_programs(fuzz_count: int) -> None:
    """Programs of the random generator; refusals are allowed, and must be few."""
    refused = 0
    for seed in range(fuzz_count):
        program = generate(seed)
        f = load(program)
        try:
            function = lowered(source_from_function(f), program.fresh_args())
        except Exception as error:
            refused += 1
            assert getattr(error, "code", "").startswith("AG1"), f"seed {seed}: {error!r}"
            continue
        found = executed(function, program.fresh_args(), f.__globals__)
        assert_same(found, f(*program.fresh_args()))
    assert refused <= fuzz_count // 10
