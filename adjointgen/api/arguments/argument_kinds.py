"""Kinds and ranks that arguments of a written module must have: tests where the program begins.

    if (x.ndim, np.ndim(a)) != (1, 0):
        raise TypeError("f was differentiated for a vector x and a number a")
    if x.dtype.kind != "f":
        raise TypeError("f was differentiated for a float array x")

An array of integers is as good where its numbers go on as floats. Where they do not
(`integer_arguments.py`), the program would round what it writes, and its derivatives say nothing of
that. An array of another rank, or one for a number, is as good in a program that acts entry by
entry (`fixed_ranks.py`); elsewhere NumPy broadcasts, and the derivative is that of another
function. The decorator makes another program instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjointgen.analysis.values.fixed_ranks import arrays_of_fixed_rank, spread_numbers
from adjointgen.analysis.values.integer_arguments import must_be_floats
from adjointgen.api.arguments.assumption_checks import listed
from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.ir.edit import is_check
from adjointgen.ir.nodes import Apply, Function, Value
from adjointgen.ir.packing import places
from adjointgen.ir.types import REAL
from adjointgen.records import replace

_NARROWER = {"float": "int", "complex": "(int, float)"}
_NUMPY = "import numpy as np"
_NOUNS: Mapping[int, tuple[str, str]] = {
    0: ("number", "numbers"),
    1: ("vector", "vectors"),
    2: ("matrix", "matrices"),
}
_FEW, _SHORT = 4, 3
"""So many arguments are in one test, and so many ranks are compared in a chain."""


def kinds_checked(
    primal: Function, made: Function, target: Target, *, reverse: bool = True
) -> Function:
    """A derivative of a function, with tests of the arguments that others must not stand for.

    In `reverse` the adjoint of a number is the sum over what it was spread to.
    """
    checks = [
        *_ranks_checked(primal, made, target, reverse),
        *_floats_checked(primal, made, target),
    ]
    if not checks:
        return made
    more = () if _NUMPY in made.imports or target != PYTHON else (_NUMPY,)
    stmts = made.body.stmts
    # The structure of an argument is tested before its parts, and their ranks before lengths.
    before = (k for k, s in enumerate(stmts, 1) if is_check(s) and s.option("lengths") is None)
    after = max(before, default=0)
    body = replace(made.body, stmts=(*stmts[:after], *checks, *stmts[after:]))
    return replace(made, body=body, imports=(*made.imports, *more))


def _shown(function: Function, params: Sequence[Value]) -> list[str]:
    """What arguments are called, those in a structure as they are read from it."""
    known = places(function)
    return [known.get(param.root, param.root) for param in params]


def _ranks_checked(
    primal: Function, made: Function, target: Target, reverse: bool
) -> Iterator[Apply]:
    """A test of the ranks of the function's arguments, of those for which they matter."""
    own = {param.root for param in primal.body.params}
    ranks = {p.root: p.type.rank or 0 for p in arrays_of_fixed_rank(made) if p.root in own}
    ranks |= {p.root: 0 for p in spread_numbers(primal)} if reverse else {}
    ranks |= {p.root: 0 for p in primal.body.params if p.type.is_scalar and p.name in primal.ranks}
    params = [p for p in made.body.params if p.root in ranks.keys() - _tested(made)]
    if not params:
        return
    named = {p.root: name for p, name in zip(params, _shown(made, params), strict=True)}
    for group in _grouped(params, ranks):
        of = [ranks[param.root] for param in group]
        names = {rank: [named[p.root] for p in group if ranks[p.root] == rank] for rank in of}
        what = listed([_of_rank(*each) for each in names.items()])
        message = f"{primal.name} was differentiated for {what}"
        yield check_statement(group, _rank_test(of, target), "TypeError", message)


def _grouped(params: Sequence[Value], ranks: Mapping[str, int]) -> Iterator[Sequence[Value]]:
    """The arguments that one test is for: all, or if these are many, those of one rank."""
    if len(params) <= _FEW:
        yield params
        return
    for rank in dict.fromkeys(ranks[param.root] for param in params):
        yield [param for param in params if ranks[param.root] == rank]


def _tested(made: Function) -> set[str]:
    """The arguments whose ranks are tested already."""
    checks = (s for s in made.body.stmts if is_check(s) and s.option("ranks") is not None)
    return {arg.root for stmt in checks for arg in stmt.args if isinstance(arg, Value)}


def _of_rank(rank: int, names: Sequence[str]) -> str:
    """A vector x, matrices A and B, an array T of 3 axes."""
    one, several = _NOUNS.get(rank, ("array", "arrays"))
    what = _called(one, several, names)
    return what if rank in _NOUNS else f"{what} of {rank} axes"


def _rank_test(ranks: Sequence[int], target: Target) -> str:
    """A test that finds an argument of another rank; Numba knows no rank of a number."""
    if target != PYTHON:
        number = "not isinstance(_{}_, (int, float, complex))"
        tests = (f"_{k}_.ndim != {n}" if n else number.format(k) for k, n in enumerate(ranks))
        return " or ".join(tests)
    found = [f"_{k}_.ndim" if rank else f"np.ndim(_{k}_)" for k, rank in enumerate(ranks)]
    if len(found) == 1:
        return f"{found[0]} != {ranks[0]}"
    if len({*ranks}) > 1:
        return f"({', '.join(found)}) != {tuple(ranks)}"
    if len(found) <= _SHORT:
        return f"not ({' == '.join(found)} == {ranks[0]})"
    names = ", ".join(f"_{k}_" for k in range(len(ranks)))
    one, rank = ("array", "array.ndim") if ranks[0] else ("number", "np.ndim(number)")
    return f"any({rank} != {ranks[0]} for {one} in ({names}))"


def _floats_checked(primal: Function, made: Function, target: Target) -> Iterator[Apply]:
    """Tests of the arguments that integers must not stand for."""
    asked = {param.root for one in (primal, made) for param in must_be_floats(one)}
    groups: dict[tuple[str, str], list[Value]] = {}
    for param in made.body.params:
        if param.root in asked:
            kind = "float" if param.type.dtype in REAL else "complex"
            groups.setdefault((kind, param.type.kind), []).append(param)
    for (kind, form), params in groups.items():
        test = (_of_arrays if form == "array" else _of_numbers)(kind, len(params), target)
        one = f"{kind} array" if form == "array" else kind
        what = _called(one, f"{one}s", _shown(made, params))
        message = f"{primal.name} was differentiated for {what}"
        yield check_statement(params, test, "TypeError", message)


def _called(one: str, several: str, names: Sequence[str]) -> str:
    """A float x, floats x and y."""
    article = "an" if one[0] in "aeiou" else "a"
    return f"{article} {one} {names[0]}" if len(names) == 1 else f"{several} {listed(names)}"


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
