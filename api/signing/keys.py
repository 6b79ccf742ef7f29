"""Signing: the Ed25519 keys of a service, their publication (RFC 7517, RFC 8037), and their signatures.

This module needs no web framework, so that a program that only checks signatures loads none.
"""

import base64
import binascii
from collections.abc import Iterable
from hashlib import sha256
from typing import Literal, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.schemas.canonical_json import canonical
from arbiter.value import Value

KEYS_PATH = "/.well-known/arbiter-keys.json"
"""The path at which a service publishes its keys."""

KEY_BYTES = 32


class Jwk(Value, frozen=True):
    """A public key that signs or has signed rulings: a JSON Web Key; `kid` is its thumbprint."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    use: Literal["sig"] = "sig"
    alg: Literal["Ed25519"] = "Ed25519"


class JwkSet(Value, frozen=True):
    """The public keys of this service, as a JWK Set; the first is the one that signs."""

    keys: tuple[Jwk, ...]


class Signature(Value, frozen=True):
    """A signature: the `kid` of the key that made it, and its 64 bytes in base64url."""

    alg: Literal["Ed25519"]
    key: str
    value: str


class NoKey(ValueError):
    """A text is not a key."""


class Signer:
    """Signs with one key, and publishes it together with earlier keys."""

    def __init__(self, seed: bytes, before: Iterable[bytes] = ()) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        own = jwk(self._private.public_key().public_bytes_raw())
        others = (jwk(public) for public in before)
        self.kid = own.kid
        self.keys = JwkSet(tuple({each.kid: each for each in (own, *others)}.values()))

    @classmethod
    def of(cls, key: str, before: Iterable[str] = ()) -> Self | None:
        """Make the signer of a setting; None if the setting is empty."""
        return cls(decode_base64url(key), [decode_base64url(each) for each in before if each]) if key else None

    def signature(self, text: bytes) -> Signature:
        """Sign a text."""
        return Signature("Ed25519", self.kid, encode_base64url(self._private.sign(text)))


def jwk(public: bytes) -> Jwk:
    """Give a public key as a JSON Web Key, named by its thumbprint (RFC 7638, RFC 8037)."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": encode_base64url(public)}
    return Jwk("OKP", "Ed25519", members["x"], encode_base64url(sha256(canonical(members)).digest()))


def encode_base64url(data: bytes) -> str:
    """Write bytes in base64url, as in keys and signatures."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Read a key or a secret of 32 bytes in base64 of either alphabet; raises `NoKey`."""
    data = read_base64url(text.rstrip("=").translate(str.maketrans("+/", "-_")))
    if len(data) != KEY_BYTES:
        raise NoKey(f"a key has {KEY_BYTES} bytes, this one {len(data)}")
    return data


def read_base64url(text: str) -> bytes:
    """Read bytes in base64url; raises `NoKey`."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise NoKey("that is no base64url") from None
    # A value must have only one spelling; otherwise a signature could be changed and stay valid.
    if encode_base64url(data) != text:
        raise NoKey("that is base64url with stray bits at its end")
    return data
