"""Functions of NumPy by simpler ones: what has no rule is lowered as if the user had written this.

Only what is differentiated is; the rest is called as it stands. The names are NumPy's, and so are
the parameters, less those that concern storage alone.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


def piecewise(x, condlist, funclist):
    """Each function where its condition holds; one more function is for the rest."""
    result = np.zeros_like(x)
    rest = np.ones_like(x, dtype=bool)
    if np.ndim(condlist[0]) == 0 and np.ndim(x) > 0:
        condlist = [condlist]
    n = len(condlist)
    if len(funclist) - n not in (0, 1):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    conditions = [np.asarray(condition, dtype=bool) for condition in condlist]
    for condition in conditions:
        rest = rest & ~condition
    for condition, function in zip([*conditions, rest], funclist, strict=False):
        result[condition] = function(x[condition]) if callable(function) else function
    return result


def polyder(p, m=1):
    """The coefficients of the derivative."""
    for _ in range(m):
        p = np.asarray(p)
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def resize(a, new_shape):
    """The entries over and over, as many as the shape has."""
    flat = np.ravel(a)
    if len(flat) == 0:
        return np.zeros(new_shape, dtype=flat.dtype)
    count = np.prod(new_shape)
    return np.reshape(flat[np.arange(int(count)) % len(flat)], new_shape)


def geomspace(start, stop, num=50):
    """Numbers with equal quotients."""
    if np.any(start == 0) or np.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    steps = np.linspace(0.0, 1.0, num)
    if np.ndim(start) > 0 or np.ndim(stop) > 0:
        steps = np.expand_dims(steps, tuple(range(1, np.ndim(start + stop) + 1)))
    return start * (stop / start) ** steps


def ediff1d(ary):
    """Differences of neighbours."""
    flat = np.ravel(ary)
    return flat[1:] - flat[:-1]


def fromiter(iter, dtype):
    """The entries of an iterator."""
    return np.array(list(iter), dtype=dtype)


def row_stack(tup):
    """Stacked row on row."""
    return np.vstack(tup)


def diagflat(v):
    """A matrix with these on its diagonal."""
    return np.diag(np.ravel(v))


def divmod(x1, x2):
    """Quotient and remainder."""
    return np.floor_divide(x1, x2), np.mod(x1, x2)


def modf(x):
    """What is after the point, and what is before it."""
    return x - np.trunc(x), np.trunc(x)


def ldexp(x1, x2):
    """A number times a power of two."""
    return x1 * 2.0**x2


def remainder(x, y):
    """What is left of the nearest multiple."""
    return x - y * round(x / y)


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Angles without jumps of more than half a period, or of `discont`."""
    p = np.moveaxis(np.asarray(p), axis, -1)
    half = period / 2.0
    steps = p[..., 1:] - p[..., :-1]
    wrapped = np.mod(steps + half, period) - half
    wrapped = np.where((wrapped == -half) & (steps > 0.0), half, wrapped)
    small = np.abs(steps) < (half if discont is None else discont)
    jumps = np.where(small, 0.0, wrapped - steps)
    found = np.concatenate((p[..., :1], p[..., 1:] + np.cumsum(jumps, axis=-1)), axis=-1)
    return np.moveaxis(found, -1, axis)


def interp_periodic(x, xp, fp, period):
    """Interpolation in a table that repeats itself: the last knot stands before the first."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    places = np.mod(np.asarray(xp), period)
    order = np.argsort(places)
    places, heights = places[order], np.asarray(fp)[order]
    places = np.concatenate((places[-1:] - period, places, places[:1] + period))
    heights = np.concatenate((heights[-1:], heights, heights[:1]))
    return np.interp(np.mod(x, period), places, heights)


def dist(p, q):
    """The distance of two points."""
    total = 0.0
    for one, other in zip(p, q, strict=True):
        total = total + (one - other) ** 2
    return total**0.5


def jacobian(jvp, f, x):
    """One column for each entry of the argument."""
    if np.ndim(x) == 0:
        return jvp(f, (x,), (1.0,))[1]
    shape = np.shape(f(x))
    columns = np.zeros((np.size(x), *shape))
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        columns[k] = jvp(f, (x,), (direction.reshape(np.shape(x)),))[1]
    return np.moveaxis(columns, 0, -1).reshape((*shape, *np.shape(x)))


def maximum_accumulate(array):
    """The largest so far along a vector."""
    largest = array.copy()
    for k in range(1, len(array)):
        largest[k] = np.maximum(largest[k - 1], array[k])
    return largest


def minimum_accumulate(array):
    """The smallest so far along a vector."""
    smallest = array.copy()
    for k in range(1, len(array)):
        smallest[k] = np.minimum(smallest[k - 1], array[k])
    return smallest


def multiply_at(a, indices, b):
    """Entries times numbers, one after the other where an index comes again."""
    factors = b + np.zeros(len(indices))
    for k in range(len(indices)):
        a[indices[k]] = a[indices[k]] * factors[k]


def divide_at(a, indices, b):
    """Entries over numbers, one after the other where an index comes again."""
    divisors = b + np.zeros(len(indices))
    for k in range(len(indices)):
        a[indices[k]] = a[indices[k]] / divisors[k]


def maximum_at(a, indices, b):
    """Entries, or numbers that are larger."""
    others = b + np.zeros(len(indices))
    for k in range(len(indices)):
        a[indices[k]] = np.maximum(a[indices[k]], others[k])


def minimum_at(a, indices, b):
    """Entries, or numbers that are smaller."""
    others = b + np.zeros(len(indices))
    for k in range(len(indices)):
        a[indices[k]] = np.minimum(a[indices[k]], others[k])


def subtract_at(a, indices, b):
    """Entries less numbers, as often as an index comes."""
    np.add.at(a, indices, -b)


def fill_diagonal(a, val):
    """A number on the diagonal of a matrix, or several in turn."""
    if np.ndim(val) == 0:
        for k in range(min(a.shape)):
            a[k, k] = val
    else:
        for k in range(min(a.shape)):
            a[k, k] = val[k % len(val)]


def place(arr, mask, vals):
    """Values in turn where a mask holds."""
    several = np.ravel(vals)
    holds = np.asarray(mask, dtype=bool)
    count = np.count_nonzero(holds)
    arr[holds] = several[np.arange(count) % len(several)]


def putmask(a, mask, values):
    """Where a mask holds, the values at the same places."""
    several = np.ravel(values)
    holds = np.asarray(mask, dtype=bool)
    a[holds] = several[np.flatnonzero(holds) % len(several)]


def put(a, ind, v):
    """Values in turn at some places of a vector."""
    several = np.ravel(v)
    places = np.ravel(ind)
    if len(a) == 0 and len(places) > 0:
        raise IndexError("cannot replace elements of an empty array")
    if len(several) == 0 or len(places) == 0:
        return
    a[places] = several[np.arange(len(places)) % len(several)]


def max_by(rows, key):
    """The first of the rows with the greatest key, as a view of it."""
    count = len(rows) or int(max(()))  # Python says what is wrong with no rows.
    chosen, most = 0, key(rows[0])
    for k in range(1, count):
        value = key(rows[k])
        if value > most:
            chosen, most = k, value
    return rows[chosen]


def min_by(rows, key):
    """The first of the rows with the least key, as a view of it."""
    count = len(rows) or int(min(()))  # Python says what is wrong with no rows.
    chosen, least = 0, key(rows[0])
    for k in range(1, count):
        value = key(rows[k])
        if value < least:
            chosen, least = k, value
    return rows[chosen]


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function gives for each vector along an axis; the first says of which type all are."""
    turned = np.moveaxis(arr, axis, -1)
    lead = turned.shape[:-1]
    rows = np.reshape(turned, (-1, turned.shape[-1]))
    first = np.asarray(func1d(rows[0], *args, **kwargs))
    found = np.zeros((len(rows), *first.shape), dtype=first.dtype)
    found[0] = first
    for k in range(1, len(rows)):
        found[k] = func1d(rows[k], *args, **kwargs)
    place = axis if axis >= 0 else arr.ndim + axis
    whole = np.reshape(found, (*lead, *first.shape))
    for j in range(first.ndim):
        whole = np.moveaxis(whole, arr.ndim - 1 + j, place + j)
    return whole


def array_of_rows(*columns):
    """The array of a list of tuples, of which the entries are given place by place."""
    rows = []
    for k in range(len(columns[0])):
        rows.append(np.array([column[k] for column in columns]))
    return np.array(rows)


def mapped(f, in_axes, out_axes, *args):
    """What a function gives for each sample of a batch: one call after the other."""
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    each = [
        arg if axis is None or axis == 0 else np.moveaxis(arg, axis, 0)
        for arg, axis in zip(args, axes, strict=True)
    ]
    lengths = [len(arg) for arg, axis in zip(each, axes, strict=True) if axis is not None]
    for length in lengths[1:]:
        if length != lengths[0]:
            raise ValueError("the arguments have batches of several lengths")
    results = [
        f(*[arg if axis is None else arg[k] for arg, axis in zip(each, axes, strict=True)])
        for k in range(lengths[0])
    ]
    found = np.array(results)
    return found if out_axes == 0 else np.moveaxis(found, 0, out_axes)


def vectorized(pyfunc, *args):
    """What a function gives for each entry; the first result says of which type all are."""
    spread = np.broadcast_arrays(*args)
    columns = [np.ravel(each) for each in spread]
    first = pyfunc(*[column[0] for column in columns])
    found = np.zeros(len(columns[0]), dtype=np.asarray(first).dtype)
    for k in range(len(columns[0])):
        found[k] = pyfunc(*[column[k] for column in columns])
    return np.reshape(found, np.shape(spread[0]))


def vectorized_floats(pyfunc, *args):
    """What a function gives for each entry, as floats."""
    spread = np.broadcast_arrays(*args)
    columns = [np.ravel(each) for each in spread]
    found = np.zeros(len(columns[0]))
    for k in range(len(columns[0])):
        found[k] = pyfunc(*[column[k] for column in columns])
    return np.reshape(found, np.shape(spread[0]))


def fromfunction(function, shape):
    """A function of the indices of a vector or matrix."""
    if len(shape) == 1:
        return function(np.arange(float(shape[0])))
    rows = np.zeros(shape) + np.arange(float(shape[0]))[:, None]
    columns = np.zeros(shape) + np.arange(float(shape[1]))
    return function(rows, columns)


def add_reduceat(array, indices):
    """Sums of parts of a vector, each up to where the next begins, or one entry if that is not
    after it."""
    n, count = len(array), len(indices)
    found = np.zeros(count, array.dtype)
    for k in range(count):
        start = indices[k]
        stop = indices[k + 1] if k + 1 < count else n
        if start < 0 or start >= n:
            raise IndexError(f"index {start} out-of-bounds in add.reduceat [0, {n})")
        if start < stop:
            found[k] = np.sum(array[start:stop])
        else:
            found[k] = array[start]
    return found


def histogram_edges(flat, bins, range):
    """The ends of intervals of one width, from the least entry to the greatest or in a range."""
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif len(flat) == 0:
        low, high = 0.0, 1.0
    else:
        low, high = np.min(flat), np.max(flat)
    if not (np.isfinite(low) and np.isfinite(high)):
        which = "autodetected" if range is None else "supplied"
        raise ValueError(f"{which} range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many entries, or what weights, are in each of the intervals."""
    flat = np.ravel(a)
    if np.ndim(bins) == 0:
        edges = histogram_edges(flat, bins, range)
    else:
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
    count = len(edges) - 1
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    places = np.minimum(np.searchsorted(edges, flat[inside], side="right") - 1, count - 1)
    if weights is None:
        found = np.bincount(places, minlength=count)
    else:
        chosen = np.ravel(weights)[inside]
        found = np.bincount(places, chosen, minlength=count).astype(chosen.dtype)
    if density:
        found = found / np.diff(edges) / np.sum(found)
    return found, edges


def kaiser(M, beta):
    """The window of Kaiser."""
    place = 2.0 * np.arange(M) / (M - 1.0) - 1.0
    return np.i0(beta * np.sqrt(1.0 - place**2)) / np.i0(beta)


def polyfit(x, y, deg, w=None):
    """The coefficients of the polynomial of a degree with the least squares of what is left."""
    x, y = np.asarray(x), np.asarray(y)
    matrix = np.vander(x, deg + 1)
    if w is not None:
        matrix = matrix * np.asarray(w)[:, None]
        y = y * np.asarray(w) if np.ndim(y) == 1 else y * np.asarray(w)[:, None]
    scale = np.sqrt(np.sum(matrix * matrix, axis=0))
    found = np.linalg.lstsq(matrix / scale, y)[0]
    return found / scale if np.ndim(y) == 1 else found / scale[:, None]


def put_along_axis(arr, indices, values, axis):
    """Values at places along an axis of a vector or matrix, the last where one comes again."""
    several = np.ravel(values + np.zeros(np.shape(indices)))
    places = np.ravel(indices)
    if np.ndim(arr) == 1:
        arr[places] = several
    elif axis in (0, -2):
        arr[places, np.ravel(np.arange(arr.shape[1]) + np.zeros(np.shape(indices), dtype=int))] = (
            several
        )
    else:
        first = np.arange(arr.shape[0])[:, None] + np.zeros(np.shape(indices), dtype=int)
        arr[np.ravel(first), places] = several


def emath_sqrt(x):
    """Complex where a number is negative."""
    return np.sqrt(x + 0.0j) if np.any(x < 0.0) else np.sqrt(x)


def emath_log(x):
    """Complex where a number is negative."""
    return np.log(x + 0.0j) if np.any(x < 0.0) else np.log(x)


def emath_log2(x):
    """Complex where a number is negative."""
    return np.log2(x + 0.0j) if np.any(x < 0.0) else np.log2(x)


def emath_log10(x):
    """Complex where a number is negative."""
    return np.log10(x + 0.0j) if np.any(x < 0.0) else np.log10(x)


def emath_arcsin(x):
    """Complex where a number is beyond -1 and 1."""
    return np.arcsin(x + 0.0j) if np.any(np.abs(x) > 1.0) else np.arcsin(x)


def emath_arccos(x):
    """Complex where a number is beyond -1 and 1."""
    return np.arccos(x + 0.0j) if np.any(np.abs(x) > 1.0) else np.arccos(x)


def emath_arctanh(x):
    """Complex where a number is beyond -1 and 1."""
    return np.arctanh(x + 0.0j) if np.any(np.abs(x) > 1.0) else np.arctanh(x)


def emath_power(x, p):
    """Complex where a number is negative."""
    return (x + 0.0j) ** p if np.any(x < 0.0) else x**p
