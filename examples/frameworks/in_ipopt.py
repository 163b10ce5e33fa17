"""A problem as Ipopt asks for it: sparse derivatives of constraints and of the Lagrangian.

    cyipopt.Problem(n=len(x), m=len(g), problem_obj=Problem(cost, constraints, x), cl=..., cu=...)
    solved(Problem(cost, constraints, x), x)        with ipyopt, for constraints that are zero

Run as a script it solves `examples/optimal_control.py` by both, and by differences beside.
"""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.sparse import tril

from adjointgen import grad, hessian, jacobian, sparsity


class Problem:
    """The least `cost(x)` under `constraints(x)`; patterns are those at `x`."""

    asked = 0

    def __init__(self, cost, constraints, x):
        def lagrangian(x, weights, scale):
            return scale * cost(x) + weights @ constraints(x)

        self.objective, self.constraints = cost, constraints
        self.gradient = grad(cost)
        pattern = sparsity(constraints, x)
        self.slopes = jacobian(constraints, sparse=pattern)
        self.places = pattern.nonzero()
        weights = np.ones(pattern.shape[0])
        bent = hessian(lagrangian, sparse=True)(x, weights, 1.0)
        self.curvature = hessian(lagrangian, sparse=pattern_of(bent))
        self.lower = tril(pattern_of(bent)).nonzero()

    def jacobianstructure(self):
        return self.places

    def jacobian(self, x):
        return self.slopes(x).data

    def hessianstructure(self):
        return self.lower

    def hessian(self, x, weights, scale):
        return np.asarray(self.curvature(x, weights, scale)[self.lower]).ravel()


def pattern_of(matrix):
    """Where a matrix has entries, those that happen to be zero as well."""
    found = matrix.copy()
    found.data = np.ones(len(found.data), bool)
    return found


def solved(problem, x, **options):
    """The minimum, its cost and how often each function was asked, by Ipopt with ipyopt."""
    import ipyopt

    asked = dict.fromkeys(("cost", "constraints", "derivatives"), 0)

    def cost(x):
        asked["cost"] += 1
        return float(problem.objective(x))

    def filled(function, kind):
        def fill(x, *given):
            *more, out = given
            asked[kind] += 1
            out[()] = function(x, *more)
            return out

        return fill

    derivatives = ("gradient", "jacobian", "hessian")
    gradient, slopes, curvature = (
        filled(getattr(problem, name), "derivatives") for name in derivatives
    )
    rule = filled(problem.constraints, "constraints")
    count, far = len(problem.constraints(x)), np.full(len(x), 1e20)
    zero = np.zeros(count)
    patterns = (problem.jacobianstructure(), problem.hessianstructure())
    places = [tuple(np.asarray(k, np.int32) for k in one) for one in patterns]
    options = {"print_level": 0, "sb": "yes", "tol": 1e-10} | options
    ipopt = ipyopt.Problem(
        *(len(x), -far, far, count, zero, zero, *places),
        *(cost, gradient, rule, slopes, curvature),
        ipopt_options=options,
    )
    found, least, status = ipopt.solve(x0=np.array(x, float))
    if status:
        raise RuntimeError(f"Ipopt ends with status {status}")
    return found, least, asked


class ByDifferences(Problem):
    """The same of which the cost alone is known; Ipopt has differences of the constraints."""

    def gradient(self, x):
        steps = 1e-7 * np.eye(len(x))
        return np.array([self.costs(x + step) - self.costs(x - step) for step in steps]) / 2e-7

    def costs(self, x):
        self.asked += 1
        return self.objective(x)


BY_DIFFERENCES = {
    "jacobian_approximation": "finite-difference-values",
    "hessian_approximation": "limited-memory",
    "tol": 1e-6,
}


def main():
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import optimal_control as control

    x = np.full(3 * control.POINTS, 0.1)
    for kind, options in ((Problem, {}), (ByDifferences, BY_DIFFERENCES)):
        problem = kind(control.cost, control.defects, x)
        solved(problem, x, **options)  # programs are generated in the first calls
        problem.asked, start = 0, perf_counter()
        found, least, asked = solved(problem, x, **options)
        seconds = perf_counter() - start
        calls = sum(asked.values()) + problem.asked
        print(f"{kind.__name__:14s} {calls:6d} evaluations {1e3 * seconds:7.1f} ms")
        defect = np.max(np.abs(control.defects(found)))
        print(f"  cost {least:.9f}, largest defect {defect:.0e}")


if __name__ == "__main__":
    main()
