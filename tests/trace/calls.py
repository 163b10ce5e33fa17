"""Calls into packages, as text, and what the trace makes of each."""

import array
import cmath
import colorsys
import decimal
import fractions
import functools
import itertools
import math
import operator
import random
import statistics
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy
import scipy.constants
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial
import scipy.special
import scipy.stats

from adjointgen.opt.program import Program

HERE: Final = Path(__file__).parent
MODULES: Final = (array, cmath, colorsys, decimal, fractions, functools, itertools, math, operator)
MORE: Final = (random, scipy, statistics, struct)
HEAD: Final = "".join(f"import {one.__name__}\n" for one in (*MODULES, *MORE)) + (
    "import numpy as np\n"
)
NAMES: Final = ("A", "B", "v", "w", "x", "y")


def arguments() -> tuple[Any, ...]:
    """The arguments by `NAMES`."""
    return (
        np.array([[2.0, 0.3, 0.1], [0.3, 1.7, 0.2], [0.1, 0.2, 2.5]]),
        np.array([[0.4, 1.1, -0.6], [1.3, 0.2, 0.9]]),
        np.array([0.5, 1.5, -0.7]),
        np.array([0.8, 0.3, 1.2]),
        0.6,
        1.9,
    )


def calls() -> Iterator[tuple[str, str]]:
    """Each expression, with the code that it is refused with, or nothing."""
    code = None
    for line in (HERE / "calls.txt").read_text("utf-8").splitlines():
        if line.startswith("=== "):
            code = line.removeprefix("=== ").removeprefix("refused ").removeprefix("accepted")
        elif line and code is not None:
            yield line, code


def program(number: int, text: str) -> Program:
    """An expression as a program that is differentiated by all that it reads."""
    names = set(compile(text, "call", "eval").co_names)
    for inner in compile(text, "call", "eval").co_consts:
        names |= {*getattr(inner, "co_names", ())}
    wrt = tuple(name for name in NAMES if name in names)
    source = f"{HEAD}\n\ndef f({', '.join(NAMES)}):\n    return {text}\n"
    return Program(number, source, NAMES, arguments(), wrt)
