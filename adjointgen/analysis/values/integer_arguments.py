"""Which arguments have to be floats, since integers in their place would truncate what is written.

    y = np.zeros_like(x)      an array of integers where x is one
    y[0] = 0.5 * x[1]         NumPy rounds this towards zero, and says nothing

A module was made for floats, and computes derivatives as of floats. An integer is as good where its
value goes on as a float, which is nearly everywhere; what remains is a write into an array whose
dtype is the argument's, or a decision by that dtype. The dtypes that values have then are inferred
along the program, as a compiler infers types by abstract interpretation: for each argument as the
only integer, and for several, since `a + b` is an integer only if both are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adjointgen.ir.edit import merged
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Call,
    Function,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    walk,
    walk_all,
)
from adjointgen.ir.types import REAL, castable
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.table import TABLE

_Origins = frozenset[str]
_NOTHING: _Origins = frozenset()


def must_be_floats(function: Function) -> tuple[Value, ...]:
    """The parameters that have to be floats, or complex numbers where they are declared as such."""
    if not any(map(_is_write, walk_all(function))) and not function.kinds:
        return ()
    floats = [p for p in function.body.params if p.type.kind != "list" and p.type.is_differentiable]
    chosen = {p.name for p in floats if _faults(function, {p.name})}
    while faults := _faults(function, rest := {p.name for p in floats} - chosen):
        # Where several have to be integers for it, one that is none is enough.
        origins = next(iter(faults.values()))
        left = {name: len(_faults(function, rest - {name})) for name in sorted(origins)}
        chosen.add(min(left, key=left.__getitem__))
    return tuple(p for p in floats if p.name in chosen)


def _faults(function: Function, asked: Collection[str]) -> dict[object, _Origins]:
    """The writes that truncate where these parameters are integers, and decisions by a dtype."""
    flow = _Flow(
        {f.name: f for f in function.callees}, {name: frozenset((name,)) for name in asked}
    )
    flow.follow(function)
    if function.kept:
        flow.merge(function.callees[0], {})
    return flow.faults


def _is_write(stmt: Stmt) -> bool:
    if not isinstance(stmt, Apply):
        return False
    return stmt.op in STORES or _casts(stmt) is not None


def _casts(stmt: Apply) -> int | None:
    """The operand to whose dtype numbers are cast: to spread y is `np.full_like(x, y)`."""
    row = TABLE[stmt.op]
    if row.casts is not None or not _is_spread(stmt):
        return row.casts
    return row.shape_of


def _is_spread(stmt: Apply) -> bool:
    """Whether one number is written to all entries of a new array like another."""
    row = TABLE[stmt.op]
    made_like = row.fresh and row.shape_only and row.shape_of == 1
    return made_like and stmt.args[0].type.is_scalar and stmt.args[1].type.is_array


@dataclass(slots=True)
class _Flow:
    """The dtypes of the values of a function where some of its parameters are narrower.

    `may` has the dtype that a value may have instead of its own, `sure` the values that have it on
    all paths, `origins` the parameters that this is due to, and `faults` those of each write that
    truncates. What a loop records is a value, too; `tapes` has what forward sweeps hand on.
    """

    callees: Mapping[str, Function]
    origins: dict[str, _Origins]
    may: dict[str, str] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)
    faults: dict[object, _Origins] = field(default_factory=dict)
    tapes: dict[str, tuple[_Flow, tuple[Operand, ...]]] = field(default_factory=dict)
    calls: tuple[str, ...] = ()

    def follow(self, function: Function) -> None:
        """Infer until nothing changes: what a loop carries comes back to its beginning."""
        body = function.body
        for param in body.params:
            if param.name in self.origins:
                self.may[param.name] = "int64" if param.type.dtype in REAL else "float64"
                self.sure.add(param.name)
        before: dict[str, str] | None = None
        while before != self.may:
            before = dict(self.may)
            self.faults = {}
            for stmt in walk(body):
                self._step(stmt)
        asked = function.kinds & self.may.keys()
        self.faults.update({(function.name, name): self.origins[name] for name in asked})
        self.tapes[function.name.removesuffix("_forward")] = self, body.yields[-function.kept :]

    def _step(self, stmt: Stmt) -> None:
        match stmt:
            case Apply() if stmt.option("slots") is not None:
                self._unpack(stmt)
            case Apply():
                self._apply(stmt)
            case Call():
                self._call(stmt)
            case Record(slot=slot, value=Value() as value):
                self._hand_on(value, Value(f"%{slot}", value.type))
            case Replay(result=result, slot=slot):
                self._hand_on(Value(f"%{slot}", result.type), result)
            case _:
                for value, source in merged(stmt):
                    self._hand_on(source, value)

    def _hand_on(self, source: Operand, value: Value) -> None:
        if isinstance(source, Value) and source.name in self.may:
            self._note(value, self.may[source.name], self.origins[source.name])

    def _note(self, value: Value, dtype: str, origins: _Origins) -> None:
        if dtype == value.type.dtype or not castable(dtype, value.type.dtype):
            return
        known = self.may.get(value.name, dtype)
        self.may[value.name] = dtype if castable(dtype, known) else known
        self.origins[value.name] = self.origins.get(value.name, _NOTHING) | origins

    def _apply(self, stmt: Apply) -> None:
        narrow = [a for a in stmt.args if isinstance(a, Value) and a.name in self.may]
        if not narrow:
            return
        row = TABLE[stmt.op]
        types, dtypes = [a.type for a in stmt.args], [self._dtype(a) for a in stmt.args]
        origins = _NOTHING.union(*(self.origins[a.name] for a in narrow))
        found = (dtypes[1],) if _is_spread(stmt) else row.dtypes_for(types, dtypes, stmt.settings)
        for result, dtype in zip(stmt.results, found, strict=False):
            self._note(result, dtype, origins)
            if all(a.name in self.sure for a in narrow):
                self.sure.add(result.name)
        if _is_write(stmt):
            self._check(stmt, _casts(stmt) or 0)

    def _dtype(self, operand: Operand) -> str:
        own = operand.type.dtype
        return self.may.get(operand.name, own) if isinstance(operand, Value) else own

    def _check(self, stmt: Apply, cast: int) -> None:
        """Note a write into an array that may have another dtype than what is written."""
        held = self.may.get(stmt.result.name)
        written = stmt.args[1:2] if stmt.op in STORES else stmt.args[:cast] + stmt.args[cast + 1 :]
        if held and not all(castable(self._surely(v), held) for v in written):
            self.faults[id(stmt)] = self.origins[stmt.result.name]

    def _surely(self, operand: Operand) -> str:
        """The dtype that an operand has whatever the path is; of a literal the narrowest."""
        if isinstance(operand, Value):
            return self._dtype(operand) if operand.name in self.sure else operand.type.dtype
        number = operand.value
        whole = isinstance(number, float) and number.is_integer()
        return "int64" if whole else operand.type.dtype

    def _call(self, stmt: Call) -> None:
        callee = self.callees.get(stmt.function)
        if callee is None or callee.name in self.calls:
            return
        given = zip(callee.body.params, stmt.args, strict=True)
        there = ((p, a) for p, a in given if isinstance(a, Value) and a.name in self.may)
        inner = self.merge(callee, {p.name: self.origins[a.name] for p, a in there})
        for result, end in zip(stmt.results, callee.body.yields, strict=False):
            if isinstance(end, Value) and end.name in inner.may:
                self._note(result, inner.may[end.name], inner.origins[end.name])

    def merge(self, callee: Function, origins: dict[str, _Origins]) -> _Flow:
        """Follow another function, whose faults are those of this one."""
        calls = (*self.calls, callee.name)
        inner = _Flow(self.callees, origins, tapes=self.tapes, calls=calls)
        inner.follow(callee)
        self.faults.update(inner.faults)
        return inner

    def _unpack(self, stmt: Apply) -> None:
        """What a reverse sweep reads from the tape of its forward sweep."""
        name = self.calls[-1] if self.calls else ""
        if name.removesuffix("_reverse") not in self.tapes:
            return
        flow, ends = self.tapes[name.removesuffix("_reverse")]
        for result, end in zip(stmt.results, ends, strict=False):
            if isinstance(end, Value) and end.name in flow.may:
                self._note(result, flow.may[end.name], flow.origins[end.name])
