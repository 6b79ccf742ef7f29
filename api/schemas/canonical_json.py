"""Canonical JSON (RFC 8785): one spelling of a value, so that two programs can compare or sign it."""

import re
from hashlib import sha256
from typing import Any

import msgspec
import rfc8785

from arbiter.json import encoder

_sorted = encoder(order="sorted").encode

# Values that msgspec writes differently from the standard: whole or very large or small decimals, `-0.0`, integers that
# no double holds, and names whose order differs between code points and UTF-16. A match within a text only costs time.
_WHOLE = re.compile(rb"\.0(?:[,\]}]|\Z)")
_EXPONENT = re.compile(rb"0e[+-]?0++(?:[,\]}]|\Z)")
_LONG = re.compile(rb"[:,\[]-?[0-9]+(?:\.[0-9]+)?(?<=[0-9]{16})")
_FAR = re.compile(rb"[\xee-\xf4]")
_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")


class NotCanonical(ValueError):
    """The value has no canonical form: a number that no double holds exactly, or a text that is not Unicode."""


def canonical(value: Any) -> bytes:
    """Write a value by RFC 8785, a struct as its JSON; raises `NotCanonical`."""
    try:
        text = _sorted(value)
    except (OverflowError, UnicodeEncodeError, msgspec.MsgspecError) as wrong:
        raise NotCanonical(str(wrong)) from None
    if not _unlike(text):
        return text
    try:
        return rfc8785.dumps(msgspec.json.decode(text))
    except rfc8785.CanonicalizationError as wrong:
        raise NotCanonical(str(wrong)) from None


def _unlike(text: bytes) -> bool:
    if _WHOLE.search(text) or (not text.isascii() and _FAR.search(text)):
        return True
    # With all digits replaced by zeros, a search for a few bytes is much faster than checking each number.
    zeros = text.translate(_AS_ZEROS)
    if _EXPONENT.search(zeros):
        return True
    return b"0000000000000000" in zeros and _LONG.search(b"," + text) is not None


def digest(*parts: bytes) -> str:
    """Give the SHA-256 of texts one after another, each preceded by its length, in hex."""
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()
