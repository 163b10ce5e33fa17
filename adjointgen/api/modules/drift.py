"""Whether a committed module is what would be generated now, and if not, why.

    source changed      the functions, or what they name, are not those of the header's hash
    example changed     its arguments are of other kinds or shapes
    options changed     another `wrt`, mode, type, constant or target is asked for
    tool changed        adjointgen is of another version, or generates other text
    edited by hand      the text below the header is not the one of the header's hash
    source missing      the file, module or function is not there
    refused             it can no longer be generated; the detail is the coded message
    not generated       the file has no header of adjointgen
    missing             the file is not there

Several may hold at once. Hashes decide, not lines: a comment above the function moves the line
numbers that the generated comments mention, and that is no drift. Where the text below the header
is not that of its hash, syntax decides: a formatter's changes are no drift either.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from adjointgen._version import __version__
from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.cache.fingerprint import digest
from adjointgen.api.modules.header import Header, body_hash, split
from adjointgen.api.modules.module import generate_targets, source_hash
from adjointgen.api.modules.same_program import same_program
from adjointgen.api.modules.target_names import parse_target
from adjointgen.api.modules.target_programs import may_run, source_of
from adjointgen.config.options import UNNAMED, Request, is_named, parse_command, words
from adjointgen.emit.syntax.formatting import format
from adjointgen.errors import AdjointgenError, SourceError
from adjointgen.records import dataclass, replace

Kind = Literal[
    "none",
    "source changed",
    "example changed",
    "options changed",
    "tool changed",
    "edited by hand",
    "source missing",
    "refused",
    "not generated",
    "missing",
]


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason why a module is not what would be generated now."""

    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} ({self.detail})" if self.detail else self.kind


@dataclass(frozen=True, slots=True)
class Drift:
    """What was found about one file: every cause, its text, and the text it should have.

    `expected` is None where that cannot be generated; `error` then says why.
    """

    path: str
    causes: tuple[Cause, ...]
    text: str = ""
    expected: str | None = None
    error: AdjointgenError | None = None

    @property
    def ok(self) -> bool:
        """Whether the file is what would be generated now."""
        return not self.causes

    @property
    def kind(self) -> Kind:
        """The first cause, or `none`."""
        return self.causes[0].kind if self.causes else "none"

    @property
    def detail(self) -> str:
        """All causes in words."""
        return ", ".join(map(str, self.causes))

    def diff(self) -> str:
        """From the file's text to the expected one, as a unified diff."""
        if self.ok or self.expected is None:
            return ""
        old, new = self.text.splitlines(), self.expected.splitlines()
        lines = difflib.unified_diff(old, new, self.path, f"{self.path} (generated)", lineterm="")
        return "\n".join(lines)


def drift(
    path: str | Path,
    request: Request | None = None,
    base: Path | None = None,
    text: str | None = None,
) -> Drift:
    """Compare a generated file with what would be generated now.

    Without a `request` it is the one that the file's header states, with paths relative to the
    folder of the file or the nearest above it that has the sources; those of a `request` are
    relative to `base`. `text` stands for the file's.
    """
    file = Path(path)
    text = read_text(file) if text is None else text
    if text is None:
        gone = Cause("not generated", "not readable") if file.exists() else Cause("missing")
        found = Drift(str(path), (gone,))
        return found if request is None else _with_expected(found, request, base or Path.cwd())
    parts = split(text)
    if parts is None:
        return Drift(str(path), (Cause("not generated"),), text)
    header, body = parts
    try:
        stated = parse_command(header.command)
        stated_base = stated_folder(file, stated)
    except ValueError as error:
        return Drift(str(path), (Cause("edited by hand", f"header: {error}"),), text)
    wanted, base = (stated, stated_base) if request is None else (request, base or Path.cwd())
    causes = [*_by_version(header), *_by_options(header, stated, wanted)]
    if _places(stated, stated_base) != _places(wanted, base):
        causes.append(Cause("options changed", f"the targets are {', '.join(wanted.targets)}"))
    causes += _by_source(header, wanted, base)
    found = _with_expected(Drift(str(path), tuple(causes), text), wanted, base)
    return _with_tool(_with_edits(found, header, body), body)


def _by_version(header: Header) -> Iterator[Cause]:
    if header.version != __version__:
        yield Cause("tool changed", f"{header.version or 'none'} then, {__version__} now")


def _by_options(header: Header, stated: Request, wanted: Request) -> Iterator[Cause]:
    then, now = " ".join(words(stated.options)), " ".join(words(wanted.options))
    if then != now:
        yield Cause("options changed", f"{then or 'defaults'} then, {now or 'defaults'} now")
    elif digest([stated.options.canonical()]) != header.options_hash:
        # Someone asked for other options by editing the command line in the header.
        yield Cause("options changed", f"the header asks for {now or 'defaults'}")


def _by_source(header: Header, wanted: Request, base: Path) -> Iterator[Cause]:
    targets = [parse_target(text) for text in wanted.targets]
    if any(target.is_stdin for target in targets):
        yield Cause("source missing", "it was read from standard input")
        return
    try:
        run = may_run(wanted.options)
        found = source_hash(source_of(target, base, run) for target in targets)
    except SourceError as error:
        yield Cause("source missing", f"{error.code}: {error.message}")
    else:
        if found != header.source_hash:
            yield Cause("source changed")


def _places(request: Request, base: Path) -> list[tuple[str, str]]:
    """The targets, however the paths to them are written."""
    found = []
    for target in map(parse_target, request.targets):
        place = target.place if target.is_module else str((base / target.place).resolve())
        found.append((place, target.name))
    return found


def stated_folder(path: Path, request: Request) -> Path:
    """The folder that the header's paths are relative to: the nearest that has all their files.

    Where they name none, it is the folder that has the module itself under the header's name.
    """
    named = [*request.targets, *filter(is_named, [request.options.example])]
    files = [t.place for t in map(parse_target, named) if not t.is_module]
    own = path.absolute()
    for folder in (*own.parents, Path.cwd()):
        here = files or folder / request.output == own
        if here and all((folder / file).is_file() for file in files):
            return folder
    return Path.cwd()


def _with_expected(found: Drift, request: Request, base: Path) -> Drift:
    """What was found, and the text that the file should have."""
    targets = [parse_target(text) for text in request.targets]
    if any(target.is_stdin for target in targets) or request.options.example == UNNAMED:
        return found
    try:
        module = generate_targets(targets, request.options, base)
    except AdjointgenError as error:
        refused = Cause("refused", f"{error.code}: {error.message}")
        known = any(cause.kind == "source missing" for cause in found.causes)
        causes = found.causes if known else (*found.causes, refused)
        return replace(found, causes=causes, error=error)
    output = base / request.output if request.output else ""
    return replace(found, expected=module.text_for(output))


def _with_edits(found: Drift, header: Header, body: str) -> Drift:
    """The same, and first of all that the text below the header is no longer what was written.

    A text of another hash may be that of a formatter: then it is, laid out as generated, that of
    the hash, or the program that would be generated now.
    """
    if body_hash(body) == header.body_hash or _is_laid_out_anew(header, body):
        return found
    if header.body_hash and found.expected and same_program(_body(found.expected), body):
        return found
    return replace(found, causes=(Cause("edited by hand"), *found.causes))


def _is_laid_out_anew(header: Header, body: str) -> bool:
    from black.parsing import InvalidInput

    try:
        return header.body_hash in (body_hash(format(body, c)) for c in (True, False))
    except InvalidInput:
        return False


def _with_tool(found: Drift, body: str) -> Drift:
    """The same; where all hashes agree and the program differs, the tool has changed."""
    if found.causes or found.expected is None:
        return found
    if not same_program(_body(found.expected), body):
        then, now = split(found.text), split(found.expected)
        if then and now and then[0].example_hash != now[0].example_hash:
            return replace(found, causes=(Cause("example changed"),))
        return replace(found, causes=(Cause("tool changed", "it generates other text now"),))
    return found


def _body(text: str) -> str:
    """A module's text below its header."""
    parts = split(text)
    return text if parts is None else parts[1]
