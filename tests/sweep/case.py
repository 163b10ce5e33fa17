"""A case: a function of an installed package, the arguments of one call, and what is varied.

    {"function": "fluids.core:Reynolds", "args": {"V": 2.5, "D": 0.25}, "wrt": ["V", "D"]}

Cases are data, so that a run can be repeated: a list is kept per package and version. What JSON
has no word for is an object with one telling key: `array`, `tuple`, `dict`. A function such as
`package.module:Class().fun` is a method of an instance that is made without arguments.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

HOME: Final = Path(__file__).parent / "cases"


class Unspeakable(Exception):
    """An argument that is no data."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call; `args` are as in JSON, by the names of the parameters."""

    function: str
    args: Mapping[str, Any]
    wrt: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"function": self.function, "args": dict(self.args), "wrt": list(self.wrt)}

    @property
    def id(self) -> str:
        return f"{self.function}({json.dumps(self.args)[1:-1]})"


def from_dict(data: Mapping[str, Any]) -> Case:
    return Case(data["function"], data["args"], tuple(data["wrt"]))


def resolve(path: str) -> Callable[..., Any]:
    """The object that a case names."""
    module, _, names = path.partition(":")
    found: Any = import_module(module)
    for name in names.split("."):
        found = getattr(found, name.removesuffix("()"))
        if name.endswith("()"):
            found = found()
    return found  # type: ignore[no-any-return]


def spoken(value: Any) -> Any:
    """An argument as JSON data; the inverse of `heard`."""
    match value:
        case None | bool() | str():
            return value
        case np.generic():
            return spoken(value.item())
        case int() | float():
            return value
        case np.ndarray() if value.dtype.kind in "biuf" and value.size <= 64:
            return {"array": value.tolist(), "dtype": str(value.dtype)}
        case tuple() if type(value) is tuple:
            return {"tuple": [spoken(v) for v in value]}
        case list() if len(value) <= 64:
            return [spoken(v) for v in value]
        case dict() if all(isinstance(k, str) for k in value):
            return {"dict": {k: spoken(v) for k, v in value.items()}}
    raise Unspeakable(type(value).__name__)


def heard(data: Any) -> Any:
    """A fresh argument from JSON data."""
    match data:
        case {"array": values, "dtype": dtype}:
            return np.array(values, dtype=dtype)
        case {"tuple": values}:
            return tuple(heard(v) for v in values)
        case {"dict": entries}:
            return {k: heard(v) for k, v in entries.items()}
        case list():
            return [heard(v) for v in data]
    return data


def bound(
    function: Callable[..., Any], args: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Fresh arguments, by position as far as that goes, and those that have to be named."""
    given = {name: heard(value) for name, value in args.items()}
    positional: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            positional.append(given.pop(name) if name in given else parameter.default)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            positional += given.pop(name, [])
    return positional, given


def varied(value: Any) -> bool:
    """Whether an argument is made of floats."""
    if isinstance(value, list | tuple):
        return bool(value) and all(varied(v) for v in value)
    return isinstance(value, float) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 0
    )


def read(package: str) -> dict[str, Any]:
    """The kept list of a package: its name, its version, what was asked for, and the cases."""
    (path,) = HOME.glob(f"{package}-[0-9]*.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def write(data: Mapping[str, Any]) -> Path:
    """Keep a list; one case per line, so that differences can be read."""
    path = HOME / f"{data['package']}-{data['version']}.json"
    cases = ",\n".join("  " + json.dumps(case) for case in data["cases"])
    head = {k: v for k, v in data.items() if k != "cases"}
    path.write_text(f'{json.dumps(head)[:-1]}, "cases": [\n{cases}\n]}}\n', "utf-8")
    return path
