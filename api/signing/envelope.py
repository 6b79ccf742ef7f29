"""Signed rulings: the answer of a question to `Accept: application/vnd.arbiter.signed+json`.

The signature is over the canonical form (RFC 8785) of the statement. The statement has the digest of the posted text,
and the exact text is next to it: a player who may not see the whole table can be shown the rest.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
import orjson
from flask import Response, request

from api.problems.handlers import ProblemError
from api.schemas import codec
from api.schemas.bodies import without_callback
from api.schemas.canonical_json import NotCanonical, canonical
from api.schemas.responses import JSON, accept_json
from api.signing import epochs
from api.signing.commitments import not_canonical
from api.signing.keys import Signer
from api.signing.statement import VERSION, origin
from arbiter.fault import Faults

SIGNED = "application/vnd.arbiter.signed+json"


class Signing:
    """Signs rulings on request."""

    def __init__(self, signer: Signer | None) -> None:
        self.signer = signer

    def accept(self) -> None:
        """Refuse a client that accepts neither JSON nor, if the service signs, the signed form."""
        if not _is_requested(request.environ):
            accept_json()
            return
        if self.signer is None and request.accept_mimetypes.quality(JSON) <= 0:
            raise ProblemError("no-signatures", "This service has no signing key; request `application/json`.")
        if not _is_preferred(request.environ):
            accept_json()

    def applies(self, environ: Mapping[str, Any]) -> bool:
        """Decide whether the client prefers the signed form, and the service signs."""
        return self.signer is not None and _is_preferred(environ)

    def respond(self, body: bytes, answer: Response, commitment: str | None) -> Response:
        """Give a ruling, signed if the client prefers that; everything else unchanged.

        `body` is the posted body, `commitment` that of its dice, if they were committed.
        """
        if answer.status_code != 200 or self.signer is None or not _is_preferred(request.environ):
            return answer
        # Most bodies have no callback, and need not be parsed.
        posted = without_callback(body) if b'"callback"' in body else body
        try:
            statement = canonical(
                {
                    "version": VERSION,
                    "body_sha256": sha256(posted).hexdigest(),
                    "dice": {"origin": origin(body), "commitment": commitment},
                    "made": epochs.moment(epochs.now()),
                    "ruling": msgspec.json.decode(answer.get_data()),
                }
            )
        except NotCanonical as wrong:
            raise Faults([not_canonical(str(wrong))]) from None
        # The signed bytes are sent unchanged, without encoding them a second time. The body is a long text, most of the
        # answer, and orjson encodes long texts fastest.
        rest = (orjson.dumps(posted.decode()), codec.encode(self.signer.signature(statement)))
        answer.set_data(b'{"statement":%b,"body":%b,"signature":%b}' % (statement, *rest))
        answer.content_type = SIGNED
        return answer


def _is_requested(environ: Mapping[str, Any]) -> bool:
    # Only a client that names this form gets it; most send no `Accept`, or accept anything.
    return "signed+json" in environ.get("HTTP_ACCEPT", "").lower()


def _is_preferred(environ: Mapping[str, Any]) -> bool:
    if environ.get("HTTP_ACCEPT") == SIGNED:
        return True
    if not _is_requested(environ):
        return False
    accepted = request.accept_mimetypes
    return accepted.quality(SIGNED) > 0 and accepted.quality(SIGNED) >= accepted.quality(JSON)
