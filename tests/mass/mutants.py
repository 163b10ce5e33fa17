"""Functions changed at random: what nobody writes, and a generator has to answer all the same.

A change takes the tree of a module and edits the function in one to three places: an expression by
another one of the function, an operator by another, a constant, a statement that is repeated,
dropped, moved into a branch or loop, a name by another. Results that do not compile are changes as
well.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable
from typing import Any

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow, ast.FloorDiv, ast.Mod)
COMPARISONS = (ast.Eq, ast.Lt, ast.GtE, ast.Is, ast.In, ast.NotEq)
CONSTANTS = (0, 1, -1, 2.5, 0.0, None, True, "a", "K", (), 1j, 10**30, ...)
TEMPLATES = (
    "np.sum({})", "{}.T", "{}[0]", "{}[::-1]", "{}[None, :]", "-{}", "float({})", "({}, {})",
    "[{} for k in range(3)]", "(lambda q={}: q)()", "f'{{{}}}'", "{} if {} else {}", "({}) @ ({})",
    "[*{}, 1.0]", "{{'a': {}}}['a']", "{}.copy()", "np.linalg.norm({})", "{} and {}",
    "np.swapaxes({}, 0, 1)", "max({}, {})", "{} == 2", "len({})", "next(iter({}))",
)  # fmt: skip


def mutated(text: str, name: str, seed: int) -> str | None:
    """The module with the function changed; None where it cannot be."""
    rng = random.Random(f"{name} {seed}")
    tree = ast.parse(text)
    node = _found(tree.body, name)
    if node is None:
        return None
    try:
        for _ in range(rng.randint(1, 3)):
            rng.choice(CHANGES)(node, rng)
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _found(body: list[ast.stmt], name: str) -> ast.FunctionDef | None:
    head, _, rest = name.partition(".")
    found = None
    for stmt in body:
        match stmt:
            case ast.FunctionDef(name=own) if own == name:
                found = stmt
            case ast.ClassDef(name=own, body=inner) if own == head and rest:
                found = _found(inner, rest) or found
            case ast.If(body=then, orelse=other) | ast.Try(body=then, orelse=other):
                found = _found(then + other, name) or found
    return found


def _expressions(node: ast.AST) -> list[ast.expr]:
    return [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.expr) and isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
    ]


def _replace(node: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(node):
        for key, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, key, new)
                return
            if isinstance(value, list) and any(item is old for item in value):
                setattr(parent, key, [new if item is old else item for item in value])
                return


def other_expression(node: ast.FunctionDef, rng: random.Random) -> None:
    found = _expressions(ast.Module(node.body, []))
    if len(found) > 1:
        old, new = rng.sample(found, 2)
        _replace(node, old, copy.deepcopy(new))


def wrapped(node: ast.FunctionDef, rng: random.Random) -> None:
    found = _expressions(ast.Module(node.body, []))
    if found:
        old = rng.choice(found)
        text = f"({ast.unparse(old)})"
        template = rng.choice(TEMPLATES)
        try:
            new = ast.parse(template.format(*[text] * template.count("{}")), mode="eval").body
        except (SyntaxError, IndexError):
            return
        _replace(node, old, new)


def operator(node: ast.FunctionDef, rng: random.Random) -> None:
    found = [n for n in ast.walk(node) if isinstance(n, ast.BinOp | ast.Compare | ast.AugAssign)]
    if found:
        one = rng.choice(found)
        if isinstance(one, ast.Compare):
            one.ops[rng.randrange(len(one.ops))] = rng.choice(COMPARISONS)()
        else:
            one.op = rng.choice(BINARY)()


def constant(node: ast.FunctionDef, rng: random.Random) -> None:
    found = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
    if found:
        rng.choice(found).value = rng.choice(CONSTANTS)


def name(node: ast.FunctionDef, rng: random.Random) -> None:
    found = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    if len(found) > 1:
        one, other = rng.sample(found, 2)
        one.id = rng.choice([other.id, other.id, "len", "range", "np", "math", "undefined"])


def parameter(node: ast.FunctionDef, rng: random.Random) -> None:
    if node.args.args:
        one = rng.choice(node.args.args)
        old, one.arg = one.arg, rng.choice(["len", "np", "math", "T", "x", "range", "copy"])
        for n in ast.walk(ast.Module(node.body, [])):
            if isinstance(n, ast.Name) and n.id == old and rng.random() < 0.9:
                n.id = one.arg


def _blocks(node: ast.AST) -> list[list[Any]]:
    fields = ("body", "orelse", "finalbody")
    found = [getattr(n, f, None) for n in ast.walk(node) for f in fields]
    return [b for b in found if isinstance(b, list) and b and isinstance(b[0], ast.stmt)]


def statement(node: ast.FunctionDef, rng: random.Random) -> None:
    block = rng.choice(_blocks(node))
    at = rng.randrange(len(block))
    stmt = block[at]
    match rng.randrange(6):
        case 0 if len(block) > 1:
            del block[at]
        case 1:
            block.insert(at, copy.deepcopy(stmt))
        case 2:
            block[at] = ast.If(ast.parse("a > 0", mode="eval").body, [stmt], [])
        case 3:
            block[at] = ast.parse(f"for k in range(3):\n    pass\n{'else:'}\n    pass").body[0]
            block[at].body = [stmt]
        case 4:
            other = rng.choice(_blocks(node))
            other.insert(rng.randrange(len(other) + 1), copy.deepcopy(stmt))
        case _:
            block.insert(at, rng.choice(EXTRA)())


EXTRA: tuple[Callable[[], ast.stmt], ...] = tuple(
    lambda text=text: ast.parse(text).body[0]  # type: ignore[misc]
    for text in (
        "return", "break", "continue", "raise ValueError('x')", "del x", "global np", "nonlocal x",
        "assert x", "x, *y = x", "x = x", "import math", "yield x", "def x(x, x): pass",
        "try:\n    x = float(x)\nexcept TypeError:\n    x = 1.0", "with x as y: pass",
        "match x:\n    case [a, *b] if a: x = a\n    case _: pass", "while x: x -= 1",
        "return x", "await x", "class C: pass", "x: int = 3", "return ('a' 'b' % x)",
    )
)  # fmt: skip

CHANGES = (other_expression, wrapped, wrapped, operator, constant, name, parameter, statement)
