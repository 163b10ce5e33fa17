"""A compiled program that makes no arrays: they stand in buffers, which its caller keeps.

    t = np.empty((steps, n))     ->     t = _room_empty(buffer, places, needed, 2, (steps, n))

Each place that makes an array has a stretch of a buffer of its dtype. Where that is too short the
program makes the array after all, and says how long it has to be, so the first call finds the
lengths and any other call is right as well. A place outside of loops is reached once in a call. One
in a loop makes the same array again in every iteration, which may share its stretch with the last
one if no other name can hold that: it is read and written by single entries alone.
"""

from __future__ import annotations

import ast
import linecache
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, Final, TypeGuard

import numpy as np

from adjointgen.errors import Unsupported
from adjointgen.records import dataclass

HIDDEN: Final = ("_room_places", "_room_needed")
_OF_SHAPES: Final = ("_room_empty", "_room_zeros")
_OF_ARRAYS: Final = ("_room_empty_like", "_room_zeros_like", "_room_copy")
_PRODUCT: Final = "_room_product"
Arrays = Mapping[str, tuple[str, int | None]]
"""The dtypes and ranks of arrays that stand under one name throughout."""


@dataclass(frozen=True, slots=True)
class Site:
    """A statement that makes an array: by which function it does so in a buffer, and of what."""

    stmt: ast.Assign
    maker: str
    of: tuple[ast.expr, ...]
    dtype: str
    rank: int | None

    @property
    def name(self) -> str:
        """The name that the array has."""
        (target,) = self.stmt.targets
        assert isinstance(target, ast.Name)
        return target.id


def in_buffers(run: FunctionType, arrays: Mapping[str, Any]) -> tuple[str, ...]:
    """Rewrite a loaded program to make its arrays in buffers; the dtype of the buffer of each.

    The program takes a buffer for each of these dtypes, in order; the begins and lengths of the
    stretches, as a matrix of two rows; a vector for the lengths that are needed, which ends in 1
    where one is too short; and then what it takes. `arrays` are its arguments by name.

    Raises Unsupported (AG142) for a program that calls itself.
    """
    file = run.__code__.co_filename
    tree = ast.parse("".join(linecache.getlines(file)))
    of = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    own = of[run.__name__]
    if any(_names(f, run.__name__) for f in of.values()):
        raise Unsupported(
            f"{run.__name__} calls itself, and has arrays for each of its calls",
            code="AG142",
            help="call the gradient itself",
        )
    numpy = next((n for n, v in run.__globals__.items() if v is np), "np")
    sites = [*_sites(own, numpy, arrays)]
    dtypes = tuple(dict.fromkeys(site.dtype for site in sites))
    for number, site in enumerate(sites):
        buffer = _name(f"_room_{site.dtype}")
        args = [buffer, *map(_name, HIDDEN), ast.Constant(number), *site.of]
        site.stmt.value = ast.Call(_name(site.maker), args, [])
    first = [ast.arg(name) for name in (*(f"_room_{d}" for d in dtypes), *HIDDEN)]
    own.args.args[:0] = first
    for argument in (*own.args.args, *own.args.kwonlyargs):
        argument.annotation = None
    own.returns = None
    made = compile(ast.fix_missing_locations(ast.Module([own], [])), file, "exec")
    run.__globals__.update(_compiled())
    exec(made, run.__globals__)
    return tuple(site.dtype for site in sites)


def _sites(own: ast.FunctionDef, numpy: str, arrays: Mapping[str, Any]) -> list[Site]:
    """The statements whose arrays may stand in a buffer.

    What they make is known when they have been found, and then others that are made of it.
    """
    stores = Counter(n.id for n in ast.walk(own) if _is_store(n))
    given = {n: (a.dtype.name, a.ndim) for n, a in arrays.items() if isinstance(a, np.ndarray)}
    known: dict[str, tuple[str, int | None]] = {n: t for n, t in given.items() if not stores[n]}
    while True:
        found = [*_candidates(own, numpy, known, given, stores)]
        before = len(known)
        for name in {site.name for site in found} - given.keys():
            types = [(site.dtype, site.rank) for site in found if site.name == name]
            if len(types) == stores[name] and len({*types}) == 1:
                known[name] = types[0]
        if len(known) == before:
            return found


def _candidates(
    own: ast.FunctionDef, numpy: str, known: Arrays, given: Arrays, stores: Mapping[str, int]
) -> Iterator[Site]:
    for stmt, inside in _assignments(own.body, False):
        (target,) = stmt.targets if len(stmt.targets) == 1 else (None,)
        if not isinstance(target, ast.Name):
            continue
        # `x = x.copy()` is of the argument where nothing else is assigned to it.
        more = (
            {target.id: given[target.id]} if stores[target.id] == 1 and target.id in given else {}
        )
        site = _site(stmt, numpy, {**known, **more})
        if site is not None and (not inside or _by_entries(site, own)):
            yield site


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _assignments(body: list[ast.stmt], inside: bool) -> Iterator[tuple[ast.Assign, bool]]:
    """The assignments to names, and whether they stand in a loop."""
    for stmt in body:
        if isinstance(stmt, ast.Assign):
            yield stmt, inside
        loop = inside or isinstance(stmt, ast.For | ast.While)
        for field in ("body", "orelse"):
            yield from _assignments(getattr(stmt, field, []), loop)


def _site(stmt: ast.Assign, numpy: str, known: Arrays) -> Site | None:
    match stmt.value:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            operands = (_of_name(left, known), _of_name(right, known))
            matrices = operands == (("float64", 2), ("float64", 2))
            return Site(stmt, _PRODUCT, (left, right), "float64", 2) if matrices else None
        case ast.Call(func=ast.Attribute(attr=maker, value=owner), args=args, keywords=keywords):
            of_numpy = ast.unparse(owner) == numpy
            given = [*args, *(k.value for k in keywords if k.arg == "dtype")]
            if len(given) == len(args) + len(keywords):
                return _made(stmt, f"_room_{maker}", given if of_numpy else [owner, *given], known)
    return None


def _made(stmt: ast.Assign, maker: str, given: list[ast.expr], known: Arrays) -> Site | None:
    match given:
        case [shape] if maker in _OF_SHAPES:
            return _of_shape(stmt, maker, shape, "float64")
        case [shape, ast.Attribute(attr=dtype)] if maker in _OF_SHAPES:
            return _of_shape(stmt, maker, shape, "bool" if dtype == "bool_" else dtype)
        case [ast.Name(id=like) as one] if maker in _OF_ARRAYS and like in known:
            return Site(stmt, maker, (one,), *known[like])
    return None


def _of_name(operand: ast.expr, known: Arrays) -> tuple[str, int | None] | None:
    """The dtype and rank of `x` or `x.T`."""
    if isinstance(operand, ast.Attribute) and operand.attr == "T":
        operand = operand.value
    return known.get(operand.id) if isinstance(operand, ast.Name) else None


def _of_shape(stmt: ast.Assign, maker: str, shape: ast.expr, dtype: str) -> Site | None:
    if dtype not in ("float64", "int64", "bool", "float32", "complex128"):
        return None
    if isinstance(shape, ast.Attribute):
        return Site(stmt, maker, (shape,), dtype, None)
    lengths = shape if isinstance(shape, ast.Tuple) else ast.Tuple([shape], ast.Load())
    return Site(stmt, maker, (lengths,), dtype, len(lengths.elts))


def _by_entries(site: Site, own: ast.FunctionDef) -> bool:
    """Whether the array is read and written by single entries, or asked for its lengths."""
    parts = (n for n in ast.walk(own) if isinstance(n, ast.Subscript))
    single = {id(part.value) for part in parts if _is_entry(part, site.rank)}
    uses = [n for n in _names(own, site.name) if isinstance(n.ctx, ast.Load)]
    return all(id(use) in single for use in uses)


def _is_entry(node: ast.Subscript, rank: int | None) -> bool:
    """Whether an index is a number for each axis."""
    index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return len(index) == rank and not any(
        isinstance(i, ast.Slice | ast.Starred)
        or (isinstance(i, ast.Constant) and not isinstance(i.value, int))
        for i in index
    )


def _names(own: ast.FunctionDef, name: str) -> list[ast.Name]:
    return [n for n in ast.walk(own) if isinstance(n, ast.Name) and n.id == name]


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


@cache
def _compiled() -> dict[str, Callable[..., Any]]:
    """The functions that make arrays in buffers, for Numba."""
    jit: Callable[[Any], Any] = import_module("numba").njit

    @jit
    def empty(buffer: Any, places: Any, needed: Any, k: int, shape: Any) -> Any:
        size = 1
        for length in shape:
            size *= length
        begin = places[0, k]
        if size <= places[1, k]:
            return buffer[begin : begin + size].reshape(shape)
        needed[k] = size
        needed[-1] = 1
        return np.empty(shape, buffer.dtype)

    @jit
    def zeros(buffer: Any, places: Any, needed: Any, k: int, shape: Any) -> Any:
        a = empty(buffer, places, needed, k, shape)
        a.fill(0)
        return a

    return dict(zip(_OF_SHAPES, (empty, zeros), strict=True)) | _of_arrays(jit, empty, zeros)


def _of_arrays(
    jit: Callable[[Any], Any], empty: Callable[..., Any], zeros: Callable[..., Any]
) -> dict[str, Callable[..., Any]]:
    """Those that make an array like another."""

    @jit
    def like(buffer: Any, places: Any, needed: Any, k: int, x: Any) -> Any:
        return empty(buffer, places, needed, k, x.shape)

    @jit
    def zeros_like(buffer: Any, places: Any, needed: Any, k: int, x: Any) -> Any:
        return zeros(buffer, places, needed, k, x.shape)

    @jit
    def copy(buffer: Any, places: Any, needed: Any, k: int, x: Any) -> Any:
        a = empty(buffer, places, needed, k, x.shape)
        a[...] = x
        return a

    @jit
    def product(buffer: Any, places: Any, needed: Any, k: int, x: Any, y: Any) -> Any:
        return np.dot(x, y, empty(buffer, places, needed, k, (x.shape[0], y.shape[1])))

    made = (like, zeros_like, copy, product)
    return dict(zip((*_OF_ARRAYS, _PRODUCT), made, strict=True))
