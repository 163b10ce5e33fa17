"""Directives: comments that tell adjointgen how to differentiate what follows.

    # adjointgen: NAME(ARGUMENTS)

One that is not known is refused: a misspelt one would otherwise be ignored in silence.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

from adjointgen.errors import SourceError, Span
from adjointgen.frontend.source.source import Source

KNOWN: Final[tuple[str, ...]] = ()
_DIRECTIVE: Final = re.compile(r"#\s*adjointgen\s*:\s*(.*)")


def check_directives(source: Source) -> None:
    """Raise SourceError (AG012) for a directive in a function that is not known."""
    if not _DIRECTIVE.search(source.text):
        return
    first, last = source.node.lineno, source.node.end_lineno or source.node.lineno
    for token in _comments(source.text):
        found = _DIRECTIVE.fullmatch(token.string.rstrip())
        line, column = token.start
        if not found or not first <= line <= last:
            continue
        name = re.match(r"\w*", found[1])
        if name is None or name[0] not in KNOWN:
            raise SourceError(
                f"unknown directive {found[1]!r}",
                code="AG012",
                span=Span(source.file, line, column, *token.end),
                source=source.text,
                help=f"known are {', '.join(KNOWN)}" if KNOWN else "none is known; leave it out",
            )


def _comments(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token
    except (tokenize.TokenError, SyntaxError):
        return
