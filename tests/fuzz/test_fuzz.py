"""Random programs through the whole of adjointgen: nothing is wrong, nothing crashes.

A coded refusal is an answer, and a point where the oracle has none is skipped; both are counted by
the runner, which also shrinks a failure: `python -m tests.fuzz.runner --only SEED`.
"""

from importlib import import_module
from typing import Any, Final

import pytest

from tests.fuzz.examine import Plan, examine
from tests.fuzz.generator import generate
from tests.fuzz.runner import FAILED, chosen_passes, describe

PROGRAMS: Final = 300
CHUNK: Final = 25


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "first" in metafunc.fixturenames:
        count = max(PROGRAMS, metafunc.config.getoption("--fuzz-count"))
        metafunc.parametrize("first", range(0, count, CHUNK))


@pytest.mark.fuzz
def test_random_programs(first: int) -> None:
    engine: Any = import_module("adjointgen")
    plan = Plan(chosen_passes(None))
    failures = []
    for program in map(generate, range(first, first + CHUNK)):
        verdict = examine(program, engine, plan)
        if verdict.sort in FAILED:
            failures.append(f"seed {program.seed}: {verdict.detail}\n{describe(program)}")
    assert not failures, "\n".join(failures)
