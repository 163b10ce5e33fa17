"""One program against the engine, through the public interface alone.

What must hold, and how it is told:

    value        the programs return what the source returns
    tangent      ẏ is the slope that the oracle finds
    transpose    ⟨x̄, ẋ⟩ = ⟨ȳ, ẏ⟩, exact but for rounding, whatever the derivative is worth
    second       ∂/∂t of the gradient along v, by differences, is the Hessian-vector product
    arguments    as the caller left them, or as the source itself leaves them
    passes       the same numbers with an optimising pass switched off
    text         a second generation gives the same source

A verdict is `right`, `refused` (by a coded error), `wrong`, `crashed` (any other exception), or
`skipped` (the oracle has no opinion). `kind` names a failure without its numbers, so that two
programs can be said to fail in the same way.
"""

import inspect
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Final, Literal, Protocol

import numpy as np

from tests.fuzz.oracle import Primal, Rejected, Slope, derivative, directions, slope
from tests.fuzz.program import Program, Vector, flatten, load, unload
from tests.fuzz.weighted import WEIGHTED, weighted

Sort = Literal["right", "refused", "wrong", "crashed", "skipped"]
SECONDS: Final = 60


class Engine(Protocol):
    """What of `adjointgen` is used here."""

    def tangent(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ...) -> Any: ...
    def adjoint(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ...) -> Any: ...
    def hvp(self, f: Any, primals: Any, vectors: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a program fared; `texts` is the generated source, for comparing runs."""

    sort: Sort
    kind: str = ""
    detail: str = ""
    texts: str = ""


class Wrong(Exception):
    """A check failed: which one, and by how much."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"{check}: {detail}")
        self.check = check


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A program with its oracle's findings and the directions it is looked at from."""

    program: Program
    primal: Primal
    dots: list[Any]
    bars: list[Any]
    slope: Slope

    @property
    def scale(self) -> float:
        """The size that rounding errors are measured by."""
        return 1.0 + float(
            np.max(np.abs(np.concatenate([self.primal.base, self.slope.value])), initial=0.0)
        )


def examine(
    program: Program, engine: Engine, passes: Sequence[str] = (), every: bool = False
) -> Verdict:
    """The verdict on a program; `every` switches off each of `passes` in turn, not one of them."""
    try:
        case = prepare(program)
    except Rejected as error:
        return Verdict("skipped", kind="skipped", detail=str(error))
    try:
        with time_limit(SECONDS):
            return Verdict("right", texts=check(case, engine, passes, every))
    except Wrong as error:
        return Verdict("wrong", f"wrong {error.check}", str(error))
    except Rejected as error:
        return Verdict("skipped", kind="skipped", detail=str(error))
    except Exception as error:
        code = getattr(error, "code", None)
        if isinstance(code, str) and code.startswith("AG"):
            return Verdict(
                "refused", f"refused {code}", f"{code}: {getattr(error, 'message', error)}"
            )
        return Verdict("crashed", f"crashed {type(error).__name__}", _headline(error))
    finally:
        unload(program)


def prepare(program: Program) -> Case:
    """What the oracle knows of a program, or `Rejected`."""
    primal = Primal(program)
    dots = directions(program, program.seed)
    found = derivative(primal, dots)
    results = list(primal.result) if isinstance(primal.result, tuple) else [primal.result]
    rng = np.random.default_rng([program.seed, 1])
    bars = [_like(r, rng.uniform(-1.0, 1.0, flatten(r).size)) for r in results]
    return Case(program, primal, dots, bars, found)


def check(case: Case, engine: Engine, passes: Sequence[str], every: bool) -> str:
    """Run all the checks; returns the generated source."""
    y_dot, first = run_tangent(case, engine)
    _agree("tangent", y_dot, case.slope.value, 10.0 * case.slope.error + 1e-8 * case.scale)
    x_bar, second = run_adjoint(case, engine)
    _transposed(case, y_dot, x_bar)
    again = (run_tangent(case, engine)[1], run_adjoint(case, engine)[1])
    if again != (first, second):
        raise Wrong("text", "a second generation gives another source")
    chosen = (
        passes if every else [random.Random(case.program.seed).choice(passes)] if passes else []
    )
    for name in chosen:
        _agree(
            f"tangent without {name}",
            run_tangent(case, engine, (name,))[0],
            y_dot,
            1e-11 * case.scale,
        )
        other = run_adjoint(case, engine, (name,))[0]
        _agree(
            f"adjoint without {name}", other, x_bar, 1e-11 * (case.scale + np.max(np.abs(x_bar)))
        )
    _second_order(case, engine)
    return first + second


def run_tangent(case: Case, engine: Engine, off: tuple[str, ...] = ()) -> tuple[Vector, str]:
    """ẏ and the source of the tangent program, the value checked on the way."""
    function = engine.tangent(_loaded(case.program), wrt=case.program.wrt, disable=off)
    out = _call("tangent", case, function, case.dots)
    n = case.primal.base.size
    if out.size != 2 * n:
        raise Wrong("tangent structure", f"{out.size} numbers instead of {2 * n}")
    _agree("tangent value", out[:n], case.primal.base, 1e-12 * case.scale)
    return out[n:], str(function.source)


def run_adjoint(case: Case, engine: Engine, off: tuple[str, ...] = ()) -> tuple[Vector, str]:
    """x̄ of all differentiated arguments, and the source of the adjoint program."""
    function = engine.adjoint(_loaded(case.program), wrt=case.program.wrt, disable=off)
    out = _call("adjoint", case, function, case.bars)
    n, wanted = case.primal.base.size, case.primal.base.size + flatten(case.dots).size
    if out.size != wanted:
        raise Wrong("adjoint structure", f"{out.size} numbers instead of {wanted}")
    _agree("adjoint value", out[:n], case.primal.base, 1e-12 * case.scale)
    return out[n:], str(function.source)


def _loaded(program: Program) -> Callable[..., Any]:
    unload(program)
    return load(program)


def _call(mode: str, case: Case, function: Callable[..., Any], seeds: list[Any]) -> Vector:
    """Call a derivative program; the arguments and seeds must come back as they may."""
    args, given = case.program.fresh_args(), deepcopy(seeds)
    out = flatten(call_seeded(function, args, given))
    for name, now, before, after in zip(
        case.program.parameters, args, case.program.args, case.primal.after, strict=True
    ):
        if not (_same(now, before) or _same(now, after)):
            raise Wrong(f"{mode} arguments", f"{name} is modified")
    if not _same(given, seeds):
        raise Wrong(f"{mode} seeds", "the caller's seed is modified")
    return out


def call_seeded(function: Callable[..., Any], args: list[Any], seeds: list[Any]) -> Any:
    """Seeds follow the arguments, or go by name where the program asks for that."""
    parameters = inspect.signature(function).parameters.values()
    named = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    if len(named) == len(seeds):
        return function(*args, **dict(zip(named, seeds, strict=True)))
    return function(*args, *seeds)


def _transposed(case: Case, y_dot: Vector, x_bar: Vector) -> None:
    x_dot, y_bar = flatten(case.dots), flatten(case.bars)
    terms = np.concatenate([x_bar * x_dot, -(y_bar * y_dot)])
    gap, size = abs(float(np.sum(terms))), 1.0 + float(np.sum(np.abs(terms)))
    if not gap <= 1e-11 * size:
        raise Wrong("transpose", f"⟨x̄, ẋ⟩ and ⟨ȳ, ẏ⟩ differ by {gap:.2e} of {size:.2e}")


def _second_order(case: Case, engine: Engine) -> None:
    """Differences of the gradient against the Hessian-vector product of ⟨ȳ, f⟩."""
    program = case.program
    if "stop_gradient" in program.source:  # the gradient moves with what the derivative holds fixed
        return
    function = engine.adjoint(_loaded(program), wrt=program.wrt)
    n = case.primal.base.size

    def gradient(t: float) -> Vector:
        args = case.primal.moved(case.dots, t)
        return flatten(call_seeded(function, args, deepcopy(case.bars)))[n:]

    try:
        wanted = slope(gradient)
    except Rejected:
        return
    scalar = weighted(program, case.bars)
    primals = tuple(program.fresh_args()[k] for k in program.active)
    found = flatten(engine.hvp(load(scalar, WEIGHTED), primals, tuple(deepcopy(case.dots))))
    unload(scalar)
    if found.size != wanted.value.size:
        raise Wrong("second structure", f"{found.size} numbers instead of {wanted.value.size}")
    size = 1.0 + float(np.max(np.abs(wanted.value), initial=0.0))
    _agree("second", found, wanted.value, 10.0 * wanted.error + 1e-7 * size)


def _agree(name: str, found: Vector, wanted: Vector, tolerance: Any) -> None:
    gap = np.abs(found - wanted)
    if not np.all(gap <= tolerance):
        worst = int(np.argmax(np.where(np.isnan(gap), np.inf, gap)))
        raise Wrong(name, f"component {worst} is {found[worst]:.12g}, not {wanted[worst]:.12g}")


def _same(a: Any, b: Any) -> bool:
    return np.allclose(flatten(a), flatten(b), rtol=1e-12, atol=1e-12, equal_nan=True)


def _like(result: Any, numbers: Vector) -> Any:
    if isinstance(result, np.ndarray):
        return numbers.reshape(result.shape)
    return float(numbers[0])


def _headline(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def same_failure(
    verdict: Verdict, engine: Engine, passes: Sequence[str] = (), every: bool = False
) -> Callable[[Program], bool]:
    """Whether a program fails as `verdict` says: what the shrinker asks."""

    def fails(program: Program) -> bool:
        try:
            found = examine(replace(program, features=()), engine, passes, every)
        except SyntaxError:
            return False
        return (found.sort, found.kind) == (verdict.sort, verdict.kind)

    return fails


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Interrupt what does not come back; in a process's main thread."""

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"no answer within {seconds} s")

    previous = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
