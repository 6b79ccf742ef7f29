"""Faults of a request: all of them together, each with its place and a hint."""

import difflib
from collections.abc import Callable, Iterable
from typing import Any, Self

from arbiter.value import Value


class Fault(Value, frozen=True):
    """One fault of a posted body.

    `pointer` is a JSON Pointer (RFC 6901) into the posted body; `code` is stable and meant for programs, the
    rest for people: the value found, what is expected, and what to send instead.
    """

    pointer: str
    code: str
    message: str
    seen: Any = None
    expected: str = ""
    hint: str = ""


class Faults(Exception):
    """The request cannot be answered; contains every fault found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer or '/'}: {fault.message}" for fault in self.faults))

    @classmethod
    def one(cls, pointer: str, code: str, message: str, seen: Any = None, expected: str = "", hint: str = "") -> Self:
        """Give the refusal for a single fault."""
        return cls([Fault(pointer, code, message, seen, expected, hint)])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Give a hint with the known names nearest to an unknown one; empty if none is similar."""
    near = difflib.get_close_matches(name[:120], list(known), n=3)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def gather(*checks: Callable[[], Iterable[Fault]]) -> None:
    """Raise `Faults` with what all checks find, each fault once; a check may return its faults or raise them.

    A later check may fail on a value that an earlier one has already reported; such a failure is ignored.
    """
    found: dict[tuple[str, str], Fault] = {}
    failure: Exception | None = None
    for check in checks:
        try:
            for fault in check():
                found.setdefault((fault.pointer, fault.code), fault)
        except Faults as more:
            for fault in more.faults:
                found.setdefault((fault.pointer, fault.code), fault)
        except Exception as error:
            failure = failure or error
    if found:
        raise Faults(found.values())
    if failure is not None:
        raise failure


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Give the results of steps; if some raise `Faults`, all faults are raised together."""
    results: list[Any] = []
    found: list[Fault] = []
    for step in steps:
        try:
            results.append(step())
        except Faults as faults:
            found += faults.faults
    if found:
        raise Faults(found)
    return results


class UnknownName(LookupError):
    """A game, question, rule, reading or policy of that name does not exist; contains the existing names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(f"there is no {kind} {name!r}; known: {', '.join(self.known) or 'none'}")


def pointer(*parts: str | int) -> str:
    """Give the JSON Pointer of a path of names and indices, escaped as in RFC 6901."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
