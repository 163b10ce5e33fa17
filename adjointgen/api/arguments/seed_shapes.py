"""Shapes that the seeds of a written module must have: a test where the program begins.

    if x_dot.shape != x.shape:
        raise ValueError("x_dot must have the shape of x")

NumPy broadcasts a seed of another shape, and compiled code reads what lies behind a shorter one:
derivatives would be of another shape, or mean nothing. The seed of a result whose lengths nobody
knows before is compared with the result. What has a default is not tested, and no number in a
program without arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjointgen.analysis.values.fixed_ranks import meets_arrays
from adjointgen.api.arguments.assumption_checks import listed
from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.ir.edit import is_check
from adjointgen.ir.nodes import Apply, Const, Function, Operand, Stmt, Value, results_of
from adjointgen.ir.packing import places
from adjointgen.ir.types import FLOAT, Dim
from adjointgen.records import dataclass, replace

_FEW = 2
"""So many comparisons are joined by `or`; more are a call."""
_LONGEST = 60
_IN_GENERAL = "each seed must have the shape of what it belongs to"
_RANKS = {1: "a vector", 2: "a matrix"}


@dataclass(frozen=True, slots=True)
class _Form:
    """What `own`, the shape or rank of a seed, must be equal to: a text, the shape of `like`.

    The text reads `values` by their names, `({x}.shape[0],)`; `said` follows "must" in messages.
    """

    own: str
    text: str
    said: str
    values: tuple[Value, ...] = ()
    like: Operand | None = None


_NUMBER = _Form("np.ndim({})", "0", "be numbers", like=Const(0.0, FLOAT))
Names = Mapping[str, str]
_Length = tuple[str, tuple[Value, ...]]
"""A length as it is written, and the values that are read for it."""


def seeds_checked(
    primal: Function, made: Function, target: Target, *, of_tape: bool = False
) -> Function:
    """A derivative with tests of its seeds; a reverse sweep begins with what opens its tape."""
    stmts = made.body.stmts
    seeds, opened = list(_seeds(primal, made, of_tape)), _opened(made) if of_tape else 0
    forms = _Forms(made, seeds, [r for stmt in stmts[:opened] for r in results_of(stmt)], target)
    groups: dict[_Form, list[Value]] = {}
    late: dict[str, Apply] = {}
    for seed in seeds:
        form, result = forms.shape(seed), _result(made, seed)
        if form is None and result is not None:
            late[result.name] = _with_result(seed, result, forms.shown)
        elif form := form or forms.rank(seed):
            groups.setdefault(form, []).append(seed)
    if len(forms.directed) > 1:
        directions = _Form("{}.shape[-1]", "", "have the same number of directions")
        groups[directions] = forms.directed
    at = max((k for k, stmt in enumerate(stmts, 1) if is_check(stmt)), default=opened)
    tests = list(_tests(groups, forms.shown, target))
    if of_tape:
        # What is checked of arguments stands before any other statement.
        tests = [replace(one, options=(("code", one.option("code")),)) for one in tests]
    rest = (one for stmt in stmts[at:] for one in _followed(stmt, late))
    body = replace(made.body, stmts=(*stmts[:at], *tests, *rest))
    return replace(made, body=body) if seeds else made


def _opened(made: Function) -> int:
    """How many statements a reverse sweep has until its tape is opened."""
    tape = made.body.params[:1]
    numbered = enumerate(made.body.stmts, 1)
    return next((k for k, s in numbered if isinstance(s, Apply) and s.args == tape), 0)


def _seeds(primal: Function, made: Function, of_tape: bool) -> Iterator[Value]:
    """The seeds without a default; a reverse sweep has them beside its tape alone."""
    own = set() if of_tape else {param.root for param in primal.body.params}
    for param, parameter in zip(made.body.params, made.parameters, strict=True):
        if param.root not in own and param.type.is_differentiable and not parameter.default:
            yield param


def _followed(stmt: Stmt, late: Mapping[str, Apply]) -> Iterator[Stmt]:
    """A statement, and the tests that compare with its results."""
    yield stmt
    yield from (late[result.name] for result in results_of(stmt) if result.name in late)


def _result(made: Function, seed: Value) -> Value | None:
    """The array that a program computes and returns, and of which the seed is the adjoint."""
    named = zip(made.names, made.body.yields, strict=True)
    found = next((result for name, result in named if f"{name}_bar" == seed.root), None)
    if not isinstance(found, Value) or found in made.body.params or not found.type.is_array:
        return None
    return found if seed.type.is_array and seed.type.rank == found.type.rank else None


def _with_result(seed: Value, result: Value, shown: Names) -> Apply:
    said = f"{shown[seed.root]} must have the shape of the result"
    code = f"if _0_.shape != _1_.shape:\n    raise ValueError({said!r})"
    return Apply((), "statement", (seed, result), (("code", code),))


class _Forms:
    """What the seeds of a program must be, by the arguments and what is `recorded`."""

    def __init__(
        self, made: Function, seeds: Sequence[Value], recorded: Sequence[Value], target: Target
    ) -> None:
        known = (v for v in (*made.body.params, *recorded) if v.type.kind != "object")
        self.made, self.target = made, target
        self.known = {value.root: value for value in known}
        self.arrays = [v for v in self.known.values() if v.type.is_array and v not in seeds]
        self.own = {Dim(f"{s.root}.{k}") for s in seeds for k in range(s.type.rank or 0)}
        self.directed: list[Value] = []
        self.shown = {name: name for name in self.known} | places(made)

    def shape(self, seed: Value) -> _Form | None:
        """The shape of another array, or its lengths one by one; None where one is not known.

        Along an axis of directions or degrees, which a seed has to itself, any length will do.
        """
        dims = seed.type.shape
        if not dims or None in dims:
            return None
        if seed.type.kind == "list":
            return self.length(dims[0])
        if dims[-1] in self.own:
            self.directed.append(seed)
            return self.like(seed, dims[:-1], "{}.shape[:-1]")
        if dims[0] in self.own:
            return self.like(seed, dims[1:], "{}.shape[1:]")
        return self.like(seed, dims, "{}.shape")

    def like(self, seed: Value, dims: Sequence[Dim | None], own: str) -> _Form | None:
        """The shape of the array that the seed belongs to, or of one that has these lengths."""
        if not dims:
            return None
        for array in self.arrays:
            lengths = tuple(Dim(f"{array.root}.{k}") for k in range(len(dims)))
            belongs = seed.root in (f"{array.root}_dot", f"{array.root}_series")
            if array.type.shape == dims and (belongs or lengths == dims):
                said = f"have the shape of {self.shown[array.root]}"
                return _Form(own, f"{{{array.root}}}.shape", said, (array,), array)
        found = [length for dim in dims if (length := self.written(dim))]
        if len(found) < len(dims):
            return None
        comma = "," if len(dims) == 1 else ""
        text = f"({', '.join(text for text, _ in found)}{comma})"
        values = dict.fromkeys(value for _, read in found for value in read)
        return _Form(own, text, f"have the shape {text.format_map(self.shown)}", tuple(values))

    def length(self, dim: Dim | None) -> _Form | None:
        """How many entries a list has."""
        found = self.written(dim)
        if found is None:
            return None
        said = f"have the length {found[0].format_map(self.shown)}"
        return _Form("len({})", found[0], said, found[1])

    def written(self, dim: Dim | None) -> _Length | None:
        """A length by an argument: `{x}.shape[0] - 1`, `{n}`."""
        if dim is None or not dim.symbol:
            return None if dim is None else (str(dim.offset), ())
        name, axis = dim.axis or (dim.symbol, None)
        value = self.known.get(name)
        sign = "+" if dim.offset > 0 else "-"
        more = f" {sign} {abs(dim.offset)}" if dim.offset else ""
        if value is None:
            return None
        if axis is None:
            whole = value.type.is_scalar and value.type.dtype == "int64"
            return (f"{{{value.root}}}{more}", (value,)) if whole else None
        if (value.type.shape or ())[axis:][:1] != (Dim(dim.symbol),):
            return None
        text = f"{{{name}}}.shape[{axis}]" if value.type.is_array else f"len({{{name}}})"
        return text + more, (value,)

    def rank(self, seed: Value) -> _Form | None:
        """The rank of an array, or of a number in a program that has arrays."""
        rank = seed.type.rank
        if seed.type.is_array and rank is not None:
            return _Form("{}.ndim", str(rank), f"be {_RANKS.get(rank, f'an array of {rank} axes')}")
        if not seed.type.is_scalar or not meets_arrays(self.made, seed):
            return None
        if self.target == PYTHON:
            return _NUMBER
        return _Form("isinstance({}, (int, float, complex))", "True", "be numbers")


def _tests(
    groups: Mapping[_Form, Sequence[Value]], shown: Names, target: Target
) -> Iterator[Apply]:
    """One test of all seeds; or two, as many that are like values of theirs have a call."""
    alike = {form: seeds for form, seeds in groups.items() if form.like is not None}
    if target == PYTHON and (len(alike) > _FEW or _numbers(alike) > _FEW):
        yield _of_pairs([(seed, form.like) for form in alike for seed in groups[form]])
        groups = {form: seeds for form, seeds in groups.items() if form.like is None}
    if groups:
        tests = " or ".join(_differs(form, seeds) for form, seeds in groups.items())
        told = " and ".join(_said(form, seeds, shown) for form, seeds in groups.items())
        said = told if len(told) <= _LONGEST else _IN_GENERAL
        values = dict.fromkeys(v for form, seeds in groups.items() for v in (*seeds, *form.values))
        holes = {value.root: f"_{k}_" for k, value in enumerate(values)}
        yield check_statement(values, tests.format_map(holes), "ValueError", said)


def _numbers(groups: Mapping[_Form, Sequence[Value]]) -> int:
    return sum(len(seeds) for form, seeds in groups.items() if form == _NUMBER)


def _of_pairs(pairs: Sequence[tuple[Value, Operand | None]]) -> Apply:
    """A call that compares seeds with what they are like."""
    columns = [[*column] for column in zip(*pairs, strict=True)]
    values = [v for column in columns for v in column if isinstance(v, Value)]
    numbers = iter(range(len(values)))
    told = [
        ", ".join(f"_{next(numbers)}_" if isinstance(v, Value) else "0.0" for v in column)
        for column in columns
    ]
    code = f"_require_shapes(({told[0]}), ({told[1]}))"
    return Apply((), "statement", tuple(values), (("assumes", True), ("code", code)))


def _said(form: _Form, seeds: Sequence[Value], shown: Names) -> str:
    return f"{listed([shown[seed.root] for seed in seeds])} must {form.said}"


def _differs(form: _Form, seeds: Sequence[Value]) -> str:
    """A test that finds a seed that has not the form."""
    own = [form.own.format(f"{{{seed.root}}}") for seed in seeds]
    if form.text == "True":
        return " or ".join(f"not {one}" for one in own)
    if form.text:
        own.append(form.text)
    return f"{own[0]} != {own[1]}" if len(own) == 2 else f"not ({' == '.join(own)})"
