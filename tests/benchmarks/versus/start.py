"""The first gradient of a process: imports, what is generated and compiled, and one call.

    python -m tests.benchmarks.versus.start TARGET

prints seconds as JSON, from before the first import on, of the formula of twenty operations.
"""

from time import perf_counter

START = perf_counter()

import json  # noqa: E402 (imports are what is measured)
import sys  # noqa: E402


def first(target: str) -> float:
    """Seconds until there is a gradient."""
    from adjointgen import grad
    from tests.benchmarks.scalars.programs import formula

    grad(formula, wrt=("x", "y"), compile=target)(0.7, 1.3)
    return perf_counter() - START


if __name__ == "__main__":
    print(json.dumps(first(sys.argv[1])))
