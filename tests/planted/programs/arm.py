# What the arm that is not taken computes is needed after the branch.
# wrt: x   at: x=-0.75
import math


def arm(x):
    if x > 0.0:
        y = math.sin(x)
        y = y * 2.0
    else:
        y = 3.0 * x
    return y * math.sin(x)
