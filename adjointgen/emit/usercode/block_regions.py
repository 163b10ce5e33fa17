"""Parts of a block that a manager is around, or that a `finally` follows.

    enter m; S; end                   with m: S
    try; S; finally; T; end           try: S
                                      finally: T

The marks are statements of the program with an effect, so nothing with an effect passes them; what
stands between them when the block is printed is the body.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.emit.syntax.printer import PASS
from adjointgen.emit.syntax.statement_trees import spaced
from adjointgen.emit.syntax.tree import Assign, Declare, Mark, Simple, Statement, Try, With
from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Apply, Stmt
from adjointgen.records import replace


def region(stmt: Stmt) -> str:
    """Which mark a statement is; empty for all others."""
    return str(stmt.option("region", "")) if isinstance(stmt, Apply) else ""


def mark(kind: str, lines: list[Statement]) -> list[Statement]:
    """The mark of a region in the place of its lines, which say what is entered."""
    match kind, lines:
        case "with", [Assign(targets=(target,), value=manager)]:
            return [With(manager, target)]
        case "with", [Declare(target=target, value=manager)]:
            return [With(manager, target)]
        case "with", [Simple(values=(manager,))]:
            return [With(manager, None)]
        case "try", _:
            return [Try()]
        case "finally", _:
            return [Mark("finally")]
        case "end", _:
            return [Mark("end")]
    raise InternalError(f"a region begins with {lines}")


def _ended(start: With | Try, last: tuple[Statement, ...]) -> Statement:
    """The whole region, whose body is not empty: it may stand among the lines of another block."""
    if isinstance(start, Try):
        return replace(start, body=start.body or (PASS,), final=last)
    return replace(start, body=last or (PASS,))


def grouped(lines: Iterable[Statement]) -> list[Statement]:
    """The lines of a block with its regions as statements."""
    open_: list[With | Try] = []
    bodies: list[list[Statement]] = [[]]
    for line in lines:
        match line:
            case With(body=()) | Try(body=()):
                open_.append(line)
                bodies.append([])
            case Mark(kind="finally"):
                open_[-1] = replace(open_[-1], body=spaced(bodies.pop(), 1))
                bodies.append([])
            case Mark(kind="end"):
                bodies[-2].append(_ended(open_.pop(), spaced(bodies.pop(), 1)))
            case _:
                bodies[-1].append(line)
    if open_:
        raise InternalError("a region has no end")
    return bodies[0]
