"""The contract, held against the running service by generated requests, sound and broken ones, with every check on.

Requests are drawn without chance, so that every run makes the same ones. Every bound of every type is tried on the
look-ups and on the template, whose questions are posted, decoded and refused by the same code as all others; the
scenes of whole games have so many bounds that trying each takes minutes, so that a few requests are drawn for them.
"""

import schemathesis
from memory_jobs import MemoryJobs
from posting import GAMES, TEMPLATE

from api import create_app, wire
from api.settings import Settings

IMPOSSIBLE = wire.CODES.keys() - {"too-deep", "impossible", "more-faults"}
"""Codes that a body of the contract's form never has; how deep it may nest, JSON Schema cannot say."""

CONFIG = {
    # JSON Schema cannot say what is possible on a table either, so a body of the right form may still be refused.
    "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "404", "412", "422"]}},
    # QUERY is served beside POST, which OpenAPI 3.1 has no word for; where it is not served, other tests ask.
    "phases": {"coverage": {"unexpected-methods": ["get", "put", "post", "delete", "options", "patch", "trace"]}},
    "generation": {"max-examples": 10, "deterministic": True},
    "operations": [
        {"include-tag": name, "phases": {"coverage": {"enabled": False}}, "generation": {"max-examples": 2}}
        for name in GAMES
        if name != TEMPLATE.name
    ],
}

# Work is handed in and never done, so that nobody waits for it.
APP = create_app(Settings(log_level="error", rate_limits=False, path_budget=1_000, most_wait_s=0), GAMES, MemoryJobs())
contract = schemathesis.openapi.from_wsgi("/openapi.json", APP, config=schemathesis.Config.from_dict(CONFIG))


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
def test_the_service_keeps_its_contract(case: schemathesis.Case) -> None:
    case.call_and_validate()
