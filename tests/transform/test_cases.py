"""Every pass by text: a case in `cases/` is the program before and after, and says what it shows.

The file's name begins with the name of the pass. Below the first line, comments are options: what
is `frozen`, what to `keep`, and whether the program is `open`. What `simplify` and `share` leave
unread is removed before the comparison, so that a case shows the rewrite and no more. Before and
after compute the same numbers, and a second run of the pass changes nothing.
`pytest --update-golden` rewrites what comes after.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen.ir.nodes import Function
from adjointgen.ir.text import read, show
from adjointgen.ir.types import Type
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.optimize.scalar.cse import share
from adjointgen.optimize.scalar.dce import dead
from adjointgen.optimize.simplify import for_numpy, simplify
from adjointgen.rules.all import TABLE
from adjointgen.targets.numpy.use_before_overwrite import early

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
LENGTHS = {"x.0": 4, "x.1": 3, "n": 3}


def transformed(name: str, function: Function, options: Mapping[str, str]) -> Function:
    frozen = frozenset(options.get("frozen", "").split())
    match name.split("_")[0]:
        case "dead":
            return dead(function, frozenset(options.get("keep", "").split()))
        case "simplify":
            return dead(simplify(function, frozen))
        case "share":
            return dead(share(function, frozen))
        case "forms":
            return dead(for_numpy(function, frozen))
        case "early":
            return early(function, frozen)
    raise ValueError(f"no pass is called {name!r}")


def options_of(text: str) -> dict[str, str]:
    """The options among the comments at the top: `# frozen: y`, `# keep: y`, `# open`."""
    return dict(re.findall(r"^# (frozen|keep|open)(?::(.*))?$", text, re.MULTILINE))


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
    text = path.read_text("utf-8")
    head, _, expected = text.partition("---\n")
    options = options_of(head)
    before = read(head)
    verify(before, "open" in options, TABLE.rows)
    after = transformed(path.stem, before, options)
    if update_golden:
        path.write_text(f"{head}---\n{show(after)}", "utf-8")
    else:
        assert show(after) == expected
    verify(after, "open" in options, TABLE.rows)
    assert transformed(path.stem, after, options) == after


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_before_and_after_compute_the_same(path: Path) -> None:
    head = path.read_text("utf-8").partition("---\n")[0]
    options = options_of(head)
    if "open" in options:
        return
    before = read(head)
    after = transformed(path.stem, before, options)
    functions = {"g": lambda x: (x, x)}
    for seed in range(3):
        random = np.random.default_rng(seed)
        args = [argument(p.type, random) for p in before.body.params]
        assert_same(run(before, *args, functions=functions), run(after, *args, functions=functions))


def test_every_case_says_what_it_shows() -> None:
    for path in CASES:
        first = path.read_text("utf-8").split("\n")[0]
        assert first.startswith("# ") and first.endswith(".") and not options_of(first), path.name
