"""The data to verify rulings with: the public keys of this service, and the epochs of its dice."""

from flask import Blueprint, Response

from api.openapi.operations import OF_EPOCHS, Operation
from api.problems.handlers import ProblemError, no_such
from api.quotas import costs
from api.quotas.limiter import charged
from api.schemas.responses import accept_json, json_response
from api.signing.epochs import LISTED, Epoch, EpochList
from api.signing.keys import KEYS_PATH, JwkSet
from api.web.services import services

KEYS_FRESH_S = 3_600
"""Seconds for which a client may cache the keys."""

pages = Blueprint("well_known", __name__)
pages.before_request(accept_json)


@pages.get(KEYS_PATH)
@Operation("signingKeys", JwkSet)
def keys() -> Response:
    """Give the public keys of this service as a JWK Set."""
    answer = json_response(JwkSet(()) if (signer := services().signing.signer) is None else signer.keys)
    answer.headers["Cache-Control"] = f"public, max-age={KEYS_FRESH_S}"
    return answer


@pages.get("/v1/epochs")
@Operation("epochs", EpochList, links=OF_EPOCHS)
@charged(costs.LOOKUP)
def list_epochs() -> Response:
    """List the epochs of committed dice: current, coming, and revealed."""
    epochs = services().commitments.epochs_to_publish()
    return json_response(EpochList(None, (), ()) if epochs is None else epochs.list_epochs())


@pages.get("/v1/epochs/<epoch>")
@Operation("epoch", Epoch)
@charged(costs.LOOKUP)
def one(epoch: str) -> Response:
    """Give one epoch, with its secret once it is revealed."""
    epochs = services().commitments.epochs_to_publish()
    if epochs is None:
        raise ProblemError("not-found", "This service commits to no dice, and so has no epochs.")
    if (found := epochs.find(epoch)) is None:
        near = epochs.list_epochs()
        names = [each.id for each in (near.current, *near.coming, *near.past[: LISTED // 2]) if each is not None]
        raise no_such("epoch", epoch, names)
    return json_response(found)
