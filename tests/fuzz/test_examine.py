"""The checks find planted faults, each by its name; the shrinker keeps the failure."""

import ast

import numpy as np
import pytest

from adjointgen.opt.program import Program, load
from adjointgen.opt.shrink import shrink, size
from tests.fuzz.examine import Plan, examine, same_failure, time_limit
from tests.fuzz.fakes import PROGRAM, Differences, Fake
from tests.fuzz.generator import generate
from tests.fuzz.oracle import Primal, Rejected
from tests.fuzz.weighted import WEIGHTED, weighted

PLAN = Plan(("cse",))


def test_right_derivatives_are_found_right() -> None:
    verdict = examine(PROGRAM, Fake(), PLAN)
    assert (verdict.sort, verdict.detail) == ("right", "")


@pytest.mark.parametrize(
    ("fault", "sort", "kind"),
    [
        ("value", "wrong", "wrong tangent value"),
        ("tangent", "wrong", "wrong tangent"),
        ("structure", "wrong", "wrong tangent structure"),
        ("arguments", "wrong", "wrong tangent arguments"),
        ("seeds", "wrong", "wrong tangent seeds"),
        ("transpose", "wrong", "wrong transpose"),
        ("tape of the caller's", "wrong", "wrong second reverse sweep"),
        ("tape used up", "wrong", "wrong second reverse sweep"),
        ("second", "wrong", "wrong second"),
        ("pass", "wrong", "wrong adjoint without cse"),
        ("text", "wrong", "wrong text"),
        ("crashed", "crashed", "crashed tangent KeyError fakes.py, tangent"),
        ("refused", "refused", "refused tangent AG101"),
    ],
)
def test_planted_faults_are_found(fault: str, sort: str, kind: str) -> None:
    verdict = examine(PROGRAM, Fake(fault), PLAN)
    assert (verdict.sort, verdict.kind) == (sort, kind)


@pytest.mark.parametrize("first", [0, 20])
def test_true_derivatives_raise_no_alarm(first: int) -> None:
    programs = [generate(seed) for seed in range(first, first + 20)]
    verdicts = {
        p.seed: examine(p, Differences()) for p in programs if "stop_gradient" not in p.features
    }
    assert {seed: v.detail for seed, v in verdicts.items() if v.sort != "right"} == {}


def test_the_weighted_function_is_the_sum_of_the_results() -> None:
    program = generate(3)
    result = Primal(program).result
    bars = [np.full(np.shape(r), 0.5) if np.shape(r) else 0.5 for r in result]
    function = load(weighted(program, bars), WEIGHTED)
    args = program.fresh_args()
    value = function(*(args[k] for k in program.active))
    assert value == pytest.approx(sum(0.5 * np.sum(r) for r in result), rel=1e-12)


def test_what_does_not_come_back_is_interrupted() -> None:
    with pytest.raises(TimeoutError), time_limit(1):
        while True:
            pass


def _calls(program: Program, name: str) -> bool:
    nodes = ast.walk(ast.parse(program.source))
    return any(isinstance(n, ast.Attribute) and n.attr == name for n in nodes)


def _runs_and_calls_tanh(program: Program) -> bool:
    try:
        return _calls(program, "tanh") and np.isfinite(Primal(program).base).all().item()
    except (Rejected, SyntaxError):
        return False


def test_a_failing_program_is_shrunk_to_its_cause() -> None:
    seeds = (s for s in range(100) if _runs_and_calls_tanh(generate(s)))
    program = next(p for p in map(generate, seeds) if len(p.source) > 700)
    small = shrink(program, _runs_and_calls_tanh)
    assert _runs_and_calls_tanh(small)
    assert size(small)[0] <= 40
    assert small.source == shrink(program, _runs_and_calls_tanh).source


def test_shrinking_keeps_the_kind_of_failure() -> None:
    engine = Fake("transpose")
    verdict = examine(PROGRAM, engine)
    fails = same_failure(verdict, engine, PLAN)
    assert fails(PROGRAM) and not same_failure(verdict, Fake(), PLAN)(PROGRAM)
    small = shrink(PROGRAM, fails, budget=60)
    assert fails(small) and size(small) <= size(PROGRAM)
