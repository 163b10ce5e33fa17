"""The user's own text with other expressions in it, as libcst rewrites it.

Spacing, comments and line breaks stay; what is indented is noted, so that the lines of a statement
can stand in any block. Imported only where a program has such code: the import of libcst takes
longer than generating a program.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import libcst as cst

from adjointgen.emit.syntax.precedence import Level
from adjointgen.emit.syntax.printer import text as printed
from adjointgen.emit.syntax.tree import Code, Expression, Lines
from adjointgen.emit.usercode.parentheses import bare, level
from adjointgen.emit.usercode.substitute import substitute

Opens = Literal["", "generator", "walrus", "yield"]

_PRINTER: Final = cst.Module(())
_OPENS: Final[dict[type[cst.CSTNode], Opens]] = {
    cst.GeneratorExp: "generator",
    cst.NamedExpr: "walrus",
    cst.Yield: "yield",
}


def expression(text: str, values: Mapping[str, Expression]) -> Code:
    """The user's expression with values in the place of names."""
    node = cst.parse_expression(text)
    inner = bare(node)
    whole = "\n" in text or level(inner) is Level.LOOSE
    filled = substitute(node if whole else inner, _nodes(values))
    opens = _OPENS.get(type(filled), "") if len(filled.lpar) == 1 else ""
    return Code(_PRINTER.code_for_node(filled), level(filled), opens)


def statements(text: str, values: Mapping[str, Expression]) -> Iterator[Lines]:
    """The user's statements with values in the place of names, and the comments above them."""
    module = cst.parse_module(text)
    nodes = _nodes(values)
    above = [line.comment.value if line.comment else "" for line in module.header]
    for statement in module.body:
        filled = substitute(statement, nodes)
        raises = isinstance(filled, cst.SimpleStatementLine) and isinstance(
            filled.body[-1], cst.Raise
        )
        yield Lines((*above, *_lines(filled)), raises)
        above = []


def _nodes(values: Mapping[str, Expression]) -> dict[str, cst.BaseExpression]:
    return {key: cst.parse_expression(printed(value)) for key, value in values.items()}


def _lines(statement: cst.BaseStatement) -> tuple[str, ...]:
    """The lines of a statement that are indented with it, each with those that continue it."""
    margin = "\f"
    plain = _PRINTER.code_for_node(statement)
    while margin in plain:
        margin += "\f"
    block = cst.IndentedBlock([statement], indent=margin)
    _, *lines = _PRINTER.code_for_node(block).split(margin)
    return tuple(line.removesuffix("\n") for line in lines)
