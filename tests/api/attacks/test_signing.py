"""Attacks on signatures and committed dice: forms that smuggle, nonces used twice, other epochs, others' keys."""

import json
from typing import Any

import pytest
import rfc8785
from flask.testing import FlaskClient

from api.signing.keys import Signer
from cli.signing_keys import known_keys
from cli.verification import Evidence, verify
from tests.api.committing import EPOCH, KEY, SIGNED, committed, signed
from tests.api.committing import app as app
from tests.api.committing import client as client
from tests.api.committing import clock as clock
from tests.api.committing import redis as redis
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, codes, problem

GAME = {TEMPLATE.name: TEMPLATE}
SETTLED = attack(dice={"seed": 7}, policies={"*": "first"})
OTHERS = ("1000-1780001", "1000-1779999", "1000-0", "1001-1780000", "1000-01780000", "1000--1", EPOCH + " ")


def test_dice_are_not_committed_in_a_batch_nor_in_odds(client: FlaskClient) -> None:
    query = {"game": TEMPLATE.name, "question": "attack", **committed(1)}
    (told,) = ask(client, "/v1/batch", {"queries": [query]}).get_json()["answers"]
    status, body = told["status"], told["body"]
    assert (status, body["errors"][0]["code"]) == (422, "not-settled")
    problem(ask(client, f"{ATTACK}/odds", committed(1)), 422, "invalid")
    # And the nonce is not used up by it.
    assert ask(client, ATTACK, committed(1)).status_code == 200


def test_a_nonce_is_used_up_for_everybody_whatever_form_or_method_they_ask_in(client: FlaskClient) -> None:
    first = ask(client, ATTACK, committed(2))
    assert first.status_code == 200
    other = committed(2, readings={"natural-one": "counts"})
    for more in (
        {},
        {"headers": SIGNED},
        {"headers": {"X-Forwarded-For": "203.0.113.9"}},
        {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}},
        {"headers": {"Idempotency-Key": "k"}},
    ):
        problem(ask(client, ATTACK, other, **more), 409, "nonce-used")
    asked = client.open(ATTACK, method="QUERY", json=other)
    problem(asked, 409, "nonce-used")
    assert ask(client, ATTACK, committed(2)).get_json() == first.get_json()


@pytest.mark.parametrize("epoch", OTHERS)
def test_dice_of_another_epoch_are_not_to_be_had(client: FlaskClient, epoch: str) -> None:
    told = problem(ask(client, ATTACK, committed(3, epoch=epoch)), 422, "invalid")
    assert set(codes(told)) == {"/dice/committed/epoch"}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json, application/vnd.arbiter.signed+json;q=0", "application/json"),
        ("application/json, application/vnd.arbiter.signed+json;q=0.5", "application/json"),
        ("application/vnd.arbiter.signed+json;q=0.0, */*", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html, application/vnd.arbiter.signed+json", "application/vnd.arbiter.signed+json"),
        ("APPLICATION/VND.ARBITER.SIGNED+JSON", "application/vnd.arbiter.signed+json"),
    ],
)
def test_only_who_prefers_the_signed_form_is_given_it(client: FlaskClient, accept: str, kind: str) -> None:
    answer = ask(client, ATTACK, SETTLED, headers={"Accept": accept})
    assert (answer.status_code, answer.content_type) == (200, kind)
    assert {"Accept"} <= {each.strip() for each in answer.headers["Vary"].split(",")}


def test_a_form_that_names_the_signed_one_in_passing_is_neither(client: FlaskClient) -> None:
    smuggled = {"Accept": 'application/json;x="application/vnd.arbiter.signed+json"'}
    problem(ask(client, ATTACK, SETTLED, headers=smuggled), 406, "not-acceptable")


def test_a_ruling_of_another_services_key_is_not_ours(client: FlaskClient) -> None:
    ours = known_keys(client.get("/.well-known/arbiter-keys.json").get_json())
    document = signed(client, SETTLED)
    stranger = Signer.of("c3RyYW5nZXItc3RyYW5nZXItc3RyYW5nZXItMzIteHg")
    assert stranger is not None
    theirs = stranger.signature(rfc8785.dumps(document["statement"]))
    told = document["signature"]
    forged = (
        {**told, "key": theirs.key, "value": theirs.value},
        {**told, "value": theirs.value},
        {**told, "key": theirs.key},
    )

    def signature(document: Any) -> str:
        return next(verify(document, Evidence(ours, lambda id_: None, GAME))).outcome

    assert signature(document) == "holds"
    for each in forged:
        assert signature({**document, "signature": each}) != "holds"
    assert KEY not in json.dumps(document)
