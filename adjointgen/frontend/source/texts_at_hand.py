"""The text of functions that stand in no file: from a prompt, `python -c`, a pipe, `exec`.

    <stdin>     the file that Python reads its program from, or the history of the prompt
    <string>    the argument of `python -c`
    any other   a string in the functions that are running: `exec(text)`, `eval("lambda x: x * x")`

These are places where the text may be. Whether it is the text of a function, its code tells
(`source_match.py`): what is not compiled to the same code is no text of it.
"""

from __future__ import annotations

import ast
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Final

MOST: Final = 1_000_000
"""The longest text that is looked at."""
_HISTORY: Final = 2000


def texts_at_hand(code: CodeType) -> Iterator[str]:
    """Texts that may be the one that a function was compiled from, its lines as it counts them."""
    word = "lambda" if code.co_name == "<lambda>" else f"def {code.co_name}"
    if code.co_filename == "<stdin>":
        yield from (text for text in _standard_input() if word in text)
        yield from (chunk for chunk in _chunks(_history()) if word in chunk)
    if code.co_filename == "<string>":
        yield from (text for text in _command() if word in text)
    seen: set[int] = set()
    for text in _strings(sys._getframe(1)):
        if id(text) not in seen and len(text) <= MOST and word in text:
            seen.add(id(text))
            yield text


def _command() -> Iterator[str]:
    """The program of `python -c`."""
    given = sys.orig_argv
    if sys.argv[:1] == ["-c"] and "-c" in given:
        yield given[given.index("-c") + 1]
    elif sys.argv[:1] == ["-c"]:
        # Options of one letter may stand together, and the program behind them: -Ic, -cprint(1).
        yield from (word.partition("c")[2] or after for word, after in _pairs(given))


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            yield word, after


def _standard_input() -> Iterator[str]:
    """What Python reads its program from, where that is a file."""
    try:
        found = os.fstat(0)
        if stat.S_ISREG(found.st_mode) and found.st_size <= MOST:
            yield os.pread(0, found.st_size, 0).decode()
    except (OSError, UnicodeDecodeError, AttributeError):
        return


def _history() -> list[str]:
    """The last lines that were typed at the prompt."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    last = readline.get_current_history_length()
    found = (readline.get_history_item(k) for k in range(max(1, last - _HISTORY), last + 1))
    return [line for line in found if line is not None]


def _chunks(lines: list[str]) -> Iterator[str]:
    """What was typed as one statement each, the latest first: it begins where a line is valid."""
    for first in reversed(range(len(lines))):
        if lines[first][:1].isspace() or not lines[first].strip():
            continue
        last = first + 1
        while last < len(lines) and not _ends(lines, first, last):
            last += 1
        yield "\n".join(lines[first:last]) + "\n"


def _ends(lines: list[str], first: int, last: int) -> bool:
    """Whether a statement that begins at one line ends before another."""
    if lines[last][:1].isspace() or not lines[last].strip():
        return False
    try:
        ast.parse("\n".join(lines[first:last]) + "\n")
    except SyntaxError:
        return False
    return not lines[last].startswith(("else", "elif", "except", "finally"))


def _strings(frame: FrameType | None) -> Iterator[str]:
    """The strings that running functions hold, and those of their modules."""
    modules: set[int] = set()
    while frame is not None:
        yield from _constants(frame.f_code)
        yield from _texts(frame.f_locals)
        if id(frame.f_globals) not in modules:
            modules.add(id(frame.f_globals))
            yield from _texts(frame.f_globals)
        frame = frame.f_back


def _texts(names: Mapping[str, object]) -> Iterable[str]:
    return [value for value in tuple(names.values()) if type(value) is str]


def _constants(code: CodeType) -> Iterator[str]:
    """The strings in code, and in that of the functions which are defined there."""
    for value in code.co_consts:
        if type(value) is str:
            yield value
        elif isinstance(value, CodeType):
            yield from _constants(value)
