"""The endpoints of a Tesseract for a function of named arrays, in its `tesseract_api.py`.

    def apply(inputs: InputSchema) -> OutputSchema:
        return OutputSchema(**endpoints.apply(inputs.model_dump()))
"""

import numpy as np

from adjointgen import jacobian, jvp, vjp


class Endpoints:
    """What a Tesseract computes, from `f`, which takes and returns a dict."""

    def __init__(self, f):
        self.apply = f

    def jacobian(self, inputs, jac_inputs, jac_outputs):
        named, rest = chosen(inputs, jac_inputs)
        found = jacobian(lambda named: self.apply({**rest, **named}))(named)
        return {y: {x: found[y][x] for x in jac_inputs} for y in jac_outputs}

    def jacobian_vector_product(self, inputs, jvp_inputs, jvp_outputs, tangent_vector):
        named, rest = chosen(inputs, jvp_inputs)
        along = {name: tangent_vector[name] for name in named}
        _, y_dot = jvp(lambda named: self.apply({**rest, **named}), (named,), (along,))
        return {y: y_dot[y] for y in jvp_outputs}

    def vector_jacobian_product(
        self, inputs, vjp_inputs, vjp_outputs, cotangent_vector
    ):
        named, rest = chosen(inputs, vjp_inputs)
        y, pullback = vjp(lambda named: self.apply({**rest, **named}), named)
        bars = {name: cotangent_vector.get(name, 0.0 * y[name]) for name in y}
        (found,) = pullback(bars)
        return {x: np.asarray(found[x]) for x in vjp_inputs}


def chosen(inputs, names):
    """The inputs that are differentiated, and the others."""
    named = {name: value for name, value in inputs.items() if name in names}
    return named, {n: value for n, value in inputs.items() if n not in named}
