"""NumPy functions without a row that are defined by others, in `runtime/defined.py`.

They are read as a helper of the user's would be, and lowered where a float goes in; a call that
computes with integers and strings alone is copied, and so is any where nothing is differentiated,
unless it is given a function that has to be lowered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Outside, Partial, Ref, Seq
from adjointgen.frontend.domain.scipy_names import OF_SCIPY, OF_STATISTICS
from adjointgen.frontend.source.source import source_from_file
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.sequential_copies import check_unread
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value

FOLDER = Path(__file__).parents[2] / "runtime"
NUMPY, SCIPY = str(FOLDER / "defined.py"), str(FOLDER / "scipy_defined.py")
ITERATORS = str(FOLDER / "iterators.py")
STATISTICS = str(FOLDER / "statistics_defined.py")
COMPLEX = str(FOLDER / "cmath_defined.py")
MAPPINGS = str(FOLDER / "mapping_defined.py")
POLYNOMIALS = str(FOLDER / "polynomial_defined.py")
OF_ITERTOOLS = (
    *("accumulate", "batched", "chain", "compress", "count", "cycle", "dropwhile", "filterfalse"),
    *("islice", "pairwise", "repeat", "starmap", "takewhile"),
)
OF_SEQUENCES = (
    *("accumulate_sequence", "pairwise_sequence", "zip_longest_sequences", "pairs", "triples"),
)
OF_MATH = ("ldexp", "remainder", "modf", "dist")
"""What is defined of `math`; it shares the rest of the names with NumPy."""
UFUNCS = {"accumulate": ("maximum", "minimum"), "reduceat": ("add",)} | {
    "at": ("subtract", "multiply", "divide", "maximum", "minimum")
}
"""Methods of ufuncs; the definition of `np.maximum.at` is `maximum_at`."""
ELSEWHERE = {
    f"scipy.{module}.{name}": (SCIPY, name) for module, names in OF_SCIPY.items() for name in names
} | {
    f"numpy.{name}.{method}": (NUMPY, f"{name}_{method}")
    for method, names in UFUNCS.items()
    for name in names
}
ELSEWHERE |= {f"itertools.{name}": (ITERATORS, name) for name in OF_ITERTOOLS}
ELSEWHERE["itertools.chain.from_iterable"] = ITERATORS, "from_iterable"
ELSEWHERE |= {f"adjointgen.{name}": (ITERATORS, name) for name in OF_SEQUENCES}
OF_EMATH = ("sqrt", "log", "log2", "log10", "arcsin", "arccos", "arctanh", "power")
"""Functions that are complex beyond the real domain, by the names of two modules."""
ELSEWHERE |= {
    f"{module}.{name}": (NUMPY, f"emath_{name}")
    for module in ("numpy.emath", "numpy.lib.scimath", "numpy.lib._scimath_impl")
    for name in OF_EMATH
}
ELSEWHERE |= {f"math.{name}": (NUMPY, name) for name in OF_MATH}
ELSEWHERE |= {
    f"numpy.polynomial.{module}.{name}": (POLYNOMIALS, name)
    for module, name in (
        ("polynomial", "polyval"),
        ("chebyshev", "chebval"),
        ("legendre", "legval"),
    )
}
ELSEWHERE |= {
    f"{module}.{name}": (STATISTICS, name)
    for module in ("statistics", "_statistics")
    for name in OF_STATISTICS
}
ELSEWHERE |= {
    "adjointgen.jacobian": (NUMPY, "jacobian"),
    "adjointgen.misfit": (SCIPY, "misfit"),
    "adjointgen.mapped": (NUMPY, "mapped"),
    "adjointgen.array_of_rows": (NUMPY, "array_of_rows"),
    "adjointgen.max_by": (NUMPY, "max_by"),
    "adjointgen.min_by": (NUMPY, "min_by"),
    "numpy.true_divide.at": (NUMPY, "divide_at"),
}
OF_CMATH = (
    *("phase", "polar", "rect", "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh"),
    *("cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh"),
)
ELSEWHERE |= {f"cmath.{name}": (COMPLEX, name) for name in OF_CMATH}
OF_MAPPINGS = ("keys", "values", "items", "get", "__contains__")
ELSEWHERE |= {f"collections.abc.Mapping.{n}": (MAPPINGS, n.strip("_")) for n in OF_MAPPINGS}
ELSEWHERE |= {f"collections.abc.MutableMapping.{n}": (MAPPINGS, n) for n in ("update", "pop")}
ONLY_MATH = ("remainder", "dist")
RANKS = {
    "bisplev": (0,),
    **dict.fromkeys(("simpson", "cumulative_trapezoid", "romb"), (1, 2, 3)),
    **dict.fromkeys(("fill_diagonal", "pdist"), (2,)),
    "put_along_axis": (1, 2),
    **dict.fromkeys(("put", "maximum_accumulate"), (1,)),
    **dict.fromkeys(("minimum_accumulate", "add_reduceat"), (1,)),
    **dict.fromkeys(("squareform",), (1, 2)),
}
"""What is defined for arrays of these numbers of axes only."""
OF_A_SERIES = ("polyval", "chebval", "legval")
"""What is defined for one row of coefficients, the last argument."""
ENTRY_BY_ENTRY = ("place",)
"""What NumPy reads its other arguments in while it writes to the first."""
GIVEN_A_FUNCTION = (
    *("apply_along_axis", "fromfunction", "vectorized", "vectorized_floats"),
    *("fixed_quad", "mapped"),
)
"""What may depend on a float by the function that it is given."""


@lru_cache(maxsize=64)
def defined(spelling: str) -> Closure | None:
    """The definition of a function, by its qualified name."""
    found = ELSEWHERE.get(spelling)
    module, _, name = spelling.rpartition(".")
    if found is None and module == "numpy" and name in _names() and name not in ONLY_MATH:
        found = NUMPY, name
    return None if found is None else Closure(source_from_file(*found))


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    tree = ast.parse(Path(NUMPY).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def is_meant(
    ctx: Context, spelling: str, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> bool:
    """Whether a call is one that the definition is for."""
    name = ELSEWHERE.get(spelling, (NUMPY, spelling.rpartition(".")[2]))[1]
    ranks = RANKS.get(name)
    first = args[0] if args else keywords.get(_first_parameter(spelling))
    if ranks is not None and (first is None or rank_of(ctx, first) not in ranks):
        return False
    if name in OF_A_SERIES and rank_of(ctx, keywords.get("c", args[-1])) != 1:
        return False
    if name in ENTRY_BY_ENTRY and first is not None:
        check_unread(ctx, first, (*args[1:], *keywords.values()))
    values = [content(ctx, v) for v in (*args, *keywords.values())]
    if spelling.startswith("itertools."):
        return not (ctx.outlines.primal and any(map(_is_object, values)))
    captures = any(isinstance(v, Closure | Partial) for v in values)
    if ctx.outlines.primal and (not captures or any(map(_is_object, values))):
        return False
    return holds_floats(ctx, values) or (captures and name in GIVEN_A_FUNCTION)


def _first_parameter(spelling: str) -> str:
    """What the first argument of a definition is called."""
    known = defined(spelling)
    return "" if known is None else next((a.arg for a in known.source.arguments.args), "")


def _is_object(value: Abstract) -> bool:
    """Whether nothing is known of a value: a subclass of arrays has results of its own."""
    return isinstance(value, Value | Outside) and value.type.kind == "object"


def rank_of(ctx: Context, value: Abstract) -> int | None:
    """The number of axes, where it is known."""
    match content(ctx, value):
        case Value() | Ref():
            return read(ctx, value).type.rank
        case Seq(items=items) if items:
            inner = rank_of(ctx, items[0])
            return None if inner is None else inner + 1
        case Const():
            return 0
        case Outside(type=type):
            return type.rank
    return None


def holds_floats(ctx: Context, values: Iterable[Abstract]) -> bool:
    """Whether floats that are no constants are among the arguments."""
    return any(_is_float(ctx, value) for value in values)


def _is_float(ctx: Context, value: Abstract) -> bool:
    match content(ctx, value):
        case Value(type=type):
            return type.is_differentiable
        case Ref() as held:
            return read(ctx, held).type.is_differentiable
        case Seq(items=items):
            return holds_floats(ctx, items)
    return False


def is_numpys_own(ctx: Context, spelling: str, args: Sequence[Abstract]) -> bool:
    """Whether a program that stands for the function leaves a call to NumPy.

    An empty list is no array of floats yet, and the dtype of some results depends on values.
    """
    if not spelling.startswith("numpy."):
        return False
    empty = spelling != "numpy.array" and Seq((), "list") in [content(ctx, v) for v in args]
    return empty or spelling in _BY_VALUE


_BY_VALUE = ("numpy.linalg.eig", "numpy.linalg.eigvals", "numpy.linalg.svd")
"""Functions whose results are real or complex by the entries, or have names."""
