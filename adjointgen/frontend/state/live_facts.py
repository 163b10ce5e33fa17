"""What a program takes to hold of objects that it did not make, and what it writes to them itself.

    if self.scale is None: ...      folded: that it is None is looked up before each call
    self.count += 1                 but what the program writes may be another by the next read

A call looks its facts up once, at its start. What is folded is therefore no attribute or entry that
the program writes to, and what is read with a known kind is written with that kind alone. Whether
it is written is known at the end only: where the facts do not `hold`, the lowering begins again,
with that left to the run. Attributes are told apart by the class of their object and
their name, entries by the container. Code of which nothing is known may write to any of them.
"""

from __future__ import annotations

import ast
from functools import reduce

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.module_tables import Layout, Living, common
from adjointgen.records import dataclass, field

Key = tuple[object, str]
ENTRIES, KEYS = "[]", "keys"
ADDERS = frozenset({"append", "insert", "setdefault", "add", "appendleft", "__setitem__"})
REMOVERS = frozenset(
    {"pop", "popitem", "remove", "clear", "discard", "popleft", "sort", "reverse", "rotate"}
    | {"__delitem__", "move_to_end"}
)
MUTATORS = ADDERS | REMOVERS | {"extend", "update", "subtract", "__setattr__", "__delattr__"}
MUTATORS |= {f"__i{name}__" for name in ("or", "and", "xor", "sub", "add", "mul")}
"""Methods that change what is in a container."""


OPERATORS = frozenset({"ior", "iand", "ixor", "isub", "iadd", "imul", "setitem", "delitem"})
"""Functions of `operator` that do."""


def attribute_key(owner: object, name: str) -> Key:
    """The attribute of all objects of the class of this one."""
    return type(owner), name


def entries_key(container: object) -> Key:
    """What is in a list or dict."""
    return id(container), ENTRIES


def keys_key(container: object) -> Key:
    """Which keys a dict has."""
    return id(container), KEYS


@dataclass(slots=True)
class Facts:
    """What is `folded` into the program or has its kind `assumed`, and what the program writes.

    `written` has the kind of all values that are written, None where they are of several or of one
    that is not known, and `anywhere` that of what is written under a name into objects of which
    nothing is known. What is `stirred` by other code is not folded at all. `assumed` has the kind
    that is there now, whether there is something, and the kind that was taken to hold.

    Attributes of the module's objects may be `promoted` to variables (`promoted_attributes.py`),
    by the object and the name; those that are found `late` are the next time. The program sets the
    `own` attributes of the caller's objects, and reads those of `others`; `clashes` are refusals of
    the two together. `events` are all writes in their order, those of attempts that were undone,
    too; so are the attributes that were `missed`, which are variables where it is refused without.

    A list or dict that is put into an object is known entry by entry afterwards, as before; where
    it may be `changed` then, under one of its names, it `becomes_object` the next time.
    """

    written: dict[Key, Layout | None] = field(default_factory=dict)
    anywhere: dict[str, Layout | None] = field(default_factory=dict)
    stirred: bool = False
    folded: set[Key] = field(default_factory=set)
    local: set[Key] = field(default_factory=set)
    everything: bool = False
    assumed: dict[Key, tuple[Layout | None, bool, Layout | None]] = field(default_factory=dict)
    promotes: bool = True
    promoted: dict[tuple[int, str], Living] = field(default_factory=dict)
    late: dict[tuple[int, str], Living] = field(default_factory=dict)
    own: set[Key] = field(default_factory=set)
    others: set[Key] = field(default_factory=set)
    clashes: list[AdjointgenError] = field(default_factory=list)
    events: list[Key] = field(default_factory=list)
    missed: dict[tuple[int, str], Living] = field(default_factory=dict)
    changed: bool = False
    becomes_object: bool = False

    def fold(self, key: Key, local: bool = False) -> bool:
        """Whether what is there now may be part of the program.

        What is `local` to the function is written to by nothing that it calls.
        """
        if (self.stirred and not local) or self.is_written(key):
            return False
        (self.local if local else self.folded).add(key)
        return True

    def kind(self, key: Key, now: Layout | None, there: bool = True) -> Layout | None:
        """What is read, where it is `now` of this kind, or is not `there` yet."""
        found = self._kind(key, now, there)
        self.assumed[key] = now, there, found
        return found

    def _kind(self, key: Key, now: Layout | None, there: bool) -> Layout | None:
        if self.everything:
            return None
        found = [now] if there else []
        found += [self.written[key]] if key in self.written else []
        found += [self.anywhere[key[1]]] if key[1] in self.anywhere else []
        return reduce(common, found) if found else now

    def is_written(self, key: Key) -> bool:
        """Whether the program writes there, or may."""
        return self.everything or key in self.written or key[1] in self.anywhere

    def write(self, key: Key, kind: Layout | None) -> None:
        """Something of a kind is written."""
        self.events.append(key)
        self.written[key] = common(self.written[key], kind) if key in self.written else kind

    def write_any(self, name: str, kind: Layout | None = None) -> None:
        """The same of an attribute, or of entries, of an object of which nothing is known."""
        self.anywhere[name] = common(self.anywhere[name], kind) if name in self.anywhere else kind

    def write_into_any(self, kind: Layout | None = None) -> None:
        """Something is put into a container of which nothing is known, or taken out of it."""
        self.write_any(ENTRIES, kind)
        self.write_any(KEYS)

    def write_into(self, held: object, kind: Layout | None, anew: bool) -> None:
        """The same of a container; under a key that it has not got where `anew`."""
        self.write(entries_key(held), kind)
        if anew:
            self.write(keys_key(held), None)

    def set_own(self, cls: type, name: str) -> bool:
        """The program sets an attribute of an object of the caller's; whether it reads that of
        another object, which may be the same."""
        self.own.add((cls, name))
        return (cls, name) in self.others or (object, name) in self.others

    def read_other(self, cls: type, name: str) -> bool:
        """The program reads an attribute of an object of the module, or of one of which nothing is
        known (`object`); whether it sets that of an object of the caller's."""
        self.others.add((cls, name))
        return any(n == name and (cls is object or c is cls) for c, n in self.own)

    def stir(self) -> None:
        """Code of which nothing is known runs."""
        self.stirred = True

    def write_all(self) -> None:
        """Attributes are written under names that are not known."""
        self.everything = True

    def write_in(self, code: ast.AST) -> None:
        """What code writes that is copied as it stands, but for the call that it is."""
        for part in ast.walk(code):
            match part:
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                    self.write_any(name)
                case ast.Subscript(ctx=ast.Store() | ast.Del()):
                    self.write_into_any()
                case ast.Call(func=ast.Attribute(attr=name)) if name in MUTATORS:
                    if part is not code:
                        self.write_into_any()

    @property
    def hold(self) -> bool:
        """Whether the program writes to nothing that it was taken to know."""
        if (
            self.changed
            or self.late
            or (self.folded and (self.stirred or any(map(self.is_written, self.folded))))
        ):
            return False
        if any(map(self.is_written, self.local)):
            return False
        rows = self.assumed.items()
        return all(self._kind(key, now, there) == found for key, (now, there, found) in rows)

    def is_apart(self, own: Living, name: str) -> bool:
        """Whether an attribute of one object is, or will be, a variable."""
        place = id(own.value), name
        return place in self.promoted or place in self.late

    @property
    def apart(self) -> bool:
        """Whether no code of which nothing is known gets at what is promoted."""
        names = {name for _, name in self.promoted}
        unknown = self.stirred or self.everything or not names.isdisjoint(self.anywhere)
        return not (self.promoted and unknown)

    def again(self, refused: bool) -> Facts:
        """What is known when the lowering begins again; without variables for attributes where it
        was refused with them, or they are not apart.

        Code of which nothing is known may have run only since an attribute was no variable.
        """
        objects = self.changed or self.becomes_object
        promoted = self.promoted | (self.missed if refused else self.late)
        if self.promoted and promoted == self.promoted and (refused or not self.apart):
            return Facts(promotes=False, becomes_object=objects)
        known = (self.written, self.anywhere, self.stirred and promoted == self.promoted)
        made = Facts(*known, everything=self.everything, promotes=self.promotes, promoted=promoted)
        made.becomes_object = objects
        return made

    def copy(self) -> Facts:
        made = Facts()
        for name in self.__slots__:
            held = getattr(self, name)
            own = isinstance(held, dict | set) and name not in _SHARED
            setattr(made, name, held.copy() if own else held)
        return made

    def since(self, begun: int) -> Facts:
        """What is known, with those writes alone that came after so many events."""
        made = self.copy()
        made.written = {k: self.written[k] for k in self.events[begun:] if k in self.written}
        return made

    def join(self, other: Facts) -> None:
        """Know what others know as well."""
        for key, kind in other.written.items():
            self.write(key, kind)
        for name, kind in other.anywhere.items():
            self.write_any(name, kind)
        self.stirred |= other.stirred
        self.everything |= other.everything
        self.changed |= other.changed
        for name in ("folded", "local", "assumed", "late", "own", "others"):
            getattr(self, name).update(getattr(other, name))

    def become(self, other: Facts) -> None:
        """Forget what an attempt that was undone has found."""
        copied = other.copy()
        for name in self.__slots__:
            setattr(self, name, getattr(copied, name))


_SHARED = ("clashes", "events", "missed")
"""What copies have in common: it is kept where an attempt is undone."""
