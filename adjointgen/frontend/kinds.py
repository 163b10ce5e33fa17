"""What kind of thing a value is: `isinstance`, `type`, `hasattr`, `callable`, `getattr`.

The types of a specialisation decide these, so that only the live path is generated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjointgen.frontend.attributes import member
from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.cells import content, read
from adjointgen.frontend.context import Context
from adjointgen.frontend.loose import is_loose
from adjointgen.frontend.values import Abstract, Closure, Method, Module, Named, Ref, Seq
from adjointgen.frontend.verbatim import Holes, verbatim
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import BOOL, INTEGER, REAL, Type
from adjointgen.rules.build import const

NUMBERS: dict[str, Callable[[Type], bool]] = {
    "builtins.float": lambda t: t.dtype == "float64",
    "builtins.int": lambda t: t.dtype in ("int64", "bool"),
    "builtins.bool": lambda t: t.dtype == "bool",
    "builtins.complex": lambda t: t.dtype == "complex128",
    "numpy.floating": lambda t: t.dtype in REAL,
    "numpy.integer": lambda t: t.dtype in INTEGER,
    "numbers.Number": lambda t: True,
    "numbers.Real": lambda t: t.dtype in REAL or t.dtype in INTEGER or t.dtype == "bool",
    "numbers.Integral": lambda t: t.dtype in INTEGER or t.dtype == "bool",
}
CLASSES = {"float64": "float", "int64": "int", "bool": "bool", "complex128": "complex"}


def isinstance_(call: Call) -> Abstract | None:
    if len(call.args) != 2:
        return None
    ctx, (value, kinds) = call.ctx, call.args
    found = is_instance(ctx, value, kinds)
    if found is None and isinstance(value, Value) and value.type.kind == "object":
        holes = Holes(ctx)
        code = f"isinstance({holes.fill(value)}, {holes.fill(kinds)})"
        return verbatim(ctx, code, holes.operands, BOOL, pure=True)
    return found


def is_instance(ctx: Context, value: Abstract, kinds: Abstract) -> Abstract | None:
    """Decided by the type, where the kinds that are asked for are the usual ones."""
    wanted = content(ctx, kinds)
    classes = wanted.items if isinstance(wanted, Seq) else (wanted,)
    names = [k.spelling for k in classes if isinstance(k, Named)]
    if len(names) < len(classes):
        return None
    known = content(ctx, value)
    name = class_of(ctx, known)
    if name is not None and not isinstance(known, Value | Const | Ref):
        return const(name in names)
    if isinstance(known, Const) and (known.value is None or isinstance(known.value, str)):
        return const(name in names)
    if not isinstance(known, Value | Const | Ref):
        return None
    operand = read(ctx, value)
    type = operand.type
    match "object" if is_loose(ctx.loose, operand) else type.kind:
        case "object":
            holes = Holes(ctx)
            code = f"isinstance({holes.fill(value)}, {holes.fill(kinds)})"
            return verbatim(ctx, code, holes.operands, BOOL, pure=True)
        case "array":
            return const("numpy.ndarray" in names)
        case "list":
            return const("builtins.list" in names)
    return const(any(NUMBERS[n](type) for n in names if n in NUMBERS))


def class_of(ctx: Context, value: Abstract) -> str | None:
    """The qualified name of the class of a value; a NumPy number counts as Python's."""
    known = content(ctx, value)
    match known:
        case Seq(kind=kind):
            return f"builtins.{kind}"
        case Const(value=None):
            return "builtins.NoneType"
        case Const(value=str()):
            return "builtins.str"
        case Value() | Const() | Ref():
            operand = read(ctx, known)
            type = operand.type
            if type.kind == "array":
                if is_loose(ctx.loose, operand):
                    return None
                return "numpy.ndarray"
            if type.kind == "list":
                return "builtins.list"
            return f"builtins.{CLASSES[type.dtype]}" if type.dtype in CLASSES else None
    return None


def type_(call: Call) -> Abstract | None:
    """`type(x)`, to be compared with a class."""
    found = class_of(call.ctx, call.args[0]) if len(call.args) == 1 else None
    if found is None:
        return None
    name = found.removeprefix("builtins.")
    return Named(found, name, "" if name != found else "import numpy")


PLAIN = {"float": 0.0, "int": 0, "bool": False, "complex": 0j, "str": "", "list": [], "tuple": ()}


def hasattr_(call: Call) -> Abstract | None:
    if len(call.args) != 2:
        return None
    owner, name = call.args
    if not (isinstance(name, Const) and isinstance(name.value, str)):
        return None
    found = has_attribute(call.ctx, owner, name.value)
    return None if found is None else const(found)


def has_attribute(ctx: Context, owner: Abstract, name: str) -> bool | None:
    """Whether a value of a known class has an attribute."""
    known = class_of(ctx, owner)
    if known is None:
        return None
    plain = known.removeprefix("builtins.")
    if plain in PLAIN:
        return hasattr(PLAIN[plain], name)
    return hasattr(None, name) if plain == "NoneType" else hasattr(np.ndarray, name)


def callable_(call: Call) -> Abstract | None:
    match call.args:
        case [Closure() | Named() | Method()]:
            return const(True)
        case [value] if class_of(call.ctx, value) is not None:
            return const(False)
    return None


def getattr_(call: Call) -> Abstract | None:
    """`getattr(x, "name")` is `x.name`."""
    if len(call.args) < 2:
        return None
    owner, name, *default = call.args
    if not (isinstance(name, Const) and isinstance(name.value, str)):
        return None
    if default and not isinstance(owner, Module):
        found = has_attribute(call.ctx, owner, name.value)
        if not found:
            return None if found is None else default[0]
    return member(call.ctx, owner, name.value, f"{call.ctx.text(call.node.args[0])}.{name.value}")


SPECIAL: dict[str, Special] = {
    "builtins.isinstance": isinstance_,
    "builtins.type": type_,
    "builtins.hasattr": hasattr_,
    "builtins.callable": callable_,
    "builtins.getattr": getattr_,
}
