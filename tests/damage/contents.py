"""Ways to change the bytes of a file of the cache.

A change gets the bytes and what there is beside them, and returns other bytes. Some are those of a
failing disk, some those of an editor, and some those of somebody who wants code to be run.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from adjointgen.api.cache.checked_pickles import MAGIC, SUM


class Beside(NamedTuple):
    """Random draws, other files of this kind, this file at other times, and what must not run."""

    draw: Random
    others: list[bytes]
    older: list[bytes]
    evil: str

    def other(self) -> bytes:
        return self.draw.choice(self.others) if self.others else b"nothing"


Change = Callable[[bytes, Beside], bytes]


def span(data: bytes, draw: Random) -> tuple[int, int]:
    """A part of the bytes, most often a short one."""
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice((1, 2, 8, 64, 512, len(data))))


def cut(data: bytes, beside: Beside) -> bytes:
    ends = (0, 1, 16, len(MAGIC), len(MAGIC) + SUM, 78, 512, 4096, len(data) // 2, -1, -2)
    draw = beside.draw
    return data[: draw.choice((*ends, *(draw.randrange(len(data)) for _ in ends)))]


def flip(data: bytes, beside: Beside) -> bytes:
    changed = bytearray(data)
    for _ in range(beside.draw.choice((1, 1, 1, 2, 9))):
        changed[beside.draw.randrange(len(data))] ^= 1 << beside.draw.randrange(8)
    return bytes(changed)


def flip_head(data: bytes, beside: Beside) -> bytes:
    return flip(data[:90], beside) + data[90:]


def insert(data: bytes, beside: Beside) -> bytes:
    at, draw = beside.draw.randrange(len(data) + 1), beside.draw
    return data[:at] + draw.randbytes(draw.choice((1, 2, 100))) + data[at:]


def delete(data: bytes, beside: Beside) -> bytes:
    start, end = span(data[:-1], beside.draw)
    return data[:start] + data[max(end, start + 1) :]


def repeat(data: bytes, beside: Beside) -> bytes:
    start, end = span(data, beside.draw)
    return data[:end] + data[start:end] + data[end:]


def zeros_within(data: bytes, beside: Beside) -> bytes:
    start, end = span(data, beside.draw)
    return data[:start] + bytes(end - start) + data[end:]


def swap(data: bytes, beside: Beside) -> bytes:
    a, b = sorted(beside.draw.sample(range(1, len(data)), 2))
    return data[b:] + data[a:b] + data[:a]


def swap_neighbours(data: bytes, beside: Beside) -> bytes:
    at = beside.draw.randrange(len(data) - 1)
    return data[:at] + data[at + 1 : at + 2] + data[at : at + 1] + data[at + 2 :]


def begins_with_another(data: bytes, beside: Beside) -> bytes:
    at = beside.draw.choice((78, len(MAGIC), len(MAGIC) + SUM, 512, len(data) // 2))
    return beside.other()[:at] + data[at:]


def ends_with_another(data: bytes, beside: Beside) -> bytes:
    at = beside.draw.choice((78, len(MAGIC), len(MAGIC) + SUM, 512, len(data) // 2))
    return data[:at] + beside.other()[at:]


def encoded(data: bytes, beside: Beside) -> bytes:
    ways = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7", "cp037")
    return data.decode("latin-1").encode(beside.draw.choice(ways))


def number_changed(data: bytes, beside: Beside) -> bytes:
    """One digit of what may be a program is another digit."""
    digits = [k for k, byte in enumerate(data) if 48 <= byte < 58]
    if not digits:
        return data + b"0"
    at = beside.draw.choice(digits)
    return data[:at] + b"%d" % ((data[at] - 47) % 10) + data[at + 1 :]


def sign_changed(data: bytes, beside: Beside) -> bytes:
    for old, new in ((b" * ", b" + "), (b" + ", b" - "), (b"sin", b"cos"), (b"\n", b"\n\n")):
        if old in data:
            return data.replace(old, new, 1)
    return data[::-1]


class Evil:
    """What runs a statement when it is unpickled."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.text,)


def evil_pickle(data: bytes, beside: Beside) -> bytes:
    found = pickle.dumps(Evil(beside.evil))
    head = (b"", MAGIC, data[: len(MAGIC) + SUM], MAGIC + bytes(SUM))
    return beside.draw.choice(head) + found + beside.draw.choice((b"", data))


def bad_pickle(data: bytes, beside: Beside) -> bytes:
    bad = (b"\x80\x05cnowhere\nnothing\n.", b"\x80\x09", b"(" * 9999, b"\x80\x04\x95" + b"\xff" * 9)
    return data[: beside.draw.choice((0, len(MAGIC) + SUM))] + beside.draw.choice(bad)


def evil_text(data: bytes, beside: Beside) -> bytes:
    line = beside.evil.encode()
    return beside.draw.choice((line + b"\n" + data, data + b"\n" + line, line))


CHANGES: dict[str, Change] = {
    "cut": cut,
    "bits flipped": flip,
    "bits of the head flipped": flip_head,
    "bytes inserted": insert,
    "bytes deleted": delete,
    "bytes repeated": repeat,
    "zeros within": zeros_within,
    "parts swapped": swap,
    "bytes swapped": swap_neighbours,
    "begins with another": begins_with_another,
    "ends with another": ends_with_another,
    "another encoding": encoded,
    "a number changed": number_changed,
    "a sign changed": sign_changed,
    "pickle that runs code": evil_pickle,
    "pickle that does not load": bad_pickle,
    "text that runs code": evil_text,
    "empty": lambda data, _: b"",
    "zeros": lambda data, _: bytes(len(data)),
    "ones": lambda data, _: b"\xff" * len(data),
    "random bytes": lambda data, beside: beside.draw.randbytes(len(data)),
    "backwards": lambda data, _: data[::-1],
    "twice": lambda data, _: data + data,
    "another file's": lambda data, beside: beside.other(),
    "another file's after": lambda data, beside: data + beside.other(),
    "as at another time": lambda data, beside: beside.draw.choice([*beside.older, b""]),
    "deep": lambda data, _: b"[" * 10**6,
    "long": lambda data, _: data + b" " * (17 * 2**20),
    "long number": lambda data, _: b"1" * 10**6,
}


# Entries that are JSON, whose change is JSON again.

OF_JSON = ("text", "metadata", "key", "versions", "checksum", "magic")
VALUES = (None, True, 0, -1, 1.5, "", "x", [], [0], {}, {"a": 1}, [[]], 1e308, float("nan"))


def json_change(change: Callable[[dict[str, Any], Beside], None]) -> Change:
    def changed(data: bytes, beside: Beside) -> bytes:
        entry = json.loads(data)
        change(entry, beside)
        return json.dumps(entry).encode()

    return changed


def some(entry: dict[str, Any], beside: Beside) -> tuple[Any, Any]:
    """A place in an entry: what holds it, and its key."""
    holder: Any = entry
    while True:
        keys = [*holder] if isinstance(holder, dict) else [*range(len(holder))]
        key = beside.draw.choice(keys)
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or beside.draw.random() < 0.3:
            return holder, key
        holder = inner


def removed(entry: dict[str, Any], beside: Beside) -> None:
    holder, key = some(entry, beside)
    del holder[key]


def other_value(entry: dict[str, Any], beside: Beside) -> None:
    holder, key = some(entry, beside)
    holder[key] = beside.draw.choice(VALUES)


def retyped(entry: dict[str, Any], beside: Beside) -> None:
    holder, key = some(entry, beside)
    holder[key] = beside.draw.choice((str, lambda v: [v], lambda v: {"v": v}, bool))(holder[key])


def renamed(entry: dict[str, Any], beside: Beside) -> None:
    name = beside.draw.choice([*entry])
    entry[beside.draw.choice((name.upper(), name + " ", "_" + name))] = entry.pop(name)


def added(entry: dict[str, Any], beside: Beside) -> None:
    holder, key = some(entry, beside)
    if isinstance(holder, dict):
        holder["more"] = beside.draw.choice(VALUES)
    else:
        holder.insert(key, beside.draw.choice(VALUES))


def fields_of_another(entry: dict[str, Any], beside: Beside) -> None:
    try:
        other = json.loads(beside.other())
    except ValueError:
        other = {}
    chosen = beside.draw.sample(OF_JSON, beside.draw.randrange(1, len(OF_JSON)))
    entry.update({name: other.get(name) for name in chosen})


def content_of_another(entry: dict[str, Any], beside: Beside) -> None:
    """Everything but the key is another entry's, as it was written."""
    other = json.loads(beside.other())
    entry.update({name: other[name] for name in OF_JSON if name != "key"})


def program_changed(entry: dict[str, Any], beside: Beside) -> None:
    entry["text"] = number_changed(entry["text"].encode(), beside).decode()


def program_runs_more(entry: dict[str, Any], beside: Beside) -> None:
    entry["text"] = evil_text(entry["text"].encode(), beside).decode()


def given_twice(data: bytes, beside: Beside) -> bytes:
    """A field that is there twice."""
    name, value = beside.draw.choice(OF_JSON), json.dumps(beside.draw.choice(VALUES))
    extra = f'"{name}": {value}'.encode()
    return (
        b"{" + extra + b", " + data[1:]
        if beside.draw.random() < 0.5
        else (data[:-1] + b", " + extra + b"}")
    )


def laid_out(data: bytes, beside: Beside) -> bytes:
    """The same data in another layout."""
    indent, sort = beside.draw.choice((1, 4, None)), beside.draw.random() < 0.5
    return json.dumps(json.loads(data), indent=indent, sort_keys=sort).encode() + b"\n"


JSON_CHANGES: dict[str, Change] = {
    "field removed": json_change(removed),
    "field of another value": json_change(other_value),
    "field of another type": json_change(retyped),
    "field renamed": json_change(renamed),
    "field added": json_change(added),
    "fields of another entry": json_change(fields_of_another),
    "content of another entry": json_change(content_of_another),
    "program changed": json_change(program_changed),
    "program that runs more": json_change(program_runs_more),
    "field twice": given_twice,
    "another layout": laid_out,
}
