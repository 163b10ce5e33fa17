"""Calls of functions without a row, copied as they stand: to what they can write is given a new
version.

Functions of Python and NumPy are taken to write into nothing, except where they are made for that
or are given something to write to: `np.negative(a, a)`, `np.heaviside(a, 0.5, out=b)`,
`list.append(a, x)`.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.calls.call_arguments import acted, arguments, in_text
from adjointgen.frontend.calls.log_calls import level_of, not_told
from adjointgen.frontend.calls.opaque_effects import is_addition, note_call
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Closure,
    Method,
    Named,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.source.desugar import Made
from adjointgen.frontend.state.context import Begun, Context
from adjointgen.frontend.state.copied_checks import refuse_overlaps
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.lent_storage import lend, note_change, reach
from adjointgen.frontend.state.overlaps import overlapping
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.random_sources import is_random
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.shared_defaults import check_kept
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import INT, OBJECT, Type, broadcast
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.opaque_writes import ANYTHING, IN_PLACE, READERS, WRITERS, gives_new

# Methods of loggers and files, which only tell what they are given.
MESSAGES = ("debug", "info", "warning", "error", "critical", "exception", "log", "write")


def unknown(
    ctx: Context, node: ast.Call, discarded: bool = False, function: Named | Method | None = None
) -> Abstract:
    """A call that is copied as it stands."""
    level = level_of(ctx, node, function) if discarded else None
    if level is None:
        return _copied(ctx, node, discarded, function)
    made = or_none(ctx, lambda: _copied(ctx, node, discarded, function))
    return not_told(ctx, function, level) if made is None else made


def _copied(
    ctx: Context, node: ast.Call, discarded: bool, function: Named | Method | None
) -> Abstract:
    note_call(ctx, node, function)
    spelling = function.spelling if isinstance(function, Named) else ""
    reads = _only_reads(spelling, node, discarded)
    told = isinstance(node.func, ast.Attribute) and node.func.attr in MESSAGES
    holes = _holes(ctx, node, spelling, reads, told)
    code = _code(ctx, node, holes, function)
    _check_arrays(ctx, node, holes)
    options = {} if reads else holes.keeping()
    given, keeps = [*holes.refs, *holes.inside], bool(options)
    acts, adds = not (reads or told), is_addition(ctx, node, function)
    if acts:
        note_change(ctx)
        options |= {} if adds else reach(ctx, holes)
    refs = () if reads or adds else _written(ctx, holes, told)
    if discarded:
        options |= _written_through(ctx, node, holes) if acts else {}
        statement(ctx, code, holes.operands, refs, **options)
        lend(ctx, given if keeps and acts else ())
        check_kept(ctx, holes.shown if acts else ())
        return const(None)
    options |= {"callee": spelling} if spelling else {}
    type = result_type(ctx, node, function)
    result = verbatim(ctx, code, holes.operands, type, refs, **options)
    lend(ctx, given if type.kind == "object" and not _is_new(spelling, node) else ())
    return result


def _code(ctx: Context, node: ast.Call, holes: Holes, function: Named | Method | None) -> str:
    done = acted(ctx, node)
    if done is not None or not _as_it_stands(ctx, node):
        return _from_parts(ctx, node, holes, done or Begun([], 0, {}), function)
    code = template(ctx, node, holes)
    in_text(ctx, node)
    return code


def _is_new(spelling: str, node: ast.Call) -> bool:
    """Whether a result holds no argument; a lambda among these holds what it reads."""
    closures = any(isinstance(part, ast.Lambda) for part in ast.walk(node))
    return gives_new(spelling) and not closures


def _check_arrays(ctx: Context, node: ast.Call, holes: Holes) -> None:
    """Refuse to have an array of the module written to, which the program may read again."""
    ctx.node, name = node, getattr(node.func, "attr", getattr(node.func, "id", ""))
    if holes.arrays and name in IN_PLACE and not ctx.outlines.primal:
        what = f"this writes into {holes.arrays[0]}, which belongs to the module"
        ctx.refuse("AG131", what, "write into a copy of it", node=node)


def _written(ctx: Context, holes: Holes, told: bool) -> Sequence[Ref | None]:
    """What a call may write to, where that is told apart."""
    refs = list(filter(None, holes.refs))
    if told and overlapping(combinations(refs, 2)):
        return ()
    # A list that becomes an object here holds the arrays themselves.
    refuse_overlaps(ctx, product(refs, filter(None, holes.inside)))
    return holes.refs


def _holes(ctx: Context, node: ast.Call, spelling: str, reads: bool, told: bool) -> Holes:
    """The holes of a call; what it may hand back, or ask for, is the object that it was."""
    takes, kept = reads and spelling.startswith("builtins."), False
    if ctx.outlines.primal:
        kept = bool(spelling) and not gives_new(spelling)
        names = Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        several = [name for name, number in names.items() if number > 1]
        kept |= any(isinstance(content(ctx, lookup(ctx, n)), Seq | Struct) for n in several)
        if kept or not reads:
            _name_tuples(ctx, names if kept else several)
    return Holes(ctx, writes=kept or not (reads or told), takes=takes)


def _name_tuples(ctx: Context, names: Iterable[str]) -> None:
    """Make tuples once, of which the call may ask whether they are the same."""
    for name in names:
        value = lookup(ctx, name)
        if isinstance(value, Seq) and value.kind == "tuple":
            holes = Holes(ctx, writes=True)
            ctx.set(name, ctx.named(verbatim(ctx, holes.fill(value), holes.operands), name))


def may_change(ctx: Context, node: ast.AST) -> bool:
    """Whether code that would be copied may write to arrays: given ones, or lent ones."""
    if ctx.state.lent and any(map(_stores, ast.walk(node))):
        return True
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return any((ctx.state.lent or _is_given_array(ctx, c)) and _may_write(ctx, c) for c in calls)


def _stores(part: ast.AST) -> bool:
    """Whether something is written into an object, which may hand out views of what it holds."""
    entry = isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store)
    return entry or isinstance(part, ast.AugAssign)


def writes_somewhere(ctx: Context, node: ast.AST) -> bool:
    """Whether a call in a piece of code may write to what it is given."""
    return any(isinstance(part, ast.Call) and _may_write(ctx, part) for part in ast.walk(node))


def _is_given_array(ctx: Context, node: ast.Call) -> bool:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    refs = [ref for name in names if isinstance(ref := lookup(ctx, name), Ref)]
    held = [ctx.state.cells.get(ref.cell) for ref in refs]
    return any(isinstance(value, Value) and value.type.is_array for value in held)


def _may_write(ctx: Context, node: ast.Call) -> bool:
    """Whether a call is of a function that is not known to write to nothing."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in MESSAGES:
        return False
    try:
        with ctx.block(ctx.state.fork()):
            function = ctx.actions.callee(ctx, node.func)
    except AdjointgenError:
        return True
    return not (isinstance(function, Named) and _only_reads(function.spelling, node, False))


def _written_through(ctx: Context, node: ast.Call, holes: Holes) -> dict[str, object]:
    """The objects that a call for its effect may write to: one may be a view of an array."""
    objects = tuple(k for k, o in enumerate(holes.operands) if o.type.kind == "object")
    if isinstance(node.func, ast.Attribute) and node.func.attr not in IN_PLACE:
        return {}
    return {"changes": objects} if objects else {}


def _only_reads(spelling: str, node: ast.Call, discarded: bool) -> bool:
    """Whether a function writes into none of its arguments."""
    home, name = spelling.partition(".")[0], spelling.rpartition(".")[2]
    if home not in READERS or name in WRITERS or isinstance(live(spelling)[0], type):
        return False
    if any(_asks_to_write(keyword) for keyword in node.keywords):
        return False
    if spelling == "copy.deepcopy" and len(node.args) + len(node.keywords) > 1:
        # The table of what was copied is written.
        return False
    numeric = home in ("numpy", "scipy") and ".testing." not in spelling
    # What hands nothing back, and is called for nothing else, writes.
    return not (numeric and (discarded or len(node.args) > place_of_out(spelling)))


def _asks_to_write(keyword: ast.keyword) -> bool:
    """`out=a`, `copy=False`, `overwrite_a=True`, or what stands in a dict."""
    match keyword:
        case ast.keyword(arg="out", value=ast.Constant(value=None)):
            return False
        case ast.keyword(arg="copy", value=ast.Constant(value=True)):
            return False
        case ast.keyword(arg=None):
            return True
    return keyword.arg in ("out", "copy") or str(keyword.arg).startswith("overwrite")


def place_of_out(spelling: str) -> int:
    """At which position a NumPy function takes the array that it writes its result to."""
    names = positions(spelling)
    return names.index("out") if "out" in names else sys.maxsize


@lru_cache(maxsize=1024)
def positions(spelling: str) -> tuple[str, ...]:
    """The parameters that a NumPy function takes by position; of a method, those after the array.

    Methods of arrays take what the function of their name does.
    """
    function = live(f"numpy{spelling}" if spelling.startswith(".") else spelling)[1]
    if isinstance(function, np.ufunc):
        return (*[f"x{k}" for k in range(function.nin)], "out")
    try:
        parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return _POSITIONS.get(spelling, ())
    return tuple(
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    )


_POSITIONS = {"numpy.dot": ("a", "b", "out"), "numpy.concatenate": ("arrays", "axis", "out")}
"""Of functions whose signature older versions of NumPy do not tell."""


def _as_it_stands(ctx: Context, node: ast.Call) -> bool:
    """Whether the text can be copied: nothing in it is a helper, a tape or an assignment."""
    for inner in ast.walk(node):
        name = inner.id if isinstance(inner, ast.Name) else ""
        ours = name and (name in ctx.frame.tapes or isinstance(lookup(ctx, name), Closure))
        if ours or isinstance(inner, ast.NamedExpr | ast.Starred | Made):
            return False
    return True


def _from_parts(
    ctx: Context, node: ast.Call, holes: Holes, done: Begun, named: Named | Method | None
) -> str:
    """The text of a call of which the parts are evaluated first, those that are not yet."""
    function = ctx.actions.callee(ctx, node.func) if done.function is None else done.function
    if isinstance(function, Closure) and named is not None:
        function = named
        holes.outside.append(ANYTHING)
    args, keywords = arguments(ctx, node) if done.given is None else done.given
    called = holes.fill(function)
    texts = [holes.fill(a) for a in args] + [f"{k}={holes.fill(v)}" for k, v in keywords.items()]
    return f"{called}({', '.join(texts)})"


_VECTOR = Type("float64", (None,), "array")
RESULTS = {
    **dict.fromkeys(("numpy.frombuffer", "numpy.kaiser"), _VECTOR),
    **{f"time.{name}": Type("float64") for name in ("time", "perf_counter", "monotonic")},
    "time.process_time": Type("float64"),
    "numpy.flatnonzero": Type("int64", (None,), "array"),
}
"""Of functions without a row, what they give unless they are told otherwise."""


def _of_name(node: ast.Call, spelling: str) -> Type | None:
    keywords = {k.arg: k.value for k in node.keywords}
    if spelling in RESULTS and not keywords:
        return RESULTS[spelling]
    exact = keywords.get("exact")
    counted = spelling in ("scipy.special.comb", "scipy.special.perm")
    return INT if counted and isinstance(exact, ast.Constant) and exact.value is True else None


_DRAWN = ("normal", "uniform", "random", "rand", "randn", "standard_normal")
"""Functions that give floats, or arrays of floats where they are told a size."""


def result_type(ctx: Context, node: ast.Call, function: Named | Method | None) -> Type:
    """What is known of the result of a function without a row: random numbers are floats."""
    if isinstance(function, Named) and (known := _of_name(node, function.spelling)) is not None:
        return known
    owner = ast.unparse(node.func)
    drawn = owner.rpartition(".")[2] in _DRAWN and is_random(ctx, function, node.func)
    if not drawn:
        return _of_ufunc(ctx, node, function) or _of_sets(ctx, node, function) or OBJECT
    shaped = any(k.arg == "size" for k in node.keywords) or owner.endswith((".rand", ".randn"))
    limit = {"normal": 2, "uniform": 2}.get(owner.rpartition(".")[2], 0)
    return Type("float64", None, "array") if shaped or len(node.args) > limit else Type("float64")


_SETS = tuple(f"numpy.{n}" for n in ("setdiff1d", "union1d", "intersect1d", "setxor1d", "unique"))


def _of_sets(ctx: Context, node: ast.Call, function: Named | Method | None) -> Type | None:
    """What functions of sets give for arrays of integers."""
    if not isinstance(function, Named) or function.spelling not in _SETS or node.keywords:
        return None
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    with ctx.block(ctx.state.fork()):
        types = [read(ctx, ctx.expression(arg)).type for arg in node.args]
    integers = all(t.kind in ("array", "list") and t.dtype == "int64" for t in types)
    return Type("int64", (None,), "array") if integers else None


def _of_ufunc(ctx: Context, node: ast.Call, function: Named | Method | None) -> Type | None:
    """The type that a ufunc without a row gives for numbers and arrays: NumPy knows its dtype."""
    found = live(function.spelling)[1] if isinstance(function, Named) else None
    if not isinstance(found, np.ufunc) or found.nout != 1 or node.keywords:
        return None
    if found.signature is not None or len(node.args) != found.nin:
        return None
    with ctx.block(ctx.state.fork()):
        types = [read(ctx, ctx.expression(arg)).type for arg in node.args]
    if any(t.kind not in ("scalar", "array") or t.dtype == "object" for t in types):
        return None
    try:
        with np.errstate(all="ignore"):
            dtype = str(np.asarray(found(*(np.ones((), t.dtype) for t in types))).dtype)
    except TypeError:
        return None
    shape = broadcast(*(t.shape for t in types))
    return Type(dtype, shape, "scalar" if shape == () else "array")
