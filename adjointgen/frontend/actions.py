"""The functions that modules reach through `ctx.actions`, and the handlers of syntax nodes.

This module has the names of the protocol in `state/actions.py`, and is passed as an object of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.assignment import augmented_assignment
from adjointgen.frontend.calls import calls
from adjointgen.frontend.calls.calls import call_statement
from adjointgen.frontend.calls.opaque_calls import may_change
from adjointgen.frontend.control import try_flags
from adjointgen.frontend.control.growing_lists import grown_list
from adjointgen.frontend.control.none_flags import settled
from adjointgen.frontend.expressions import arithmetic, attributes, logic, subscripts, unary
from adjointgen.frontend.expressions.attributes import callee
from adjointgen.frontend.expressions.attributes import member as attribute
from adjointgen.frontend.expressions.comparisons import comparison
from adjointgen.frontend.expressions.instance_truth import truth_of
from adjointgen.frontend.expressions.subscripts import part
from adjointgen.frontend.iteration import generator_loops
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.iteration.lazy_iteration import walk
from adjointgen.frontend.library import dicts
from adjointgen.frontend.library.array_attributes import fact as array_attribute
from adjointgen.frontend.library.dicts import entry, set_entry, union
from adjointgen.frontend.library.dtype_queries import attribute as dtype_attribute
from adjointgen.frontend.library.implicit_functions import directed
from adjointgen.frontend.library.lists import listed, remove_entry
from adjointgen.frontend.library.nested_derivatives import applied as derivative
from adjointgen.frontend.library.numpy_calls import array_of, list_of, special, widened_list
from adjointgen.frontend.library.partials import applied
from adjointgen.frontend.library.polynomial_classes import as_polynomial
from adjointgen.frontend.library.random_draws import of_object as draw
from adjointgen.frontend.library.set_methods import set_method, set_updated
from adjointgen.frontend.module_array_types import evaluated
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import expression as as_written
from adjointgen.frontend.state.observed_kinds import observed
from adjointgen.frontend.state.structure_operands import member, structure
from adjointgen.frontend.state.untaken_paths import ended
from adjointgen.frontend.statements import (
    comprehensions,
    local_imports,
    loops,
    match_patterns,
    set_comprehensions,
    while_loops,
    with_blocks,
)
from adjointgen.frontend.statements import statements as simple_statements
from adjointgen.frontend.statements.comprehensions import as_list, comprehension, drained
from adjointgen.frontend.statements.standing_code import as_it_stands
from adjointgen.frontend.statements.statements import assign, copied, statements
from adjointgen.frontend.statements.try_analysis import caught

__all__ = [
    "HANDLERS",
    "applied",
    "array_attribute",
    "array_of",
    "as_it_stands",
    "as_list",
    "as_polynomial",
    "as_written",
    "assign",
    "attribute",
    "call_statement",
    "callee",
    "caught",
    "comparison",
    "comprehension",
    "copied",
    "derivative",
    "directed",
    "drained",
    "draw",
    "dtype_attribute",
    "ended",
    "entries",
    "entry",
    "evaluated",
    "grown_list",
    "list_of",
    "listed",
    "may_change",
    "member",
    "observed",
    "part",
    "remove_entry",
    "set_entry",
    "set_method",
    "set_updated",
    "settled",
    "special",
    "statements",
    "structure",
    "truth_of",
    "union",
    "walk",
    "widened_list",
]

HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    **arithmetic.HANDLERS,
    **unary.HANDLERS,
    **logic.HANDLERS,
    **calls.HANDLERS,
    **attributes.HANDLERS,
    **subscripts.HANDLERS,
    **simple_statements.HANDLERS,
    **augmented_assignment.HANDLERS,
    **loops.HANDLERS,
    **while_loops.HANDLERS,
    **generator_loops.HANDLERS,
    **comprehensions.HANDLERS,
    **set_comprehensions.HANDLERS,
    **match_patterns.HANDLERS,
    **try_flags.HANDLERS,
    **with_blocks.HANDLERS,
    **dicts.HANDLERS,
    **local_imports.HANDLERS,
}
