"""The transforms by text: a program in `programs/` and what becomes of it.

The name begins with the transform; `# wrt:` names what is differentiated. Below the line is the
tangent program, the adjoint program after `record` (cleaned up as in the pipeline), or the program
after `own`, `rebase` or `retitle`. What stands there is checked by numbers as well: tangents
against differences, adjoints against tangents, and the others against the program before.
`pytest --update-golden` rewrites what comes after.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read, show
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.optimize.scalar.accumulation_start import rebase
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.scalar.rename_handed_over import retitle
from adjointgen.pipeline import Mode, derive
from adjointgen.program import primal
from adjointgen.rules.all import TABLE
from adjointgen.storage.insert_copies import own
from tests.passes.test_cases import argument, assert_same

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.txt"))


def differentiated(function: Function, mode: Mode, text: str) -> Function:
    wrt = re.search(r"^# wrt: (.*)$", text, re.MULTILINE)
    assert wrt is not None
    return derive(primal(function), mode, wrt[1].split()).function


def transformed(name: str, function: Function, text: str) -> Function:
    match name.split("_")[0]:
        case "tangent":
            return differentiated(function, "tangent", text)
        case "record":
            return differentiated(function, "adjoint", text)
        case "own":
            return own(function, frozenset(), len(function.body.yields))
        case "rebase":
            return dead(rebase(function, frozenset()))
        case "retitle":
            return retitle(function, {"w_2"})
    raise ValueError(f"no transform is called {name!r}")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path: Path, update_golden: bool) -> None:
    text = path.read_text("utf-8")
    head, _, expected = text.partition("---\n")
    function = read(head)
    made = transformed(path.stem, function, head)
    verify(made, rows=TABLE.rows)
    if update_golden:
        path.write_text(f"{head}---\n{show(made)}", "utf-8")
    else:
        assert show(made) == expected
    random = np.random.default_rng(0)
    args = [argument(p.type, random) for p in function.body.params]
    if path.stem.startswith(("own", "rebase", "retitle")):
        assert_same(run(function, *args), run(made, *args))
    else:
        check_derivative(function, head, args, random)


def check_derivative(function: Function, head: str, args: list[Any], random: Any) -> None:
    """Tangent against differences, and the adjoint is its transpose."""
    forward = differentiated(function, "tangent", head)
    reverse = differentiated(function, "adjoint", head)
    names = [p.root for p in function.body.params]
    seeded = [p.root.removesuffix("_dot") for p in forward.body.params[len(names) :]]
    dots = {n: random.standard_normal(np.shape(args[names.index(n)])) for n in seeded}
    h = 1e-5

    def moved(t: float) -> Any:
        return run(
            function,
            *(a + t * dots[n] if n in dots else a for n, a in zip(names, args, strict=True)),
        )

    y_dot = np.asarray(run(forward, *args, *dots.values())[1])
    slope = (np.asarray(moved(h)) - np.asarray(moved(-h))) / (2 * h)
    np.testing.assert_allclose(y_dot, slope, rtol=1e-6, atol=1e-8)
    y_bar = random.standard_normal(y_dot.shape)
    x_bars = run(reverse, *args, y_bar if y_bar.shape else float(y_bar))[1:]
    total = sum(np.sum(bar * dot) for bar, dot in zip(x_bars, dots.values(), strict=True))
    assert total == pytest.approx(np.sum(y_bar * y_dot), rel=1e-12)
