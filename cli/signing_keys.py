"""Keys that sign rulings, for verifying signatures and for setting up a service."""

import secrets
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from api.signing.keys import (
    KEY_BYTES,
    NoKey,
    Signature,
    Signer,
    decode_base64url,
    encode_base64url,
    jwk,
    read_base64url,
)


def known_keys(published: Any) -> dict[str, bytes]:
    """Give the Ed25519 keys of a JWK Set by their thumbprints, which are computed and not trusted.

    Keys of other kinds are skipped; raises `NoKey` if it is not a JWK Set.
    """
    keys = published.get("keys") if isinstance(published, Mapping) else None
    if not isinstance(keys, list):
        raise NoKey("that is not a JWK Set: it has no list of `keys`")
    by_thumbprint = {}
    for each in keys:
        if isinstance(each, Mapping) and (each.get("kty"), each.get("crv")) == ("OKP", "Ed25519"):
            public = decode_base64url(str(each.get("x")))
            by_thumbprint[jwk(public).kid] = public
    return by_thumbprint


def is_signed(text: bytes, signature: Signature, public: bytes) -> bool:
    """Decide whether a signature over the text was made with the key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(read_base64url(signature.value), text)
    except (InvalidSignature, NoKey):
        return False
    return True


def fresh_secret() -> str:
    """Make a key, or another secret of 32 bytes."""
    return encode_base64url(secrets.token_bytes(KEY_BYTES))


def public_of(key: str) -> str:
    """Give the public half of a signing key, as it is published."""
    return Signer(decode_base64url(key)).keys.keys[0].x
