"""Lines of code as HTML: escaped, and the parts of speech of Python and of listings marked.

Classes: `k` keyword, `s` string, `c` comment, `n` number, `v` an active value.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Collection, Iterator, Sequence
from html import escape
from typing import Final

from adjointgen.views.dot import printable

# A string, a type with its colon, or a word.
_WORDS: Final = re.compile(
    r""""(?:[^"\\]|\\.)*"|:\s(?:list\s)?\w+(?:\[[^\]]*\])?(?:=[\w.+-]+)?|[^\W\d]\w*"""
)
_SPEECH: Final = """
function parameters results import return yield loop from carry trips backwards breaks pair
while test body if else call record replay pass block
"""
_LISTING: Final = frozenset(_SPEECH.split())

Mark = tuple[int, int, int, str]
"""A line from 0, its first and last column, and the class of what stands there."""


def plain(text: str) -> str:
    """Text as HTML; tabs stay, other control characters are replaced."""
    return escape("\t".join(map(printable, text.split("\t"))))


def python(lines: Sequence[str]) -> list[str]:
    """Python code as HTML, line by line."""
    marks: dict[int, list[Mark]] = {}
    for mark in _python_marks(lines):
        marks.setdefault(mark[0], []).append(mark)
    return [_marked(line, marks.get(k, ())) for k, line in enumerate(lines)]


def listing(line: str, active: Collection[str]) -> str:
    """A line of a listing as HTML."""
    marks = [(0, m.start(), m.end(), _kind(m[0], active)) for m in _WORDS.finditer(line)]
    return _marked(line, [mark for mark in marks if mark[3]])


def _kind(word: str, active: Collection[str]) -> str:
    if word.startswith('"'):
        return "s"
    if word in active:
        return "v"
    return "k" if word in _LISTING else ""


def _marked(line: str, marks: Sequence[Mark]) -> str:
    parts, at = [], 0
    for _, start, end, kind in marks:
        parts.append(plain(line[at:start]))
        parts.append(f'<span class="{kind}">{plain(line[start:end])}</span>')
        at = end
    return "".join([*parts, plain(line[at:])])


def _python_marks(lines: Sequence[str]) -> Iterator[Mark]:
    """The marks of all tokens; what a token stretches over is marked on each of its lines."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline))
    except (tokenize.TokenError, SyntaxError):
        # An excerpt, a lambda's line say, need not be Python on its own.
        return
    for token in tokens:
        kind = _token_kind(token)
        (first, start), (last, end) = token.start, token.end
        for n in range(first, last + 1) if kind else ():
            yield (
                n - 1,
                start if n == first else 0,
                end if n == last else len(lines[n - 1]),
                kind,
            )


def _token_kind(token: tokenize.TokenInfo) -> str:
    match token.type:
        case tokenize.COMMENT:
            return "c"
        case tokenize.STRING:
            return "s"
        case tokenize.NUMBER:
            return "n"
        case tokenize.NAME if keyword.iskeyword(token.string):
            return "k"
    # From Python 3.12 on, f-strings are several tokens.
    return "s" if tokenize.tok_name[token.type].startswith("FSTRING") else ""
