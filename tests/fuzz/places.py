"""Parts of a named array that have a wanted shape: to read, to store into, to take a view of."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.grammar import Generation, Shape, Var
from tests.fuzz.indices import index, index_list, slices


@dataclass(frozen=True, slots=True)
class Place:
    """A way to name a part: `store` if it may stand left of `=`, `view` if it shares memory."""

    tag: str
    store: bool
    view: bool
    text: Callable[[], str]
    weight: float = 1.0


def places(g: Generation, var: Var, shape: Shape) -> list[Place]:
    """All the ways to take `shape` out of `var`. Texts are built on demand: they draw choices."""
    if len(var.shape) == 1:
        return _of_vector(g, var.name, var.shape[0], shape)
    return _of_matrix(g, var.name, var.shape, shape)


def choose(g: Generation, found: list[Place]) -> str:
    place = g.weighted(found, [p.weight for p in found])
    g.tag(place.tag)
    return place.text()


def _of_vector(g: Generation, x: str, m: int, shape: Shape) -> list[Place]:
    match shape:
        case ():
            return [Place("element", True, False, lambda: f"{x}[{index(g, m)}]")]
        case (n,):
            return _vector_of_vector(g, x, m, n)
        case (p, q):
            found = []
            if (p, q) == (m, 1):
                found.append(Place("newaxis", False, True, lambda: f"{x}[:, {_new(g)}]", 2))
            if (p, q) == (1, m):
                found.append(Place("newaxis", False, True, lambda: f"{x}[{_new(g)}, :]", 2))
            if p * q == m:
                found.append(Place("reshape", False, True, lambda: _reshape(g, x, p, q)))
            return found
    return []


def _vector_of_vector(g: Generation, x: str, m: int, n: int) -> list[Place]:
    found = [
        Place("fancy", True, False, lambda: f"{x}[{index_list(g, m, n)}]", 0.7),
        *(
            Place("fancy_name", True, False, lambda name=v.name: f"{x}[{name}]", 2)  # type: ignore[misc]
            for v in g.find("index")
            if v.shape == (n,) and v.hi < m
        ),
    ]
    if n <= m:
        found.append(Place("slice", True, True, lambda: f"{x}[{slices(g, m, n)}]", 3))
    if n == m:
        found.append(Place("ellipsis", True, True, lambda: f"{x}[...]", 0.15))
    return found


def _of_matrix(g: Generation, a: str, dims: Shape, shape: Shape) -> list[Place]:
    m, n = dims
    match shape:
        case ():
            return [
                Place("element_2d", True, False, lambda: f"{a}[{index(g, m)}, {index(g, n)}]", 4),
                Place("element_chained", True, False, lambda: f"{a}[{index(g, m)}][{index(g, n)}]"),
            ]
        case (s,):
            return _vector_of_matrix(g, a, m, n, s)
        case (p, q):
            return _matrix_of_matrix(g, a, dims, p, q)
    return []


def _vector_of_matrix(g: Generation, a: str, m: int, n: int, s: int) -> list[Place]:
    found = []
    if s == n:
        found.append(Place("row", True, True, lambda: f"{a}[{index(g, m)}]", 2))
        found.append(Place("row_full", True, True, lambda: f"{a}[{index(g, m)}, :]"))
    if s == m:
        found.append(Place("column", True, True, lambda: f"{a}[:, {index(g, n)}]", 2))
    if s < n:
        found.append(
            Place("row_part", True, True, lambda: f"{a}[{index(g, m)}, {slices(g, n, s)}]")
        )
    if s < m:
        text = lambda: f"{a}[{slices(g, m, s)}, {index(g, n)}]"  # noqa: E731
        found.append(Place("column_part", True, True, text))
    if s == m * n:
        found.append(Place("ravel", False, True, lambda: f"{a}.{g.pick(_RAVELS)}", 2))
        found.append(Place("ravel_copy", False, False, lambda: f"{a}.flatten()", 2))
    if s == min(m, n):
        span = f"np.arange({s})"
        found.append(Place("fancy_diagonal", True, False, lambda: f"{a}[{span}, {span}]", 0.5))
    return found


def _matrix_of_matrix(g: Generation, a: str, dims: Shape, p: int, q: int) -> list[Place]:
    m, n = dims
    found = []
    if p <= m and q <= n:
        text = lambda: f"{a}[{slices(g, m, p)}, {slices(g, n, q)}]"  # noqa: E731
        found.append(Place("slice_2d", True, True, text, 2))
        if q == n:
            found.append(Place("slice_rows", True, True, lambda: f"{a}[{slices(g, m, p)}]"))
    if q == n:
        found.append(Place("fancy_rows", True, False, lambda: f"{a}[{index_list(g, m, p)}]", 0.4))
    if p == m:
        text = lambda: f"{a}[:, {index_list(g, n, q)}]"  # noqa: E731
        found.append(Place("fancy_columns", True, False, text, 0.4))
    if (p, q) == (n, m):
        found.append(
            Place("transpose", False, True, lambda: g.pick((f"{a}.T", f"np.transpose({a})")), 2)
        )
    if p * q == m * n and (p, q) != (m, n):
        found.append(Place("reshape", False, True, lambda: _reshape(g, a, p, q)))
    return found


def _new(g: Generation) -> str:
    return g.pick(("None", "np.newaxis"))


def _reshape(g: Generation, x: str, p: int, q: int) -> str:
    return g.pick(
        (
            f"{x}.reshape({p}, {q})",
            f"{x}.reshape(({p}, {q}))",
            f"{x}.reshape({p}, -1)",
            f"np.reshape({x}, ({p}, {q}))",
        )
    )


_RAVELS = ("ravel()", "reshape(-1)")
