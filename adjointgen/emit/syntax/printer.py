"""Trees as text, spaced and indented as black does it.

A node is parenthesised exactly if it binds more loosely than its slot allows (`precedence`), so
what is printed parses back to the tree. Printing and formatting agree on every line that is short
enough.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from adjointgen.emit.syntax.precedence import INFIX, OPERANDS, Level
from adjointgen.emit.syntax.tree import (
    Assign,
    Attribute,
    Augment,
    Binary,
    Call,
    Code,
    Compare,
    Compound,
    Conditional,
    Declare,
    Define,
    Dict,
    Entry,
    Expression,
    For,
    If,
    Import,
    Item,
    Lines,
    List,
    Mark,
    Name,
    Number,
    Parameter,
    Simple,
    Slice,
    Starred,
    Statement,
    Subscript,
    Try,
    Tuple,
    Unary,
    While,
    With,
    Word,
)

INDENT: Final = "    "
WIDTH: Final = 88
_KINDS: Final = {
    Compare: Level.COMPARISON,
    Conditional: Level.TEST,
    Call: Level.PRIMARY,
    Attribute: Level.PRIMARY,
    Subscript: Level.PRIMARY,
}


def level(node: Expression) -> Level:
    """Binding strength of a node as it is printed without parentheses around it."""
    match node:
        case Binary(operator=operator):
            return INFIX[operator]
        case Unary(operator=operator):
            return Level.NOT if operator == "not" else Level.UNARY
        case Code(level=own):
            return own
    return _KINDS.get(type(node), Level.ATOM)


def text(node: Expression, least: Level = Level.LAMBDA) -> str:
    """A node in a slot that takes expressions of at least this level."""
    bare = _bare(node)
    return bare if level(node) >= least else f"({bare})"


def _bare(node: Expression) -> str:
    match node:
        case Name(own) | Number(own) | Word(own) | Code(own):
            return own
        case Binary():
            return _binary(node)
        case Subscript(owner, items):
            return f"{text(owner, Level.PRIMARY)}[{', '.join(map(_item, _unpacked(items)))}]"
        case Attribute(owner, field):
            return f"{_before_dot(owner)}.{field}"
        case Call():
            return _call(node)
        case Unary():
            return _unary(node)
        case Compare(left, rest):
            return " ".join([text(left, Level.BIT_OR), *(_against(*each) for each in rest)])
        case Conditional(body, test, orelse):
            return f"{text(body, Level.OR)} if {text(test, Level.OR)} else {text(orelse)}"
        case Tuple(entries):
            return f"({_entries(entries)}{',' if len(entries) == 1 else ''})"
        case List(entries):
            return f"[{_entries(entries)}]"
        case Dict(pairs):
            return "{" + ", ".join(f"{text(key)}: {text(value)}" for key, value in pairs) + "}"


def _against(operator: str, right: Expression) -> str:
    return f"{operator} {text(right, Level.BIT_OR)}"


def _binary(node: Binary) -> str:
    operator, left, right = node.operator, node.left, node.right
    before, after = OPERANDS[operator]
    tight = operator == "**" and _ends_simply(left) and _starts_simply(right)
    space = "" if tight else " "
    return f"{text(left, before)}{space}{operator}{space}{text(right, after)}"


def _ends_simply(base: Expression) -> bool:
    """Would black write ``**`` without spaces after this base?"""
    if isinstance(base, Number):
        return True
    while isinstance(base, Attribute):
        base = base.owner
    return isinstance(base, Name)


def _starts_simply(exponent: Expression) -> bool:
    """Would black write ``**`` without spaces before this exponent?"""
    match exponent:
        case Unary(operator, operand):
            return operator != "not" and _ends_simply(operand)
        case Binary("**", left):
            return _ends_simply(left)
    return _ends_simply(exponent)


def _unary(node: Unary) -> str:
    """``-x**2`` needs no parentheses by the grammar; black writes ``-(x**2)``, for the reader."""
    if node.operator == "not":
        return f"not {text(node.operand, Level.NOT)}"
    is_power = level(node.operand) is Level.POWER
    return node.operator + text(node.operand, Level.ATOM if is_power else Level.UNARY)


def _before_dot(owner: Expression) -> str:
    """An expression before the dot of an attribute, which a bare number would swallow."""
    if isinstance(owner, Number) and not owner.text.endswith("j"):
        return f"({owner.text})"
    return text(owner, Level.PRIMARY)


def _call(node: Call) -> str:
    match node.arguments:
        case (Code(opens="generator") as only,) if not node.keywords:
            inside = only.text[1:-1]
        case _:
            named = (f"{key}={text(value)}" for key, value in node.keywords)
            inside = ", ".join([*map(_entry, node.arguments), *named])
    return f"{text(node.function, Level.PRIMARY)}({inside})"


def _entry(node: Entry) -> str:
    return f"*{text(node.value, Level.BIT_OR)}" if isinstance(node, Starred) else text(node)


def _entries(nodes: Iterable[Entry]) -> str:
    return ", ".join(map(_entry, nodes))


def _unpacked(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items of a subscript; a tuple of several, which is the only one, needs no parentheses."""
    match items:
        case (Tuple(entries),) if len(entries) > 1:
            plain = tuple(entry for entry in entries if not isinstance(entry, Starred))
            return plain if len(plain) == len(entries) else items
    return items


def _item(item: Item) -> str:
    return _slice(item) if isinstance(item, Slice) else text(item)


def _slice(item: Slice) -> str:
    """As in black, colons are spaced like operators if a part is not a mere name or number."""
    parts = item.start, item.stop, item.step
    start, stop, step = ("" if part is None else text(part) for part in parts)
    spaced = not all(part is None or _is_plain(part) for part in parts)
    colon = ":"
    if spaced:
        colon = f"{' ' if start else ''}:{' ' if stop else ''}"
    if not step:
        return f"{start}{colon}{stop}"
    second = f"{' ' if stop else ''}: " if spaced else ":"
    return f"{start}{colon}{stop}{second}{step}"


def _is_plain(part: Expression) -> bool:
    while isinstance(part, Unary) and part.operator != "not":
        part = part.operand
    return isinstance(part, Name | Number | Word)


def opened(node: Expression) -> str:
    """A node where a tuple needs no parentheses; a tuple of one is clearer with them."""
    match node:
        case Tuple(entries) if len(entries) > 1:
            return _entries(entries)
        case Code(opens="yield"):
            return node.text[1:-1]
    return text(node)


def _test(node: Expression) -> str:
    """A node behind ``if`` or ``while``, where an assignment needs no parentheses either."""
    return node.text[1:-1] if isinstance(node, Code) and node.opens == "walrus" else text(node)


def head(statement: Statement) -> str:
    """The first line of a statement, without its comment; of the user's own, all of it."""
    match statement:
        case Assign(targets, value):
            unpacks = any(isinstance(target, Tuple) for target in targets)
            right = text(value) if isinstance(value, Tuple) and not unpacks else opened(value)
            return " = ".join([*map(opened, targets), right])
        case Declare(target, note, value):
            return f"{text(target)}: {text(note)} = {text(value)}"
        case Augment(target, operator, value):
            return f"{text(target)} {operator}= {text(value)}"
        case Simple(keyword, values):
            return _simple(keyword, values)
        case Import(origin, names):
            imported = ", ".join(f"{own} as {alias}" if alias else own for own, alias in names)
            return f"from {origin} import {imported}" if origin else f"import {imported}"
        case Lines(lines):
            return "\n".join(lines)
        case _:
            return _opening(statement)


def _opening(statement: Compound | Mark) -> str:
    """The first line of a statement with a body."""
    match statement:
        case If(test=test):
            return f"if {_test(test)}:"
        case For(target, iterable):
            return f"for {opened(target)} in {opened(iterable)}:"
        case While(test=test):
            return f"while {_test(test)}:"
        case With(manager, target):
            bound = "" if target is None else f" as {text(target)}"
            return f"with {text(manager)}{bound}:"
        case Try():
            return "try:"
        case Mark():
            return ""
        case Define(name, parameters, returns):
            result = "" if returns is None else f" -> {text(returns)}"
            # Formatters disagree where to break a long result, but for parameters on lines apart.
            comma = "," if parameters and len(f"){result}:") > WIDTH else ""
            return f"def {name}({_parameters(parameters)}{comma}){result}:"


def _simple(keyword: str, values: Sequence[Expression]) -> str:
    inner = ", ".join(map(opened if keyword in ("", "return") else text, values))
    return f"{keyword} {inner}" if keyword and inner else keyword or inner


def _parameters(parameters: Sequence[Parameter]) -> str:
    texts: list[str] = []
    starred = False
    for each in sorted(parameters, key=lambda each: (each.star == "**", each.named, each.star)):
        if each.named and not each.star and not starred:
            texts.append("*")
        starred |= each.star == "*" or each.named
        note = "" if each.annotation is None else f": {text(each.annotation)}"
        equal = " = " if note else "="
        default = "" if each.default is None else equal + text(each.default)
        texts.append(each.star + each.name + note + default)
    return ", ".join(texts)


def lines(statements: Iterable[Statement], margin: str = "") -> Iterator[str]:
    """The lines of statements, each with the comments above it."""
    for statement in statements:
        yield from (margin + each if each else "" for each in statement.above)
        yield from _lines(statement, margin)


def _lines(statement: Statement, margin: str, word: str = "") -> Iterator[str]:
    comment = f"  {statement.comment}" if statement.comment else ""
    if isinstance(statement, Lines):
        first, *rest = statement.lines
        yield f"{margin}{first}{comment}"
        yield from (margin + each for each in rest)
        return
    yield f"{margin}{word}{head(statement)}{comment}"
    if isinstance(statement, If | For | While | With | Try | Define):
        yield from lines(statement.body or (PASS,), margin + INDENT)
    if isinstance(statement, Try):
        yield f"{margin}finally:"
        yield from lines(statement.final or (PASS,), margin + INDENT)
    if isinstance(statement, If):
        match statement.orelse:
            case (If(above=()) as only,):
                yield from _lines(only, margin, "el")
            case (_, *_) as orelse:
                yield f"{margin}else:"
                yield from lines(orelse, margin + INDENT)


PASS: Final = Lines(("pass",))
