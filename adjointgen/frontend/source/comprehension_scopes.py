"""Names of a comprehension that are read before one of its loops binds them.

    [v for v in a for x in x]      the second x is the comprehension's own, and has no value there

All targets are names of the comprehension. What the first loop runs over is evaluated outside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def read_unbound(generators: list[ast.comprehension]) -> ast.Name | None:
    """The first name that is read where it cannot have a value."""
    later = [_names(generator.target, ast.Store) for generator in generators]
    for k, generator in enumerate(generators):
        left = {n.id for names in later[k:] for n in names}
        left -= {n.id for names in later[:k] for n in names}
        reads = [] if k == 0 else list(_names(generator.iter, ast.Load))
        yet = left - {n.id for n in later[k]}
        found = next((n for n in reads if n.id in left), None)
        tests = (n for test in generator.ifs for n in _names(test, ast.Load) if n.id in yet)
        if found is not None or (found := next(tests, None)) is not None:
            return found
    return None


def _names(node: ast.AST, kind: type[ast.expr_context]) -> list[ast.Name]:
    return list(_walked(node, kind))


def _walked(node: ast.AST, kind: type[ast.expr_context]) -> Iterator[ast.Name]:
    """The names of a part, those in scopes of their own left out."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, kind):
            yield node
    elif not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _walked(child, kind)


_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
