"""Rules of users: for their own functions and those of others, by the qualified name alone.

    rules.elementwise("mypkg.softplus", lambda y, x: 1.0 / (1.0 + np.exp(-x)))
    rules.linear("mypkg.blur", lambda y_bar, u: y_bar.apply("mypkg.blur", y_bar))
    rules.constant("mypkg.rank", because="a rank is an integer")
    rules.refuse("mypkg.search", because="use mypkg.solve")

    @custom(adjoint=lambda y, x, y_bar: y_bar * np.clip(1.0 / x, -10.0, 10.0))
    def bounded_log(x): ...

    @custom(residual=lambda z, a: z**3 + z - a)
    def solve(a): ...

The operands are those of the rule; keyword parameters with a default are options. A custom rule may
be given for one mode: it is linear in what it is given last, so the other is its transpose, by the
chain rule along its statements.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, NoReturn, TypeVar

import numpy as np

from adjointgen.errors import AdjointgenError, Misuse, NoRule
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.rules.all import TABLE
from adjointgen.rules.declared_source import only_computes, returns_several
from adjointgen.rules.framework import declare
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.composed import pull
from adjointgen.rules.framework.contributions import add, fit_adjoint
from adjointgen.rules.framework.table import Infer, Row, Rule
from adjointgen.rules.framework.type_rules import floating_type, object_type, same_type
from adjointgen.watch import Declared
from adjointgen.wrapping import plain

F = TypeVar("F", bound=Callable[..., Any])
Equation = Callable[..., Any]
Named = str | Callable[..., Any]
assert TABLE.complete


def elementwise(name: Named, *partials: Rule | None, infer: Infer = floating_type) -> Row:
    """`y = f(a, b, ...)` entry by entry, by the partial derivatives as functions of `y, a, b, ...`.

    None stands for an argument by which there is no derivative: it is refused where it is active.
    """
    first = next((p for p in partials if p is not None), None)
    if first is None:
        raise _misuse(f"no partial derivative of {name} is given")
    spelling, signature = _spelled(name), _signature(first, 1, len(partials))
    return declare.elementwise(
        spelling, signature, [spelling], *partials, infer=infer, foreign=True
    )


def linear(name: Named, transposes: Rule | Mapping[int, Rule], *, infer: Infer = same_type) -> Row:
    """Linear in its argument, or in each one that is numbered, by functions of `y_bar, a, b`."""
    rules = transposes if isinstance(transposes, Mapping) else {0: transposes}
    spelling, signature = _spelled(name), _signature(next(iter(rules.values())), 1, None)
    fields: dict[str, Any] = {"foreign": True, "given": tuple(rules.values())}
    return declare.linear(spelling, signature, [spelling], rules, infer=infer, **fields)


def constant(name: Named, *, because: str, infer: Infer = object_type) -> Row:
    """Derivative zero, and why."""
    spelling = _spelled(name)
    return declare.constant(spelling, "*operands...", [spelling], infer=infer, because=because)


def refuse(name: Named, *, because: str, infer: Infer = object_type) -> Row:
    """No derivative, and what to use instead."""
    return declare.refuse(_spelled(name), because=because, infer=infer)


def custom(
    *,
    tangent: Rule | None = None,
    adjoint: Rule | None = None,
    residual: Equation | None = None,
    step: Equation | None = None,
    infer: Infer = floating_type,
) -> Callable[[F], F]:
    """Gives a function another derivative than its statements have; the function stays as it is.

    `tangent(y, a, b, a_dot, b_dot)` gives `y_dot`, and `adjoint(y, a, b, y_bar)` the contributions
    to `a` and `b`, as a tuple if there are several; ValueError for a function in another one.

    `residual(y, a, b)` is zero at the result, or `step(y, a, b)` is the result again; then the
    derivative is that of the equation. Raises TypeError where such a function has other parameters
    than `y` and those of the function, by their names, and for a function that takes `**kwargs`.

    `check` compares what was given with differences of the function.
    """
    given = [rule for rule in (tangent, adjoint, residual, step) if rule is not None]
    if sum(rule is not None for rule in (tangent or adjoint, residual, step)) != 1:
        raise _misuse("custom needs a tangent or an adjoint, or a residual, or a step")
    if wrong := [rule for rule in given if not callable(rule)]:
        raise _misuse(f"{wrong[0]!r} is no rule: custom takes functions")
    if residual is not None:
        return lambda f: _with_equation(f, "residual", residual)
    if step is not None:
        return lambda f: _with_equation(f, "step", step)

    def declared(f: F) -> F:
        spelling = _spelled(f)
        if infer is floating_type and returns_several(f):
            raise _misuse(f"{f.__name__} returns several values: state their types by infer=")
        _require_parameters(f, "tangent", tangent)
        _require_parameters(f, "adjoint", adjoint)
        both = _Custom(f.__name__, tangent, adjoint)
        given = (spelling, _operands(f), [spelling], both.tangent, both.adjoint)
        declare.general(*given, infer=infer, **_noted(f, infer, tangent, adjoint))
        return f

    return declared


def _noted(f: F, infer: Infer, *rules: Rule | None) -> dict[str, Any]:
    """What is known of a function with a rule, beside the rule."""
    guessed = f if infer is floating_type else None
    given = tuple(rule for rule in rules if rule is not None)
    return {"effect": not only_computes(f), "guessed": guessed, "foreign": True, "given": given}


def _require_parameters(f: F, word: str, rule: Rule | None) -> None:
    """Refuse a rule that cannot take `y`, the arguments, and their seeds or that of `y`."""
    parameters = list(inspect.signature(f).parameters.values())
    if rule is None or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters):
        return
    names = [p.name for p in parameters]
    taken = ["y", *names, *([f"{n}_dot" for n in names] if word == "tangent" else ["y_bar"])]
    try:
        inspect.signature(rule).bind(*taken)
    except TypeError:
        raise _misuse(f"the {word} of {f.__name__} takes {', '.join(taken)}") from None
    except ValueError:  # of a function that says nothing of its parameters
        return


def implicit(name: Named, residual: Equation) -> None:
    """`residual(y, a, b)` is zero at the result of a function, as for `custom`."""
    Declared.count += 1
    _with_equation(_live(name), "residual", residual)


def fixed_point(name: Named, step: Equation) -> None:
    """`step(y, a, b)` is the result of a function again, as for `custom`."""
    Declared.count += 1
    _with_equation(_live(name), "step", step)


def _with_equation(f: F, word: str, equation: Equation) -> F:
    """The function as it is; its calls are lowered by the equation (`directives.py`)."""
    known, names = inspect.signature(f).parameters, list(inspect.signature(equation).parameters)
    other = [name for name in names[1:] if name not in known]
    if other or not names:
        lacks = f"the parameter {other[0]} of" if names else "an unknown for"
        raise _misuse(f"{f.__name__} lacks {lacks} its {word}")
    Declared.equations[plain(f)] = word, equation
    return f


def _live(name: Named) -> Callable[..., Any]:
    """A function with source, by its qualified name."""
    found = plain(resolve_name(name) if isinstance(name, str) else name)
    if not inspect.isfunction(found):
        raise _misuse(f"{name} has no Python source: call it in a function that is declared")
    return found


class _Custom:
    """Both modes of a rule of which one may be given."""

    def __init__(self, name: str, forward: Rule | None, backward: Rule | None) -> None:
        self.name, self.forward, self.backward = name, forward, backward

    def tangent(
        self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Any
    ) -> Any:
        given = [_zero(a) if d is None else d for a, d in zip(args, dots, strict=True)]
        if self.forward is not None:
            return self.pushed(b, y, args, given)
        seed = _zero(y)
        before = len(b.stmts)
        pairs = zip(self.pulled(b, y, args, seed), given, strict=True)
        found = [(bar, dot) for bar, dot in pairs if bar is not None]
        bars, dots = [bar for bar, _ in found], [dot for _, dot in found]
        return _transposed(b, before, bars, dots, [seed])[0]

    def adjoint(
        self, b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Any
    ) -> Sequence[Any]:
        if self.backward is not None:
            return self.pulled(b, y, args, y_bar)
        seeds = [_zero(a) for a in args]
        before = len(b.stmts)
        made = self.pushed(b, y, args, seeds)
        return _transposed(b, before, [made], [y_bar], seeds)

    def pushed(self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any]) -> Any:
        """The tangent, as the rule gives it."""
        assert self.forward is not None
        made = self.given("tangent", self.forward, y, *args, *dots)
        if not _is_value(made):
            self.refuse("tangent", _kind(made), _COMPUTED)
        return b.handle(b.lower(made))

    def pulled(self, b: Builder, y: Any, args: Sequence[Any], y_bar: Any) -> list[Any]:
        """The contributions to the arguments; None for one that is zero."""
        assert self.backward is not None
        made = self.given("adjoint", self.backward, y, *args, y_bar)
        rows = made if isinstance(made, tuple) else (made,)
        wrong = [row for row in rows if not (row is None or _is_value(row))]
        if made is None or wrong:
            self.refuse("adjoint", _kind(*wrong[:1]), _COMPUTED)
        if len(rows) != len(args):
            what = f"{len(rows)} contributions for {len(args)} arguments"
            self.refuse("adjoint", what, "return a tuple, with None for what has no derivative")
        return [None if row is None else b.handle(b.lower(row)) for row in rows]

    def given(self, mode: str, rule: Rule, *operands: Any) -> Any:
        """What a rule gives for operands that stand for values."""
        try:
            return rule(*operands)
        except NoRule as error:
            error.message = error.message.replace("a rule", f"the {mode} of {self.name}", 1)
            raise
        except AdjointgenError:
            raise
        except Exception as error:
            self.refuse(mode, f"{type(error).__name__}: {error}", _COMPUTED, error)

    def refuse(self, mode: str, said: str, help: str, error: Exception | None = None) -> NoReturn:
        """Raise NoRule (AG201) for what a rule gave."""
        raise NoRule(f"the {mode} of {self.name} gave {said}", code="AG201", help=help) from error


_COMPUTED = "compute it with what the rule is given, by arithmetic and functions of NumPy"


def _kind(made: object = None) -> str:
    return f"{type(made).__name__}, which is no derivative"


def _is_value(made: object) -> bool:
    """Whether a rule may give this for a derivative: what it computed, or a number."""
    return isinstance(made, Handle | Value | Const | float | int | np.number)


def _zero(a: Any) -> Any:
    """A zero that has a name, so that what is computed from it can be followed."""
    return a * 0.0 if a.type.is_scalar else a.apply("zeros_like", a)


def _transposed(
    b: Builder, before: int, ends: Sequence[Any], bars: Sequence[Any], seeds: Sequence[Any]
) -> list[Any]:
    """The transpose of the statements from the seeds to the ends, applied to the bars."""
    stmts = [s for s in b.stmts[before:] if isinstance(s, Apply)]
    found: dict[str, Any] = {}
    for end, bar in zip(ends, bars, strict=True):
        if isinstance(end.operand, Value):
            fitted = fit_adjoint(b, b.lower(bar), end.operand)
            found[end.operand.name] = add(b, found.get(end.operand.name), fitted)
    pull(b, stmts, found, {s.operand.name for s in seeds})
    made = [found.get(s.operand.name) for s in seeds]
    return [None if m is None else b.handle(m) for m in made]


def _spelled(name: Named) -> str:
    """The qualified name of a function of a module."""
    if isinstance(name, str) and name:
        return name
    if not callable(name) or not hasattr(name, "__qualname__"):
        raise _misuse(f"{name!r} is neither a function nor the qualified name of one")
    if "<" in name.__qualname__:
        raise _misuse(f"{name.__qualname__} must be defined in a module to be imported from it")
    spelling = f"{name.__module__}.{name.__qualname__}"
    Declared.functions[spelling] = name
    return spelling


def _operands(f: Callable[..., Any]) -> str:
    """The parameters of a function as the operands of a row; raises TypeError for `**kwargs`."""
    stated: list[str] = []
    for name, parameter in inspect.signature(f).parameters.items():
        match parameter.kind:
            case parameter.VAR_KEYWORD:
                raise _misuse(f"{f.__name__} takes **{name}: custom needs a name for each argument")
            case parameter.VAR_POSITIONAL:
                stated += [f"*{name}...", "*"]
            case parameter.KEYWORD_ONLY if "*" not in stated:
                stated += ["*", name]
            case _:
                stated.append(name)
    return ", ".join(stated)


def _misuse(what: str) -> Misuse:
    return Misuse(what, code="AG415", help="docs/rules.md shows rules of one's own")


def _signature(rule: Rule, skip: int, count: int | None) -> str:
    """The parameters of a rule after the first: operands, and options with their defaults."""
    parameters = list(inspect.signature(rule).parameters.values())[skip:]
    options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    operands = [p for p in parameters if p.kind is not p.KEYWORD_ONLY][:count]
    stated = [f"*{p.name}..." if p.kind is p.VAR_POSITIONAL else p.name for p in operands]
    return ", ".join([*stated, *(f"{p.name}={p.default!r}" for p in options)])
