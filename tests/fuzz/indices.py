"""Integer expressions that stay in range: sizes, single indices, slices, index lists.

Every integer name carries an interval. A text is offered only if its interval lies inside the
axis, so generated programs never raise IndexError and loops may use `i - 1`, `n - 1 - i` and the
like wherever they fit.
"""

from tests.fuzz.grammar import Generation, Var


def size(g: Generation, n: int) -> str:
    """The number `n`, spelled as programs spell it."""
    options = [str(n)]
    for var in g.find("array"):
        name = var.name
        if var.shape[0] == n:
            options += [f"len({name})", f"{name}.shape[0]"]
        if len(var.shape) == 2 and var.shape[1] == n:
            options.append(f"{name}.shape[1]")
        if len(var.shape) == 1 and var.shape[0] == n:
            options.append(f"{name}.size")
    options += [v.name for v in g.find("int") if v.lo == v.hi == n] * 3
    if len(options) > 1 and g.chance(0.85):
        text = g.pick(options[1:])
        g.tag("size_len" if "(" in text else "size_attribute" if "." in text else "size_int")
        return text
    return str(n)


def index(g: Generation, n: int) -> str:
    """An index into an axis of length `n`."""
    moving = [v for v in g.find("int") if v.hi > v.lo or v.fixed]
    rows = [row for v in moving for row in _moving(g, v, n)]
    if rows and g.chance(0.85):
        tag, text = g.pick(rows)
        g.tag(tag)
        return text
    negative = g.chance(0.3)
    g.tag("index_negative" if negative else "index_constant")
    return str(g.rng.randint(-n, -1) if negative else g.rng.randint(0, n - 1))


def _moving(g: Generation, v: Var, n: int) -> list[tuple[str, str]]:
    rows = []
    if -n <= v.lo and v.hi < n:
        rows += [("index_loop", v.name)] * 4
    for shift in (-2, -1, 1, 2):
        if v.lo + shift >= 0 and v.hi + shift < n:
            rows += [("index_affine", f"{v.name} {'+' if shift > 0 else '-'} {abs(shift)}")] * 2
    if v.lo >= 0 and v.hi < n:
        rows.append(("index_reversed", f"{size(g, n)} - 1 - {v.name}"))
        rows.append(("index_negated", f"-1 - {v.name}"))
    if v.lo >= 0 and v.hi // 2 < n:
        rows.append(("index_floor", f"{v.name} // 2"))
    if v.lo >= 0 and 2 * v.hi < n:
        rows.append(("index_scaled", f"2 * {v.name}"))
    rows.append(("index_modulo", f"({v.name} + {g.rng.randint(0, 2)}) % {size(g, n)}"))
    return rows


def slices(g: Generation, m: int, length: int) -> str:
    """A slice of an axis of length `m` that has `length` elements."""
    rows = _slices(g, m, length)
    tag, text = g.pick(rows)
    g.tag(tag)
    return text


def _slices(g: Generation, m: int, length: int) -> list[tuple[str, str]]:
    start = g.rng.randint(0, m - length)
    stop = start + length
    low = "" if start == 0 and g.chance(0.7) else str(start - m if g.chance(0.2) else start)
    high = "" if stop == m else str(stop - m if g.chance(0.5) else stop)
    rows = [("slice_plain", f"{low}:{high}")] * 4
    if length == m:
        rows += [("slice_reversed", "::-1"), ("slice_full", ":"), ("slice_full", ":")]
    for step in (2, 3):
        for first in (0, 1):
            if len(range(first, m, step)) == length and m > 2:
                rows += [("slice_step", f"{first or ''}::{step}")] * 2
    if m > 2 and len(range(m - 1, -1, -2)) == length:
        rows.append(("slice_negative_step", "::-2"))
    if length > 1 and stop < m and start > 0:
        rows.append(("slice_negative_step", f"{stop - 1}:{start - 1}:-1"))
    for v in g.find("int"):
        for shift in (-1, 0, 1):
            if v.hi > v.lo and v.lo + shift >= 0 and v.hi + shift + length <= m:
                rows += [
                    ("slice_window", f"{_plus(v.name, shift)}:{_plus(v.name, shift + length)}")
                ] * 3
    return rows


def _plus(name: str, shift: int) -> str:
    return name if shift == 0 else f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"


def growing(g: Generation, m: int) -> str | None:
    """A slice whose length depends on a loop index, possibly empty: `:i`, `i:`."""
    names = [v.name for v in g.find("int") if v.hi > v.lo and v.lo >= 0 and v.hi <= m]
    if not names:
        return None
    name = g.pick(names)
    return g.pick((f":{name}", f"{name}:", f"{name}::-1"))


def index_list(g: Generation, m: int, length: int) -> str:
    """An index array literal of `length` positions in `0..m-1`, with repeats or without."""
    if length <= m and g.chance(0.6):
        g.tag("fancy_distinct")
        picked = g.rng.sample(range(m), length)
    else:
        picked = [g.rng.randrange(m) for _ in range(length)]
        g.tag("fancy_repeats" if len(set(picked)) < length else "fancy_distinct")
    if g.chance(0.2):
        picked = [i - m if g.chance(0.5) else i for i in picked]
    items = ", ".join(map(str, picked))
    return f"[{items}]" if g.chance(0.5) else f"np.array([{items}])"
