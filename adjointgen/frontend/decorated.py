"""What decorators make of a function, and derivatives that exist already."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjointgen.frontend.spellings import held
from adjointgen.frontend.values import Abstract, Closure, Derived, Named
from adjointgen.wrapping import decorator_of, is_harmless, only_wraps


def decorated(
    function: Closure,
    decorators: Sequence[ast.expr],
    named: Callable[[ast.expr], Abstract],
    bound: Mapping[str, Sequence[ast.stmt]],
) -> Abstract | None:
    """A function under its decorators, read from text; None where these may do anything."""
    made: Abstract = function
    for decorator in reversed(decorators):
        match decorator, named(decorator_of(decorator)):
            case ast.Name(id=name), Closure() if only_wraps(bound[name][-1]):
                pass
            case _, Named(spelling=spelling) if is_harmless(spelling):
                pass
            case _, Named(spelling="adjointgen.grad" | "adjointgen.value_and_grad" as grad) if (
                wrt := _wrt(decorator)
            ) is not None:
                made = Derived(grad.rpartition(".")[2], made, wrt)
            case _:
                return None
    return made


def _wrt(decorator: ast.expr) -> Any:
    """What `@grad` and `@grad(wrt=...)` differentiate by; None where that is no literal."""
    given = decorator.keywords if isinstance(decorator, ast.Call) else []
    for keyword in given:
        value = keyword.value
        if keyword.arg != "wrt" or not isinstance(value, ast.Constant) or "," in str(value.value):
            return None
        return value.value
    return 0


def derived(value: Any, classify: Callable[[Any], Abstract]) -> Abstract | None:
    """What `grad(f)` gave: its function is lowered, and derived again."""
    generated = held(value, "generated", None)
    if generated is None or not hasattr(generated, "recipe"):
        return None
    made = classify(generated.function)
    for step in generated.recipe:
        wrt: Any = ... if step.wrt is None else step.wrt
        if "grad" in step.kind and not step.several and wrt is not ...:
            wrt = wrt[0]
        made = Derived(step.kind, made, wrt)
    return made
