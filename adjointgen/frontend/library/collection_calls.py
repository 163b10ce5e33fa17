"""Classes of `collections`: what is made of them in a function is an instance of our own class.

Where a program can be made without, it is: a deque of passive entries is copied as it stands.
"""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.source.collection_classes import MODELS
from adjointgen.frontend.source.name_resolution import LiveResolver


def _made(cls: type) -> Special:
    def make(call: Call) -> Abstract | None:
        ctx = call.ctx
        live = isinstance(ctx.frame.source.resolver, LiveResolver)
        if ctx.outlines.primal or not ctx.outlines.modelled or not live:
            return None
        assert isinstance(call.function, Named)
        made = Class(cls, call.function.text, call.function.line)
        return construct(ctx, made, list(call.args), dict(call.keywords), call.node)

    return make


COLLECTIONS: dict[str, Special] = {f"collections.{cls.__name__}": _made(cls) for cls in MODELS} | {
    "_collections.deque": _made(next(iter(MODELS)))
}
