"""A new API key as a schema: its holder, its scopes, the pages that may send it, and its rate."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validates_schema
from marshmallow.validate import Length, OneOf, Range, Regexp

from api.auth.keys import SCOPES, KeyFacts, KeyRefused, Kind

LONGEST_ORIGIN = 200
MOST_ORIGINS = 20
"""Origins of one publishable key."""

MOST_UNITS = 1_000_000_000
"""The highest rate of a key, in units a minute."""

_ORIGIN = re.compile(r"(https?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/?")
_PORTS = {"http": 80, "https": 443}


class Origin(fields.Field[str]):
    """An origin as browsers send it: the host in small letters, the port only if it is not the default."""

    def _deserialize(self, value: str, attr: str | None, data: Mapping[str, Any] | None, **_: Any) -> str:
        match = _ORIGIN.fullmatch(value.strip().lower()) if len(value) <= LONGEST_ORIGIN else None
        port = int(match[3] or _PORTS[match[1]]) if match is not None else 0
        if match is None or not 0 < port < 65_536:
            shown = value[:LONGEST_ORIGIN]
            raise ValidationError(
                f"{shown!r} is not an origin; write it as https://table.example or http://192.168.1.4:30000"
            )
        return f"{match[1]}://{match[2]}" + ("" if port == _PORTS[match[1]] else f":{port}")


class KeySchema(Schema):
    """A key without an id. Without scopes, a secret key has all of them, and a publishable one has `ask`."""

    kind = fields.String(required=True, validate=OneOf(("secret", "publishable")))
    holder = fields.String(
        required=True,
        validate=Regexp(
            r"[a-z0-9][a-z0-9._-]{0,63}\Z",
            error="the holder must be a name of 1 to 64 small letters, digits, dots, dashes or underscores (acme-vtt)",
        ),
    )
    scopes = fields.List(
        fields.String(validate=OneOf(SCOPES, error="there is no scope {input!r}, only {choices}")), load_default=[]
    )
    origins = fields.List(
        Origin(), load_default=[], validate=Length(max=MOST_ORIGINS, error="a key has at most {max} origins")
    )
    units_per_minute = fields.Integer(
        strict=True,
        allow_none=True,
        load_default=None,
        validate=Range(1, MOST_UNITS, error=f"the units a minute must be from 1 to {MOST_UNITS:,}"),
    )

    @validates_schema
    def _check_origins(self, data: Mapping[str, Any], **_: Any) -> None:
        if data["kind"] == "secret" and data["origins"]:
            raise ValidationError("only a publishable key has origins: pages do not send secret keys")
        if data["kind"] == "publishable" and not data["origins"]:
            raise ValidationError(
                "a publishable key needs the origins whose pages may send it, such as https://table.example"
            )

    @post_load
    def _facts(self, data: dict[str, Any], **_: Any) -> KeyFacts:
        scopes = data["scopes"] or (SCOPES if data["kind"] == "secret" else ("ask",))
        return KeyFacts(
            id="",
            kind=data["kind"],
            holder=data["holder"],
            scopes=tuple(scope for scope in SCOPES if scope in scopes),
            origins=tuple(dict.fromkeys(data["origins"])),
            units_per_minute=data["units_per_minute"],
        )


def new_key(
    kind: Kind,
    holder: str,
    scopes: Sequence[str] = (),
    origins: Sequence[str] = (),
    units_per_minute: int | None = None,
) -> KeyFacts:
    """Give the facts of a new key, still without an id; raises `KeyRefused` with every reason."""
    try:
        facts: KeyFacts = KeySchema().load(
            {
                "kind": kind,
                "holder": holder,
                "scopes": list(scopes),
                "origins": list(origins),
                "units_per_minute": units_per_minute,
            }
        )
    except ValidationError as refusal:
        raise KeyRefused("; ".join(_messages(refusal.messages))) from None
    return facts


def _messages(messages: Any) -> list[str]:
    each = messages.values() if isinstance(messages, dict) else messages
    return [messages] if isinstance(messages, str) else [text for inner in each for text in _messages(inner)]
