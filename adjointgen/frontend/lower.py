"""From Python to the IR: the one public entry of the frontend.

`lower(source, arguments)` binds the parameters, lowers the statements, and packs what is returned.
An argument is a type, of which a value enters at run time, or `Fixed`, which is folded.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from adjointgen.depth import deep
from adjointgen.errors import TypeMismatch
from adjointgen.frontend import (
    attempts,
    calls,
    comprehensions,
    expressions,
    logic,
    loops,
    managers,
    partials,
    patterns,
    statements,
    subscripts,
    trials,
)
from adjointgen.frontend.cells import new_cell, read, write
from adjointgen.frontend.context import CALLER, RESULT, Context, Frame
from adjointgen.frontend.facts import fact
from adjointgen.frontend.infer import infer_arguments, type_of
from adjointgen.frontend.inline import (
    check_default,
    default_of,
    defaults,
    is_generator,
    new_frame,
    own_nodes,
    parameters,
    with_return,
)
from adjointgen.frontend.library import array_of, list_of, special, widened_list
from adjointgen.frontend.outer import evaluated
from adjointgen.frontend.outline import Outlines
from adjointgen.frontend.resolve import constant
from adjointgen.frontend.source import Source, source_from_file, source_from_function
from adjointgen.frontend.tidy import tidy
from adjointgen.frontend.values import Abstract, Closure, Fixed, Module, Named, Ref, Seq
from adjointgen.frontend.verbatim import expression as as_written
from adjointgen.frontend.verbatim import member
from adjointgen.ir.nodes import (
    Block,
    Const,
    Function,
    Leaf,
    Node,
    Operand,
    Origin,
    Parameter,
    Tree,
    Value,
)
from adjointgen.ir.types import OBJECT, Dim, Type
from adjointgen.rules.build import const

__all__ = [
    "Fixed",
    "Source",
    "infer_arguments",
    "lower",
    "source_from_file",
    "source_from_function",
    "type_of",
]

Argument = Type | Fixed


def lower(source: Source, arguments: Mapping[str, Argument]) -> Function:
    """The function as a program in the IR, for arguments of these types."""
    outlines = Outlines()
    outlines.names.fresh(source.name)
    ctx = _context(source, outlines)
    try:
        with deep():
            return outlines.program(_lowered(ctx, source, arguments))
    except RecursionError:
        ctx.node = source.node
        return ctx.refuse(
            "AG121", f"{source.name} is nested too deeply", "split the expression or the function"
        )


def _lowered(ctx: Context, source: Source, arguments: Mapping[str, Argument]) -> Function:
    _check(ctx, source)
    params = _bind(ctx, source, arguments)
    statements.statements(ctx, with_return(ctx, source), frozenset())
    ctx.node = source.node
    yields, tree, names = _results(ctx, source, params)
    body = tidy(Block(tuple(params), tuple(ctx.blocks[0]), tuple(yields)))
    return Function(
        source.name,
        tuple(_parameter(ctx, source, a.arg) for a in parameters(source.arguments)),
        body,
        tree,
        tuple(names),
        Origin(source.file, source.qualname, source.doc),
        tuple(ctx.imports),
        source.comments(),
        tuple(sorted(ctx.folded.items())),
    )


def _function(
    source: Source, arguments: Mapping[str, Argument], outlines: Outlines
) -> tuple[Context, Function]:
    """A function that the program calls, and the state at its end."""
    ctx = _context(source, outlines)
    return ctx, _lowered(ctx, source, arguments)


def _context(source: Source, outlines: Outlines) -> Context:
    first = Frame(0, source, None, ())
    ctx = Context(first, HANDLERS, ACTIONS, outlines=outlines)
    ctx.frame = new_frame(ctx, source, None, CALLER, None)
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
    for extra in (source.arguments.vararg, source.arguments.kwarg):
        if extra is not None:
            ctx.refuse(
                "AG103", f"{source.name} takes any number of arguments", "name them", node=extra
            )
    for name, default in defaults(source.arguments).items():
        check_default(ctx, source, name, default)


def _bind(ctx: Context, source: Source, arguments: Mapping[str, Argument]) -> list[Value]:
    """The parameters as values, and the names bound to them."""
    known = defaults(source.arguments)
    params = []
    for arg in parameters(source.arguments):
        name = arg.arg
        given = arguments.get(name)
        if given is None and name in known:
            given = _default(ctx, source, name, known[name])
        match given:
            case None:
                ctx.refuse(
                    "AG410",
                    f"the type of {name} is not known",
                    f"annotate it, or give one: --type {name}=float64[:]",
                    node=arg,
                    kind=TypeMismatch,
                )
            case Fixed(value=value):
                params.append(ctx.value(name, OBJECT))
                ctx.set(name, _fixed(ctx, value, params[-1]))
            case Type():
                params.append(ctx.value(name, _symbolic(name, given)))
                _bind_value(ctx, name, params[-1])
    return params


def _default(ctx: Context, source: Source, name: str, node: ast.expr) -> Argument:
    """A parameter that is not given is its default."""
    value = default_of(ctx, source, name, node)
    return Fixed(value.value) if isinstance(value, Const) else Fixed(value)


def _fixed(ctx: Context, value: Any, param: Value) -> Abstract:
    """A value of the specialisation; other objects are read from the argument."""
    if isinstance(value, Const | Seq | Closure | Named | Module):
        return value
    found = constant(value)
    return found if found is not None else param


def _symbolic(name: str, type: Type) -> Type:
    if type == Type("int64") and type.value is None:
        return Type("int64", value=Dim(name))
    return type


def _bind_value(ctx: Context, name: str, value: Value) -> None:
    if value.type.kind in ("array", "list"):
        ref = new_cell(ctx, value, name)
        ctx.state.names[CALLER, name] = ref
        ctx.set(name, ref)
    else:
        ctx.set(name, value)


def _parameter(ctx: Context, source: Source, name: str) -> Parameter:
    """A parameter as it is written; the names in its default are looked up in the module."""
    found = defaults(source.arguments).get(name)
    for node in ast.walk(found) if found is not None else ():
        if isinstance(node, ast.Name):
            line = getattr(source.resolver.find(node.id), "line", "")
            ctx.imports |= {line: None} if line else {}
    default = "" if found is None else source.segment(found)
    keyword_only = any(a.arg == name for a in source.arguments.kwonlyargs)
    return Parameter(name, default, keyword_only)


# Results


def _results(
    ctx: Context, source: Source, params: list[Value]
) -> tuple[list[Operand], Tree, list[str]]:
    """The operands that are returned, the structure around them, and what they are called."""
    value = ctx.state.names.get(ctx.key(RESULT), const(None))
    written = _written(ctx, params)
    if value == const(None) and written:
        if ctx.escaped:
            ctx.refuse(
                "AG110",
                "whether this writes into its argument depends on the path taken",
                "return the result",
            )
        # A procedure: what it computes is what it writes into its arguments.
        tree: Tree = Leaf() if len(written) == 1 else Node("tuple", (Leaf(),) * len(written))
        return [operand for _, operand in written], tree, [name for name, _ in written]
    yields: list[Operand] = []
    tree = _pack(ctx, value, yields)
    names = _names(source, yields)
    return yields, tree, names


def _written(ctx: Context, params: list[Value]) -> list[tuple[str, Operand]]:
    """The arguments that hold something else than at the start."""
    found = []
    for (frame, name), ref in ctx.state.names.items():
        if frame == CALLER and (held := read(ctx, ref)) not in params:
            found.append((name, held))
    return found


def _pack(ctx: Context, value: Abstract, yields: list[Operand]) -> Tree:
    if isinstance(value, Ref) and isinstance(held := ctx.state.cells[value.cell], Seq):
        value = held
    if isinstance(value, Seq):
        return Node(value.kind, tuple(_pack(ctx, item, yields) for item in value.items))
    yields.append(read(ctx, value))
    return Leaf()


def _names(source: Source, yields: list[Operand]) -> list[str]:
    """What every `return` calls them, or `result`."""
    rows = []
    for node in own_nodes(source.node):
        if isinstance(node, ast.Return) and node.value is not None:
            parts = (
                node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
            )
            rows.append([part.id if isinstance(part, ast.Name) else "" for part in parts])
    fitting = all(len(row) == len(yields) for row in rows)
    columns = list(zip(*rows, strict=True)) if rows and fitting else [("",)] * len(yields)
    texts = [column[0] if len({*column}) == 1 else "" for column in columns]
    several = len(yields) > 1
    result: list[str] = []
    for k, text in enumerate(texts, 1):
        name = text or (f"result_{k}" if several else "result")
        result.append(name if name not in result else f"result_{k}")
    return result


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    **expressions.HANDLERS,
    **logic.HANDLERS,
    **calls.HANDLERS,
    **subscripts.HANDLERS,
    **statements.HANDLERS,
    **loops.HANDLERS,
    **comprehensions.HANDLERS,
    **patterns.HANDLERS,
    **attempts.HANDLERS,
    **managers.HANDLERS,
}
ACTIONS: dict[str, Callable[..., Any]] = {
    "lowered": _function,
    "unknown": as_written,
    "array": array_of,
    "list": list_of,
    "widened list": widened_list,
    "member": member,
    "evaluated": evaluated,
    "special": special,
    "fact": fact,
    "write": write,
    "assign": statements.assign,
    "part": subscripts.part,
    "list of statements": statements.statements,
    "copied": statements.copied,
    "applied": partials.applied,
    "caught": trials.caught,
    "call statement": lambda ctx, node: calls.call(ctx, node, discarded=True),
    "fill": loops.fill,
}
