"""The project that a command is run in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from adjointgen.api.modules.every_function import every_function
from adjointgen.api.modules.target_names import EVERY, Target, parse_target
from adjointgen.cli.messages import note
from adjointgen.config.options import Options, Request
from adjointgen.config.pyproject import ConfigError, find_project, read_project
from adjointgen.records import replace


def project_requests() -> tuple[Path, tuple[Request, ...]]:
    """The folder of the nearest pyproject.toml, and the targets that it lists.

    Raises UsageError where there are none.
    """
    path = find_project(Path.cwd())
    requests = () if path is None else _read(path)
    if path is None or not requests:
        raise click.UsageError(
            "nothing to do: name a function or file, or list targets in pyproject.toml:\n\n"
            '    [[tool.adjointgen.targets]]\n    source = "heat.py::heat"\n'
            '    output = "heat_ad.py"'
        )
    return path.parent, requests


def request_for(file: Path) -> tuple[Path, Request] | None:
    """The target whose output a file is, in the project that it lies in."""
    path = find_project(file.absolute().parent)
    if path is None:
        return None
    for request in _read(path):
        if (path.parent / request.output).resolve() == file.resolve():
            return path.parent, request
    return None


def with_example(target: Target, options: Options) -> Options:
    """Options with the example of the project's target for a function, where they state none."""
    path = None if target.is_stdin else find_project(Path.cwd())
    if path is None or options.example or options.at:
        return options
    file = target.file(Path.cwd()).resolve()
    for request in _read(path):
        for one in targets_of(request, path.parent):
            same = one.name == target.name and one.file(path.parent).resolve() == file
            if same and request.options.example:
                named = parse_target(request.options.example).seen_from(path.parent, Path.cwd())
                return replace(options, example=str(named), at=request.options.at)
            if same:
                return replace(options, at=request.options.at)
    return options


def _read(path: Path) -> tuple[Request, ...]:
    try:
        return read_project(path)
    except ConfigError as error:
        raise click.UsageError(str(error)) from error


def targets_of(request: Request, base: Path, tell: bool = False) -> tuple[Target, ...]:
    """The functions that a request names. Raises UsageError, and SourceError for `*`."""
    try:
        targets = [parse_target(text) for text in request.targets]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return functions_of(targets, request.options, base, tell)


def functions_of(
    targets: Sequence[Target], options: Options, base: Path, tell: bool = False
) -> tuple[Target, ...]:
    """Targets with `*` replaced by functions; with `tell`, a note names those that take no part."""
    if all(target.name != EVERY for target in targets):
        return tuple(targets)
    chosen = every_function(targets, options, base)
    for target, reason in chosen.left_out if tell else ():
        note(f"left out {target}: {reason}")
    return chosen.targets


def named(request: Request, base: Path) -> Request:
    """A request with `*` replaced by functions, as the header of its file names them."""
    if all(not text.endswith(f":{EVERY}") for text in request.targets):
        return request
    return replace(request, targets=tuple(map(str, targets_of(request, base))))
