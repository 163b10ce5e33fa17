"""`a in b` of an iterator: entries are taken until one is equal, and what is behind it is left.

it = iter([1.0, 2.0, 3.0]);  2.0 in it;  next(it)         3.0

Of an instance it is the truth of what `__contains__` says.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.frontend.control.branches import test_of, truth
from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Generator,
    Lazy,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.iteration.lazy_iteration import each, walk
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.rules.framework.builder import const


def is_run_over(value: Abstract) -> bool:
    """Whether a value is an iterator, which is equal to nothing but itself."""
    zipped = isinstance(value, Zipped) and value.how not in VIEWS
    return zipped or isinstance(value, Lazy | Generator) or is_iterator(value)


def found_in(ctx: Context, value: Abstract, equals: Callable[[Abstract], Abstract]) -> bool | None:
    """Whether an entry of an iterator is one that is looked for; None where it is no iterator."""
    if not is_run_over(content(ctx, value)):
        return None
    steps = walk(ctx, value)
    if steps is not None:
        for entry in each(ctx, steps):
            known = truth(ctx, equals(entry))
            if known is None:
                break
            if known:
                return True
        else:
            return False
    what = "how many entries are taken of what is searched depends on values"
    return ctx.unlike("AG106", what, "search a list of the entries")


def answered(ctx: Context, op: str, said: Abstract) -> Abstract:
    """What `in` or `not_in` gives where a method says this: it is asked for its truth."""
    if op == "not_in":
        return negated(ctx, said)
    if (known := truth(ctx, said)) is not None:
        return const(known)
    test = test_of(ctx, said)
    return test if test.type.dtype == "bool" else ctx.apply("cast", test, dtype="bool")


def negated(ctx: Context, test: Abstract) -> Abstract:
    """`not test`."""
    known = truth(ctx, test)
    return ctx.apply("not", read(ctx, test)) if known is None else const(not known)
