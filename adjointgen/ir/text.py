"""The IR as text, one statement per line, and back: `read(show(f)) == f` but for spans and origin.

    function f(x: float64[x.0], n: int64) -> (result)
      y: float64[x.0] = sin(x)
      s: float64 = loop i: int64 from (0, n, 1) carry (s_2: float64 = 0.0) trips m: int64:
        t': float64 = load(y, i) [index="_"]
        s_3: float64 = add(s_2, t)
        yield s_3
      return s

A type stands where a value is defined. The root of `s_3` is `s`, what is left without the number;
`t'` has no root, and `t'u` has the root `u`. Constants stand for themselves, followed by their type
where it is not what Python's literal means: `1.0:float32`. Tests state their cases in this text
(LLVM's textual form is the model), and listings show it to people.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import assert_never

from adjointgen.ir.edit import stem
from adjointgen.ir.nodes import (
    LOOPS,
    Apply,
    Block,
    Branch,
    Call,
    Dtype,
    Function,
    Leaf,
    Loop,
    Node,
    Operand,
    Options,
    Parameter,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    While,
    natural,
    results_of,
)
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.ir.reader import read
from adjointgen.ir.schedules import INDEPENDENT

__all__ = ["read", "show"]

STEP = "  "


def show(node: Function | Block, spans: bool = False) -> str:
    """The listing of a function or block; with `spans`, each statement ends in its place."""
    match node:
        case Function():
            lines = [_header(node), *_facts(node), *_body(node.body, "return", spans)]
            lines += [show(callee, spans).rstrip("\n") for callee in node.callees]
        case Block():
            lines = [f"block ({_define(node.params)}):", *_body(node, "yield", spans)]
    return "\n".join(lines) + "\n"


def _header(function: Function) -> str:
    names = ", ".join(function.names)
    return f"function {function.name}({_define(function.body.params)}) -> ({names})"


def _facts(function: Function) -> Iterator[str]:
    """What the header leaves out, each on its line and only where it is not the usual."""
    if function.parameters != plain_parameters(function.body.params):
        yield f"{STEP}parameters ({', '.join(map(_parameter, function.parameters))})"
    if function.results != plain_results(len(function.names)):
        yield f"{STEP}results {_tree(function.results)}"
    for packed in function.packed:
        yield f"{STEP}packed {packed.name} {_tree(packed.tree)}"
    for line in function.imports:
        yield f"{STEP}import {json.dumps(line, ensure_ascii=False)}"


def _parameter(parameter: Parameter) -> str:
    default = f" = {_literal(parameter.default)}" if parameter.default else ""
    star = f"{parameter.star} " if parameter.star else "named " if parameter.keyword_only else ""
    return star + parameter.name + default


def _tree(tree: Tree) -> str:
    match tree:
        case Leaf():
            return tree.name or "_"
        case Slot(name=name):
            return f"<{_word(name)}>"
        case Node():
            facts = (repr(tree.keys), tree.class_) if tree.class_ else (repr(tree.keys),)
            keys = f"[{', '.join(map(_literal, facts))}]" if tree.keys else ""
            return f"{_literal(tree.make)}{keys}({', '.join(map(_tree, tree.children))})"


def _body(block: Block, end: str, spans: bool) -> list[str]:
    """The indented lines of a block."""
    lines = [line for stmt in block.stmts for line in _stmt(stmt, spans)]
    if block.yields:
        lines.append(f"{end} {_operands(block.yields)}")
    return [STEP + line for line in lines or ["pass"]]


def _stmt(stmt: Stmt, spans: bool) -> list[str]:
    first, *rest = _lines(stmt, spans)
    own = stmt.results if isinstance(stmt, LOOPS) else results_of(stmt)
    place = f"  # {stmt.span.text()}" if spans and stmt.span else ""
    return [(f"{_define(own)} = " if own else "") + first + place, *rest]


def _lines(stmt: Stmt, spans: bool) -> list[str]:
    """A statement without its results."""
    match stmt:
        case Apply():
            return [f"{stmt.op}({_operands(stmt.args)}){_options(stmt.options)}"]
        case Call():
            effect = " effect" if stmt.effect else ""
            return [f"call {_word(stmt.function)}({_operands(stmt.args)}){effect}"]
        case Record():
            return [f"record {_word(stmt.slot)} <- {_operand(stmt.value)}"]
        case Replay():
            return [f"replay {_word(stmt.slot)}"]
        case Loop():
            return [_loop(stmt), *_body(stmt.body, "yield", spans)]
        case While():
            own = "" if stmt.test.params == stmt.body.params else f" ({_define(stmt.test.params)})"
            test = [f"test{own}:", *_body(stmt.test, "yield", spans)]
            body = ["body:", *_body(stmt.body, "yield", spans)]
            return [_while(stmt), *(STEP + line for line in test + body)]
        case Branch():
            head = f"if {_operand(stmt.test)}{_pair(stmt.pair)}:"
            then, orelse = (_body(b, "yield", spans) for b in (stmt.then, stmt.orelse))
            return [head, *then, "else:", *orelse]
        case _:
            assert_never(stmt)


def _loop(loop: Loop) -> str:
    direction = " backwards" if loop.backwards else " parallel" if loop.parallel else ""
    trips = f" trips {_define([loop.trips])}" if loop.trips else ""
    return (
        f"loop {_define([loop.index])}{direction} from ({_operands(loop.bounds)})"
        f"{_carry(loop.body.params, loop.inits)}{trips}{_pair(loop.pair)}{_schedule(loop)}:"
    )


def _while(loop: While) -> str:
    breaks = " breaks" if loop.breaks else ""
    carry = _carry(loop.body.params, loop.inits)
    return f"while{carry} trips {_define([loop.trips])}{breaks}{_pair(loop.pair)}{_schedule(loop)}:"


def _carry(params: tuple[Value, ...], inits: tuple[Operand, ...]) -> str:
    if not params and not inits:
        return ""
    pairs = zip_longest(params, inits)
    parts = (f"{_define([p]) if p else '?'} = {_operand(i) if i else '?'}" for p, i in pairs)
    return f" carry ({', '.join(parts)})"


def _schedule(loop: Loop | While) -> str:
    if loop.schedule is None:
        return ""
    return " independent" if loop.schedule == INDEPENDENT else f" checkpoint({loop.schedule})"


def _pair(pair: int) -> str:
    return f" pair {pair}" if pair else ""


def _define(values: Iterable[Value]) -> str:
    return ", ".join(f"{v.name}{_root(v)}: {v.type}" for v in values)


def _root(value: Value) -> str:
    return "" if value.root == stem(value.name) else f"'{value.root}"


def _operands(operands: Iterable[Operand]) -> str:
    return ", ".join(map(_operand, operands))


def _operand(operand: Operand) -> str:
    if isinstance(operand, Value):
        return operand.name
    usual = operand.type == natural(operand.value)
    return _literal(operand.value) + ("" if usual else f":{operand.type}")


def _options(options: Options) -> str:
    parts = ", ".join(f"{name}={_literal(value)}" for name, value in options)
    return f" [{parts}]" if parts else ""


def _literal(value: object) -> str:
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case Dtype(name=name):
            return f"dtype({_literal(name)})"
        case complex():
            return f"complex({_literal(value.real)}, {_literal(value.imag)})"
        case tuple():
            return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
        case _:
            return repr(value)


def _word(text: str) -> str:
    return text if re.fullmatch(r"[^\W\d][\w.]*", text) else _literal(text)
