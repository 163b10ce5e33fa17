"""The project that a command is run in."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.api.modules.target_names import Target, parse_target
from adjointgen.config.options import Request
from adjointgen.config.pyproject import ConfigError, find_project, read_project


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


def _read(path: Path) -> tuple[Request, ...]:
    try:
        return read_project(path)
    except ConfigError as error:
        raise click.UsageError(str(error)) from error


def targets_of(request: Request) -> list[Target]:
    """The functions that a request names. Raises UsageError."""
    try:
        return [parse_target(text) for text in request.targets]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
