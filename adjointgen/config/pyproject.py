"""The targets that a project lists, in the nearest `pyproject.toml` upwards.

    [tool.adjointgen]
    mode = "adjoint"                        # defaults of every target

    [[tool.adjointgen.targets]]
    source = "examples/heat.py::heat"       # or a list of them
    wrt = "u0,alpha"                        # or a list
    types = { u0 = "float64[:]" }
    constants = { scheme = "upwind" }
    example = "examples/data.py::args"      # a call that types are taken from
    at = { alpha = 0.2 }                    # where to verify it, or a list of such points
    guess = false                           # allow guesses of types
    output = "examples/heat_ad.py"

The keys are the options of `adjointgen generate`, and paths are relative to the file's own folder.
A key that is not known is an error: a misspelt option would otherwise be ignored in silence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from adjointgen.config.compilers import PYTHON
from adjointgen.config.options import MODES, Request, listed, make_options

NAME: Final = "pyproject.toml"
SHARED: Final = {
    *("wrt", "mode", "types", "constants", "disable", "compile", "example", "guess", "checkpoint"),
    *("directives", "directions"),
}
OWN: Final = SHARED | {"source", "output", "at"}


class ConfigError(ValueError):
    """A project file that is not as it should be."""


def find_project(start: Path) -> Path | None:
    """The nearest `pyproject.toml` in a folder or above it."""
    for folder in (start, *start.parents):
        if (folder / NAME).is_file():
            return folder / NAME
    return None


def read_rules(path: Path) -> Mapping[str, Mapping[str, str]]:
    """The declarations under `[tool.adjointgen.rules]`, by the names of functions.

    Raises ConfigError where the file cannot be read, or is not as it should be.
    """
    found: Mapping[str, Mapping[str, str]] = _tool(path).get("rules", {})
    tables = found.items() if isinstance(found, dict) else [("rules", found)]
    for name, one in tables:
        if not isinstance(one, dict) or not all(isinstance(text, str) for text in one.values()):
            _refuse(path, f"[tool.adjointgen.rules] {name!r} is no table of texts")
    return found


def _tool(path: Path) -> Any:
    """The table `[tool.adjointgen]`."""
    try:
        return tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("adjointgen", {})
    except (OSError, ValueError) as error:  # not readable, not UTF-8, not TOML
        raise ConfigError(f"{path.name}: {error}") from error


def read_project(path: Path) -> tuple[Request, ...]:
    """The targets listed under `[tool.adjointgen]`, in order.

    Raises ConfigError where the file cannot be read, or is not as it should be.
    """
    tool = _tool(path)
    table = _checked(path, "[tool.adjointgen]", tool, SHARED | {"targets", "rules"})
    table.pop("rules", None)
    targets = table.pop("targets", [])
    if not isinstance(targets, list):
        _refuse(path, "[tool.adjointgen] targets is no array of tables")
    requests = [_request(path, k, table, one) for k, one in enumerate(targets, 1)]
    for request in requests:
        _check_inside(path, request.output)
    outputs = [request.output for request in requests]
    for output in outputs:
        if outputs.count(output) > 1:
            _refuse(path, f"two targets have the output {output}")
    return tuple(requests)


def _check_inside(path: Path, output: str) -> None:
    """Refuse an output outside of the project, by `..` or through a link."""
    base = path.parent.resolve()
    if not (base / output).resolve().is_relative_to(base):
        _refuse(path, f"the output {output} lies outside of the project")
    if not output.isprintable():
        _refuse(path, f"the output {output!r} holds characters that cannot be printed")


def _request(path: Path, number: int, shared: Mapping[str, Any], own: object) -> Request:
    where = f"target {number}"
    table = {**shared, **_checked(path, where, own, OWN)}
    missing = [key for key in ("source", "output") if not table.get(key)]
    if missing:
        _refuse(path, f"{where} has no {missing[0]}")
    try:
        options = make_options(
            table.get("wrt"),
            table.get("mode", MODES),
            table.get("types"),
            {name: _constant(value) for name, value in table.get("constants", {}).items()},
            table.get("disable", ()),
            table.get("compile", PYTHON),
            table.get("example", ""),
            guess=table.get("guess", False),
            checkpoint=table.get("checkpoint", ""),
            directives=table.get("directives", ()),
            directions=table.get("directions", 0),
        )
    except ValueError as error:
        _refuse(path, f"{where}: {error}")
    given = table.get("at", [])
    points = tuple(given) if isinstance(given, list) else (given,)
    return Request(listed(table["source"]), options, Path(table["output"]).as_posix(), points)


def _checked(path: Path, where: str, table: object, keys: set[str]) -> dict[str, Any]:
    """A copy of a table whose keys are known and whose values are of the right kind."""
    if not isinstance(table, dict):
        _refuse(path, f"{where} is no table")
    for key, value in table.items():
        if key not in keys:
            _refuse(
                path, f"{where} has an unknown key {key!r}; choose from {', '.join(sorted(keys))}"
            )
        if key in ("types", "constants"):
            fits = isinstance(value, dict) and (
                key == "constants" or all(isinstance(text, str) for text in value.values())
            )
        elif key == "at":
            points = value if isinstance(value, list) else [value]
            fits = all(isinstance(point, dict) for point in points)
        elif key in ("output", "compile", "example", "checkpoint"):
            fits = isinstance(value, str)
        elif key == "rules":
            fits = isinstance(value, dict)
        elif key == "directions":
            fits = type(value) is int
        elif key == "guess":
            fits = isinstance(value, bool)
        else:
            items = value if isinstance(value, list) and key != "targets" else [value]
            fits = key == "targets" or all(isinstance(item, str) for item in items)
        if not fits:
            _refuse(path, f"{where}: {key} = {value!r} is of the wrong kind")
    return dict(table)


def _constant(value: Any) -> Any:
    return tuple(map(_constant, value)) if isinstance(value, list) else value


def _refuse(path: Path, message: str) -> NoReturn:
    raise ConfigError(f"{path.name}: {message}")
