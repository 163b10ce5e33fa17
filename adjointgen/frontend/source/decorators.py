"""What decorators make of a function, and derivatives that exist already."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Derived, Named
from adjointgen.wrapping import decorator_of, held_under, is_harmless, only_wraps


def decorated(
    function: Closure,
    decorators: Sequence[ast.expr],
    ways: Callable[[ast.expr], Sequence[Abstract]],
) -> Abstract | None:
    """A function under its decorators, read from text; None where these may do anything.

    `ways` are all that a dotted name may stand for: every one has to be seen through.
    """
    made: Abstract = function
    for decorator in reversed(decorators):
        called = isinstance(decorator, ast.Call)
        found = ways(decorator_of(decorator))
        if found and all(_is_transparent(one, called) for one in found):
            if _gives_rule(decorator) and not all(isinstance(one, Closure) for one in found):
                # A rule is what a function of Python makes of operands: it is not read from text.
                return None
            continue
        match found:
            case [Named(spelling="adjointgen.grad" | "adjointgen.value_and_grad" as grad)] if (
                wrt := _wrt(decorator)
            ) is not None:
                made = Derived(grad.rpartition(".")[2], made, wrt)
            case _:
                return None
    return made


def _is_transparent(decorator: Abstract, called: bool) -> bool:
    """Whether a decorator, or what it gives when it is called first, changes no number."""
    match decorator:
        case Closure(source=source):
            return only_wraps(source.node, called)
        case Named(spelling=spelling):
            return is_harmless(spelling)
    return False


def _gives_rule(decorator: ast.expr) -> bool:
    """Whether this is `@custom` with a rule; an equation is read from text."""
    given = decorator.keywords if isinstance(decorator, ast.Call) else []
    return any(keyword.arg in ("tangent", "adjoint") for keyword in given)


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
    generated = held_under(value, "generated", None)
    if generated is None or not hasattr(generated, "recipe"):
        return None
    if any(step.aux for step in generated.recipe):
        return None
    made = classify(generated.function)
    for step in generated.recipe:
        wrt: Any = ... if step.wrt is None else step.wrt
        if "grad" in step.kind and not step.several and wrt is not ...:
            wrt = wrt[0]
        made = Derived(step.kind, made, wrt)
    return made
