"""The types of a module's arguments: stated, certain, or tested where its programs begin.

A type that the text leaves open is a guess, which a person has to allow: a module for a wrong rank
computes wrong numbers. What is guessed or assumed is tested by the programs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from adjointgen.config.options import Options
from adjointgen.config.types import argument_type
from adjointgen.errors import AdjointgenError, TypeMismatch
from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.textual_types import Inferred, inferred
from adjointgen.ir.types import Dim, Type

SHORT: Final = {"float64": "float", "int64": "int", "complex128": "complex"}
Types = Mapping[str, Inferred]


def argument_types(source: Source, options: Options) -> dict[str, Inferred]:
    """What is known of a function's parameters.

    Raises TypeMismatch (AG413) for an annotation or a declaration that states no type.
    """
    found = inferred(source, declared(source, options), options.wrt)
    if options.guess:
        return {name: _closer(one) for name, one in found.items()}
    return found


def arguments_of(source: Source, options: Options) -> Mapping[str, Argument]:
    """The types and fixed values of a function's parameters, guesses included."""
    types = argument_types(source, options)
    return {name: one.closer or one.type for name, one in types.items()}


def declared(source: Source, options: Options) -> dict[str, Argument]:
    """What options say of a function's parameters. Raises TypeMismatch (AG413)."""
    own = [parameter.arg for parameter in parameters(source.arguments)]
    names = Names(source.file, source.text)
    types = {name: _declared(name, text, names) for name, text in options.types if name in own}
    return types | {name: Fixed(value) for name, value in options.constants if name in own}


def _declared(name: str, text: str, names: Names) -> Argument:
    try:
        return argument_type(name, text, names)
    except ValueError as error:
        raise TypeMismatch(
            f"the type declared for {name} is none: {error}",
            code="AG413",
            help=f"write float, a dataclass, an array: --type {name}=float64[:, :]",
        ) from error


def _closer(one: Inferred) -> Inferred:
    """The type that a guess makes closer."""
    if one.closer is None:
        return one
    return Inferred(one.closer, "guessed", f"`{type_text(one.closer)}` by its use", real=one.real)


def require_known(source: Source, types: Types, allowed: bool) -> None:
    """Refuse what is guessed, unless that is allowed. Raises TypeMismatch (AG412)."""
    guessed = {name: one for name, one in types.items() if one.basis == "guessed"}
    if guessed and not allowed:
        raise unknown(source, guessed)
    for name, one in types.items():
        if isinstance(one.type, Parts):
            raise TypeMismatch(
                f"{name} is a structure, which a module is made of by an example",
                code="AG412",
                span=source.span(_parameter(source, name)),
                source=source.text,
                help="give an example call: --example FILE.py::NAME, or example=(...)",
            )


def unknown(source: Source, guessed: Types, error: AdjointgenError | None = None) -> TypeMismatch:
    """What is raised for types that the text leaves open."""
    first, *others = guessed
    what = f"the types of {', '.join(guessed)} are" if others else f"the type of {first} is"
    needed = f" ({error.message})" if error else ""
    advice = "or give an example call, --example; --guess would take"
    sends = "mpi4py" in source.text
    shown = {name: type_text(one.closer or one.type) for name, one in guessed.items()}
    width = max(len(f"{name} = {text}") for name, text in shown.items())
    rows = [
        f"    {f'{name} = {text}'.ljust(width)}   {guessed[name].why}".rstrip()
        for name, text in shown.items()
    ]
    return TypeMismatch(
        f"{what} not known from the text{needed}",
        code="AG412",
        span=source.span(_parameter(source, first)),
        source=source.text,
        label=guessed[first].why,
        help="\n".join(
            [
                f"{_advice(first, shown[first], sends)}, {advice}",
                *rows,
            ]
        ),
    )


def has_open_rank(one: Inferred) -> bool:
    """Whether an argument is stated to be an array of any rank."""
    return isinstance(one.type, Type) and one.type.is_array and one.type.shape is None


def supposed(name: str, one: Inferred) -> Argument:
    """The type with a rank: that of its use, or 1."""
    if one.closer is not None or not has_open_rank(one):
        return one.closer or one.type
    assert isinstance(one.type, Type)
    return one.type.with_shape((Dim(f"{name}.0"),))


def _advice(name: str, text: str, sends: bool) -> str:
    if text == "object":
        more = ", or as MPI.Comm" if sends else ""
        return f"annotate {name} as a dataclass or TypedDict whose fields have types{more}"
    written = text if text.isidentifier() else f'"{text}"'
    return f"annotate it, {name}: {written}, or declare it, --type {name}={text}"


def _parameter(source: Source, name: str) -> ast.arg:
    return next(p for p in parameters(source.arguments) if p.arg == name)


def guesses(types: Types) -> tuple[str, ...]:
    """What is guessed, as `name = type`."""
    return tuple(
        f"{name} = {type_text(one.type)}" for name, one in types.items() if one.basis == "guessed"
    )


def type_text(type: Argument) -> str:
    """A type as it is declared: `float64[:, :]`."""
    if not isinstance(type, Type):
        return repr(type.value) if isinstance(type, Fixed) else "a structure"
    if type.kind == "object":
        return "object"
    if type.is_scalar:
        return SHORT.get(type.dtype, type.dtype)
    if type.kind == "list":
        inner = (type.shape or ())[1:]
        item = SHORT.get(type.dtype, type.dtype) if not inner else _array_text(type.dtype, inner)
        return f"list[{item}]"
    return f"{type.dtype}[...]" if type.shape is None else _array_text(type.dtype, type.shape)


def _array_text(dtype: str, shape: tuple[Dim | None, ...]) -> str:
    return f"{dtype}[{', '.join(map(_length, shape))}]"


def _length(dim: Dim | None) -> str:
    return ":" if dim is None or "." in dim.symbol else str(dim)
