"""Every pass by text: a case in `cases/` is the program before and after, and says what it shows.

The file's name begins with the name of the pass, and it is one that `adjointgen opt` runs: comments
below the first line name the passes, what is `frozen`, and what else is known. Before and after
compute the same numbers (without what stands there to be differentiated alone), and a second run of
a pass that rewrites changes nothing.
`pytest --update-golden` rewrites what comes after.
"""

from copy import deepcopy
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from adjointgen.ad.calls.directional_terms import collapsed
from adjointgen.cli import main
from adjointgen.ir.text import show
from adjointgen.ir.types import Type
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.opt.passes_on_text import Case, read_case, run_case
from adjointgen.passes.table import IN_ORDER
from adjointgen.records import replace
from adjointgen.rules.all import TABLE

ONCE = {
    *("tangent", "adjoint", "close-adjoint", "insert-copies", "countdown-loops"),
    *("matrix-functions", "implicit-equations", "vector-mode", "parallel-loops"),
    *("integer-powers", "integer-arithmetic", "taylor"),
}
"""Passes that change a program again where they run twice."""
WITHOUT = {
    "batch": "a text does not say what is batched; tests/batching compares with loops",
    "check-differentiable": "it raises or changes nothing",
    "implicit-equations": "the text of a program has no residuals, which are functions",
}
"""Passes of which no case changes the program, and why."""
CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
LENGTHS = {"x.0": 4, "x.1": 3, "n": 3}


def case_of(path: Path) -> tuple[Case, str]:
    """The case of a file, and what comes after."""
    head, _, expected = path.read_text("utf-8").partition("---\n")
    return read_case(head), expected


def argument(type: Type, random: np.random.Generator) -> Any:
    """Something of a type, with all lengths under one symbol equal."""
    if type.kind == "object":
        return None
    if type.kind == "scalar":
        number = random.uniform(0.5, 1.5) if type.is_differentiable else LENGTHS["n"]
        return {"bool": bool, "int64": int}.get(type.dtype, float)(number)
    assert type.shape is not None
    lengths = [4 if d is None else LENGTHS.get(d.symbol, 0) + d.offset for d in type.shape]
    values = random.uniform(0.5, 1.5, lengths)
    return (values if type.is_differentiable else 3 * (values - 0.5)).astype(type.dtype)


def assert_same(before: Any, after: Any) -> None:
    if isinstance(before, tuple | list):
        assert len(before) == len(after)
        for b, a in zip(before, after, strict=True):
            assert_same(b, a)
    elif isinstance(before, np.ndarray | float | complex):
        assert np.shape(before) == np.shape(after)
        assert getattr(before, "dtype", None) == getattr(after, "dtype", None)
        np.testing.assert_allclose(after, before, rtol=1e-14)
    else:
        assert type(before) is type(after) and before == after


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, update_golden: bool) -> None:
    case, expected = case_of(path)
    verify(case.function, case.is_open, TABLE.rows)
    after = run_case(case)
    if update_golden:
        head = path.read_text("utf-8").partition("---\n")[0]
        path.write_text(f"{head}---\n{show(after)}", "utf-8")
    else:
        assert show(after) == expected
    is_open = case.is_open or "adjoint" in case.passes
    verify(after, is_open and "close-adjoint" not in case.passes, TABLE.rows)
    if not {*case.passes} & ONCE:
        assert run_case(replace(case, function=after)) == after


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_before_and_after_compute_the_same(path: Path) -> None:
    case, _ = case_of(path)
    if case.is_open or case.wrt or "directions" in case.counts:
        return
    after = collapsed(run_case(case))
    functions = {"g": lambda x: (x, x)}
    for seed in range(3):
        random = np.random.default_rng(seed)
        args = [argument(p.type, random) for p in case.function.body.params]
        before = run(case.function, *deepcopy(args), functions=functions)
        assert_same(before, run(after, *args, functions=functions))


@pytest.mark.parametrize("path", CASES[::7], ids=lambda path: path.stem)
def test_the_command_prints_what_the_case_says(path: Path) -> None:
    head, _, expected = path.read_text("utf-8").partition("---\n")
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(head)
        file.flush()
        ended = CliRunner().invoke(main, ["opt", file.name])
    assert (ended.exit_code, ended.output) == (0, expected)


def test_every_case_says_what_it_shows() -> None:
    for path in CASES:
        first = path.read_text("utf-8").split("\n")[0]
        assert first.startswith("# ") and first.endswith("."), path.name


@pytest.mark.parametrize("name", [row.name for row in IN_ORDER if not row.within])
def test_every_pass_has_a_case(name: str) -> None:
    """One at least shows what the program is with the pass, and would not be without it."""
    mine = [case_of(path) for path in CASES if path.stem.partition("_")[0] == name]
    mine = [(case, expected) for case, expected in mine if name in case.passes]
    assert mine or name in WITHOUT
    changed = []
    for case, expected in mine:
        without = tuple(one for one in case.passes if one != name)
        changed.append(show(run_case(replace(case, passes=without))) != expected)
    assert any(changed) or name in WITHOUT
