"""Finding the function in the text, and parsing it.

`source_from_file` reads text and never executes it; `source_from_function` starts at a live object.
The syntax tree is the one of the standard library: its nodes know their places from the parser,
while positions of libcst nodes are computed by printing the module again, which took longer than
all of the lowering. Verbatim code is cut out of the text, so it keeps the user's formatting all the
same.
"""

from __future__ import annotations

import ast
import inspect
import io
import linecache
import tokenize
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, Final
from weakref import WeakKeyDictionary

from adjointgen.errors import SourceError, Span, Unsupported
from adjointgen.frontend.source.desugar import changed_names, spelled_out, statements
from adjointgen.frontend.source.module_search import home_of, module_file
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.reexports import where_else
from adjointgen.frontend.source.resolver import Resolver
from adjointgen.frontend.source.source_match import is_text_of
from adjointgen.frontend.source.texts_at_hand import texts_at_hand
from adjointgen.frontend.source.textual_definitions import defined
from adjointgen.frontend.source.textual_resolution import TextResolver
from adjointgen.records import dataclass, field
from adjointgen.watch import Declared
from adjointgen.wrapping import plain

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Source:
    """A function in its text. Lines count in `text`, which is the file's where there is one.

    `directed` says whether its equation stands for it, where it has one. `asked` are directives
    that no comment has, with the lines of the statements that they are for.
    """

    file: str
    text: str
    qualname: str
    first_line: int
    node: FunctionNode = field(compare=False)
    resolver: Resolver = field(compare=False)
    directed: bool = True
    asked: tuple[tuple[int, str], ...] = ()
    own_title: str = ""

    @property
    def title(self) -> str:
        """The name for a program of it: that of the function that a decorator wraps."""
        return self.own_title or self.name

    @property
    def name(self) -> str:
        return self.node.name if not isinstance(self.node, ast.Lambda) else "lambda_"

    @property
    def arguments(self) -> ast.arguments:
        return self.node.args

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda returns its expression. A docstring is no statement."""
        if isinstance(self.node, ast.Lambda):
            value = self.node.body
            return [ast.copy_location(ast.Return(value=value), value)]
        body = self.node.body
        return body[1:] if ast.get_docstring(self.node, clean=False) is not None else body

    @property
    def has_equation(self) -> bool:
        """Whether its result may be known by an equation (`implicit_functions.py`)."""
        if not self.directed:
            return False
        decorated = bool(getattr(self.node, "decorator_list", ()))
        return decorated or self.resolver.identity in Declared.equations

    @property
    def doc(self) -> str:
        return "" if isinstance(self.node, ast.Lambda) else ast.get_docstring(self.node) or ""

    def nested(self, node: FunctionNode) -> Source:
        """A function that stands inside this one."""
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        qualname = f"{self.qualname}.<locals>.{name}"
        return Source(self.file, self.text, qualname, node.lineno, node, self.resolver)

    def span(self, node: ast.AST) -> Span | None:
        """The place of a node, in characters (the parser counts bytes)."""
        line = getattr(node, "lineno", None)
        if line is None:
            return None
        end = getattr(node, "end_lineno", None) or line
        column, end_column = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        lines = lines_of(self.text)
        return Span(
            self.file,
            line,
            _characters(lines, line, column),
            end,
            _characters(lines, end, end_column),
        )

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        span = self.span(node)
        if span is None:
            return ast.unparse(node)
        lines = list(lines_of(self.text)[span.line - 1 : span.end_line])
        lines[-1] = lines[-1][: span.end_column]
        return "\n".join([lines[0][span.column :], *lines[1:]])

    def comments(self) -> tuple[tuple[int, str], ...]:
        """The comments inside the function, by line."""
        last = self.node.end_lineno or self.first_line
        lines = lines_of(self.text)[self.first_line - 1 : last]
        if not any("#" in line for line in lines):
            return ()
        return tuple(_comments(lines, self.first_line))


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[str, ...]:
    """The lines as the parser counts them."""
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _characters(lines: tuple[str, ...], line: int, column: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    return column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))


def _comments(lines: tuple[str, ...] | list[str], first: int) -> Iterator[tuple[int, str]]:
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
            if token.type == tokenize.COMMENT:
                yield first + token.start[0] - 1, token.string
    except (tokenize.TokenError, IndentationError, SyntaxError):
        # The excerpt of a lambda need not be a statement; its comments are not needed.
        return


def source_from_file(path: str, name: str, text: str | None = None, home: str = "") -> Source:
    """The function `name` of a file, or of `text` that stands for it. Nothing is executed.

    `home` is the name that the module is imported by, where more is known than the file tells.
    """
    if text is None:
        try:
            text = decoded(Path(path).read_bytes())
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            raise SourceError(f"cannot read {path}: {_reason(error)}", code="AG003") from error
    tree = parse(text, path)
    require_compiled(text, path)
    resolver = TextResolver(path, text, tree, _make, _Library().module, home or home_of(path))
    found = defined(resolver, name)
    if found is None:
        help = where_else(tree, path, name, _statements)
        raise SourceError(f"no function {name} in {path}", code="AG002", help=help)
    module, own, node, names = found
    return Source(module.path, module.text, own, node.lineno, node, names)


def _statements(file: str) -> ast.Module | None:
    try:
        return parse(decoded(Path(file).read_bytes()), file)
    except (OSError, UnicodeDecodeError, SyntaxError, SourceError, Unsupported):
        return None


class _Library:
    """The modules that one program may be made of, each read once."""

    def __init__(self) -> None:
        self._read: dict[Path, TextResolver | None] = {}

    def module(self, module: str, importer: str) -> TextResolver | None:
        """The names of another module, read from its text; None where it has none."""
        file = module_file(module, importer)
        if file is not None and file not in self._read:
            self._read[file] = self._resolver(file)
        return None if file is None else self._read[file]

    def _resolver(self, file: Path) -> TextResolver | None:
        try:
            text, path = decoded(file.read_bytes()), _shown(str(file))
            tree = parse(text, path)
        except (OSError, UnicodeDecodeError, SyntaxError, SourceError, Unsupported):
            return None
        return TextResolver(path, text, tree, _make, self.module, home_of(str(file)))


def decoded(data: bytes) -> str:
    """The text of a file of Python, in the encoding that it states (PEP 263).

    Raises SyntaxError for an encoding that there is none of, and UnicodeDecodeError.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def _make(path: str, text: str, node: FunctionNode, resolver: Resolver) -> Source:
    return Source(path, text, getattr(node, "name", "<lambda>"), node.lineno, node, resolver)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


@lru_cache(maxsize=32)
def parse(text: str, path: str) -> ast.Module:
    """The syntax tree of a module."""
    try:
        return spelled_out(ast.parse(text, path), text)
    except SyntaxError as error:
        raise _invalid(error, text, path) from error
    except RecursionError as error:
        raise Unsupported(
            "an expression is nested too deeply", code="AG121", help="split it"
        ) from error
    except ValueError as error:
        raise SourceError(f"not valid Python: {error}", code="AG001") from error


def require_compiled(text: str, path: str) -> None:
    """Refuse what parses and is no program all the same: `return` in no function, say.

    Raises SourceError (AG001).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _invalid(error, text, path) from error
    except (RecursionError, MemoryError) as error:
        what = "the module is nested too deeply to be compiled"
        raise Unsupported(what, code="AG121", help="split the expression") from error


def _invalid(error: SyntaxError, text: str, path: str) -> SourceError:
    line, column = error.lineno or 1, max(0, (error.offset or 1) - 1)
    end_line, end = error.end_lineno or line, max(column + 1, (error.end_offset or 1) - 1)
    return SourceError(
        f"not valid Python: {error.msg}",
        code="AG001",
        span=Span(path, line, column, end_line, end),
        source=text,
    )


def source_from_function(
    f: Any, written: bool = False, opened: frozenset[str] = frozenset()
) -> Source:
    """The source of a live function, or of the one that it only passes arguments on to.

    A program of it that is `written` to a file imports what it reads of the user's module.
    Captured floats that are `opened` are read when the program runs.
    """
    f = plain(f)
    code = getattr(f, "__code__", None)
    if not isinstance(code, CodeType):
        name = getattr(f, "__name__", repr(f))
        raise SourceError(
            f"{name} has no Python source",
            code="AG004",
            help="wrap it in a function and give it a rule",
        )
    text, tree, node = _in_text(f, code)
    if node is None:
        raise SourceError(
            f"the source of {f.__name__} is not at {code.co_filename}:{code.co_firstlineno}",
            code="AG004",
            help="the file changed after it was imported; import it again",
        )
    live = partial(_live, written=written)
    resolver = LiveResolver(f, live, changed_names(tree), written, opened)
    shown = _shown(code.co_filename)
    title = f.__name__ if hasattr(f, "__wrapped__") and f.__name__.isidentifier() else ""
    return Source(shown, text, f.__qualname__, node.lineno, node, resolver, own_title=title)


_TEXTS: WeakKeyDictionary[CodeType, tuple[str, str]] = WeakKeyDictionary()
"""The file and the text that functions were read from: the file may change afterwards."""


def _in_text(f: Any, code: CodeType) -> tuple[str, ast.Module, FunctionNode | None]:
    """The text that a function is in, as it was when the function was made; no node without it."""
    file, known = _TEXTS.get(code, ("", ""))
    for text in filter(None, (_lines_now(f, code), known if file == code.co_filename else "")):
        try:
            tree = parse(text, code.co_filename)
        except SourceError:
            if not known:
                raise
            continue
        node = _at(tree, code)
        if node is not None and is_text_of(text, tree, node, code):
            _TEXTS[code] = code.co_filename, text
            return text, tree, node
    return "", ast.Module([], []), None


def remember_text(f: Any) -> None:
    """Look for the text of a function while what may hold it is at hand (`texts_at_hand.py`)."""
    f = plain(f)
    code = getattr(f, "__code__", None)
    if isinstance(code, CodeType) and code.co_filename.startswith("<"):
        with suppress(SourceError, Unsupported):
            _lines_now(f, code)


def _lines_now(f: Any, code: CodeType) -> str:
    if code.co_filename.startswith("<frozen "):
        # A module that the interpreter holds is in a file all the same.
        return "".join(linecache.getlines(f.__globals__.get("__file__") or ""))
    linecache.checkcache(code.co_filename)
    lines = "".join(linecache.getlines(code.co_filename, f.__globals__))
    if lines or _TEXTS.get(code, ("", ""))[0] == code.co_filename:
        return lines
    if code.co_filename.startswith("<") and (text := _found_at_hand(code)):
        _TEXTS[code] = code.co_filename, text
        return text
    return _excerpt(f)


def _found_at_hand(code: CodeType) -> str:
    """The text that a function in no file was compiled from; "" where it is not found."""
    for given in texts_at_hand(code):
        # A text that is evaluated may be indented.
        for text in dict.fromkeys((given, given.strip())):
            try:
                tree = parse(text, code.co_filename)
            except (SourceError, Unsupported):
                continue
            node = _at(tree, code)
            if node is not None and is_text_of(text, tree, node, code, strict=True):
                return text
    return ""


def _live(f: Any, written: bool) -> Source | None:
    try:
        return source_from_function(f, written)
    except (SourceError, OSError):
        return None


def _shown(filename: str) -> str:
    """A path relative to the working directory where it lies below it."""
    try:
        return Path(filename).relative_to(Path.cwd()).as_posix()
    except ValueError:
        return filename


_WITHOUT_TEXT: Final = (
    "define it in a file; text for exec has to be a string that a running function or its module "
    "holds, where the derivative is made"
)


def _excerpt(f: Any) -> str:
    """The function alone, at its own lines, where the file cannot be read as a whole."""
    try:
        lines, first = inspect.getsourcelines(f)
    except (OSError, TypeError) as error:
        raise SourceError(
            f"the source of {f.__name__} cannot be found",
            code="AG004",
            help=_WITHOUT_TEXT,
        ) from error
    return "\n" * (first - 1) + inspect.cleandoc("\n" + "".join(lines))


def _at(tree: ast.Module, code: CodeType) -> FunctionNode | None:
    """The function that a code object is of: by its first line, and a lambda by its columns."""
    # Inner ones first: the body of a lambda holds those of the lambdas in it.
    index = _index(tree, code.co_name == "<lambda>")
    for node in reversed(index.get(code.co_firstlineno, [])):
        if isinstance(node, ast.Lambda):
            # The instructions of a lambda lie in its body; the first ones have no column.
            places = [p for p in code.co_positions() if p[2] is not None and p[0] is not None]
            start, end = (node.body.lineno, node.body.col_offset), _end(node.body)
            if not any(start <= (p[0] or 0, p[2] or 0) < end for p in places[1:] or places):
                continue
        elif node.name != code.co_name:
            continue
        return node
    return None


def _end(node: ast.expr) -> tuple[int, int]:
    return (node.end_lineno or node.lineno, node.end_col_offset or 0)


@lru_cache(maxsize=32)
def _index(tree: ast.Module, lambdas: bool) -> Mapping[int, list[FunctionNode]]:
    """The functions of a module by the line that their code objects name: the first decorator's."""
    found: dict[int, list[FunctionNode]] = {}
    for node in ast.walk(tree) if lambdas else statements(tree.body):
        match node:
            case ast.FunctionDef(lineno=first) | ast.AsyncFunctionDef(lineno=first) if not lambdas:
                lines = [first, *(d.lineno for d in node.decorator_list)]
                found.setdefault(min(lines), []).append(node)
            case ast.Lambda(lineno=first) if lambdas:
                found.setdefault(first, []).append(node)
    return found
