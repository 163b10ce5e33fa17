"""Linear recurrences of first order, whose coefficients may be zero.

Divided by the running product of the coefficients, the terms of a recurrence are sums. Where that
product vanishes or leaves the range of floating-point numbers, it is run step by step. Nothing here
imports the package: the source is copied into the generated modules that call it. (Blelloch 1990,
Prefix sums and their applications, section 1.4.)
"""

from typing import Any

import numpy as np


def recurrence(a: Any, u: Any, axis: int) -> Any:
    """`z[k] = a[k] * z[k - 1] + u[k]` along an axis, from `z[-1] = 0`."""
    a, u = np.moveaxis(a, axis, 0), np.moveaxis(u, axis, 0)
    products = np.cumprod(a, axis=0)
    sizes = np.abs(products)
    if np.all((sizes > 1e-200) & (sizes < 1e200)):
        z = products * np.cumsum(u / products, axis=0)
    else:
        z = u * np.ones_like(a)
        for k in range(1, len(z)):
            z[k] += a[k] * z[k - 1]
    return np.moveaxis(z, 0, axis)
