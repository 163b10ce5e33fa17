"""Nested arguments as vectors: a tree of floats is a point of R^n.

    tree  = tuples, lists, dicts, named tuples and dataclasses of leaves
    R^n   = all float-valued leaves in order, each complex number as (real, imaginary)

Derivatives are linear algebra on vectors, users have trees, and the checks translate here and
nowhere else.  The order is that of the tree: entries of a dict by the type and text of their keys,
so that equal dicts give equal vectors; entries of an array in C order.  Integers, booleans,
strings and every other object are no coordinates: they are passed along unchanged.

The inner product of two points is the real one of the underlying R^n, Re(conj(a) b) of complex
leaves. That of an adjoint and a tangent is Re(a b), so the adjoint of a complex linear map is its
transpose.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Children: TypeAlias = tuple[tuple[str, Any], ...]


class StructureMismatch(ValueError):
    """Two trees that should have the same structure differ; the message says where."""


def children(tree: Any) -> Children | None:
    """The labelled parts of a container, in order; None for a leaf."""
    match tree:
        case dict():
            return tuple((f"[{key!r}]", tree[key]) for key in _ordered(tree))
        case tuple() if hasattr(tree, "_fields"):
            return tuple((f".{name}", getattr(tree, name)) for name in tree._fields)
        case tuple() | list():
            return tuple((f"[{i}]", item) for i, item in enumerate(tree))
        case _ if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            return tuple((f".{f.name}", getattr(tree, f.name)) for f in dataclasses.fields(tree))
    return None


def rebuild(tree: Any, parts: Sequence[Any]) -> Any:
    """A container like `tree` with other parts, without running constructors of the user's."""
    match tree:
        case dict():
            made = copy.copy(tree)
            made.update(zip(_ordered(tree), parts, strict=True))
            return made
        case tuple() if hasattr(tree, "_make"):
            return type(tree)._make(parts)
        case tuple() | list():
            return type(tree)(parts)
    made = copy.copy(tree)
    for field, part in zip(dataclasses.fields(tree), parts, strict=True):
        # A frozen dataclass refuses plain assignment; the copy is still ours alone.
        object.__setattr__(made, field.name, part)
    return made


def is_float(leaf: Any) -> bool:
    """Whether a leaf is float-valued: a float, a complex number or an array of these."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, float | complex | np.floating | np.complexfloating)


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The float-valued leaves in order, each with its path, such as `[0].weights[2]`."""
    parts = children(tree)
    if parts is not None:
        for label, part in parts:
            yield from leaves(part, path + label)
    elif is_float(tree):
        yield path, tree


def flatten(tree: Any, like: Any = None) -> Vector:
    """The float-valued leaves as one vector.

    With `like`, the leaves that stand where `like` has float-valued ones; what stands elsewhere
    does not count, and a leaf that is missing, not a number or of another shape is refused.
    """
    if like is None:
        found = [_entries(leaf) for _, leaf in leaves(tree)]
    else:
        found = [_entries(_like(leaf, model)) for _, model, leaf in _matched(like, tree, "")]
    return np.concatenate(found) if found else np.empty(0)


def signs(tree: Any) -> Vector:
    """For each coordinate 1, and -1 for an imaginary part."""
    found = [
        np.tile((1.0, -1.0), np.size(leaf)) if np.iscomplexobj(leaf) else np.ones(np.size(leaf))
        for _, leaf in leaves(tree)
    ]
    return np.concatenate(found) if found else np.empty(0)


def misfit(template: Any, tree: Any) -> str:
    """How a container, a shape or an array's dtype differs from that of `template`; "" if not."""
    try:
        for path, model, leaf in _matched(template, tree, "", strict=True):
            if isinstance(model, np.ndarray) and np.asarray(leaf).dtype != model.dtype:
                return _expected(path, model, leaf)
    except StructureMismatch as mismatch:
        return str(mismatch)
    return ""


def unflatten(template: Any, vector: NDArray[Any]) -> Any:
    """A tree like `template` with the coordinates of `vector`; inverse of `flatten`.

    A complex vector makes real leaves complex, which is what the complex step needs.
    """
    made, used = _fill(template, vector, 0)
    if used != vector.size:
        raise StructureMismatch(f"{vector.size} coordinates for a tree of {used}")
    return made


def sizes(tree: Any) -> tuple[int, ...]:
    """How many coordinates each float-valued leaf has, in order."""
    return tuple(np.size(leaf) * (1 + bool(np.iscomplexobj(leaf))) for _, leaf in leaves(tree))


def place(tree: Any, position: int, name: str = "") -> str:
    """The path of one coordinate, written as one would index it: `result[0][2, 1].imag`."""
    for (path, leaf), size in zip(leaves(tree), sizes(tree), strict=True):
        if position >= size:
            position -= size
            continue
        position, part = divmod(position, 2) if np.iscomplexobj(leaf) else (position, 0)
        at = [str(int(i)) for i in np.unravel_index(position, np.shape(leaf))]
        index = f"[{', '.join(at)}]" if at else ""
        return name + path + index + (".imag" if part else "")
    raise IndexError(f"no coordinate {position} beyond the tree")


def spread(tree: Any, vector: Vector) -> Vector:
    """For every coordinate the root mean square of its leaf: what size is natural there."""
    result = np.zeros_like(vector)
    start = 0
    for size in sizes(tree):
        part = vector[start : start + size]
        part = part[np.isfinite(part)]
        top = float(np.max(np.abs(part), initial=0.0))
        # Scaled by the largest entry, so that squares neither overflow nor vanish.
        mean = top * float(np.sqrt(np.mean((part / top) ** 2))) if top > 0.0 else 0.0
        result[start : start + size] = mean
        start += size
    return result


def precision(tree: Any) -> Vector:
    """For every coordinate the machine epsilon of its leaf, at least that of double precision."""
    double = float(np.finfo(np.float64).eps)
    each = [max(double, float(np.finfo(np.asarray(leaf).dtype).eps)) for _, leaf in leaves(tree)]
    return np.repeat(np.asarray(each, dtype=np.float64), sizes(tree))


def random_like(tree: Any, rng: np.random.Generator) -> Any:
    """A tree like `tree` with random coordinates of either sign and size between 0.5 and 1.5.

    No coordinate comes near zero: a fault in a single one of them would hide behind that.
    """
    return unflatten(tree, random_vector(sum(sizes(tree)), rng))


def random_vector(size: int, rng: np.random.Generator) -> Vector:
    """Coordinates as `random_like` draws them."""
    return rng.choice((-1.0, 1.0), size) * rng.uniform(0.5, 1.5, size)


def dot(a: Any, b: Any) -> float:
    """The real inner product of two trees of the same structure; Re(conj(a) b) where complex."""
    return float(np.dot(flatten(a), flatten(b, like=a)))


def norm(tree: Any) -> float:
    """The Euclidean norm of all coordinates."""
    return float(np.linalg.norm(flatten(tree)))


def axpy(alpha: float, x: Any, y: Any) -> Any:
    """alpha x + y, with the structure and the leaf types of `y`."""
    return unflatten(y, alpha * flatten(x, like=y) + flatten(y))


def widen(tree: Any) -> Any:
    """The same tree with every float-valued leaf in double precision or better."""
    return _map(tree, lambda leaf: _widened(leaf) if is_float(leaf) else leaf)


def fresh(tree: Any) -> Any:
    """A copy that shares no storage with `tree` or within itself.

    Objects that cannot be copied, such as modules and open files, are passed along.
    """
    return _map(tree, _copied)


def changes(before: Any, after: Any, path: str = "", *, floats: bool = True) -> Iterator[str]:
    """The paths at which two trees differ by a bit; opaque objects count as unchanged.

    Without `floats`, what stands at the float-valued leaves of `before` is not compared.
    """
    inner, outer = children(before), children(after)
    if inner is None and not floats and is_float(before):
        return
    if inner is None or outer is None:
        if inner is not outer or not _identical(before, after):
            yield path
        return
    same_kind = type(before) is type(after)
    if not same_kind or [label for label, _ in inner] != [label for label, _ in outer]:
        yield path
        return
    for (label, one), (_, other) in zip(inner, outer, strict=True):
        yield from changes(one, other, path + label, floats=floats)


def _ordered(tree: dict[Any, Any]) -> list[Any]:
    return sorted(tree, key=lambda key: (type(key).__name__, repr(key)))


def _entries(leaf: Any) -> Vector:
    array = np.asarray(leaf)
    if array.dtype.kind == "c":
        return array.astype(np.complex128).ravel().view(np.float64)
    return array.astype(np.float64).ravel()


def _matched(
    template: Any, tree: Any, path: str, *, strict: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    """The float-valued leaves of `template`, each with its path and what `tree` has there.

    Containers need the same entries; a strict match, the same type too.
    """
    parts = children(template)
    if parts is None:
        if is_float(template):
            if not _fits(template, tree):
                raise StructureMismatch(_expected(path, template, tree))
            yield path, template, tree
        return
    if not any(True for _ in leaves(template)):
        return
    others = children(tree)
    same = others is not None and [label for label, _ in others] == [label for label, _ in parts]
    alike = type(tree) is type(template) or (isinstance(tree, dict) and isinstance(template, dict))
    if others is None or not same or (strict and not alike):
        raise StructureMismatch(_expected(path, template, tree))
    for (label, part), (_, other) in zip(parts, others, strict=True):
        yield from _matched(part, other, path + label, strict=strict)


def _fits(template: Any, leaf: Any) -> bool:
    """Whether a leaf is a number, or an array of numbers, of its template's shape."""
    if children(leaf) is not None:
        return False
    array = np.asarray(leaf)
    number = array.dtype.kind in ("fciu" if np.iscomplexobj(template) else "fiu")
    return number and array.shape == np.shape(template)


def _like(leaf: Any, template: Any) -> Any:
    """A leaf made complex where its template is."""
    return np.asarray(leaf).astype(np.complex128) if np.iscomplexobj(template) else leaf


def _expected(path: str, template: Any, tree: Any) -> str:
    return f"{path or 'the whole'}: {_kind(tree)} where {_kind(template)} is expected"


def _kind(leaf: Any) -> str:
    """A few words on what an object is, for messages."""
    parts = children(leaf)
    if parts is not None:
        return f"{type(leaf).__name__} of {len(parts)}"
    if isinstance(leaf, np.ndarray):
        return f"{leaf.dtype} array of shape {leaf.shape}"
    return type(leaf).__name__


def _fill(template: Any, vector: NDArray[Any], start: int) -> tuple[Any, int]:
    parts = children(template)
    if parts is not None:
        made = []
        for _, part in parts:
            item, start = _fill(part, vector, start)
            made.append(item)
        return rebuild(template, made), start
    if not is_float(template):
        return template, start
    size = np.size(template) * (1 + bool(np.iscomplexobj(template)))
    return _leaf(template, vector[start : start + size]), start + size


def _leaf(template: Any, entries: NDArray[Any]) -> Any:
    """One leaf from its coordinates, in the template's type or its complex counterpart."""
    lifted = np.iscomplexobj(entries)
    if np.iscomplexobj(template):
        if lifted:
            raise StructureMismatch("complex coordinates for a complex leaf")
        values = np.ascontiguousarray(entries).view(np.complex128)
    else:
        values = entries
    if values.size != np.size(template):
        raise StructureMismatch("too few coordinates for the tree")
    if not isinstance(template, np.ndarray | np.generic):
        return complex(values[0]) if np.iscomplexobj(values) else float(values[0])
    dtype = np.result_type(template.dtype, values.dtype) if lifted else template.dtype
    if isinstance(template, np.generic):
        return dtype.type(values[0])
    made = np.empty_like(template, dtype=dtype)
    made[...] = values.reshape(template.shape)
    return made


def _map(tree: Any, function: Callable[[Any], Any]) -> Any:
    parts = children(tree)
    if parts is None:
        return function(tree)
    return rebuild(tree, [_map(part, function) for _, part in parts])


def _widened(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray | np.generic):
        return leaf
    dtype = np.result_type(leaf.dtype, np.float64)
    return leaf.astype(dtype)


def _copied(leaf: Any) -> Any:
    try:
        return copy.deepcopy(leaf)
    except Exception:  # whatever an object of the user's raises, it only means: not copyable
        return leaf


def _identical(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        alike = type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
        if not alike or one.dtype.hasobject:
            return alike and bool(np.array_equal(one, other))
        return bool(one.tobytes() == other.tobytes())
    if getattr(type(one), "__eq__", None) is object.__eq__:
        return True
    try:
        return bool(one == other) or bool(one != one and other != other)
    except Exception:  # an equality that fails says nothing about change
        return True
