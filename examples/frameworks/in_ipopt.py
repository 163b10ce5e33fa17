"""A problem as cyipopt asks for it: sparse derivatives of constraints and of the Lagrangian.

    cyipopt.Problem(n=len(x), m=len(g), problem_obj=Problem(cost, constraints, x), cl=..., cu=...)
"""

import numpy as np
from scipy.sparse import tril

from adjointgen import grad, hessian, jacobian, sparsity


class Problem:
    """The least `cost(x)` under `constraints(x)`; patterns are those at `x`."""

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
