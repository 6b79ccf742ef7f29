"""The contract, held against the running service by generated requests, sound and broken ones, with every check on.

Requests are drawn without chance, so that every run makes the same ones. Every bound of every type is tried on the
look-ups and on the template, whose questions are posted, decoded and refused by the same code as all others. The scenes
of whole games have so many bounds that trying each takes minutes: of those games one question is tried, with its worked
example and a broken request. The worked example of every question is compared with the contract elsewhere.
"""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.generation.hypothesis.builder import (
    InvalidHeadersExampleMark,
    MissingPathParameters,
    UnserializablePayloadMark,
)
from schemathesis.pytest.lazy import get_all_tests

from api import create_app
from api.resources import job_events
from api.schemas.canonical_json import canonical
from api.settings import Settings
from arbiter.sources.catalogue import catalogue_of
from tests.api.codes import CODES
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import GAMES, TEMPLATE
from tests.api.written import CONTRACT
from tests.effort import cases

IMPOSSIBLE = CODES.keys() - {"too-deep", "impossible", "more-faults"}
"""Codes that a body of the contract's form never has; how deep it may nest, JSON Schema cannot say."""

OTHERS = {
    name: next(each for each, question in game.questions.items() if question.dice)
    for name, game in GAMES.items()
    if name != TEMPLATE.name
}
"""The question of each game but the template that is tried."""

CONFIG = {
    # JSON Schema cannot say what is possible on a table either, so a body of the right form may still be refused.
    "checks": {
        "positive_data_acceptance": {"expected-statuses": ["2xx", "304", "404", "412", "422"]},
        # An answer that the client has is found by the body alone, before the headers of jobs are read.
        "negative_data_rejection": {"expected-statuses": ["400", "404", "405", "406", "412", "415", "422"]},
    },
    # QUERY is served beside POST, which OpenAPI 3.1 has no word for: it may neither be tried as a method that is not
    # served, nor may OPTIONS be, whose answer names it. Other tests ask for both.
    "phases": {"coverage": {"unexpected-methods": ["get", "put", "post", "delete", "patch", "trace"]}},
    "generation": {"max-examples": cases(10, 3), "deterministic": True},
    # How long a draw takes depends on what else the machine does.
    "suppress-health-check": ["too_slow"],
    "operations": [
        {"include-tag": name, "phases": {"coverage": {"enabled": False}}, "generation": {"max-examples": 2}}
        for name in OTHERS
    ]
    # The template path of short forms stands beside the paths of questions, which are posted; few have a short form.
    + [
        {
            "include-operation-id": "shortForm",
            "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "404", "405", "422"]}},
            "phases": {"coverage": {"unexpected-methods": ["put", "delete", "patch"]}},
        }
    ],
}

# Work is handed in and never done, so that nobody waits for it.
APP = create_app(
    Settings(log_level="error", rate_limits=False, path_budget=300, most_wait_s=0, epoch_secret="A" * 43),
    GAMES,
    MemoryJobs(),
)


def unpacked(app: Callable[..., Any]) -> Callable[..., Any]:
    """Give an app as it answers clients that take no gzip: the program's client of WSGI does not unpack."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        return app(environ, start_response)

    return answer


APP.wsgi_app = unpacked(APP.wsgi_app)  # type: ignore[method-assign]  # Flask's own way to wrap an app


def tried(path: str) -> bool:
    """Decide whether a path is tried: of whole games not all are."""
    found = re.fullmatch(r"/v1/games/([^/{]+)/([^/]+)(/.*)?", path)
    of_game = {OTHERS[found[1]], "boards"} if found and found[1] in OTHERS else {"attack", "{question}"}
    return found is None or found[2] in of_game


def example(game: str, question: str) -> Any:
    """Give the body of a worked example."""
    return catalogue_of(GAMES[game]).examples[question][0].ready_body()


def document() -> dict[str, Any]:
    """Give the contract of what is tried, with worked examples; reading the rest takes its time, too."""
    found: dict[str, Any] = json.loads(CONTRACT.as_json)
    found["paths"] = {path: item for path, item in found["paths"].items() if tried(path)}
    for game, question in {**OTHERS, TEMPLATE.name: "attack"}.items():
        body = found["paths"][f"/v1/games/{game}/{question}"]["post"]["requestBody"]["content"]["application/json"]
        body["example"] = example(game, question)
    return found


PASSED_OVER = (InvalidHeadersExampleMark, MissingPathParameters, UnserializablePayloadMark)
"""What the program notes of an operation of which it has left something out."""


@schemathesis.check
def sound_form_is_not_called_malformed(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    sound = case.meta is not None and case.meta.generation.mode.is_positive
    # Odds and simulations have one envelope for all questions, in which the case is open.
    sound = sound and not case.path.endswith(("/odds", "/simulations"))
    if sound and response.status_code == 422 and "json" in response.headers["content-type"][0]:
        malformed = [fault for fault in response.json()["errors"] if fault["code"] in IMPOSSIBLE]
        # To JSON Schema 5.0 is a whole number, to this service it is not; no word of JSON Schema says so.
        assert not [fault for fault in malformed if not isinstance(fault["seen"], float)], malformed


def call(case: schemathesis.Case) -> None:
    case.call_and_validate()


def test_the_service_keeps_its_contract() -> None:
    """Every operation is tried, and every failure names its path.

    The program would make a test of each as soon as this file is read, by every process that reads it, and that takes
    longer than finding all other tests.
    """
    contract = schemathesis.openapi.from_dict(document(), config=schemathesis.Config.from_dict(CONFIG))
    contract.app = APP
    broken = []
    for made in get_all_tests(schema=contract, test_func=call, settings=None, given_kwargs=None):
        operation, test = made.ok()
        try:
            test()
            assert not [mark for mark in PASSED_OVER if mark.is_set(test)]
        except (Exception, BaseExceptionGroup) as fault:
            fault.add_note(f"in {operation.label}")
            broken.append(fault)
    if broken:
        raise BaseExceptionGroup(f"{len(broken)} operations", broken)


def linked() -> dict[str, Any]:
    """Give the part of the contract whose answers lead on to one another, with what is possible said more narrowly.

    What is posted are worked examples, for chance hardly ever finds a body that is answered, and so leads on.
    """
    found = document()
    part = re.compile(rf"/v1/(jobs|rulings|epochs|games/({TEMPLATE.name}/(attack|.*/simulations)|[^/]+/boards/))")
    found["paths"] = {path: item for path, item in found["paths"].items() if part.match(path)}
    simulated = {"case": example(TEMPLATE.name, "attack")["case"], "count": 10}
    for path, item in found["paths"].items():
        for operation in (each for each in item.values() if "requestBody" in each):
            content = operation["requestBody"]["content"]["application/json"]
            body = simulated if path.endswith("/simulations") else content.get("example")
            if path.endswith("/boards/{digest}"):
                scenes = (
                    each.case.get("scene", {})
                    for examples in catalogue_of(GAMES[path.split("/")[3]]).examples.values()
                    for each in examples
                )
                body = next(scene["board"] for scene in scenes if "board" in scene)
                for one in operation["parameters"]:
                    if one.get("name") == "digest":
                        one["schema"] = {"enum": [sha256(canonical(body)).hexdigest()]}
            content["schema"] = {"enum": [body]}
            for one in operation["parameters"]:
                if one.get("name") == "question":
                    one["schema"] = {"enum": ["attack"]}
    found["components"]["parameters"]["Prefer"]["schema"] = {"enum": ["respond-async", "wait=1"]}
    # To OpenAPI 3.1 a stream of events is one text; the program would hold each event against that.
    for item in found["paths"].values():
        item.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).pop("text/event-stream", None)
    # OpenAPI has no expression for a part of a value; the program that follows links here has one.
    digest = "$response.header.Content-Location#regex:/v1/rulings/(.+)"
    found["components"]["links"]["Permalink"]["parameters"] = {"digest": digest}
    return found


# A job that is never done has no result yet, and one that was dismissed never will.
SOUND = {
    "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "304", "404", "409", "410", "412"]}},
    "generation": {"mode": "positive", "deterministic": True},
}


def test_the_links_lead_on_and_the_service_keeps_its_contract_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are handed in, and looked at, listed, followed and dismissed by the links that the contract names; rulings
    are asked for again by their permalinks, boards by their digests, and epochs by their ids."""
    chain = schemathesis.openapi.from_dict(linked(), config=schemathesis.Config.from_dict(SOUND))
    chain.app = APP
    seen: set[tuple[str, str, int]] = set()

    class Chain(chain.as_state_machine()):
        def before_call(self, case: schemathesis.Case) -> None:
            # A key that a walk repeats with another body is refused, and rightly.
            case.headers.pop("Idempotency-Key", None)

        def after_call(self, response: schemathesis.Response, case: schemathesis.Case) -> None:
            seen.add((case.method, case.path, response.status_code))

    # The events of a job that is never done would be waited for as long as the program that reads them has patience.
    monkeypatch.setattr(job_events, "LONGEST_S", 0.1)
    settings_of_the_walk = settings(
        max_examples=24,
        stateful_step_count=6,
        derandomize=True,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Chain, settings=settings_of_the_walk)
    job = "/v1/jobs/{job}"
    assert {
        ("GET", job, 200),
        ("DELETE", job, 200),
        ("GET", f"{job}/events", 200),
        ("GET", "/v1/rulings/{digest}", 200),
        ("GET", "/v1/epochs/{epoch}", 200),
    } <= seen
