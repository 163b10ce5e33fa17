"""Classes of the user's that are managers for `with`, and leave exceptions alone.

    def __exit__(self, *error):      def __exit__(self, kind, error, where):
        self.depth -= 1                  self.log(error)
        return False

The first is called behind the body whatever that ends in, as `finally` is; the second is not.
"""

from __future__ import annotations

import ast
import inspect
from functools import lru_cache
from textwrap import dedent
from types import FunctionType


def leaves_alone(cls: type) -> bool:
    """Whether `__exit__` neither reads what the body has ended in nor takes an exception."""
    found = inspect.getattr_static(cls, "__exit__", None)
    return isinstance(found, FunctionType) and _ignores(found)


@lru_cache(maxsize=256)
def _ignores(function: FunctionType) -> bool:
    try:
        made = ast.parse(dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return False
    if not isinstance(made, ast.FunctionDef) or made.decorator_list:
        return False
    args = made.args
    given = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)[1:]}
    given |= {arg.arg for arg in (args.vararg, args.kwarg) if arg is not None}
    nodes = [node for stmt in made.body for node in ast.walk(stmt)]
    reads = any(isinstance(node, ast.Name) and node.id in given for node in nodes)
    scopes = any(isinstance(n, ast.Yield | ast.YieldFrom | ast.FunctionDef) for n in nodes)
    return not (reads or scopes or any(map(takes, nodes)))


def takes(node: ast.AST) -> bool:
    """Whether this returns what may be true, by which an `__exit__` takes an exception."""
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    return not (isinstance(node.value, ast.Constant) and not node.value.value)
