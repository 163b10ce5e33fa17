"""What is asked for, as frozen data that reads from and prints as command line words.

    parse_command(command(request)) == request

A generated module names the command that makes it again, so both directions stand together. What is
the default is not printed: two ways to ask for the same are one text, and one hash.
"""

from __future__ import annotations

import ast
import getopt
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from types import EllipsisType
from typing import Any, Final

from adjointgen.config.compilers import PYTHON, Target, known_target
from adjointgen.config.modes import ALONG, EVERY, MODES, TABLE, Mode
from adjointgen.config.types import canonical_type
from adjointgen.ir.directives import known_directives
from adjointgen.ir.schedules import schedule
from adjointgen.passes.table import OPTIONAL, RENAMED
from adjointgen.records import dataclass, field

UNNAMED: Final = "..."
"""An example that was given in Python, and is in no file."""


def is_named(example: str) -> bool:
    """Whether an example is one that a file has."""
    return example not in ("", UNNAMED)


Wrt = str | Sequence[str] | EllipsisType | None


@dataclass(frozen=True, slots=True)
class Options:
    """How derivatives are made.

    `wrt` are names of parameters; none means all that hold floats. `types` are declarations such as
    `float64[:]` by parameter; `constants` the values that parameters are specialised to; `compile`
    says who runs the programs. `example` names a call that types are taken from, `at` has arguments
    of it as text. With `guess`, types that the text leaves open are guessed. `checkpoint` is the
    schedule of the outermost loops, `directives` hold for the statements that they are about. With
    `directions` the seeds and derivatives of tangents, adjoints and products have an axis more.
    """

    wrt: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = MODES
    types: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, Any], ...] = ()
    disable: tuple[str, ...] = ()
    compile: Target = PYTHON
    example: str = ""
    at: tuple[tuple[str, str], ...] = ()
    guess: bool = False
    checkpoint: str = ""
    directives: tuple[str, ...] = ()
    directions: int = 0

    def canonical(self) -> str:
        """One text for one meaning, to be hashed."""
        constants = [(name, constant_text(value)) for name, value in self.constants]
        more: list[object] = [self.compile] if self.compile != PYTHON else []
        given: dict[str, object] = {"example": self.example, "at": self.at}
        given |= {"checkpoint": self.checkpoint, "directives": self.directives}
        given |= {"directions": self.directions}
        more += [{name: value} for name, value in given.items() if value]
        more += ["guess"] if self.guess else []
        return json.dumps([self.wrt, self.modes, self.types, constants, self.disable, *more])


@dataclass(frozen=True, slots=True)
class Request:
    """The functions of one module, how they are differentiated, and the file that it goes to.

    `points` are where its derivatives are verified: arguments by name, the others made up.
    """

    targets: tuple[str, ...]
    options: Options = field(default_factory=Options)
    output: str = ""
    points: tuple[Mapping[str, Any], ...] = ()


def make_options(
    wrt: Wrt = None,
    modes: str | Iterable[str] = MODES,
    types: Mapping[str, str] | None = None,
    constants: Mapping[str, Any] | None = None,
    disable: str | Iterable[str] = (),
    compile: str = PYTHON,
    example: str = "",
    at: Mapping[str, str] | None = None,
    guess: bool = False,
    checkpoint: str = "",
    directives: str | Iterable[str] = (),
    directions: int = 0,
) -> Options:
    """Options in their normal form: what has an order keeps it, the rest is sorted.

    Raises ValueError where a word is not one of those that are known.
    """
    chosen = _modes(modes)
    _require_fitting(chosen, known_target(compile), directions)
    return Options(
        () if wrt is None or wrt is ... else tuple(dict.fromkeys(listed(wrt))),
        chosen,
        tuple(sorted((name, canonical_type(text)) for name, text in (types or {}).items())),
        tuple(sorted((constants or {}).items())),
        tuple(sorted(set(known_passes(disable)))),
        known_target(compile),
        example.strip(),
        tuple(sorted((at or {}).items())),
        guess,
        str(schedule(checkpoint)) if checkpoint else "",
        known_directives(directives),
        directions,
    )


def _modes(words: str | Iterable[str]) -> tuple[Mode, ...]:
    """The modes that are named, in their own order. Raises ValueError."""
    given = _known("mode", listed(words), EVERY)
    return tuple(mode for mode in EVERY if mode in given)


def _require_fitting(modes: Sequence[Mode], compile: Target, directions: int) -> None:
    """Refuse modes that are not compiled, and directions that no program would follow."""
    python = [mode for mode in modes if compile != PYTHON and not TABLE[mode].compiled]
    if python:
        raise ValueError(f"mode {python[0]} is not compiled; leave it out, or compile")
    if type(directions) is not int or directions < 0:
        raise ValueError(f"directions is {directions!r}; give the number of seeds of one run")
    if directions and not {*modes} & {*ALONG}:
        raise ValueError(f"directions are of the modes {', '.join(ALONG)}")
    if directions and "split" in modes:
        raise ValueError("split sweeps follow one direction; leave out mode split, or directions")


def listed(words: str | Iterable[str]) -> tuple[str, ...]:
    """`"x, a"` and `["x", "a"]` as `("x", "a")`."""
    given = words.split(",") if isinstance(words, str) else tuple(words)
    for word in given:
        if not isinstance(word, str):
            raise ValueError(f"{word!r} is no name; write it in quotes")
    return tuple(word.strip() for word in given if word.strip())


def known_passes(words: str | Iterable[str]) -> tuple[str, ...]:
    """The names of optional passes, also as earlier releases called them. Raises ValueError."""
    names = tuple(name for word in listed(words) for name in RENAMED.get(word, (word,)))
    return _known("pass", names, OPTIONAL)


def _known(what: str, words: Sequence[str], choices: Sequence[str]) -> tuple[str, ...]:
    for word in words:
        if word not in choices:
            raise ValueError(f"unknown {what} {word!r}; choose from {', '.join(choices)}")
    if not words and what == "mode":
        raise ValueError(f"no mode; choose from {', '.join(choices)}")
    return tuple(words)


def assignment(text: str) -> tuple[str, str]:
    """The two sides of `name=text`. Raises ValueError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier() or not value.strip():
        raise ValueError(f"{text!r} is not of the form name=value")
    return name.strip(), value.strip()


def parse_constant(text: str) -> Any:
    """A Python literal, or the text itself where it is none: `3`, `(1, 2)`, `cubic`."""
    if text.strip("+-").lower() in ("inf", "nan"):
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def constant_text(value: Any) -> str:
    """The shortest text that reads as a constant."""
    if not isinstance(value, str):
        return repr(value)
    plain = value.isprintable() and value == value.strip() != ""
    return value if plain and parse_constant(value) == value else repr(value)


def words(options: Options) -> list[str]:
    """The options as command line words, without those that have their default."""
    found = []
    if options.wrt:
        found += ["--wrt", ",".join(options.wrt)]
    if options.modes != MODES:
        found += ["--mode", ",".join(options.modes)]
    for name, text in options.types:
        found += ["--type", f"{name}={text}"]
    for name, value in options.constants:
        found += ["--const", f"{name}={constant_text(value)}"]
    for name in options.disable:
        found += ["--disable", name]
    if options.compile != PYTHON:
        found += ["--compile", options.compile]
    if options.example:
        found += ["--example", options.example]
    for name, text in options.at:
        found += ["--at", f"{name}={text}"]
    if options.guess:
        found += ["--guess"]
    if options.checkpoint:
        found += ["--checkpoint", options.checkpoint]
    for text in options.directives:
        found += ["--directive", text]
    if options.directions:
        found += ["--directions", str(options.directions)]
    return found


def command(request: Request) -> str:
    """The command line that makes a module."""
    output = ["-o", request.output] if request.output else []
    return shlex.join(
        ["adjointgen", "generate", *request.targets, *words(request.options), *output]
    )


_WORDS: Final = (
    "wrt= mode= directions= type= const= disable= compile= "
    "example= at= guess checkpoint= directive="
)


def parse_command(text: str) -> Request:
    """The request that a command line states. Raises ValueError."""
    given_words = shlex.split(text)
    if given_words[:2] != ["adjointgen", "generate"]:
        raise ValueError(f"{text!r} does not begin with `adjointgen generate`")
    # A function on standard input is named `-::f`, which is no option.
    marked = [f"/{word}" if word.startswith("-::") else word for word in given_words[2:]]
    try:
        given, targets = getopt.gnu_getopt(marked, "o:", _WORDS.split())
    except getopt.GetoptError as error:
        raise ValueError(str(error)) from error
    several: dict[str, list[str]] = {}
    for name, value in given:
        several.setdefault(name.lstrip("-"), []).append(value)
    constants = dict(map(assignment, several.get("const", [])))
    options = make_options(
        ",".join(several.get("wrt", [])),
        ",".join(several.get("mode", MODES)),
        dict(map(assignment, several.get("type", []))),
        {name: parse_constant(value) for name, value in constants.items()},
        several.get("disable", []),
        several.get("compile", [PYTHON])[0],
        several.get("example", [""])[-1],
        dict(map(assignment, several.get("at", []))),
        "guess" in several,
        several.get("checkpoint", [""])[-1],
        several.get("directive", []),
        int(several.get("directions", ["0"])[-1]),
    )
    plain = tuple(word.removeprefix("/") if word.startswith("/-::") else word for word in targets)
    return Request(plain, options, several.get("o", [""])[-1])


__all__ = [
    "ALONG",
    "EVERY",
    "MODES",
    "UNNAMED",
    "Options",
    "Request",
    "Wrt",
    "assignment",
    "command",
    "constant_text",
    "is_named",
    "listed",
    "make_options",
    "parse_command",
    "parse_constant",
    "words",
]
