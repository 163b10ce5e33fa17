# Two arrays of the reverse loop are one at the end of an iteration, and written in the next.
# wrt: u   at: u=np.array([0.5, 1.5, 0.25]), n=3
def shared_yields(u, n):
    v = u * u
    for _ in range(n):
        t = u + v
        u = t * 0.5
        v = t * t
        v[0] = u[1]
    return u * v
