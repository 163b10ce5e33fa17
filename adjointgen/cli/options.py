"""The options that commands share; what they do not understand ends with code 2."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import click

from adjointgen.api.modules.target_names import STDIN, Target, parse_target
from adjointgen.config.compilers import PYTHON
from adjointgen.config.options import Options, assignment, make_options, parse_constant
from adjointgen.passes.table import OPTIONAL

Command = TypeVar("Command", bound=Callable[..., Any])


class TargetType(click.ParamType[Target]):
    """A function by its file or module; `-::name` reads standard input."""

    name = "target"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Target:
        if isinstance(value, Target):
            return value
        try:
            target = parse_target(unmarked(str(value)))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if target.is_stdin:
            return Target(STDIN, target.name, text=standard_input())
        return target


class Pair(click.ParamType[tuple[str, str]]):
    """`name=text`."""

    name = "name=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        try:
            return assignment(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class TargetCommand(click.Command):
    """A command whose arguments may begin with `-::`, which would be options otherwise."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        marked = [f"{STDIN_MARK}{a[1:]}" if a.startswith(f"{STDIN}::") else a for a in args]
        return super().parse_args(ctx, marked)


def unmarked(word: str) -> str:
    """An argument as it was given."""
    return word.replace(STDIN_MARK, STDIN, 1)


STDIN_MARK: Final = "<stdin>"
TARGET: Final = TargetType()
PAIR: Final = Pair()


def standard_input() -> str:
    """The text on standard input, read once however often it is named."""
    meta = click.get_current_context().meta
    if "adjointgen.stdin" not in meta:
        meta["adjointgen.stdin"] = sys.stdin.read()
    text: str = meta["adjointgen.stdin"]
    return text


def derivative_options(command: Command) -> Command:
    """`--wrt`, `--type`, `--const` and `--disable`."""
    passes = "Leave an optimising pass out, such as cse; docs/passes.md describes them."
    one_of = click.Choice(OPTIONAL)
    given: tuple[tuple[str, str, click.ParamType[Any] | None, str, str], ...] = (
        ("--wrt", "wrt", None, "NAMES", "What is differentiated: x,a. [all floats]"),
        ("--type", "types", PAIR, "NAME=TYPE", "The type of an argument: x=float64[:]."),
        ("--const", "constants", PAIR, "NAME=VALUE", "Fix an argument: method=cubic."),
        ("--disable", "disable", one_of, "PASS", passes),
    )
    for option, name, kind, metavar, text in reversed(given):
        add = click.option(option, name, multiple=True, type=kind, metavar=metavar, help=text)
        command = add(command)
    return command


def example_options(command: Command) -> Command:
    """`--example` and `--at`: a call that types are taken from, and the point."""
    text = "An example: arguments of a call, which this file has. It is run."
    add = click.option("--example", metavar="FILE.py::NAME", help=text)
    text = "An argument of the example: x=1.5, a=[1,2]."
    at = click.option("--at", multiple=True, type=PAIR, metavar="NAME=VALUE", help=text)
    return add(at(command))


def kept_options(command: Command) -> Command:
    """`--checkpoint` and `--directive`: what an adjoint keeps of loops, values and calls."""
    text = 'Which states long loops keep: log, "binomial, snapshots=10". [all]'
    add = click.option("--checkpoint", metavar="SCHEDULE", help=text)
    text = "What is kept of a value or a call: recompute(x), store(x), joint(g), independent(i)."
    more = click.option("--directive", "directives", multiple=True, metavar="TEXT", help=text)
    return add(more(command))


def options_from(
    wrt: Iterable[str],
    modes: Iterable[str],
    types: Sequence[tuple[str, str]],
    constants: Sequence[tuple[str, str]],
    disable: Iterable[str],
    compile: str = PYTHON,
    example: str | None = None,
    at: Sequence[tuple[str, str]] = (),
    guess: bool = False,
    checkpoint: str | None = None,
    directives: Sequence[str] = (),
    directions: int = 0,
) -> Options:
    """The options of a command line. Raises BadParameter."""
    values = {name: parse_constant(text) for name, text in constants}
    chosen = (",".join(wrt), ",".join(modes), dict(types), values, disable, compile)
    try:
        kept = checkpoint or "", directives, directions
        return make_options(*chosen, example or "", dict(at), guess, *kept)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
