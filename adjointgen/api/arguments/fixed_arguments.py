"""Arguments whose value is part of a written module: they are checked where the program begins.

A string, bool or None, or a tuple of these, decides what code is generated. A module is called long
after, by anyone, and must not go on with the code of another value; the decorator has its guards
instead.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.state.static_options import number_class
from adjointgen.ir.nodes import Apply, Function, Parameter, Value
from adjointgen.records import replace

_LITERALS = (str, bytes, bool, int, float, type(None))


def guarded(function: Function, arguments: Mapping[str, Argument]) -> Function:
    """The function with a check of every fixed argument, which is its parameter's default."""
    fixed = {name: a.value for name, a in arguments.items() if isinstance(a, Fixed)}
    fixed = {name: value for name, value in fixed.items() if written_as_text(value)}
    checks = [_check(p, fixed[p.root], function) for p in function.body.params if p.root in fixed]
    if not checks:
        return function
    numpy = any(isinstance(value, np.dtype | type) for value in fixed.values())
    line = "import numpy as np"
    more = (line,) if numpy and line not in function.imports else ()
    return replace(
        function,
        imports=function.imports + more,
        parameters=tuple(_with_default(p, fixed) for p in function.parameters),
        body=replace(function.body, stmts=(*checks, *function.body.stmts)),
    )


def _with_default(parameter: Parameter, fixed: Mapping[str, object]) -> Parameter:
    """The fixed value as the default, where there is a default to replace, and its type."""
    if parameter.name not in fixed:
        return parameter
    value = fixed[parameter.name]
    text = written_as_text(value) if parameter.default else ""
    own = "None" if value is None else type(value).__name__
    return replace(parameter, default=text, type=own if isinstance(value, _LITERALS) else "")


def _check(param: Value, value: object, function: Function) -> Apply:
    differs = "is not" if value is None or isinstance(value, bool) else "!="
    text = written_as_text(value)
    message = f"{function.name} was differentiated for {param.root}={text}"
    return check_statement((param,), f"_0_ {differs} {text}", "ValueError", message)


def written_as_text(value: object) -> str:
    """A value as text of the module; empty where it is none that is checked."""
    if isinstance(value, _LITERALS):
        return repr(value)
    if type(value) is tuple:
        parts = list(map(written_as_text, value))
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})" if all(parts) else ""
    if isinstance(value, np.dtype):
        return f"np.{value!r}"
    named = number_class(value)
    return "" if named is None else named.text
