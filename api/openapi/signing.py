"""The part of the contract about signed rulings and committed dice; the pages they are checked with are look-ups."""

from typing import Any

from api.schemas import codec
from api.signing.envelope import SIGNED
from api.signing.keys import KEYS_PATH
from api.signing.statement import Signed

Schema = dict[str, Any]

KINDS = (Signed,)
"""The types of answers that no look-up gives."""

WORDS = f"""\
**Signed rulings.** `Accept: {SIGNED}` on a question asks for its ruling with an Ed25519 signature over canonical JSON
(RFC 8785) and the posted text. The public keys are at `{KEYS_PATH}`. Problems and jobs (202) are never signed, and a
service without a key signs nothing.

**Committed dice.** `"dice": {{"committed": {{"epoch": …, "client_seed": …, "nonce": …}}}}` has the seed made of what
the client says and of a secret whose hash was published before its epoch began (`/v1/epochs`); the secret is revealed
when the epoch is over. A nonce answers one question, choices that follow included, and what was chosen stays chosen."""


def signed_ruling() -> Schema:
    """Give the form of a signed ruling, beside the plain one."""
    return {SIGNED: {"schema": {"$ref": f"#/components/schemas/{codec.component_name(Signed)}"}}}
