"""A gradient has the shape of its argument; a program that drops the value compares them.

    x_bar = ...     =>     if x_bar.shape != x.shape: raise ValueError

NumPy compares lengths where the value is computed, which a gradient program may leave out. Where
neither types nor the lengths that are compared (`lengths_compared.py`) tell that the shapes are
equal, the program asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from adjointgen.analysis.values.required_lengths import Classes, Need
from adjointgen.api.programs.docstring_contract import inputs
from adjointgen.api.programs.recipes import Recipe
from adjointgen.ir.nodes import Apply, Function, Operand, Value
from adjointgen.records import replace


def shapes_compared(
    program: Function,
    primal: Function,
    recipe: Recipe,
    wrt: tuple[str, ...],
    needs: Sequence[Need],
) -> Function:
    """A gradient program, its tangent, or a Jacobian that raises ValueError where a shape is
    another, of lengths that `needs` do not state to be equal."""
    kinds = [step.kind for step in recipe]
    if kinds[-1] == "jacobian":
        tests = tuple(_tests_of_blocks(program, primal, wrt, kinds[0] == "grad"))
    elif kinds in (["grad"], ["grad", "tangent"]) and not any(step.aux for step in recipe):
        last = bool(recipe[-1].directions)
        tests = tuple(_tests(program, primal, wrt, last, Classes.of(needs)))
    else:
        return program
    body = program.body
    return replace(program, body=replace(body, stmts=(*body.stmts, *tests))) if tests else program


def _tests(
    program: Function, primal: Function, wrt: tuple[str, ...], last: bool, equal: Classes
) -> Iterator[Apply]:
    params = {p.root: p for p in program.body.params}
    names = [leaf for name in wrt for leaf in inputs(primal, name)]
    if not names or len(program.body.yields) % len(names):
        return
    asked = set[Operand]()
    for bar, name in zip(program.body.yields, cycle(names), strict=False):
        x = params[name]
        if isinstance(bar, Value) and bar not in asked and _may_differ(bar, x, last, equal):
            asked.add(bar)
            said = f"the gradient by {name} has the lengths of another array"
            own = "" if bar.type.rank == x.type.rank else "[:-1]" if last else "[1:]"
            code = f"if _0_.shape{own} != _1_.shape:\n    raise ValueError({said!r})"
            yield Apply((), "statement", (bar, x), (("code", code),))


def _tests_of_blocks(
    program: Function, primal: Function, wrt: tuple[str, ...], is_hessian: bool
) -> Iterator[Apply]:
    """Tests of the last axes of blocks, and of the first ones of those of a Hessian."""
    params = {p.root: p for p in program.body.params}
    inputs_ = [params[leaf] for name in wrt for leaf in inputs(primal, name)]
    for k, block in enumerate(program.body.yields):
        row, x = inputs_[k // len(inputs_) % len(inputs_)], inputs_[k % len(inputs_)]
        if not isinstance(block, Value) or not block.type.shape:
            continue
        rank = x.type.rank or 0
        if rank and block.type.shape[-rank:] != x.type.shape:
            yield _test(block, x, f"[-{rank}:]" if block.type.rank != rank else "")
        rank = row.type.rank or 0
        if is_hessian and rank and block.type.shape[:rank] != row.type.shape:
            yield _test(block, row, f"[:{rank}]")


def _test(block: Value, x: Value, axes: str) -> Apply:
    said = f"the derivative by {x.root} has the lengths of another array"
    code = f"if _0_.shape{axes} != _1_.shape:\n    raise ValueError({said!r})"
    return Apply((), "statement", (block, x), (("code", code),))


def _may_differ(bar: Value, x: Value, last: bool, equal: Classes) -> bool:
    """Whether types leave open that two arrays have one shape.

    A gradient for each sample of a batch has an axis more, its first; along several directions it
    is its `last`.
    """
    if not (bar.type.is_array and x.type.is_array):
        return False
    dims, own = x.type.shape, bar.type.shape
    if dims is not None and own is not None and len(own) > len(dims):
        own = own[:-1] if last else own[1:]
    if dims is None or own is None or len(own) != len(dims):
        return True
    pairs = zip(own, dims, strict=True)
    return any(a is None or b is None or equal.leader(a) != equal.leader(b) for a, b in pairs)
