"""Constructors of functions, imports and modules, and of the text in them that is not code.

black reformats a docstring, so one is written as black would leave it: margins stripped, a space
between its own quotation marks and those around it, the closing ones of a longer text on a line of
their own.
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import libcst as cst

from adjointgen.emit.precedence import Expression, Level, at
from adjointgen.emit.statements import (
    BLANK,
    Statement,
    block,
    comment_lines,
    spaced,
    with_blank_line,
)
from adjointgen.emit.syntax import DEFAULT, NONE, SPACE, name

Kind = Literal["positional-only", "plain", "*", "keyword-only", "**"]

_INDENT: Final = "    "
_EQUAL: Final = cst.AssignEqual(NONE, NONE)
_SPACED_EQUAL: Final = cst.AssignEqual(SPACE, SPACE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; `kind` says how an argument reaches it."""

    name: str
    annotation: Expression | None = None
    default: Expression | None = None
    kind: Kind = "plain"


def function_def(
    name: str,
    parameters: Sequence[Parameter],
    body: Sequence[Statement],
    *,
    docstring: str = "",
    returns: Expression | None = None,
    decorators: Sequence[Expression] = (),
    depth: int = 0,
) -> cst.FunctionDef:
    """``def name(parameters) -> returns: body``; `depth` counts the blocks around it."""
    text = (docstring_statement(docstring, depth + 1),) if docstring else ()
    return cst.FunctionDef(
        name=cst.Name(name),
        params=_parameters(parameters),
        body=block((*text, *body)),
        decorators=tuple(cst.Decorator(at(node, Level.LAMBDA)) for node in decorators),
        returns=(
            None if returns is None else cst.Annotation(at(returns, Level.LAMBDA), SPACE, SPACE)
        ),
    )


def _parameters(parameters: Sequence[Parameter]) -> cst.Parameters:
    def of(kind: Kind) -> tuple[cst.Param, ...]:
        return tuple(_parameter(each) for each in parameters if each.kind == kind)

    rest, named, named_rest = of("*"), of("keyword-only"), of("**")
    return cst.Parameters(
        params=of("plain"),
        star_arg=rest[0] if rest else DEFAULT,
        kwonly_params=named,
        star_kwarg=named_rest[0] if named_rest else None,
        posonly_params=of("positional-only"),
    )


def _parameter(parameter: Parameter) -> cst.Param:
    annotation, default = parameter.annotation, parameter.default
    equal = _EQUAL if annotation is None else _SPACED_EQUAL
    return cst.Param(
        name=cst.Name(parameter.name),
        annotation=(
            None
            if annotation is None
            else cst.Annotation(at(annotation, Level.LAMBDA), NONE, SPACE)
        ),
        equal=DEFAULT if default is None else equal,
        default=None if default is None else at(default, Level.LAMBDA),
        star=parameter.kind if parameter.kind in ("*", "**") else "",
    )


def docstring_statement(text: str, depth: int) -> cst.SimpleStatementLine:
    """`text` as the docstring of a block that stands `depth` blocks deep."""
    stripped = "\n".join(line.rstrip() for line in inspect.cleandoc(text).split("\n")).strip()
    lines = _escaped(stripped).split("\n")
    margin = _INDENT * depth
    inner = "\n".join([lines[0], *(line and margin + line for line in lines[1:])])
    start = " " if inner.startswith('"') else ""
    end = " " if inner.endswith('"') else ""
    if len(lines) > 1:
        end = "\n" + margin
    return cst.SimpleStatementLine((cst.Expr(cst.SimpleString(f'"""{start}{inner}{end}"""')),))


def _escaped(text: str) -> str:
    """`text` for the inside of triple quotes; control characters become escapes."""
    plain = "".join(
        each if each == "\n" or (each.isprintable() and each != "\\") else repr(each)[1:-1]
        for each in text
    )
    return plain.replace('"""', '\\"\\"\\"')


def import_(module: str, as_: str | None = None) -> cst.SimpleStatementLine:
    """``import module``, ``import module as as_``."""
    return cst.SimpleStatementLine((cst.Import((_alias(module, as_),)),))


def from_import(module: str, names: Sequence[str | tuple[str, str]]) -> cst.SimpleStatementLine:
    """``from module import name, other as alias``, the latter given as a pair."""
    absolute = module.lstrip(".")
    aliases = tuple(
        _alias(each, None) if isinstance(each, str) else _alias(*each) for each in names
    )
    return cst.SimpleStatementLine(
        (
            cst.ImportFrom(
                module=name(absolute) if absolute else None,
                names=aliases,
                relative=(cst.Dot(NONE, NONE),) * (len(module) - len(absolute)),
            ),
        )
    )


def _alias(what: str, alias: str | None) -> cst.ImportAlias:
    return cst.ImportAlias(name(what), None if alias is None else cst.AsName(cst.Name(alias)))


def module(header: Sequence[str], body: Sequence[Statement], docstring: str = "") -> cst.Module:
    """A module below the comment lines of `header`; its text is ``.code``."""
    statements: tuple[Statement, ...] = tuple(body)
    if docstring:
        after = (with_blank_line(statement) for statement in body[:1])
        statements = (docstring_statement(docstring, 0), *after, *body[1:])
    statements = spaced(statements, 2)
    above = comment_lines(header)
    if header and statements:
        first_is_definition = isinstance(statements[0], cst.FunctionDef)
        above += (BLANK,) * (2 if first_is_definition else 1)
    return cst.Module(statements, above)
