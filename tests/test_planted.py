"""Faults that are planted in the passes are found, so the checks that find them can be relied on.

Every fault changes one place of one pass. The program of tests/planted that the fault names comes
out wrong or crashes with it, although it is right without.
"""

from functools import cache
from importlib import import_module
from typing import Any, Final

import pytest

from tests.fuzz.examine import Plan, Verdict, examine
from tests.fuzz.runner import FAILED
from tests.planted import corpus
from tests.planted.faults import FAULTS
from tests.planted.plant import Fault, Gone, planted

pytestmark = pytest.mark.slow

PLAN: Final = Plan(stages=("tangent", "adjoint"))


def verdict(name: str) -> Verdict:
    """How a program fares now."""
    engine: Any = import_module("adjointgen")
    return examine(corpus.program(name), engine, PLAN)


@cache
def is_right(name: str) -> bool:
    """Whether a program is right without a fault."""
    return verdict(name).sort == "right"


def finds(fault: Fault, name: str) -> bool:
    """Whether a program that is right is not with a fault."""
    if not is_right(name):
        return False
    with planted(fault):
        return verdict(name).sort in FAILED


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found(fault: Fault) -> None:
    if not finds(fault, fault.finder):
        found = next((name for name in corpus.names() if finds(fault, name)), "no program")
        pytest.fail(f"{found} finds it, not the program in brackets")


def test_every_program_is_needed() -> None:
    """Each program of the folder finds some fault that those before it do not."""
    assert {path.stem for path in corpus.OWN} <= {fault.finder for fault in FAULTS}


def test_afterwards_the_engine_is_as_it_was() -> None:
    engine: Any = import_module("adjointgen.storage.insert_copies")
    before = dict(vars(engine))
    with (
        planted(FAULTS[-1]),
        planted(next(f for f in FAULTS if f.module == "storage.insert_copies")),
    ):
        assert vars(engine)["own"] is not before["own"]
    assert vars(engine) == before


def test_a_fault_whose_place_is_gone_is_an_error() -> None:
    with pytest.raises(Gone), planted(Fault("", "storage.insert_copies", "no such text", "")):
        pass
