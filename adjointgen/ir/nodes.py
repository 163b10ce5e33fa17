"""The intermediate representation on a page: functions, blocks and eight kinds of statement.

A function body, a loop body and a branch arm are all a `Block`: `params -> yields, through stmts`.
Every `Value` is defined once. Storage does not exist here: `a[i] = v` is `a_2 = store(a_1, i, v)`,
a new value, and a write through a view is a store into the view followed by a store of the view
into its base. Which stores may overwrite storage is decided at the very end (`insert_copies.py`).

All nodes are frozen and compared by value; a pass maps one tree to another. A `Span` on each
statement names the line of the user's source that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from adjointgen.errors import Span
from adjointgen.ir.directives import Directive
from adjointgen.ir.schedules import Schedule
from adjointgen.ir.types import BOOL, FLOAT, OBJECT, Dim, Type
from adjointgen.records import dataclass


class Undefined:
    """The value of a variable on a path that does not define it; reading it is an error."""

    def __repr__(self) -> str:
        return "undefined"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Undefined)

    def __hash__(self) -> int:
        return 0


UNDEFINED: Final = Undefined()


@dataclass(frozen=True, slots=True)
class Dtype:
    """One of NumPy's dtypes, such as `x.dtype`, by its name."""

    name: str

    def __repr__(self) -> str:
        return f"np.dtype(np.{'bool_' if self.name == 'bool' else self.name})"


Literal = int | float | complex | bool | str | None | Undefined | Dtype


def natural(value: Literal) -> Type:
    """The type of a Python literal."""
    match value:
        case bool():
            return BOOL
        case int():
            return Type("int64", value=Dim("", value))
        case float():
            return FLOAT
        case complex():
            return Type("complex128")
        case _:
            return OBJECT


@dataclass(frozen=True, slots=True)
class Value:
    """A single-assignment value. `root` is the variable of the user's that it is a version of.

    An empty root is a temporary: an intermediate of an expression that has no name in the source.
    """

    name: str
    type: Type
    root: str = ""


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. Its derivative is zero."""

    value: Literal
    type: Type


Operand = Value | Const
Options = tuple[tuple[str, object], ...]
MARKS = ("spelling", "effect", "in_place")
"""Options that say something of a statement, and nothing of the operation."""


@dataclass(frozen=True, slots=True)
class Apply:
    """`results = op(*args, **options)`. Operations are rows of a table, not classes."""

    results: tuple[Value, ...]
    op: str
    args: tuple[Operand, ...]
    options: Options = ()
    span: Span | None = None

    @property
    def result(self) -> Value:
        """The single result."""
        (value,) = self.results
        return value

    def option(self, name: str, default: object = None) -> object:
        for key, value in self.options:
            if key == name:
                return value
        return default

    @property
    def settings(self) -> dict[str, Any]:
        """The options that a rule takes: not how the user wrote it, nor that it is kept."""
        return {name: value for name, value in self.options if name not in MARKS}


@dataclass(frozen=True, slots=True)
class Block:
    """`params -> yields, through stmts`."""

    params: tuple[Value, ...]
    stmts: tuple[Stmt, ...]
    yields: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`for index in range(*bounds)`, or the same indices in reverse order when `backwards`.

    The body's parameters are the carried values; `inits` enter the first iteration, the body's
    yields enter the next, and `results` leave. With `trips` the loop can be left early: the first
    yield of the body is then a bool, true to stop after this iteration, and `trips` is the number
    of iterations begun. A loop never changes the type of what it carries.
    `pair` ties a forward loop to its reverse between the passes `adjoint` and `record` (0: none).
    The iterations of a `parallel` loop may run at once. A `schedule` says which of the states of
    the loop its adjoint keeps.
    """

    results: tuple[Value, ...]
    index: Value
    bounds: tuple[Operand, Operand, Operand]
    inits: tuple[Operand, ...]
    body: Block
    backwards: bool = False
    trips: Value | None = None
    pair: int = 0
    span: Span | None = None
    parallel: bool = False
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class While:
    """`while test: body`. `test` has the same parameters as the body and yields one bool.

    `trips` is the number of iterations begun. With `breaks` the first yield of the body is a
    bool, true to stop after this iteration.
    """

    results: tuple[Value, ...]
    trips: Value
    inits: tuple[Operand, ...]
    test: Block
    body: Block
    breaks: bool = False
    pair: int = 0
    span: Span | None = None
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """`if test: then else: orelse`; the arms have no parameters and yield the results."""

    results: tuple[Value, ...]
    test: Operand
    then: Block
    orelse: Block
    pair: int = 0
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of another function of the program; `effect` says that it does more than compute."""

    results: tuple[Value, ...]
    function: str
    args: tuple[Operand, ...]
    span: Span | None = None
    effect: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """Push a value on the tape `slot`."""

    slot: str
    value: Operand
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Pop the value that was pushed last on the tape `slot`."""

    result: Value
    slot: str
    span: Span | None = None


Stmt = Apply | Loop | While | Branch | Call | Record | Replay


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place in an argument or result structure that holds one value.

    In an argument, `name` is the parameter of this value.
    """

    name: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a result structure that holds a tape, which is replayed elsewhere."""

    name: str


@dataclass(frozen=True, slots=True)
class Node:
    """A structure of trees: a tuple, list, dict, named tuple or instance, or `literal`.

    `keys` are those of a dict, or the names of attributes; `class_` says of which class an instance
    or a named tuple is. The key of a literal is what stands there.
    """

    make: str
    children: tuple[Tree, ...]
    keys: tuple[object, ...] = ()
    class_: str = ""


Tree = Leaf | Slot | Node


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a function comes from: what the header of a generated module says."""

    file: str = ""
    qualname: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the generated function: its name, how it is passed, its default's text.

    `star` is `*` or `**` for one that takes the arguments that are left. Its `type` is a class that
    the generated module has.
    """

    name: str
    default: str = ""
    keyword_only: bool = False
    star: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Packed:
    """A parameter that is a structure; the leaves of `tree` are parameters that follow it."""

    name: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Table:
    """A constant of the generated module that programs read: its name, the class of `runtime/` that
    it is of, and what it is made with. Long numbers are tuples."""

    name: str
    helper: str
    arguments: tuple[tuple[str, object], ...]


Quote = tuple[str, int, int, str]
"""A statement as the user wrote it: its file, first and last line, and text on one line."""


@dataclass(frozen=True, slots=True)
class Function:
    """A program. `body.params` and `parameters` correspond; `results` packs `body.yields`.

    `packed` says which parameters are parts of others: these are not passed, but read from the
    structure where the program begins.

    `names` are what the results are called (`y` for `return y`, else `result`).
    `imports` are the import lines of the user's module that verbatim code needs, `comments` the
    user's comments by line, and `folded` the values outside the function that are part of it.
    `callees` are the functions that it calls, directly or in turn; these have none of their own.
    The last `kept` yields are on a tape: a path that does not define them does not read them.
    The first `carries` parameters of the body of a loop are what the loop carries.
    `kinds` are values of which the dtype or class has decided what the program is, and `ranks`
    those of which the number of axes has. An `ordered` program depends on the order of keys.
    `updates` are the places of sums that the user writes in place, `total += x`, and `written` the
    parameters that may hold something else in the end; a function `changes` structures where it
    sets entries or attributes of its arguments. `quotes` are the user's statements. Of
    compiled programs the `outer` ones are left to Python, and `checked` ones compare every index
    with the length of its axis. `directives` are about its statements, and a `joint` one is run
    again where its adjoint is. `tables` are the constants of the module that it reads.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    results: Tree
    names: tuple[str, ...]
    origin: Origin = Origin()
    imports: tuple[str, ...] = ()
    comments: tuple[tuple[int, str], ...] = ()
    folded: tuple[tuple[str, object], ...] = ()
    callees: tuple[Function, ...] = ()
    kept: int = 0
    packed: tuple[Packed, ...] = ()
    updates: frozenset[Span] = frozenset()
    kinds: frozenset[str] = frozenset()
    ranks: frozenset[str] = frozenset()
    ordered: bool = False
    written: frozenset[str] = frozenset()
    changes: bool = False
    quotes: tuple[Quote, ...] = ()
    carries: int = 0
    outer: bool = False
    checked: bool = False
    directives: tuple[Directive, ...] = ()
    joint: bool = False
    tables: tuple[Table, ...] = ()


LOOPS: Final = (Loop, While)
NESTED: Final = (Loop, While, Branch)
TAPES: Final = (Record, Replay)
"""Statements by what they have in common, as `isinstance` takes them at least cost."""

STORES: Final = frozenset({"store", "accumulate"})
GROWS: Final = frozenset({"push", "drop"})
WRITES: Final = STORES | GROWS
"""Operations that give a new version of their first operand: of its entries, or of its length."""


def results_of(stmt: Stmt) -> tuple[Value, ...]:
    """The values that a statement defines in the block it stands in."""
    match stmt:
        case Apply() | Branch() | Call():
            return stmt.results
        case Loop():
            return stmt.results + ((stmt.trips,) if stmt.trips else ())
        case While():
            return (*stmt.results, stmt.trips)
        case Replay():
            return (stmt.result,)
        case Record():
            return ()


def operands_of(stmt: Stmt) -> tuple[Operand, ...]:
    """The operands that a statement reads itself, those inside its blocks left out."""
    match stmt:
        case Apply() | Call():
            return stmt.args
        case Loop():
            return stmt.bounds + stmt.inits
        case While():
            return stmt.inits
        case Branch():
            return (stmt.test,)
        case Record():
            return (stmt.value,)
        case Replay():
            return ()


def blocks_of(stmt: Stmt) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    match stmt:
        case Loop():
            return (stmt.body,)
        case While():
            return (stmt.test, stmt.body)
        case Branch():
            return (stmt.then, stmt.orelse)
        case _:
            return ()


def walk(block: Block) -> Iterator[Stmt]:
    """All statements of a block, outer before inner, in order."""
    stack = [iter(block.stmts)]
    while stack:
        for stmt in stack[-1]:
            yield stmt
            if not isinstance(stmt, Apply) and (blocks := blocks_of(stmt)):
                stack.extend(iter(inner.stmts) for inner in reversed(blocks))
                break
        else:
            stack.pop()


def walk_all(function: Function) -> Iterator[Stmt]:
    """All statements of a function and of those that it calls."""
    for one in (function, *function.callees):
        yield from walk(one.body)


def defined_in(block: Block) -> Iterator[Value]:
    """All values that a block defines, at any depth: parameters, indices and results."""
    yield from block.params
    for stmt in walk(block):
        if isinstance(stmt, Apply):
            yield from stmt.results
            continue
        yield from results_of(stmt)
        if isinstance(stmt, Loop):
            yield stmt.index
        for inner in blocks_of(stmt):
            yield from inner.params


def reads_of(block: Block) -> Iterator[Value]:
    """All values that a block reads, at any depth (with repetitions)."""
    for stmt in walk(block):
        for operand in stmt.args if isinstance(stmt, Apply) else operands_of(stmt):
            if isinstance(operand, Value):
                yield operand
        if isinstance(stmt, Apply):
            continue
        for inner in blocks_of(stmt):
            yield from (y for y in inner.yields if isinstance(y, Value))
    yield from (y for y in block.yields if isinstance(y, Value))


def slots_of(tree: Tree) -> Iterator[str]:
    """The tapes that a result structure holds."""
    match tree:
        case Slot(name=name):
            yield name
        case Node(children=children):
            for child in children:
                yield from slots_of(child)


def called(root: Function, table: Mapping[str, Function]) -> tuple[Function, ...]:
    """The functions that a program calls, directly or in turn, in the order of first calls."""
    found: dict[str, Function] = {}
    waiting = [root]
    for function in waiting:
        for callee in calls(function.body):
            if callee not in found:
                found[callee] = table[callee]
                waiting.append(table[callee])
    return tuple(found.values())


def calls(block: Block) -> Iterator[str]:
    """The functions that a block calls, or that the user's code in it names; equations' as well."""
    for stmt in walk(block):
        if isinstance(stmt, Call):
            yield stmt.function
        elif isinstance(stmt, Apply):
            yield from names_of(stmt)
            equation = stmt.option("residual")
            if isinstance(equation, Function):
                yield from calls(equation.body)


def names_of(stmt: Stmt) -> tuple[str, ...]:
    """The functions of the program that a piece of the user's code hands on."""
    found = stmt.option("calls") if isinstance(stmt, Apply) else None
    return found if isinstance(found, tuple) else ()


def named(block: Block, table: Mapping[str, Function]) -> Iterator[Function]:
    """The functions that the user's code in a block hands on."""
    names = dict.fromkeys(name for stmt in walk(block) for name in names_of(stmt))
    return (table[name] for name in names)
