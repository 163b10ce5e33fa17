"""Receives that are posted before they are waited for: each is completed once, in order.

    mpi_post(tag, y) [request=1]
    ...                                 ->      ...
    mpi_due() [request=1]
    y_2 = mpi_receive(comm, y, s, tag)          y_2 = mpi_receive(comm, y, s, tag)

The messages of one source with one tag go to the receives in the order in which these are posted,
and the program receives at the waits. So a wait stands in the block of its post, on every path that
this takes; and what is received while a receive is posted has another tag, a different number, or
was posted before. Nothing reads the whole of the buffer meanwhile: what it would find there is not
known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from adjointgen.errors import NoRule, Span
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Call,
    Const,
    Operand,
    Stmt,
    Value,
    blocks_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def without_posts(block: Block) -> Block:
    """A block without these marks. Raises NoRule (AG201) for receives in another order."""
    if all(_number(stmt) is None for stmt in walk(block)):
        return block
    posted: dict[object, Apply] = {}
    held: dict[str, Apply] = {}
    stmts: list[Stmt] = []
    due = False
    for stmt in block.stmts:
        if _number(stmt) is not None:
            assert isinstance(stmt, Apply)
            due = not stmt.args
            if due:
                own = _end(posted, stmt)
                held = {name: post for name, post in held.items() if post is not own}
            else:
                posted[_number(stmt)] = stmt
                held |= {a.name: stmt for a in stmt.args[1:] if isinstance(a, Value)}
            continue
        last = due and _receives(stmt)
        due = due and not last
        if posted and not last:
            _check(stmt, posted.values())
        if held:
            _follow(stmt, held)
        stmts.append(rebuild(stmt, lambda operand: operand, without_posts))
    if posted:
        _refuse("is not waited for in the block in which it is posted", *posted.values())
    return replace(block, stmts=tuple(stmts))


def _follow(stmt: Stmt, held: dict[str, Apply]) -> None:
    """Note what else is a version of a buffer. Refuses to read one that is posted."""
    for inner in (stmt, *(s for b in blocks_of(stmt) for s in walk(b))):
        if not isinstance(inner, Apply):
            continue
        for k, arg in enumerate(inner.args):
            post = held.get(arg.name) if isinstance(arg, Value) else None
            if post is None:
                continue
            row = TABLE.get(inner.op)
            if inner.op in WRITES and k == 0:
                held[inner.result.name] = post
            elif not (row.measures or row.shape_only or (row.view and post.option("part"))):
                _refuse("has a buffer that is read before the wait", inner)


def _end(posted: dict[object, Apply], due: Apply) -> Apply:
    """A wait: no receive that was posted before, and still is, may be meant by the message."""
    number = _number(due)
    if number not in posted:
        _refuse("is not waited for once, in the block in which it is posted", due)
    before = list(posted)[: list(posted).index(number)]
    own = posted.pop(number)
    for other in (posted[k] for k in before):
        if not _differ(own.args[0], other.args[0]):
            _refuse("is waited for before one that was posted earlier", due)
    return own


def _check(stmt: Stmt, posted: Iterable[Apply]) -> None:
    """Refuse what may receive the message of a receive that is posted."""
    for inner in (stmt, *(s for b in blocks_of(stmt) for s in walk(b))):
        if not _receives(inner):
            continue
        tag = _tag(inner)
        for one in posted:
            if tag is None or not _differ(tag, one.args[0]):
                _refuse("may not get its message: something else is received before", one, inner)


def _number(stmt: Stmt) -> object:
    """The request that a mark is about; None for other statements."""
    return stmt.option("request") if isinstance(stmt, Apply) else None


def _receives(stmt: Stmt) -> bool:
    """Whether a statement may receive a message from one process."""
    if not isinstance(stmt, Apply):
        return isinstance(stmt, Call) and stmt.effect
    row = TABLE.get(stmt.op)
    own = row.message and any(p.name == "source" for p in row.parameters)
    return own or "recv" in str(stmt.option("code")).lower()


def _tag(stmt: Stmt) -> Operand | None:
    """The tag of what is received; None for any."""
    if not isinstance(stmt, Apply):
        return None
    pairs = zip(TABLE.get(stmt.op).parameters, stmt.args, strict=False)
    return next((arg for parameter, arg in pairs if parameter.name == "tag"), None)


def _differ(a: Operand, b: Operand) -> bool:
    """Whether two tags are certainly different."""
    known = [tag.value for tag in (a, b) if isinstance(tag, Const)]
    return len(known) == 2 and all(isinstance(k, int) for k in known) and known[0] != known[1]


def _refuse(what: str, *places: Stmt) -> NoReturn:
    spans: list[Span] = [stmt.span for stmt in places if stmt.span is not None]
    raise NoRule(
        f"a receive {what}",
        code="AG201",
        span=spans[0] if spans else None,
        help="wait in the block in which receives are posted, in their order or by "
        "MPI.Request.Waitall, or give each a tag of its own",
    )
