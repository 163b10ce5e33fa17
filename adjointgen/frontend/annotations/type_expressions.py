"""The type that an expression states: an annotation, or what `--type` is given.

    float    float64[:, 3]    float64[n, m]    float64[...]    list[float]    tuple[float, int]
    NDArray[np.float64]    np.ndarray[tuple[int, int], np.dtype[np.float64]]
    Float[np.ndarray, "n m"]    Annotated[np.ndarray, "float64[:, :]"]    Optional[float]
    a dataclass, a named tuple or a TypedDict of these, and an alias of any

`:` is any length but 1, since what has length 1 broadcasts, and code that sums over a broadcast
axis is other code. `float64[...]` is an array of any rank.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Final

from adjointgen.frontend.annotations.class_fields import class_parts, functional_parts
from adjointgen.frontend.annotations.jaxtyping_shapes import shape_of, spelled_kind
from adjointgen.frontend.annotations.names import Definition, Names, Several
from adjointgen.frontend.annotations.reading import Left, Unreadable
from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.structures import Argument, part_name
from adjointgen.ir.types import BOOL, DTYPES, FLOAT, INT, OBJECT, Dim, Shape, Type, dtype_of

SCALARS: Final = {
    "float": FLOAT,
    "int": INT,
    "complex": Type("complex128"),
    "bool": BOOL,
    "numbers.Real": FLOAT,
    "numbers.Integral": INT,
}
_TEXTS: Final = {"str", "bytes", "object", "type", "slice", "range", "set", "frozenset"}
_ANYTHING: Final = frozenset(
    {"Any", "ArrayLike", "TypeVar", "Sequence", "Iterable", "Iterator", "Collection"}
    | {"SupportsFloat", "SupportsIndex", "Number", "floating", "number", "inexact", "Self"}
)
_COUNTLESS: Final = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
_AROUND: Final = {"Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Const"}
_SHORT: Final = {"float": "float64", "int": "int64", "complex": "complex128"}


def stated_type(
    name: str,
    node: ast.expr,
    names: Names,
    taken: Collection[str] = (),
    said: list[str] | None = None,
) -> Argument:
    """The type that an expression states for an argument.

    `taken` are the names of parameters, which the lengths of jaxtyping do not mean. `said` gets
    `OPTIONAL` where None is possible too, and `ANY_DTYPE` where a dtype is not stated.

    Raises Left where it leaves the type open, and Unreadable where it states none.
    """
    return _Reader(names, taken, [] if said is None else said).read(name, node)


OPTIONAL: Final = "optional"
ANY_DTYPE: Final = "any dtype"


class _Reader:
    """Reads expressions whose names are those of one module."""

    def __init__(self, names: Names, taken: Collection[str], said: list[str]) -> None:
        self.names, self.taken, self.said = names, taken, said

    def read(self, name: str, node: ast.expr) -> Argument:
        match node:
            case ast.Constant(value=str(text)):
                return self.read(name, parsed(text))
            case ast.Constant(value=None):
                return Fixed(None)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.union(name, [left, right])
            case ast.Subscript(value=head, slice=inner):
                return self.subscript(name, node, head, inner)
            case ast.Name() | ast.Attribute():
                return self.name(name, node)
            case ast.Call(args=[inner, *_]) if self.tail(node.func) == "NewType":
                return self.read(name, node.args[-1])
            case ast.Call(func=function, args=args, keywords=keywords):
                kind = self.tail(function)
                if kind == "TypeVar":
                    return self.variable(name, args, keywords)
                return functional_parts(name, kind, args, self.read, self.names.home)
        raise Unreadable(ast.unparse(node))

    def found(self, node: ast.expr) -> str | tuple[Definition, Names]:
        try:
            return self.names.find(node)
        except Several as error:
            why = f"the module defines {error} in several ways"
            raise Unreadable(ast.unparse(node), why) from error

    def tail(self, node: ast.expr) -> str:
        """The last part of a name from outside; empty for what the text defines."""
        found = self.found(node)
        return found.rpartition(".")[2] if isinstance(found, str) else ""

    def name(self, name: str, node: ast.expr) -> Argument:
        found = self.found(node)
        if isinstance(found, str):
            if found.rpartition(".")[2] in ("ndarray", "NDArray"):
                self.said.append(ANY_DTYPE)
            return _from_outside(found, ast.unparse(node))
        definition, home = found
        if self.names.depth > LIMIT:
            raise Unreadable(ast.unparse(node), "it is defined by itself")
        inner = _Reader(Names(home.file, home.text, self.names.depth + 1), self.taken, self.said)
        if isinstance(definition, ast.ClassDef):
            return class_parts(name, definition, inner.read, inner.found, home.home)
        return inner.read(name, definition)

    def variable(
        self, name: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> Argument:
        """A type variable is its bound."""
        for keyword in keywords:
            if keyword.arg == "bound":
                return self.read(name, keyword.value)
        raise Left("a type variable", "may be several types")

    def union(self, name: str, members: Sequence[ast.expr]) -> Argument:
        """`X | None` is X, or None where it has that default; `int | float` is a float."""
        found: list[Argument] = []
        for member in members:
            type = self.read(name, member)
            if type == Fixed(None):
                self.said.append(OPTIONAL)
            elif type not in found:
                found.append(type)
        if {FLOAT, INT} == {t for t in found if isinstance(t, Type)} and len(found) == 2:
            return FLOAT
        if len(found) > 1:
            raise Left(" | ".join(map(ast.unparse, members)), "may be several types")
        return found[0] if found else Fixed(None)

    def subscript(
        self, name: str, node: ast.Subscript, head: ast.expr, inner: ast.expr
    ) -> Argument:
        found = self.found(head)
        if not isinstance(found, str):
            raise Unreadable(ast.unparse(node), "a class with parameters is not read")
        entries = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        kind = found.rpartition(".")[2]
        if (dtype := _dtype(found)) is not None:
            return Type(dtype, _shape(name, entries, node), "array")
        if spelled_kind(found) and len(entries) == 2:
            return self.shaped(name, found, entries, node)
        if kind in _SUBSCRIPTS:
            return _SUBSCRIPTS[kind](self, name, entries, node)
        if kind in _AROUND:
            return self.read(name, entries[0])
        if kind in _COUNTLESS:
            raise Left(ast.unparse(node), "does not say which keys it has")
        if kind in _ANYTHING:
            raise Left(ast.unparse(node), "does not say how many entries it has")
        if _is_opaque(found) or kind in ("Callable", "type", "Type"):
            return OBJECT
        raise Unreadable(ast.unparse(node))

    def shaped(
        self, name: str, found: str, entries: Sequence[ast.expr], node: ast.expr
    ) -> Argument:
        """jaxtyping's `Float[np.ndarray, "n m"]`."""
        match entries[1]:
            case ast.Constant(value=str(text)):
                shape = shape_of(name, text)
                if shape is not None:
                    shape = tuple(None if d and d.symbol in self.taken else d for d in shape)
                return Type(spelled_kind(found), shape, "array")
        raise Unreadable(ast.unparse(node), "its axes are no text")

    def array(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        """`NDArray[dtype]`."""
        return Type(self.dtype(entries[0]), None, "array")

    def numpy_array(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        """`np.ndarray[shape, np.dtype[…]]`."""
        dtype = entries[1] if len(entries) > 1 else None
        match dtype:
            case ast.Subscript(slice=inner):
                dtype = inner
        if dtype is None:
            self.said.append(ANY_DTYPE)
        known = "float64" if dtype is None else self.dtype(dtype)
        match entries[0]:
            case ast.Subscript(slice=lengths):
                axes = lengths.elts if isinstance(lengths, ast.Tuple) else [lengths]
                if not any(_is_rest(axis) for axis in axes):
                    shape = tuple(_axis(name, k, a) for k, a in enumerate(axes))
                    return Type(known, shape, "array")
        return Type(known, None, "array")

    def dtype(self, node: ast.expr) -> str:
        """The dtype that an expression names."""
        node = node.value if isinstance(node, ast.Subscript) else node
        found = self.found(node)
        if not isinstance(found, str):
            return self.dtype(found[0]) if isinstance(found[0], ast.expr) else _no_dtype(node)
        dtype = dtype_of(found.rpartition(".")[2])
        if found.rpartition(".")[2] in ("Any", "floating", "inexact", "number", "generic"):
            self.said.append(ANY_DTYPE)
            return "float64"
        return dtype or _no_dtype(node)

    def list_of(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        item = self.read(name, entries[0])
        if not isinstance(item, Type) or item.kind == "object" or item.shape is None:
            raise Left(ast.unparse(node), "does not say how many entries it has")
        return Type(item.dtype, (Dim(f"{name}.0"), *(None for _ in item.shape)), "list")

    def tuple_of(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        if any(_is_rest(entry) for entry in entries):
            raise Left(ast.unparse(node), "does not say how many entries it has")
        read = [self.read(part_name(name, k), entry) for k, entry in enumerate(entries)]
        return Parts("tuple", tuple(range(len(read))), tuple(read), object())

    def annotated(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        """`Annotated[type, …]`: what is beside the type may say more of an array."""
        type = self.read(name, entries[0])
        if not isinstance(type, Type) or type.shape is not None:
            return type
        for beside in entries[1:]:
            match beside:
                case ast.Constant(value=str()):
                    try:
                        return self.read(name, beside)
                    except (Left, Unreadable):
                        continue
                case ast.Subscript(slice=inner) if self.tail(beside.value) == "Literal":
                    axes = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                    shape = tuple(_axis(name, k, axis) for k, axis in enumerate(axes))
                    return Type(type.dtype, shape, "array")
        return type

    def literal(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        match entries:
            case [ast.Constant(value=bool() | str() | None as value)]:
                return Fixed(value)
        return OBJECT

    def either(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        return self.union(name, entries)

    def optional(self, name: str, entries: Sequence[ast.expr], node: ast.expr) -> Argument:
        self.said.append(OPTIONAL)
        return self.read(name, entries[0])


LIMIT: Final = 16
_Handler = Callable[[_Reader, str, Sequence[ast.expr], ast.expr], Argument]
_SUBSCRIPTS: Final[dict[str, _Handler]] = {
    "NDArray": _Reader.array,
    "ndarray": _Reader.numpy_array,
    "list": _Reader.list_of,
    "List": _Reader.list_of,
    "tuple": _Reader.tuple_of,
    "Tuple": _Reader.tuple_of,
    "Annotated": _Reader.annotated,
    "Literal": _Reader.literal,
    "Union": _Reader.either,
    "Optional": _Reader.optional,
}


def parsed(text: str) -> ast.expr:
    """The expression of a text. Raises Unreadable."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Unreadable(text.strip(), "it is no expression") from error


def _dtype(found: str) -> str | None:
    """The dtype of a name that stands for an array where lengths follow: `float64[:]`."""
    head, _, tail = found.rpartition(".")
    tail = _SHORT.get(tail, tail) if not head else tail
    return tail if tail in DTYPES and head in ("", "numpy") else None


def _no_dtype(node: ast.expr) -> str:
    raise Unreadable(ast.unparse(node), "it is no dtype of numbers")


def _from_outside(found: str, written: str) -> Argument:
    """What a name means that no text of the user's defines."""
    if found in SCALARS:
        return SCALARS[found]
    head, _, tail = found.rpartition(".")
    if tail in ("ndarray", "NDArray") or (tail == "Array" and head == "jax"):
        return Type("float64", None, "array")
    if head in ("", "numpy") and tail not in ("", "object", "str", "bytes"):
        dtype = tail if not head else dtype_of(tail)
        if dtype in DTYPES:
            return Type(dtype)
    if tail in ("list", "List", "tuple", "Tuple"):
        raise Left(written, "does not say what it holds")
    if tail in _COUNTLESS:
        raise Left(written, "does not say which keys it has")
    if tail in _ANYTHING:
        raise Left(written, "may be several types")
    if tail in ("Callable", "LiteralString", "Hashable") or _is_opaque(found):
        return OBJECT
    raise Unreadable(written)


def _is_opaque(found: str) -> bool:
    """Whether objects of a class are passed on as they are: texts, files, communicators."""
    head = found.partition(".")[0]
    if "." not in found:
        return found in _TEXTS
    outside = head in sys.stdlib_module_names and head not in ("typing", "collections", "numbers")
    return outside or found.startswith(("numpy.random.", "numpy.dtype", "mpi4py.MPI."))


def states_communicator(node: ast.expr | None, names: Names) -> bool:
    """Whether an annotation says that this is a communicator of MPI."""
    match node:
        case ast.Constant(value=str(text)):
            return states_communicator(parsed(text), names)
        case ast.Name() | ast.Attribute():
            text = names.outside(node)
            return text.startswith("mpi4py.MPI.") and text.lower().endswith("comm")
    return False


def _is_rest(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value) if value is ...:
            return True
        case ast.Name(id="Any"):
            return True
    return False


def _shape(name: str, entries: Sequence[ast.expr], node: ast.expr) -> Shape | None:
    """The lengths of `float64[:, 3, n]`."""
    if len(entries) == 1 and _is_rest(entries[0]):
        return None
    return tuple(_length(name, k, entry, node) for k, entry in enumerate(entries))


def _length(name: str, axis: int, entry: ast.expr, node: ast.expr) -> Dim:
    match entry:
        case ast.Slice(lower=None, upper=None, step=None):
            return Dim(f"{name}.{axis}")
        case ast.Constant(value=int(length)) if not isinstance(length, bool):
            return Dim("", length)
        case ast.Name(id=symbol):
            return Dim(symbol)
    why = f"the length {ast.unparse(entry)!r} is not `:`, a number or a name"
    raise Unreadable(ast.unparse(node), why)


def _axis(name: str, axis: int, entry: ast.expr) -> Dim:
    """An axis of `tuple[int, Literal[3]]`."""
    match entry:
        case ast.Subscript(slice=ast.Constant(value=int(length))):
            return Dim("", length)
        case ast.Constant(value=int(length)):
            return Dim("", length)
    return Dim(f"{name}.{axis}")
