"""What functions without a row do to the storage of their arguments.

Functions of Python, NumPy and SciPy read, and give something new, except for those that are listed
here. Of any other function nothing is known. `tests/rules/test_storage.py` asks NumPy.
"""

from __future__ import annotations

from typing import Final

ANYTHING: Final = "*"
"""Stands for all that a module holds, where code that is copied names what it reads."""
READERS = (
    "builtins",
    "math",
    "numpy",
    "scipy",
    "cmath",
    "copy",
    "time",
    "logging",
    "warnings",
    "_warnings",
)
WRITERS = frozenset(
    {
        *("put", "place", "putmask", "fill_diagonal", "shuffle", "copyto", "partition", "at"),
        *("put_along_axis", "setattr", "delattr", "next", "exec", "eval"),
    }
)
"""Functions that write into an argument."""
IN_PLACE = WRITERS | {"fill", "sort", "resize", "setfield", "byteswap", "itemset"}
"""Methods of arrays, and functions of modules, that write into an array."""
VIEWS = frozenset(
    {
        *("asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"),
        *("array", "require", "asmatrix", "frombuffer", "from_dlpack", "trim_zeros", "unstack"),
        *("real_if_close", "meshgrid", "broadcast", "broadcast_arrays", "nan_to_num", "ix_"),
        *("matrix_transpose", "diagonal", "diag", "astype", "einsum", "reshape", "ravel"),
        *("histogram", "histogram2d", "histogramdd", "histogram_bin_edges", "polyder", "polyint"),
        *("split", "array_split", "vsplit", "hsplit", "dsplit", "diff", "matrix_power"),
        *("transpose", "squeeze", "expand_dims", "moveaxis", "rollaxis", "swapaxes"),
        *("permute_dims", "flip", "flipud", "fliplr", "rot90", "broadcast_to", "real", "imag"),
        *("atleast_1d", "atleast_2d", "atleast_3d", "float64", "fftn", "ifftn"),
        *(
            "nditer",
            "nested_iters",
            "ndarray",
            "recarray",
            "matrix",
            "bmat",
            "flatiter",
            "vectorize",
        ),
    }
)
"""Functions of NumPy that may give an argument itself, or a view of it."""
ENTRIES = frozenset(
    {
        *("list", "tuple", "set", "frozenset", "dict", "iter", "next", "max", "min", "sorted"),
        *("reversed", "zip", "enumerate", "map", "filter", "getattr", "vars", "memoryview"),
        *("slice", "object", "super", "sum", "eval", "exec"),
    }
)
"""Functions of Python whose result holds what they are given."""
SHARING = ("ma", "lib", "rec", "ndarray", "matrixlib", "polynomial", "sparse")
"""Modules and classes of NumPy and SciPy whose results may hold what they are given."""


def gives_new(callee: str) -> bool:
    """Whether the result of a function, by its qualified name, shares storage with no argument."""
    home, *inner, name = callee.split(".") if "." in callee else ("", "")
    if name[:1].isupper() or (inner and inner[0] in SHARING):
        return False
    match home:
        case "builtins":
            return name not in ENTRIES
        case "copy":
            return name == "deepcopy"
        case "numpy":
            return name not in VIEWS
    return home in READERS
