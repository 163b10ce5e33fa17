"""What adjointgen says when it refuses: a coded message that points at the source.

    error[CODE]: message
      --> file:line:column
       |
    14 |     source line
       |     ^^^^ label
    help: what to write instead

This is the lowest layer: every stage raises these errors, so the module imports nothing of the
package.  The layout follows rustc's diagnostics, which put the reason beside the code it is about.
A refusal is an `AdjointgenError`; a fault of adjointgen itself is an `InternalError`, which is
deliberately no subclass, so that a handler for refusals can never hide a fault.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text: lines from 1, columns in characters from 0, end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def text(self) -> str:
        """The start as an editor shows it: `model.py:14:9`, with the column counted from 1."""
        return f"{self.file}:{self.line}:{self.column + 1}"


class AdjointgenError(Exception):
    """A refusal: it carries its code, the place, why it is refused there, and the way out."""

    family: ClassVar[str] = "AG"
    wanted: str = ""
    """The argument whose value would have to be known, where that would do."""
    mismatch: object = None
    """Why an attempt of the frontend is refused, where it can do something else."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        span: Span | None = None,
        source: str = "",
        label: str = "",
        help: str = "",
    ) -> None:
        if not re.fullmatch(r"AG\d{3}", code) or not code.startswith(self.family):
            raise ValueError(f"{type(self).__name__} has codes {self.family:x<5}, not {code!r}")
        super().__init__(message)
        self.message = message
        self.code = code
        self.span = span
        self.source = source
        self.label = label
        self.help = help

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        # BaseException rebuilds from positional arguments alone, which lacks the keywords.
        return _bare, (type(self), self.args), dict(self.__dict__)

    def __str__(self) -> str:
        lines = [f"error[{self.code}]: {self.message}"]
        if self.span is not None:
            lines += _pointer(self.span, self.source, self.label)
        if self.help:
            lines.append(f"help: {self.help}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The fields of the message as plain data, with the column counted from 1."""
        span = self.span
        place = span and {
            "file": span.file,
            "line": span.line,
            "column": span.column + 1,
            "end_line": span.end_line,
            "end_column": span.end_column + 1,
        }
        texts = {"message": self.message, "label": self.label, "help": self.help}
        return {"code": self.code, **texts, "span": place}

    def as_json(self) -> str:
        """The message as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def as_github(self) -> str:
        """The message as a workflow command, which GitHub shows beside the line it names."""
        place = ""
        if self.span is not None:
            file = _escaped(self.span.file, ":,")
            place = f"file={file},line={self.span.line},col={self.span.column + 1},"
        parts = [self.message, self.label, self.help and f"help: {self.help}"]
        text = _escaped("\n".join(part for part in parts if part))
        return f"::error {place}title={self.code}::{text}"


class SourceError(AdjointgenError):
    """The source is not found, not readable or not parsable (AG0xx)."""

    family = "AG0"


class Unsupported(AdjointgenError):
    """A construct outside the accepted language touches an active value (AG1xx)."""

    family = "AG1"


class NotSeveral(Unsupported):
    """A program that cannot follow several directions at once (AG141), but can one by one."""


class NotBatched(Unsupported):
    """A program that cannot compute many samples at once (AG143), but can one by one."""


class NoRule(AdjointgenError):
    """An operation on an active value has no derivative rule (AG2xx)."""

    family = "AG2"


class NotDifferentiable(AdjointgenError):
    """A derivative is asked for where there is none (AG3xx)."""

    family = "AG3"


class TypeMismatch(AdjointgenError):
    """Types, shapes or arguments do not fit (AG4xx)."""

    family = "AG4"


class Misuse(AdjointgenError, TypeError, ValueError):
    """An option or a rule that a call of adjointgen's own cannot take (AG415)."""

    family = "AG4"


@contextmanager
def understood(help: str = "") -> Iterator[None]:
    """Give what is raised for options that are not understood their code (AG415)."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if isinstance(error, AdjointgenError):
            raise
        raise Misuse(str(error), code="AG415", help=help) from None


class CheckFailed(AdjointgenError):
    """Derivatives that should agree do not (AG5xx)."""

    family = "AG5"


class InternalError(Exception):
    """A fault of adjointgen itself, with the IR listing that shows it."""

    def __init__(self, message: str, listing: str = "") -> None:
        super().__init__(message, listing)
        self.message = message
        self.listing = listing

    def __str__(self) -> str:
        head = f"internal error: {self.message}"
        return f"{head}\n\n{self.listing}" if self.listing else head


def _bare(kind: type[AdjointgenError], args: tuple[Any, ...]) -> AdjointgenError:
    """An error without its fields; unpickling and copying fill them in."""
    return kind.__new__(kind, *args)


def _pointer(span: Span, source: str, label: str) -> list[str]:
    """The place, and beneath it the source line with a caret, where that line is known."""
    number = str(span.line)
    gutter = " " * len(number)
    place = f"{gutter}--> {span.text()}"
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not source or not 1 <= span.line <= len(lines):
        return [place, f"{gutter} = {label}"] if label else [place]
    line = lines[span.line - 1]
    caret = f"{gutter} | {_underline(line, span)} {label}".rstrip()
    return [place, f"{gutter} |", f"{number} | {line}".rstrip(), caret]


def _underline(line: str, span: Span) -> str:
    """Carets under the part of the span that lies on its first line, at least one."""
    end = span.end_column if span.end_line == span.line else len(line.rstrip())
    before, inside = line[: span.column], line[span.column : max(end, span.column)]
    # Tabs stay tabs, so that the caret stands under its text at every tab width.
    blank = "".join(c if c == "\t" else " " * _columns(c) for c in before)
    return blank + "^" * max(1, sum(map(_columns, inside)))


def _columns(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _escaped(text: str, more: str = "") -> str:
    """Text with the characters that a workflow command reserves written as %XX."""
    return re.sub(f"[%\r\n{more}]", lambda match: f"%{ord(match[0]):02X}", text)


class DecidedWarning(AdjointgenError, UserWarning):
    """Said of a program of which something is decided that a derivative does not see (AG303)."""

    def __str__(self) -> str:
        return super().__str__().replace("error[", "warning[", 1)


class DirectiveWarning(AdjointgenError, UserWarning):
    """Said of a directive without which the program is the same (AG013)."""

    def __str__(self) -> str:
        return super().__str__().replace("error[", "warning[", 1)
