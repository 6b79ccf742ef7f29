"""What clients say in headers: how long they wait (RFC 7240), what they post only once, and how far they have read."""

import re
from collections.abc import Iterator

from api.problems.handlers import ProblemError
from arbiter.value import Value

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
# What is in quotation marks is taken whole, and its last mark noted if it is there.
_COMMA_OR_QUOTED = re.compile(r',|"(?:[^"\\]|\\.)*+("?)', re.DOTALL)
_PREFERENCE = re.compile(rf"[ \t]*({_TOKEN})(?:[ \t]*=[ \t]*({_TOKEN}|{_QUOTED}))?[ \t]*(?:;.*)?", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SECONDS = re.compile(r"[0-9]{1,9}")

LONGEST_KEY = 255
"""Characters of the longest idempotency key."""

_PLAIN_KEY = rf"[!#-~][!-~]{{0,{LONGEST_KEY - 1}}}"
_QUOTED_KEY = rf'"(?:[ !#-\[\]-~]|\\["\\]){{1,{LONGEST_KEY}}}"'
KEY_PATTERN = f"^({_PLAIN_KEY}|{_QUOTED_KEY})$"
"""An idempotency key as it is written: a string in quotation marks, as the draft has it, or plain."""

_KEY = re.compile(f"{_PLAIN_KEY}|{_QUOTED_KEY}")

_PLACE = re.compile(r"[!-~]{1,64}")


class Preferences(Value, frozen=True):
    """What a client prefers: an answer that only says where the result will be, and how many seconds it would wait."""

    respond_async: bool = False
    wait_s: int | None = None


def preferences(said: str, most_wait_s: int) -> Preferences:
    """Read `Prefer`, its lines joined by commas, as HTTP joins them.

    Of a preference that is said twice the first counts; what is unknown or malformed is passed over, for a preference
    is no order. A wait is cut to the longest there is.
    """
    found: dict[str, str] = {}
    for name, value in _elements(said):
        found.setdefault(name, value)
    seconds = found.get("wait", "")
    return Preferences(
        # Written with a value it is some other preference, of which nobody has heard.
        respond_async=found.get("respond-async") == "",
        wait_s=min(int(seconds), most_wait_s) if _SECONDS.fullmatch(seconds) else None,
    )


def _elements(said: str) -> Iterator[tuple[str, str]]:
    for element in _divided(said):
        if whole := _PREFERENCE.fullmatch(element):
            value = whole[2] or ""
            yield whole[1].lower(), _ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


def _divided(said: str) -> Iterator[str]:
    """Divide at the commas that stand in no quotation marks, in time that grows as the text does.

    A mark that is never closed is a character as any other, and makes its own element malformed, no other.
    """
    begin = 0
    for found in _COMMA_OR_QUOTED.finditer(said):
        if found[0] == ",":
            yield said[begin : found.start()]
            begin = found.end()
        elif not found[1]:
            # Every later mark is escaped as seen from this one, and so none of them is closed either.
            first, *others = said[found.start() :].split(",")
            yield said[begin : found.start()] + first
            yield from others
            return
    yield said[begin:]


def idempotency_key(said: str | None) -> str | None:
    """Read `Idempotency-Key`: a string in quotation marks as the draft has it, or plain as most clients write it.

    Refuses what is neither, empty, or longer than `LONGEST_KEY`.
    """
    if said is None:
        return None
    text = said.strip(" \t")
    if not _KEY.fullmatch(text):
        raise ProblemError(
            "bad-request",
            f"`Idempotency-Key` has to be a string of 1 to {LONGEST_KEY} ASCII characters, best in quotation marks.",
        )
    return _ESCAPED.sub(r"\1", text[1:-1]) if text.startswith('"') else text


def place(said: str | None) -> str | None:
    """Read how far a client has followed a job; None for what cannot be a place, so that it begins at the beginning."""
    return said if said and _PLACE.fullmatch(said) else None
