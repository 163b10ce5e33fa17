"""Tests that go the way that they went in one run, in each call and iteration.

    if a[k] > limit:             if not a[k] > limit:
        ...                          raise NotImplementedError("model.py:7: …")
                                 ...

Only programs that are refused otherwise are told (`adjointgen/observe/outcomes.py`). The program
tests what is taken to hold, so it is no matter for its numbers whether the run was looked up right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.domain.untaken import Untaken
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.observed_kinds import is_caught
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.storage_cells import read


@contextmanager
def iteration(ctx: Context, node: ast.AST, number: int) -> Iterator[None]:
    """A loop of which each iteration is lowered by itself: in one of them."""
    frame, place = ctx.frame, (ctx.frame.source.file, getattr(node, "lineno", 0))
    outer = frame.iterations.get(place)
    frame.iterations[place] = number
    try:
        yield
    finally:
        frame.iterations.pop(place, None)
        if outer is not None:
            frame.iterations[place] = outer


def went(ctx: Context, node: ast.expr, value: Abstract) -> bool | None:
    """Which way a test goes, which the program tests; None where nothing is taken to hold."""
    untaken: Untaken = ctx.outlines.untaken
    if not untaken.has_outcomes or is_caught(ctx):
        return None
    lines = [call.lineno for call in ctx.frame.path if isinstance(call, ast.expr | ast.stmt)]
    loops = [
        (*place, number)
        for frame in ctx.frame.around()
        for place, number in frame.iterations.items()
    ]
    found = untaken.outcome(ctx.frame.source.file, node, lines, loops)
    if found is None:
        return None
    outcome, said = found
    test = "not (_0_)" if outcome else "_0_"
    code = f'if {test}: raise NotImplementedError("{said}")'
    statement(ctx, code, (read(ctx, value),), raises="NotImplementedError")
    return outcome
