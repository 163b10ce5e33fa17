"""`adjointgen verify`: are the derivatives right, at a point?

The function itself is called, so this command runs the user's module; no other does.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from adjointgen.cli.messages import FAILED, Outcomes, chosen_format, message_options
from adjointgen.cli.options import (
    PAIR,
    TargetCommand,
    derivative_options,
    options_from,
    unmarked,
)
from adjointgen.cli.point import parsed
from adjointgen.cli.progress import progress
from adjointgen.cli.verify_jobs import (
    Asked,
    Job,
    jobs_of,
    jobs_of_file,
    jobs_of_project,
    report_of,
    require_points,
)
from adjointgen.cli.verify_output import Result, junit, print_report
from adjointgen.config.compilers import PYTHON
from adjointgen.config.options import MODES, Options
from adjointgen.errors import AdjointgenError


@click.command(cls=TargetCommand)
@click.argument("targets", nargs=-1, metavar="[FILE.py::NAME | GENERATED.py]...")
@click.option("--at", multiple=True, type=PAIR, metavar="NAME=VALUE", help="An argument: x=1.5.")
@click.option(
    "--example",
    metavar="FILE.py::NAME",
    help="The point: arguments of a call, which this file has.",
)
@click.option("--seed", default=0, help="For random arguments and directions. [0]")
@click.option(
    "--rtol",
    type=click.FloatRange(0.0, 1.0),
    metavar="NUMBER",
    help="How exact solvers are that the function calls, relative to the derivatives.",
)
@click.option("--bisect", is_flag=True, help="Find the first line whose derivative is wrong.")
@click.option("--nudge", is_flag=True, help="Take it for right, and find those after it as well.")
@click.option("--kinks", is_flag=True, help="Tell how far away the nearest kinks are, by lines.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@derivative_options
@message_options("junit")
def verify(
    targets: tuple[str, ...],
    at: tuple[tuple[str, str], ...],
    example: str | None,
    seed: int,
    rtol: float | None,
    bisect: bool,
    nudge: bool,
    kinks: bool,
    as_json: bool,
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
) -> None:
    """Test derivatives against differences, at a point.

    Of a function FILE.py::NAME, the programs that are generated for it; of a generated file, the
    programs that it holds, as they stand there; without an argument, all targets of pyproject.toml.
    Runs the module of the function. Arguments that are not given with --at keep their defaults; the
    others are made up from their types: floats between 0.1 and 0.4, the integer 3, arrays with 5
    entries along each axis.
    """
    options = options_from(wrt, MODES, types, constants, disable, PYTHON, example)
    if options != Options() and not any("::" in word or ":" in word for word in targets):
        raise click.UsageError(
            "--wrt, --type, --const and --disable are for a function, FILE.py::NAME; "
            "a generated file has its own in its header"
        )
    asked = Asked(parsed((*constants, *at)), seed, rtol, options, bisect, nudge, kinks)
    outcomes, results = Outcomes(), list[Result]()
    jobs = list(_jobs(tuple(map(unmarked, targets)), asked, outcomes))
    with outcomes.part():
        require_points(jobs, asked)
        _run(jobs, asked, as_json or chosen_format() == "json", outcomes, results)
    if chosen_format() == "junit":
        click.echo(junit(results))
    outcomes.end()


def _jobs(words: tuple[str, ...], asked: Asked, outcomes: Outcomes) -> Iterator[Job]:
    """All that is to be tested; what is not understood is told, and left out."""
    for word in words:
        with outcomes.part():
            yield from jobs_of(word, asked)
    if not words:
        for name, request, base in jobs_of_project():
            with outcomes.part():
                yield from jobs_of_file(name, request, base)


def _run(
    jobs: list[Job], asked: Asked, as_json: bool, outcomes: Outcomes, results: list[Result]
) -> None:
    """Test everything, and print what is found at once."""
    with progress(len(jobs)) as begin:
        for job in jobs:
            begin(job.name)
            with outcomes.part():
                try:
                    report = report_of(job, asked)
                except (AdjointgenError, click.UsageError) as error:
                    results.append(Result(job.name, error=_said(error)))
                    raise
                results.append(Result(job.name, report))
                if not report.ok:
                    outcomes.codes.add(FAILED)
                if chosen_format() != "junit":
                    print_report(job.name, report, len(jobs) == 1, as_json)


def _said(error: Exception) -> str:
    return error.format_message() if isinstance(error, click.ClickException) else str(error)
