"""`adjointgen opt --bisect` names the pass of a planted fault, `--reduce` shrinks what fails."""

from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from adjointgen.errors import Unsupported
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.lower import lower, type_of
from adjointgen.frontend.source.source import source_from_function
from adjointgen.ir.nodes import Function
from adjointgen.opt.bisect import EMISSION, Verdict, bisected
from adjointgen.opt.judge import point_of
from adjointgen.opt.program import Program, load
from adjointgen.opt.reduce import reduced
from tests.planted import corpus
from tests.planted.faults import FAULTS
from tests.planted.plant import Fault, planted

FOUND: Final = (
    ("tangent: only the last term of a sum is kept", "one_factor", "tangent"),
    ("adjoint: statements are reversed in program order", "one_factor", "adjoint"),
    ("adjoint: a contribution takes the place of the others", "one_factor", "adjoint"),
    ("record: tapes are popped in the wrong order", "contracted", "close-adjoint"),
    ("hoist: the question whether a loop runs is turned round", "seed 0", "licm"),
    ("gather: rows are numbered as the loop counts", "lines", "matmul-after-loop"),
    ("ahead: rows are numbered as the loop counts", "lines", "matmul-before-loop"),
    ("simplify: a sign is lost in a sum", "differences", "simplify"),
    ("simplify: the sign of a product is lost", "differences", "regroup"),
    ("share: the order of operands is of no account", "seed 1", "cse"),
    ("rebase: an array that is read on is taken over", "used_twice", "accumulation-start"),
    ("own: no copy is made", "backwards", "insert-copies"),
    ("own: what is recorded is not copied", "lines", "insert-copies"),
    ("unread: other readers than loads do not count", "backwards", "dead-stores"),
    ("matrices: the axes that are summed are those that stay", "contracted", "loop-contractions"),
    ("emit: parentheses are left out", "contracted", EMISSION),
    ("emit: a loop is left after the rest of its body", "leave_at_the_end", EMISSION),
)
"""Faults of tests/planted/faults.txt, each with a program that meets it, and what is at fault."""


def verdict_of(program: Program, mode: Any) -> Verdict:
    """What is at fault in a program with the engine as it is."""
    f = load(program)
    args = dict(zip(program.parameters, program.fresh_args(), strict=True))
    point = point_of(f, args, program.wrt)
    return bisected(lowered(f, args), point, mode)


def lowered(f: Any, args: dict[str, Any]) -> Function:
    """A function in the IR; integers are part of it where it is refused for any of them."""
    types: dict[str, Any] = {name: type_of(name, value) for name, value in args.items()}
    try:
        return lower(source_from_function(f), types)
    except Unsupported:
        types |= {name: Fixed(value) for name, value in args.items() if type(value) is int}
        return lower(source_from_function(f), types)


def fault_named(name: str) -> Fault:
    """The planted fault of a name."""
    (fault,) = (fault for fault in FAULTS if fault.name.startswith(f"{name} ["))
    return fault


@cache
def is_right(name: str, mode: str) -> bool:
    """Whether a program is right without a fault."""
    return verdict_of(corpus.program(name), mode).culprit == ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "program", "culprit"), FOUND, ids=[f[0] for f in FOUND])
def test_the_pass_of_a_planted_fault_is_named(name: str, program: str, culprit: str) -> None:
    mode = "tangent" if culprit == "tangent" else "adjoint"
    assert is_right(program, mode)
    with planted(fault_named(name)):
        found = verdict_of(corpus.program(program), mode)
    assert found.culprit == culprit
    assert found.fault


@pytest.mark.sampled(8)
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "loops"])
def test_without_a_fault_every_pass_is_right(mode: Any, compiled: bool, half: int) -> None:
    """Each program in both modes and for both targets, in two of the four pairs, or one of them."""
    judged = 0
    paths = corpus.OWN[((mode == "adjoint") ^ compiled) + 2 * (half ^ compiled) :: 4]
    for path in paths:
        if compiled and path.stem == "growing_shorter":
            continue  # one entry meets several: a compiled program refuses that when it runs
        program = corpus.program(path.stem)
        f = load(program)
        args = dict(zip(program.parameters, program.fresh_args(), strict=True))
        found = bisected(lowered(f, args), point_of(f, args, program.wrt), mode, (), compiled)
        assert not found.culprit, (path.stem, found.culprit, found.fault)
        judged += found.judged
    assert judged > 3 * len(paths)


LONG: Final = "\n".join(
    [
        "import numpy as np",
        "",
        "def scaled(v, k):",
        "    return v * k",
        "",
        "def f(x, a):",
        "    total = 0.0",
        *(f"    t{k} = np.sin(x[{k % 4}]) * a + {k}.0" for k in range(25)),
        *(f"    total += scaled(t{k}, {k}.5)" for k in range(25)),
        "    y = np.zeros(4)",
        "    for i in range(4):",
        "        if x[i] > 0.0:",
        "            y[i] = x[i] ** 2",
        "        else:",
        "            y[i] = -x[i]",
        "    return total + np.sum(np.exp(y - x))",
        "",
    ]
)


def test_a_long_program_is_reduced_to_a_few_lines() -> None:
    assert LONG.count("\n") > 60
    args = (np.array([0.5, -0.3, 1.2, 0.8]), 0.7)
    program = Program(0, LONG, ("x", "a"), args, ("x", "a"))
    with planted(fault_named("adjoint: a contribution takes the place of the others")):
        how, small = reduced(program, "adjoint")
    assert how == "adjoint"
    assert small.source.count("\n") < 10, small.source
