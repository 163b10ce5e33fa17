"""Functions of installed packages as committed modules by example: their text, and its derivatives.

The reference is the function itself: central differences of it, extrapolated.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjointgen import generate
from adjointgen.errors import AdjointgenError

FUNCTIONS = Path(__file__).with_name("functions.txt")


@dataclass(frozen=True)
class Case:
    """A function, a call of it as text, and the code with which it is refused, if it is."""

    path: str
    call: str
    code: str = ""

    @property
    def name(self) -> str:
        return self.path.partition(":")[2]

    @property
    def function(self) -> Callable[..., Any]:
        made: Callable[..., Any] = getattr(
            importlib.import_module(self.path.split(":")[0]), self.name
        )
        return made

    def example(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the call."""
        made: tuple[tuple[Any, ...], dict[str, Any]] = eval(
            f"(lambda *args, **kwargs: (args, kwargs))({self.call})", {"np": np}
        )
        return made


def cases() -> Iterator[Case]:
    for line in FUNCTIONS.read_text("utf-8").splitlines():
        if found := re.fullmatch(r"([\w.]+:\w+): (.*?)(?: !(AG\d{3}))?", line):
            yield Case(found[1], found[2], found[3] or "")


def written(case: Case) -> tuple[str, str]:
    """The text of the module, or the code with which the function is refused."""
    try:
        return generate(case.path, example=case.example()).source, ""
    except AdjointgenError as error:
        return "", error.code or "none"


def counts(source: str) -> Mapping[str, int]:
    """What a reviewer has to read: lines, helpers, tapes, and values without a type."""
    return {
        "lines": len(source.splitlines()),
        "helpers": len(re.findall(r"^def _", source, re.MULTILINE)),
        "tapes": len(re.findall(r"^ *\w+(?:: [^=]+)? = \[\]$", source, re.MULTILINE)),
        "Any": len(re.findall(r"\bAny\b", source)),
    }


def _leaves(value: Any, like: Any) -> list[Any]:
    """What has a derivative: the numbers of what is `like` this, and arrays and lists of them."""
    if isinstance(value, tuple):
        return [leaf for pair in zip(value, like, strict=True) for leaf in _leaves(*pair)]
    return [value] if np.asarray(like).dtype.kind in "fi" else []


def _flat(value: Any, like: Any = None) -> np.ndarray[Any, Any]:
    """All numbers in a result, one after another."""
    return np.concatenate([np.ravel(v) for v in _leaves(value, value if like is None else like)])


def _moved(value: Any, direction: Any, step: float) -> Any:
    if isinstance(value, list):
        return [v + step * d for v, d in zip(value, direction, strict=True)]
    return value + step * direction


def _random(value: Any, numbers: np.random.Generator) -> Any:
    """A seed of the shape of a value."""
    if isinstance(value, list):
        return [_random(v, numbers) for v in value]
    drawn = numbers.uniform(0.5, 1.5, np.shape(value))
    return drawn if np.shape(value) else float(drawn)


def _bars(adjoint: Callable[..., Any], value: Any, numbers: np.random.Generator) -> dict[str, Any]:
    names = [name for name in inspect.signature(adjoint).parameters if name.endswith("_bar")]
    return dict(zip(names, [_random(leaf, numbers) for leaf in _leaves(value, value)], strict=True))


def _program(case: Case, source: str, mode: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"__name__": "written"}
    exec(compile(source, case.name, "exec"), namespace)
    made: Callable[..., Any] = namespace[f"{case.name}_{mode}"]
    return made


def _called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """A call by names, also of what has parameters that are given by position alone."""
    bound = inspect.signature(function).bind_partial()
    names = inspect.signature(function).parameters
    bound.arguments.update({name: values[name] for name in names if name in values})
    return function(*bound.args, **bound.kwargs)


def largest_error(case: Case, source: str) -> float:
    """How far the tangent and the adjoint are from differences, as a part of their size."""
    tangent, adjoint = (_program(case, source, mode) for mode in ("tangent", "adjoint"))
    numbers = np.random.default_rng(7)
    args, kwargs = case.example()
    given = inspect.signature(case.function).bind(*args, **kwargs)
    given.apply_defaults()
    own = inspect.signature(tangent).parameters
    values = {name: value for name, value in given.arguments.items() if name in own}
    by = [name.removesuffix("_dot") for name in own if name.endswith("_dot")]
    dots = {name: _random(values[name], numbers) for name in by}

    def at(step: float) -> np.ndarray[Any, Any]:
        moved = {name: _moved(values[name], dots[name], step) for name in by}
        return _flat(_called(case.function, {**given.arguments, **moved}))

    coarse, fine = ((at(h) - at(-h)) / (2.0 * h) for h in (1e-3, 5e-4))
    expected = (4.0 * fine - coarse) / 3.0
    value = case.function(*args, **kwargs)
    slope = _flat(
        _called(tangent, {**values, **{f"{n}_dot": d for n, d in dots.items()}})[1], value
    )
    bars = _bars(adjoint, value, numbers)
    back = _called(adjoint, {**values, **bars})[1:]
    through = sum(float(_flat(b) @ _flat(dots[n])) for n, b in zip(by, back, strict=True))
    along = float(_flat(tuple(bars.values())) @ expected)
    size = max(1.0, float(np.max(np.abs(expected))), abs(along))
    return max(float(np.max(np.abs(slope - expected))), abs(through - along)) / size
