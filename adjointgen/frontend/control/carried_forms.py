"""What stays of the values that a loop carries when their operands are left out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq, Struct, Whole
from adjointgen.frontend.domain.maybe_scalar import Loose
from adjointgen.frontend.domain.module_tables import Layout
from adjointgen.frontend.state.program_state import Key
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import Type
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """A carried value of this type; a `loose` array may be a number in some iterations.

    It may have a `narrow` dtype in some.
    `table` is what is in it, where it is a table of the module in every iteration.
    """

    type: Type
    loose: Loose | None = None
    table: Layout | None = None
    narrow: str | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A carried array or list: names of one group are one object at the head of the loop."""

    content: Form
    group: str


@dataclass(frozen=True, slots=True)
class Items:
    """A carried structure, entry by entry; `like` is one of them."""

    forms: tuple[Form, ...]
    like: Whole


@dataclass(frozen=True, slots=True)
class Same:
    """Not carried: it is what it was; in a `group`, as long as no iteration changes it."""

    value: Abstract
    group: str = ""


Form = Leaf | Held | Items | Same


@dataclass(frozen=True, slots=True)
class Guess:
    """What a loop is assumed to carry: names, cells that it writes, and which of it is tangled.

    What is tangled `late` is so after the loop only, since no iteration reads what it is handed.
    What is `lent` may be held by an object of which nothing is known.
    """

    names: tuple[tuple[Key, Form], ...] = ()
    cells: tuple[tuple[int, Form], ...] = ()
    tangled: frozenset[Key | int] = frozenset()
    unseen: frozenset[Key | int] = frozenset()
    late: frozenset[Key | int] = frozenset()
    lent: frozenset[Key | int] = frozenset()


def fits(form: Form, value: Abstract, cells: Mapping[int, Abstract]) -> bool:
    """Whether a form that was found before has the structure that a value has now."""
    match form, value:
        case Leaf(), Value() | Const():
            return True
        case Same(value=same), _:
            return same == value
        case Held(content=content), Ref(cell=cell):
            return cell in cells and fits(content, cells[cell], cells)
        case Items(forms=forms, like=Seq(kind=kind)), Seq(items=items):
            alike = kind == value.kind
        case Items(forms=forms, like=Struct(kind=kind, keys=keys)), Struct(items=items):
            alike = kind == value.kind and keys == value.keys
        case _:
            return False
    return alike and len(forms) == len(items) and all(map(fits, forms, items, repeat(cells)))
