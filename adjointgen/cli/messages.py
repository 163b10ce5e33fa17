"""Messages on standard error: as text, as lines of JSON, or as annotations for GitHub.

Colour is click's affair: it is dropped where the output is no terminal, or NO_COLOR is set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from adjointgen.api.cache.atomic_write import read_text
from adjointgen.errors import AdjointgenError

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS: Final = ("text", "json", "github")
_KEY: Final = "adjointgen.format"


def _remember(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[_KEY] = value


def format_option(command: Command) -> Command:
    """The option `--format`, which every command has."""
    return click.option(
        "--format",
        type=click.Choice(FORMATS),
        expose_value=False,
        callback=_remember,
        is_eager=True,
        help="How messages are written. [text]",
    )(command)


def chosen_format() -> str:
    """What `--format` says."""
    found: str = click.get_current_context().meta.get(_KEY, "text")
    return found


def show_error(error: AdjointgenError) -> None:
    """A refusal, on standard error."""
    if error.span is not None and not error.source:
        error.source = read_text(Path(error.span.file)) or ""
    match chosen_format():
        case "json":
            click.echo(error.as_json(), err=True)
        case "github":
            click.echo(error.as_github(), err=True)
        case _:
            click.echo(coloured(str(error)), err=True)


def note(message: str, **fields: Any) -> None:
    """A message that is no error, on standard error; `fields` are what a program wants of it."""
    if chosen_format() == "json":
        click.echo(json.dumps({"message": message, **fields}, ensure_ascii=False), err=True)
    else:
        click.echo(message, err=True)


def as_github(message: str, file: str) -> str:
    """A workflow command that shows a message at a file."""
    place, text = _escaped(file, ":,"), _escaped(message)
    return f"::error file={place},title=adjointgen::{text}"


def _escaped(text: str, more: str = "") -> str:
    return re.sub(f"[%\r\n{more}]", lambda match: f"%{ord(match[0]):02X}", text)


def coloured(text: str) -> str:
    """A coded message with its parts told apart."""
    head, *rest = text.split("\n")
    parts = re.match(r"(error\[\w+\]): (.*)", head)
    if parts is None:
        return text
    lines = [f"{click.style(parts[1], 'red', bold=True)}: {click.style(parts[2], bold=True)}"]
    return "\n".join([*lines, *map(_coloured_line, rest)])


def _coloured_line(line: str) -> str:
    if line.startswith("help: "):
        return click.style("help", "cyan", bold=True) + line[4:]
    caret = re.fullmatch(r"( *\| [ \t]*)(\^+.*)", line)
    return caret[1] + click.style(caret[2], "red", bold=True) if caret else line
