"""Adjoints of instances by a reverse sweep: it has no argument, so the tape has their classes.

    f_forward(p, x) -> y, FTape(p_type=type(p), sin=sin)
    f_reverse(tape, y_bar) -> p_type(rate=p_rate_bar, weights=p_weights_bar), x_bar

The classes come first on the tape. What has no plain constructor stays a dict, as in
`same_classes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjointgen.ad.modes.tangent import distinct
from adjointgen.api.programs.same_classes import with_classes
from adjointgen.ir.nodes import Apply, Block, Function, Leaf, Node, Operand, Stmt, Tree, Value
from adjointgen.ir.packing import CLASS, CONSTRUCT, CONSTRUCT_BY, find, identifier
from adjointgen.ir.types import OBJECT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def with_recorded_classes(primal: Function, forward: Function, names: Sequence[str]) -> Function:
    """A forward sweep whose tape has the classes of what its reverse sweep constructs.

    The reverse sweep is its first callee, and returns adjoints by what is `names`.
    """
    reverse, *callees = forward.callees
    bars = Node("tuple", (Leaf(), *_children(reverse.results)))
    built = with_classes(replace(reverse, results=bars), names).results
    trees = _children(built)[1:]
    places = {p: k for tree in trees for p, k in _places(tree, primal)}
    if not places:
        return forward
    taken = [v.root for function in (forward, reverse) for v in function.body.params]
    titles = distinct([f"{identifier(place)}_type" for place in places], taken)
    supply = Names.of(reverse, also=taken)
    values = [Value(supply.fresh(title), OBJECT, title) for title in titles]
    by = dict(zip(places, values, strict=True))
    reverse = _constructing(_unpacking(reverse, values), trees, by, places)
    recording = _recording(forward, by, places)
    return replace(recording, callees=(reverse, *callees))


def _children(tree: Tree) -> tuple[Tree, ...]:
    assert isinstance(tree, Node)
    return tree.children


def _places(tree: Tree, primal: Function) -> Iterator[tuple[str, str]]:
    """Where the arguments have what is constructed, and the names of the classes."""
    if not isinstance(tree, Node):
        return
    if tree.make == CONSTRUCT:
        found = find(primal, tree.class_)
        assert found is not None and isinstance(found[1], Node)
        yield tree.class_, found[1].class_
    for child in tree.children:
        yield from _places(child, primal)


def _unpacking(reverse: Function, values: Sequence[Value]) -> Function:
    """A reverse sweep that takes these values from its tape, before all others."""
    body, tape = reverse.body, reverse.body.params[:1]
    stmts: list[Stmt] = list(body.stmts)
    for k, stmt in enumerate(stmts):
        if isinstance(stmt, Apply) and stmt.option("slots") is not None and stmt.args == tape:
            stmts[k] = replace(stmt, results=(*values, *stmt.results))
            break
    else:
        options = (("single", False), ("slots", ()))
        stmts.insert(0, Apply(tuple(values), "unpack", tape, options))
    return replace(reverse, body=replace(body, stmts=tuple(stmts)))


def _constructing(
    reverse: Function, trees: Sequence[Tree], by: Mapping[str, Value], classes: Mapping[str, str]
) -> Function:
    """A reverse sweep that calls the classes: each is a result before those that it is given."""
    own = iter(zip(reverse.names, reverse.body.yields, strict=True))
    found: list[tuple[str, Operand]] = []

    def built(tree: Tree) -> Tree:
        if isinstance(tree, Leaf):
            found.append(next(own))
        if not isinstance(tree, Node):
            return tree
        if tree.make != CONSTRUCT:
            return replace(tree, children=tuple(map(built, tree.children)))
        cls = by[tree.class_]
        found.append((cls.root, cls))
        children = (Leaf(), *map(built, tree.children))
        return Node(CONSTRUCT_BY, children, tree.keys, classes[tree.class_])

    results = Node("tuple", tuple(map(built, trees)))
    yields = tuple(value for _, value in found)
    body = replace(reverse.body, yields=yields)
    return replace(reverse, body=body, results=results, names=tuple(n for n, _ in found))


def _recording(forward: Function, by: Mapping[str, Value], classes: Mapping[str, str]) -> Function:
    """A forward sweep that records the classes, before all other things."""
    names = Names.of(forward)
    made = {p: replace(v, name=names.fresh(v.root)) for p, v in by.items()}
    params = {p.root: p for p in forward.body.params}
    stmts: list[Stmt] = []
    for place, own_class in made.items():
        whole = next(p for p in forward.packed if _begins(place, p.name))
        code = f"type(_0_{place.removeprefix(whole.name)})"
        options = (("code", code),)
        stmts.append(Apply((own_class,), "verbatim", (params[whole.name],), options))
    body, own = forward.body, len(forward.body.yields) - forward.kept
    yields = (*body.yields[:own], *made.values(), *body.yields[own:])
    value, tape = _children(forward.results)
    leaves = (Node(CLASS, (Leaf(),), (), classes[place]) for place in made)
    return replace(
        forward,
        body=Block(body.params, (*body.stmts, *stmts), yields),
        results=Node("tuple", (value, Node("tuple", (*leaves, *_children(tape))))),
        names=(*forward.names[:own], *(v.root for v in made.values()), *forward.names[own:]),
        kept=forward.kept + len(made),
    )


def _begins(place: str, name: str) -> bool:
    """Whether what is at a place is in the argument of this name."""
    return place.startswith(name) and place[len(name) :][:1] in ("", ".", "[")
