# Opposite and equal terms.
# wrt: x, y   at: x=0.75, y=1.25
def differences(x, y):
    a = x - y
    b = -x - 2.0 * y
    c = 2.0 * x + 3.0 * x
    return c * (a - x) * (b - a) / -1.0 - (y - a) / b
