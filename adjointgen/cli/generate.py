"""`adjointgen generate`: the targets on the command line into one module, or the project's."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.api.modules.every_function import own_options
from adjointgen.api.modules.module import DerivativeModule, generate_targets
from adjointgen.api.modules.target_names import Target, shown
from adjointgen.cli.messages import Outcomes, format_option, note
from adjointgen.cli.options import (
    TARGET,
    TargetCommand,
    derivative_options,
    example_options,
    kept_options,
    options_from,
)
from adjointgen.cli.progress import progress
from adjointgen.cli.project import functions_of, project_requests, targets_of
from adjointgen.config.compilers import PYTHON, TARGETS
from adjointgen.config.options import MODES, Options
from adjointgen.errors import AdjointgenError


@click.command(cls=TargetCommand)
@click.argument("targets", nargs=-1, type=TARGET, metavar="[FILE.py::NAME]...")
@click.option(
    "--mode",
    multiple=True,
    metavar="MODES",
    help="tangent, adjoint; gradient, hvp, jacobian, hessian, primal, split. [the first two]",
)
@click.option(
    "--directions",
    type=click.IntRange(0),
    default=0,
    metavar="K",
    help="Seeds of one run of tangent, adjoint and hvp: their last axis. [one, without an axis]",
)
@example_options
@derivative_options
@click.option(
    "--compile",
    type=click.Choice(TARGETS),
    default=PYTHON,
    help="Who runs the programs: numba compiles them, numba-parallel into threads. [python]",
)
@click.option("--guess", is_flag=True, help="Allow guesses of types that the text does not say.")
@kept_options
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write. [- is stdout]")
@format_option
def generate(
    targets: tuple[Target, ...],
    mode: tuple[str, ...],
    directions: int,
    wrt: tuple[str, ...],
    example: str | None,
    at: tuple[tuple[str, str], ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
    compile: str,
    guess: bool,
    checkpoint: str | None,
    directives: tuple[str, ...],
    output: str,
) -> None:
    """Write the tangent and adjoint programs of functions.

    Without a function, every target under [tool.adjointgen] in the nearest pyproject.toml is
    written. Source is read and not run, unless an example is given: its file is run. Files are
    written atomically, and left alone where nothing changed.
    """
    given = (wrt, mode or MODES, types, constants, disable, compile, example, at, guess)
    options = options_from(*given, checkpoint, directives, directions)
    if targets:
        chosen = functions_of(targets, options, Path.cwd(), tell=True)
        _deliver(_generate(chosen, options), output)
    elif options != Options() or output != "-":
        raise click.UsageError("options without a function; name one: FILE.py::NAME")
    else:
        _generate_project()


def _generate(targets: tuple[Target, ...], options: Options) -> DerivativeModule:
    """One module of all functions; where one is refused, the refusals of all are told."""
    with progress(1) as begin:
        begin(", ".join(map(str, targets)))
        try:
            return generate_targets(targets, options, Path.cwd())
        except AdjointgenError:
            outcomes = Outcomes()
            for target in targets if len(targets) > 1 else ():
                with outcomes.part():
                    generate_targets([target], own_options(target, options, Path.cwd()), Path.cwd())
            outcomes.end()
            raise


def _deliver(module: DerivativeModule, output: str) -> None:
    for guess in module.guessed:
        note(f"guessed: {guess}", guessed=guess)
    if output == "-":
        click.echo(module.source, nl=False)
    else:
        _write(module, Path(output), output)


def _write(module: DerivativeModule, path: Path, name: str) -> None:
    changed = module.write(path)
    note(f"{'wrote' if changed else 'unchanged'} {name}", file=name, changed=changed)


def _generate_project() -> None:
    """Every target of the project; all are generated before the first one is written.

    Every refusal is told; where there is one, nothing is written.
    """
    base, requests = project_requests()
    outcomes, made = Outcomes(), []
    with progress(len(requests)) as begin:
        for request in requests:
            begin(request.output)
            with outcomes.part():
                targets = targets_of(request, base, tell=True)
                made.append(generate_targets(targets, request.options, base))
    outcomes.end()
    for request, module in zip(requests, made, strict=True):
        with outcomes.part():
            file = base / request.output
            _write(module, file, shown(file, Path.cwd()))
    outcomes.end()
