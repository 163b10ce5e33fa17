"""Whether two texts are one program: syntax trees decide, for a formatter changes lines only.

Black and `ruff format` move lines, commas, parentheses and quotes, and the margins of docstrings;
none of these is in a tree, once docstrings are normalised.
"""

from __future__ import annotations

import ast
import inspect
import io
import tokenize

from adjointgen.depth import deep


def same_program(one: str, other: str) -> bool:
    """Whether two texts have the same syntax tree; a text that cannot be parsed has none."""
    trees = [_tree(text) for text in (one, other)]
    return trees[0] is not None and trees[0] == trees[1]


def same_but_for_layout(one: str, other: str) -> bool:
    """Whether a formatter may have made one text of the other: comments are the same, too."""
    return comments(one) == comments(other) and same_program(one, other)


def comments(text: str) -> list[str]:
    """The comments of a text, in order; none where it cannot be read."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT]


def _tree(text: str) -> str | None:
    with deep():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for node in ast.walk(tree):
            match node:
                case (
                    ast.Module(body=[ast.Expr(value=ast.Constant(value=str(words)) as doc), *_])
                    | ast.FunctionDef(
                        body=[ast.Expr(value=ast.Constant(value=str(words)) as doc), *_]
                    )
                    | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str(words)) as doc), *_])
                ):
                    doc.value = _docstring(words)
        return ast.dump(tree)


def _docstring(text: str) -> str:
    """A docstring without what formatters change in it: margins, and blanks at the ends."""
    return "\n".join(line.rstrip() for line in inspect.cleandoc(text).strip().split("\n"))
