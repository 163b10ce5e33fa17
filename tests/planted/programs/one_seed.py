# Two arrays have the same adjoint at the end of a loop that writes both.
# wrt: u, v   at: u=np.array([0.5, 1.5, 0.25]), v=np.array([0.75, -1.0, 0.5])
def one_seed(u, v):
    for i in range(len(u)):
        u[i] = v[i] * u[i]
        v[i] = u[i] * u[i]
    return 2.0 * (u + v)
