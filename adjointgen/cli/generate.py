"""`adjointgen generate`: the targets on the command line into one module, or the project's."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.api.modules.module import DerivativeModule, generate_targets
from adjointgen.api.modules.target_names import Target, shown
from adjointgen.cli.messages import format_option, note
from adjointgen.cli.options import TARGET, TargetCommand, derivative_options, options_from
from adjointgen.cli.progress import progress
from adjointgen.cli.project import project_requests, targets_of
from adjointgen.config.compilers import PYTHON, TARGETS
from adjointgen.config.options import MODES, Options


@click.command(cls=TargetCommand)
@click.argument("targets", nargs=-1, type=TARGET, metavar="[FILE.py::NAME]...")
@click.option(
    "--mode", multiple=True, metavar="MODES", help="tangent, adjoint; primal. [the first two]"
)
@derivative_options
@click.option(
    "--compile",
    type=click.Choice(TARGETS),
    default=PYTHON,
    help="Who runs the programs: numba compiles them, numba-parallel into threads. [python]",
)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write. [- is stdout]")
@format_option
def generate(
    targets: tuple[Target, ...],
    mode: tuple[str, ...],
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
    compile: str,
    output: str,
) -> None:
    """Write the tangent and adjoint programs of functions.

    Without a function, every target under [tool.adjointgen] in the nearest pyproject.toml is
    written. Source is read and not run; files are written atomically, and left alone where nothing
    changed.
    """
    options = options_from(wrt, mode or MODES, types, constants, disable, compile)
    if targets:
        with progress(1) as begin:
            begin(", ".join(map(str, targets)))
            module = generate_targets(targets, options, Path.cwd())
        _deliver(module, output)
    elif options != Options() or output != "-":
        raise click.UsageError("options without a function; name one: FILE.py::NAME")
    else:
        _generate_project()


def _deliver(module: DerivativeModule, output: str) -> None:
    if output == "-":
        click.echo(module.source, nl=False)
    else:
        _write(module, Path(output), output)


def _write(module: DerivativeModule, path: Path, name: str) -> None:
    changed = module.write(path)
    note(f"{'wrote' if changed else 'unchanged'} {name}", file=name, changed=changed)


def _generate_project() -> None:
    """Every target of the project; all are generated before the first one is written."""
    base, requests = project_requests()
    made = []
    with progress(len(requests)) as begin:
        for request in requests:
            begin(request.output)
            made.append(generate_targets(targets_of(request), request.options, base))
    for request, module in zip(requests, made, strict=True):
        file = base / request.output
        _write(module, file, shown(file, Path.cwd()))
