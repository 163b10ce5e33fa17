"""What `itertools` and NumPy run over: chains, products and pairs of what they are given.

chain(a, b)          one after the other; of arrays, np.concatenate((a, b))
product(a, b)        k in range(len(a) * len(b)),  a[k // len(b)], b[k % len(b)]
combinations(a, 2)   where the entries of a are known, the pairs of these
np.ndindex(n, m)     product(range(n), range(m))
np.ndenumerate(a)    zip(np.ndindex(a.shape), a.ravel())
next(it)             the next entry, which is taken out of it
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Generator,
    Lazy,
    Range,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.expressions.special_methods import iterated
from adjointgen.frontend.functions.inlining import inline, is_generator
from adjointgen.frontend.functions.numpy_definitions import defined
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.iteration.lazy_iteration import taken
from adjointgen.frontend.iteration.loop_plans import FEW
from adjointgen.frontend.library.array_attributes import shape
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import content, hold, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.builder import const


def _known(call: Call, values: tuple[Abstract, ...]) -> list[tuple[Abstract, ...]] | None:
    """The entries of each, where those of all are known."""
    found = [entries(call.ctx, value) for value in values]
    known = [items for items in found if items is not None]
    return known if len(known) == len(found) else None


def _once(items: Iterable[Abstract]) -> Abstract:
    """Entries that are gone when they have been looked at."""
    return Zipped("iter", (Seq(tuple(items)),))


def _is_lazy(ctx: Context, value: Abstract) -> bool:
    """Whether entries are evaluated when they are asked for, which may have an effect."""
    known = content(ctx, value)
    if is_iterator(known):
        return True
    if isinstance(known, Zipped):
        return any(_is_lazy(ctx, part) for part in known.parts)
    return isinstance(known, Lazy | Generator)


def _is_array(ctx: Context, value: Abstract) -> bool:
    known = content(ctx, value)
    return isinstance(known, Value | Ref) and read(ctx, known).type.kind == "array"


def _of_array(name: str) -> Special:
    """What has a definition of its own for what has a length and keeps it."""

    def find(call: Call) -> Abstract | None:
        made = defined(f"adjointgen.{name}")
        if made is None or not call.args or not _is_array(call.ctx, call.args[0]):
            return None
        return inline(call.ctx, made, call.args, call.keywords, call.node)

    return find


def _longest(call: Call) -> Abstract | None:
    """`itertools.zip_longest` of what has a length."""
    ctx, made = call.ctx, defined("adjointgen.zip_longest_sequences")
    fixed = all(_is_array(ctx, v) or isinstance(content(ctx, v), Seq) for v in call.args)
    if made is None or not call.args or not fixed:
        return None
    return inline(ctx, made, call.args, call.keywords, call.node)


def _chain(call: Call) -> Abstract | None:
    """Entries that are known, of what cannot change."""
    if any(not isinstance(part, Seq | Range) for part in call.args):
        return None
    known = _known(call, tuple(call.args))
    return None if known is None else _once(itertools.chain(*known))


def _product(call: Call) -> Abstract | None:
    times = static(call.ctx, call.keywords.get("repeat", const(1)), "repeat")
    if not isinstance(times, int) or call.keywords.keys() - {"repeat"}:
        return None
    return _crossed(call, tuple(call.args) * times)


def _crossed(call: Call, parts: tuple[Abstract, ...]) -> Abstract | None:
    """All tuples of one entry each; a walk with an index where they are many."""
    known = _known(call, parts)
    if known is not None:
        rows = list(itertools.islice(itertools.product(*known), FEW + 1))
        if len(rows) <= FEW:
            return _once(map(Seq, rows))
    return Zipped("itertools.product", parts) if parts else None


def _looped(call: Call) -> Abstract | None:
    """Combinations of two or three entries of an array, the number of which is not known."""
    ctx, size = call.ctx, call.take("r", 1)
    known = size.value if isinstance(size, Const) else None
    if known not in (2, 3) or len(call.args) == 0 or not _is_array(ctx, call.args[0]):
        return None
    pool = read(ctx, call.args[0])
    if pool.type.shape and pool.type.shape[0] is not None and pool.type.shape[0].known is not None:
        return None
    made = defined("adjointgen.pairs" if known == 2 else "adjointgen.triples")
    assert made is not None
    # Numbers are copied when the call is made; rows stay views.
    whole = ctx.apply("copy", pool) if pool.type.rank == 1 else call.args[0]
    return inline(ctx, made, [whole], {}, call.node)


def _all(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """The entries, the number of which has to be known."""
    items = entries(ctx, value)
    if items is None and (_is_lazy(ctx, value) or _is_array(ctx, value)):
        what = "entries are combined of which the number is not known"
        ctx.unlike("AG106", what, "write the loops over their indices")
    return items


def _chosen(choose: Callable[..., Iterator[Any]]) -> Special:
    def several(call: Call) -> Abstract | None:
        number = call.take("r", 1)
        if choose is itertools.combinations and (made := _looped(call)) is not None:
            return made
        items = _all(call.ctx, call.args[0])
        if items is None:
            return None
        r = () if number is None else (static(call.ctx, number, "r"),)
        rows = list(itertools.islice(choose(items, *r), FEW + 1))
        return _once(map(Seq, rows)) if len(rows) <= FEW else None

    return several


def _indices(call: Call) -> Abstract | None:
    items = entries(call.ctx, call.args[0]) if len(call.args) == 1 else None
    lengths = [read(call.ctx, n) for n in (call.args if items is None else items)]
    # What nothing is known of may be the lengths.
    known = all(n.type.is_scalar for n in lengths)
    return _counted(call, lengths) if known else None


def _counted(call: Call, lengths: list[Operand]) -> Abstract | None:
    return _crossed(call, tuple(Range(const(0), n, const(1)) for n in lengths))


def _enumerated(call: Call) -> Abstract | None:
    array = call.args[0]
    sizes = shape(call.ctx, array)
    if not isinstance(sizes, Seq) or not sizes.items:
        return None
    indices = _counted(call, [read(call.ctx, n) for n in sizes.items])
    flat = call.ctx.apply("ravel", read(call.ctx, array))
    return None if indices is None else Zipped("zip", (indices, flat))


def _iterator(call: Call) -> Abstract | None:
    """What `next` takes entries of, and loops go on with."""
    ctx = call.ctx
    if len(call.args) != 1:
        return None
    value = iterated(ctx, call.args[0], call.node)
    known = content(ctx, value)
    if is_iterator(known):
        return value
    if not isinstance(known, Seq | Struct | Range | Zipped | Lazy | Generator):
        type = read(ctx, value).type
        if type.kind == "object" or not type.rank:
            items = entries(ctx, value) if type.kind == "object" else None
            return None if items is None else Zipped("iter", (Seq(items),))
    return Zipped("iter", (value,))


def _next(call: Call) -> Abstract | None:
    ctx, owner = call.ctx, call.args[0]
    owner = hold(ctx, owner, "") if isinstance(owner, Zipped | Lazy | Generator) else owner
    if not isinstance(owner, Ref) or not is_iterator(content(ctx, owner)):
        return None
    found = taken(ctx, owner)
    if found is not None:
        return found[0]
    if len(call.args) == 2:
        return call.args[1]
    if any(is_generator(frame.source.node) for frame in ctx.frame.around()):
        what = "`next` at the end of an iterator, in a generator"
        ctx.refuse("AG101", what, "give a default")
    if ctx.catching:
        ctx.refuse("AG101", "`next` at the end of an iterator, inside `try`", "give a default")
    return fails(ctx, "StopIteration", "")


WALKS: dict[str, Special] = {
    "itertools.chain": _chain,
    "itertools.product": _product,
    "itertools.combinations": _chosen(itertools.combinations),
    "itertools.combinations_with_replacement": _chosen(itertools.combinations_with_replacement),
    "itertools.permutations": _chosen(itertools.permutations),
    "itertools.pairwise": _of_array("pairwise_sequence"),
    "itertools.accumulate": _of_array("accumulate_sequence"),
    "itertools.zip_longest": _longest,
    "numpy.ndindex": _indices,
    "numpy.ndenumerate": _enumerated,
    "builtins.iter": _iterator,
    "builtins.next": _next,
}
