"""What the seeds of a program are: `seed_arrangement.py` holds those of a call against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjointgen.api.arguments.pack_structures import paths_of
from adjointgen.api.arguments.structure_layout import Path
from adjointgen.api.programs.build_program import names_of
from adjointgen.api.programs.recipes import Recipe
from adjointgen.api.seeds.seed_arrangement import Seeding, Size, Slot
from adjointgen.api.seeds.seed_checks import Wanted
from adjointgen.ir.nodes import Function, Leaf, Node, Operand, Tree
from adjointgen.ir.packing import ZERO, count, find, leaves, mapped, passed
from adjointgen.ir.types import Dim, Type


def seeding_of(primal: Function, program: Function, recipe: Recipe) -> Seeding | None:
    """The seeds of a program; None where it has none."""
    mine = {p.name for p in primal.parameters}
    trees = {p.name: p.tree for p in program.packed}
    rows = [p.name for p in passed(program) if p.name not in mine]
    if not rows:
        return None
    given = tuple((name, trees.get(name, Leaf(name))) for name in rows)
    types = {p.root: p.type for p in program.body.params}
    names = [leaf for _, tree in given for leaf, _ in leaves(tree)]
    paths = paths_of(primal)
    split = recipe[-1].kind == "forward"
    outputs = None
    if split or recipe[-1].kind == "adjoint":
        outputs = _outputs(program, names, split and recipe[-1].aux)
    likes = _likes(primal, recipe, names, paths)
    directions = recipe[-1].directions
    more = (directions,) if directions else ()
    slots = {n: _slot(n, types[n], likes.get(n), paths, more) for n in names}
    alone = isinstance(outputs, Node | Leaf) and _is_alone(outputs, slots)
    return Seeding(slots, given, outputs, alone)


def _slot(
    name: str, type: Type, like: Path | None, paths: Mapping[str, Path], more: tuple[int, ...]
) -> Slot:
    wanted = Wanted(name, type.dtype, type.kind, type.rank)
    sizes = None if type.shape is None else tuple(_size(dim, paths) for dim in type.shape)
    return Slot(wanted, sizes, like, more)


def _size(dim: Dim | None, paths: Mapping[str, Path]) -> Size | None:
    """How a length is found from the arguments; None where it is not."""
    if dim is None or not dim.symbol:
        return None if dim is None else (None, 0, dim.offset)
    if dim.symbol in paths:
        return paths[dim.symbol], -1, dim.offset
    name, axis = dim.axis or ("", 0)
    return (paths[name], axis, dim.offset) if name in paths else None


def _outputs(program: Function, names: list[str], pair: bool) -> Tree | None:
    """The structure of what the function returns, or of the first of a `pair`, with the seeds as
    its leaves."""
    assert isinstance(program.results, Node)
    tree = program.results.children[0]
    if pair:
        assert isinstance(tree, Node)
        tree = tree.children[0]
    yields = program.body.yields[: count(tree)]
    active = [y for y in yields if y.type.is_differentiable]
    if len(active) > len(names):
        return None
    return _named(tree, iter(yields), iter(names[len(names) - len(active) :]))


def _named(tree: Tree, yields: Iterator[Operand], names: Iterator[str]) -> Tree:
    return mapped(
        tree, lambda _: Leaf(next(names)) if next(yields).type.is_differentiable else ZERO
    )


def _likes(
    primal: Function, recipe: Recipe, names: list[str], paths: Mapping[str, Path]
) -> dict[str, Path]:
    """The arguments that the seeds of a tangent program are tangents of."""
    if recipe[-1].kind != "tangent" or any("grad" not in step.kind for step in recipe[:-1]):
        return {}
    types = {p.root: p.type for p in primal.body.params}
    found = []
    for name in names_of(primal, recipe[-1]):
        group = find(primal, name)
        inner = [leaf for leaf, _ in leaves(group[1])] if group else []
        found += [paths[leaf] for leaf in inner if types[leaf].is_differentiable]
    return dict(zip(names, found, strict=True)) if len(found) == len(names) else {}


def _is_alone(outputs: Tree, slots: Mapping[str, Slot]) -> bool:
    """Whether a function returns one number, alone or beside what has no derivative."""
    found = [leaf for leaf, _ in leaves(outputs)]
    return len(found) == 1 and slots[found[0]].wanted.rank == 0
