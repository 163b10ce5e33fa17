"""A sample of what `python -m tests.mass` does, and the tool itself."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.mass.__main__ import BAD, undefined
from tests.mass.functions import Target, functions, sample
from tests.mass.judge import judge
from tests.mass.mutants import mutated

PACKAGES = ("stdlib", "numpy")


@cache
def found(package: str) -> list[Target]:
    """The functions of a package; not at import, because each process imports all tests."""
    return [*functions(package)]


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_sample_is_written_or_refused(package: str) -> None:
    chosen = sample(found(package), 16, seed=7)
    changed = [t._replace(seed=k) for k, t in enumerate(sample(found(package), 8, seed=8))]
    outcomes = {target: judge(target) for target in chosen + changed}
    bad = {t: o.cause for t, o in outcomes.items() if o.status in BAD}
    assert not bad
    texts = [o.text for t, o in outcomes.items() if t.seed < 0]
    assert not [said for said in undefined(texts) if said]


def test_targets_are_functions_with_arguments() -> None:
    assert len(found("stdlib")) > 1000 and len(found("numpy")) > 500
    assert all(Path(t.file).suffix == ".py" and t.seed == -1 for t in found("numpy"))
    assert sample(found("numpy"), 9) == sample(found("numpy"), 9)


def test_mutants_are_other_functions() -> None:
    text = "def f(x):\n    y = x * 2\n    return y + 1\n\ndef g(x):\n    return x\n"
    made = {mutated(text, "f", seed) for seed in range(40)} - {None}
    assert len(made) > 20
    assert mutated(text, "f", 3) == mutated(text, "f", 3)
    assert all("def g(x):\n    return x" in str(one) for one in made)
    assert mutated(text, "nowhere", 0) is None
    parsed = sum(bool(ast.parse(str(one))) for one in made)
    assert parsed == len(made)


def test_what_is_bad_is_found(tmp_path: Path) -> None:
    said, nothing = undefined(["def f(x):\n    return x + T\n", "def f(x):\n    return x\n"])
    assert [m for m in said if "T" in m] and not nothing
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    return x * y\n")
    assert judge(Target(str(file), "f")).status == "refused"
    file.write_text("def f(x):\n    return x * x\n")
    assert judge(Target(str(file), "f")).status == "written"
    assert judge(Target(str(file), "missing")).cause == "AG002"
