"""Faults that are planted in the passes are found, so the checks that find them can be relied on.

Every fault changes one place of one pass. For each, the programs of tests/planted are run in a
fixed order until one of them comes out wrong or crashes, although it is right without the fault.
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


@cache
def finds(fault: Fault) -> str:
    """The first program that a fault makes fail, and how; empty if there is none."""
    right = [name for name in corpus.names() if is_right(name)]
    with planted(fault):
        for name in right:
            found = verdict(name)
            if found.sort in FAILED:
                return f"{name}: {found.detail}"
    return ""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found(fault: Fault) -> None:
    assert finds(fault), "no program finds it"


def test_most_programs_are_right_without_a_fault() -> None:
    """The others are of no use here: refused, or wrong for a reason of their own."""
    assert sum(map(is_right, corpus.names())) > 0.9 * len(corpus.names())


def test_every_program_is_needed() -> None:
    """Each program of the folder is the first to find some fault."""
    first = {finds(fault).partition(":")[0] for fault in FAULTS}
    assert {path.stem for path in corpus.OWN} <= first


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
