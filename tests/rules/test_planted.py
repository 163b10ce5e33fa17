"""The test of the rows finds planted faults: each rule in turn is off by one part in 10^4."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.table import Row
from tests.rules import test_table
from tests.rules.test_table import EXAMPLES, Example

# These derivatives are zero on their domain, which a factor does not change.
ZERO = {
    ("copysign", "partial 1"),
    ("heaviside", "partial 0"),
    ("heaviside", "partial 1"),
    ("imag", "partial 0"),
    ("angle", "partial 0"),
}


def scaled(rule: Callable[..., Any] | None) -> Callable[..., Any]:
    """The rule with all that it returns multiplied."""
    assert rule is not None

    def wrong(*args: Any, **options: Any) -> Any:
        made = rule(*args, **options)
        if isinstance(made, tuple | list):
            return tuple(None if m is None else m * 1.0001 for m in made)
        return None if made is None else made * 1.0001

    return wrong


def planted() -> Iterator[tuple[str, Row]]:
    """Every row with one of its rules made wrong."""
    for row in TABLE.rows.values():
        if not row.domain:
            continue
        drawn = row.kind == "elementwise" and not isinstance(row.domain, list)
        tested = len(row.domain) if drawn else len(row.partials)
        for k, partial in enumerate(row.partials[:tested]):
            if partial is None:
                continue
            rules = (*row.partials[:k], scaled(partial), *row.partials[k + 1 :])
            yield f"partial {k}", replace(row, partials=rules)
        for k, rule in row.transposes.items():
            yield f"transpose {k}", replace(row, transposes={**row.transposes, k: scaled(rule)})
        if row.kind == "general":
            yield "tangent", replace(row, tangent=scaled(row.tangent))
            yield "adjoint", replace(row, adjoint=scaled(row.adjoint))


CASES = [pytest.param(what, row, id=f"{row.name}, {what}") for what, row in planted()]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("what", "row"), CASES)
@pytest.mark.slow
def test_a_wrong_rule_is_found(what: str, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE.rows, row.name, row)
    assert passes(row.name) == ((row.name, what) in ZERO)


def passes(op: str) -> bool:
    """Whether every example of a row passes."""
    try:
        for place, example in enumerate(examples_of(op)):
            test_table.check_row(example, "exact", slope_of(op, place))
    except AssertionError:
        return False
    return True


@cache
def examples_of(op: str) -> tuple[Example, ...]:
    return tuple(example for example in EXAMPLES if example.op == op)


@cache
def slope_of(op: str, place: int) -> Any:
    """The slope of an example, which is that of the function itself, whatever rules it has."""
    return test_table.slope_of(examples_of(op)[place])
