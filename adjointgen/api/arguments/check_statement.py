"""The statement by which a program refuses arguments that it was not made for."""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.ir.nodes import Apply, Value


def check_statement(
    params: Iterable[Value],
    test: str,
    kind: str,
    message: str,
    *,
    ranks: bool = False,
    lengths: bool = False,
) -> Apply:
    """`if test: raise kind(message)`; `_0_`, `_1_` ... in the test are the parameters.

    Programs begin with what is marked like this, before their first sweep. It is noted if the test
    finds arguments of other `ranks`, or reads `lengths`, which arrays of other ranks lack.
    """
    code = f"if {test}:\n    raise {kind}({message!r})"
    notes = {"ranks": ranks, "lengths": lengths}
    noted = tuple((name, True) for name, is_so in notes.items() if is_so)
    return Apply((), "statement", tuple(params), (("assumes", True), ("code", code), *noted))
