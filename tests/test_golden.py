"""Golden files: what adjointgen writes, held to its text and to the numbers.

Every file of tests/golden is compared with what is generated now, and is run as it is committed.
The oracle is the user's function itself, by extrapolated differences. `make golden` rewrites the
files; `tests/goldens.py` describes them.
"""

import inspect
import os
import subprocess
import sys
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import black
import numpy as np
import pytest

from adjointgen.emit.write.module import emit
from adjointgen.frontend.lower import source_from_function
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Block, Function, Origin
from adjointgen.ir.text import read as read_listing
from adjointgen.opt.program import Vector, flatten, refill
from adjointgen.passes.table import OPTIONAL
from tests.fuzz.examine import STAGES, Plan, examine
from tests.fuzz.oracle import Primal, Slope, derivative, directions
from tests.goldens import (
    PATHS,
    ROOT,
    Golden,
    as_program,
    derivative_program,
    generated,
    leaves,
    module,
    programs,
    read,
    rewritten,
)

LINES: Final = 15
EXACT: Final = 1e-12
PARTS: Final = 10
COMMITTED_EXAMPLES: Final = sorted((ROOT / "examples").glob("*_ad.py"))
EACH = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
COMMITTED: Final = "import sys, tests.goldens as g; sys.modules['adjointgen'] = None; g.module"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A function of a golden file with its committed derivatives, at the file's arguments.

    The function is the user's, or, in a file of second derivatives, the first adjoint.
    """

    golden: Golden
    name: str
    primal: Primal
    dots: list[Any]
    slope: Slope

    @property
    def size(self) -> int:
        """How many numbers the function returns."""
        return self.primal.base.size

    @property
    def scale(self) -> float:
        """The size that rounding errors are measured by."""
        numbers = np.concatenate([self.primal.base, self.slope.value])
        return 1.0 + float(np.max(np.abs(numbers)))

    def run(self, mode: str, seeds: list[Any]) -> Vector:
        """What a committed program returns, as numbers; the seeds go by name."""
        made = module(self.golden.path)
        function = getattr(made, f"{self.name}_{mode}")
        mine = inspect.signature(getattr(made, self.name)).parameters
        named = [name for name in inspect.signature(function).parameters if name not in mine]
        program = self.primal.program
        arguments = dict(zip(program.parameters, program.fresh_args(), strict=True))
        given = deepcopy(seeds)
        out = flatten(function(**arguments, **dict(zip(named, given, strict=True))))
        assert np.array_equal(flatten(given), flatten(seeds)), "a seed is modified"
        for name, before, after in zip(arguments, program.args, self.primal.after, strict=True):
            assert _same(arguments[name], before) or _same(arguments[name], after), name
        return out


def _same(a: Any, b: Any) -> bool:
    return bool(np.all(a == b)) if isinstance(a, np.ndarray) else a == b


@cache
def case(path: Path) -> Case:
    golden = read(path)
    name = f"{golden.name}_{golden.of}" if golden.of else golden.name
    program = derivative_program(golden, name) if golden.of else as_program(golden)
    primal, dots = Primal(program), directions(program, 1)
    return Case(golden, name, primal, dots, derivative(primal, dots))


@EACH
def test_text(path: Path, update_golden: bool) -> None:
    golden = read(path)
    assert golden.name == path.stem
    assert golden.size <= LINES, f"{golden.size} lines; one thing is shown in {LINES}"
    text = rewritten(golden)
    if update_golden and text != golden.text:
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "not what is generated now; see `make golden`"
    assert "adjointgen" not in emit(golden.built().functions)


@EACH
def test_tangent(path: Path) -> None:
    here = case(path)
    value, y_dot = np.split(here.run("tangent", here.dots), [here.size])
    np.testing.assert_allclose(value, here.primal.base, rtol=0, atol=EXACT * here.scale)
    gap = np.abs(y_dot - here.slope.value)
    assert np.all(gap <= 10 * here.slope.error + 1e-9 * here.scale), gap


@EACH
def test_adjoint(path: Path) -> None:
    here = case(path)
    y_dot = here.run("tangent", here.dots)[here.size :]
    rng = np.random.default_rng(2)
    y_bar = rng.uniform(-1.0, 1.0, here.size)
    seeds = list(refill(leaves(here.primal.result), y_bar))
    value, x_bar = np.split(here.run("adjoint", seeds), [here.size])
    np.testing.assert_allclose(value, here.primal.base, rtol=0, atol=EXACT * here.scale)
    terms = np.concatenate([x_bar * flatten(here.dots), -y_bar * y_dot])
    assert abs(np.sum(terms)) <= EXACT * (1.0 + np.sum(np.abs(terms)))


@EACH
def test_through_the_interface(path: Path, fuzz_count: int) -> None:
    """Both modes and second order, with optimising passes off. The text is that of `test_text`.

    Each file has a tenth of the passes off, one at a time, and `make fuzz` all of them.
    """
    start, step = (0, 1) if fuzz_count > 50 else (PATHS.index(path) % PARTS, PARTS)
    plan = Plan(OPTIONAL[start::step], every=True, stages=tuple(s for s in STAGES if s != "text"))
    verdict = examine(as_program(read(path)), import_module("adjointgen"), plan)
    assert verdict.sort == "right", verdict.detail


@EACH
def test_generated_source_is_read_again(path: Path) -> None:
    """The committed adjoint is a program like any other, and has derivatives."""
    golden = read(path)
    program = derivative_program(golden, f"{golden.name}_adjoint")
    stages = ("tangent", "adjoint")
    verdict = examine(program, import_module("adjointgen"), Plan(stages=stages))
    assert verdict.sort == "right", verdict.detail


@EACH
def test_live_function_and_its_text_give_the_same(path: Path) -> None:
    golden = read(path)
    live = source_from_function(getattr(module(path), golden.name))
    made = generated(live, golden.arguments(), golden.recipes)
    assert emit(made.functions) == emit(golden.built().functions)


@EACH
def test_listing_is_read_back(path: Path) -> None:
    golden = read(path)
    assert read_listing(golden.ssa) == _bare(golden.built().primal)


def _bare(function: Function) -> Function:
    """A function without what a listing leaves out."""
    body, callees = _unplaced(function.body), tuple(map(_bare, function.callees))
    bare = replace(function, body=body, origin=Origin(), comments=(), folded=(), callees=callees)
    return replace(bare, updates=frozenset(), written=frozenset(), quotes=())


def _unplaced(block: Block) -> Block:
    stmts = (rebuild(stmt, lambda operand: operand, _unplaced) for stmt in block.stmts)
    return replace(block, stmts=tuple(replace(stmt, span=None) for stmt in stmts))


def test_the_hash_seed_does_not_matter() -> None:
    """Python draws another seed for each process, so `test_text` holds all files to this; here is
    one that is the same in every run, for a part of them."""
    out = fresh_process("-m", "tests.goldens", str(PARTS), PYTHONHASHSEED="2")
    assert out == "".join(path.read_text("utf-8") + "\n" for path in PATHS[::PARTS])


def test_lint() -> None:
    files = [str(path) for path in PATHS]
    subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", *files], check=True
    )


VERSIONS: Final = (black.TargetVersion.PY311, black.TargetVersion.PY313)


@pytest.mark.parametrize("versions", [(), VERSIONS])
def test_black_leaves_the_text_alone(versions: tuple[black.TargetVersion, ...]) -> None:
    for path in [*PATHS, *COMMITTED_EXAMPLES]:
        text = path.read_text("utf-8")
        mode = black.Mode(target_versions=set(versions))
        assert black.format_str(text, mode=mode) == text, path.stem


def test_ruff_format_leaves_the_text_alone() -> None:
    words = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--diff"]
    subprocess.run([*words, *PATHS, *COMMITTED_EXAMPLES], check=True)


@pytest.mark.slow
def test_types(tmp_path: Path, mypy_cache: Path) -> None:
    """What is generated passes a strict check; the user's functions have no annotations."""
    for path in PATHS:
        (tmp_path / path.name).write_text(programs(read(path)), "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(mypy_cache)]
    found = subprocess.run(
        [*command, *map(str, sorted(tmp_path.glob("*.py")))], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout


def fresh_process(*arguments: str, **environment: str) -> str:
    """What Python prints when it is run anew."""
    ran = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
