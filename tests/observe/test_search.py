"""The order in which assumptions are tried, what is taken back, and how few are kept."""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace

import pytest

from adjointgen.api.specialize import fewer_assumptions
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.assumption_search import MOST_TRIES, AssumptionSearch
from adjointgen.api.specialize.fewer_assumptions import FEW, fewest
from adjointgen.api.specialize.run_facts import Said
from adjointgen.errors import AdjointgenError, Span, Unsupported
from adjointgen.frontend.domain.untaken import (
    CALLS,
    COPIED,
    KIND,
    NUMBER,
    OUTCOME,
    TEXT,
    Key,
    Place,
)


def place(line: int) -> Place:
    return line, 0, line, 10


def path(line: int) -> Key:
    return "f.py", place(line), "statement"


def copy(line: int) -> Key:
    return "f.py", place(line), COPIED


FLOAT: Key = ("f.py", place(1), KIND + "float")
WENT: Key = ("f.py", place(4), OUTCOME)
THREE: Key = ("f.py", place(3), f"{KIND}{NUMBER}3")
NAME: Key = ("f.py", place(2), f"{KIND}{TEXT}'a'")


def refusal(line: int, code: str = "AG106", message: str = "refused") -> AdjointgenError:
    return Unsupported(message, code=code, span=Span("f.py", line, 0, line, 5))


class Facts:
    """What a run has told: kinds, texts, the code around each place, and paths by line."""

    is_known = True

    def __init__(self, copies: Mapping[int, tuple[Key, ...]], lines: tuple[int, ...]) -> None:
        self.copies, self.lines = copies, lines

    def kinds(self) -> Said:
        return {FLOAT: "no float"}

    def texts(self) -> Said:
        return {NAME: "not 'a'"}

    def numbers(self) -> Said:
        return {THREE: "not 3"}

    def outcomes(self) -> Said:
        return {WENT: "turns out otherwise"}

    def passive_calls(self) -> Said:
        return {CALLS: ""}

    def code_around(self, error: AdjointgenError) -> Iterator[Said]:
        assert error.span is not None
        yield from ({key: ""} for key in self.copies.get(error.span.line, ()))

    def paths(self) -> Said:
        return {path(line): f"path {line}" for line in self.lines}

    def near(self, error: AdjointgenError, among: Mapping[Key, str]) -> Iterator[Said]:
        assert error.span is not None
        key = path(error.span.line)
        yield {key: among[key]} if key in among else {}


def tried(facts: Facts, build: object, most: int = 100) -> list[set[Key]]:
    """What is tried until `build` has a program, or all that is tried."""
    search = AssumptionSearch(facts).answers(build({}), {})  # type: ignore[arg-type,operator]
    done: list[set[Key]] = []
    try:
        said = next(search)
        while len(done) < most:
            done.append({*said})
            error = build(said)  # type: ignore[operator]
            if error is None:
                return done
            said = search.send(error)
    except StopIteration:
        return done
    raise AssertionError("no end")


def test_kinds_come_before_code_and_code_before_paths() -> None:
    facts = Facts({5: (copy(5),)}, (7, 8))
    done = tried(facts, lambda said: refusal(5))
    paths = {path(7), path(8)}
    assert done[0] == {FLOAT}
    every = {*paths, THREE, WENT}
    sets = [{CALLS}, {NAME}, {copy(5)}, paths, {THREE}, every]
    assert [said - {FLOAT} for said in done[1:]] == sets


def test_a_copy_that_leads_nowhere_is_taken_back() -> None:
    """Line 3 has no answer; with the copy, the refusal is there."""

    def build(said: Said) -> AdjointgenError | None:
        if copy(5) in said:
            return refusal(3, "AG102")
        return None if path(7) in said else refusal(5)

    done = tried(Facts({5: (copy(5),)}, (7,)), build)
    assert copy(5) not in done[-1] and path(7) in done[-1]


def test_what_two_refusals_need_is_found_together() -> None:
    def build(said: Said) -> AdjointgenError | None:
        if copy(5) not in said:
            return refusal(5)
        return None if path(7) in said else refusal(9)

    done = tried(Facts({5: (copy(4), copy(5))}, (7,)), build)
    assert {copy(5), path(7)} <= done[-1] and copy(4) not in done[-1]


def test_a_text_that_depends_on_an_argument_is_never_taken_again() -> None:
    def build(said: Said) -> AdjointgenError | None:
        if NAME in said:
            return refusal(2, "AG132", "f.py: not 'a'")
        return refusal(5)

    done = tried(Facts({}, (7,)), build)
    assert sum(NAME in said for said in done) == 1
    assert done[-3:-1] == [{FLOAT, path(7)}, {FLOAT, THREE}]


def test_what_is_about_the_arguments_has_no_answer() -> None:
    assert tried(Facts({5: (copy(5),)}, (7,)), lambda said: refusal(5, "AG113")) == []


def test_the_search_has_an_end() -> None:
    """Each copy leads to another refusal with copies of its own."""
    copies = {line: tuple(copy(100 * line + k) for k in range(4)) for line in range(2000)}

    def build(said: Said) -> AdjointgenError:
        return refusal(sum(key[2] == COPIED for key in said))

    assert len(tried(Facts(copies, (7,)), build)) <= MOST_TRIES + 2


def of(said: Said) -> SimpleNamespace:
    """What stands for a program."""
    return SimpleNamespace(said={*said})


def test_of_many_paths_those_near_the_refusals_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fewer_assumptions, "_says", lambda made, said: True)
    needed, builds = (3, 17), 0

    def build(said: Said) -> SimpleNamespace:
        nonlocal builds
        builds += 1
        for line in needed:
            if path(line) not in said:
                raise refusal(line)
        return of(said)

    every = Facts({}, tuple(range(40))).paths()
    said, made = fewest(Facts({}, tuple(range(40))), build, every, build(every))  # type: ignore[arg-type]
    assert {*said} == made.said == {path(line) for line in needed}
    assert builds <= FEW


def test_paths_that_are_not_found_again_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal is not near the path that is its reason."""
    monkeypatch.setattr(fewer_assumptions, "_says", lambda made, said: True)

    def build(said: Said) -> SimpleNamespace:
        if path(30) not in said:
            raise refusal(90)
        return of(said)

    every = Facts({}, tuple(range(40))).paths()
    said, made = fewest(Facts({}, tuple(range(40))), build, every, build(every))  # type: ignore[arg-type]
    assert {*said} == made.said == {path(30)}


def test_other_kinds_of_programs_are_searched_for_twice() -> None:
    """Before any path is left out, and after: a search in each step would take its square."""
    paths = AssumedPaths(lambda: None)
    searches = [paths.branched()._facts.is_known for _ in range(2)]
    paths.said[path(3)] = "path 3"
    searches += [paths.branched()._facts.is_known for _ in range(2)]
    assert searches == [True, False, True, False]
