"""A log density of NumPy as an operation of PyTensor, for models of PyMC.

    pm.Potential("likelihood", LogDensity(logp)(theta))
"""

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from adjointgen import value_and_grad


class LogDensity(Op):
    """`logp(theta)`, a number for a vector."""

    def __init__(self, logp):
        self.logp = logp
        self.both = LogpAndGradient(logp)

    def make_node(self, theta):
        return Apply(self, [pt.as_tensor(theta)], [pt.dscalar()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.asarray(self.logp(inputs[0]), np.float64)

    def L_op(self, inputs, outputs, bars):
        return [bars[0] * self.both(inputs[0])[1]]

    pullback = L_op  # its name from PyTensor 3 on


class LogpAndGradient(Op):
    """Both at once: samplers ask for them at the same points."""

    def __init__(self, logp):
        self.logp_and_dlogp = value_and_grad(logp)

    def make_node(self, theta):
        return Apply(self, [pt.as_tensor(theta)], [pt.dscalar(), pt.dvector()])

    def perform(self, node, inputs, outputs):
        value, slope = self.logp_and_dlogp(inputs[0])
        outputs[0][0] = np.asarray(value, np.float64)
        outputs[1][0] = np.asarray(slope, np.float64)
