"""`adjointgen init`: a target in pyproject.toml, from options, or from questions on a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from adjointgen.api.cache.atomic_write import read_text, replace_file
from adjointgen.api.modules.target_names import Target, parse_target, shown
from adjointgen.cli.messages import format_option, note
from adjointgen.cli.options import (
    TARGET,
    TargetCommand,
    derivative_options,
    example_options,
    options_from,
)
from adjointgen.cli.point import parsed
from adjointgen.config.new_target import with_target
from adjointgen.config.options import MODES, Options
from adjointgen.config.pyproject import NAME, ConfigError, find_project, read_project
from adjointgen.records import replace


@click.command(cls=TargetCommand)
@click.argument("target", type=TARGET, metavar="FILE.py::NAME")
@click.option("--mode", multiple=True, metavar="MODES", help="tangent, adjoint. [both]")
@example_options
@click.option("-o", "--output", metavar="FILE", help="The generated file. [NAME_ad.py beside it]")
@derivative_options
@format_option
def init(
    target: Target,
    mode: tuple[str, ...],
    example: str | None,
    at: tuple[tuple[str, str], ...],
    output: str | None,
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
) -> None:
    """Write a function as a target into pyproject.toml.

    What options leave open is asked on a terminal, and has its default elsewhere. The file keeps
    its form and its comments; without one, it is made. `adjointgen generate` then writes the
    target.
    """
    if target.is_stdin:
        raise click.BadParameter("a target is in a file; name one: FILE.py::NAME")
    target.source(Path.cwd())
    path = find_project(Path.cwd()) or Path.cwd() / NAME
    chosen = output or _asked("The generated file", _beside(target))
    names = wrt or tuple(filter(None, [_asked("Differentiate by (empty: all floats)", "")]))
    options = options_from(names, mode or MODES, types, constants, disable, example=example)
    place = target.place if target.is_module else _from(path.parent, target.place)
    named = replace(target, place=place)
    options = replace(options, example=_seen(options.example, path.parent))
    table = _table(str(named), options, _from(path.parent, chosen), parsed(at))
    _write(path, table)
    note(f"wrote {named} into {shown(path, Path.cwd())}; `adjointgen generate` makes {chosen}")


def _seen(example: str, base: Path) -> str:
    """An example as it is written in a file of a folder. Raises BadParameter."""
    try:
        return str(parse_target(example).seen_from(Path.cwd(), base)) if example else ""
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--example") from error


def _from(base: Path, place: str) -> str:
    """A path as it is written in a file of a folder."""
    return shown(Path(os.path.normpath(Path.cwd() / place)), base)


def _beside(target: Target) -> str:
    """The file that is suggested for a function's derivatives."""
    name = f"{target.name.rpartition('.')[2]}_ad.py"
    return name if target.is_module else Path(target.place).with_name(name).as_posix()


def _asked(question: str, default: str) -> str:
    """An answer from the terminal; the default where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return default
    answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
    return answer.strip()


def _table(source: str, options: Options, output: str, at: dict[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {"source": source}
    if options.wrt:
        table["wrt"] = list(options.wrt)
    if options.modes != MODES:
        table["mode"] = list(options.modes)
    for key, value in (
        ("types", dict(options.types)),
        ("constants", {name: _plain(value) for name, value in options.constants}),
        ("disable", list(options.disable)),
        ("example", options.example),
        ("at", {name: _plain(value) for name, value in at.items()}),
    ):
        if value:
            table[key] = value
    return table | {"output": output}


def _plain(value: Any) -> Any:
    """A value that TOML has. Raises BadParameter."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, str | bool | int | float):
        raise click.BadParameter(f"{value!r} cannot be written into {NAME}; use an example")
    return value


def _write(path: Path, table: dict[str, Any]) -> None:
    """Add the target, unless its file is already one's. Raises UsageError."""
    text = read_text(path) if path.exists() else ""
    if text is None:
        raise click.UsageError(f"{path.name} cannot be read")
    try:
        known = read_project(path) if text else ()
        if any(request.output == table["output"] for request in known):
            raise click.UsageError(f"{path.name} has a target with the output {table['output']}")
        made = with_target(text, table)
    except (ConfigError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    try:
        replace_file(path, made.encode())
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from error
