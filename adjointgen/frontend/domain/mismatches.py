"""Why an attempt to lower something may be refused, where another way of lowering it is not.

Who refuses says it beside the code, which is the user's: `frontend/control/backtrack.py` asks for
the kind and never for the code.
"""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What an attempt came upon."""

    UNLIKE = "what differs from one iteration to the next, or has to be known in each"
    MAYBE_NONE = "a name that is None on some paths, which differs between iterations, too"
    PARTED = "two paths that cannot meet"
    PAST_THE_END = "an index that a list or tuple has not"
    OTHER = "anything else that is refused"
