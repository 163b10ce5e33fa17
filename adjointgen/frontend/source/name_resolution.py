"""What a global name is: two answers, from the live objects and from the text of the module.

Both say the same kinds of things: a module, a qualified function (`numpy.sin`, whatever the user
calls it), a function with source, a constant that is folded, or an object that is read at run time.
The text is only parsed, so a program can be generated from source that is never executed.
"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from types import FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any, is_typeddict

import numpy as np

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Bound,
    Class,
    Closure,
    Functions,
    Module,
    Named,
    Outside,
    Partial,
    Seq,
)
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.measured_arrays import measured
from adjointgen.frontend.domain.module_tables import Known, Table, interpolant_of, looked_into
from adjointgen.frontend.domain.qualified_names import (
    batch_axes,
    entry_spelling,
    from_line,
    owner_of,
    spelling_of,
    type_outside,
    vectorized_as,
)
from adjointgen.frontend.domain.scipy_names import MODULES
from adjointgen.frontend.domain.structures import is_lowered
from adjointgen.frontend.source.changed_members import changes
from adjointgen.frontend.source.decorators import derived
from adjointgen.frontend.source.live_modules import module_of, number_of
from adjointgen.frontend.source.live_objects import (
    calls_itself,
    entry,
    is_literal,
    is_logger,
    is_wrapped_generator,
)
from adjointgen.frontend.source.module_search import home_of
from adjointgen.frontend.source.replaceable_text import (
    defaults_of,
    has_rule,
    is_other,
    is_users,
    look_at_wrappers,
    same_partial,
)
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE
from adjointgen.watch import (
    MISSING,
    Cell,
    Declared,
    Definition,
    Entries,
    Held,
    Members,
    look,
    look_at_form,
    means_another,
)
from adjointgen.wrapping import keeps_results, layers, plain

# What these modules define in Python computes no numbers of the user's, and keeps a state.
PASSIVE = (
    *("contextlib", "copy", "datetime", "io", "json", "logging", "os", "pathlib", "random"),
    *("re", "sys", "threading", "time", "traceback", "warnings", "inspect", "typing", "types"),
    *("dataclasses", "importlib", "argparse", "subprocess", "textwrap", "pandas", "matplotlib"),
)


# Entries that a table of functions has at most.
MOST = 64


def known_module(name: str) -> bool:
    """Whether operations of the table, or what the frontend itself knows, live in a module."""
    return name in (*MODULES, "numpy", "math", "numpy.random", "numpy.add") or any(
        spelling.startswith(name + ".") for spelling in TABLE.by_spelling
    )


def member_of_known(module: Module, name: str) -> Abstract:
    """A member of a module whose names are spellings."""
    qualified, text = f"{module.name}.{name}", f"{module.text}.{name}"
    if TABLE.find(qualified) is None and known_module(qualified):
        return Module(qualified, text, module.line)
    return Named(qualified, text, module.line)


class LiveResolver:
    """Looks names up where a live function would: closure cells, globals, builtins."""

    def __init__(
        self,
        f: FunctionType,
        source_of: Callable[[Any], Any],
        changed: frozenset[str] = frozenset(),
        written: bool = False,
        opened: frozenset[str] = frozenset(),
    ) -> None:
        self.identity: object = f
        self._opened = opened
        """The captured floats that are read when the program runs."""
        self._definition = Definition(f)
        self.note()
        self._globals = f.__globals__
        self._source_of = source_of
        self._changed = changed
        self._defaults = defaults_of(f)
        self._tables: dict[int, Table] = {}
        self._cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=False))
        # A program that is written to a file imports what it reads of the user's module.
        self._written = written
        self._home = home_of(self._globals.get("__file__") or "") if written else ""

    @property
    def home(self) -> str:
        """The package whose function looks its names up here."""
        return str(self._globals.get("__name__", "")).partition(".")[0]

    def note(self) -> None:
        """Note that the function has been read, as it is now."""
        look(self._definition, self._definition.function.__name__)

    def find(self, name: str) -> Abstract:
        cell = self._cells.get(name)
        if cell is None and name in self._changed and (place := self.variable(name)):
            return place
        if cell is None and (apart := self._by_module(name)) is not None:
            return apart
        value = look(self._globals if cell is None else Cell(cell), name)
        if cell is not None and name in self._opened and type(value) is float:
            return Outside(name, Type("float64"))
        if value is not MISSING:
            return self.classify(value, name, "" if cell else self._import_line(value, name))
        if cell is not None or not hasattr(builtins, name):
            return ABSENT
        value = look(Members(builtins), name)
        if is_users(value, "builtins"):
            return self.classify(value, name, "")
        return Named(f"builtins.{name}", name)

    def _by_module(self, name: str) -> Abstract | None:
        """An object of a helper's module, `module.name` where `name` alone is another object."""
        value = self._globals.get(name, MISSING)
        if value is MISSING or not means_another(name, value):
            return None
        live = sys.modules.get(self._globals.get("__name__", ""))
        if live is None or vars(live) is not self._globals:
            return None
        look(Held(live, attrgetter(name)), f".{name}")
        home = self._home or live.__name__
        return self.classify(value, f"{home}.{name}", f"import {home}")

    def live(self, name: str, default: Any) -> Any:
        """What a name of the module stands for now; nothing is noted of it."""
        return None if name in self._cells else self._globals.get(name, default)

    def lacks(self, name: str) -> bool:
        """Whether nothing has a name that the function reads: not even a `global` of another."""
        known = name in self._cells or name in self._changed or hasattr(builtins, name)
        return not known and look(self._globals, name) is MISSING

    def reaches(self, name: str) -> bool:
        return self._written or not self.lacks(name)

    def _import_line(self, value: Any, name: str) -> str:
        """The line that imports an object of the user's module, in a program that is written."""
        known = isinstance(value, ModuleType) or spelling_of(value) or owner_of(value)
        return f"from {self._home} import {name}" if self._home and not known else ""

    def variable(self, name: str) -> Outside | None:
        """A number of the module that its functions change: it is read anew each time."""
        module = sys.modules.get(self._globals.get("__name__", ""))
        if module is None or vars(module) is not self._globals:
            return None
        return number_of(module, name)

    def absolute(self, level: int, module: str) -> str:
        """The name of a module that is imported from one, so many packages above the user's."""
        package = str(self._globals.get("__package__") or "").split(".")
        above = package[: len(package) - level + 1] if level else []
        return ".".join([*above, *module.split(".")]).strip(".")

    def member(self, module: Module, name: str) -> Abstract:
        live = sys.modules.get(module.name)
        value = MISSING if live is None else look(Members(live), name)
        if value is MISSING:
            return member_of_known(module, name)
        if isinstance(value, str) and name in ("__name__", "__version__"):
            return const(value)
        if type(value) in (int, float) and live and changes(live, name):
            return number_of(live, name) or self.classify(value, "", "")
        if isinstance(value, ModuleType) and value.__name__ == f"{module.name}.{name}":
            return Module(value.__name__, f"{module.text}.{name}", module.line)
        if known_module(module.name) and not is_users(value, module.name):
            if not is_other(value, f"{module.name}.{name}"):
                return member_of_known(module, name)
            return Named(f"replaced.{name}", f"{module.text}.{name}", module.line, known=False)
        return self.classify(value, f"{module.text}.{name}", module.line)

    def default_object(self, name: str) -> object:
        """The default of a parameter itself; None where it has none."""
        return self._defaults.get(name)

    def default(self, name: str) -> Abstract | None:
        value = self._defaults.get(name, MISSING)
        if isinstance(value, Enum):
            return self.classify(value, name, "") if entry_spelling(value) else None
        if not callable(value):
            return None if value is MISSING else constant(value)
        found = self.classify(value, name, "")
        return found if isinstance(found, Closure) or _is_known(found) else None

    def definition(self, name: str) -> ast.expr | None:
        return None

    def imported(self, name: str) -> str:
        return ""

    def function_line(self, name: str) -> str:
        return f"from {self._home} import {name}" if self._home else ""

    def followed(self, value: object) -> Closure | None:
        """A function of a library by its source."""
        return Closure(source) if (source := self._source_of(value)) is not None else None

    def classify(self, value: Any, text: str, line: str) -> Abstract:
        if isinstance(value, type) and is_lowered(value):
            return Class(value, text, line)
        if isinstance(value, ModuleType):
            return module_of(value, text, line)
        if is_logger(value):
            # Its methods do what the functions of the module do.
            return Module("logging", text, line)
        folded = constant(value)
        if folded is not None:
            return folded
        if (mapped := self._mapped(value, text, line)) is not None:
            return mapped
        if is_typeddict(value):
            # What its call makes is a dict.
            return Named("builtins.dict", text, line)
        if spelling := entry_spelling(value) or spelling_of(value):
            return Named(spelling, text, line or from_line(spelling, text))
        if owner := owner_of(value):
            return Module(owner, text, line or from_line(owner, text))
        if type(value) is functools.partial:
            return self._partial(value, text, line)
        if type(value).__module__.startswith("scipy.interpolate"):
            return Outside(text, OBJECT, line, table=interpolant_of(value))
        if calls_itself(value) or type(value) in (np.polynomial.Polynomial, np.poly1d):
            return self._object(value, text, line)
        if callable(value):
            made = derived(value, lambda f: self.classify(f, f"{text}.primal", ""))
            return made or self._callable(value, text, line)
        if type(value) in (dict, list, tuple) and (made := self._functions(value, text, line)):
            return made
        return self._object(value, text, line)

    def _mapped(self, value: Any, text: str, line: str) -> Partial | None:
        """What `np.vectorize`, `vmap` or `f.__get__` is: a definition, and the function in it."""
        if type(value) is MethodWrapperType and value.__name__ == "__get__":
            inner = (self.classify(value.__self__, f"{text}.__self__", line),)
            return Partial(Named("adjointgen.bound", text, line), inner, ())
        if definition := vectorized_as(value):
            inner = (self.classify(value.pyfunc, f"{text}.pyfunc", line),)
            return Partial(Named(definition, text, line), inner, ())
        if axes := batch_axes(value):
            inner = (self.classify(value.function, f"{text}.function", line),)
            return Partial(Named("adjointgen.mapped", text, line), (*inner, *map(_axes, axes)), ())
        return None

    def _object(self, value: Any, text: str, line: str) -> Outside:
        look_at_form(value)
        found = self._tables.get(id(value)) or looked_into(value, text, line)
        if isinstance(found, Table):
            self._tables[id(value)] = found
        if isinstance(found, Known):
            return Outside(text, OBJECT, line, table=found)
        type = measured(type_outside(value), value, "", lambda now: now)
        return Outside(text, type, line)

    def _functions(self, value: Any, text: str, line: str) -> Abstract | None:
        """A table of functions; what is in it is part of the program."""
        keys = list(value) if isinstance(value, dict) else range(len(value))
        if len(keys) > MOST or not any(callable(value[k]) for k in keys):
            return None
        if not all(is_literal(k) for k in keys):
            return None
        entries = Entries(value, text)
        look(entries, f"len({text})")
        names = [f"{text}[{k!r}]" for k in keys]
        items = tuple(
            self.classify(look(entry(value, k, entries), name), name, line)
            for k, name in zip(keys, names, strict=True)
        )
        return Functions(tuple(keys), items) if isinstance(value, dict) else Seq(items)

    def _partial(self, value: functools.partial[Any], text: str, line: str) -> Partial:
        look(Held(value, same_partial(value)), "<arguments>")
        args = (self.classify(v, f"{text}.args[{k}]", line) for k, v in enumerate(value.args))
        keywords = (
            (name, self.classify(v, f'{text}.keywords["{name}"]', line))
            for name, v in value.keywords.items()
        )
        function = self.classify(value.func, f"{text}.func", line)
        return Partial(function, tuple(args), tuple(keywords))

    def _callable(self, value: Any, text: str, line: str) -> Abstract:
        if isinstance(value, MethodType):
            made = self._callable(value.__func__, text, line)
            owner = self.classify(value.__self__, f"{text}.__self__", line)
            return Bound(made, owner) if isinstance(made, Closure) else made
        look_at_wrappers(value)
        every = layers(value)
        value, cached = every[-1], keeps_results(every)
        # A method of a class that is not written in Python says of which class alone.
        home = getattr(value, "__objclass__", value)
        qualified = f"{getattr(home, '__module__', '')}.{getattr(value, '__qualname__', text)}"
        if TABLE.find(qualified) is not None:
            if has_rule(value, qualified):
                return Named(qualified, text, line)
            given, qualified = Declared.functions.get(qualified), f"replaced.{text}"
            if value is plain(given):
                # The name that a program would call it by stands for a wrapper of it.
                return Named(qualified, text, line, known=False)
        source = None
        if isinstance(value, FunctionType) and qualified.split(".")[0] not in PASSIVE:
            source = None if is_wrapped_generator(value) else self._source_of(value)
        named = Named(qualified, text, line, known=False)
        known = named if text else None
        return named if source is None else Closure(source, named=known, cached=cached)


def _axes(value: Any) -> Abstract:
    return Seq(tuple(map(_axes, value))) if isinstance(value, tuple) else const(value)


def _is_known(found: Abstract) -> bool:
    return isinstance(found, Named) and TABLE.find(found.spelling) is not None
