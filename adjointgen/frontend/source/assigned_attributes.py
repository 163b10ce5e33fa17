"""The attributes that a text assigns or deletes, wherever a target can stand.

sub.W = 7.0        a, sub.W = …        for sub.W in …        del sub.W
setattr(sub, "W", 7.0)                 delattr(sub, "W")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def assigned_attributes(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The owner and the name of each."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                yield owner, name
            case ast.Call(
                func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), _]
            ):
                yield owner, name
            case ast.Call(func=ast.Name(id="delattr"), args=[owner, ast.Constant(value=str(name))]):
                yield owner, name
