"""The table of operations: a row says what an operation is called, gives, and differentiates to.

Three kinds cover everything that has a derivative rule:

* `elementwise`: `y = op(x, ...)` with the partial derivatives stated in terms of `y` and the
  arguments. Tangent: `y_dot = sum_k partial_k * x_k_dot`. Adjoint: `x_k_bar += y_bar * partial_k`,
  summed down to the type of `x_k` by the transform, so that a rule never mentions broadcasting.
* `linear` in some arguments: the tangent is the operation itself, applied to the tangents of these
  arguments; the transpose is stated for each.
* `general`: a named function for each mode, for operations that fit neither (matrix inverse, ...).

`constant` rows have derivative zero and say why; `refuse` rows say what to use instead;
`structural` rows (`load`, `store`, `copy`, ...) move values: the tangent is the operation on all
tangents together, and some have a `reverse` that changes adjoints in place.

What a result has to do with the storage of the first argument is one of these:

* `whole`: it is a view that shows every entry once: the transpose puts back what is written;
* `part`: it is a view of some entries;
* `same`: it is the argument itself;
* `each`: its parts are views, of the first argument or of one each;
* `locked`: it is a view that NumPy does not let be written to;
* `layout`: it is a view or a copy, depending on how the argument lies in memory;
* `type`: it is new for most arguments, and a view for some.

Names are strings; nothing here imports NumPy or SciPy. (Griewank and Walther 2008, section 2.2:
elemental functions and their derivatives.)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from adjointgen.errors import AdjointgenError
from adjointgen.ir.nodes import MARKS
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, field, replace
from adjointgen.watch import Declared

Kind = Literal["elementwise", "linear", "general", "constant", "refuse", "structural"]
Infer = Callable[[tuple[Type, ...], Mapping[str, Any]], tuple[Type, ...]]
Rule = Callable[..., Any]
View = Literal["", "whole", "part", "same", "each", "locked", "layout", "type"]
Sharing = Callable[[Sequence[Type], Mapping[str, Any]], bool]
Loop = Literal["", "entries", "filled", "same", "spread", "part", "fold", "contraction", "write"]
Entries = Literal["", "chosen", "assembled", "among zeros", "picked"]
Checked = Literal["", "plain", "open", "foreign"]
Form = Literal["", "begin", "append", "latest"]
Truth = Literal["", "own", "operand"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the Python function: an operand, or an option with a default.

    `variadic` operands take a tuple or list of values, as in `np.zeros((n, m))`,
    or with `separate` one argument each, as in `np.einsum(text, a, b)`. One that is `named` is
    passed by its name.
    """

    name: str
    operand: bool
    default: object = None
    required: bool = False
    variadic: bool = False
    separate: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One operation.

    `spellings` are the qualified Python names it is called by; a leading dot is a method of
    arrays (`.sum`). `symbol` is the operator it is written with, if any; `code` is the expression
    that an operation without a Python function of its own is written as, with `_0_`, `_1_` … for
    the operands and `_axis_` … for the options. `view` says how the result shares storage with the
    first argument; where that depends on the options and types, `shares` tells. `cost` is in units
    of one scalar addition. A rule that `follows` from others holds for complex numbers where these
    do. `steep` tells for operands whether a slope may be infinite where the value is finite, `fits`
    whether what `transposes` give has the shape of the argument as it is: nothing was broadcast.
    `reverse(sweep, stmt, bar)` changes the adjoints that a sweep holds, where it can do so in place
    of adding to them. `written` is the operation in terms of others, in whose place it stands while
    there may be something left to differentiate. What `omits` entries of its argument leaves out
    those that are NaN. `square` is the square of the result where that is smooth and the result
    is not, in terms of the operands, or None for these options.
    """

    name: str
    kind: Kind
    spellings: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    infer: Infer
    symbol: str = ""
    code: str = ""
    partials: tuple[Rule | None, ...] = ()
    transposes: Mapping[int, Rule] = field(default_factory=dict)
    tangent: Rule | None = None
    adjoint: Rule | None = None
    reverse: Rule | None = None
    view: View = ""
    shares: Sharing | None = None
    cost: float = 1.0
    effect: bool = False
    follows: bool = False
    because: str = ""
    domain: Any = None
    edge: str = ""
    steep: Callable[..., bool] | None = None
    fits: Callable[..., bool] | None = None
    source: str = ""
    written: Rule | None = None
    omits: bool = False
    square: Rule | None = None
    opposites: tuple[str, ...] = ()
    """Operations that pick what this one leaves of two operands: their product is smooth."""
    loop: Loop = ""
    """What it is where arrays become loops over their entries.

    `entries`: one number of each entry; `filled`: equal entries; `same`: the entries of an operand;
    `spread`: entries by their place; `part`: a part, or another order of axes; `fold`: a reduction;
    `contraction`: a sum of products; `write`: a change of a part. What is none of them stays a
    statement that reads and makes arrays in memory.
    """
    widens: bool = False
    """Whether compilers compute it, of small integers, in more bits than NumPy does."""
    entries: Entries = ""
    """What entries the result has.

    `chosen`: by a test, those of one of the operands; `assembled`: those of all operands;
    `among zeros`: those of the operand, and zeros; `picked`: some of the operand's.
    """
    inverts: int | None = None
    """The operand by which integers become a fraction, if it is negative."""
    compiled: Callable[..., Any] | None = None
    """Of integers and truth values, what compilers compute as NumPy does.

    `compiled(numpy, *operands)`, with whether an operand is certainly of NumPy: the result in terms
    of other operations, NotImplemented for this one, None where NumPy and Python differ.
    """
    shifts: int | None = None
    """The operand that is a count of bits."""
    poles: bool = False
    """Whether the value is infinite at some finite operand."""
    contracts: bool = False
    """Whether it sums over the last axis of one operand and the last but one of the other."""
    exact_out: bool = False
    """Whether NumPy takes as `out=` only an array in C order, of the dtype of the result."""
    keeps_zero: bool = False
    """Whether the result is zero where the first operand is."""
    gives_zero: bool = False
    """Whether the result may be zero, whatever the operands are."""
    shape_of: int | None = None
    """The operand whose shape the result has for all options, where this is so by definition."""
    shape_only: bool = False
    """Whether nothing but its shape is read of the operand `shape_of`."""
    measures: bool = False
    """Whether the result is a number that follows from the shape of the operand."""
    sized: bool = False
    """Whether it makes an array whose lengths are the operands."""
    fresh: bool = False
    """Whether the result is storage of its own that is made to be written to."""
    reduces: bool = False
    """Whether it is a reduction along `axis`, with `keepdims`."""
    checked: Checked = ""
    """What a type checker takes its number for, where that does not follow from the spelling."""
    casts: int | None = None
    """The operand whose dtype the result has, to which the numbers of the others are cast."""
    perhaps_real: bool = False
    """Whether a complex result may be real in Python for real operands: their values decide."""
    truth: Truth = ""
    """Whose truth value a result that is one is.

    `own`: Python's `True` or `False`; `operand`: one of the operands; else that of the numbers.
    """
    first_order: bool = False
    """Whether it is stated for one derivative, and has others than its rules say."""
    noun: str = ""
    """What a temporary that holds the result is called, if not by the spelling.

    `same`: as the first operand, which it is in another form; `{}_T`: with the operand's name.
    """
    form: Form = ""
    """How its statements are written, if not as an assignment: with snapshots of a loop's state."""
    jumps: Rule | None = None
    """What is another number where the value jumps and the slopes do not, of numbers or arrays."""
    batch: Rule | None = None
    """What it is for many samples at once (`batching.py`), where it is not entry by entry."""
    series: Rule | None = None
    """How its Taylor coefficients follow, where not from its derivative (`series.py`)."""
    message: bool = False
    """Whether it is a message between processes, whose result depends on what another one sends."""
    guessed: Callable[..., Any] | None = None
    """The user's function, where its result only counts as that of a function of entries."""
    foreign: bool = False
    """Whether the result may be memory of others: of an argument, or what the function keeps."""
    given: tuple[Callable[..., Any], ...] = ()
    """What a user has given as the rule: its global names are looked up each time."""
    runtime: str = ""
    """The file of `adjointgen/runtime` with the function that it is called as."""

    @property
    def alias(self) -> tuple[int, ...]:
        """The arguments whose storage the result most often shares."""
        return (0,) if self.view and self.view != "type" else ()

    @property
    def defaults(self) -> dict[str, object]:
        """What its options are where they are not given."""
        return {p.name: p.default for p in self.parameters if not p.operand}

    def dtypes_for(
        self, types: Sequence[Type], dtypes: Sequence[str], options: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """The dtypes of the results for arguments of these types with other dtypes.

        Empty where it does not take such arguments.
        """
        others = (replace(t, dtype=d, value=None) for t, d in zip(types, dtypes, strict=True))
        options = {k: v for k, v in (self.defaults | dict(options)).items() if k not in MARKS}
        try:
            return tuple(type.dtype for type in self.infer(tuple(others), options))
        except (AdjointgenError, ArithmeticError, LookupError, TypeError, ValueError):
            return ()

    def looks_into(self, types: Sequence[Type], options: Mapping[str, Any]) -> tuple[int, ...]:
        """The arguments whose storage the result may share, for arguments of these types."""
        shares = bool(self.view) if self.shares is None else self.shares(types, options)
        if self.view == "each":
            return tuple(range(len(types)))
        return (0,) if shares else ()

    @property
    def has_derivative(self) -> bool:
        return self.kind in ("elementwise", "linear", "general", "structural")


class Table:
    """The rows by operation name and by spelling. Grows by `add`; later rows replace earlier.

    What is added after the table is `complete` has been declared by a user.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: dict[str, Row] = {}
        self.by_spelling: dict[str, Row] = {}
        self.complete = False
        self.declared: set[str] = set()
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        self.rows[row.name] = row
        for spelling in row.spellings:
            self.by_spelling[spelling] = row
        if self.complete:
            self.declared.add(row.name)
            Declared.count += 1

    def __getitem__(self, op: str) -> Row:
        return self.rows[op]

    def get(self, op: str) -> Row:
        """The row of an operation, or one that says nothing of it."""
        return self.rows.get(op, NOTHING)

    def __contains__(self, op: str) -> bool:
        return op in self.rows

    def find(self, spelling: str) -> Row | None:
        """The row that a qualified Python name denotes."""
        return self.by_spelling.get(spelling)


NOTHING = Row("", "refuse", (), (), lambda types, options: ())
TABLE = Table()


@cache
def parse_signature(text: str) -> tuple[Parameter, ...]:
    """Parameters from `"a, *shape, axis=None, keepdims=False"`.

    A name without a default is an operand, `*name` a variadic operand, `*name...` one
    whose values are separate arguments, `name=` an operand that may be left out, and
    `name=literal` an option. Operands after `*` alone are passed by name.
    """
    parameters, named = [], False
    for part in filter(None, (p.strip() for p in _split(text))):
        if part == "*":
            named = True
            continue
        name, equals, default = (p.strip() for p in part.partition("="))
        if name.startswith("*"):
            separate = name.endswith("...")
            name = name.strip("*.")
            parameters.append(Parameter(name, True, None, True, True, separate))
        elif not equals:
            parameters.append(Parameter(name, operand=True, required=True, named=named))
        elif not default:
            parameters.append(Parameter(name, operand=True))
        else:
            parameters.append(Parameter(name, operand=False, default=_literal(default)))
    return tuple(parameters)


_WORDS = {"None": None, "True": True, "False": False}


def _literal(text: str) -> object:
    """What a default denotes; the common ones without a parser."""
    if text in _WORDS:
        return _WORDS[text]
    if text.isdigit():
        return int(text)
    plain = text[:1] == text[-1:] == "'" and text.count("'") == 2 and "\\" not in text
    return text[1:-1] if plain else ast.literal_eval(text)


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    if not set("([{").intersection(text):
        return text.split(",")
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]
