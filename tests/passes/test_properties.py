"""What passes require and ensure holds, before and after each of them, on every golden function.

Passes that break a property are put in, and found.
"""

from collections.abc import Callable
from typing import Any

import pytest

from adjointgen.ad.taping.close_adjoint import record
from adjointgen.api.programs.build_program import derived_by, follow
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.config.compilers import TARGETS, Target
from adjointgen.errors import InternalError
from adjointgen.frontend.lower import lower, type_of
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Block, Function, Loop
from adjointgen.ir.text import read as read_text
from adjointgen.passes import properties
from adjointgen.passes.overwritten import read_after_overwriting
from adjointgen.passes.properties import verifying
from adjointgen.passes.run import Ran, watching
from adjointgen.passes.table import PASSES
from adjointgen.pipeline import derive, finish
from adjointgen.program import gathered, primal
from adjointgen.records import replace
from tests.goldens import PATHS, Golden, read

GOLDEN = {path.stem: path for path in PATHS}


def read_in(golden: Golden) -> Function:
    """The function of a golden file."""
    types = {name: type_of(name, value) for name, value in golden.arguments().items()}
    return lower(golden.source, types, derived_by())


def passes_of(name: str, recipe: Recipe, target: Target) -> list[Ran]:
    """The passes that a program of a golden file goes through, each of them verified."""
    ran: list[Ran] = []

    def watch(one: Ran) -> None:
        ran.append(one)
        verifying(one)

    with watching(watch):
        follow(read_in(read(GOLDEN[name])), recipe, (), target)
    return ran


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", GOLDEN)
def test_properties_hold_around_every_pass(name: str, target: Target) -> None:
    for recipe in read(GOLDEN[name]).recipes:
        ran = passes_of(name, recipe, target)
        assert "storage" in ran[-1].after.has


SEVERAL = ["jacobi", "lu", "nested_loops", "independent_iterations", "reductions"]


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", SEVERAL)
def test_properties_hold_along_several_directions(name: str, mode: Any) -> None:
    golden = read(GOLDEN[name])
    program = gathered(primal(read_in(golden)))
    ran: list[Ran] = []

    def watch(one: Ran) -> None:
        ran.append(one)
        verifying(one)

    with watching(watch):
        made = derive(program, mode, golden.wrt, last=True)
        seeds = len(made.function.body.params) - len(program.function.body.params)
        finish(made, compiled=True, several=(seeds, 3))
    assert "directions" in ran[-1].after.has


def each_loop(function: Function, change: Callable[[Loop], Loop]) -> Function:
    """The function with its loops changed."""

    def inner(block: Block) -> Block:
        stmts = (rebuild(stmt, lambda o: o, inner) for stmt in block.stmts)
        return replace(block, stmts=tuple(change(s) if isinstance(s, Loop) else s for s in stmts))

    return replace(function, body=inner(function.body))


def without_the_first(function: Function, *_: object) -> Function:
    return replace(function, body=replace(function.body, stmts=function.body.stmts[1:]))


def without_a_result(function: Function, *_: object) -> Function:
    body = replace(function.body, yields=function.body.yields[::-1])
    return replace(function, body=body, names=function.names[::-1])


def as_it_is(function: Function, *_: object, **__: object) -> Function:
    return function


def marked(function: Function, *_: object) -> Function:
    return each_loop(function, lambda loop: replace(loop, parallel=True))


def tied(*given: Any) -> Function:
    return each_loop(record(*given), lambda loop: replace(loop, pair=7))


FAULTS: dict[str, tuple[str, Target, Callable[..., Function], str]] = {
    "dce": ("jacobi", "python", without_the_first, "is read where it is not defined"),
    "cse": ("jacobi", "python", without_a_result, "parameters or results are others"),
    "licm": ("jacobi", "python", marked, "is marked as parallel"),
    "insert-copies": ("read_before_undo", "python", as_it_is, "after its storage was overwritten"),
    "close-adjoint": ("jacobi", "python", tied, "is tied to pair 7 still"),
    "loop-nests": ("shape_alone", "numba", as_it_is, "an operation that compilers lack"),
    "loop-fusion": ("jacobi", "numba", marked, "is marked as parallel"),
}
"""A pass that breaks a property, and what is said of it."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_pass_that_breaks_a_property_is_found(name: str, monkeypatch: Any) -> None:
    golden, target, faulty, said = FAULTS[name]
    module, _, function = PASSES[name].at.partition(":")
    adjoint = (Step("adjoint", read(GOLDEN[golden]).wrt),)
    passes_of(golden, adjoint, target)
    monkeypatch.setattr(f"adjointgen.{module}.{function}", faulty)
    with pytest.raises(InternalError) as raised:
        passes_of(golden, adjoint, target)
    assert f"after {name}: " in str(raised.value) and said in str(raised.value)
    assert raised.value.listing


STORES = {
    "a later read": ("a", 'b: float64[4] = store(a, x) [index="0"]', "c: float64[4] = sin(a)"),
    "no later read": ("", "c: float64[4] = sin(a)", 'b: float64[4] = store(a, x) [index="0"]'),
}


@pytest.mark.parametrize("what", STORES)
def test_a_version_that_was_overwritten_is_found(what: str) -> None:
    found, *stmts = STORES[what]
    lines = "\n  ".join(("function f(a: float64[4], x: float64) -> (b, c)", *stmts, "return b, c"))
    assert read_after_overwriting(read_text(lines)) == found.split()


ITERATION = """
function f(a: float64[4], x: float64, n: int64) -> (b)
  b: float64[4] = loop i: int64 from (0, n, 1) carry (c: float64[4] = a):
    d: float64[4] = store({}, x) [index="0"]
    yield {}
  return b
"""


@pytest.mark.parametrize(
    ("stored", "yielded", "found"), [("c", "d", ""), ("c", "c", "c"), ("a", "d", "a")]
)
def test_what_an_iteration_overwrites_the_next_must_not_read(
    stored: str, yielded: str, found: str
) -> None:
    function = read_text(ITERATION.format(stored, yielded).lstrip())
    assert read_after_overwriting(function) == found.split()


def test_every_property_of_the_table_is_described() -> None:
    named = {p for row in PASSES.values() for p in (*row.requires, *row.ensures, *row.removes)}
    described = properties.__doc__ or ""
    assert [name for name in sorted(named) if name not in described] == []
