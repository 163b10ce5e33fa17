"""Programs as a compiler gets them, run by CPython: the same loops, without the wait."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import numpy.ma

import adjointgen
from adjointgen.api.calls import generated
from adjointgen.config.compilers import Target
from adjointgen.opt.program import Program
from adjointgen.targets.loops.passes import parallel_loops
from tests.fuzz.examine import Plan, Verdict, examine
from tests.kept import own_programs

EMPTY = np.empty


def poisoned(*args: Any, **kwargs: Any) -> Any:
    """A new array of which nothing must be read before it is written."""
    made = EMPTY(*args, **kwargs)
    made.fill(np.nan if made.dtype.kind in "fc" else 77)
    return made


def in_any_order(*bounds: int) -> list[int]:
    """What a loop in threads goes over, in an order that no loop has."""
    order = list(range(*bounds))
    random.Random(len(order)).shuffle(order)
    return order


def shuffled(run: Callable[..., Any], outer: bool = False) -> Callable[..., Any]:
    """A program as it is, but for the order of iterations that may run at once."""
    run.__globals__["prange"] = in_any_order
    return run


@contextmanager
def uncompiled() -> Iterator[None]:
    """Programs for a compiler are run as they are, with nothing in new arrays that is of use."""
    with (
        mock.patch.object(generated, "compiled", shuffled),
        mock.patch.object(np, "empty", poisoned),
        mock.patch.object(parallel_loops, "THREADS_FROM", 2),
        own_programs(),
    ):
        yield


class Loops:
    """What random programs are examined with."""

    target: Target = "numba"

    @classmethod
    def tangent(
        cls, f: Callable[..., Any], wrt: Any = ..., *, disable: tuple[str, ...] = ()
    ) -> Any:
        return adjointgen.tangent(f, wrt=wrt, disable=disable, compile=cls.target)

    @classmethod
    def adjoint(
        cls, f: Callable[..., Any], wrt: Any = ..., *, disable: tuple[str, ...] = ()
    ) -> Any:
        return adjointgen.adjoint(f, wrt=wrt, disable=disable, compile=cls.target)


class Threads(Loops):
    """The same with loops in threads."""

    target = "numba-parallel"


def text_of(made: Any) -> str:
    """The program that was made last, without its docstring and what comments quote."""
    text: str = made.generated.last.made.text
    head, _, body = text.partition('"""')
    return without_quotes(head + body.partition('"""')[2])


def without_quotes(text: str) -> str:
    """A program without its comments, but for those that begin a sweep."""
    return re.sub(r"\n *#(?! \w+ sweep).*", "", text)


def numbers(made: Any) -> np.ndarray:
    if isinstance(made, tuple | list):
        return np.concatenate([numbers(m) for m in made]) if made else np.zeros(0)
    return np.ravel(np.asarray(made, complex)).view(float)


def agree(made: Any, wanted: Any) -> None:
    np.testing.assert_allclose(numbers(made), numbers(wanted), rtol=1e-11, atol=1e-12)


def judged(f: Callable[..., Any], *args: Any, engine: Any = Loops) -> Verdict:
    """How a function fares against differences, in both modes; as loops, unless told."""
    text = inspect.getsource(f).replace(f"def {f.__name__}(", "def f(", 1)
    source = f"import math\nfrom typing import Any\n\nimport numpy as np\n\n\n{text}"
    names = tuple(inspect.signature(f).parameters)
    wrt = tuple(n for n, a in zip(names, args, strict=True) if np.asarray(a).dtype.kind == "f")
    program = Program(0, source, names, args, wrt)
    with uncompiled():
        return examine(program, engine, Plan(stages=("tangent", "adjoint")))
