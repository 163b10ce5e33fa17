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
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.errors import Unsupported
from adjointgen.records import dataclass

HIDDEN: Final = ("_room_places", "_room_needed")
_OF_SHAPES: Final = ("_room_empty", "_room_zeros")
_OF_ARRAYS: Final = ("_room_empty_like", "_room_zeros_like", "_room_copy")


@dataclass(frozen=True, slots=True)
class Site:
    """A statement that makes an array: how it is made in a buffer, its dtype and rank."""

    stmt: ast.Assign
    maker: str
    shape: ast.expr
    dtype: str
    rank: int | None


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
        args = [buffer, *map(_name, HIDDEN), ast.Constant(number), site.shape]
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


def _sites(own: ast.FunctionDef, numpy: str, arrays: Mapping[str, Any]) -> Iterator[Site]:
    """The statements whose arrays may stand in a buffer."""
    given = {name: a for name, a in arrays.items() if isinstance(a, np.ndarray)}
    for stmt, inside in _assignments(own.body, False):
        site = _site(stmt, numpy, given, own)
        if site is not None and (not inside or _by_entries(site, own)):
            yield site


def _assignments(body: list[ast.stmt], inside: bool) -> Iterator[tuple[ast.Assign, bool]]:
    """The assignments to names, and whether they stand in a loop."""
    for stmt in body:
        if isinstance(stmt, ast.Assign):
            yield stmt, inside
        loop = inside or isinstance(stmt, ast.For | ast.While)
        for field in ("body", "orelse"):
            yield from _assignments(getattr(stmt, field, []), loop)


def _site(
    stmt: ast.Assign, numpy: str, given: Mapping[str, Any], own: ast.FunctionDef
) -> Site | None:
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(ast.Attribute(), keywords=[]) as call):
            pass
        case _:
            return None
    assert isinstance(call.func, ast.Attribute)
    maker, owner = f"_room_{call.func.attr}", ast.unparse(call.func.value)
    match call.args:
        case [shape] if owner == numpy and maker in _OF_SHAPES:
            return _of_shape(stmt, maker, shape, "float64")
        case [shape, ast.Attribute(value=ast.Name(id=module), attr=dtype)] if (
            owner == module == numpy and maker in _OF_SHAPES
        ):
            return _of_shape(stmt, maker, shape, "bool" if dtype == "bool_" else dtype)
        case [ast.Name(id=like)] if owner == numpy and maker in _OF_ARRAYS:
            return _of_array(stmt, maker, like, given, own)
        case [] if maker in _OF_ARRAYS:
            return _of_array(stmt, maker, owner, given, own)
    return None


def _of_shape(stmt: ast.Assign, maker: str, shape: ast.expr, dtype: str) -> Site | None:
    if dtype not in ("float64", "int64", "bool", "float32", "complex128"):
        return None
    if isinstance(shape, ast.Attribute):
        return Site(stmt, maker, shape, dtype, None)
    lengths = shape if isinstance(shape, ast.Tuple) else ast.Tuple([shape], ast.Load())
    return Site(stmt, maker, lengths, dtype, len(lengths.elts))


def _of_array(
    stmt: ast.Assign, maker: str, like: str, given: Mapping[str, Any], own: ast.FunctionDef
) -> Site | None:
    """One that is like an argument, under a name that stands for the argument until then."""
    array = given.get(like)
    stores = [n for n in _names(own, like) if isinstance(n.ctx, ast.Store)]
    if array is None or not (not stores or stores == [*stmt.targets]):
        return None
    return Site(stmt, maker, ast.Name(like, ast.Load()), array.dtype.name, array.ndim)


def _by_entries(site: Site, own: ast.FunctionDef) -> bool:
    """Whether the array is read and written by single entries, or asked for its lengths."""
    (target,) = site.stmt.targets
    assert isinstance(target, ast.Name)
    parts = (n for n in ast.walk(own) if isinstance(n, ast.Subscript))
    single = {id(part.value) for part in parts if _is_entry(part, site.rank)}
    uses = [n for n in _names(own, target.id) if isinstance(n.ctx, ast.Load)]
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

    return dict(zip(_OF_ARRAYS, (like, zeros_like, copy), strict=True))
