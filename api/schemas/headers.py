"""The request headers that a view reads, as schemas: preferences, the idempotency key, and the last event seen."""

import re
from urllib.request import parse_http_list

from marshmallow import EXCLUDE, Schema, fields
from msgspec.structs import replace

from api.problems.handlers import ProblemError
from arbiter.value import Value

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PREFERENCE = re.compile(rf'({_TOKEN})(?:[ \t]*=[ \t]*({_TOKEN}|"[^"]*"))?[ \t]*(?:;.*)?', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SECONDS = re.compile(r"[0-9]{1,9}")

LONGEST_KEY = 255
"""Characters of the longest idempotency key."""

_PLAIN_KEY = rf"[!#-~][!-~]{{0,{LONGEST_KEY - 1}}}"
_QUOTED_KEY = rf'"(?:[ !#-\[\]-~]|\\["\\]){{1,{LONGEST_KEY}}}"'
KEY_PATTERN = f"^({_PLAIN_KEY}|{_QUOTED_KEY})$"
"""The syntax of an idempotency key: a string in quotation marks, as in the draft, or plain."""

_KEY = re.compile(f"{_PLAIN_KEY}|{_QUOTED_KEY}")

_EVENT_ID = re.compile(r"[!-~]{1,64}")


class Preferences(Value, frozen=True):
    """A client's preferences: an answer with only the path of the result, and the seconds that it would wait."""

    respond_async: bool = False
    wait_s: int | None = None

    def limit_wait(self, most_wait_s: int) -> "Preferences":
        """Give the same preferences, with the wait limited to the longest one."""
        return self if self.wait_s is None else replace(self, wait_s=min(self.wait_s, most_wait_s))


def read_preferences(value: str) -> Preferences:
    """Read `Prefer` (RFC 7240), its lines joined by commas, as HTTP joins them.

    If a preference occurs twice, the first counts; unknown or malformed ones are ignored, because preferences are
    optional.
    """
    preferred: dict[str, str] = {}
    for element in parse_http_list(value):
        if match := _PREFERENCE.fullmatch(element):
            preferred.setdefault(match[1].lower(), (match[2] or "").strip('"'))
    seconds = preferred.get("wait", "")
    return Preferences(
        # With a value it is a different preference, which is unknown and so ignored.
        respond_async=preferred.get("respond-async") == "",
        wait_s=int(seconds) if _SECONDS.fullmatch(seconds) else None,
    )


def read_idempotency_key(value: str) -> str:
    """Read `Idempotency-Key`: in quotation marks, as in the draft, or plain, as most clients write it."""
    text = value.strip(" \t")
    if not _KEY.fullmatch(text):
        detail = f"`Idempotency-Key` must be 1 to {LONGEST_KEY} ASCII characters, preferably in quotation marks."
        raise ProblemError("bad-request", detail)
    return _ESCAPED.sub(r"\1", text[1:-1]) if text.startswith('"') else text


def read_event_id(value: str) -> str | None:
    """Read the id of the last event that a client has seen; None for an invalid one, which restarts the stream."""
    return value if _EVENT_ID.fullmatch(value) else None


class JobHeaders(Schema):
    """The headers of a request that may become a job."""

    prefer = fields.Function(deserialize=read_preferences, data_key="Prefer", load_default=Preferences())
    key = fields.Function(deserialize=read_idempotency_key, data_key="Idempotency-Key", load_default=None)


class EventHeaders(Schema):
    """The headers of a request that follows the events of a job."""

    last_event = fields.Function(deserialize=read_event_id, data_key="Last-Event-Id", load_default=None)


job_headers, event_headers = JobHeaders(unknown=EXCLUDE), EventHeaders(unknown=EXCLUDE)
