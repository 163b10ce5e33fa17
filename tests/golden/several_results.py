# Several results, one seed for each.
# wrt: r, phi   at: r=1.5, phi=0.5
import math


def several_results(r, phi):
    x = r * math.cos(phi)
    y = r * math.sin(phi)
    return x, y


# In single-assignment form:
#
# function several_results(r: float64, phi: float64) -> (x, y)
#   t': float64 = cos(phi) [spelling="math.cos"]
#   x: float64 = mul(r, t)
#   t_2': float64 = sin(phi) [spelling="math.sin"]
#   y: float64 = mul(r, t_2)
#   return x, y


def several_results_tangent(
    r: float, phi: float, r_dot: float, phi_dot: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Value and tangent of `several_results`: ((x, y), (x_dot, y_dot)).

    r: float, differentiated
    phi: float, differentiated
    r_dot: float, seed
    phi_dot: float, seed
    x: float, returned
    y: float, returned
    x_dot: float, returned
    y_dot: float, returned
    """
    sin_phi = math.sin(phi)
    cos_phi = math.cos(phi)
    x_dot = cos_phi * r_dot - r * sin_phi * phi_dot
    x = r * cos_phi
    y_dot = sin_phi * r_dot + x * phi_dot
    y = r * sin_phi
    return (x, y), (x_dot, y_dot)


def several_results_adjoint(
    r: float, phi: float, x_bar: float, y_bar: float
) -> tuple[tuple[float, float], float, float]:
    """Value and adjoint of `several_results`: ((x, y), r_bar, phi_bar).

    r: float, differentiated
    phi: float, differentiated
    x_bar: float, seed
    y_bar: float, seed
    x: float, returned
    y: float, returned
    r_bar: float, returned
    phi_bar: float, returned
    """
    # Forward sweep.
    cos_phi = math.cos(phi)
    x = r * cos_phi
    sin_phi = math.sin(phi)
    y = r * sin_phi

    # Reverse sweep.
    # y = r * math.sin(phi)
    r_bar = y_bar * sin_phi
    phi_bar = y_bar * r * cos_phi
    # x = r * math.cos(phi)
    r_bar += x_bar * cos_phi
    phi_bar -= x_bar * r * sin_phi
    return (x, y), r_bar, phi_bar
