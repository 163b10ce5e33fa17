# A loop is left at the end of its body, after its variables have changed places.
# wrt: a, b   at: a=0.5, b=1.25, n=9
def leave_at_the_end(a, b, n):
    for k in range(n):
        stop = k > 3
        a, b = b, a * b
        if stop:
            break
    return a - b
