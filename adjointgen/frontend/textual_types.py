"""The types of arguments, from source alone: what is said, what is certain, and what is a guess.

In this order:

    stated     the caller declares it, an annotation says it, or a default that is no number
    certain    nothing else would run: math.sin(x), range(n)
    assumed    a number, where the default is one, or where it shows no sign of an array; an integer
               in an index. Programs test it where they begin, so none is silently wrong
    guessed    anything else: an array of the rank that `rank_inference.py` finds, or a number

An annotation `np.ndarray` states no rank: the program is one for all ranks. Where there is none,
`closer` has what the uses suggest.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Literal

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.annotations.reading import Left, Unreadable
from adjointgen.frontend.annotations.type_expressions import ANY_DTYPE, OPTIONAL, stated_type
from adjointgen.frontend.array_signs import array_signs, is_of_arrays, structure_sign
from adjointgen.frontend.certain_numbers import certain_numbers
from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.functions.inlining import defaults, parameters
from adjointgen.frontend.rank_inference import ranks_of
from adjointgen.frontend.source.source import Source
from adjointgen.ir.types import FLOAT, INT, OBJECT, Dim, Type, dtype_of
from adjointgen.records import dataclass, replace

Basis = Literal["stated", "certain", "assumed", "guessed"]
NUMBERS = {float: FLOAT, int: INT, complex: Type("complex128")}


@dataclass(frozen=True, slots=True)
class Inferred:
    """The type of one argument: what it rests on, why, and what has to be tested.

    `closer` is a guess that says more than the type does. `real` and `given` are tests of a stated
    type: an array is not complex, and what may be None is not.
    """

    type: Argument
    basis: Basis = "stated"
    why: str = ""
    closer: Type | None = None
    real: bool = False
    given: bool = False


def infer_arguments(source: Source, declared: Mapping[str, Argument]) -> dict[str, Argument]:
    """The types of all parameters from source, guesses included."""
    return {name: found.closer or found.type for name, found in inferred(source, declared).items()}


def inferred(
    source: Source, declared: Mapping[str, Argument], wanted: Collection[str] = ()
) -> dict[str, Inferred]:
    """The types of all parameters from source, each with what it rests on.

    Of `X | None = None`, what is `wanted` as differentiated is X, anything else None.

    Raises TypeMismatch (AG413) for an annotation that states no type.
    """
    rest = (source.arguments.vararg, source.arguments.kwarg)
    found: dict[str, Inferred] = {}
    evidence = _Evidence(source)
    for parameter in parameters(source.arguments):
        name = parameter.arg
        if name in declared:
            found[name] = Inferred(declared[name])
        elif parameter not in rest and not (name == "self" and "." in source.qualname):
            # An instance has no type that is seen in the text of a method.
            found[name] = evidence.of(parameter, wanted)
    return found


class _Evidence:
    """What one function says of its parameters."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names = Names(source.file, source.text)
        self.given = defaults(source.arguments)
        self.ranks = ranks_of(source)
        self.certain = certain_numbers(source)
        self.signs = array_signs(source)
        self.own = [p.arg for p in parameters(source.arguments)]

    def of(self, parameter: ast.arg, wanted: Collection[str]) -> Inferred:
        name, default = parameter.arg, self.given.get(parameter.arg)
        left = ""
        if parameter.annotation is not None:
            try:
                return self.annotated(name, parameter.annotation, default, name in wanted)
            except Left as error:
                left = f"`{error.text}` {error.why}"
        known = None if default is None else _from_default(default)
        if isinstance(known, Fixed):
            return Inferred(known)
        used = self.used(name, known, default)
        if left and used.basis in ("assumed", "guessed"):
            return replace(used, basis="guessed", why=left)
        return used

    def annotated(
        self, name: str, node: ast.expr, default: ast.expr | None, wanted: bool
    ) -> Inferred:
        said: list[str] = []
        try:
            type = stated_type(name, node, self.names, self.own, said)
        except Unreadable as error:
            raise self.unreadable(name, node, error) from error
        known = None if default is None else _from_default(default)
        none = known == Fixed(None)
        if isinstance(known, Fixed) and (type == OBJECT or (none and not wanted)):
            return Inferred(known)
        optional = OPTIONAL in said or none
        real = ANY_DTYPE in said and isinstance(type, Type) and type.is_array
        closer = self.ranked(name, type) if isinstance(type, Type) else None
        return Inferred(type, closer=closer, real=real, given=optional)

    def unreadable(self, name: str, node: ast.expr, error: Unreadable) -> TypeMismatch:
        why = f": {error.why}" if error.why else ""
        return TypeMismatch(
            f"`{error.text}`, in the annotation of {name}, is no type that is known{why}",
            code="AG413",
            span=self.source.span(node),
            source=self.source.text,
            help="write float, int, 'float64[:, :]', NDArray[np.float64], list[float], a dataclass "
            f"of these; or declare it, --type {name}=float64[:], --type {name}=object",
        )

    def ranked(self, name: str, type: Type) -> Type | None:
        """An array of open rank, with that of its use where it is subscripted."""
        rank = self.ranks.least.get(name, 0)
        if not type.is_array or type.shape is not None:
            return None
        if rank < 2 and name not in self.ranks.subscripted:
            return None
        return _array(name, rank, type.dtype)

    def used(self, name: str, known: Type | None, default: ast.expr | None) -> Inferred:
        """The type by default and use."""
        if name in self.certain:
            number = INT if self.certain[name] == "integer" else FLOAT
            return Inferred(known or number, "certain")
        if known is not None:
            return Inferred(known, "assumed", f"its default is {ast.unparse(default or known)}")  # type: ignore[arg-type]
        if (part := structure_sign(self.source.node, name)) is not None:
            return Inferred(OBJECT, "guessed", _at(part, "a structure"))
        rank = self.ranks.rank(name)
        if rank:
            return Inferred(_array(name, rank), "guessed", self.reason(name, rank))
        if name in self.ranks.integers:
            return Inferred(INT, "assumed", "it stands in an index or a range")
        if default is not None and _makes_structure(default):
            return Inferred(FLOAT, "guessed", f"its default `{ast.unparse(default)}` is not read")
        if name in self.signs:
            sign = self.signs[name]
            beside = not sign.direct and bool(self.ranks.least)
            if not beside and is_of_arrays(sign.node, self.names):
                return Inferred(_array(name, 1), "guessed", _at(sign.node, "an array"))
            return Inferred(FLOAT, "guessed", _at(sign.node, "a number, or an array"))
        return Inferred(FLOAT, "assumed", "it shows no sign of an array")

    def reason(self, name: str, rank: int) -> str:
        """The place that says that a parameter is an array."""
        what = f"an array, of {'1 axis' if rank == 1 else f'{rank} axes'} at least"
        return _at(self.ranks.because.get(name), what)


def _array(name: str, rank: int, dtype: str = "float64") -> Type:
    return Type(dtype, tuple(Dim(f"{name}.{k}") for k in range(rank)), "array")


def _at(node: ast.AST | None, what: str) -> str:
    """A reason with its place."""
    if node is None:
        return what
    text = " ".join(ast.unparse(node).split())
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return f"`{text}` in line {getattr(node, 'lineno', 0)}: {what}"


def _makes_structure(node: ast.expr) -> bool:
    """Whether a default is made by NumPy, or a tuple, list or dict."""
    displays = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp)
    return any(
        isinstance(n, displays) or (isinstance(n, ast.Name) and n.id in ("np", "numpy"))
        for n in ast.walk(node)
    )


def _from_default(node: ast.expr) -> Type | Fixed | None:
    match node:
        case ast.Constant(value=bool() | str() | None as value):
            return Fixed(value)
        case ast.Constant(value=float() | int() | complex() as value):
            return NUMBERS[type(value)]
        case ast.UnaryOp(operand=operand):
            return _from_default(operand)
        case ast.Name(id="float" | "int" | "complex" | "bool" as name) | ast.Attribute(
            value=ast.Name(id="np" | "numpy"), attr=name
        ) if name in np.sctypeDict and (dtype := dtype_of(name)):
            return Fixed(np.dtype(dtype).type)
    return None
