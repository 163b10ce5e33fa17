"""How often a solver called its functions, and how long it took, in lines beside each other."""

import time


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


def measured(label, solve, *functions, twice=False):
    """What a solver found, the calls of its functions and its seconds, which are printed.

    Programs are generated in the first call: with `twice`, the second solve is measured.
    """
    if twice:
        solve()
    for function in functions:
        function.calls = 0
    start = time.perf_counter()
    found = solve()
    seconds = time.perf_counter() - start
    calls = sum(function.calls for function in functions)
    print(f"{label:24s} {calls:8d} evaluations {1e3 * seconds:9.1f} ms")
    return found, calls, seconds


def compare(derivatives, differences):
    """Print how many times as many evaluations and seconds differences took."""
    (_, calls, seconds), (_, more, longer) = derivatives, differences
    print(f"ratio: {more / calls:.1f} evaluations, {longer / seconds:.1f} seconds")
