"""Running generated text: compiled once, with its lines registered for tracebacks and debuggers.

The code lives in a namespace of its own; the user's module is neither read nor written, but for
the objects that the program reads at run time, which are passed in by name.
"""

from __future__ import annotations
import __future__

import dis
import hashlib
import linecache
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, ModuleType
from typing import Any

from adjointgen.api.arguments.structure_layout import Layout
from adjointgen.api.seeds.seed_arrangement import Seeding
from adjointgen.api.specialize.exits import NO_EXITS, Exits
from adjointgen.api.specialize.length_guards import Relation
from adjointgen.api.specialize.tape import taping
from adjointgen.errors import Unsupported
from adjointgen.records import dataclass
from adjointgen.watch import MISSING, Look, is_name


@dataclass(frozen=True, slots=True)
class Made:
    """The text of a program, its name, its seeds, the look-ups.

    `written` are the positions of the parameters that the primal writes to. `layout` says where the
    leaves of structures are, if there are any. `exact` are integers whose values are part of it,
    `alike` lengths of arguments that it takes to be a fixed number apart. `exits` are what it
    ends in where a path begins that it is not made for. `reverse` is the name of the reverse sweep
    where the program is a forward sweep. A function `acts` that does more than compute and raise,
    and `changes` objects where it may set something in them.
    A `guarded` program for a batch may go wrong for samples for which the function would not.
    Of a compiled program an `outer` one is left to Python, and what it calls is compiled.
    """

    text: str
    name: str
    seeding: Seeding | None
    looks: tuple[Look, ...]
    written: tuple[int, ...] = ()
    layout: Layout | None = None
    exact: frozenset[str] = frozenset()
    alike: tuple[Relation, ...] = ()
    exits: Exits = NO_EXITS
    reverse: str = ""
    acts: bool = False
    outer: bool = False
    guarded: bool = True
    changes: bool = False

    @property
    def lasting(self) -> bool:
        """Whether it can be a program of another function, or process, too."""
        return self.layout is None and not self.exits.messages

    @property
    def seeds(self) -> tuple[str, ...]:
        """The parameters that are seeds."""
        return () if self.seeding is None else self.seeding.names


def load(made: Made, function: Any = None) -> Callable[..., Any]:
    """The function of a generated module.

    Classes that it defines are named like those of the user's function.

    Raises Unsupported (AG108) where it would read two objects of one name.
    """
    text, name = made.text, made.name
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    filename = f"<adjointgen {name} {digest}>"
    module = getattr(function, "__module__", None) if "class " in text else None
    flags = __future__.annotations.compiler_flag
    if module:
        # What stands in the annotations of a class can be asked for.
        flags &= function.__code__.co_flags
    code = _compiled(text, filename, flags)
    if module:
        code = _renamed(code, f"{name}.<locals>", f"{function.__qualname__}.<locals>")
    namespace: dict[str, Any] = {
        "__name__": module or f"adjointgen.generated.{name}",
        **_given(made.looks, code),
    }
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(code, namespace)
    found: Callable[..., Any] = namespace[name]
    return taping(found, namespace[made.reverse]) if made.reverse else found


@lru_cache(maxsize=64)
def _compiled(text: str, filename: str, flags: int) -> CodeType:
    """The code of a text, which functions of one text share."""
    code: CodeType = compile(text, filename, "exec", flags, dont_inherit=True)
    return code


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    """Code in which what is defined inside of a function has another qualified name."""

    def named(value: Any) -> Any:
        if isinstance(value, CodeType):
            return _renamed(value, old, new)
        inside = isinstance(value, str) and value.startswith(old)
        return new + value.removeprefix(old) if inside else value

    own = {"co_qualname": named(code.co_qualname)} if hasattr(code, "co_qualname") else {}
    return code.replace(co_consts=tuple(map(named, code.co_consts)), **own)


def _given(looks: Iterable[Look], code: CodeType) -> dict[str, object]:
    """What the looked-up names stand for; the text imports modules itself."""
    found: dict[str, object] = {}
    twice: list[str] = []
    own = _stored(code)
    defined = {inner.co_name for inner in code.co_consts if isinstance(inner, CodeType)}
    for look in looks:
        if not is_name(look):
            continue
        imported = look.name in own and isinstance(look.value, BuiltinFunctionType | ModuleType)
        if look.value is MISSING or imported or look.name in defined:
            continue
        if found.setdefault(look.name, look.value) is not look.value:
            twice.append(look.name)
    # Two numbers of one name are most often both folded, and then neither is read.
    if twice and (clash := {*_global_reads(code)}.intersection(twice)):
        name = min(clash)
        raise Unsupported(
            f"two different objects are called {name}, one in a helper",
            code="AG108",
            help=f"rename one of them, or pass {name} to the helper as an argument",
        )
    return found


@lru_cache(maxsize=64)
def _stored(code: CodeType) -> frozenset[str]:
    """The names that code of a module assigns."""
    found = (s.argval for s in dis.get_instructions(code) if s.opname == "STORE_NAME")
    return frozenset(found)


def _global_reads(code: CodeType) -> Iterator[str]:
    """The names that code reads from its module."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_reads(constant)
