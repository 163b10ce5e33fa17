"""Arguments of a written module that have to be floats: a test of them where the program begins.

    if x.dtype.kind != "f":
        raise TypeError("f was differentiated for a float array x")

An array of integers is as good where its numbers go on as floats. Where they do not
(`integer_arguments.py`), the program would round what it writes, and its derivatives say nothing of
that. The decorator makes another program for integers instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.analysis.values.integer_arguments import must_be_floats
from adjointgen.api.arguments.assumption_checks import listed
from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.ir.edit import is_check
from adjointgen.ir.nodes import Function, Value
from adjointgen.ir.packing import places
from adjointgen.ir.types import REAL
from adjointgen.records import replace

_NARROWER = {"float": "int", "complex": "(int, float)"}
_NUMPY = "import numpy as np"


def floats_checked(primal: Function, made: Function, target: Target) -> Function:
    """A derivative of a function, with tests of the arguments that integers must not stand for."""
    asked = {param.root for one in (primal, made) for param in must_be_floats(one)}
    groups: dict[tuple[str, str], list[Value]] = {}
    for param in made.body.params:
        if param.root in asked:
            kind = "float" if param.type.dtype in REAL else "complex"
            groups.setdefault((kind, param.type.kind), []).append(param)
    if not groups:
        return made
    shown = {param.root: param.root for param in made.body.params} | places(made)
    checks = []
    for (kind, form), params in groups.items():
        test = (_of_arrays if form == "array" else _of_numbers)(kind, len(params), target)
        what = _called(
            f"{kind} array" if form == "array" else kind, [shown[p.root] for p in params]
        )
        message = f"{primal.name} was differentiated for {what}"
        checks.append(check_statement(params, test, "TypeError", message))
    more = () if _NUMPY in made.imports or target != PYTHON else (_NUMPY,)
    stmts = made.body.stmts
    # The structure of an argument is tested before its parts.
    tests = (k for k, stmt in enumerate(stmts, 1) if is_check(stmt))
    after = max(tests, default=0)
    body = replace(made.body, stmts=(*stmts[:after], *checks, *stmts[after:]))
    return replace(made, body=body, imports=(*made.imports, *more))


def _called(what: str, names: Sequence[str]) -> str:
    """A float x, floats x and y."""
    return f"a {what} {names[0]}" if len(names) == 1 else f"{what}s {listed(names)}"


def _of_arrays(kind: str, count: int, target: Target) -> str:
    """A test that finds an array of another kind; Numba has words of its own for dtypes."""
    if target != PYTHON:
        entries = (f"isinstance(_{k}_.dtype.type(0), {_NARROWER[kind]})" for k in range(count))
        return " or ".join(entries)
    if count == 1:
        return f'_0_.dtype.kind != "{kind[0]}"'
    if count == 2:
        return f'not (_0_.dtype.kind == _1_.dtype.kind == "{kind[0]}")'
    arrays = ", ".join(f"_{k}_" for k in range(count))
    return f'any(array.dtype.kind != "{kind[0]}" for array in ({arrays}))'


def _of_numbers(kind: str, count: int, target: Target) -> str:
    narrower = _NARROWER[kind]
    if target == PYTHON:
        narrower = f"({narrower.strip('()')}, np.{'integer' if kind == 'float' else 'floating'})"
    return " or ".join(f"isinstance(_{k}_, {narrower})" for k in range(count))
