"""Van der Pol's oscillator brought to rest at the least cost, by direct transcription.

States and controls at 31 times are the unknowns, and the trapezoidal rule the constraints. SLSQP
takes dense matrices, and trust-constr sparse ones.
"""

import numpy as np
from measured import Counted, compare, measured
from scipy.optimize import NonlinearConstraint, minimize

from adjointgen import hessian, jacobian, value_and_grad

POINTS, END = 31, 5.0
STEP = END / (POINTS - 1)


def parted(z):
    """Positions, speeds and controls."""
    return z[:POINTS], z[POINTS : 2 * POINTS], z[2 * POINTS :]


def cost(z):
    x, v, u = parted(z)
    density = x**2 + v**2 + u**2
    return STEP * (np.sum(density) - 0.5 * (density[0] + density[-1]))


def defects(z):
    """What is zero: the start, and the rule for both states between two times."""
    x, v, u = parted(z)
    force = (1.0 - x**2) * v - x + u
    positions = x[1:] - x[:-1] - 0.5 * STEP * (v[1:] + v[:-1])
    speeds = v[1:] - v[:-1] - 0.5 * STEP * (force[1:] + force[:-1])
    return np.concatenate([x[:1], v[:1] - 1.0, positions, speeds])


def dense(fun, jac, rule, slopes):
    constraint = {"type": "eq", "fun": rule}
    if slopes is not None:
        constraint["jac"] = slopes
    options = {"ftol": 1e-10, "maxiter": 500}
    z = np.zeros(3 * POINTS)
    return minimize(
        fun, z, jac=jac, constraints=[constraint], method="SLSQP", options=options
    )


def sparse(fun, curvature, rule, slopes, bend):
    constraint = NonlinearConstraint(rule, 0.0, 0.0, jac=slopes, hess=bend)
    return minimize(
        fun,
        np.zeros(3 * POINTS),
        jac=True,
        hess=curvature,
        constraints=[constraint],
        method="trust-constr",
        options={"gtol": 1e-9, "xtol": 1e-10},
    )


def main():
    fun, rule = Counted(value_and_grad(cost)), Counted(defects)
    slopes = Counted(jacobian(defects))
    exact = measured(
        "SLSQP, derivatives",
        lambda: dense(fun, True, rule, slopes),
        fun,
        rule,
        slopes,
        twice=True,
    )
    plain, plain_rule = Counted(cost), Counted(defects)
    rough = measured(
        "SLSQP, differences",
        lambda: dense(plain, None, plain_rule, None),
        plain,
        plain_rule,
    )
    compare(exact, rough)
    matrix = Counted(jacobian(defects, sparse=True))
    curvature = Counted(hessian(cost, sparse=True))
    bend = Counted(hessian(lambda z, w: w @ defects(z), sparse=True))
    newton = measured(
        "trust-constr, sparse",
        lambda: sparse(fun, curvature, rule, matrix, bend),
        fun,
        rule,
        matrix,
        curvature,
        bend,
        twice=True,
    )
    for found, _, _ in (exact, rough, newton):
        print(f"cost {found.fun:.9f}, largest defect {np.max(np.abs(defects(found.x))):.0e}")


if __name__ == "__main__":
    main()
