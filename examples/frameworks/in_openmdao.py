"""A function of NumPy as an explicit component of OpenMDAO, with its sparse partials."""

import openmdao.api as om

from adjointgen import jacobian, sparsity


class Component(om.ExplicitComponent):
    """`y = f(x)` of vectors. The options are `f` and `x`, a point at which the pattern is found."""

    def initialize(self):
        self.options.declare("f")
        self.options.declare("x")

    def setup(self):
        f, x = self.options["f"], self.options["x"]
        self.add_input("x", val=x)
        self.add_output("y", val=f(x))
        self.pattern = sparsity(f, x)
        self.slopes = jacobian(f, sparse=self.pattern)
        rows, columns = self.pattern.nonzero()
        self.declare_partials("y", "x", rows=rows, cols=columns)

    def compute(self, inputs, outputs):
        outputs["y"] = self.options["f"](inputs["x"])

    def compute_partials(self, inputs, partials):
        partials["y", "x"] = self.slopes(inputs["x"]).data
