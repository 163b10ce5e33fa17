"""Hessian-vector programs of functions whose loops keep few states.

The tangent of a gradient has the loops of both sweeps, and nothing can be computed again in the
second. The gradient of the tangent is the same product with one reverse sweep, for which the
schedules of the loops hold:

    y, y_dot = f_tangent(x, x_dot)      y_dot = f'(x) x_dot
    x_bar    = d y_dot / dx             the Hessian times x_dot
    x_dot_bar = d y_dot / dx_dot        the gradient

(Griewank and Walther 2008, section 5.2: reverse over forward.)
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate

from adjointgen.ad.checkpoints.outline_steps import has_schedules
from adjointgen.ad.modes.project_outputs import ones, project
from adjointgen.api.programs.recipes import Recipe
from adjointgen.ir.nodes import Function, Node, Tree
from adjointgen.ir.packing import count, passed
from adjointgen.pipeline import derive
from adjointgen.program import Program
from adjointgen.records import replace


def by_schedules(function: Function, recipe: Recipe, wrt: tuple[str, ...]) -> bool:
    """Whether a recipe is the tangent of a gradient, by the same arguments, of such loops."""
    match recipe:
        case [first, last] if first.kind == "grad" and last.kind == "tangent":
            plain = not first.aux and not last.directions
            same = last.wrt is None or set(last.wrt) == set(wrt)
            return plain and same and has_schedules(function)
    return False


def gradient_of_tangent(
    program: Program, wrt: tuple[str, ...], recipe: Recipe, disable: Collection[str] = ()
) -> Program:
    """`x, x_dot -> gradient, product`, in this order, as the tangent of a gradient gives them.

    A tangent that is `alone` is the product.
    """
    pushed = derive(program, "tangent", wrt, disable)
    before = {p.name for p in passed(program.function)}
    dots = tuple(p.name for p in passed(pushed.function) if p.name not in before)

    def choose(made: Function) -> Function:
        pair = _paired(made, pushed.function, len(wrt), recipe[0].several)
        return _product(pair, len(pair.body.yields) // 2) if recipe[-1].alone else pair

    derived = derive(
        pushed, "adjoint", (*wrt, *dots), disable, choose=choose, last=True, outputs=(1,)
    )
    return replace(derived, results=0)


def product_alone(program: Program, wrt: tuple[str, ...], disable: Collection[str] = ()) -> Program:
    """The tangent of a gradient without the gradient: the Hessian-vector product."""
    first = len(program.function.body.yields)

    def choose(made: Function) -> Function:
        return _product(made, first)

    return replace(derive(program, "tangent", wrt, disable, choose=choose, last=True), results=0)


def _product(made: Function, first: int) -> Function:
    base = made.name.partition("_grad")[0].partition("_tangent")[0]
    return project(made, f"{base}_hvp", {}, tuple(range(first, len(made.body.yields))))


def _paired(made: Function, pushed: Function, by: int, several: bool) -> Function:
    """The adjoints of the seeds, then those of the arguments; the seed of `y_dot` is 1."""
    assert isinstance(made.results, Node)
    sizes = list(map(count, made.results.children))
    starts = [0, *accumulate(sizes)]
    bars = [range(starts[k], starts[k + 1]) for k in range(len(sizes))][1:]
    order = (*bars[by:], *bars[:by])
    own = made.body.params[len(pushed.body.params) :]
    fixed = ones(own)
    kept = tuple(k for places in order for k in places)
    chosen = project(made, f"{pushed.name}_grad", fixed, kept)
    children = made.results.children[1:]
    pair = (_one(children[by:], several), _one(children[:by], several))
    return replace(chosen, results=Node("tuple", pair))


def _one(bars: tuple[Tree, ...], several: bool) -> Tree:
    """What a gradient returns: one adjoint as it is, several as a tuple."""
    return bars[0] if len(bars) == 1 and not several else Node("tuple", bars)
