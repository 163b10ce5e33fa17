"""Methods that a name of the module holds, bound to their object."""

from adjointgen import check, grad


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x=1.0, scale=2.0):
        return self.stiffness * x**2 * scale

    @classmethod
    def squared(cls, x):
        return x**2


SPRING = Spring(3.0)
force, squared = SPRING.force, Spring.squared
slope = grad(force)


def of_method(x):
    return force(x) + force(x, scale=x) * squared(x)


def of_derivative(x):
    return slope(x) * x


def test_the_object_is_the_first_argument():
    assert grad(of_method)(2.0) == 12.0 * 2.0 + 15.0 * 2.0**4
    check(of_method, (0.7,)).raise_on_failure()


def test_a_derivative_of_a_method():
    assert grad(of_derivative)(2.0) == 24.0 * 2.0
