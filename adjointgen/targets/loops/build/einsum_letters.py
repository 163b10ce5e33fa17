"""Sums of products over shared axes, as the letters of `np.einsum`.

    einsum("ik,kj->ij", a, b)     ik, kj -> ij
    tensordot(a, b, axes=2)       abcd, cde -> abe
    a @ b of more than two axes   sik, skj -> sij
    a @ x of a vector             ik, k -> i

Products of matrices stay calls of a library unless they are small; those with vectors read every
entry once, so that a loop is as fast, and can be joined with others.
"""

from __future__ import annotations

from string import ascii_letters

from adjointgen.costs import CONTRACTED_IN_LOOPS
from adjointgen.ir.nodes import Apply

Letters = tuple[tuple[str, ...], str]


def letters(stmt: Apply) -> Letters | None:
    """The axes of the operands and of the result; None for what is no such sum."""
    ranks = [a.type.rank or 0 for a in stmt.args]
    match stmt.op:
        case "einsum":
            return _stated(str(stmt.option("subscripts")), ranks)
        case "tensordot":
            return _tensordot(stmt.option("axes", 2), *ranks)
        case "matmul" | "dot" if min(ranks) == 1:
            return _with_vector(*ranks)
        case "inner" if max(ranks) == 1:
            return _with_vector(*ranks)
        case "matmul" if min(ranks) >= 2 and max(ranks) > 2:
            return _batched(*ranks)
        case "matmul" | "dot" if ranks == [2, 2] and _are_small(stmt):
            return _batched(*ranks)
    return None


def _are_small(stmt: Apply) -> bool:
    """Whether a product of matrices takes less time than the call of a library."""
    lengths = [d.known if d else None for a in stmt.args for d in a.type.shape or ()]
    known = [n for n in lengths if n is not None]
    return len(known) == len(lengths) and known[0] * known[1] * known[-1] <= CONTRACTED_IN_LOOPS


def _stated(text: str, ranks: list[int]) -> Letters | None:
    """Repeated letters of one operand are diagonals, which are left to NumPy."""
    left, arrow, right = text.replace(" ", "").partition("->")
    parts = tuple(left.split(","))
    if not arrow or "." in text or [len(p) for p in parts] != ranks:
        return None
    if any(len(set(p)) != len(p) for p in (*parts, right)) or not set(right) <= set(left):
        return None
    return parts, right


def _tensordot(axes: object, m: int, n: int) -> Letters | None:
    if isinstance(axes, int):
        pairs = [(m - axes + k, k) for k in range(axes)]
    elif isinstance(axes, tuple | list) and len(axes) == 2:
        first, second = ([a] if isinstance(a, int) else list(a) for a in axes)
        pairs = [(a % m, b % n) for a, b in zip(first, second, strict=True)]
    else:
        return None
    a, b = list(ascii_letters[:m]), list(ascii_letters[m : m + n])
    for i, j in pairs:
        b[j] = a[i]
    kept = [x for k, x in enumerate(a) if k not in {i for i, _ in pairs}]
    kept += [x for k, x in enumerate(b) if k not in {j for _, j in pairs}]
    return ("".join(a), "".join(b)), "".join(kept)


def _with_vector(m: int, n: int) -> Letters:
    batch = ascii_letters[: max(m, n) - 1]
    if n == 1:
        return (f"{batch}X", "X"), batch
    return ("X", f"{batch[:-1]}X{batch[-1]}"), batch


def _batched(m: int, n: int) -> Letters:
    batch = ascii_letters[: max(m, n) - 2]
    first, second = batch[len(batch) - (m - 2) :], batch[len(batch) - (n - 2) :]
    return (f"{first}XY", f"{second}YZ"), f"{batch}XZ"
