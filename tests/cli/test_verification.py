"""Verifying: what the service signs holds, whatever is changed does not, and what cannot be checked is open."""

import json
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from api.schemas.canonical_json import canonical
from api.signing import epochs
from api.signing.epochs import Epoch
from api.signing.keys import Signer
from arbiter.dice import D6
from arbiter.dice_sources import SeededDice
from cli.signing_keys import known_keys
from cli.verification import Evidence, Step, verdict, verify
from tests.api.committing import BEGINS, EPOCH, KEY, LENGTH_S, Clock, committed, signed
from tests.api.committing import app as app
from tests.api.committing import client as client
from tests.api.committing import clock as clock
from tests.api.committing import redis as redis
from tests.api.posting import TEMPLATE, attack

GAMES = {TEMPLATE.name: TEMPLATE}
PAGE = Path(__file__).parents[2] / "docs" / "verifying.md"


@pytest.fixture
def given(client: FlaskClient, clock: Clock) -> Evidence:
    keys = known_keys(client.get("/.well-known/arbiter-keys.json").get_json())
    return Evidence(keys, lambda id_: msgspec.convert(client.get(f"/v1/epochs/{id_}").get_json(), Epoch), GAMES)


def outcomes(document: Any, given: Evidence) -> dict[str, str]:
    return {step.about: step.outcome for step in verify(document, given)}


def resigned(document: Any, **members: Any) -> Any:
    """Give the ruling with other members in its statement, signed with the service's own key: the service lies."""
    statement = {**document["statement"], **members}
    signer = Signer.of(KEY)
    assert signer is not None
    signature = msgspec.to_builtins(signer.signature(canonical(statement)))
    return {**document, "statement": statement, "signature": signature}


BODIES = [
    attack(),
    attack(policies={"*": "first"}),
    attack(dice={"seed": "s"}, policies={"*": "bold"}),
    attack(dice={"seed": 2**60}),
    attack(dice={"hand": {"to hit": [4, 3]}}),
    attack(dice={"hand": {"to hit": [4, 3, 6], "save": [5, 4]}}, choices={"dodge of bob": ["stand"]}),
    attack(dice={"seed": "s", "hand": {"to hit": [6, 6, 6]}}, readings={"natural-one": "counts"}),
    {"case": {**attack()["case"], "target": "ann"}},
    committed(1),
    committed(2, policies={"*": "first"}),
    committed(3, dice={"hand": {"to hit": [6, 6, 6]}}, policies={"*": "bold"}),
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_whatever_is_signed_holds_once_its_epoch_is_revealed(
    client: FlaskClient, clock: Clock, given: Evidence, body: Any
) -> None:
    document = signed(client, body)
    found = outcomes(document, given)
    assert found.pop("epoch", "open") == "open"
    assert set(found.values()) == {"holds"}
    clock.now = BEGINS + LENGTH_S * 1.1
    steps = list(verify(document, given))
    assert verdict(steps) == "holds", steps
    assert ("epoch" in found or "epoch" in {step.about for step in steps}) == ("committed" in body.get("dice", {}))


def test_a_replayed_ruling_holds_too(client: FlaskClient, given: Evidence) -> None:
    made = signed(client, attack(dice={"seed": 7}, policies={"*": "first"}))["statement"]["ruling"]
    dice = {"seed": made["seed"], "throws": made["throws"]}
    again = signed(client, attack(dice=dice, policies={"*": "first"}))
    assert set(outcomes(again, given).values()) == {"holds"}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if not inner:
        yield path
    for name, part in inner:
        yield from leaves(part, (*path, name))


def changed(document: Any, path: tuple[Any, ...]) -> Any:
    other = deepcopy(document)
    where = other
    for name in path[:-1]:
        where = where[name]
    value = where[path[-1]]
    match value:
        case bool():
            where[path[-1]] = not value
        case int() | float():
            where[path[-1]] = value + 1
        case str():
            where[path[-1]] = value[:-1] + ("a" if value[-1:] != "a" else "b")
        case _:
            where[path[-1]] = "something"
    return other


def test_whatever_is_changed_does_not_hold(client: FlaskClient, clock: Clock, given: Evidence) -> None:
    document = signed(client, committed(10, policies={"*": "first"}))
    clock.now = BEGINS + LENGTH_S * 1.1
    told = given._replace(epoch={EPOCH: msgspec.convert(client.get(f"/v1/epochs/{EPOCH}").get_json(), Epoch)}.get)
    assert set(outcomes(document, told).values()) == {"holds"}
    paths = list(leaves(document))
    assert len(paths) > 60
    for path in paths:
        steps = list(verify(changed(document, path), told))
        assert verdict(steps) == "fails", path


def test_whatever_is_added_or_left_out_does_not_hold(client: FlaskClient, given: Evidence) -> None:
    document = signed(client, attack(dice={"seed": "s"}, policies={"*": "first"}))
    for member in ("statement", "body", "signature"):
        assert outcomes({name: part for name, part in document.items() if name != member}, given) == {"form": "fails"}
    for other in ({**document, "extra": 1}, [], None, "x", 5):
        assert outcomes(other, given) == {"form": "fails"}
    ruling = document["statement"]["ruling"]
    more = resigned(document, ruling={**ruling, "throws": [*ruling["throws"], ruling["throws"][0]]})
    assert outcomes(more, given)["ruling"] == "fails"
    assert outcomes({**document, "statement": more["statement"]}, given)["signature"] == "fails"


def test_a_service_that_lies_is_found_out(client: FlaskClient, clock: Clock, given: Evidence) -> None:
    document = signed(client, committed(20, policies={"*": "first"}))
    clock.now = BEGINS + LENGTH_S * 1.1
    ruling = document["statement"]["ruling"]
    other_face = deepcopy(ruling)
    other_face["throws"][0]["face"] = other_face["throws"][0]["face"] % 6 + 1
    assert outcomes(resigned(document, ruling=other_face), given)["ruling"] == "fails"
    other_answer = {**ruling, "allowed": False}
    assert outcomes(resigned(document, ruling=other_answer), given)["ruling"] == "fails"
    # A seed that it likes better, with a ruling that follows from it.
    own = signed(client, attack(dice={"seed": "f" * 64}, policies={"*": "first"}))["statement"]["ruling"]
    found = outcomes(resigned(document, ruling=own), given)
    assert (found["signature"], found["epoch"]) == ("holds", "fails")
    # Another commitment, another time, and dice whose origin is not what was posted.
    dice = {"origin": "committed", "commitment": "0" * 64}
    assert outcomes(resigned(document, dice=dice), given)["epoch"] == "fails"
    for made in ("2026-05-28T20:26:39Z", "2026-05-28T20:45:01Z"):
        assert outcomes(resigned(document, made=made), given)["epoch"] == "fails"
    assert outcomes(resigned(document, dice={"origin": "service"}), given)["dice"] == "fails"
    assert outcomes(resigned(document, version="arbiter-ruling/2"), given) == {"form": "fails"}


def test_a_secret_that_was_exchanged_is_found_out(client: FlaskClient, clock: Clock, given: Evidence) -> None:
    document = signed(client, committed(30))
    clock.now = BEGINS + LENGTH_S * 1.1
    true = msgspec.convert(client.get(f"/v1/epochs/{EPOCH}").get_json(), Epoch)
    for secret in ("0" * 64, "no hex", ""):
        told = msgspec.structs.replace(true, secret=secret)
        assert outcomes(document, given._replace(epoch={EPOCH: told}.get))["epoch"] == "fails"


def test_what_cannot_be_checked_is_open(client: FlaskClient, given: Evidence) -> None:
    document = signed(client, committed(40))
    assert outcomes(document, given._replace(keys=None))["signature"] == "open"
    assert outcomes(document, given._replace(keys={}))["signature"] == "fails"
    assert outcomes(document, given._replace(epoch=None))["epoch"] == "open"
    assert outcomes(document, given._replace(games={}))["ruling"] == "open"
    for member in ("edition", "engine"):
        other = resigned(document, ruling={**document["statement"]["ruling"], member: "another"})
        found = outcomes(other, given)
        assert (found["signature"], found["ruling"]) == ("holds", "open")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"case": 5}',
        '{"case": {}, "dice": 5}',
        '{"case": {}, "dice": {"committed": 5}}',
        '{"case": {}, "dice": {"committed": {"epoch": "x", "client_seed": "s", "nonce": 0}}}',
        '{"case": {}, "readings": []}',
        '{"case": {}}',
        '{"case": {"scene": {}}, "dice": {"seed": 1}}',
    ],
)
def test_a_text_that_asks_nothing_does_not_hold_whoever_signs_it(
    client: FlaskClient, given: Evidence, text: str
) -> None:
    document = resigned(signed(client, attack()), body_sha256=sha256(text.encode()).hexdigest())
    steps = list(verify({**document, "body": text}, given))
    assert verdict(steps) == "fails", steps


def test_the_sum_is_as_bad_as_the_worst_step() -> None:
    steps = [Step("form", "holds", ""), Step("dice", "open", ""), Step("ruling", "fails", "")]
    assert [verdict(steps[:count]) for count in (1, 2, 3)] == ["holds", "open", "fails"]


def test_the_vector_of_the_page_is_ours() -> None:
    """It was computed by Node alone."""
    (block,) = PAGE.read_text(encoding="utf-8").split("```json\n")[1:]
    vector = json.loads(block.partition("```")[0])
    signer = Signer.of(vector["private"])
    assert signer is not None
    assert (signer.kid, signer.keys.keys[0].x) == (vector["kid"], vector["public"])
    secret, body = bytes.fromhex(vector["secret"]), json.loads(vector["body"])
    assert sha256(secret).hexdigest() == vector["commitment"]
    asked = epochs.subject(vector["game"], vector["question"], body)
    assert asked.decode() == vector["asked"]
    assert epochs.seed(secret, asked) == vector["seed"]
    assert [SeededDice(vector["seed"]).draw(D6, "save", index) for index in range(5)] == vector["faces"]
    statement = json.loads(vector["statement"])
    assert statement["body_sha256"] == sha256(vector["body"].encode()).hexdigest()
    assert canonical(statement).decode() == vector["statement"]
    assert signer.signature(canonical(statement)).value == vector["signature"]
