"""Signing: the standard's own vectors, what is signed and in which form, and who is given it."""

import base64
import json
from hashlib import sha256
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.settings import Settings
from api.signing.keys import NoKey, Signer, decode_base64url, encode_base64url
from cli.signing_keys import fresh_secret, is_signed, known_keys, public_of
from infra.settings import WrongSettings
from tests.api.committing import KEY, SIGNED, committed, settings, signed
from tests.api.committing import app as app
from tests.api.committing import client as client
from tests.api.committing import clock as clock
from tests.api.committing import redis as redis
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, MOVES, TEMPLATE, ask, attack, problem

# RFC 8037, appendix A.1 to A.4: the key, its thumbprint, and a signature over the input of a JWS.
X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
THUMBPRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
INPUT = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
SIGNATURE = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"


def test_keys_thumbprints_and_signatures_are_those_of_the_standard() -> None:
    signer = Signer.of(KEY)
    assert signer is not None
    assert (signer.keys.keys[0].x, signer.kid) == (X, THUMBPRINT)
    assert signer.signature(INPUT).value == SIGNATURE
    assert is_signed(INPUT, signer.signature(INPUT), decode_base64url(X))
    assert public_of(KEY) == X


@given(st.binary(max_size=80), st.integers(0, 511))
def test_a_signature_holds_for_one_text_and_in_one_writing(text: bytes, bit: int) -> None:
    signer = Signer(b"\x01" * 32)
    public = decode_base64url(signer.keys.keys[0].x)
    made = signer.signature(text)
    assert is_signed(text, made, public)
    assert not is_signed(text + b"\0", made, public)
    assert not is_signed(text, made, decode_base64url(X))
    raw = bytearray(base64.urlsafe_b64decode(made.value + "=="))
    raw[bit // 8] ^= 1 << bit % 8
    assert not is_signed(text, type(made)("Ed25519", made.key, encode_base64url(bytes(raw))), public)


@pytest.mark.parametrize("value", ["", "A", SIGNATURE + "A", SIGNATURE[:-1] + "h", SIGNATURE + "==", "ä" * 86, " "])
def test_what_is_no_signature_does_not_hold(value: str) -> None:
    """The last 4 bits of the last character say nothing: g, h, … would all be read alike by a careless reader."""
    signer = Signer.of(KEY)
    assert signer is not None
    made = signer.signature(INPUT)
    assert not is_signed(INPUT, type(made)("Ed25519", made.key, value), decode_base64url(X))


@pytest.mark.parametrize("text", ["", "A" * 42, "A" * 44, "A" * 42 + "B", "A" * 42 + "!", "ä" * 43])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(NoKey):
        decode_base64url(text)


def test_a_key_may_be_written_in_either_alphabet() -> None:
    data = bytes(range(224, 256))
    assert decode_base64url(base64.b64encode(data).decode()) == data == decode_base64url(encode_base64url(data))
    assert len({fresh_secret() for _ in range(20)}) == 20


def test_keys_are_known_by_the_thumbprint_that_they_have_and_not_the_one_they_claim() -> None:
    published = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": X, "kid": "another"}, {"kty": "RSA", "n": "…"}, 5]}
    assert known_keys(published) == {THUMBPRINT: decode_base64url(X)}
    for wrong in ({}, {"keys": 5}, [], None, {"keys": [{"kty": "OKP", "crv": "Ed25519"}]}):
        with pytest.raises(NoKey):
            known_keys(wrong)


def test_keys_are_published_with_those_that_signed_before(clock: Any) -> None:
    before = public_of(fresh_secret())
    app = create_app(settings(signing_keys_before=(before, X)), {TEMPLATE.name: TEMPLATE}, MemoryJobs())
    answer = app.test_client().get("/.well-known/arbiter-keys.json")
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    keys = answer.get_json()["keys"]
    assert [key["x"] for key in keys] == [X, before], "the one that signs first, and none of them twice"
    assert keys[0] == {"kty": "OKP", "crv": "Ed25519", "x": X, "kid": THUMBPRINT, "use": "sig", "alg": "Ed25519"}
    assert b'"d"' not in answer.data
    assert KEY.encode() not in answer.data


def test_a_secret_is_never_shown() -> None:
    said = repr(settings())
    assert KEY not in said
    assert settings().epoch_secret not in said
    for name in ("ARBITER_SIGNING_KEY", "ARBITER_EPOCH_SECRET"):
        with pytest.raises(WrongSettings) as caught:
            Settings.from_environment({name: "too short to be a secret"})
        assert name in str(caught.value)
        assert "too short" not in str(caught.value)


def test_the_signature_is_over_the_canonical_statement(client: FlaskClient) -> None:
    text = json.dumps(attack(dice={"seed": "s"}), indent=3).encode()
    told = signed(client, text)
    assert told.keys() == {"statement", "body", "signature"}
    statement, made = told["statement"], told["signature"]
    assert statement.keys() == {"version", "body_sha256", "dice", "made", "ruling"}
    assert (statement["version"], statement["made"]) == ("arbiter-ruling/1", "2026-05-28T20:26:50Z")
    assert told["body"] == text.decode(), "what was posted, to the letter"
    assert statement["body_sha256"] == sha256(text).hexdigest()
    assert (made["alg"], made["key"]) == ("Ed25519", THUMBPRINT)
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(X + "="))
    public.verify(base64.urlsafe_b64decode(made["value"] + "=="), rfc8785.dumps(statement))
    plain = ask(client, ATTACK, text)
    assert plain.content_type == "application/json"
    assert statement["ruling"] == plain.get_json(), "the very ruling that is given without a signature"


@pytest.mark.parametrize(
    ("dice", "origin"),
    [
        ({}, "service"),
        ({"dice": {}}, "service"),
        ({"dice": {"seed": None}}, "service"),
        ({"dice": {"seed": 0}}, "caller"),
        ({"dice": {"hand": {}}}, "caller"),
        ({"dice": {"throws": []}}, "caller"),
    ],
)
def test_the_statement_says_whose_the_dice_were(client: FlaskClient, dice: Any, origin: str) -> None:
    assert signed(client, attack(**dice))["statement"]["dice"] == {"origin": origin, "commitment": None}


def test_dice_that_are_named_with_an_escape_are_still_the_callers(client: FlaskClient) -> None:
    text = json.dumps(attack(dice={"seed": "s"})).replace('"dice"', '"\\u0064ice"').encode()
    assert signed(client, text)["statement"]["dice"]["origin"] == "caller"


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        (SIGNED["Accept"], SIGNED["Accept"]),
        ("APPLICATION/VND.ARBITER.SIGNED+JSON", SIGNED["Accept"]),
        (f"{SIGNED['Accept']}, application/json", SIGNED["Accept"]),
        (f"{SIGNED['Accept']}, */*;q=0.1", SIGNED["Accept"]),
        (f"{SIGNED['Accept']};q=0.5, application/json", "application/json"),
        (f"{SIGNED['Accept']};q=0, application/json", "application/json"),
    ],
)
def test_who_names_the_signed_form_is_given_it(client: FlaskClient, accept: str | None, form: str) -> None:
    answer = ask(client, ATTACK, attack(), headers={} if accept is None else {"Accept": accept})
    assert (answer.status_code, answer.content_type) == (200, form)
    assert "Accept" in answer.headers["Vary"].split(", ")


def test_what_takes_no_form_there_is_is_refused(client: FlaskClient) -> None:
    for accept in ("text/html", f"{SIGNED['Accept']};q=0"):
        problem(ask(client, ATTACK, attack(), headers={"Accept": accept}), 406, "not-acceptable")


def test_a_service_without_a_key_says_so_and_publishes_none(clock: Any) -> None:
    client = create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE}).test_client()
    problem(ask(client, ATTACK, attack(), headers=SIGNED), 406, "no-signatures")
    both = ask(client, ATTACK, attack(), headers={"Accept": f"{SIGNED['Accept']}, application/json;q=0.1"})
    assert (both.status_code, both.content_type) == (200, "application/json")
    assert client.get("/.well-known/arbiter-keys.json").get_json() == {"keys": []}


def test_problems_and_jobs_are_not_signed_but_what_was_waited_for_is(clock: Any) -> None:
    jobs = MemoryJobs(prompt=True)
    client = create_app(settings(), {TEMPLATE.name: TEMPLATE}, jobs).test_client()
    problem(ask(client, ATTACK, attack(dice={"seed": ""}), headers=SIGNED), 422, "invalid")
    taken = ask(client, ATTACK, attack(), headers={**SIGNED, "Prefer": "respond-async"})
    assert (taken.status_code, taken.content_type) == (202, "application/json")
    body = attack(dice={"seed": "s"}, callback={"url": "https://93.184.216.34/hidden"})
    waited = ask(client, ATTACK, body, headers={**SIGNED, "Prefer": "respond-async, wait=5"})
    assert (waited.status_code, waited.content_type) == (200, SIGNED["Accept"]), waited.data
    assert b"hidden" not in waited.data, "whoever the ruling is shown to need not know whom else it was told"


def test_what_has_no_canonical_form_is_not_signed(client: FlaskClient) -> None:
    whole = 2**53
    told = signed(client, attack(dice={"seed": whole}))
    assert told["statement"]["ruling"]["seed"] in (str(whole), None), "the body is text, and a seed is one in a ruling"
    assert json.loads(told["body"])["dice"]["seed"] == whole


def test_questions_without_dice_are_signed_too(client: FlaskClient) -> None:
    body = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
    answer = ask(client, MOVES, body, headers=SIGNED)
    assert answer.content_type == SIGNED["Accept"]
    assert answer.get_json(force=True)["statement"]["ruling"]["answer"]["hexes"]


def test_every_origin_may_read_it(app: Flask, client: FlaskClient) -> None:
    answer = ask(client, ATTACK, committed(1), headers={**SIGNED, "Origin": "https://vtt.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
