"""The words in which rows are declared: one call is one row, and one row is both modes.

    elementwise("sin", "x", ["numpy.sin", "math.sin"], lambda y, x: np.cos(x), on=(-3, 3))
    linear("sum", "a, axis=None", ["numpy.sum"], {0: lambda y_bar, a, axis: expand(y_bar, a, axis)})
    constant("floor", "x", ["numpy.floor"], because="it is constant between integers")

A rule is called with handles (`build.Handle`), so what it computes is appended as statements, and
its derivative is again made of rows. Options reach a rule by keyword, the defaults of the signature
filled in; a rule names those that it needs.

`on` and `domain` say where a row may be tested. `on` holds the interval that each operand is drawn
from, one for all or one each. `domain` lists examples: the type of each operand, or the value of an
integer operand, followed by the options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from adjointgen.rules.framework.table import TABLE, Infer, Parameter, Row, Rule, parse_signature
from adjointgen.rules.framework.type_rules import elementwise_type, object_type

Interval = tuple[float, float]


def elementwise(
    name: str,
    signature: str,
    spellings: Sequence[str],
    *partials: Rule | None,
    on: Interval | Sequence[Interval] | None = None,
    infer: Infer = elementwise_type,
    domain: Any = None,
    **fields: Any,
) -> Row:
    """`y = f(a, b, ...)` entry by entry; `dy/da, dy/db, ...` are functions of `y, a, b, ...`."""
    parameters = parse_signature(signature)
    rules = tuple(None if p is None else with_options(p, parameters) for p in partials)
    if on is not None:
        domain = on if isinstance(on[0], tuple) else (on,) * len(partials)
    return _add(
        Row(
            name,
            "elementwise",
            tuple(spellings),
            parameters,
            infer,
            partials=rules,
            domain=domain,
            **fields,
        )
    )


def linear(
    name: str,
    signature: str,
    spellings: Sequence[str],
    transposes: Mapping[int, Rule],
    *,
    infer: Infer,
    **fields: Any,
) -> Row:
    """Linear in each argument with a transpose, the others fixed.

    The transpose gets `y_bar`, then all operands, and gives the contribution to `x_bar`.
    """
    parameters = parse_signature(signature)
    rules = {k: with_options(rule, parameters) for k, rule in transposes.items()}
    return _add(
        Row(name, "linear", tuple(spellings), parameters, infer, transposes=rules, **fields)
    )


def general(
    name: str,
    signature: str,
    spellings: Sequence[str],
    tangent: Rule,
    adjoint: Rule,
    *,
    infer: Infer,
    **fields: Any,
) -> Row:
    """Any other operation: `tangent(builder, y, args, dots, options)` gives `y_dot`, and
    `adjoint(builder, y, y_bar, args, options)` the contributions to the arguments.

    A tangent that is None is zero; so is a contribution. Defaults of options are filled in.
    """
    parameters = parse_signature(signature)
    defaults = {p.name: p.default for p in parameters if not p.operand}

    def complete(rule: Rule) -> Rule:
        return lambda *args: rule(*args[:-1], defaults | args[-1])

    return _add(
        Row(
            name,
            "general",
            tuple(spellings),
            parameters,
            infer,
            tangent=complete(tangent),
            adjoint=complete(adjoint),
            **fields,
        )
    )


def constant(
    name: str,
    signature: str,
    spellings: Sequence[str],
    *,
    infer: Infer,
    because: str,
    **fields: Any,
) -> Row:
    """An operation with derivative zero, and why."""
    parameters = parse_signature(signature)
    return _add(
        Row(name, "constant", tuple(spellings), parameters, infer, because=because, **fields)
    )


def refuse(
    name: str,
    signature: str = "*operands...",
    spellings: Sequence[str] | None = None,
    *,
    because: str,
    infer: Infer = object_type,
    **fields: Any,
) -> Row:
    """An operation without a rule, and what to write instead; its name is its only spelling."""
    named = (name,) if spellings is None else tuple(spellings)
    parameters = parse_signature(signature)
    return _add(Row(name, "refuse", named, parameters, infer, because=because, **fields))


def structural(
    name: str,
    signature: str,
    spellings: Sequence[str],
    transposes: Mapping[int, Rule],
    *,
    infer: Infer,
    **fields: Any,
) -> Row:
    """Linear in all arguments with a transpose together; the transforms know it by name."""
    parameters = parse_signature(signature)
    rules = {k: with_options(rule, parameters) for k, rule in transposes.items()}
    return _add(
        Row(name, "structural", tuple(spellings), parameters, infer, transposes=rules, **fields)
    )


def with_options(rule: Rule, parameters: Sequence[Parameter]) -> Rule:
    """The rule, called with the options it names: as given, else the signature's default."""
    defaults = {p.name: p.default for p in parameters if not p.operand}

    def called(*args: Any, **options: Any) -> Any:
        named = _keywords(rule)
        given = {k: v for k, v in (defaults | options).items() if k in named}
        return rule(*args, **given)

    return called


@cache
def _keywords(rule: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(rule).parameters)


def _add(row: Row) -> Row:
    TABLE.add(row)
    return row
