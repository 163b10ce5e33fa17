"""What bounds the places in arrays while a nest is built.

A loop over an axis of length n that leaves out `lead` entries at its beginning and `tail` at its
end has an index of which `lead <= i < n - tail` is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ir.types import Dim
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """What is known of an index: `lead <= i < length - tail`."""

    length: Dim
    lead: int = 0
    tail: int = 0


Spans = Mapping[str, Span]
