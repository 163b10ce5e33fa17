"""One function as a definition: what is decided about it (`plan`), then its statements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator

from adjointgen.emit.decide.checked_kinds import Kind
from adjointgen.emit.decide.plan import Plan, decide
from adjointgen.emit.decide.positions import Layer, Place
from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.definition_trees import function_def
from adjointgen.emit.syntax.expression_trees import call, literal, name, subscript, tuple_
from adjointgen.emit.syntax.statement_trees import assign, declare, return_
from adjointgen.emit.syntax.tree import Define, Expression, Parameter, Statement
from adjointgen.emit.usercode.verbatim import expression, variables
from adjointgen.emit.write.annotations import (
    annotation,
    annotation_of_tape,
    annotation_of_tree,
    any_type,
    of_classes,
    optional,
)
from adjointgen.emit.write.blocks import Blocks
from adjointgen.emit.write.comments import Margin, is_titled
from adjointgen.emit.write.expressions import Printer
from adjointgen.emit.write.packed_results import class_of_result, packed_results
from adjointgen.ir.edit import is_check
from adjointgen.ir.nodes import (
    Apply,
    Const,
    Function,
    Leaf,
    Node,
    Slot,
    Tree,
    Value,
)
from adjointgen.ir.nodes import Parameter as NamedParameter
from adjointgen.ir.packing import leaves, places
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import replace


def write(function: Function, modules: Modules) -> tuple[Define, set[str]]:
    """The definition of a function, and the free names of the user's code in it."""
    plain = None if modules.plain is None else function.name in modules.plain
    decided = decide(function, modules.numpy, plain)
    foreign = {n for n, k in decided.kinds.items() if k is Kind.FOREIGN and plain is not None}
    printer = Printer(decided.names, decided.folds, modules, foreign)
    titled = is_titled(decided.layer, decided.folds)
    margin = Margin(function, titled)
    blocks = Blocks(printer, decided, margin)
    structures, others, rest = _opening(function, decided.layer)
    lines = [*blocks.layer(structures), *unpacked(function, decided.used)]
    lines += [*blocks.layer(others), *blocks.layer(rest)]
    if not lines or decided.layer.block.yields or function.origin.doc:
        # A function without results is called as a statement.
        lines += _returned(function, decided, printer)
    for text in (p.default for p in function.parameters if p.default):
        printer.free |= variables(text)
    definition = function_def(
        function.name,
        _parameters(function, decided, modules),
        lines,
        docstring=function.origin.doc,
        returns=_returns(function, decided, modules),
    )
    return definition, printer.free - set(dir(builtins))


def _opening(function: Function, layer: Layer) -> tuple[Layer, Layer, Layer]:
    """The checks of structures, those of lengths, and all other statements."""
    whole = {p.name for p in function.packed}
    parts: tuple[list[Place], ...] = ([], [], [])
    for place in layer.places:
        args = place.stmt.args if is_check(place.stmt) else ()
        of_structure = any(isinstance(a, Value) and a.root in whole for a in args)
        parts[0 if of_structure else 1 if args else 2].append(place)
    first, second, last = (replace(layer, places=tuple(part)) for part in parts)
    return first, second, last


def _returned(function: Function, plan: Plan, printer: Printer) -> list[Statement]:
    """The `return`, after a declaration if its only value would have no type of its own."""
    only = _only(function, plan)
    folded = only is not None and only.name in plan.folds.folded
    kind = plan.kinds.get(only.name) if only is not None and folded else Kind.PLAIN
    if (
        only is not None
        and kind is not Kind.PLAIN
        and _is_plain_result(function, only, printer.modules)
    ):
        return [return_(call(name("float"), [printer.whole(only)]))]
    if only is not None and kind in (Kind.NARROW, Kind.OPEN):
        text = annotation(only.type, printer.modules)
        taken = {*plan.names.values(), *plan.slots.values()}
        own = next(n for n in _spellings(function.names[0]) if n not in taken)
        return [declare(name(own), text, printer.whole(only)), return_(name(own))]
    texts = iter([printer.whole(y) for y in plan.layer.block.yields])
    slots = {slot: name(own) for slot, own in plan.slots.items()}
    return [return_(packed_results(function, texts, slots, printer.modules))]


def _is_plain_result(function: Function, only: Value, modules: Modules) -> bool:
    """Whether the only result is to be one of Python's numbers."""
    plain = modules.plain is not None and function.name in modules.plain
    return plain and only.type.is_scalar and only.type.dtype == "float64"


def _only(function: Function, plan: Plan) -> Value | None:
    """The result of a function that returns a single value."""
    first, *_ = (*plan.layer.block.yields, None)
    return first if isinstance(function.results, Leaf) and isinstance(first, Value) else None


def _returns(function: Function, plan: Plan, modules: Modules) -> Expression:
    """The annotation of the results; a single one that is no float for a checker is `Any`."""
    only = _only(function, plan)
    if only is not None:
        own = plan.names.get(only.name, "")
        folded = only.name in plan.folds.folded and plan.kinds.get(only.name) is Kind.FOREIGN
        loose = folded and not _is_plain_result(function, only, modules)
        if loose or plan.declared.get(own, only) is None:
            return any_type(modules)
    types = iter([y.type for y in plan.layer.block.yields])
    whole = of_classes(function.results, lambda node: class_of_result(function, node))
    match whole:
        case Leaf() if plan.layer.block.yields == (Const(None, OBJECT),):
            return literal(None)
        case Node(make="tuple", children=()) if function.origin.doc:
            return subscript(name("tuple"), [tuple_([])])
        case Node(make="tuple", children=(*results, tape)) if results and function.kept:
            inner = [annotation_of_tree(tree, types, modules) for tree in results]
            return subscript(name("tuple"), [*inner, annotation_of_tape(tape, types, modules)])
    return annotation_of_tree(whole, types, modules)


def _spellings(own: str) -> Iterator[str]:
    """A name, and the same with more and more underscores."""
    while True:
        yield own
        own += "_"


def _parameters(function: Function, plan: Plan, modules: Modules) -> list[Parameter]:
    found, inner, kept = [], places(function), False
    for parameter, value in zip(function.parameters, function.body.params, strict=True):
        if parameter.name in inner:
            continue
        text = _annotation(function, parameter, value, plan, modules)
        named = parameter.keyword_only or parameter.star == "**"
        fits = _fits(parameter.default, value.type)
        if parameter.default == "None" and not fits and kept and not named:
            text = optional(text)
        default = None
        if parameter.default and (fits or (kept and not named)):
            default, kept = expression(parameter.default, {}), kept or not named
        found.append(Parameter(parameter.name, text, default, named, parameter.star))
    return found


def _annotation(
    function: Function, parameter: NamedParameter, value: Value, plan: Plan, modules: Modules
) -> Expression:
    if parameter.type:
        return name(parameter.type)
    if parameter.name in plan.loose:
        return any_type(modules)
    packed = next((p.tree for p in function.packed if p.name == parameter.name), None)
    if packed is not None and parameter.star == "*":
        return _of_each(function, packed, plan, modules)
    if packed is not None:
        return _structure(function, packed, plan, modules)
    return _tape(function, value, modules) or annotation(value.type, modules)


def _of_each(function: Function, tree: Tree, plan: Plan, modules: Modules) -> Expression:
    """The annotation of `*args`, which is that of each of them."""
    parts = tree.children if isinstance(tree, Node) else ()
    found = [_structure(function, part, plan, modules) for part in parts]
    same = bool(found) and all(one == found[0] for one in found)
    return found[0] if same else any_type(modules)


def _structure(function: Function, tree: Tree, plan: Plan, modules: Modules) -> Expression:
    """The annotation of an argument that is a structure."""
    types = {p.root: p.type for p in function.body.params}
    inner = [name_ for name_, _ in leaves(tree)]
    if plan.loose.intersection(inner):
        return any_type(modules)
    instances = ("object", "named")
    named = of_classes(tree, lambda node: node.class_ if node.make in instances else "")
    return annotation_of_tree(named, iter([types[name_] for name_ in inner]), modules)


def _tape(function: Function, value: Value, modules: Modules) -> Expression | None:
    """The annotation of a parameter that is taken apart first, where it is a tuple of values."""
    for stmt in function.body.stmts:
        match stmt:
            case Apply(op="unpack", args=(one,), results=results) if one == value:
                slots = stmt.option("slots", ())
                assert isinstance(slots, tuple)
                leaves: tuple[Tree, ...] = (*(Leaf() for _ in results), *map(Slot, slots))
                types = iter([r.type for r in results])
                tree = leaves[0] if stmt.option("single") else Node("tuple", leaves)
                return annotation_of_tape(tree, types, modules)
    return None


def _fits(default: str, type: Type) -> bool:
    """Whether a default is of the type that a program is for; one that is no literal is."""
    if type.kind == "object":
        return True
    try:
        value = ast.literal_eval(default)
    except (ValueError, SyntaxError):
        return True
    return value is not None and not (type.is_array and isinstance(value, int | float | complex))


def unpacked(function: Function, used: Collection[str]) -> Iterator[Statement]:
    """`p_w = p["w"]`, for what the program reads of structures."""
    for name_, place in places(function).items():
        value = next(p for p in function.body.params if p.root == name_)
        if value.name in used:
            yield assign(name(name_), expression(place, {}))
