"""Canonical JSON (RFC 8785): one way of writing a value, so that two programs that hold it can compare or sign it."""

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
import rfc8785

from arbiter.written import encoder

if TYPE_CHECKING:
    import hashlib

_sorted = encoder(order="sorted").encode

# What msgspec writes in another way than the standard: whole or very large or small decimals, `-0.0`, integers that no
# double holds, and names whose order differs between code points and UTF-16. Found in a text, it merely costs time.
_WHOLE_DECIMALS = (b".0,", b".0]", b".0}")
_AFTER_NUMBERS = (b"", b",", b"]", b"}")
_LONG = re.compile(rb"[:,\[]-?[0-9]+(?:\.[0-9]+)?(?<=[0-9]{16})")
_FAR = re.compile(rb"[\xee-\xf4]")
_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")


PIECE = 2_047
"""The most bytes that the standard library hashes without letting other threads in."""


class NotCanonical(ValueError):
    """The value has no canonical form: a number that no double holds exactly, or a text that is no Unicode."""


def canonical(value: Any) -> bytes:
    """Write a value as RFC 8785 has it, one of ours as it is in JSON; raises `NotCanonical`."""
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
    # To look for a few bytes is much faster than to look at each number; a digest, say, holds some of them but is none.
    if text.endswith(b".0") or any(end in text for end in _WHOLE_DECIMALS):
        return True
    if not text.isascii() and _FAR.search(text):
        return True
    zeros = text.translate(_AS_ZEROS)
    exponents = zeros.split(b"0e")[1:]
    if any(rest.lstrip(b"+-0")[:1] in _AFTER_NUMBERS for rest in exponents):
        return True
    return b"0000000000000000" in zeros and _LONG.search(b"," + text) is not None


def hashed(*parts: bytes) -> "hashlib._Hash":
    """Give the SHA-256 of texts one after another.

    Of more than a piece at once it would let other threads in, and wait for its turn for longer than it takes itself.
    """
    found = sha256()
    for part in parts:
        view = memoryview(part)
        for at in range(0, len(part), PIECE):
            found.update(view[at : at + PIECE])
    return found


def digest(*parts: bytes) -> str:
    """Give the SHA-256 of texts one after another, each with its length before it, in hex."""
    return hashed(*(said for part in parts for said in (len(part).to_bytes(8, "big"), part))).hexdigest()
