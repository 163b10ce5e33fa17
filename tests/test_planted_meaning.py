"""Faults that are planted in the front end and in lowering are found.

Each changes what a program means: its value, its order, its effects, its exceptions. The program
of tests/planted/values.py that a fault names in brackets comes out wrong with it.
"""

from functools import cache
from typing import Final

import pytest

from tests.planted.faults import MEANING
from tests.planted.plant import Fault, planted
from tests.planted.values import FRONT_END, LOOPS, Check

pytestmark = pytest.mark.slow
LEAST: Final = 60


def checks(fault: Fault) -> dict[str, Check]:
    """What may find a fault."""
    return LOOPS if fault.module.startswith("targets.loops") else FRONT_END


@cache
def is_right(side: str, name: str) -> bool:
    """Whether a program is right without a fault."""
    return not (LOOPS if side == "targets" else FRONT_END)[name]()


def finds(fault: Fault, name: str) -> str:
    """How a program that is right fails with a fault; empty if it does not."""
    check = checks(fault)[name]
    if not is_right(fault.module.partition(".")[0], name):
        return ""
    with planted(fault):
        return check()


@pytest.mark.parametrize("fault", MEANING, ids=lambda fault: fault.name)
def test_a_fault_is_found(fault: Fault) -> None:
    known = checks(fault)
    if fault.finder not in known or not finds(fault, fault.finder):
        found = next((name for name in known if finds(fault, name)), "no program")
        pytest.fail(f"{found} finds it, not the program in brackets")


def test_there_are_faults_in_both_parts() -> None:
    sides = [fault.module.partition(".")[0] for fault in MEANING]
    assert len(sides) >= LEAST and min(sides.count(s) for s in ("frontend", "targets")) >= 30


@pytest.mark.parametrize("name", FRONT_END)
def test_a_function_is_what_python_makes_of_it(name: str) -> None:
    assert not FRONT_END[name]()


@pytest.mark.parametrize("name", LOOPS)
def test_loops_have_the_numbers_of_arrays(name: str) -> None:
    assert not LOOPS[name]()
