"""`adjointgen verify`: are the derivatives right, at a point?

The function itself is called, so this command runs the user's module; no other does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from adjointgen.api.calls.checking import check
from adjointgen.api.modules.module import arguments_of
from adjointgen.api.modules.target_names import Target
from adjointgen.cli.load import call, load_function
from adjointgen.cli.messages import format_option
from adjointgen.cli.options import PAIR, TARGET, TargetCommand, derivative_options, options_from
from adjointgen.cli.point import point
from adjointgen.cli.progress import progress
from adjointgen.config.options import MODES
from adjointgen.verify.report import Report

FAILED = 1


@click.command(cls=TargetCommand)
@click.argument("target", type=TARGET, metavar="FILE.py::NAME")
@click.option("--at", multiple=True, type=PAIR, metavar="NAME=VALUE", help="An argument: x=1.5.")
@click.option("--seed", default=0, help="For random arguments and directions. [0]")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@derivative_options
@format_option
@click.pass_context
def verify(
    ctx: click.Context,
    target: Target,
    at: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
) -> None:
    """Test derivatives against differences, at a point.

    Runs the module of the function. Arguments that are not given with --at keep their defaults; the
    others are made up from their types: floats between 0.1 and 0.4, the integer 3, arrays with 5
    entries along each axis.
    """
    if target.text is not None:
        raise click.BadParameter("verify runs the module, so it needs a file")
    options = options_from(wrt, MODES, types, constants, disable)
    source = target.source(Path.cwd())
    function = load_function(target)
    given = {**dict(constants), **dict(at)}
    args = point(source, arguments_of(source, options), given, seed)
    call(function, args)
    with progress(1) as begin:
        begin(str(target))
        report = check(function, args, options.wrt or ..., seed, disable=options.disable)
    _print(report, as_json)
    if not report.ok:
        ctx.exit(FAILED)


def _print(report: Report, as_json: bool) -> None:
    """The report, with colour on a terminal."""
    stream = sys.stdout
    if as_json:
        click.echo(json.dumps(report.as_json()))
    elif stream.isatty():
        from rich.console import Console

        Console(file=stream).print(report)
    else:
        click.echo(str(report))
