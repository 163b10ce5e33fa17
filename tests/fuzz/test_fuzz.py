"""Random programs through the whole of adjointgen: nothing is wrong, nothing crashes.

A coded refusal is an answer, and a point where the oracle has none is skipped; both are counted by
the runner, which also shrinks a failure: `python -m tests.fuzz.runner --only SEED`.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

import pytest

from adjointgen.opt.program import Program
from tests.fuzz import kernels
from tests.fuzz.examine import Plan, examine
from tests.fuzz.generator import generate
from tests.fuzz.runner import FAILED, chosen_passes, describe

PROGRAMS: Final = 30
CHUNK: Final = 10


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--fuzz-count")
        metafunc.parametrize("first", range(0, count if count > 50 else PROGRAMS, CHUNK))


@pytest.mark.sampled(3)
@pytest.mark.fuzz
def test_random_programs(first: int) -> None:
    assert not failures(map(generate, range(first, first + CHUNK)))


@pytest.mark.fuzz
@pytest.mark.parametrize("start", range(100, 110, CHUNK))
def test_random_kernels(start: int) -> None:
    assert not failures(map(kernels.generate, range(start, start + CHUNK)))


def failures(programs: Iterable[Program]) -> str:
    """What is wrong with some programs; nothing where all are right."""
    engine: Any = import_module("adjointgen")
    plan = Plan(chosen_passes(None))
    found = []
    for program in programs:
        verdict = examine(program, engine, plan)
        if verdict.sort in FAILED:
            found.append(f"seed {program.seed}: {verdict.detail}\n{describe(program)}")
    return "\n".join(found)
