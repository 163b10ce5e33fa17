"""Programs for many samples or directions: what has an axis more, and whether a loop has to do it.

f_tangent(x, x_dot)  ->  x_dot (k, n), y_dot (k, m)      along_rows
                     ->  x_dot (n, k), y_dot (m, k)      directed
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from adjointgen.batching.last_axis import with_last_axis
from adjointgen.batching.list_ends import is_list, with_arrays, with_lists
from adjointgen.batching.one_by_one import one_by_one
from adjointgen.errors import NotBatched
from adjointgen.ir.nodes import Function
from adjointgen.passes.run import run
from adjointgen.passes.unit import Unit
from adjointgen.program import Program
from adjointgen.records import replace
from adjointgen.rules.framework.batching import not_batched


def batched(program: Program, params: Collection[str], disable: Collection[str] = ()) -> Program:
    """The program over a batch axis, the first, of these parameters; its results have one, too.

    Raises NotBatched where samples have to be done one by one.
    """
    return replace(program, function=_at_once(program, params, disable), batch=True)


def along_rows(
    program: Program,
    seeds: Collection[str],
    disable: Collection[str] = (),
    ends: Sequence[int] | None = None,
) -> Program:
    """The program over a batch axis of its seeds, at once or in a loop; so have its results, all or
    those at the places `ends`.

    Raises NotBatched for a program that is neither.
    """
    places = range(len(program.function.names)) if ends is None else ends
    try:
        made = _at_once(program, seeds, disable, places)
    except NotBatched as error:
        try:
            made = one_by_one(program.function, seeds, places)
        except NotBatched:
            raise error from None
    return replace(program, function=made, batch=True)


def _at_once(
    program: Program,
    params: Collection[str],
    disable: Collection[str],
    ends: Sequence[int] = (),
) -> Function:
    off = frozenset(disable)
    unit = Unit(program.function, program.primal, off, samples=params, ends=ends)
    return run("batch", unit).function


def directed(program: Program, seeds: Collection[str], disable: Collection[str] = ()) -> Program:
    """The program along several directions: its seeds and derivatives have an axis more, the last.

    Raises NotBatched where directions have to be followed one by one.
    """
    function = program.function
    ends = range(program.results, len(function.names))
    lists = [k for k in ends if is_list(function.body.yields[k])]
    own = {p.root for p in function.body.params if p.root in seeds and is_list(p)}
    if program.compiled and (own or lists):
        not_batched("lists of numbers along several directions are not compiled")
    program = replace(program, function=with_arrays(function, own, lists))
    made = along_rows(program, seeds, disable, ends)
    return replace(
        made, function=with_lists(with_last_axis(made.function, seeds, ends), own, lists)
    )
