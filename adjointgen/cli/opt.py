"""`adjointgen opt`: passes one by one, for work on the passes and for reports of faults."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any, Final, cast

import click

from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.modules.module import arguments_of
from adjointgen.api.modules.target_names import Target
from adjointgen.cli.load import call, load_function
from adjointgen.cli.messages import format_option
from adjointgen.cli.options import PAIR, TARGET, derivative_options, options_from
from adjointgen.cli.point import parsed, point
from adjointgen.config.options import MODES, Options
from adjointgen.frontend.lower import lower
from adjointgen.ir.nodes import Function
from adjointgen.ir.text import show
from adjointgen.opt.bisect import Verdict, bisected
from adjointgen.opt.judge import point_of
from adjointgen.opt.passes_on_text import Case, read_case, run_case
from adjointgen.opt.program import Program
from adjointgen.opt.reduce import reduced
from adjointgen.opt.report import Observer, Stats, counting
from adjointgen.passes.run import watching
from adjointgen.passes.table import OPTIONAL, PASSES
from adjointgen.pipeline import Mode, derive, finish
from adjointgen.program import primal
from adjointgen.records import replace

FOUND: Final = 1
"""The exit code where a pass is at fault."""


@click.command()
@click.argument("target", metavar="FILE.py::NAME | FILE")
@click.option("--passes", metavar="LIST", help="The passes, in order: simplify,cse,dce.")
@click.option("--mode", type=click.Choice(["tangent", "adjoint"]), default="adjoint")
@click.option("--compile", "compiled", is_flag=True, help="As for a compiler: arrays as loops.")
@click.option("--print-after", multiple=True, metavar="PASS|all", help="Print the program then.")
@click.option("--diff", is_flag=True, help="Print what each pass changes.")
@click.option("--verify-each", is_flag=True, help="Check the IR's invariants after each pass.")
@click.option("--stats", is_flag=True, help="How often passes and rewrites applied.")
@click.option("--bisect", is_flag=True, help="Find the pass after which the numbers are wrong.")
@click.option("--reduce", is_flag=True, help="Find a smaller function that fails alike.")
@click.option("--at", multiple=True, type=PAIR, metavar="NAME=VALUE", help="An argument: x=1.5.")
@click.option("--seed", default=0, help="For random arguments and directions. [0]")
@derivative_options
@format_option
@click.pass_context
def opt(ctx: click.Context, /, target: str, passes: str | None, **given: Any) -> None:
    """Run passes on a function, or on the text of a program.

    FILE is a program as `show --stage ssa` prints it; comments in it may name the passes. With
    --bisect and --reduce the module of the function is run, as `verify` does.
    """
    listed = tuple(word.strip() for word in (passes or "").split(",") if word.strip())
    _require_passes((*listed, *given["print_after"]))
    stats = Stats() if given["stats"] else None
    observer = Observer(
        click.echo, given["print_after"], given["diff"], given["verify_each"], stats
    )
    if "::" not in target and not _is_module(target):
        text = read_text(Path(target))
        if text is None:
            raise click.BadParameter(f"{target} cannot be read; name a file, or FILE.py::NAME")
        _on_text(_case(target, text, listed), observer)
        return
    place = TARGET.convert(target, None, ctx)
    named = ("wrt", "types", "constants", "disable")
    wrt, types, constants, disable = (given[name] for name in named)
    options = options_from(wrt, MODES, types, constants, disable)
    if given["bisect"] or given["reduce"]:
        ctx.exit(_judged(place, options, given))
    _on_function(place, options, listed, observer, given)


def _require_passes(names: Iterable[str]) -> None:
    """Raise BadParameter for a name that no pass has."""
    for name in names:
        if name not in PASSES and name != "all":
            close = get_close_matches(name, PASSES, n=3) or sorted(PASSES)
            raise click.BadParameter(f"no pass {name}; there is {', '.join(close)}")


def _case(target: str, text: str, listed: tuple[str, ...]) -> Case:
    """The program of a file. Raises BadParameter."""
    try:
        case = read_case(text, listed)
    except (ValueError, SyntaxError) as error:
        what = f"{target} is no program as `show --stage ssa` prints it: {error}"
        raise click.BadParameter(what) from error
    _require_passes(case.passes)
    return case


def _is_module(target: str) -> bool:
    """Whether a target is `package.module:name`, not a file."""
    return ":" in target and not Path(target).is_file()


def _on_text(case: Case, observer: Observer) -> None:
    stats = observer.stats or Stats()
    with watching(observer), counting(stats):
        made = run_case(case)
    _tell(made, observer)


def _on_function(
    place: Target,
    options: Options,
    listed: tuple[str, ...],
    observer: Observer,
    given: dict[str, Any],
) -> None:
    source = place.source(Path.cwd())
    function = lower(source, arguments_of(source, options))
    if listed:
        flags = frozenset({"compiled"} if given["compiled"] else ())
        _on_text(Case(function, listed, wrt=options.wrt or (), flags=flags), observer)
        return
    mode, compiled = cast(Mode, given["mode"]), bool(given["compiled"])
    program = replace(primal(function), compiled=compiled)
    wrt = options.wrt or tuple(p.root for p in function.body.params if p.type.is_differentiable)
    with watching(observer), counting(observer.stats or Stats()):
        derived = derive(program, mode, wrt, options.disable, last=True)
        made = finish(derived, options.disable, compiled)
    _tell(made, observer)


def _tell(made: Function, observer: Observer) -> None:
    """The program in the end, and the statistics; not if something else was asked for."""
    if observer.stats is not None:
        click.echo(str(observer.stats))
    elif not observer.print_after and not observer.differences:
        click.echo(show(made).rstrip("\n"))


def _judged(place: Target, options: Options, given: dict[str, Any]) -> int:
    """Bisect, or reduce; the exit code."""
    source = place.source(Path.cwd())
    types = arguments_of(source, options)
    fixed = parsed((*given["constants"], *given["at"]))
    f = load_function(place)
    drawn = point(source, types, fixed, given["seed"])
    call(f, drawn)
    bound = signature(f).bind(**drawn)
    bound.apply_defaults()
    args = dict(bound.arguments)
    mode, compiled = cast(Mode, given["mode"]), bool(given["compiled"])
    wrt = options.wrt or tuple(
        name for name in drawn if getattr(types[name], "is_differentiable", False)
    )
    if given["reduce"]:
        text = Path(place.place).read_text("utf-8")
        names = tuple(args)
        program = Program(0, text, names, tuple(args.values()), wrt, name=place.name)
        how, small = reduced(program, mode, compiled)
        click.echo(f"# fails: {how}\n{small.source}" if how else "nothing fails")
        return FOUND if how else 0
    judged = point_of(f, args, wrt, given["seed"])
    verdict = bisected(lower(source, types), judged, mode, options.disable, compiled)
    _tell_verdict(verdict)
    return FOUND if verdict.culprit else 0


def _tell_verdict(verdict: Verdict) -> None:
    if not verdict.culprit:
        click.echo(f"right after each of {verdict.judged} changes")
        return
    where = f" (phase {verdict.phase})" if verdict.phase else ""
    click.echo(f"wrong after {verdict.culprit}{where}: {verdict.fault}")
    if verdict.culprit in OPTIONAL:
        click.echo(f"`--disable {verdict.culprit}` leaves the pass out")
    click.echo(f"\n# before\n{verdict.before}\n# after\n{verdict.after}".rstrip("\n"))
