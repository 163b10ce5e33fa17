"""What kind of thing a value is: `isinstance`, `type`, `hasattr`, `callable`, `getattr`.

The types of a specialisation decide these, so that only the live path is generated. A number may be
Python's or NumPy's: what tells these apart is asked when the program runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import GeneratorType, NoneType
from typing import NoReturn

import numpy as np

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Bound,
    Class,
    Closure,
    Generator,
    Lazy,
    Method,
    Module,
    Named,
    Outside,
    Partial,
    Range,
    Ref,
    Seq,
    Struct,
    Super,
    Zipped,
    is_iterator,
    is_one_by_one,
)
from adjointgen.frontend.domain.array_classes import array_has, array_is, is_plain
from adjointgen.frontend.domain.classes_of_things import function_has, is_above, told_apart
from adjointgen.frontend.domain.instance_attributes import instances_have
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.domain.named_types import may_be_class, type_named
from adjointgen.frontend.domain.partial_structures import flag_of
from adjointgen.frontend.domain.qualified_names import enum_member
from adjointgen.frontend.expressions.attributes import held, member
from adjointgen.frontend.expressions.instances import find, is_bound
from adjointgen.frontend.expressions.live_attributes import class_of as class_of_living
from adjointgen.frontend.expressions.live_attributes import has_attribute as has_live_attribute
from adjointgen.frontend.expressions.special_methods import class_held, special
from adjointgen.frontend.expressions.super_attributes import class_of_super, found_above
from adjointgen.frontend.library.property_queries import may_lack
from adjointgen.frontend.source.collection_classes import STANDS_FOR
from adjointgen.frontend.source.numpy_polynomials import POLYNOMIALS
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import layout, living
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL, COMPLEX, OBJECT, REAL
from adjointgen.rules.framework.builder import const

ARRAY = "numpy.ndarray"
CLASSES = {"float64": "float", "int64": "int", "bool": "bool", "complex128": "complex"}


def isinstance_(call: Call) -> Abstract | None:
    if len(call.args) != 2:
        return None
    ctx, (value, kinds) = call.ctx, call.args
    found = is_instance(ctx, value, kinds)
    if found is None and isinstance(value, Value) and value.type.kind == "object":
        return _asked(ctx, value, kinds)
    return found


def _asked(ctx: Context, value: Abstract, kinds: Abstract) -> Value:
    """`isinstance`, asked when the program runs."""
    holes = Holes(ctx)
    code = f"isinstance({holes.fill(value)}, {holes.fill(kinds)})"
    return verbatim(ctx, code, holes.operands, BOOL, pure=True)


def issubclass_(call: Call) -> Abstract | None:
    """Decided where both sides are classes that are known, such as `type(x)` of a number."""
    if len(call.args) != 2:
        return None
    classes = list(_flat(call.ctx, call.args[1]))
    cls = type_named(call.args[0])
    if cls is None or not all(isinstance(kind, Named | Class) for kind in classes):
        return None
    return const(any(is_above(kind, cls) for kind in classes))


def is_instance(ctx: Context, value: Abstract, kinds: Abstract) -> Abstract | None:
    """Decided by the type, where the kinds that are asked for are classes that are known."""
    classes = list(_flat(ctx, kinds))
    if not all(isinstance(kind, Named | Class) for kind in classes):
        return None
    known = content(ctx, value)
    if isinstance(value, Zipped | Lazy | Generator) or is_iterator(known):
        return None if (said := told_apart(value, classes)) is None else const(said)
    if isinstance(known, Method):
        known = value = read(ctx, known)
    if not all(map(may_be_class, classes)):
        # `Union[int, float]` of the module, or a tuple of classes such as `np.ScalarType`.
        return _asked(ctx, value, kinds)
    own = _own_class(ctx, known)
    told = told_apart(known, classes) if own is None else any(is_above(k, own) for k in classes)
    if told is not None:
        return const(told)
    if isinstance(known, Value | Const | Ref) and not _is_literal(known):
        _check_kind(ctx, operand := read(ctx, value), classes)
        answers = _answers(operand, classes)
        if len(answers) == 2 or _is_of_any_rank(ctx, operand):
            return _asked(ctx, value, kinds)
        if answers:
            return const(answers.pop())
    name = "builtins.dict" if isinstance(known, Struct) else class_of(ctx, known)
    if name not in _CLASSES:
        return None
    if name == ARRAY:
        _check_array(ctx, classes)
    return const(any(is_above(kind, _CLASSES[name]) for kind in classes))


def _is_of_any_rank(ctx: Context, operand: Operand) -> bool:
    """Whether this may be a number or an array; what has no known rank may be either."""
    kind = operand.type.kind
    rankless = kind == "array" and operand.type.rank is None
    return rankless or kind == "object" or is_loose(ctx.loose, operand)


def _own_class(ctx: Context, known: Abstract) -> type | None:
    """The class of an object of the module, an instance, or an entry of an enumeration."""
    if (entry := enum_member(known.spelling) if isinstance(known, Named) else None) is not None:
        return type(entry)
    if (own := living(ctx, known)) is not None:
        return type(own.value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return STANDS_FOR.get(known.kind.type, known.kind.type)
    return None


def _check_kind(ctx: Context, operand: Operand, asked: Sequence[Abstract] = ()) -> None:
    """Refuse to tell the class of a number that is of several, by the path taken."""
    kinds = (bool, int, float, *([complex] if operand.type.dtype in COMPLEX else []))
    answers = {any(is_above(kind, cls) for kind in asked) for cls in kinds}
    if asked and len(answers) == 1:
        return
    ctx.kinds.add(name_of(operand))
    if ctx.narrow.may_be_whole(operand):
        name = getattr(operand, "root", "") or "this number"
        kind = "real" if ctx.narrow.of(operand) in REAL else "an integer"
        what = f"{name} is {kind} on one path, and not on another"
        ctx.refuse("AG106", what, "ask for its class where it is set")


def _check_array(ctx: Context, asked: Sequence[Abstract]) -> None:
    """Refuse to tell whether an array is of a class that is derived from NumPy's."""
    classes = [type_named(kind) for kind in asked]
    if None in [array_is(cls) for cls in classes if cls is not None]:
        _refuse_derived(ctx, "whether this array is of a class derived from numpy.ndarray")


def _refuse_derived(ctx: Context, what: str) -> NoReturn:
    help = "ask before computing with it, or compute with np.asarray(...) of it"
    ctx.refuse("AG102", f"{what} is not known", help)


def _flat(ctx: Context, kinds: Abstract) -> Iterator[Abstract]:
    """The classes that are asked for; tuples of them may stand in each other."""
    known = content(ctx, kinds)
    for kind in known.items if isinstance(known, Seq) else ():
        yield from _flat(ctx, kind)
    if not isinstance(known, Seq):
        yield known


_CLASSES: dict[str, type] = {
    f"builtins.{kind.__name__}": kind
    for kind in (float, int, bool, complex, str, list, tuple, dict, set, frozenset, NoneType)
} | {ARRAY: np.ndarray}


def _is_literal(value: Abstract) -> bool:
    return isinstance(value, Const) and (value.value is None or isinstance(value.value, str))


def _answers(operand: Operand, classes: list[Abstract]) -> set[bool]:
    """Whether a number is an instance of one of the classes, by the classes that it may be of."""
    if operand.type.kind != "scalar":
        return set()
    return {any(is_above(kind, cls) for kind in classes) for cls in classes_of(operand)}


def classes_of(number: Operand) -> tuple[type, ...]:
    """The classes that a number may be of: Python's and NumPy's, where there are both."""
    if isinstance(number, Const):
        return (type(number.value),)
    numpy_class = np.dtype(number.type.dtype).type
    python_class = _CLASSES.get(f"builtins.{CLASSES.get(number.type.dtype)}")
    return (numpy_class,) if python_class is None else (python_class, numpy_class)


def class_of(ctx: Context, value: Abstract) -> str | None:
    """The qualified name of the class of a value; a NumPy number counts as Python's."""
    if isinstance(value, Zipped):
        # A view of a dict is no tuple.
        return None
    known = content(ctx, value)
    match known:
        case Seq(kind=kind):
            return f"builtins.{kind}"
        case Value() | Outside() if isinstance(table := layout(ctx, known), Table):
            return f"builtins.{table.kind}"
        case Const(value=None | str() as plain):
            return f"builtins.{type(plain).__name__}"
        case Value() | Const() | Ref():
            operand = read(ctx, known)
            of = operand.type
            if of.kind == "array":
                return None if is_loose(ctx.loose, operand) else ARRAY
            if of.kind == "list":
                return "builtins.list"
            return f"builtins.{CLASSES[of.dtype]}" if of.dtype in CLASSES else None
    return None


def type_(call: Call) -> Abstract | None:
    """`type(x)`, to be compared with a class, or called."""
    if len(call.args) != 1:
        return None
    held = content(call.ctx, call.args[0])
    if isinstance(held, Struct) and isinstance(held.kind, Class):
        return None if held.kind.type in STANDS_FOR else held.kind
    if own := living(call.ctx, held):
        return class_of_living(own)
    number = _number(call.ctx, call.args[0])
    if number is not None:
        _check_kind(call.ctx, number)
    if number is not None and len(classes_of(number)) > 1:
        return verbatim(call.ctx, "type(_0_)", (number,), OBJECT, pure=True)
    found = class_of(call.ctx, call.args[0])
    if found is None:
        return None
    if found == ARRAY and not is_plain():
        _refuse_derived(call.ctx, "of which class this array is")
    name = found.removeprefix("builtins.")
    name = "type(None)" if name == "NoneType" else name
    return Named(found, name, "" if name != found else "import numpy")


PLAIN = {"str": "", "list": [], "tuple": (), "set": set(), "frozenset": frozenset()}


def hasattr_(call: Call) -> Abstract | None:
    owner, name = call.args if len(call.args) == 2 else (const(None), const(None))
    if not (isinstance(name, Const) and isinstance(name.value, str)):
        return None
    found = _told(call.ctx, owner, name.value)
    if found and class_held(call.ctx, owner) is not None:
        # A getter is called.
        call.ctx.actions.attribute(call.ctx, owner, name.value, name.value)
    if found is None and (number := _number(call.ctx, owner)) is not None:
        return verbatim(call.ctx, f"hasattr(_0_, {name.value!r})", (number,), BOOL, pure=True)
    return None if found is None else const(found)


def _number(ctx: Context, value: Abstract) -> Operand | None:
    """The number that a value is, if it is one."""
    known = content(ctx, value)
    if not isinstance(known, Value | Const | Ref) or _is_literal(known):
        return None
    operand = read(ctx, value)
    return operand if operand.type.kind == "scalar" else None


def _told(ctx: Context, owner: Abstract, name: str) -> bool | None:
    """The same as `has_attribute`; refused where it depends on the class of an array."""
    found = has_attribute(ctx, owner, name)
    if found is None and class_of(ctx, owner) == ARRAY:
        _refuse_derived(ctx, f"whether this array has the attribute {name}")
    return found


def has_attribute(ctx: Context, owner: Abstract, name: str) -> bool | None:
    """Whether a value of a known class has an attribute."""
    if isinstance(owner, Super):
        above = class_of_super(ctx, owner)
        there = above is not None and found_above(above, owner, name) is not None
        return None if above is None else there or instances_have(object, name)
    if (number := _number(ctx, owner)) is not None:
        answers = {instances_have(cls, name) for cls in classes_of(number)}
        return answers.pop() if len(answers) == 1 else None
    if (own := living(ctx, content(ctx, owner))) is not None:
        return has_live_attribute(ctx, own, name)
    known_object = content(ctx, owner)
    if is_one_by_one(known_object):
        return None if hasattr(GeneratorType, name) else hasattr(zip, name)
    if isinstance(known_object, Struct) and isinstance(known_object.kind, Class):
        if (meant := STANDS_FOR.get(known_object.kind.type)) is not None:
            return instances_have(meant, name)
        return _instance_has(ctx, owner, known_object, known_object.kind.type, name)
    if isinstance(known_object, Struct) and known_object.kind == "dict":
        return hasattr(dict, name)
    if (known := class_of(ctx, owner)) is None:
        return function_has(owner, name)
    plain = known.removeprefix("builtins.")
    if plain in PLAIN:
        return hasattr(PLAIN[plain], name)
    return hasattr(None, name) if plain == "NoneType" else array_has(name)


def _instance_has(ctx: Context, owner: Abstract, held: Struct, cls: type, name: str) -> bool | None:
    """Whether an instance has an attribute; one of the caller's may have others than are open."""
    if held.get(name) is not None:
        return True if flag_of(held, name) is None else None
    if find(cls, "__getattr__") is not None or find(cls, "__getattribute__") is not None:
        return None
    found = find(cls, name)
    # What a property gives is found by code of its own.
    computed = found is not None and hasattr(type(found[1]), "__get__") and not is_bound(found[1])
    lives = held.place is not None and ctx.memo.get(("live", held.place)) is not None
    if lives and (computed or found is None):
        return None
    unsure = computed and (ctx.catching or may_lack(ctx, owner, name))
    return None if unsure else found is not None or instances_have(object, name)


def callable_(call: Call) -> Abstract | None:
    if call.args and special(call.ctx, call.args[0], "__call__") is not None:
        return const(True)
    if len(call.args) == 1 and (cls := class_held(call.ctx, call.args[0])) is not None:
        find(cls, "__call__")  # noted
        return const(any("__call__" in vars(base) for base in cls.__mro__))
    match call.args:
        case [Closure() | Named() | Method() | Bound() | Partial() | Class()]:
            return const(True)
        case [Module() | Range()]:
            return const(False)
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
        found = _told(call.ctx, owner, name.value)
        if not found:
            return None if found is None else default[0]
    text = f"{call.ctx.text(call.node.args[0])}.{name.value}"
    return held(call.ctx, member(call.ctx, owner, name.value, text))


def _of_polynomials(special: Special) -> Special:
    """What is asked of any object but a polynomial of NumPy's, for which another class stands."""

    def asked(call: Call) -> Abstract | None:
        ctx, (value, *kinds) = call.ctx, call.args or [const(None)]
        inner = (one for kind in kinds for one in getattr(content(ctx, kind), "items", (kind,)))
        own = any(isinstance(kind, Class) and kind.type in POLYNOMIALS for kind in inner)
        cls = class_held(ctx, value)
        if cls is not None and issubclass(cls, POLYNOMIALS) and not own:
            what = "which class a polynomial is of, and what it has, is asked of NumPy's own"
            ctx.refuse("AG102", what, "ask before the function", node=call.node)
        return special(call)

    return asked


SPECIAL: dict[str, Special] = {
    "builtins.isinstance": _of_polynomials(isinstance_),
    "builtins.type": _of_polynomials(type_),
    "builtins.issubclass": issubclass_,
    "builtins.hasattr": _of_polynomials(hasattr_),
    "builtins.callable": callable_,
    "builtins.getattr": _of_polynomials(getattr_),
}
