"""Messages that are waited for later: what is received is there at the wait.

    r = comm.Irecv(b, s, 0)         (the receive is posted)
    q = comm.Isend(a, d, 0)         mpi_send(comm, a, d, 0)
    MPI.Request.Waitall([r, q])     b[...] = mpi_receive(comm, b, s, 0)

No process waits for what it sends, so a send needs no wait. MPI gives messages of one source and
tag to receives in the order in which these are posted; `posted_receives.py` sees that the waits,
and with them the adjoint messages, have the same. (Utke, Hascoët, Heimbach, Hill, Hovland and
Naumann 2009, Toward adjoinable MPI.)
"""

from __future__ import annotations

from typing import Final, NoReturn

from adjointgen.errors import NoRule
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    REQUEST,
    Abstract,
    Ref,
    Seq,
    Struct,
    is_request,
)
from adjointgen.frontend.library.message_buffers import (
    Given,
    buffer,
    received,
    received_value,
    value,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const

PARAMETERS: Final = {
    "Isend": "buf dest tag",
    "Irecv": "buf source tag",
    "isend": "obj dest tag",
    "irecv": "buf source tag",
}
_SENT: Final = 0
"""The number of a request that is complete."""


def begun(one: Given, name: str) -> Abstract | None:
    """The request of a message; None for one of other objects."""
    ctx, tag = one.ctx, one.given.get("tag")
    match name, one.given:
        case "Isend", {"buf": x, "dest": dest}:
            return _sent(one, "mpi_send", buffer(ctx, x), dest, tag)
        case "isend", {"obj": x, "dest": dest}:
            return _sent(one, "mpi_send_value", value(ctx, x), dest, tag)
        case "Irecv", {"buf": given, "source": source}:
            held = buffer(ctx, given)
            return _posted(one, held, source, tag) if isinstance(held, Ref) else None
        case "irecv", {"source": source} if "buf" not in one.given:
            return _posted(one, const(None), source, tag)
    return None


def _sent(
    one: Given, op: str, x: Abstract | None, dest: Abstract, tag: Abstract | None
) -> Abstract | None:
    if x is None or one.run(op, (x,), dest, const(0) if tag is None else tag) is None:
        return None
    return _request(_SENT)


def _request(number: int, *parts: Abstract) -> Struct:
    names = ("number", "comm", "held", "source", "tag", "version")[: 1 + len(parts)]
    return Struct(REQUEST, names, (const(number), *parts))


def _posted(one: Given, held: Abstract, source: Abstract, tag: Abstract | None) -> Struct:
    """A receive that is not complete."""
    ctx = one.ctx
    number = ctx.memo["requests",] = ctx.memo.get(("requests",), _SENT) + 1
    given = const(None) if tag is None else read(ctx, tag)
    whole = ctx.state.cells[held.cell] if isinstance(held, Ref) else const(None)
    assert isinstance(whole, Value | Const)
    part = isinstance(held, Ref) and bool(held.steps)
    ctx.apply_many("mpi_post", (given, whole), {"request": number, "part": part})
    version = read(ctx, held)
    return _request(number, one.comm, held, source, const(None) if tag is None else tag, version)


def wait(call: Call) -> Abstract | None:
    """`request.Wait()`; None for other objects."""
    request = content(call.ctx, call.args[0])
    if not is_request(request):
        return None
    if len(call.args) > 1 or call.keywords:
        _refuse(call.ctx, "a wait with a status")
    return _completed(call.ctx, request)


def wait_all(call: Call) -> Abstract | None:
    """`MPI.Request.Waitall(requests)`; None where nothing is known of these."""
    ctx, listed = call.ctx, content(call.ctx, call.args[0])
    items = [content(ctx, one) for one in listed.items] if isinstance(listed, Seq) else []
    requests = [one for one in items if is_request(one)]
    if not requests:
        return None
    if len(requests) < len(items) or len(call.args) > 1 or call.keywords:
        _refuse(ctx, "a wait for these requests")
    order = sorted(range(len(requests)), key=lambda k: _number(ctx, requests[k]))
    made = {k: _completed(ctx, requests[k]) for k in order}
    return Seq(tuple(made[k] for k in range(len(requests))), "list")


def _number(ctx: Context, request: Struct) -> int:
    number = request.items[0]
    if not isinstance(number, Const) or not isinstance(number.value, int):
        _refuse(ctx, "a wait for a request that depends on the path")
    return number.value


def _completed(ctx: Context, request: Struct) -> Abstract:
    """What a wait gives: the value that was received, or nothing of use."""
    number = _number(ctx, request)
    if number == _SENT:
        return const(None)
    _, comm, held, source, tag, version = request.items
    if isinstance(held, Ref) and not held.steps and read(ctx, held) != version:
        _refuse(ctx, "a buffer that is written to while a receive is posted")
    one, any_tag = Given(ctx, read(ctx, comm), {}), None if tag == const(None) else tag
    ctx.apply_many("mpi_due", (), {"request": number})
    by_value = held == const(None)
    made = (
        received_value(one, source, any_tag) if by_value else received(one, held, source, any_tag)
    )
    if made is None:
        _refuse(ctx, "this request")
    return made


def _refuse(ctx: Context, what: str) -> NoReturn:
    help = "wait in the block in which the receive is posted, by Wait() or MPI.Request.Waitall"
    ctx.refuse("AG201", f"no derivative rule for {what}", help, kind=NoRule)


WAITS: dict[str, Special] = {
    ".Wait": wait,
    ".wait": wait,
    "mpi4py.MPI.Request.Waitall": wait_all,
    "mpi4py.MPI.Request.waitall": wait_all,
}
