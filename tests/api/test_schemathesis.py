"""The contract, held against the running service by generated requests, sound and broken ones, with every check on.

Requests are drawn without chance, so that every run makes the same ones.
"""

import schemathesis
from hypothesis import settings
from posting import GAMES

from api import create_app, wire
from api.settings import Settings

IMPOSSIBLE = wire.CODES.keys() - {"too-deep", "impossible", "more-faults"}
"""Codes that a body of the contract's form never has; how deep it may nest, JSON Schema cannot say."""

ACCEPTED = {"expected-statuses": ["2xx", "404", "422"]}
"""JSON Schema cannot say what is possible on a table either, so a body of the right form may still be refused."""

APP = create_app(Settings(log_level="error", path_budget=1_000), GAMES)
CONFIG = schemathesis.Config.from_dict({"checks": {"positive_data_acceptance": ACCEPTED}})
contract = schemathesis.openapi.from_wsgi("/openapi.json", APP, config=CONFIG)


@schemathesis.check
def sound_form_is_not_called_malformed(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    sound = case.meta is not None and case.meta.generation.mode.is_positive
    if sound and response.status_code == 422 and "json" in response.headers["content-type"][0]:
        malformed = [fault for fault in response.json()["errors"] if fault["code"] in IMPOSSIBLE]
        # To JSON Schema 5.0 is a whole number, to this service it is not; no word of JSON Schema says so.
        assert not [fault for fault in malformed if not isinstance(fault["seen"], float)], malformed


@contract.parametrize()
@settings(max_examples=10, derandomize=True, deadline=None)
def test_the_service_keeps_its_contract(case: schemathesis.Case) -> None:
    case.call_and_validate()
