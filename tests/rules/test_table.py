"""Every row with a derivative, against differences of the Python function itself.

For each example of a row's domain: the tangent agrees with Richardson differences, the adjoint is
the transpose of the tangent, the derivative of both (the second order) agrees with differences of
them, and every inferred type agrees with the value. A new row needs no test of its own, and one
without examples fails here.
"""

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
import pytest

from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import Dim, Type, parse_type
from adjointgen.opt.interpreter_rows import perform
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.table import Row
from tests.rules.first_order import ONCE
from tests.rules.programs import (
    adjoint_of,
    evaluate,
    push_forward,
    read,
    sum_down,
    tangent_of,
    type_faults,
)

UNARY = [((),), ((3,),), ((2, 3),), ((0,),)]
BINARY = [
    ((), ()),
    ((3,), ()),
    ((), (3,)),
    ((3,), (3,)),
    ((3, 1), (1, 4)),
    ((3,), (2, 3)),
    ((1,), (3,)),
    ((0,), ()),
]
TERNARY = [((), (), ()), ((3,), (), ()), ((2, 3), (3,), (2, 1))]
QUATERNARY = [((), (), (), ()), ((3,), (), (2, 1), (3,))]
SHAPES = {1: UNARY, 2: BINARY, 3: TERNARY, 4: QUATERNARY}
KNOWLEDGE = ("exact", "symbolic", "unknown")


@dataclass(frozen=True)
class Example:
    """One call of an operation: values of the operands, which of them vary, and the options.

    `place` numbers those that are drawn, in turn of shapes, from another number in each operation.
    """

    op: str
    values: tuple[Any, ...]
    varied: tuple[bool, ...]
    options: tuple[tuple[str, Any], ...] = ()
    place: int | None = None

    def __str__(self) -> str:
        shown = (
            str(np.shape(v)) if d else repr(v)
            for v, d in zip(self.values, self.varied, strict=True)
        )
        return f"{self.op}{[*shown, dict(self.options)]}".replace(" ", "")


def examples() -> Iterator[Example]:
    for row in TABLE.rows.values():
        if row.domain is not None:
            rng = np.random.default_rng(zlib.crc32(row.name.encode()))
            drawn = row.kind == "elementwise" and not isinstance(row.domain, list)
            yield from (_elementwise if drawn else _listed)(row, rng)


def _elementwise(row: Row, rng: np.random.Generator) -> Iterator[Example]:
    """Every broadcast of the operands; functions of `math` and `builtins` take scalars only."""
    scalar_only = row.spellings[0].startswith(("math.", "builtins."))
    drawn = [((),) * len(row.domain)] * 4 if scalar_only else SHAPES[len(row.domain)]
    for place, shapes in enumerate(drawn, zlib.crc32(row.name.encode())):
        values = tuple(
            rng.uniform(*interval, size=shape) if shape else float(rng.uniform(*interval))
            for interval, shape in zip(row.domain, shapes, strict=True)
        )
        # By an argument without a partial derivative the function is refused.
        varied = tuple(p is not None for p in row.partials)
        # Too few rows have four operands to share the work.
        yield Example(row.name, values, varied, place=place if len(shapes) < 4 else None)


def _listed(row: Row, rng: np.random.Generator) -> Iterator[Example]:
    for example in row.domain:
        *specs, options = example if isinstance(example[-1], dict) else (*example, {})
        pairs = [_value(spec, rng) for spec in specs]
        values, varied = zip(*pairs, strict=True)
        yield Example(row.name, values, varied, tuple(sorted(options.items())))


def _value(spec: Any, rng: np.random.Generator) -> tuple[Any, bool]:
    """A random value of a type, or the value itself; integers, None and tuples are held fixed."""
    if isinstance(spec, str):
        type = parse_type(spec)
        shape = [d.offset for d in type.shape or () if d is not None]
        value = rng.uniform(0.4, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)
        return (float(value) if type.is_scalar else value), True
    if isinstance(spec, list):
        array = np.array(spec)
        return array, array.dtype in (np.float64, np.complex128)
    if isinstance(spec, tuple):
        return np.array(spec), False
    return spec, False


EXAMPLES = list(examples())


def of_each_operation(examples: Iterable[Example], each: int = 1) -> Callable[..., Any]:
    """A test of one example becomes one test per operation, which takes all its examples.

    Of the distributions, which one function makes, a sample has every so many of the operations.
    """
    listed: dict[str, list[Example]] = {}
    for example in examples:
        listed.setdefault(example.op, []).append(example)

    def sampled(op: str) -> Any:
        marks = [pytest.mark.sampled(each)] if _is_of_distribution(TABLE[op]) else []
        return pytest.param(op, marks=marks, id=op)

    def decorated(test: Callable[[Example], None]) -> Callable[[str], None]:
        @pytest.mark.parametrize("op", map(sampled, listed))
        @wraps(test, assigned=("__name__", "__doc__", "__module__"))
        def every(op: str) -> None:
            for example in listed[op]:
                try:
                    test(example)
                except Exception as error:
                    error.add_note(str(example))
                    raise

        del every.__wrapped__  # type: ignore[attr-defined]  # pytest would ask it for parameters
        return every

    return decorated


def typed(name: str, value: Any, knowledge: str, dtype: str = "float64") -> Type:
    """The type that is stated for an argument: lengths as numbers, as symbols, or not at all."""
    if not isinstance(value, np.ndarray):
        return const(value).type
    dims: list[Dim | None] = []
    for axis, n in enumerate(value.shape):
        symbolic = Dim(f"{name}.{axis}") if n != 1 else Dim("", 1)
        dims.append({"exact": Dim("", n), "symbolic": symbolic, "unknown": None}[knowledge])
    return Type(str(value.dtype), tuple(dims), "array")


class Program:
    """The operation with its tangent and adjoint, built once and run on any values."""

    def __init__(self, example: Example, knowledge: str, shared: bool = False) -> None:
        self.example = example
        self.builder = Builder(Names())
        self.args: list[Operand] = []
        self.dots: list[Operand | None] = []
        for k, (value, varied) in enumerate(zip(example.values, example.varied, strict=True)):
            name = f"x{k}"
            type = typed(name, value, knowledge)
            if shared and varied and (before := self._equal(value)) is not None:
                self.args.append(self.args[before])
                self.dots.append(self.dots[before])
                continue
            is_value = varied or isinstance(value, np.ndarray)
            self.args.append(Value(name, type) if is_value else const(value, type))
            self.dots.append(Value(f"{name}_dot", type) if varied else None)
        options = dict(example.options)
        results = self.builder.apply_many(example.op, *self.args, **options)
        stmt = self.builder.stmts[-1]
        assert isinstance(stmt, Apply)
        self.y_dots = tangent_of(self.builder, stmt, self.dots)
        y_bars = [Value(f"y{k}_bar", y.type) for k, y in enumerate(results)]
        self.bars = adjoint_of(self.builder, stmt, y_bars)
        assert len(self.bars) <= len(self.args)

    def _equal(self, value: Any) -> int | None:
        """The place of the same value among the operands so far."""
        before = enumerate(self.example.values[: len(self.args)])
        return next((k for k, v in before if v is value and self.dots[k] is not None), None)

    def run(
        self, values: Sequence[Any], dots: Sequence[Any], y_bars: Sequence[Any], **more: Any
    ) -> dict[str, Any]:
        given = {f"x{k}": v for k, v in enumerate(values)} | more
        given |= {f"x{k}_dot": d for k, d in enumerate(dots)}
        return evaluate(self.builder.stmts, given | {f"y{k}_bar": v for k, v in enumerate(y_bars)})

    def bars_of(self, found: dict[str, Any], values: Sequence[Any]) -> list[Any]:
        pairs = itertools.zip_longest(self.bars, values)
        return [sum_down(read(found, bar), v) for bar, v in pairs if v is not None]


def moved(values: Sequence[Any], directions: Sequence[Any], step: float) -> list[Any]:
    return [v if d is None else v + step * d for v, d in zip(values, directions, strict=True)]


def directions(example: Example, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    pairs = zip(example.values, example.varied, strict=True)
    return [like(rng, v) if varied else None for v, varied in pairs]


def like(rng: np.random.Generator, v: Any) -> Any:
    """A random number, or array of them, for a value; complex for a complex one."""
    drawn = rng.standard_normal(np.shape(v))
    if np.iscomplexobj(v):
        drawn = drawn + 1j * rng.standard_normal(np.shape(v))
    return drawn if np.ndim(v) else drawn.item() if isinstance(drawn, np.ndarray) else drawn


def difference(f: Callable[[float], Any], step: float = 2e-3) -> Any:
    """The derivative at 0 by central differences, extrapolated twice (Richardson 1911)."""
    first, second, third = (
        (np.asarray(f(h)) - np.asarray(f(-h))) / (2 * h) for h in (step, step / 2, step / 4)
    )
    coarse, fine = (4 * second - first) / 3, (4 * third - second) / 3
    return (16 * fine - coarse) / 15


def close(a: Any, b: Any, tolerance: float = 1e-8) -> None:
    scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


def results(example: Example, values: Sequence[Any]) -> tuple[Any, ...]:
    """What NumPy gives, as a tuple."""
    row = TABLE[example.op]
    found = perform(example.op, values, dict(example.options))
    listed = isinstance(found, list) and isinstance(found[0], np.ndarray) and not row.code
    return tuple(found) if isinstance(found, tuple) or listed else (found,)


def weights(found: Sequence[Any]) -> list[Any]:
    """An adjoint for each result."""
    rng = np.random.default_rng(2)
    return [like(rng, y) for y in found]


@of_each_operation(EXAMPLES)
def test_row(example: Example) -> None:
    """With all that may be known of lengths. That is the same where no length but 1 is in them.

    A rule that acts entry by entry does not see lengths, and those of the distributions are made by
    one function. So each of their examples has one state of knowledge: in turn, and from another
    one for each operation, so that every state is met with all shapes in dozens of operations.
    """
    slope, seen = slope_of(example), []
    for knowledge in states_of(example):
        types = [typed("x", value, knowledge) for value in example.values]
        if types not in seen:
            check_row(example, knowledge, slope)
        seen.append(types)


def states_of(example: Example) -> tuple[str, ...]:
    """What is known of lengths in the tests of an example."""
    place, name = example.place, TABLE[example.op].name
    if place is None and _is_of_distribution(TABLE[example.op]):
        place = zlib.crc32(f"{name} {len(example.values)} {example.varied}".encode())
    return KNOWLEDGE if place is None else (KNOWLEDGE[place % len(KNOWLEDGE)],)


def _is_of_distribution(row: Row) -> bool:
    """Whether a row is one of `scipy.stats.norm.pdf` and the like, which one function makes."""
    return any(s.startswith("scipy.stats.") and s.count(".") == 3 for s in row.spellings)


def slope_of(example: Example) -> Any:
    """The derivative of all results in one direction, by differences."""
    dots = directions(example, 1)
    return difference(lambda step: flat(results(example, moved(example.values, dots, step))))


def check_row(example: Example, knowledge: str, slope: Any) -> None:
    """Types, tangent and adjoint of one example, where so much is known of its lengths."""
    program, dots = Program(example, knowledge), directions(example, 1)
    ys = results(example, example.values)
    y_bars = weights(ys)
    found = program.run(example.values, dots, y_bars)
    symbols = {
        f"x{k}.{axis}": n
        for k, v in enumerate(example.values)
        for axis, n in enumerate(np.shape(v))
    }
    faults = type_faults(program.builder.stmts, found, symbols)
    assert not faults, "\n".join(faults)

    pairs = zip(program.y_dots, ys, strict=True)
    y_dots = [np.broadcast_to(read(found, dot), np.shape(y)) for dot, y in pairs]
    close(flat(y_dots), slope)
    bars = program.bars_of(found, example.values)
    inner = sum(
        float(np.sum(bar * dot).real)
        for bar, dot in zip(bars, dots, strict=True)
        if dot is not None
    )
    close(inner, float((flat(y_bars) @ flat(y_dots)).real), 1e-11)


@pytest.mark.sampled(4)
@of_each_operation((e for e in EXAMPLES if (e.place or 0) % 4 == 0 and e.op not in ONCE), each=3)
def test_second_order(example: Example) -> None:
    """The statements that a rule makes are rows again: their derivative is right too.

    Of examples that differ in their shapes alone, every fourth: the others for other operations.
    """
    program = Program(example, "symbolic")
    dots, second = directions(example, 1), directions(example, 3)
    y_bars = weights(results(example, example.values))
    plain = program.run(example.values, dots, y_bars)
    outputs = [(o, np.shape(read(plain, o))) for o in [*program.y_dots, *program.bars]]

    def first_order(step: float) -> Any:
        found = program.run(moved(example.values, second, step), dots, y_bars)
        return flat(np.broadcast_to(read(found, o), shape) for o, shape in outputs)

    expected = difference(first_order)
    names: dict[str, Operand] = {
        f"x{k}": Value(f"x{k}_second", program.args[k].type)
        for k, varied in enumerate(example.varied)
        if varied
    }
    made = push_forward(program.builder, program.builder.stmts, names)
    seconds = {f"x{k}_second": d for k, d in enumerate(second)}
    found = program.run(example.values, dots, y_bars, **seconds)
    got = [(made.get(o.name) if isinstance(o, Value) else None, shape) for o, shape in outputs]
    close(flat(np.broadcast_to(read(found, o), shape) for o, shape in got), expected, 1e-7)


def flat(values: Iterable[Any]) -> Any:
    return np.concatenate([np.ravel(v) for v in values])


def in_arrays(example: Example) -> bool:
    """Whether everything that varies is an array, and the dtype is left to follow from it."""
    pairs = zip(example.values, example.varied, strict=True)
    arrays = all(isinstance(v, np.ndarray) for v, varied in pairs if varied)
    # The numbers of a Python list are double.
    listed = any(isinstance(y, list) for y in results(example, example.values))
    return arrays and not listed and "dtype" not in dict(example.options)


def narrow(v: Any) -> type:
    return np.complex64 if np.iscomplexobj(v) else np.float32


@pytest.mark.sampled(3)
@of_each_operation(filter(in_arrays, EXAMPLES), each=3)
def test_single_precision_stays_single(example: Example) -> None:
    """Of float32 arrays, values and derivatives are float32."""
    pairs = list(zip(example.values, example.varied, strict=True))
    values = tuple(v.astype(narrow(v)) if varied else v for v, varied in pairs)
    single = Example(example.op, values, example.varied, example.options)
    program = Program(single, "exact")
    dots = [None if d is None else d.astype(narrow(d)) for d in directions(example, 1)]
    ys = results(single, values)
    found = program.run(values, dots, [np.ones_like(y) for y in ys])
    assert not (faults := type_faults(program.builder.stmts, found, {})), faults
    for dot, y in zip(program.y_dots, ys, strict=True):
        if dot is not None and isinstance(y, np.ndarray) and y.dtype == np.float32 and y.ndim:
            assert read(found, dot).dtype == np.float32


def test_every_derivative_has_examples() -> None:
    # A message from one process to another takes two (`tests/mpi`).
    rows = [r for r in TABLE.rows.values() if r.has_derivative and not r.message]
    without = [r.name for r in rows if not r.domain]
    assert not without, f"{without} have a derivative and no domain to test it on"


def test_every_other_row_says_why() -> None:
    rows = [r for r in TABLE.rows.values() if not r.has_derivative]
    assert [r.name for r in rows if not r.because] == []


def repeated(example: Example) -> Example | None:
    """The example with the first operand that varies in the place of all others of its shape."""
    places = [k for k, varied in enumerate(example.varied) if varied]
    first = example.values[places[0]] if places else None
    same = [k for k in places if np.shape(example.values[k]) == np.shape(first)]
    if len(same) < 2:
        return None
    values = tuple(first if k in same else v for k, v in enumerate(example.values))
    return replace(example, values=values)


REPEATED = [found for found in map(repeated, EXAMPLES) if found is not None]


@of_each_operation(REPEATED, each=3)
def test_one_value_in_several_places(example: Example) -> None:
    """`f(x, x)` has the derivative by both places, once each."""
    shared = Program(example, "symbolic", shared=True)
    apart = Program(example, "symbolic")
    dots = directions(example, 1)
    first = next(d for d in dots if d is not None)
    dots = [first if d is not None and np.shape(d) == np.shape(first) else d for d in dots]
    y_bars = weights(results(example, example.values))
    found, expected = (p.run(example.values, dots, y_bars) for p in (shared, apart))
    for got, wanted in zip(shared.y_dots, apart.y_dots, strict=True):
        close(read(found, got), read(expected, wanted), 1e-11)
    totals = [
        sum(
            float(np.sum(bar * dot).real)
            for bar, dot in zip(p.bars_of(values, example.values), dots, strict=True)
            if dot is not None
        )
        for p, values in ((shared, found), (apart, expected))
    ]
    close(totals[0], totals[1], 1e-11)
