"""The user's code as it stands: its text, with the local variables replaced by operands.

`print(x, y.sum())` becomes the statement `print(_0_, _1_.sum())` of the operands `x` and `y`. It
has no derivative, so the transforms refuse it where an operand is active; everything that the
frontend does not understand goes this way, which is why not understanding is never silently wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Bound,
    Class,
    Closure,
    Derived,
    KnownKey,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Range,
    Ref,
    Seq,
    SliceOf,
    Struct,
    Zipped,
    is_iterator,
    is_maybe,
    is_request,
)
from adjointgen.frontend.domain.qualified_names import literal
from adjointgen.frontend.domain.structures import HELD, base_of
from adjointgen.frontend.source.contained_functions import is_contained
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_checks import (
    check_identity,
    check_objects,
    hands_out,
    refuse_overlaps,
    shown_code,
)
from adjointgen.frontend.state.introspection import check_value
from adjointgen.frontend.state.kept_views import read_view
from adjointgen.frontend.state.scope_lookup import (
    private,
)
from adjointgen.frontend.state.set_order import SETS, spelled
from adjointgen.frontend.state.storage_cells import (
    HELD_BY,
    check_caller,
    content,
    new_cell,
    write,
)
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.opaque_writes import ANYTHING


class Holes:
    """The operands of a piece of code, each with its number, and the storage behind it.

    Lists and dicts in the cells that are `shown` are written out, entry by entry.

    Code that `writes` may change lists and dicts: these become objects, of which nothing more is
    known than what the code leaves in them. Code that `takes` entries only gets at what is in them.
    Code that `leaves` ends the program: functions that it calls only say why.
    """

    def __init__(
        self, ctx: Context, writes: bool = False, takes: bool = False, leaves: bool = False
    ) -> None:
        self.ctx = ctx
        self.writes = writes
        self.takes = takes
        self.leaves = leaves
        self.operands: list[Operand] = []
        self.refs: list[Ref | None] = []
        self.inside: list[Ref | None] = []
        self.shown: list[int] = []
        self.outside: list[str] = []
        self.arrays: list[str] = []

    def fill(self, value: Abstract) -> str:
        """The text that stands for a value."""
        check_value(self.ctx, value)
        match value:
            case Seq(items=items, kind=kind):
                return self._display(items, kind)
            case Struct():
                return self._structure(value)
            case Range(start, stop, step):
                return f"range({self._all((start, stop, step))})"
            case SliceOf(lower, upper, step):
                none = const(None)
                return f"slice({self._all([b or none for b in (lower, upper, step)])})"
            case Zipped():
                return self._zipped(value)
            case Method(owner=owner, name=name):
                return f"{self.fill(owner)}.{name}"
            case Bound(function=function, owner=owner):
                return f"{self.fill(owner)}.{private(function.home, function.source.name)}"
            case Module() | Named() | Outside() | Class():
                return self._outer(value)
            case Ref() if isinstance(held := content(self.ctx, value), Seq | Struct):
                return self._content(value, held)
            case Closure():
                return self._written(value)
            case Partial() | Derived():
                return self._function(value)
            case _:
                return self._operand(value)

    def _written(self, value: Closure) -> str:
        """A function with source, by its name in the module, where code may be called as it is."""
        if value.named is not None and self.leaves:
            return self._outer(value.named)
        calls = self.ctx.outlines.untaken.calls and is_contained(value)
        if value.named is None or not calls:
            what = f"the function {value.source.name} is passed on as a value"
            self.ctx.refuse("AG102", what, "call it here, or write the loop out")
        # What it reads and does in the module is not known.
        self.ctx.outlines.facts.stir()
        self.outside.append(ANYTHING)
        return self._outer(value.named)

    def _zipped(self, value: Zipped) -> str:
        if value.listed and self.writes:
            return self._rows(value)
        if value.how in VIEWS:
            text = f"{self.fill(value.parts[0])}.{value.how}()"
            return f"list({text})" if value.listed else text
        if "." in value.how:
            self.ctx.imports["import itertools"] = None
        given = value.parts if value.start is None else (*value.parts, value.start)
        text = f"{value.how}({self._all(given)})"
        return f"list({text})" if value.listed else text

    def _rows(self, value: Zipped) -> str:
        """A list of rows that code may change: an object from now on, under all its names."""
        inner, names = Holes(self.ctx), self.ctx.state.names
        keys = [key for key, held in names.items() if held == value]
        inside = any(
            value in held.items
            for held in self.ctx.state.cells.values()
            if isinstance(held, Seq | Struct)
        )
        if inside or any(names[key] is not value for key in keys):
            what = "a list of rows, which has other names, is handed to code that may change it"
            self.ctx.refuse("AG102", what, "make a list of them with a comprehension")
        whole = verbatim(self.ctx, inner.fill(value), inner.operands)
        ref = new_cell(self.ctx, whole, "")
        self.ctx.state.names |= dict.fromkeys(keys, ref)
        return self._operand(ref)

    def _function(self, value: Partial | Derived) -> str:
        if isinstance(value, Derived):
            what = f"the {value.kind} of a function is passed on as a value"
            self.ctx.refuse("AG102", what, "call it here, or pass the function")
        self.ctx.imports["import functools"] = None
        named = [f"{name}={self.fill(v)}" for name, v in value.keywords]
        given = [self.fill(value.function), *map(self.fill, value.args), *named]
        return f"functools.partial({', '.join(given)})"

    def _outer(self, value: Module | Named | Outside | Class) -> str:
        """What is outside of the function, by the name that it has there."""
        if isinstance(value, Class) and value.is_local:
            what = f"the class {value.text}, which is defined here, is passed on"
            self.ctx.refuse("AG102", what, "define it in the module")
        if self.ctx.outlines.facts.promoted and isinstance(value, Outside):
            return self._operand(value)
        if value.line:
            self.ctx.imports[value.line] = None
        if isinstance(value, Outside) and value.text not in self.outside:
            self.outside.append(value.text)
        if isinstance(value, Outside) and value.type.kind == "array":
            self.arrays.append(value.text)
        return value.text

    def fill_entries(self, value: Abstract) -> str:
        """The text for a structure of which code gets an entry, not the whole."""
        known = content(self.ctx, value)
        items = known.items if isinstance(known, Seq | Struct) else (value,)
        changed = any(isinstance(item, Ref) for item in items)
        writes, self.writes = self.writes, self.writes and changed
        text = self.fill(value)
        self.writes = writes
        return text

    def _content(self, value: Ref, held: Seq | Struct) -> str:
        """What a cell holds; a list or dict that is written is an object from now on."""
        flat = self.takes and not any(isinstance(item, Ref | Seq | Struct) for item in held.items)
        if not self.writes or flat or (isinstance(held, Struct) and isinstance(held.kind, Class)):
            self.shown.append(value.cell)
            return self.fill(held)
        check_caller(self.ctx, value.cell)
        inner = Holes(self.ctx, writes=True)
        whole = verbatim(self.ctx, inner.fill(held), inner.operands)
        self.inside += inner.refs
        self.ctx.state.cells[value.cell] = self.ctx.named(whole, self.ctx.info[value.cell].root)
        return self._operand(value)

    def _display(self, items: Sequence[Abstract], kind: str) -> str:
        inner, closing = self._all(items), "," if len(items) == 1 else ""
        if kind in SETS:
            return spelled(inner, kind)
        return f"[{inner}]" if kind == "list" else f"({inner}{closing})"

    def _structure(self, value: Struct) -> str:
        """The caller's object, if it is as it was; a dict or named tuple as a display."""
        if is_iterator(value) or is_request(value):
            what = f"this {value.kind} is handed to code that is copied as it stands"
            return self.ctx.refuse("AG102", what, "loop over it, or wait for it, here")
        if is_maybe(value):
            what = "this may be None, in code that is copied as it stands"
            return self.ctx.absent("AG411", what, "ask `is None` before", kind=TypeMismatch)
        live = self.ctx.memo.get(("live", value.place))
        if live is not None and live[2] == value:
            # What it holds goes in with it.
            for item in value.items:
                self.fill(item)
            return self._operand(live[1])
        if value.kind == "dict":
            rows = zip(value.keys, value.items, strict=True)
            return "{" + ", ".join([f"{self._key(k)}: {self.fill(v)}" for k, v in rows]) + "}"
        assert isinstance(value.kind, Class)
        if issubclass(value.kind.type, tuple):
            return f"{self.fill(value.kind)}({self._all(value.items)})"
        plain = value.keys == (HELD,) and base_of(value.kind.type) is np.ndarray
        if plain and value.kind.type.__array_finalize__ is np.ndarray.__array_finalize__:  # type: ignore[attr-defined]
            return f"{self.fill(value.items[0])}.view({self.fill(value.kind)})"
        # In a loop, a list may hold it that is known entry by entry.
        what = f"an instance of {value.kind.text} is passed on"
        return self.ctx.unlike("AG102", what, "pass its attributes")

    def _key(self, key: object) -> str:
        return self.fill(key.value) if isinstance(key, KnownKey) else literal(key)

    def _all(self, values: Iterable[Abstract]) -> str:
        return ", ".join([self.fill(v) for v in values])

    def keeping(self) -> dict[str, Any]:
        """The options of code that may put what it is given into the objects that it names."""
        keeps = tuple(k for k, o in enumerate(self.operands) if o.type.kind == "object")
        given = [o for o in self.operands if "object" in (o.type.kind, o.type.dtype)]
        given += [o for o in self.operands if o.type.is_differentiable]
        options = {"keeps": keeps if len(given) > 1 else (), "outside": tuple(self.outside)}
        return {name: value for name, value in options.items() if value}

    def _operand(self, value: Abstract) -> str:
        operand = read_view(self.ctx, value)
        # Zeros of both signs are equal, and two operands.
        known = [repr(o) for o in self.operands]
        if repr(operand) not in known:
            known.append(repr(operand))
            self.operands.append(operand)
            self.refs.append(value if isinstance(value, Ref) else None)
        place = known.index(repr(operand))
        check_identity(self.ctx, self.operands[place], operand)
        return f"_{place}_"


def verbatim(
    ctx: Context,
    code: str,
    operands: Sequence[Operand],
    type: Type = OBJECT,
    refs: Sequence[Ref | None] = (),
    **options: object,
) -> Value:
    """Append an expression of the user's; the arrays in `refs` are taken to be written."""
    check_objects(ctx, code, operands)
    writes = _written(ctx, operands, refs)
    result = ctx.value("", type)
    news = tuple(ctx.value("", operands[k].type) for k in writes)
    options |= {"code": code} | _writing(operands, writes, options)
    ctx.add(
        Apply(
            (result, *news), "verbatim", tuple(operands), tuple(sorted(options.items())), ctx.span()
        )
    )
    _write_back(ctx, writes, refs, news)
    if type.kind == "array" and not ctx.outlines.primal and hands_out(code):
        ctx.memo[HELD_BY, result.name] = shown_code(ctx, code)
    return result


def statement(
    ctx: Context,
    code: str,
    operands: Sequence[Operand],
    refs: Sequence[Ref | None] = (),
    bound: Sequence[str] = (),
    **options: object,
) -> tuple[Value, ...]:
    """Append a statement of the user's; what it makes of the names that it binds."""
    check_objects(ctx, code, operands)
    writes = _written(ctx, operands, refs)
    made = tuple(ctx.value(name, OBJECT) for name in bound)
    news = tuple(ctx.value("", operands[k].type) for k in writes)
    options |= {"code": code} | _writing(operands, writes, options)
    options |= {"bound": tuple(bound)} if bound else {}
    results = (*made, *news)
    # A region ends behind what leaves it, too.
    if not ctx.state.dead or options.get("region") in ("finally", "end"):
        settings = tuple(sorted(options.items()))
        ctx.add(Apply(results, "statement", tuple(operands), settings, ctx.span()))
    _write_back(ctx, writes, refs, news)
    return made


def _written(
    ctx: Context, operands: Sequence[Operand], refs: Sequence[Ref | None]
) -> tuple[int, ...]:
    """The operands that may be written to; no entry of an array may be in two of them."""
    kinds = ("array", "list", "object")
    found = {k: r for k, r in enumerate(refs) if r is not None and operands[k].type.kind in kinds}
    refuse_overlaps(ctx, combinations(found.values(), 2))
    return tuple(found)


def _writing(
    operands: Sequence[Operand], writes: tuple[int, ...], options: Mapping[str, object]
) -> dict[str, object]:
    """The options of code that writes to operands: objects stay the objects that they are."""
    told = options.get("through", ())
    assert isinstance(told, tuple)
    through = {*told, *(k for k in writes if operands[k].type.kind == "object")}
    found = {"writes": writes, "through": tuple(sorted(through))}
    return {name: places for name, places in found.items() if places}


def _write_back(
    ctx: Context, writes: Sequence[int], refs: Sequence[Ref | None], news: Sequence[Value]
) -> None:
    for k, new in zip(writes, news, strict=True):
        ref = refs[k]
        assert ref is not None
        write(ctx, ref, new, seen=True)
