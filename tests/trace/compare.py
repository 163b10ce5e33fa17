"""The executed graph against the generated adjoint: `python -m tests.trace.compare --seed --count`.

    whole       programs over the whole grammar (tests/fuzz/whole)
    programs    programs for arrays and numbers (tests/fuzz/generator.py)
    kernels     loops over numbers in arrays (tests/fuzz/kernels.py)

Value, log and exception of the trace are held against Python, its gradient against the generated
adjoint, entry by entry, for the same random seeds. A verdict is `equal`; `refused`, with a code,
where the trace refuses; `differences`, where the adjoint is refused and differences confirm the
trace; `kink`, where the two differ and differences do not settle; else `wrong`, with the side
that differences contradict, or `crashed`.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import Program, load, unload
from adjointgen.tracing.handle import trace
from tests.fuzz import kernels
from tests.fuzz.examine import Verdict, call_seeded, time_limit
from tests.fuzz.generator import generate
from tests.fuzz.oracle import Rejected, Slope, slope
from tests.fuzz.whole.draw import Whole, draw
from tests.fuzz.whole.judge import _path
from tests.fuzz.whole.outcome import Outcome, call, differences, numbers, refilled

SECONDS: Final = 60
KINDS: Final[dict[str, Callable[[int], Program]]] = {
    "whole": draw,
    "programs": generate,
    "kernels": kernels.generate,
}


class Wrong(Exception):
    """The trace is not what Python or the adjoint is."""


def judge(program: Program, engine: Any = None) -> Verdict:
    """The verdict on a program."""
    engine = engine or import_module("adjointgen")
    try:
        with time_limit(SECONDS), np.errstate(all="ignore"):
            return _judged(program, engine)
    except Wrong as error:
        return Verdict("wrong", f"wrong {str(error).partition(':')[0]}", str(error))
    except Exception as error:
        code = getattr(error, "code", None)
        text = str(getattr(error, "message", error))[:1000]
        if isinstance(code, str) and code.startswith("AG"):
            return Verdict("refused", code, text)
        return Verdict("crashed", f"crashed {type(error).__name__}", text)
    finally:
        unload(program)


def fresh(program: Program) -> tuple[Any, Any, list[Any]]:
    """A new module of the program, its function, and its arguments."""
    function = load(program)
    module = sys.modules[function.__module__]
    vars(module).setdefault("LOG", [])
    return module, function, list(program.fresh_args())


def _judged(program: Program, engine: Any) -> Verdict:
    module, f, args = fresh(program)
    wanted = call(module, f, args)
    traced, seed = traced_outcome(program, wanted)
    for text in differences(wanted, traced[0], effects=False):
        raise Wrong(text)
    if wanted.error is not None:
        return Verdict("equal")
    found = gradient(program, traced[1])
    try:
        adjoint = generated(program, engine, wanted)
    except Exception as error:
        if not str(getattr(error, "code", "")).startswith("AG"):
            raise
        return confirmed(program, found, seed)
    gap = np.abs(found - adjoint) if found.shape == adjoint.shape else np.full(1, np.inf)
    scale = 1.0 + float(np.max(np.abs(adjoint), initial=0.0))
    if np.all((gap <= 1e-9 * scale) | (~np.isfinite(found) & ~np.isfinite(adjoint))):
        return Verdict("equal")
    return _decided(program, found, adjoint, seed)


def traced_outcome(program: Program, wanted: Outcome) -> tuple[tuple[Outcome, Any], Any]:
    """What the traced run does, its handle after a sweep, and the seed of that."""
    module, f, args = fresh(program)
    handle: list[Any] = []

    def run(*given: Any) -> Any:
        handle.append(trace(f, *given, wrt=program.wrt))
        return handle[0].value

    outcome = call(module, run, args)
    if not handle:
        return (outcome, None), None
    result = wanted.result
    seed = refilled(result, iter(weights(program, result)))
    handle[0].backward(seed)
    return (outcome, handle[0]), seed


def weights(program: Program, result: Any) -> Any:
    """Random numbers for the floats of a result."""
    rng = np.random.default_rng([program.seed, 7])
    return rng.uniform(-1.0, 1.0, numbers(result).size)


def gradient(program: Program, handle: Any) -> Any:
    return numbers(handle.gradient)


def generated(program: Program, engine: Any, wanted: Outcome) -> Any:
    """The numbers of the adjoint, for the same seeds."""
    _, f, args = fresh(program)
    adjoint = engine.adjoint(f, wrt=program.wrt)
    given = iter(weights(program, wanted.result))
    results = list(wanted.result) if isinstance(wanted.result, tuple) else [wanted.result]
    bars = [bar for bar in (refilled(r, given) for r in results) if numbers(bar).size]
    made = call_seeded(adjoint, args, bars)
    return numbers(tuple(made[1:]))


def _put(value: Any, given: Any) -> Any:
    """An argument with other numbers, in the same order in memory."""
    made = refilled(value, given)
    if isinstance(value, np.ndarray) and value.flags.f_contiguous and value.ndim > 1:
        return np.asfortranarray(made)
    return made


def along(program: Program, seed: Any) -> tuple[list[Any], Slope]:
    """A direction for the arguments, and the slope of the weighted result along it."""
    rng = np.random.default_rng([program.seed, 3])
    _, _, args = fresh(program)
    chosen = [args[k] for k in program.active]
    apart = [a for a in args if isinstance(a, np.ndarray)]
    if any(np.shares_memory(a, b) for k, a in enumerate(apart) for b in apart[:k]):
        raise Rejected("arguments share storage")
    dots = [refilled(a, iter(rng.uniform(-1.0, 1.0, numbers(a).size))) for a in chosen]
    scale = numbers(seed)

    def phi(t: float) -> Any:
        module, f, moved = fresh(program)
        for k, dot in zip(program.active, dots, strict=True):
            moved[k] = _put(moved[k], iter(numbers(moved[k]) + t * numbers(dot)))
        found = call(module, f, moved)
        if found.error is not None or numbers(found.result).size != scale.size:
            raise Rejected("another path close by")
        return np.array([np.dot(numbers(found.result), scale)])

    return dots, slope(phi)


def _same_path(program: Program, dots: list[Any]) -> None:
    """Differences say nothing of a point that has a path of its own."""
    if isinstance(program, Whole) and _path(program, dots, 0.0) != _path(program, dots, 1e-6):
        raise Rejected("a path of its own")


def confirmed(program: Program, found: Any, seed: Any) -> Verdict:
    """Where the adjoint is refused, differences are the oracle of the trace."""
    try:
        dots, wanted = along(program, seed)
    except Rejected as error:
        return Verdict("kink", f"kink {error}")
    if _agrees(found, dots, wanted):
        return Verdict("differences")
    try:
        _same_path(program, dots)
    except Rejected as error:
        return Verdict("kink", f"kink {error}")
    raise Wrong(f"trace: {np.dot(found, numbers(dots))} is not {wanted.value}")


def _agrees(found: Any, dots: list[Any], wanted: Slope) -> bool:
    along_dots = numbers(dots)
    if found.shape != along_dots.shape:
        return False
    gap = np.abs(np.dot(found, along_dots) - wanted.value)
    return bool(np.all(gap <= 10.0 * wanted.error + 1e-6 * (1.0 + np.abs(wanted.value))))


def _decided(program: Program, found: Any, adjoint: Any, seed: Any) -> Verdict:
    """Which of two that differ is wrong, by differences."""
    both = f"trace {found}, adjoint {adjoint}"
    try:
        dots, wanted = along(program, seed)
        _same_path(program, dots)
    except Rejected as error:
        return Verdict("kink", f"kink {error}", both)
    sides = [n for n, g in (("trace", found), ("adjoint", adjoint)) if not _agrees(g, dots, wanted)]
    raise Wrong(f"{' and '.join(sides) or 'neither'}: {both}, differences {wanted.value}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--show", action="store_true", help="print the programs that fail")
    options = parser.parse_args(arguments)
    os.environ.setdefault("ADJOINTGEN_CACHE", "off")
    kinds = list(KINDS) if options.kind == "all" else [options.kind]
    verdicts: Counter[str] = Counter()
    details: Counter[str] = Counter()
    for number in range(options.count):
        kind = kinds[number % len(kinds)]
        program = KINDS[kind](options.seed + number // len(kinds))
        verdict = judge(program)
        verdicts[verdict.sort] += 1
        if verdict.sort in ("refused", "kink"):
            details[f"{verdict.kind} {verdict.detail[:90]}"] += 1
        if verdict.sort in ("wrong", "crashed"):
            print(f"# {kind} {program.seed}: {verdict.kind}: {verdict.detail[:600]}", flush=True)
            print(program.source if options.show else "", flush=True)
    for sort, count in verdicts.most_common():
        print(f"{sort:12} {count}")
    for text, count in details.most_common(30):
        print(f"{count:6} {text}")
    return 1 if verdicts["wrong"] or verdicts["crashed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
