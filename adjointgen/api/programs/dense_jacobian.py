"""Programs of dense Jacobians: one derivative along all unit vectors.

    f(x) -> y     f_jacobian(x) -> an array of shape y.shape + x.shape

The tangent follows the unit vectors of the inputs, all at once (`batching/unit_seeds.py`). Where
the result has fewer entries, as far as its shape is known, the adjoint follows those of the
result, and the Jacobian of one number is its gradient. A Hessian is the Jacobian of a gradient.
(Griewank and Walther 2008, section 3.1; which mode is cheaper: section 4.6.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from adjointgen.ad.modes.project_outputs import ones, project
from adjointgen.api.programs.same_classes import constructed, with_classes
from adjointgen.batching.list_ends import is_list, with_arrays
from adjointgen.batching.unit_seeds import along_inputs, along_output
from adjointgen.errors import TypeMismatch
from adjointgen.ir.edit import with_values
from adjointgen.ir.nodes import Function, Leaf, Node, Operand, Tree, Value
from adjointgen.ir.packing import find, leaves, mapped, renamed, unnamed
from adjointgen.ir.types import COMPLEX, Type
from adjointgen.many_directions import along_rows
from adjointgen.pipeline import derive
from adjointgen.program import Program
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names

HELP = "name its numbers and arrays in wrt, or write mode tangent and follow directions"


def jacobian_of(
    program: Program, wrt: tuple[str, ...], several: bool, disable: Collection[str] = ()
) -> Program:
    """The dense Jacobian, without the value; it nests: results outside, inputs inside. That of a
    list of numbers has an axis more, as that of an array.

    Raises TypeMismatch (AG404) for lists of numbers in `wrt` and for what has no derivative,
    NotBatched (AG143) where a statement has no form for many directions.
    """
    inputs = _inputs(program.function, wrt)
    lists = [k for k, y in enumerate(program.function.body.yields) if is_list(y)]
    function = with_arrays(program.function, (), lists)
    program = replace(program, function=function)
    if follows_inputs(function, wrt):
        made = _by_columns(program, wrt, inputs, disable)
    elif _is_number(function, inputs):
        made = _gradient(program, wrt, disable)
    else:
        made = _by_rows(program, wrt, disable)
    named = _named(made.function, function, inputs)
    results = _nested(function, wrt, several or len(wrt) > 1)
    return replace(made, function=replace(named, results=results), results=0)


def follows_inputs(function: Function, wrt: tuple[str, ...]) -> bool:
    """Whether it is the tangent that is followed, and not the adjoint."""
    inputs = _inputs(function, wrt)
    return not _is_number(function, inputs) and not _has_fewer_entries(function, inputs)


def _inputs(function: Function, wrt: tuple[str, ...]) -> list[Value]:
    """The numbers and arrays of floats that names are of, or that lie in the structures there.

    Raises TypeMismatch (AG404) for lists of numbers, and where there are none.
    """
    params = {p.root: p for p in function.body.params}
    found = []
    for name in wrt:
        own = [params[leaf] for leaf, _ in leaves(_tree(function, name)) if leaf in params]
        own = [p for p in own if p.type.is_differentiable]
        if not own or not all(_has_unit_vectors(p.type) for p in own):
            what = f"{name} of {function.name} is no number and no array, and has no dense Jacobian"
            raise TypeMismatch(what, code="AG404", help=HELP)
        found += own
    return found


def _tree(function: Function, name: str) -> Tree:
    """The structure of what is named."""
    found = find(function, name)
    return Node("literal", (), (0,)) if found is None else found[1]


def _has_unit_vectors(type: Type) -> bool:
    return type.kind in ("scalar", "array") and type.rank is not None


def _nested(function: Function, wrt: tuple[str, ...], several: bool) -> Tree:
    """The structure of the results, with that of what is differentiated in the place of each."""
    own = {p.root: p.root for p in function.body.params if p.type.is_differentiable}
    groups = [(name, _tree(function, name)) for name in wrt]
    pairs = zip(wrt, renamed(groups, own), strict=True)
    trees = tuple(constructed(unnamed(tree), name) for name, tree in pairs)
    block = Node("tuple", trees) if several else trees[0]
    is_gradient = function.name.endswith("_grad")
    outer = with_classes(function, wrt, value=False).results if is_gradient else function.results
    return mapped(outer, lambda name: block)


def _is_number(function: Function, inputs: Sequence[Value]) -> bool:
    """Whether the Jacobian is a gradient: of one real number, by real arguments."""
    ends = function.body.yields
    real = all(v.type.dtype not in COMPLEX for v in (*ends, *inputs))
    return len(ends) == 1 and real and isinstance(function.results, Leaf) and not ends[0].type.rank


def _has_fewer_entries(function: Function, inputs: Sequence[Value]) -> bool:
    """Whether there are fewer rows than columns, as far as lengths are known."""
    y, *others = function.body.yields
    if others or not isinstance(function.results, Leaf):
        return False
    if any(v.type.dtype in COMPLEX for v in (y, *inputs)):
        return False
    rows = _entries(y)
    columns = [_entries(x) for x in inputs]
    if rows is None:
        return False
    return None in columns or rows < sum(n for n in columns if n is not None)


def _entries(operand: Operand) -> int | None:
    """How many entries there are; None where that is not known."""
    shape = operand.type.shape
    if shape is None or any(d is None or d.known is None for d in shape):
        return None
    return prod(d.known or 0 for d in shape if d is not None)


def _gradient(program: Program, wrt: tuple[str, ...], disable: Collection[str]) -> Program:
    def choose(made: Function) -> Function:
        fixed = ones(made.body.params[len(program.function.body.params) :])
        return project(made, made.name, fixed, tuple(range(1, len(made.body.yields))))

    return derive(program, "adjoint", wrt, disable, choose=choose, last=True)


def _by_rows(program: Program, wrt: tuple[str, ...], disable: Collection[str]) -> Program:
    (y,) = program.function.body.yields

    def choose(made: Function) -> Function:
        return project(made, made.name, {}, tuple(range(1, len(made.body.yields))))

    derived = derive(program, "adjoint", wrt, disable, choose=choose, last=True)
    (seed,) = derived.function.body.params[len(program.function.body.params) :]
    made = along_rows(derived, {seed.root}, disable)
    return replace(made, function=along_output(made.function, seed.root, y))


def _by_columns(
    program: Program, wrt: tuple[str, ...], inputs: Sequence[Value], disable: Collection[str]
) -> Program:
    function = program.function
    first, own = len(function.body.yields), len(function.body.params)
    packed = {name for name in wrt if isinstance(_tree(function, name), Node)}
    alone = len(inputs) == 1 and inputs[0].type.is_scalar and not packed

    def choose(made: Function) -> Function:
        fixed = ones(made.body.params[own:] if alone else ())
        return project(made, made.name, fixed, tuple(range(first, len(made.body.yields))))

    derived = derive(program, "tangent", wrt, disable, choose=choose, last=True)
    if alone:
        return derived
    given = derived.function.body.params[own:]
    seeds = [p.root for p in given if _has_unit_vectors(p.type)]
    made = along_rows(derived, set(seeds), disable)
    likes, whole = dict(zip(seeds, inputs, strict=True)), {p.root for p in given} - {*seeds}
    function = along_inputs(made.function, likes, program.compiled, whole)
    return replace(made, function=function)


def _named(function: Function, program: Function, inputs: Sequence[Value]) -> Function:
    """The program with the names of blocks: `jacobian`, `hessian_a`, `jacobian_y_x`."""
    base, is_hessian, _ = program.name.partition("_grad")
    noun = "hessian" if is_hessian else "jacobian"
    outputs = [name.removesuffix("_bar") for name in program.names]
    taken, names = Names(p.root for p in function.body.params), list[str]()
    for output in outputs:
        for one in inputs:
            parts = [output] * (len(outputs) > 1) + [one.root] * (len(inputs) > 1)
            names.append(taken.fresh("_".join((noun, *parts))))
    roots = {
        y.root: name
        for y, name in zip(function.body.yields, names, strict=True)
        if isinstance(y, Value) and y.root and y.root not in {p.root for p in function.body.params}
    }
    body = with_values(
        function.body, lambda v: replace(v, root=roots[v.root]) if v.root in roots else v
    )
    return replace(function, name=f"{base}_{noun}", names=tuple(names), body=body)
