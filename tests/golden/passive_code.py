# What does not carry derivatives is copied as the user wrote it.
# wrt: x   at: x=np.array([0.5, 1.5, 0.75]), level=2
import numpy as np
from numpy.typing import NDArray


def passive_code(x, level):
    names = {1: "coarse", 2: "fine"}
    label = names[level].upper()
    weight = float(len(label))
    return np.cumsum(x) * weight


# In single-assignment form:
#
# function passive_code(x: float64[x.0], level: int64=level) -> (result)
#   names: object = verbatim("coarse", "fine") [code="{1: _0_, 2: _1_}", pure=True]
#   t': object = verbatim(names, level) [code="_0_[_1_]", sure=True]
#   label: object = verbatim("coarse", "fine", level) [code="{1: _0_, 2: _1_}[_2_].upper()", keeps=(0, 1)]
#   t_2': int64 = verbatim(label) [code="len(_0_)"]
#   weight: float64 = cast(t_2) [dtype="float64"]
#   t_3': float64[x.0] = cumsum(x)
#   result: float64[x.0] = mul(t_3, weight)
#   return result


def passive_code_tangent(
    x: NDArray[np.float64], level: int, x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `passive_code`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    level: int
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    result_dot: float64 array (x.shape[0],), returned
    """
    label = {1: "coarse", 2: "fine"}[level].upper()
    weight = float(len(label))
    result_dot = weight * np.cumsum(x_dot)
    result = np.cumsum(x) * weight
    return result, result_dot


def passive_code_adjoint(
    x: NDArray[np.float64], level: int, result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `passive_code`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    level: int
    result_bar: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    label = {1: "coarse", 2: "fine"}[level].upper()
    weight = float(len(label))
    result = np.cumsum(x) * weight

    # Reverse sweep.
    # return np.cumsum(x) * weight
    x_bar = np.flip(np.cumsum(np.flip(result_bar * weight), axis=0))
    return result, x_bar
