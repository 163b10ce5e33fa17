"""Functions of `itertools` as generators: they are lowered as if the user had written them.

They are what the documentation of `itertools` says that its functions are equivalent to, with the
first entry taken by a loop, too.
"""

# mypy: ignore-errors

from __future__ import annotations


def accumulate(iterable, func=None, *, initial=None):
    """Totals of the entries so far."""
    total = initial
    started = initial is not None
    if started:
        yield total
    for element in iterable:
        if not started:
            total = element
        elif func is None:
            total = total + element
        else:
            total = func(total, element)
        started = True
        yield total


def accumulate_sequence(values, func=None, *, initial=None):
    """The same of what has a length."""
    rest = values
    if initial is not None:
        total = initial
    elif len(values) == 0:
        return
    else:
        total = values[0]
        rest = values[1:]
    yield total
    for element in rest:
        total = total + element if func is None else func(total, element)
        yield total


def batched(iterable, n):
    """Tuples of `n` entries; the last may have fewer."""
    batch = []
    for element in iterable:
        batch.append(element)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def chain(*iterables):
    """One after the other."""
    for iterable in iterables:
        yield from iterable


def from_iterable(iterables):
    """One after the other."""
    for iterable in iterables:
        yield from iterable


def pairs(pool):
    """Combinations of two entries of what has a length."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            yield pool[i], pool[j]


def triples(pool):
    """Combinations of three entries of what has a length."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            for k in range(j + 1, len(pool)):
                yield pool[i], pool[j], pool[k]


def compress(data, selectors):
    """The entries of which the selector is true."""
    for datum, selector in zip(data, selectors, strict=False):
        if selector:
            yield datum


def count(start=0, step=1):
    """Numbers without end."""
    n = start
    while True:
        yield n
        n = n + step


def cycle(iterable):
    """The entries over and over."""
    saved = []
    for element in iterable:
        yield element
        saved.append(element)
    while len(saved) > 0:
        for element in saved:
            yield element


def dropwhile(predicate, iterable):
    """The entries from the first that fails the test."""
    dropping = True
    for element in iterable:
        if dropping and predicate(element):
            continue
        dropping = False
        yield element


def filterfalse(predicate, iterable):
    """The entries that fail the test."""
    for element in iterable:
        failed = not element if predicate is None else not predicate(element)
        if failed:
            yield element


def islice(iterable, *args):
    """The entries at the indices of a slice."""
    start = args[0] if len(args) > 1 else 0
    stop = args[1] if len(args) > 1 else args[0]
    step = args[2] if len(args) > 2 else 1
    start = 0 if start is None else start
    step = 1 if step is None else step
    index = start
    if stop is None:
        for k, element in enumerate(iterable):
            if k == index:
                yield element
                index = index + step
    elif start == 0 and step == 1:
        for _, element in zip(range(stop), iterable, strict=False):
            yield element
    else:
        for k, element in zip(range(max(start, stop)), iterable, strict=False):
            if k == index and k < stop:
                yield element
                index = index + step


def pairwise(iterable):
    """Neighbours."""
    before = None
    started = False
    for element in iterable:
        if started:
            yield before, element
        started = True
        before = element


def pairwise_sequence(values):
    """The same of what has a length."""
    if len(values) > 0:
        before = values[0]
        for element in values[1:]:
            yield before, element
            before = element


def repeat(object, times=None):
    """One value, over and over."""
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


def starmap(function, iterable):
    """A function of the entries of each entry."""
    for args in iterable:
        yield function(*args)


def takewhile(predicate, iterable):
    """The entries before the first that fails the test."""
    for element in iterable:
        if not predicate(element):
            break
        yield element


def zip_longest_sequences(*sequences, fillvalue=None):
    """Tuples as many as the longest has entries."""
    for k in range(max(map(len, sequences))):
        yield tuple(values[k] if k < len(values) else fillvalue for values in sequences)
