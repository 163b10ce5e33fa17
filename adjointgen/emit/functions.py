"""One function as a definition: what is decided about it (`plan`), then its statements."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

import libcst as cst

from adjointgen.emit.annotations import (
    annotation,
    annotation_of_tree,
    any_type,
    declare,
    optional,
)
from adjointgen.emit.blocks import Blocks
from adjointgen.emit.calls import Modules
from adjointgen.emit.declared import Kind
from adjointgen.emit.definitions import Parameter, function_def
from adjointgen.emit.expressions import Printer
from adjointgen.emit.margin import Margin
from adjointgen.emit.plan import Plan, decide, names_of
from adjointgen.emit.precedence import Expression
from adjointgen.emit.statements import Statement, return_
from adjointgen.emit.syntax import call, list_, name, tuple_
from adjointgen.emit.verbatim import parse_expression
from adjointgen.ir.nodes import (
    Function,
    Leaf,
    Tree,
    Value,
)


def write(function: Function, modules: Modules) -> tuple[cst.FunctionDef, set[str]]:
    """The definition of a function, and the free names of the user's code in it."""
    decided = decide(function, modules.numpy)
    printer = Printer(decided.names, decided.folds, modules)
    blocks = Blocks(printer, decided, Margin(function.comments, function.origin.file))
    lines = blocks.layer(decided.layer)
    yields = decided.layer.block.yields
    lines += _returned(function, decided, printer)
    for text in (p.default for p in function.parameters if p.default):
        printer.free |= set(names_of(text))
    definition = function_def(
        function.name,
        _parameters(function, modules),
        lines,
        docstring=function.origin.doc,
        returns=annotation_of_tree(function.results, iter([y.type for y in yields]), modules),
    )
    return definition, printer.free - set(dir(builtins))


def _returned(function: Function, plan: Plan, printer: Printer) -> list[Statement]:
    """The `return`, after a declaration if its only value would have no type of its own."""
    yields = plan.layer.block.yields
    only = yields[0] if isinstance(function.results, Leaf) else None
    if isinstance(only, Value):
        kind = plan.kinds.get(only.name)
        if only.name in plan.folds.folded and kind is not Kind.PLAIN:
            modules = printer.modules
            text = annotation(only.type, modules) if kind is not Kind.FOREIGN else any_type(modules)
            taken = {*plan.names.values(), *plan.slots.values()}
            own = next(n for n in _spellings(function.names[0]) if n not in taken)
            return [declare(name(own), text, printer.whole(only)), return_(name(own))]
    texts = iter([printer.whole(y) for y in yields])
    return [return_(_packed(function.results, texts))]


def _spellings(own: str) -> Iterator[str]:
    """A name, and the same with more and more underscores."""
    while True:
        yield own
        own += "_"


def _parameters(function: Function, modules: Modules) -> list[Parameter]:
    found = []
    for parameter, value in zip(function.parameters, function.body.params, strict=True):
        text = annotation(value.type, modules)
        if parameter.default == "None" and value.type.kind != "object":
            text = optional(text)
        default = parse_expression(parameter.default) if parameter.default else None
        kind = "keyword-only" if parameter.keyword_only else "plain"
        found.append(Parameter(parameter.name, text, default, kind))  # type: ignore[arg-type]
    return found


def _packed(tree: Tree, leaves: Iterator[Expression]) -> Expression:
    """The results in their structure."""
    if isinstance(tree, Leaf):
        return next(leaves)
    items: Sequence[Expression] = [_packed(child, leaves) for child in tree.children]
    match tree.make:
        case "tuple" | "":
            return tuple_(items)
        case "list":
            return list_(items)
        case make:
            return call(name(make), items)
