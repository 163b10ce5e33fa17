"""Rosenbrock's function of 1000 numbers, minimised by Newton-CG and without derivatives."""

import numpy as np
from measured import Counted, compare, measured
from scipy.optimize import minimize

from adjointgen import hessp, value_and_grad

START = np.linspace(0.9, 1.1, 1000)


def rosenbrock(x, a=100.0):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def newton(fun, **more):
    """Newton's method; without products with the Hessian, by differences of gradients."""
    options = {"xtol": 1e-8}
    return minimize(
        fun, START, jac=True, method="Newton-CG", options=options, **more
    )


def quasi_newton(fun):
    """What is left without derivatives: SciPy takes differences."""
    options = {"ftol": 1e-14, "gtol": 1e-7, "maxfun": 10**6}
    return minimize(fun, START, method="L-BFGS-B", options=options)


def main():
    fun, product = Counted(value_and_grad(rosenbrock)), Counted(hessp(rosenbrock))
    exact = measured(
        "gradients and products",
        lambda: newton(fun, hessp=product),
        fun,
        product,
        twice=True,
    )
    half = measured("gradients alone", lambda: newton(fun), fun)
    plain = Counted(rosenbrock)
    rough = measured("differences alone", lambda: quasi_newton(plain), plain)
    for found, _, _ in (exact, half, rough):
        print(f"distance from the minimum {np.max(np.abs(found.x - 1.0)):.1e}")
    compare(exact, rough)


if __name__ == "__main__":
    main()
