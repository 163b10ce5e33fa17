# A write through a view is a write to its base.
# wrt: A, x   at: A=np.array([[1.0, 0.5], [0.25, 2.0]]), x=np.array([0.5, 1.5])
from typing import Any

import numpy as np
from numpy.typing import NDArray


def views(A, x):
    row = A[1]
    row *= x
    column = A[:, 0]
    column[0] = row[0] * row[1]
    return np.sum(A * A)


# In single-assignment form:
#
# function views(A: float64[A.0, A.1], x: float64[x.0]) -> (result)
#   row: float64[A.1] = load(A) [index="1"]
#   t': float64[A.1] = mul(row, x)
#   A_2: float64[A.0, A.1] = store(A, t) [index="1"]
#   column: float64[A.0] = load(A_2) [index=":, 0"]
#   t_2': float64 = load(t) [index="0"]
#   t_3': float64 = load(t) [index="1"]
#   t_4': float64 = mul(t_2, t_3)
#   t_5': float64[A.0] = store(column, t_4) [index="0"]
#   A_3: float64[A.0, A.1] = store(A_2, t_5) [index=":, 0"]
#   t_6': float64[A.0, A.1] = mul(A_3, A_3)
#   result: float64 = sum(t_6)
#   return result


def views_tangent(
    A: NDArray[np.float64],
    x: NDArray[np.float64],
    A_dot: NDArray[np.float64],
    x_dot: NDArray[np.float64],
) -> tuple[float, float]:
    """Value and tangent of `views`: (result, result_dot).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    A_dot: float64 array (A.shape[0], A.shape[1]), seed, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    row_dot = A_dot[1]
    row = A[1]
    total = x * row_dot + row * x_dot
    product = row * x
    A_dot = A_dot.copy()
    A_dot[1] = total
    A = A.copy()
    A[1] = product
    column_dot = A_dot[:, 0]
    column = A[:, 0]
    product_entry = product[0]
    product_entry_1 = product[1]
    column_dot = column_dot.copy()
    column_dot[0] = product_entry_1 * total[0] + product_entry * total[1]
    column = column.copy()
    column[0] = product_entry * product_entry_1
    A_dot[:, 0] = column_dot
    A[:, 0] = column
    result_dot: Any = 2.0 * np.vdot(A, A_dot)
    result = np.sum(A * A)
    return result, result_dot


def views_adjoint(
    A: NDArray[np.float64], x: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `views`: (result, A_bar, x_bar).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    result: float, returned
    A_bar: float64 array (A.shape[0], A.shape[1]), returned
    x_bar: float64 array (A.shape[1],), returned
    """
    # Forward sweep.
    row = A[1]
    product = row * x
    A = A.copy()
    A[1] = product
    column = A[:, 0]
    product_entry = product[0]
    product_entry_1 = product[1]
    column = column.copy()
    column[0] = product_entry * product_entry_1
    A[:, 0] = column
    result = np.sum(A * A)

    # Reverse sweep.
    # return np.sum(A * A)
    A_bar = 2.0 * result_bar * A
    # column[0] = row[0] * row[1]
    A_bar_part = A_bar[:, 0]
    product_bar = A_bar_part[0]
    column_bar = A_bar_part.copy()
    column_bar[0] = 0.0
    product_bar_1 = np.zeros_like(product)
    product_bar_1[1] = product_bar * product_entry
    product_bar_1[0] = product_bar * product_entry_1
    # column = A[:, 0]
    A_bar[:, 0] = column_bar
    # row *= x
    product_bar_1 += A_bar[1]
    row_bar = product_bar_1 * x
    x_bar = product_bar_1 * row
    # row = A[1]
    A_bar[1] = row_bar
    return result, A_bar, x_bar
