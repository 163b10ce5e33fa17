"""The trace and the generated adjoint give the same: a sample of programs, goldens, and calls."""

from typing import Any

import pytest

from adjointgen import adjoint
from tests.goldens import PATHS, as_program, read
from tests.trace.calls import calls, program
from tests.trace.compare import KINDS, judge

SAMPLE = 20
CALLS = list(calls())


@pytest.mark.fuzz
@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", range(0, 60, SAMPLE))
def test_random_programs(kind: str, first: int) -> None:
    for seed in range(first, first + SAMPLE):
        verdict = judge(KINDS[kind](seed))
        assert verdict.sort not in ("wrong", "crashed"), f"{kind} {seed}: {verdict.detail}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_goldens(path: Any) -> None:
    verdict = judge(as_program(read(path)))
    assert verdict.sort == "equal", f"{verdict.sort} {verdict.kind}: {verdict.detail}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(0, len(CALLS), 10))
def test_calls(number: int) -> None:
    for k, (text, wanted) in enumerate(CALLS[number : number + 10]):
        verdict = judge(program(10_000 + number + k, text))
        refused = verdict.kind if verdict.sort == "refused" else ""
        found = "raises" if verdict.kind == "wrong exception" else refused
        assert found == wanted, f"{text}: {verdict}"
        assert found or verdict.sort in ("equal", "differences", "kink"), f"{text}: {verdict}"


class Doubled:
    """An engine whose adjoints are wrong by a factor."""

    @staticmethod
    def adjoint(f: Any, wrt: Any) -> Any:
        made = adjoint(f, wrt=wrt)

        def doubled(*args: Any) -> Any:
            value, *bars = made(*args)
            return value, *(2.0 * bar for bar in bars)

        return doubled


def test_an_adjoint_that_is_wrong_is_told() -> None:
    verdict = judge(program(9_999, "x * y + math.sin(x)"), Doubled)
    assert (verdict.sort, verdict.kind) == ("wrong", "wrong adjoint")
