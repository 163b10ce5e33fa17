"""Tracebacks of calls tell of the caller's code and of generated code, not of adjointgen's own.

File "model.py", line 9, in <module>            the call
File "…/calls/derivative.py", in __call__       the one frame that Python adds
File "<adjointgen f_adjoint>", line 4           generated code, if it was reached
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from adjointgen.errors import AdjointgenError, InternalError

_PACKAGE: Final = str(Path(__file__).parents[2])


def without_own_frames(error: Exception) -> Exception:
    """The same exception, to be raised again, without the leading frames of this package.

    What led to a refusal are steps of adjointgen; a fault of its own keeps everything.
    """
    if isinstance(error, InternalError):
        return error
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        trace = trace.tb_next
    if trace is None and not isinstance(error, AdjointgenError):
        return error
    if isinstance(error, AdjointgenError) and error.__cause__ is not None:
        error.__cause__.with_traceback(None)
    return error.with_traceback(trace)
