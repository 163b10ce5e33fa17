"""One program against the engine, through the public interface alone.

What must hold, and how it is told:

    value        the programs return what the source returns
    tangent      ẏ is the slope that the oracle finds
    split        the reverse sweep alone gives the same x̄, twice, whatever becomes of x and y
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
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, Final, Literal, Protocol

import numpy as np

from adjointgen.opt.program import Program, Vector, flatten, load, unload
from tests.fuzz.oracle import Primal, Rejected, Slope, derivative, directions, slope
from tests.fuzz.weighted import WEIGHTED, weighted

Sort = Literal["right", "refused", "wrong", "crashed", "skipped"]
STAGES: Final = ("tangent", "adjoint", "split", "text", "passes", "second order")
SECONDS: Final = 60


class Engine(Protocol):
    """What of `adjointgen` is used here."""

    def tangent(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ...) -> Any: ...
    def adjoint(self, f: Any, wrt: Any = ..., *, disable: tuple[str, ...] = ...) -> Any: ...
    def forward(self, f: Any, wrt: Any = ...) -> Any: ...
    def reverse(self, f: Any, wrt: Any = ...) -> Any: ...
    def hvp(self, f: Any, primals: Any, vectors: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a program fared, and in which stage; `texts` is the generated source."""

    sort: Sort
    kind: str = ""
    detail: str = ""
    stage: str = ""
    texts: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to check. `every` switches off each of `passes` in turn, not a random one of them."""

    passes: tuple[str, ...] = ()
    every: bool = False
    stages: tuple[str, ...] = STAGES


EVERYTHING: Final = Plan()


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
    def seeds(self) -> list[Any]:
        """The directions of the results that are not integers."""
        result = self.primal.result
        results = list(result) if isinstance(result, tuple) else [result]
        pairs = zip(self.bars, results, strict=True)
        return [bar for bar, r in pairs if np.asarray(r).dtype.kind == "f"]

    @property
    def scale(self) -> float:
        """The size that rounding errors are measured by."""
        return 1.0 + float(
            np.max(np.abs(np.concatenate([self.primal.base, self.slope.value])), initial=0.0)
        )


def examine(program: Program, engine: Engine, plan: Plan = EVERYTHING) -> Verdict:
    """The verdict on a program."""
    try:
        case = prepare(program)
    except Rejected as error:
        return Verdict("skipped", f"skipped {error}", str(error))
    try:
        with time_limit(SECONDS):
            return Verdict("right", texts=check(case, engine, plan))
    except Rejected as error:
        return Verdict("skipped", f"skipped {error}", str(error))
    except Exception as error:
        return _raised(error)
    finally:
        unload(program)


def _raised(error: Exception) -> Verdict:
    """A failed check, a coded refusal, or a crash, which is told by where it happened."""
    at = "".join(getattr(error, "__notes__", []))
    if isinstance(error, Wrong):
        return Verdict("wrong", f"wrong {error.check}", str(error), at)
    code = getattr(error, "code", None)
    if isinstance(code, str) and code.startswith("AG"):
        text = f"{code} in {at}: {getattr(error, 'message', error)}"
        return Verdict("refused", f"refused {at} {code}", text, at)
    last = traceback.extract_tb(error.__traceback__)[-1]
    file = "generated" if last.filename.startswith("<") else Path(last.filename).name
    name, text = type(error).__name__, " ".join(str(error).splitlines()[:1])
    place = f"{file}, {last.name}"
    detail = f"{name} in {at} ({place}): {text}"
    return Verdict("crashed", f"crashed {at} {name} {place}", detail, at)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Say in what is raised here which stage it is."""
    try:
        yield
    except Exception as error:
        error.add_note(name)
        raise


def prepare(program: Program) -> Case:
    """What the oracle knows of a program, or `Rejected`."""
    primal = Primal(program)
    dots = directions(program, program.seed)
    found = derivative(primal, dots)
    results = list(primal.result) if isinstance(primal.result, tuple) else [primal.result]
    rng = np.random.default_rng([program.seed, 1])
    bars = [_like(r, rng.uniform(-1.0, 1.0, flatten(r).size)) for r in results]
    return Case(program, primal, dots, bars, found)


def check(case: Case, engine: Engine, plan: Plan) -> str:
    """Run the checks of the plan; returns the generated source, if that is among them."""
    with stage("tangent"):
        tangent, y_dot = run_tangent(case, engine)
        _agree("tangent", y_dot, case.slope.value, 10.0 * case.slope.error + 1e-8 * case.scale)
    if plan.stages == ("tangent",):
        return ""
    with stage("adjoint"):
        adjoint, x_bar = run_adjoint(case, engine)
        _transposed(case, y_dot, x_bar)
    if "split" in plan.stages:
        with stage("split"):
            _split(case, engine, adjoint, x_bar)
    texts = ""
    if "text" in plan.stages:
        with stage("text"):
            texts = str(tangent.source) + str(adjoint.source)
            again = str(run_tangent(case, engine)[0].source) + str(
                run_adjoint(case, engine)[0].source
            )
            if again != texts:
                raise Wrong("text", "a second generation gives another source")
    if "passes" in plan.stages and plan.passes:
        with stage("passes"):
            _without_passes(case, engine, plan, y_dot, x_bar)
    if "second order" in plan.stages:
        with stage("second order"):
            _second_order(case, engine, adjoint)
    return texts


def _split(case: Case, engine: Engine, adjoint: Any, x_bar: Vector) -> None:
    """One forward sweep and two reverse sweeps, between which the caller's arrays are spoilt."""
    program, seeds = case.program, accepted(case, adjoint)
    function, args = _loaded(program), program.fresh_args()
    value, tape = engine.forward(function, wrt=program.wrt)(*args)
    _agree("split value", flatten(value), case.primal.base, 1e-12 * case.scale)
    size = 1e-12 * (case.scale + float(np.max(np.abs(x_bar), initial=0.0)))
    for time in ("first", "second"):
        found = flatten(engine.reverse(function, wrt=program.wrt)(tape, *deepcopy(seeds)))
        _agree(f"{time} reverse sweep", found, x_bar, size)
        _spoil((args, value))


def _spoil(tree: Any) -> None:
    """Write to every array that is not of an object's own."""
    if isinstance(tree, np.ndarray):
        if tree.flags.writeable and tree.dtype.kind in "fi":
            tree[...] = 77
    elif isinstance(tree, tuple | list | dict):
        for item in tree.values() if isinstance(tree, dict) else tree:
            _spoil(item)


def _without_passes(case: Case, engine: Engine, plan: Plan, y_dot: Vector, x_bar: Vector) -> None:
    """The same numbers with a pass switched off."""
    one = random.Random(case.program.seed).choice(plan.passes)
    size = case.scale + float(np.max(np.abs(x_bar), initial=0.0))
    for name in plan.passes if plan.every else (one,):
        _agree(
            f"tangent without {name}", run_tangent(case, engine, (name,))[1], y_dot, 1e-11 * size
        )
        _agree(
            f"adjoint without {name}", run_adjoint(case, engine, (name,))[1], x_bar, 1e-11 * size
        )


def run_tangent(case: Case, engine: Engine, off: tuple[str, ...] = ()) -> tuple[Any, Vector]:
    """The tangent program and ẏ, the value checked on the way."""
    function = engine.tangent(_loaded(case.program), wrt=case.program.wrt, disable=off)
    out = _call("tangent", case, function, case.dots)
    n = case.primal.base.size
    if out.size != 2 * n:
        raise Wrong("tangent structure", f"{out.size} numbers instead of {2 * n}")
    _agree("tangent value", out[:n], case.primal.base, 1e-12 * case.scale)
    return function, out[n:]


def run_adjoint(case: Case, engine: Engine, off: tuple[str, ...] = ()) -> tuple[Any, Vector]:
    """The adjoint program and x̄ of all differentiated arguments."""
    function = engine.adjoint(_loaded(case.program), wrt=case.program.wrt, disable=off)
    out = _call("adjoint", case, function, accepted(case, function))
    n, wanted = case.primal.base.size, case.primal.base.size + flatten(case.dots).size
    if out.size != wanted:
        raise Wrong("adjoint structure", f"{out.size} numbers instead of {wanted}")
    _agree("adjoint value", out[:n], case.primal.base, 1e-12 * case.scale)
    return function, out[n:]


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


def accepted(case: Case, function: Callable[..., Any]) -> list[Any]:
    """The seeds that a program takes: an integer has one if another path returns a float there."""
    if len(case.seeds) == len(case.bars):
        return case.bars
    try:
        call_seeded(function, case.program.fresh_args(), deepcopy(case.bars))
    except Exception as error:
        if getattr(error, "code", "") == "AG405":
            return case.seeds
        raise
    return case.bars


def _transposed(case: Case, y_dot: Vector, x_bar: Vector) -> None:
    x_dot, y_bar = flatten(case.dots), flatten(case.bars)
    terms = np.concatenate([x_bar * x_dot, -(y_bar * y_dot)])
    gap, size = abs(float(np.sum(terms))), 1.0 + float(np.sum(np.abs(terms)))
    if not gap <= 1e-11 * size:
        raise Wrong("transpose", f"⟨x̄, ẋ⟩ and ⟨ȳ, ẏ⟩ differ by {gap:.2e} of {size:.2e}")


def _second_order(case: Case, engine: Engine, function: Any) -> None:
    """Differences of the gradient against the Hessian-vector product of ⟨ȳ, f⟩."""
    program = case.program
    if "stop_gradient" in program.source:  # the gradient moves with what the derivative holds fixed
        return
    n = case.primal.base.size
    seeds = accepted(case, function)

    def gradient(t: float) -> Vector:
        args = case.primal.moved(case.dots, t)
        return flatten(call_seeded(function, args, deepcopy(seeds)))[n:]

    try:
        wanted = slope(gradient)
    except Rejected:
        return
    scalar = weighted(program, case.bars)
    primals = tuple(program.fresh_args()[k] for k in program.active)
    try:
        made = engine.hvp(load(scalar, WEIGHTED), primals, tuple(deepcopy(case.dots)))
    finally:
        unload(scalar)
    found = flatten(made)
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


def same_failure(verdict: Verdict, engine: Engine, plan: Plan) -> Callable[[Program], bool]:
    """Whether a program fails as `verdict` says: what the shrinker asks. No other stage is run."""
    needed = ("tangent",) if verdict.stage == "tangent" else ("adjoint", verdict.stage)
    quick = replace(plan, stages=needed)

    def fails(program: Program) -> bool:
        try:
            found = examine(program, engine, quick)
        except SyntaxError:
            return False
        return (found.sort, found.kind) == (verdict.sort, verdict.kind)

    return fails


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Interrupt what does not come back in so many seconds of the processor; in the main thread."""

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"no answer within {seconds} s")

    previous = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
