"""NumPy functions that ask what an array is, or where something is in it."""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.frontend.domain.maybe_scalar import is_loose
from adjointgen.frontend.library.array_attributes import fact
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import REAL, Type
from adjointgen.rules.framework.builder import const


def of_fact(name: str) -> Special:
    """`np.shape(x)` as `x.shape`."""

    def get(call: Call) -> Abstract | None:
        value = call.take("a", 0)
        if value is None or len(call.args) > 1:
            return None
        known = content(call.ctx, value)
        operand = read(call.ctx, known if isinstance(known, Seq) else value)
        if operand.type.is_scalar:
            call.ctx.ranks.add(name_of(operand))
            of_number: dict[str, Abstract]
            of_number = {"shape": Seq(()), "ndim": const(0), "size": const(1)}
            return of_number[name]
        if is_loose(call.ctx.loose, operand):
            return None
        return fact(call.ctx, operand, name)

    return get


def size(call: Call) -> Abstract | None:
    """`np.size(x)` as `x.size`, and with an axis the length of that."""
    axis = call.take("axis", 1, const(None))
    del call.args[1:]
    if axis == const(None):
        return of_fact("size")(call)
    shape = of_fact("shape")(call)
    known = axis.value if isinstance(axis, Const) else None
    if not isinstance(shape, Seq) or type(known) is not int:
        return None
    rank = len(shape.items)
    return shape.items[known] if -rank <= known < rank else None


def where(call: Call) -> Abstract | None:
    """With one argument it gives indices, which is `nonzero`; of three, integers become floats."""
    if len(call.args) == 3:
        types = [read(call.ctx, a).type for a in call.args[1:]]
        floats = any(t.dtype in REAL for t in types)
        for k, value in enumerate(call.args):
            if k and floats and isinstance(value, Const) and type(value.value) is int:
                call.args[k] = const(float(value.value))
        call.args[0] = _test(call.ctx, call.args[0])
    if len(call.args) > 1 or call.keywords:
        return None
    ctx, test = call.ctx, read(call.ctx, call.args[0])
    ctx.imports["import numpy as np"] = None
    if test.type.rank != 1:
        return verbatim(ctx, "np.where(_0_)", (test,))
    places = Type("int64", (None,), "array")
    return Seq((verbatim(ctx, "np.where(_0_)[0]", (test,), places, pure=True),))


def _test(ctx: Context, value: Abstract) -> Abstract:
    """What is not known is an array of tests, of any shape."""
    if isinstance(value, Value) and value.type.kind == "object":
        ctx.imports["import numpy as np"] = None
        return verbatim(ctx, "np.asarray(_0_)", (value,), Type("bool", None, "array"), pure=True)
    return value


def imaginary(call: Call) -> Abstract | None:
    """`np.imag(x)` as `x.imag`."""
    return fact(call.ctx, call.args[0], "imag")


QUESTIONS: dict[str, Special] = {
    "numpy.shape": of_fact("shape"),
    "numpy.ndim": of_fact("ndim"),
    "numpy.size": size,
    "numpy.where": where,
    "numpy.nonzero": where,
    "numpy.imag": imaginary,
}
