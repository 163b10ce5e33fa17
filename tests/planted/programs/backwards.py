# What a loop reads here is overwritten in its next iteration, which has a smaller index.
# wrt: x   at: x=np.array([0.5, 1.5, -0.75, 2.0])
def backwards(x):
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] * x[i - 1]
    return x
