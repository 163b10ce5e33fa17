"""The seeds of a call, arranged by what they belong to.

    f(x, p) -> (y, {"a": z})      adjoint(f)(x, p, (y_bar, {"a": z_bar}))     one structure
                                  adjoint(f)(x, p, y_bar, {"a": z_bar})       entry by entry
                                  adjoint(f)(x, p, y_bar, z_bar)              leaf by leaf

A seed that is left out, or None, is zero; that of the one number which a function returns is 1.
Each is held against what it belongs to (`seed_checks.py`): a tangent against the argument of the
call, an adjoint against the type of the result, and against the result itself once that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from adjointgen.api.arguments.pack_structures import (
    at,
    is_instance_of,
    leaves_like,
    packed,
    step_to,
)
from adjointgen.api.arguments.structure_layout import Path
from adjointgen.api.seeds.seed_checks import (
    Form,
    Wanted,
    check_form,
    fitted,
    form_of,
    refuse,
    zero,
)
from adjointgen.errors import TypeMismatch
from adjointgen.ir.nodes import Leaf, Node, Tree
from adjointgen.records import dataclass

Size = tuple[Path | None, int, int]
"""A length: the axis of an argument (-1: the value of an integer), and how much more."""
WHOLE = ""
"""The name that a seed is passed by which has the structure of the result."""
THIS = "the seed"
NUMBERS = (float, np.float64)
Leaves = dict[str, Any]
Result = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Slot:
    """A leaf among the seeds: `like` is the argument that it is a tangent of, with one axis more
    for each of `more`; without one its lengths are `sizes`, as far as they are known."""

    wanted: Wanted
    sizes: tuple[Size | None, ...] | None
    like: Path | None = None
    more: tuple[int, ...] = ()

    def takes(self, seed: Any, values: tuple[Any, ...], strict: bool) -> bool:
        """Whether a seed can be taken as it is; lengths are all to be known if this is `strict`."""
        wanted, kind = self.wanted, type(seed)
        if kind is float:
            return wanted.kind == "scalar" and wanted.dtype == "float64"
        if kind is not np.ndarray or wanted.kind != "array" or seed.dtype is not wanted.numpy:
            return False
        if self.like is not None:
            like = at(values, self.like)
            return type(like) is kind and bool(seed.shape == like.shape + self.more)
        if self.sizes is None or len(seed.shape) != len(self.sizes):
            return False
        for n, size in zip(seed.shape, self.sizes, strict=True):
            if (strict and size is None) or (size is not None and n != _length(size, values)):
                return False
        return True

    def form(self, values: tuple[Any, ...]) -> Form:
        """The form that the seed has to have for these arguments."""
        if self.like is not None:
            return self.widened(form_of(at(values, self.like)))
        if self.sizes is None or self.wanted.kind == "list":
            return None
        return tuple(None if size is None else _length(size, values) for size in self.sizes)

    def widened(self, form: Form) -> Form:
        """A form with the axes for several directions."""
        return (*form, *self.more) if self.more else form


def _length(size: Size, values: tuple[Any, ...]) -> int:
    path, axis, more = size
    if path is None:
        return more
    found = at(values, path)
    if axis < 0:
        return int(found) + more
    return int(len(found) if isinstance(found, list) else found.shape[axis]) + more


class Seeding:
    """The seeds of a program.

    `given` are the parameters that take them, with the structure of each; the leaves of these are
    under `slots` by name. `outputs` is the structure of the result of an adjoint program, whose
    leaves are the `lasting` seeds; `alone` says that it returns one number.
    """

    def __init__(
        self,
        slots: Mapping[str, Slot],
        given: tuple[tuple[str, Tree], ...],
        outputs: Tree | None = None,
        alone: bool = False,
    ) -> None:
        self.slots, self.given, self.outputs, self.alone = slots, given, outputs, alone
        self.names = tuple(name for name, _ in given)
        self.lasting = () if outputs is None else tuple(_names(outputs))
        self.own = tuple(row for row in given if row[0] not in self.lasting)
        flat = all(isinstance(tree, Leaf) for _, tree in given)
        self.flat = tuple(slots[name] for name in self.names) if flat else None
        """The leaves, where each of the seeds is one."""
        self.is_one = isinstance(outputs, Leaf) and not alone
        """Whether the result is one number or array, and may be either."""

    def __eq__(self, other: object) -> bool:
        """Whether a call gives the seeds of both in the same way."""
        return isinstance(other, Seeding) and (
            (self.slots, self.given, self.outputs, self.alone)
            == (other.slots, other.given, other.outputs, other.alone)
        )

    def __hash__(self) -> int:
        return hash((self.given, self.alone))

    def arranged(self, seeds: tuple[Any, ...], named: Mapping[str, Any]) -> Leaves:
        """The seeds leaf by leaf, those that are left out missing.

        Raises TypeMismatch (AG405) for too many of them, or for one of another name, and (AG407)
        for another structure.
        """
        found: Leaves = {}
        rows = self._rows(seeds)
        trees = dict(self.given)
        if WHOLE in named and self.outputs is not None:
            trees[WHOLE] = self.outputs
        for name, seed in named.items():
            if name not in trees or any(name == one for one, _, _ in rows):
                self._too_many(f"{name} is no seed, or is given twice")
            rows.append((name or THIS, trees[name], seed))
        for name, tree, seed in rows:
            found.update((leaf, v) for leaf, v in _spread(tree, seed, name) if v is not None)
        return found

    def _rows(self, seeds: tuple[Any, ...]) -> list[tuple[str, Tree, Any]]:
        """The seeds by position, each with the structure that it should have."""
        rest = seeds[len(self.own) :]
        rows = [(name, tree, seed) for (name, tree), seed in zip(self.own, seeds, strict=False)]
        outputs, flat = self.outputs, [(name, Leaf(name)) for name in self.lasting]
        if outputs is None or isinstance(outputs, Leaf) or not rest:
            pass
        elif len(rest) == 1 and (_fits(outputs, rest[0]) or not _is_tuple(outputs)):
            return [*rows, (THIS, outputs, rest[0])]
        elif _entry_by_entry(outputs, rest):
            return [*rows, (THIS, outputs, tuple(rest))]
        if len(rest) > len(flat):
            self._too_many(f"{len(seeds)} seeds for {len(self.given)}")
        return rows + [(n, tree, seed) for (n, tree), seed in zip(flat, rest, strict=False)]

    def _too_many(self, what: str) -> None:
        listed = ", ".join(self.names)
        raise TypeMismatch(
            what, code="AG405", help=f"pass the primal's arguments, then {listed or 'nothing'}"
        )

    def settled(
        self,
        values: tuple[Any, ...],
        seeds: tuple[Any, ...],
        named: Mapping[str, Any],
        result: Result,
        strict: bool,
    ) -> tuple[Leaves, Leaves]:
        """What the program is called with, and the seeds of its result leaf by leaf.

        `result` computes what the function returns, where that is needed to know a shape; a
        `strict` program must not run with another.
        """
        ready = self.ready(values, seeds, named, strict)
        if ready is not None:
            return ready, ready
        found = self.arranged(seeds, named)
        asked = _Asked(self, values, result)
        leaves = {n: asked.leaf(n, slot, found, strict) for n, slot in self.slots.items()}
        made = {name: _joined(tree, leaves) for name, tree in self.given}
        return made, {name: leaves[name] for name in self.lasting if name in found}

    def ready(
        self,
        values: tuple[Any, ...],
        seeds: tuple[Any, ...],
        named: Mapping[str, Any],
        strict: bool,
    ) -> Leaves | None:
        """The seeds where all are there and can be taken as they are: what most calls give."""
        if named:
            whole = named.get(WHOLE)
            if seeds or whole is None or len(named) > 1:
                return None
            seeds = whole if type(whole) is tuple and _is_tuple(self.outputs) else (whole,)
        if len(seeds) != len(self.given):
            return None
        if self.flat is not None:
            for slot, seed in zip(self.flat, seeds, strict=True):
                if not slot.takes(seed, values, strict):
                    return None
        else:
            for (_, tree), seed in zip(self.given, seeds, strict=True):
                if not self._is_ready(tree, seed, values):
                    return None
        return dict(zip(self.names, seeds, strict=True))

    def _is_ready(self, tree: Tree, seed: Any, values: tuple[Any, ...]) -> bool:
        if isinstance(tree, Leaf):
            return self.slots[tree.name].takes(seed, values, True)
        if not isinstance(tree, Node) or tree.make in ("literal", "object", "named"):
            return isinstance(tree, Node) and tree.make == "literal"
        if type(seed).__name__ != tree.make or len(seed) != len(tree.children):
            return False
        if tree.make == "dict":
            rows = zip(tree.children, map(seed.get, tree.keys), strict=True)
            return seed.keys() == {*tree.keys} and all(
                self._is_ready(child, entry, values) for child, entry in rows
            )
        rows = zip(tree.children, seed, strict=True)
        return all(self._is_ready(child, entry, values) for child, entry in rows)

    def check(self, leaves: Leaves, result: Any) -> None:
        """Hold the seeds of an adjoint against the result (AG407)."""
        if self.outputs is None:
            return
        one = isinstance(self.outputs, Leaf)
        actuals = (result,) if one else leaves_like(self.outputs, result)
        for name, actual in zip(self.lasting, actuals, strict=True):
            seed, kind = leaves.get(name), type(actual)
            if isinstance(seed, np.ndarray) and kind is np.ndarray and seed.shape == actual.shape:
                continue
            if seed is not None and not (type(seed) in NUMBERS and kind in NUMBERS):
                slot = self.slots[name]
                check_form(slot.wanted, seed, slot.widened(form_of(actual)))


class _Asked:
    """The slots of one call; the result is computed at most once, and only where it is asked."""

    def __init__(self, seeding: Seeding, values: tuple[Any, ...], result: Result) -> None:
        self.seeding, self.values, self.result = seeding, values, result
        self.known: Leaves | None = None

    def leaf(self, name: str, slot: Slot, found: Leaves, strict: bool) -> Any:
        form = slot.form(self.values)
        last = name in self.seeding.lasting
        if name not in found:
            if self.seeding.alone and last:
                return fitted(slot.wanted, 1.0, ())
            made = zero(slot.wanted, form)
            return zero(slot.wanted, self.actual(name)[1]) if made is None else made
        open_ = form is None or (isinstance(form, tuple) and None in form)
        try:
            if not (last and strict and open_):
                return fitted(slot.wanted, found[name], form)
        except TypeMismatch:
            # What is known of a type may be more than is true on every path.
            if not last or not _has_form(found[name]):
                raise
        kind, form = self.actual(name)
        return fitted(Wanted(name, slot.wanted.dtype, kind, None), found[name], form)

    def actual(self, name: str) -> tuple[str, Form]:
        """The kind and form of what the function returns where this seed belongs."""
        if self.known is None:
            seeding = self.seeding
            assert seeding.outputs is not None
            rows = zip(seeding.lasting, leaves_like(seeding.outputs, self.result()), strict=True)
            self.known = dict(rows)
        found, more = self.known[name], self.seeding.slots[name].more
        kind = "array" if isinstance(found, np.ndarray) or more else "scalar"
        form = self.seeding.slots[name].widened(form_of(found))
        return "list" if type(found) is list else kind, form


def apart(given: Leaves, values: tuple[Any, ...]) -> Leaves:
    """The seeds of a program that writes to its arguments: copies where these share memory."""
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    return {name: _apart(seed, arrays) for name, seed in given.items()}


def _apart(seed: Any, arrays: list[Any]) -> Any:
    if not isinstance(seed, np.ndarray):
        # The arrays may lie anywhere in a structure.
        return seed if isinstance(seed, float) else deepcopy(seed)
    return seed.copy() if any(np.may_share_memory(seed, one) for one in arrays) else seed


def _has_form(seed: Any) -> bool:
    return not isinstance(seed, str | bytes | dict | set | bool)


def _names(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Leaf):
        yield tree.name
    elif isinstance(tree, Node):
        for child in tree.children:
            yield from _names(child)


def _spread(tree: Tree, seed: Any, place: str) -> Iterator[tuple[str, Any]]:
    """The leaves of a seed, which has to have the structure of the tree."""
    if isinstance(tree, Leaf):
        yield tree.name, seed
        return
    if seed is None or not isinstance(tree, Node) or tree.make == "literal":
        return
    if not _fits(tree, seed):
        refuse(f"{place} is a {type(seed).__name__}, and should be {_described(tree)}")
    for k, child in enumerate(tree.children):
        entry = _part(tree, k, seed)
        if entry is Gone and isinstance(child, Leaf | Node) and _is_active(child):
            refuse(f"{place} has no entry {step_to(tree, k)[1]!r}")
        if entry is not Gone:
            yield from _spread(child, entry, f"{place}[{step_to(tree, k)[1]!r}]")


class Gone:
    """What stands where a seed has no entry."""


def _part(tree: Node, k: int, seed: Any) -> Any:
    attribute, key = step_to(tree, k)
    if tree.make == "dict":
        return seed.get(key, Gone)
    if tree.make == "named":
        return seed[k]
    return getattr(seed, str(key), Gone) if attribute else seed[key]


def _is_active(tree: Tree) -> bool:
    return any(True for _ in _names(tree))


def _fits(tree: Tree, seed: Any) -> bool:
    """Whether a seed has the outermost structure of a tree."""
    if not isinstance(tree, Node) or seed is None or tree.make == "literal":
        return True
    match tree.make:
        case "dict":
            return isinstance(seed, dict) and not seed.keys() - {*tree.keys}
        case "object":
            return is_instance_of(tree.class_, seed)
        case "named":
            named = hasattr(seed, "_fields") and not is_instance_of(tree.class_, seed)
            return isinstance(seed, tuple) and not named and len(seed) == len(tree.children)
    return type(seed) in (tuple, list) and len(seed) == len(tree.children)


def _entry_by_entry(tree: Tree, seeds: tuple[Any, ...]) -> bool:
    """Whether seeds belong to the entries of a result, not to its leaves."""
    if not isinstance(tree, Node) or not _is_tuple(tree) or len(tree.children) != len(seeds):
        return False
    return all(_fits(c, s) for c, s in zip(tree.children, seeds, strict=True))


def _is_tuple(tree: Tree | None) -> bool:
    return isinstance(tree, Node) and tree.make in ("tuple", "named")


def _described(tree: Node) -> str:
    keys = ", ".join(map(repr, tree.keys))
    match tree.make:
        case "dict":
            return f"a dict of {keys}"
        case "object" | "named":
            return f"an instance of {tree.class_.rpartition(':')[2]}"
    return f"a {tree.make} of {len(tree.children)}"


def _joined(tree: Tree, leaves: Leaves) -> Any:
    """The structure with its leaves in place."""
    if isinstance(tree, Leaf):
        return leaves[tree.name]
    return packed(tree, plain_parts(tree, leaves))


def plain_parts(tree: Tree, leaves: Leaves) -> Any:
    """As programs give structures: dicts for instances, tuples for named tuples."""
    if isinstance(tree, Leaf):
        return leaves[tree.name]
    if not isinstance(tree, Node) or tree.make == "literal":
        return 0
    parts = [plain_parts(child, leaves) for child in tree.children]
    if tree.make in ("dict", "object"):
        return dict(zip(tree.keys, parts, strict=True))
    return parts if tree.make == "list" else tuple(parts)
