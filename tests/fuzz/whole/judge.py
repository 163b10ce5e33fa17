"""A program through the engine, held against Python and against differences.

    tangent, adjoint    value, log and exception of the function; slopes as differences have them
    split               the same of a forward sweep and two reverse sweeps, which agree
    second              Hessian times vector, forward over reverse and reverse over forward, against
                        differences of the gradient; and v'(Hw) = w'(Hv)
    primal              the function as it is written back, arguments and aliases included

A verdict is `right`, `refused` (a coded error), `wrong`, `crashed`, or `skipped` (differences
settle nothing, which leaves value, log and exceptions judged).
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import unload
from tests.fuzz.examine import Verdict, time_limit
from tests.fuzz.oracle import Rejected, Slope, slope
from tests.fuzz.whole.draw import Whole, module
from tests.fuzz.whole.outcome import Numbers, Outcome, call, differences, numbers, refilled
from tests.fuzz.whole.ties import orders_equal

SECONDS: Final = 30
MODES: Final = ("tangent", "adjoint", "split", "second", "primal")
MOST: Final = 1e4
SLOPES: Final = ("tangent", "adjoint", "forward over reverse", "reverse over forward")
Engine = Any


class Wrong(Exception):
    """A check failed."""


def judge(program: Whole, engine: Engine, modes: tuple[str, ...] = MODES) -> dict[str, Verdict]:
    """The verdict of each mode that applies."""
    made = module(program)
    wanted = call(made, made.f, made.make())
    found = {}
    for mode in modes:
        if mode in ("adjoint", "split", "second") and wanted.error is not None:
            continue
        if mode == "second" and not isinstance(wanted.result, float):
            continue
        found[mode] = _verdict(CHECKS[mode], program, engine, wanted)
        if found[mode].sort == "refused" and mode == "tangent":
            break
    unload(program)
    return found


def _verdict(check: Callable[..., None], program: Whole, engine: Engine, wanted: Any) -> Verdict:
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            check(program, engine, wanted)
    except Rejected as error:
        return Verdict("skipped", f"skipped {error}")
    except Wrong as error:
        kind = str(error).partition(":")[0]
        if kind in SLOPES and orders_equal(program):
            return Verdict("skipped", "skipped a tie")
        if kind in SLOPES and _alone(program):
            return Verdict("skipped", "skipped a path of its own")
        return Verdict("wrong", f"wrong {kind}", str(error))
    except Exception as error:
        code = getattr(error, "code", None)
        if isinstance(code, str) and code.startswith("AG"):
            return Verdict("refused", code, str(getattr(error, "message", error)))
        name = type(error).__name__
        return Verdict("crashed", f"crashed {name}", f"{name}: {str(error)[:2000]}")
    return Verdict("right")


def direction(program: Whole, args: Any, salt: int = 0) -> list[Any]:
    """A seed for every differentiated argument."""
    rng = np.random.default_rng([program.seed, salt])
    chosen = [args[k] for k in program.active]
    return [
        refilled(a, iter(rng.uniform(0.3, 1.0, numbers(a).size) * rng.choice([-1, 1])))
        for a in chosen
    ]


def moved(program: Whole, dots: list[Any], t: float) -> Any:
    """New arguments, moved along a direction.

    A list, dict or object that is given twice is one variable, and moves as one. Arrays that share
    memory, which are accepted where they are only read, are apart once they are moved.
    """
    given = module(program).make()
    args = list(given)
    for k, dot in zip(program.active, dots, strict=True):
        made = refilled(given[k], iter(numbers(given[k]) + t * numbers(dot)))
        shared = not isinstance(given[k], float | tuple | np.ndarray)
        args = [made if j == k or (shared and a is given[k]) else a for j, a in enumerate(args)]
    return args


def differences_of(program: Whole, dots: list[Any]) -> Slope:
    """The slope of all floats of the result along a direction."""
    made = module(program)

    def phi(t: float) -> Numbers:
        found = call(made, made.f, moved(program, dots, t))
        if found.error is not None:
            raise Rejected("raises close by")
        return numbers(found.result)

    base = phi(0.0)

    def checked(t: float) -> Numbers:
        values = phi(t)
        if values.shape != base.shape or not np.all(np.isfinite(values)):
            raise Rejected("another path close by")
        return values

    return slope(checked)


def ran(
    program: Whole, make: Callable[[Any], Any], seeds: Any, wanted: Outcome, first: bool
) -> Any:
    """One call of a derivative of a newly loaded function, its value and effects compared."""
    made = module(program)
    args = made.make()
    made.LOG.clear()
    derived = make(made.f)
    before = list(made.LOG)
    found = call(made, derived, args, *seeds(args))
    if before:
        raise Wrong(f"log: {before} when it was generated")
    if first and found.error is None:
        value = Outcome(found.result[0], None, found.log, found.after, found.ties)
    else:
        value = Outcome(wanted.result, found.error, found.log, found.after, found.ties)
    for text in differences(wanted, value, effects=False):
        raise Wrong(text)
    again = call(made, derived, made.make(), *seeds(args))
    if again.log != found.log or type(again.error) is not type(found.error):
        raise Wrong(f"log: {found.log} became {again.log} in a second call")
    return found.result if found.error is None else None


def check_tangent(program: Whole, engine: Engine, wanted: Outcome) -> None:
    result = ran(
        program,
        lambda f: engine.tangent(f, wrt=program.wrt),
        lambda args: direction(program, args),
        wanted,
        True,
    )
    if result is None:
        return
    args = module(program).make()
    found = np.concatenate([np.zeros(0), *_slopes(result[0], result[1])])
    _agree("tangent", found, _expected(program, direction(program, args)))


def _slopes(value: Any, dot: Any) -> Iterator[Numbers]:
    """The tangents of the floats of a result, in order.

    That of an integer is a zero, which differences do not have, and that of an object of which
    nothing is known a single one.
    """
    if type(dot) is float and dot == 0.0 and not isinstance(value, float):
        yield np.zeros(numbers(value).size)
    elif isinstance(value, tuple | list) and len(value) == len(dot):
        for part, slope_of in zip(value, dot, strict=True):
            yield from _slopes(part, slope_of)
    elif isinstance(value, dict) and value.keys() == dot.keys():
        for key in value:
            yield from _slopes(value[key], dot[key])
    else:
        yield numbers(dot)


def _expected(program: Whole, dots: list[Any]) -> Slope:
    found = differences_of(program, dots)
    if not np.all(np.isfinite(found.value)) or np.max(np.abs(found.value), initial=0.0) > MOST:
        raise Rejected("steep")
    return found


def check_adjoint(program: Whole, engine: Engine, wanted: Outcome) -> None:
    _check_reverse(program, lambda f: engine.adjoint(f, wrt=program.wrt), wanted)


def check_split(program: Whole, engine: Engine, wanted: Outcome) -> None:
    def joined(f: Any) -> Any:
        forward, reverse = (make(f, wrt=program.wrt) for make in (engine.forward, engine.reverse))
        count = f.__code__.co_argcount

        def adjoint(*given: Any) -> Any:
            value, tape = forward(*given[:count])
            first, second = (reverse(tape, *given[count:]) for _ in range(2))
            if not np.array_equal(numbers(first), numbers(second), equal_nan=True):
                raise Wrong(f"split: {first} became {second}")
            return (value, *first)

        return adjoint

    _check_reverse(program, joined, wanted)


def _check_reverse(program: Whole, make: Callable[[Any], Any], wanted: Outcome) -> None:
    bars = _bars(program, wanted.result)

    def seeds(_: Any) -> Any:
        return refilled(bars, iter(numbers(bars)))

    result = ran(program, make, seeds, wanted, True)
    args = module(program).make()
    dots = direction(program, args)
    found = _expected(program, dots)
    weights = numbers(bars)
    got = float(np.dot(numbers(tuple(result[1:])), numbers(dots)))
    value, error = np.dot(weights, found.value), np.dot(np.abs(weights), found.error)
    _agree("adjoint", np.array([got]), Slope(np.array([value]), np.array([error])))


def _bars(program: Whole, result: Any) -> list[Any]:
    """One seed for each result, of random numbers."""
    rng = np.random.default_rng([program.seed, 7])
    results = list(result) if isinstance(result, tuple) else [result]
    made = [refilled(r, iter(rng.uniform(-1.0, 1.0, numbers(r).size))) for r in results]
    return [bar for bar in made if numbers(bar).size]


def check_second(program: Whole, engine: Engine, wanted: Outcome) -> None:
    args = module(program).make()
    v, w = direction(program, args), direction(program, args, 1)
    made = module(program)
    gradient = engine.adjoint(made.f, wrt=program.wrt)

    def phi(t: float) -> Numbers:
        found = call(made, gradient, moved(program, v, t), 1.0)
        if found.error is not None:
            raise Rejected("raises close by")
        return numbers(tuple(found.result[1:]))

    products, symmetry = _products(program, engine, v, w)
    one = float(np.dot(numbers(w), products["forward over reverse"]))
    other = float(np.dot(numbers(v), symmetry))
    expected = slope(phi)
    if np.max(np.abs(expected.value), initial=0.0) > MOST:
        raise Rejected("steep")
    for name, found in products.items():
        _agree(name, found, expected)
    scale = 1.0 + float(np.max(np.abs(expected.value), initial=0.0))
    if not abs(one - other) <= 1e-9 * scale * (1.0 + abs(one)):
        raise Wrong(f"symmetry: {one!r} and {other!r}")


def _alone(program: Whole) -> bool:
    """Whether the arguments take a path that those close by do not take."""
    dots = direction(program, module(program).make())
    return _path(program, dots, 0.0) != _path(program, dots, 1e-6)


def _path(program: Whole, dots: list[Any], t: float) -> list[tuple[str, int]]:
    """The instructions of the program that are run at a point."""
    made, path = module(program), list[tuple[str, int]]()
    name = made.f.__code__.co_filename

    def step(frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        if frame.f_code.co_filename == name:
            path.append((frame.f_code.co_name, frame.f_lasti))
        return step

    args = moved(program, dots, t)
    before = sys.gettrace()
    sys.settrace(step)
    try:
        call(made, made.f, args)
    finally:
        sys.settrace(before)
    return path


def _products(
    program: Whole, engine: Engine, v: list[Any], w: list[Any]
) -> tuple[dict[str, Numbers], Numbers]:
    """The Hessian times a vector in two ways, and times another one."""
    n, made = len(program.wrt), module(program)
    forward = engine.tangent(engine.adjoint(made.f, wrt=program.wrt), wrt=program.wrt)
    both = engine.adjoint(engine.tangent(made.f, wrt=program.wrt), wrt=program.wrt)

    def product(vector: list[Any]) -> Numbers:
        made.COUNT = 0
        result = forward(*made.make(), 1.0, *refilled(vector, iter(numbers(vector))))
        return numbers(tuple(result[1][1 : n + 1]))

    found = {"forward over reverse": product(v)}
    made.COUNT = 0
    result = both(*made.make(), *refilled(v, iter(numbers(v))), 0.0, 1.0)
    found["reverse over forward"] = numbers(tuple(result[1 : n + 1]))
    return found, product(w)


def _agree(name: str, found: Numbers, wanted: Slope) -> None:
    if found.shape != wanted.value.shape:
        raise Wrong(f"{name}: {found.size} numbers, not {wanted.value.size}")
    scale = 1.0 + float(np.max(np.abs(wanted.value), initial=0.0))
    gap = np.abs(found - wanted.value)
    if not np.all(gap <= 10.0 * wanted.error + 1e-6 * scale):
        worst = int(np.argmax(np.where(np.isnan(gap), np.inf, gap)))
        raise Wrong(f"{name}: number {worst} is {found[worst]!r}, not {wanted.value[worst]!r}")


def check_primal(program: Whole, engine: Engine, wanted: Outcome) -> None:
    made = module(program)
    written = import_module(f"{engine.__name__}.api.calls.modes").primal(made.f)
    args = made.make()
    found = call(made, written, args)
    for text in differences(wanted, found, effects=True):
        raise Wrong(text)


CHECKS: Final[dict[str, Callable[[Whole, Engine, Outcome], None]]] = {
    "tangent": check_tangent,
    "adjoint": check_adjoint,
    "split": check_split,
    "second": check_second,
    "primal": check_primal,
}
