"""Seeds along groups of unit vectors: a derivative along few directions gives a sparse Jacobian.

    f(x, x_dot):                             f(x):
        y_dot = 2 * x * x_dot        ->          x_dot = pattern.seeds(0, (n,))
        return y_dot                             y_dot = 2 * x * x_dot
                                                 return pattern.matrix(y_dot)

The program has a batch axis in its seeds and results, the first. The object that the module calls
`pattern` knows the groups of columns, and where entries stand in the results. (Griewank and Walther
2008, chapter 8.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod

from adjointgen.batching.unit_seeds import measured
from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import Apply, Function, Leaf, Operand, Value
from adjointgen.ir.types import OBJECT, Dim
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names

Shape = tuple[int, ...]


def along_groups(
    function: Function,
    seeds: Mapping[str, Shape],
    dropped: Collection[str],
    table: str,
    directions: int,
    result: str,
) -> Function:
    """A batched derivative without its seeds, which have these shapes, as a sparse matrix.

    Parameters that are `dropped` are the seeds, and the structures that they lie in.
    """
    builder = Builder(Names.of(function))
    made = dict(_seeded(builder, function, seeds, table, directions))
    params = tuple(p for p in function.body.params if p.root not in dropped)
    body = substitute_in(replace(function.body, params=params), made)
    body = measured(body, {f"{root}.0": Dim("", directions) for root in seeds})
    for stmt in body.stmts:
        builder.add(stmt)
    matrix = Value(builder.names.fresh(result), OBJECT, result)
    holes = ", ".join(f"_{k}_" for k in range(len(body.yields)))
    builder.add(_verbatim(matrix, f"{table}.matrix({holes})", body.yields))
    return replace(
        function,
        parameters=tuple(p for p in function.parameters if p.name not in dropped),
        body=replace(body, stmts=builder.stmts, yields=(matrix,)),
        results=Leaf(),
        names=(result,),
        packed=tuple(p for p in function.packed if p.name not in dropped),
    )


def _seeded(
    builder: Builder, function: Function, seeds: Mapping[str, Shape], table: str, directions: int
) -> Iterator[tuple[str, Operand]]:
    """The seeds, one after the other in the order of entries, as they are made."""
    first, by_root = 0, {p.root: p for p in function.body.params}
    for root, shape in seeds.items():
        param = by_root[root]
        dims = Dim("", directions), *(param.type.shape or ())[1:]
        value = replace(param, type=replace(param.type, shape=dims))
        builder.add(_verbatim(value, f"{table}.seeds({first}, {shape})", ()))
        yield param.name, value
        first += prod(shape)


def _verbatim(result: Value, code: str, operands: Sequence[Operand]) -> Apply:
    return Apply((result,), "verbatim", tuple(operands), (("code", code),))
