"""One seed, held against what it belongs to: kind, shape and dtype.

    x: float64[3]     ones(3), ones(3, "f"), [1, 2, 3], arange(3)     are seeds
                      1.0, ones(4), ones((3, 1)), 1j * ones(3)        are none: nothing is broadcast

Numbers become those of the dtype that the program computes with. Whether the seed itself may be
written to does not matter: programs read their seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.ir.types import COMPLEX, REAL
from adjointgen.records import dataclass

Form = Any
"""The lengths of an array (None: not known), or a list of the forms of a list's entries; None where
nothing is known."""
_DTYPES = {name: np.dtype(name) for name in (*REAL, *COMPLEX)}
KINDS = {"f": "iuf", "c": "iufc"}
"""The kinds of numbers that are converted to floats and to complex numbers: no truth values."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a seed has to be: `name` is the program's, `kind` a scalar, an array or a list."""

    name: str
    dtype: str
    kind: str
    rank: int | None

    @property
    def numpy(self) -> np.dtype[Any]:
        """The dtype as NumPy's object, of which there is one."""
        return _DTYPES[self.dtype]


def form_of(value: Any) -> Form:
    """The form of a result or argument."""
    return [form_of(entry) for entry in value] if type(value) is list else np.shape(value)


def fitted(wanted: Wanted, seed: Any, form: Form) -> Any:
    """The seed in the kind and dtype that the program computes with.

    Raises TypeMismatch (AG407) where it does not fit.
    """
    if wanted.kind == "list":
        return _list(wanted, seed, form)
    found = _numbers(wanted, seed)
    expected = form if isinstance(form, tuple) else (None,) * (wanted.rank or 0)
    known = isinstance(form, tuple) or wanted.rank is not None
    if known and not _agree(found.shape, expected):
        misfit(wanted, f"has the shape {_shown(found.shape)}, not {_shown(expected)}")
    if wanted.kind == "scalar":
        return _number(wanted.dtype, found, seed)
    return found.astype(wanted.dtype, copy=False)


def check_form(wanted: Wanted, seed: Any, form: Form) -> None:
    """Refuse a seed (AG407) that has not the form of the result that it belongs to."""
    own = form_of(seed)
    if own != form:
        misfit(wanted, f"has the shape {_spelled(own)}, and the result {_spelled(form)}")


def zero(wanted: Wanted, form: Form) -> Any:
    """The seed that is left out; None where its form is not known."""
    if wanted.kind == "list":
        entry = _entry(wanted)
        zeros = [zero(entry, one) for one in form] if isinstance(form, list) else [None]
        return None if any(one is None for one in zeros) else zeros
    if wanted.kind == "scalar" and form in ((), None):
        return _number(wanted.dtype, np.zeros(()), 0.0)
    known = isinstance(form, tuple) and None not in form
    return np.zeros(form, wanted.dtype) if known else None


def misfit(wanted: Wanted, what: str) -> NoReturn:
    """Refuse a seed (AG407)."""
    refuse(f"the seed {wanted.name} {what}")


def refuse(what: str) -> NoReturn:
    """Refuse what is given as a seed (AG407)."""
    raise TypeMismatch(
        what,
        code="AG407",
        help="a seed has the structure, shape and kind of what it belongs to",
    )


def _list(wanted: Wanted, seed: Any, form: Form) -> list[Any]:
    array = isinstance(seed, np.ndarray) and seed.ndim > 0
    if not (array or type(seed) in (list, tuple)):
        misfit(wanted, f"is a {_noun(seed)}, and should be a list")
    known = isinstance(form, list)
    if known and len(seed) != len(form):
        misfit(wanted, f"has {len(seed)} entries, not {len(form)}")
    entry = _entry(wanted)
    forms = form if known else [None] * len(seed)
    pairs = zip(seed, forms, strict=True)
    return [zero(entry, form) if one is None else fitted(entry, one, form) for one, form in pairs]


def _entry(wanted: Wanted) -> Wanted:
    """What an entry of a list has to be."""
    rank = None if wanted.rank is None else wanted.rank - 1
    return Wanted(wanted.name, wanted.dtype, "array" if rank else "scalar", rank)


def _numbers(wanted: Wanted, seed: Any) -> np.ndarray[Any, Any]:
    """The numbers of a seed as an array."""
    if isinstance(seed, np.ma.MaskedArray | str | bytes | dict | set):
        misfit(wanted, f"is a {_noun(seed)}")
    try:
        found = np.asarray(float(seed) if type(seed) is int else seed)
    except Exception:
        misfit(wanted, "is no array of numbers")
    if found.dtype.kind not in KINDS["c" if wanted.dtype.startswith("complex") else "f"]:
        misfit(wanted, f"holds {_content(found.dtype)}, not {wanted.dtype}")
    return found


def _number(dtype: str, found: np.ndarray[Any, Any], seed: Any) -> Any:
    if dtype == "float64" and not isinstance(seed, np.generic | np.ndarray):
        return float(found)
    return found.astype(dtype)[()]


def _agree(shape: Sequence[int], expected: Sequence[int | None]) -> bool:
    return len(shape) == len(expected) and all(
        n is None or m == n for m, n in zip(shape, expected, strict=True)
    )


def _shown(shape: Sequence[int | None]) -> str:
    inner = ", ".join("?" if n is None else str(n) for n in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def _spelled(form: Form) -> str:
    return f"of a list of {len(form)}" if isinstance(form, list) else _shown(form)


def _noun(value: Any) -> str:
    return type(value).__name__


def _content(dtype: np.dtype[Any]) -> str:
    return {"b": "truth values", "O": "objects", "U": "text", "S": "text"}.get(
        dtype.kind, str(dtype)
    )
