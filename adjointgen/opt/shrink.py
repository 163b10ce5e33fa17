"""Make a failing program small: the same failure from less source and smaller arguments.

Greedy descent over program → smaller programs, as in delta debugging (A. Zeller, R. Hildebrandt,
Simplifying and isolating failure-inducing input, IEEE TSE 28, 2002), with syntax trees in place of
text, so that every candidate is a whole program. A candidate is kept if `fails` still says yes.
The order of the candidates is fixed, so a program shrinks in the same way each time: statements
first, then results and definitions, then expressions, then arguments. `fails` must refuse programs
that do not run; this module knows nothing of meaning.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final, TypeGuard

import numpy as np

from adjointgen.opt.program import Program, flatten, refill

Fails = Callable[[Program], bool]
Edit = Callable[[ast.Module], None]
BUDGET: Final = 1500
SIMPLE: Final = ("1.0", "0.5", "0")
LIBRARIES: Final = ("np", "math")


def shrink(program: Program, fails: Fails, budget: int = BUDGET) -> Program:
    """The smallest program found for which `fails` holds, within `budget` questions.

    After a success the search goes on at the same place: what failed on the larger program is
    asked again only in the next round.
    """
    asked, improved = 0, True
    while improved and asked < budget:
        improved, place = False, 0
        while asked < budget:
            found = None
            for candidate in islice(candidates(program), place, None):
                if asked >= budget:
                    break
                asked += 1
                if _smaller(candidate, program) and fails(candidate):
                    found = candidate
                    break
                place += 1
            if found is None:
                break
            program, improved = found, True
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Smaller neighbours, the largest cuts first."""
    tree = ast.parse(program.source)
    definitions = partial(_definition_edits, name=program.name)
    for edits in (_statement_edits, definitions, _expression_edits):
        for edit in edits(tree):
            copy = deepcopy(tree)
            edit(copy)
            source = ast.unparse(ast.fix_missing_locations(copy)) + "\n"
            if _parses(source):
                yield replace(program, source=source)
    yield from _without_parameters(program)
    yield from _smaller_arguments(program)


def _parses(source: str) -> bool:
    """Whether a text is a program: an edit may leave a star where none may stand."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def size(program: Program) -> tuple[int, int, int]:
    """Nodes of the tree, numbers in the arguments, digits of those numbers."""
    nodes = sum(1 for _ in ast.walk(ast.parse(program.source)))
    numbers = flatten(list(program.args))
    return nodes, numbers.size + len(program.wrt), sum(len(repr(float(n))) for n in numbers)


def _smaller(a: Program, b: Program) -> bool:
    return size(a) < size(b)


# Statements.


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """All the statement lists, in a fixed order: an edit finds its place in a copy by number."""
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                found.append(body)
    return found


def _statement_edits(tree: ast.Module) -> Iterator[Edit]:
    """Delete half a body, delete a statement, keep only the inside of a compound one."""
    bodies = _bodies(tree)
    for number, body in enumerate(bodies):
        if len(body) > 3:
            half = len(body) // 2
            yield partial(_cut, number, slice(0, half))
            yield partial(_cut, number, slice(half, -1))
    for number, body in enumerate(bodies):
        for place, statement in reversed(list(enumerate(body))):
            yield partial(_cut, number, slice(place, place + 1))
            for name in ("body", "orelse"):
                if not isinstance(statement, ast.FunctionDef) and getattr(statement, name, None):
                    yield partial(_unwrap, number, place, name)


def _cut(number: int, part: slice, tree: ast.Module) -> None:
    body = _bodies(tree)[number]
    del body[part]
    if not body:
        body.append(ast.Pass())


def _unwrap(number: int, place: int, name: str, tree: ast.Module) -> None:
    body = _bodies(tree)[number]
    body[place : place + 1] = getattr(body[place], name)


# Results, defaults, annotations.


def _definition_edits(tree: ast.Module, name: str) -> Iterator[Edit]:
    """Return one result of several; drop defaults, annotations and the other arm of a branch."""
    results = [n.value for n in ast.walk(_main(tree, name)) if isinstance(n, ast.Return)]
    if results and isinstance(results[0], ast.Tuple):
        for keep in range(len(results[0].elts)):
            yield partial(_keep_result, keep, name)
    for number, node in enumerate(ast.walk(tree)):
        match node:
            case ast.FunctionDef(args=ast.arguments(defaults=[_, *_])):
                yield partial(_assign, number, "args.defaults", [])
            case ast.arg(annotation=ast.expr()):
                yield partial(_assign, number, "annotation", None)
            case ast.If(orelse=[_, *_]) | ast.For(orelse=[_, *_]):
                yield partial(_assign, number, "orelse", [])


def _keep_result(keep: int, name: str, tree: ast.Module) -> None:
    """In all returns of the function at once: they agree in their structure."""
    for node in ast.walk(_main(tree, name)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            node.value = node.value.elts[min(keep, len(node.value.elts) - 1)]


def _assign(number: int, path: str, value: Any, tree: ast.Module) -> None:
    owner: Any = _node(tree, number)
    *outer, name = path.split(".")
    for step in outer:
        owner = getattr(owner, step)
    setattr(owner, name, value)


def _main(tree: ast.Module, name: str) -> ast.FunctionDef:
    named = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(named, ast.FunctionDef(name, _no_arguments(), [], []))


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _node(tree: ast.Module, number: int) -> ast.AST:
    return next(islice(ast.walk(tree), number, None))


# Expressions.


def _expression_edits(tree: ast.Module) -> Iterator[Edit]:
    """Put a sub-expression, or a plain number, in the place of an expression."""
    for number, node in enumerate(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            for place, child in enumerate(value if isinstance(value, list) else [value]):
                if name == "func" or not _replaceable(child):
                    continue
                for part in range(len(_parts(child))):
                    yield partial(_lift, number, name, place, part)
                if not isinstance(child, ast.Name | ast.Constant):
                    for text in SIMPLE:
                        yield partial(_put, number, name, place, text)


def _replaceable(child: Any) -> TypeGuard[ast.expr]:
    return isinstance(child, ast.expr) and isinstance(getattr(child, "ctx", ast.Load()), ast.Load)


def _parts(node: ast.expr) -> list[ast.expr]:
    """The expressions right below `node`; indices and names of functions are none."""
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        library = isinstance(owner, ast.Name) and owner.id in LIBRARIES
        return [*node.args, *([owner] if owner is not None and not library else [])]
    return [child for child in ast.iter_child_nodes(node) if _replaceable(child)]


def _lift(number: int, name: str, place: int, part: int, tree: ast.Module) -> None:
    _exchange(tree, number, name, place, lambda old: _parts(old)[part])


def _put(number: int, name: str, place: int, text: str, tree: ast.Module) -> None:
    _exchange(tree, number, name, place, lambda _: ast.parse(text, mode="eval").body)


def _exchange(
    tree: ast.Module, number: int, name: str, place: int, new: Callable[[ast.expr], ast.expr]
) -> None:
    owner = _node(tree, number)
    value = getattr(owner, name)
    if isinstance(value, list):
        value[place] = new(value[place])
    else:
        setattr(owner, name, new(value))


# Arguments.


def _without_parameters(program: Program) -> Iterator[Program]:
    """Differentiate less; then pass less."""
    if len(program.wrt) > 1:
        for name in program.wrt:
            yield replace(program, wrt=tuple(n for n in program.wrt if n != name))
    for position, name in enumerate(program.parameters):
        tree = ast.parse(program.source)
        arguments = _main(tree, program.name).args
        if name in program.wrt or arguments.defaults or len(arguments.args) <= position:
            continue
        del arguments.args[position]
        yield replace(
            program,
            source=ast.unparse(tree) + "\n",
            parameters=_without(program.parameters, position),
            args=_without(program.args, position),
        )


def _without(items: tuple[Any, ...], position: int) -> tuple[Any, ...]:
    return items[:position] + items[position + 1 :]


def _smaller_arguments(program: Program) -> Iterator[Program]:
    """Shorter axes, in one argument or wherever the same length occurs; then rounder numbers."""
    lengths = sorted({n for a in program.args if isinstance(a, np.ndarray) for n in a.shape})
    for n in lengths:
        if n > 1:
            yield replace(program, args=tuple(_shorten(a, n) for a in program.args))
    for position, value in enumerate(program.args):
        for smaller in (*_shorter(value), *_rounder(value)):
            args = (*program.args[:position], smaller, *program.args[position + 1 :])
            yield replace(program, args=args)


def _shorten(value: Any, n: int) -> Any:
    """Every axis of length `n` made shorter by one, and integers with it."""
    if isinstance(value, int):
        return value - 1 if value == n else value
    if isinstance(value, np.ndarray):
        return value[tuple(slice(n - 1) if m == n else slice(None) for m in value.shape)].copy()
    return value


def _shorter(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        for axis, n in enumerate(value.shape):
            if n > 1:
                yield np.delete(value, n - 1, axis).copy()
    elif isinstance(value, list) and len(value) > 1:
        yield value[:-1]


def _rounder(value: Any) -> Iterator[Any]:
    if isinstance(value, int):
        return
    numbers = flatten(value)
    rounded = np.round(numbers, 1)
    rounded[rounded == 0] = 0.1
    if not np.array_equal(rounded, numbers):
        yield refill(value, rounded)
