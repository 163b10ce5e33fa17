"""The language is closed: generated programs are lowered again, and compute the same."""

import copy
from typing import Any

import numpy as np
import pytest

from adjointgen.emit.write.module import emit
from adjointgen.frontend.lower import lower, source_from_file, type_of
from adjointgen.ir.nodes import Apply, Record, walk
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from adjointgen.pipeline import Mode, derive, finish
from adjointgen.program import primal
from adjointgen.rules.all import TABLE

RECURRENCE = """
def f(x, a):
    y = np.zeros_like(x)
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    return np.sum(y * y)
"""
ITERATION = """
def f(x, a):
    s = a
    while s < 4.0:
        if s > 1.0:
            s = s * np.sin(s) + x[1]
        s = s * s + 0.5
    return s
"""
GATHER = """
def f(x, a):
    i = np.array([0, 2, 0])
    y = x[i] * a
    y[1:] = np.cumsum(y)[:-1]
    return y
"""
X = np.array([0.5, 1.25, 0.75])


def seeds(source: Any, wanted: Any) -> list[Any]:
    """Arguments for a derivative: the primal's, and ones for what is dotted or barred."""
    known = {"x": X, "a": 1.5, "x_dot": X * 2.0, "a_dot": 0.5}
    bars = np.ones_like(wanted) if np.ndim(wanted) else 1.0
    return [copy.deepcopy(known.get(a.arg, bars)) for a in source.arguments.args]


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("text", [RECURRENCE, ITERATION, GATHER], ids=["loop", "while", "gather"])
def test_a_derivative_is_lowered_again(text: str, mode: Mode) -> None:
    types = {"x": type_of("x", X), "a": type_of("a", 1.5)}
    function = lower(source_from_file("m.py", "f", "import numpy as np\n" + text), types)
    made = finish(derive(primal(function), mode, ("x", "a")))
    generated = emit([made])
    names: dict[str, Any] = {}
    exec(compile(generated, "generated.py", "exec"), names)
    source = source_from_file("generated.py", made.name, generated)
    args = seeds(source, run(function, X.copy(), 1.5))
    wanted = names[made.name](*copy.deepcopy(args))
    types = {a.arg: type_of(a.arg, v) for a, v in zip(source.arguments.args, args, strict=True)}
    again = lower(source, types)
    verify(again, rows=TABLE.rows)
    found = run(again, *args)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_helpers_and_tapes_are_operations_again() -> None:
    text = '''
import numpy as np

def f(x, like):
    x_tape: list[float] = []
    for i in range(3):
        x_tape.append(x[i])
    for i in range(2, -1, -1):
        x[i] = x_tape.pop() * 2.0
    np.add.at(x, np.s_[[0, 0],], 1.0)
    return _unbroadcast(x, like)

def _unbroadcast(v, like):
    """`v` summed down to the shape of `like`."""
    shape = np.shape(like)
    if np.shape(v) == shape:
        return v if shape or not isinstance(v, np.ndarray) else v[()]
    if np.ndim(v) < len(shape):
        v = np.reshape(v, (1,) * (len(shape) - np.ndim(v)) + np.shape(v))
    v = np.sum(v, axis=tuple(range(np.ndim(v) - len(shape))))
    repeated = tuple(k for k, n in enumerate(shape) if n == 1 and v.shape[k] != 1)
    return np.sum(v, axis=repeated, keepdims=True) if repeated else v
'''
    source = source_from_file("m.py", "f", text)
    function = lower(source, {"x": type_of("x", X), "like": type_of("like", 1.0)})
    stmts = list(walk(function.body))
    assert sum(isinstance(s, Record) for s in stmts) == 1
    assert {"unbroadcast", "accumulate"} <= {s.op for s in stmts if isinstance(s, Apply)}
    assert run(function, X.copy(), 1.0) == pytest.approx(2 * X.sum() + 2.0)
