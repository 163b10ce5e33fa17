"""Arguments that are structures: which parameters are their leaves, and what is made of these.

A program has one parameter per number or array. Where the user's function takes a structure, its
leaves are parameters of their own in the program, and the structure is another one:

    f(p, x) with p = {"w": ..., "b": ...}     params  p: object, p_w, p_b, x

so no pass has to know of structures. What the program returns for the leaves (`p_w_bar`) is put
together again as the structure is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from weakref import WeakValueDictionary

from adjointgen.ir.nodes import Function, Leaf, Node, Packed, Parameter, Slot, Tree, Value
from adjointgen.ir.types import OBJECT
from adjointgen.records import replace

Groups = Sequence[tuple[str, Tree]]
"""What belongs together, under a name each: a tree of parameters."""

CLASSES: WeakValueDictionary[str, type] = WeakValueDictionary()
"""The classes of structures that programs take or give, by name."""

ZERO = Node("literal", (), (0,))
CONSTRUCT = "construct"
"""Makes an instance by calling the class of the argument whose place is the name of the class."""
CONSTRUCT_BY = "construct by"
"""Makes an instance by calling a class, the first of its children; `class_` is its name."""
CLASS = "class"
"""The class of instances itself, on a tape; `class_` is its name."""
TAPE = "tape"
"""Makes a tape: a named tuple of a class of the module itself."""
SHARED = "shared"
"""Marks a literal for an object whose leaves are those of an earlier place."""


def step(node: Node, position: int) -> str:
    """How an entry of a structure is written: `["w"]`, `.k`, `[0]`."""
    match node.make:
        case "tuple" | "list":
            return f"[{position}]"
        case "dict":
            return f"[{node.keys[position]!r}]"
        case _:
            return f".{node.keys[position]}"


def subtrees(tree: Tree, text: str) -> Iterator[tuple[str, Tree]]:
    """Every structure and leaf inside a structure, with how it is written."""
    yield text, tree
    if isinstance(tree, Node):
        for k, child in enumerate(tree.children):
            yield from subtrees(child, text + step(tree, k))


def leaves(tree: Tree, text: str = "") -> Iterator[tuple[str, str]]:
    """The parameter of every leaf, and how it is written."""
    for place, part in subtrees(tree, text):
        if isinstance(part, Leaf):
            yield part.name, place


def places(function: Function) -> dict[str, str]:
    """How the parameters that are leaves are written: `{"p_w": "p['w']"}`."""
    return dict(pair for packed in function.packed for pair in leaves(packed.tree, packed.name))


def mapped(tree: Tree, at: Callable[[str], Tree]) -> Tree:
    """The tree with something else in the place of each leaf."""
    match tree:
        case Leaf(name=name):
            return at(name)
        case Slot():
            return tree
        case Node(children=children):
            return replace(tree, children=tuple(mapped(c, at) for c in children))


def find(function: Function, wanted: str) -> tuple[str, Tree] | None:
    """What is named by a parameter, or by a part of one: `x`, `p`, `self.k`, `p["w"]`, `p.w`."""
    packed = {p.name: p.tree for p in function.packed}
    if wanted in packed:
        return wanted, packed[wanted]
    if any(p.root == wanted for p in function.body.params):
        return wanted, Leaf(wanted)
    steps = _steps(wanted)
    for name, tree in packed.items():
        for place, part in subtrees(tree, name):
            if steps and steps == _steps(place):
                return (part.name if isinstance(part, Leaf) else identifier(place)), part
    return None


def singles(params: Sequence[Value]) -> Groups:
    """Each parameter for itself."""
    return [(p.root, Leaf(p.root)) for p in params]


def _steps(text: str) -> tuple[object, ...]:
    """The steps into a structure; an entry of a dict may be written as an attribute."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return ()
    found: list[object] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner, attr=name):
                found.append(name)
            case ast.Subscript(value=inner, slice=index):
                try:
                    found.append(ast.literal_eval(index))
                except ValueError:
                    return ()
            case _:
                return ()
        node = inner
    return (node.id, *reversed(found))


def identifier(place: str) -> str:
    """`self.params["w"]` as a name: `self_params_w`."""
    return "_".join("".join(c if c.isalnum() else " " for c in place).split())


def renamed(groups: Groups, names: Mapping[str, str]) -> list[Tree]:
    """The structures with what belongs to each leaf; nothing belongs to one without derivative."""
    return [mapped(tree, lambda n: Leaf(names[n]) if n in names else ZERO) for _, tree in groups]


def unnamed(tree: Tree) -> Tree:
    """The tree as one of results."""
    return mapped(tree, lambda _: Leaf())


def with_bars(results: Tree, groups: Groups, inputs: Sequence[Value]) -> Tree:
    """Results, and after them what belongs to each group of parameters."""
    own = {p.root: p.root for p in inputs}
    return Node("tuple", (results, *map(unnamed, renamed(groups, own))))


def seeds_of(
    groups: Groups, seeds: Mapping[str, Value], suffix: str
) -> tuple[list[Value], tuple[Packed, ...]]:
    """The seeds of parameters, behind the structures that they are read from."""
    values: list[Value] = []
    packed: list[Packed] = []
    names = {leaf: seed.root for leaf, seed in seeds.items()}
    for (name, tree), renamed_tree in zip(groups, renamed(groups, names), strict=True):
        if isinstance(renamed_tree, Node):
            whole = name + suffix
            values.append(Value(whole, OBJECT, whole))
            packed.append(Packed(whole, renamed_tree))
        values += [seeds[leaf] for leaf, _ in leaves(tree) if leaf in seeds]
    return values, tuple(packed)


def count(tree: Tree) -> int:
    """How many values a tree takes."""
    if isinstance(tree, Node):
        return sum(map(count, tree.children))
    return int(isinstance(tree, Leaf))


def is_plain(tree: Tree) -> bool:
    """Whether a structure is one of tuples and lists alone."""
    if not isinstance(tree, Node):
        return True
    return tree.make in ("tuple", "list") and all(map(is_plain, tree.children))


def passed(function: Function) -> tuple[Parameter, ...]:
    """The parameters that are passed: those that are no leaves of others."""
    inner = places(function)
    return tuple(p for p in function.parameters if p.name not in inner)


def plain_parameters(params: tuple[Value, ...]) -> tuple[Parameter, ...]:
    return tuple(Parameter(p.name) for p in params)


def plain_results(count: int) -> Tree:
    return Leaf() if count == 1 else Node("tuple", (Leaf(),) * count)
