"""What an expression ends in, for programs that follow the path of a `try`.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from typing import Any


def caught(attempt: Any, *kinds: Any) -> Any:
    """The exception of one of these kinds that `attempt` ends in, or None."""
    try:
        attempt()
    except kinds as error:
        return error
    return None


def outcome(attempt: Any, *kinds: Any) -> Any:
    """What `attempt` gives, and None; or None, and the exception of these kinds that it ends in."""
    try:
        return attempt(), None
    except kinds as error:
        return None, error
