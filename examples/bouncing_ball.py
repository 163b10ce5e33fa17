"""Which gravity and which loss explain the times at which a ball was heard to bounce?

The time of a bounce is an event of a differential equation. Its derivative follows from the equation
that it solves: the height is zero then.
"""

import numpy as np
from measured import Counted, compare, measured
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from adjointgen import custom, jacobian

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
BOUNCES = 5


def fall(t, state, g):
    return [state[1], -g]


def ground(t, state, g):
    return state[0]


ground.terminal, ground.direction = True, -1.0


def scaled_fall(s, state, t, g):
    """The same with time counted in parts of `t`."""
    return [t * state[1], -t * g]


def height(t, y, v, g):
    """The height after the time `t`: zero when the ball lands."""
    start = np.array([y, v])
    found = solve_ivp(
        scaled_fall, (0.0, 1.0), start, args=(t, g), rtol=1e-10, atol=1e-12
    )
    return found.y[0, -1]


@custom(residual=height)
def flight(y: float, v: float, g: float) -> float:
    """How long the ball is in the air."""
    found = solve_ivp(
        fall, (0.0, 99.0), np.array([y, v]), args=(g,), events=ground, **TIGHT
    )
    return found.t_events[0][0]


def bounces(unknown, y=2.0, v=0.0):
    """The times of the first bounces, for a gravity and a part of the speed that is kept."""
    g, kept = unknown
    times, t = [], 0.0
    for _ in range(BOUNCES):
        duration = flight(y, v, g)
        t = t + duration
        times.append(t)
        y, v = 0.0, -kept * (v - g * duration)
    return np.array(times)


def exact_bounces(unknown, y=2.0):
    g, kept = unknown
    return np.sqrt(2.0 * y / g) * (1.0 + 2.0 * np.cumsum(kept ** np.arange(BOUNCES)) - 2.0)


def exact_slopes(unknown, y=2.0):
    """The derivatives of the times by gravity and by the part of the speed that is kept."""
    g, kept = unknown
    powers = np.arange(BOUNCES)
    by_g = -0.5 / g * exact_bounces(unknown, y)
    by_kept = 2.0 * np.sqrt(2.0 * y / g) * np.cumsum(powers * kept ** (powers - 1.0))
    return np.stack([by_g, by_kept], axis=-1)


def main():
    truth, guess = np.array([9.81, 0.8]), np.array([5.0, 0.5])
    slopes = jacobian(bounces)
    error = np.max(np.abs(slopes(truth) - exact_slopes(truth)))
    print(f"error of the derivatives {error:.1e}")
    heard = exact_bounces(truth)

    def fitted(fun, jac):
        return least_squares(lambda x: fun(x) - heard, guess, jac=jac)

    fun, jac, plain = Counted(bounces), Counted(slopes), Counted(bounces)
    exact = measured("derivatives", lambda: fitted(fun, jac), fun, jac)
    rough = measured("differences", lambda: fitted(plain, "2-point"), plain)
    compare(exact, rough)
    for found, _, _ in (exact, rough):
        print(f"gravity {found.x[0]:.8f}, kept {found.x[1]:.8f}")


if __name__ == "__main__":
    main()
