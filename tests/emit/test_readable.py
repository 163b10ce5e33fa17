"""What a reviewer would complain about in a module stays away, one complaint after the other."""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen import generate


def text(
    function: Callable[..., Any], *arguments: Any, mode: str = "adjoint", **options: Any
) -> str:
    """What is generated for one call: the statements of one mode, without the docstring."""
    module = generate(function, modes=mode, example=(arguments, {}), **options)
    parts = module.body.split('"""')
    return "".join(parts[2::2])


def diffuse(u, kappa):
    for _ in range(3):
        laplacian = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += kappa * laplacian
    return np.sum(u**2)


def products(a, b):
    return np.sum(a * b + np.sin(b) * np.cos(a))


def updated(x, h):
    for _ in range(3):
        x = x + h * np.sin(x)
        x = x - h * np.cos(x)
    return x


X = np.linspace(0.5, 1.5, 5)


def test_terms_of_one_statement_are_one_expression() -> None:
    tangent = text(diffuse, X, 0.1, mode="tangent")
    assert "laplacian_dot = u_dot[2:] - 2.0 * u_dot[1:-1] + u_dot[:-2]" in tangent
    assert "u_dot[1:-1] += laplacian * kappa_dot + kappa * laplacian_dot" in tangent
    adjoint = text(products, X, X)
    assert adjoint.count("a_bar = ") == 1
    assert "a_bar +=" not in adjoint and "a_bar -=" not in adjoint


def test_adjoints_of_different_statements_are_added_in_place() -> None:
    adjoint = text(diffuse, X, 0.1)
    assert "u_bar[2:] += " in adjoint
    assert "u_bar = u_bar" not in adjoint
