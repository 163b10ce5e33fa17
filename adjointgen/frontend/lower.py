"""From Python to the IR: the one public entry of the frontend.

`lower(source, arguments)` binds the parameters, lowers the statements, and packs what is returned.
An argument is a type, of which a value enters at run time, or `Fixed`, which is folded.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from adjointgen.depth import deep
from adjointgen.errors import AdjointgenError
from adjointgen.frontend import actions
from adjointgen.frontend.control import none_flags
from adjointgen.frontend.control.posted_receives import without_posts
from adjointgen.frontend.domain.abstract_values import Fixed, Ref
from adjointgen.frontend.domain.maybe_scalar import settled
from adjointgen.frontend.domain.module_tables import Tabled
from adjointgen.frontend.domain.structures import (
    Argument,
    Changed,
    Closed,
    empty_lists,
    left_alone,
    opened,
    without_empty_lists,
)
from adjointgen.frontend.domain.untaken import Key, Untaken
from adjointgen.frontend.functions.inlining import (
    check_default,
    defaults,
    is_generator,
    new_frame,
    with_return,
)
from adjointgen.frontend.functions.outlines import Derive, Given, Outlines
from adjointgen.frontend.functions.parameters import Bindings, bind
from adjointgen.frontend.functions.return_values import keep_attributes, results
from adjointgen.frontend.library import (
    implicit_functions,
)
from adjointgen.frontend.source.directives import check_directives, directives
from adjointgen.frontend.source.quoted_statements import quotes
from adjointgen.frontend.source.source import Source, source_from_file, source_from_function
from adjointgen.frontend.source.written_defaults import literal_default
from adjointgen.frontend.state.cleanup import tidy
from adjointgen.frontend.state.context import CALLER, RESULT, Context, Frame
from adjointgen.frontend.state.kept_exceptions import kept
from adjointgen.frontend.state.live_facts import Facts
from adjointgen.frontend.state.may_alias import check as check_sharing
from adjointgen.frontend.state.parting import NoReturnYet
from adjointgen.frontend.state.scope_lookup import home_of
from adjointgen.frontend.state.storage_cells import CHANGES
from adjointgen.frontend.state.unchanged_values import unchanged
from adjointgen.frontend.state.zero_dim_updates import check_entries
from adjointgen.frontend.statements import (
    statements,
)
from adjointgen.frontend.textual_types import infer_arguments
from adjointgen.frontend.type_inference import type_of
from adjointgen.ir.nodes import (
    Block,
    Const,
    Function,
    Origin,
    Parameter,
    Value,
)
from adjointgen.rules.framework.builder import const
from adjointgen.watch import meanings

__all__ = [
    "Fixed",
    "Source",
    "infer_arguments",
    "lower",
    "source_from_file",
    "source_from_function",
    "type_of",
]


Check = Callable[[Function, Mapping[str, Argument]], Function]


@meanings()
def lower(
    source: Source,
    arguments: Mapping[str, Argument],
    derive: Derive | None = None,
    primal: bool = False,
    untaken: Mapping[Key, str] | None = None,
    modelled: bool = False,
    check: Check | None = None,
) -> Function:
    """The function as a program in the IR, for arguments of these types.

    `check` adds tests of what the program takes to hold of its arguments, of which it is given the
    attributes that were asked for. `derive` gives the derivatives that the function takes itself.
    A program that is to stand for the function, not for a derivative of it, is `primal`. Where an
    `untaken` path begins it raises NotImplementedError.
    """
    check_directives(source)
    facts = Facts()
    while True:
        refused, arguments = False, without_empty_lists(arguments) if primal else arguments
        ways: dict[str, Any] = {"derive": derive, "primal": primal, "modelled": modelled}
        outlines = partial(Outlines, _function, facts=facts, **ways)
        try:
            made = _one_program(source, arguments, outlines, {} if untaken is None else untaken)
            if facts.hold and facts.apart:
                return made if check is None else check(made, arguments)
        except Closed as closed:
            arguments = opened(arguments, closed, type_of)
        except Changed as changed:
            arguments = left_alone(arguments, changed.place)
        except AdjointgenError:
            refused = facts.hold
            if refused and not facts.promoted and not facts.missed:
                if not empty_lists(arguments):
                    raise
                arguments = without_empty_lists(arguments)
        facts = facts.again(refused)


def _one_program(
    source: Source,
    arguments: Mapping[str, Argument],
    outlines: Callable[..., Outlines],
    untaken: Mapping[Key, str],
) -> Function:
    """One attempt; without columns for lists of tuples, where it is refused with them."""
    first = outlines(untaken=Untaken(untaken))
    try:
        return _program(source, arguments, first)
    except AdjointgenError as error:
        if not first.has_columns:
            raise
        with_columns = error
    try:
        return _program(source, arguments, outlines(untaken=Untaken(untaken), columns=False))
    except AdjointgenError as error:
        # The reason that names the list is the better one.
        raise (with_columns if with_columns.code == error.code else error) from None


def _program(source: Source, arguments: Mapping[str, Argument], outlines: Outlines) -> Function:
    """One attempt, with what is known of arguments and of other objects."""
    outlines.names.fresh(source.title)
    ctx = _context(source, outlines)
    try:
        with deep():
            return outlines.program(_lowered(ctx, source, arguments, unchanged))
    except NoReturnYet:
        ctx.node = source.node
        what = f"{source.name} calls itself, or another one that does, on every path"
        return ctx.refuse("AG120", what, "return without a call on one of them")
    except RecursionError:
        ctx.node = source.node
        return ctx.refuse(
            "AG121", f"{source.name} is nested too deeply", "split the expression or the function"
        )


def _lowered(
    ctx: Context,
    source: Source,
    arguments: Mapping[str, Argument | Tabled],
    note: Callable[[Context, Sequence[Value]], None] = lambda _ctx, _params: None,
) -> Function:
    """The program of a function, of whose parameters something may be noted."""
    _check(ctx, source)
    bindings = bind(ctx, source, arguments)
    params = bindings.params
    note(ctx, params)
    if not implicit_functions.as_result(ctx, source):
        body = with_return(ctx, source)
        none_flags.optionally(ctx, lambda: statements.statements(ctx, body, frozenset()))
    if ctx.state.dead and not ctx.outlines.open:
        # Whoever asks for a gradient gets the exception in which every path ends.
        ctx.set(RESULT, const(0.0))
    ctx.node = source.node
    check_entries(ctx, [] if note is unchanged else params)
    keep_attributes(ctx)
    made = _made(ctx, source, bindings)
    check_sharing(made, source.text)
    return made


def _made(ctx: Context, source: Source, bindings: Bindings) -> Function:
    """The program of what has been lowered."""
    params = bindings.params
    yields, tree, names = results(ctx, source, params)
    block = without_posts(Block(tuple(params), tuple(ctx.blocks[0]), tuple(yields)))
    return Function(
        source.title,
        tuple(_parameter(ctx, source, p.root) for p in params),
        kept(tidy(settled(block, ctx.loose), ctx.renamed)),
        tree,
        tuple(names),
        Origin(source.file, source.qualname, source.doc),
        tuple(ctx.imports),
        source.comments(),
        tuple(sorted(ctx.folded.items())),
        packed=tuple(bindings.packed),
        updates=frozenset(ctx.updates),
        written=frozenset(_written(ctx)),
        changes=CHANGES in ctx.memo,
        **_said(ctx),
    )


def _said(ctx: Context) -> dict[str, Any]:
    """The statements of the user's, what directives say of them, and what decided by its type."""
    sources = [frame.source for frame in ctx.frames.values()]

    def renamed(names: Iterable[str]) -> frozenset[str]:
        return frozenset(ctx.renamed[n].name if n in ctx.renamed else n for n in names)

    return {
        "quotes": quotes(sources),
        "directives": directives(sources),
        "kinds": renamed(ctx.kinds),
        "ranks": renamed(ctx.ranks),
    }


def _written(ctx: Context) -> Iterator[str]:
    """The arguments that hold something else than at the start, or may share what does."""
    for (frame, name), ref in ctx.state.names.items():
        if frame != CALLER or not isinstance(ref, Ref):
            continue
        held = ctx.state.cells[ref.cell]
        changed = isinstance(held, Value) and held.name != name
        if changed or (ctx.escaped and ref.cell in ctx.state.tangled):
            yield name


def _function(
    source: Source, arguments: Mapping[str, Given], outlines: Outlines
) -> tuple[Context, Function]:
    """A function that the program calls, and the state at its end."""
    ctx = _context(source, outlines)
    return ctx, _lowered(ctx, source, arguments)


def _context(source: Source, outlines: Outlines) -> Context:
    first = Frame(0, source, None, ())
    ctx = Context(first, actions.HANDLERS, actions, outlines=outlines)
    ctx.frame = new_frame(ctx, source, None, CALLER, None)
    ctx.frame.home = home_of(source)
    return ctx


def _check(ctx: Context, source: Source) -> None:
    node = source.node
    if isinstance(node, ast.AsyncFunctionDef) or is_generator(node):
        ctx.refuse(
            "AG101",
            f"{source.name} is a generator or coroutine",
            "return an array instead",
            node=node,
        )
    for name, default in defaults(source.arguments).items():
        check_default(ctx, source, name, default, given=True)


def _default_text(source: Source, name: str, node: ast.expr) -> str:
    """A default as text. A call gives every argument, so one out of reach may be anything."""
    if literal := literal_default(source.resolver.identity, name, node):
        return literal
    named = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    return source.segment(node) if all(map(source.resolver.reaches, named)) else "None"


def _parameter(ctx: Context, source: Source, name: str) -> Parameter:
    """A parameter as it is written; the names in its default are looked up in the module."""
    found = defaults(source.arguments).get(name)
    known, value = source.resolver.default(name), ""
    for node in ast.walk(found) if found is not None else ():
        if isinstance(node, ast.Name):
            named = source.resolver.find(node.id)
            line = getattr(named, "line", "") or source.resolver.imported(node.id)
            if getattr(named, "changing", False) and isinstance(known, Const):
                # A variable of the module: the default has the value that it had then.
                value = repr(known.value)
            elif line:
                ctx.imports[line] = None
    if found is not None and not value:
        value = _default_text(source, name, found)
    arguments = source.arguments
    keyword_only = any(a.arg == name for a in arguments.kwonlyargs)
    stars = ((arguments.vararg, "*"), (arguments.kwarg, "**"))
    star = next((star for arg, star in stars if arg is not None and arg.arg == name), "")
    return Parameter(name, value, keyword_only, star)
