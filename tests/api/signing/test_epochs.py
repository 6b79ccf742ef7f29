"""Epochs and committed dice: what is published when, what a nonce is good for, and that nobody can choose.

Ann, a gunner, shoots three times and hits on 4; Bob may stand or dodge where any shot hits.
"""

import hashlib
import hmac
import json
from typing import Any

import pytest
import rfc8785
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.settings import Settings
from api.signing import epochs
from api.signing.epochs import Epochs, Span
from api.signing.keys import decode_base64url
from tests.api.committing import BEGINS, EPOCH, KEY, LENGTH_S, SECRET, Clock, committed, settings, signed
from tests.api.committing import app as app
from tests.api.committing import client as client
from tests.api.committing import clock as clock
from tests.api.committing import redis as redis
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, BATTLE, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem
from tests.workers.service import Server

DELAY_S = LENGTH_S // 10
DODGE = "dodge of bob"
AT_EPOCH = "/dice/committed/epoch"


def ruling(client: FlaskClient, body: Any, path: str = ATTACK, **more: Any) -> Any:
    answer = ask(client, path, body, **more)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


def test_commitments_come_before_their_epoch_and_secrets_after_it(client: FlaskClient, clock: Clock) -> None:
    listed = client.get("/v1/epochs").get_json()
    assert listed["current"]["id"] == EPOCH
    assert (listed["current"]["begins"], listed["current"]["ends"]) == ("2026-05-28T20:26:40Z", "2026-05-28T20:43:20Z")
    assert listed["current"]["reveals"] == "2026-05-28T20:45:00Z"
    assert [each["id"] for each in listed["coming"]] == [f"{LENGTH_S}-1780001", f"{LENGTH_S}-1780002"]
    assert [each["id"] for each in listed["past"]] == [f"{LENGTH_S}-{1780000 - back}" for back in range(1, 15)]
    # Ten seconds after its end the last epoch is not revealed yet, the one before it is.
    secrets = [listed["current"], *listed["coming"], *listed["past"][:1]]
    assert [each["secret"] for each in secrets] == [None] * 4
    for each in listed["past"][1:]:
        assert hashlib.sha256(bytes.fromhex(each["secret"])).hexdigest() == each["commitment"]
    known = {each["id"]: each["commitment"] for each in (listed["current"], *listed["coming"])}
    assert len(set(known.values())) == 3
    for id_, commitment in known.items():
        number = int(id_.partition("-")[2])
        clock.now = (number + 1) * LENGTH_S + DELAY_S - 0.001
        assert client.get(f"/v1/epochs/{id_}").get_json()["secret"] is None
        clock.now += 0.001
        told = client.get(f"/v1/epochs/{id_}").get_json()
        assert told["commitment"] == commitment == hashlib.sha256(bytes.fromhex(told["secret"])).hexdigest()


def test_a_secret_that_was_published_counts_no_more_when_the_clock_is_set_back(
    client: FlaskClient, clock: Clock
) -> None:
    ruling(client, committed(1))
    before, clock.now = clock.now, BEGINS + LENGTH_S + DELAY_S + 1.0
    assert client.get(f"/v1/epochs/{EPOCH}").get_json()["secret"] is not None
    clock.now = before
    for nonce in (1, 2):
        refused = ask(client, ATTACK, committed(nonce))
        assert codes(problem(refused, 422, "invalid")) == {AT_EPOCH: "not-this-epoch"}
    # The next one is good for dice as ever.
    clock.now = BEGINS + LENGTH_S + 1.0
    ruling(client, committed(3, epoch=f"{LENGTH_S}-1780001"))


@given(st.integers(0, 4_000_000_000), st.sampled_from([10, 11, 60, 86_400, 2_592_000]))
def test_no_secret_is_told_while_dice_are_drawn(at: int, length: int) -> None:
    known = Epochs(b"\x01" * 32, length)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(epochs, "now", lambda: float(at))
        current = known.current()
        assert current.begins <= at < current.ends
        for number in range(max(0, current.number - 2), current.number + 4):
            span = Span(length, number)
            told = known.publish(span)
            assert span.ends < span.closes < span.reveals
            assert (told.secret is None) == (at < span.reveals)
            assert known.find(span.id) == (told if number <= current.number + 2 else None)


def test_secrets_depend_on_master_length_and_number_and_on_nothing_else() -> None:
    spans = [Span(length, number) for length in (10, 100) for number in (0, 1, 10)]
    found = {Epochs(bytes([master]) * 32, 10).secret(span) for master in (1, 2) for span in spans}
    assert len(found) == 12
    span = Span(86_400, 20_000)
    expected = hmac.new(b"\x07" * 32, b"arbiter-epoch/86400-20000", "sha256").digest()
    # The length of today has no part in the secret of an epoch that had another.
    assert Epochs(b"\x07" * 32, 10).secret(span) == Epochs(b"\x07" * 32, 86_400).secret(span) == expected


@pytest.mark.parametrize(
    "id_", ["x", "-1", "1000", "1000--1", "01000-5", "1000-1780003", "1000-05", "86400-1" + "0" * 20]
)
def test_what_names_no_published_epoch_is_not_found(client: FlaskClient, id_: str) -> None:
    problem(client.get(f"/v1/epochs/{id_}"), 404, "not-found")


def test_an_epoch_of_another_length_is_told_once_it_is_revealed(client: FlaskClient) -> None:
    number = BEGINS // 86_400
    problem(client.get(f"/v1/epochs/86400-{number}"), 404, "not-found")
    assert client.get(f"/v1/epochs/86400-{number - 1}").get_json()["secret"]


def test_the_seed_follows_from_secret_client_and_question(client: FlaskClient, clock: Clock) -> None:
    body = committed(7, readings={"natural-one": "counts"}, policies={"*": "first"})
    made = ruling(client, body)
    commitment = signed(client, body)["statement"]["dice"]
    assert commitment["origin"] == "committed"
    clock.now = BEGINS + LENGTH_S + DELAY_S
    secret = bytes.fromhex(client.get(f"/v1/epochs/{EPOCH}").get_json()["secret"])
    assert hashlib.sha256(secret).hexdigest() == commitment["commitment"]
    asked = {
        "game": TEMPLATE.name,
        "question": "attack",
        "case": body["case"],
        "readings": {"natural-one": "counts"},
        "hand": {},
        "epoch": EPOCH,
        "client_seed": "ann and bob",
        "nonce": 7,
    }
    assert made["seed"] == hmac.new(secret, rfc8785.dumps(asked), "sha256").hexdigest()
    again = ruling(client, attack(dice={"seed": made["seed"]}, readings=asked["readings"], policies={"*": "first"}))
    assert again == made, "it is a seed like any other"


def test_whatever_is_asked_otherwise_has_other_dice(client: FlaskClient) -> None:
    near = attack()["case"]
    near["scene"]["fighters"][1]["hex"] = [1, 0]
    seeds = {
        ruling(client, body)["seed"]
        for body in (
            committed(100),
            committed(101),
            committed(100, client_seed="bob and ann"),
            {**committed(102), "case": near},
            committed(103, readings={"natural-one": "counts"}),
            committed(104, dice={"hand": {"to hit": [1]}}),
        )
    }
    assert len(seeds) == 6


def test_the_same_question_has_the_same_ruling_again(client: FlaskClient) -> None:
    assert ruling(client, committed(200)) == ruling(client, committed(200))


@pytest.mark.parametrize(
    "other", [{"readings": {"natural-one": "counts"}}, {"dice": {"hand": {"to hit": [6]}}}, {"case": "bob shoots"}]
)
def test_a_nonce_answers_one_question(client: FlaskClient, redis: Server, other: Any) -> None:
    redis.client.flushdb()
    ruling(client, committed(300))
    body = committed(300, **{name: said for name, said in other.items() if name != "case"})
    if "case" in other:
        body["case"]["attacker"], body["case"]["target"] = "bob", "ann"
    problem(ask(client, ATTACK, body), 409, "nonce-used")


def test_a_nonce_is_whoevers_comes_first_who_knows_the_client_seed(client: FlaskClient) -> None:
    stranger: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}}
    # The very question is answered to both alike: the stranger has seen the dice first.
    before = ask(client, ATTACK, committed(350), **stranger)
    assert before.status_code == 200
    assert ruling(client, committed(350)) == before.get_json()
    # Another question uses the nonce up, whichever it is; nobody who does not know the client seed can do that.
    moves = {**committed(351), "case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
    assert ask(client, MOVES, moves, **stranger).status_code == 200
    problem(ask(client, ATTACK, committed(351)), 409, "nonce-used")
    ruling(client, committed(351, client_seed="what nobody guesses"))
    # A choice that a stranger has said is said.
    nonce = nonce_with_a_choice(client, 360)
    assert ask(client, ATTACK, committed(nonce, choices={DODGE: ["stand"]}), **stranger).status_code == 200
    problem(ask(client, ATTACK, committed(nonce, choices={DODGE: ["dodge"]})), 409, "nonce-used")


def nonce_with_a_choice(client: FlaskClient, start: int, **members: Any) -> int:
    """Find a nonce under which Bob is asked whether he dodges; nothing is chosen yet."""
    for nonce in range(start, start + 50):
        if ruling(client, committed(nonce, **members))["status"] == "needs_choice":
            return nonce
    raise AssertionError("Ann never hits")


def test_choices_may_follow_and_then_stay(client: FlaskClient) -> None:
    nonce = nonce_with_a_choice(client, 400)
    first = ruling(client, committed(nonce))
    last = ruling(client, committed(nonce, choices={DODGE: ["dodge"]}))
    assert last["status"] == "ruled"
    assert last["throws"][: len(first["throws"])] == first["throws"], "what has fallen lies"
    problem(ask(client, ATTACK, committed(nonce, choices={DODGE: ["stand"]})), 409, "nonce-used")
    problem(ask(client, ATTACK, committed(nonce, policies={"*": "first"})), 409, "nonce-used")
    assert ruling(client, committed(nonce, choices={DODGE: ["dodge"]})) == last


def test_what_a_policy_chose_cannot_be_chosen_otherwise_after_that(client: FlaskClient) -> None:
    nonce = nonce_with_a_choice(client, 500)
    by_policy = ruling(client, committed(nonce, policies={"*": "first"}))
    assert by_policy["choices"][0]["option"]["id"] == "stand"
    problem(ask(client, ATTACK, committed(nonce, choices={DODGE: ["dodge"]})), 409, "nonce-used")
    assert ruling(client, committed(nonce, choices={DODGE: ["stand"]}))["throws"] == by_policy["throws"]


def test_a_question_that_was_refused_when_dice_had_fallen_has_spent_its_nonce(client: FlaskClient) -> None:
    nonce = nonce_with_a_choice(client, 600)
    told = problem(ask(client, ATTACK, committed(nonce, choices={DODGE: ["hide"]})), 422, "invalid")
    assert codes(told) == {f"/choices/{DODGE}/0": "no-such-option"}
    problem(ask(client, ATTACK, committed(nonce, choices={DODGE: ["stand"]})), 409, "nonce-used")
    problem(ask(client, ATTACK, committed(nonce)), 409, "nonce-used")


def test_a_body_that_cannot_be_asked_leaves_its_nonce_as_it_was(client: FlaskClient, redis: Server) -> None:
    redis.client.flushdb()
    for wrong in (
        committed(700, policies={"*": "clever"}),
        committed(700, readings={"natural-one": "wins"}),
        {**committed(700), "case": {**attack()["case"], "attacker": "zoe"}},
        {**committed(700), "extra": 1},
        committed(700, epoch="1000-1779999"),
        committed(700, dice={"seed": "s"}),
        committed(700, dice={"throws": []}),
    ):
        problem(ask(client, ATTACK, wrong), 422, "invalid")
    assert redis.client.keys("arbiter:nonce:*") == []


def test_a_bare_digest_is_told_as_without_committed_dice(clock: Clock, redis: Server) -> None:
    client = create_app(settings(redis_url=redis.url), {"stargrave": GAMES["stargrave"]}).test_client()
    told = []
    for dice in ({"seed": 1}, committed(750)["dice"]):
        body = {"case": {"scene": {"board": "0" * 64}}, "dice": dice}
        told.append(problem(ask(client, "/v1/games/stargrave/shoot", body), 422, "invalid")["errors"])
    assert told[0] == told[1]
    hints = {fault["pointer"]: fault["hint"] for fault in told[0]}
    assert hints["/case/scene/board"] == f'write {{"ref": "sha256:{"0" * 64}"}}'


@pytest.mark.parametrize(
    ("dice", "place", "code"),
    [
        ({"seed": 1}, "/dice", "committed-and-named"),
        ({"throws": []}, "/dice", "committed-and-named"),
        ({"committed": {"epoch": "1000-1780001", "client_seed": "s", "nonce": 0}}, AT_EPOCH, "not-this-epoch"),
        ({"committed": {"epoch": "nonsense", "client_seed": "s", "nonce": 0}}, AT_EPOCH, "not-this-epoch"),
        ({"committed": {"epoch": EPOCH, "client_seed": "", "nonce": 0}}, "/dice/committed/client_seed", "too-short"),
        ({"committed": {"epoch": EPOCH, "client_seed": "s", "nonce": -1}}, "/dice/committed/nonce", "too-small"),
        ({"committed": {"epoch": EPOCH, "client_seed": "s", "nonce": 2**53}}, "/dice/committed/nonce", "too-large"),
        ({"committed": {"epoch": EPOCH, "client_seed": "s"}}, "/dice/committed/nonce", "missing-field"),
    ],
)
def test_what_is_wrong_with_committed_dice_is_told_at_its_place(
    client: FlaskClient, dice: Any, place: str, code: str
) -> None:
    body = committed(800)
    body["dice"] |= dice
    told = problem(ask(client, ATTACK, body), 422, "invalid")
    assert place in codes(told), told
    if code in {"committed-and-named", "not-this-epoch"}:
        assert codes(told) == {place: code}


def test_when_an_epoch_ends_what_was_begun_can_be_finished_and_nothing_new_is_taken(
    client: FlaskClient, clock: Clock
) -> None:
    nonce = nonce_with_a_choice(client, 900)
    clock.now = BEGINS + LENGTH_S + DELAY_S / 2 - 0.1
    told = problem(ask(client, ATTACK, committed(999)), 422, "invalid")
    assert codes(told) == {"/dice/committed/epoch": "not-this-epoch"}
    assert told["errors"][0]["expected"] == f"{LENGTH_S}-1780001"
    assert ruling(client, committed(nonce, choices={DODGE: ["stand"]}))["status"] == "ruled"
    clock.now += 0.1
    body = committed(nonce, choices={DODGE: ["stand"]})
    assert codes(problem(ask(client, ATTACK, body), 422, "invalid")) == {"/dice/committed/epoch": "not-this-epoch"}


def test_nonces_are_forgotten_when_their_epoch_is_revealed(client: FlaskClient, redis: Server) -> None:
    redis.client.flushdb()
    ruling(client, committed(1_000))
    (name,) = redis.client.keys("arbiter:nonce:*")
    # Ten seconds after the beginning of the epoch, and a minute is kept for clocks.
    assert 0 <= LENGTH_S - 10 + DELAY_S + 60 - redis.client.pttl(name) / 1_000 < 30


def test_what_becomes_a_job_is_bound_with_all_that_is_posted(client: FlaskClient, redis: Server) -> None:
    redis.client.flushdb()
    key = {"headers": {"Idempotency-Key": "k"}}
    body = committed(1_100, policies={"*": "first"})
    made = ruling(client, body, **key)
    assert ruling(client, body, **key) == made
    problem(ask(client, ATTACK, committed(1_100, policies={"*": "bold"}), **key), 409, "nonce-used")
    problem(ask(client, ATTACK, body), 409, "nonce-used")


def test_a_job_has_the_dice_that_were_committed(clock: Clock, redis: Server) -> None:
    jobs = MemoryJobs(prompt=True)
    client = create_app(settings(redis_url=redis.url), {TEMPLATE.name: TEMPLATE}, jobs).test_client()
    body = committed(1_200, policies={"*": "first"})
    done = ruling(client, body, headers={"Prefer": "respond-async, wait=5"})
    again = ruling(client, attack(dice={"seed": done["seed"]}, policies={"*": "first"}))
    assert (len(done["seed"]), again) == (64, done)


def test_a_whole_battle_may_be_committed(client: FlaskClient) -> None:
    body = committed(1_300, policies={"*": "bold"})
    body["case"] = {"scene": body["case"]["scene"]}
    made = ruling(client, body, BATTLE)
    assert made["throws"]
    assert len(made["seed"]) == 64


def test_without_a_secret_or_a_place_for_nonces_there_are_no_commitments(clock: Clock) -> None:
    for chosen in (Settings(log_level="error", redis_url="redis://127.0.0.1:1/0"), settings()):
        client = create_app(chosen, {TEMPLATE.name: TEMPLATE}, MemoryJobs()).test_client()
        problem(ask(client, ATTACK, committed(1)), 422, "no-commitments")
        assert ask(client, ATTACK, attack(dice={"committed": None})).status_code == 200
    client = create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE}).test_client()
    assert client.get("/v1/epochs").get_json() == {"current": None, "coming": [], "past": []}
    problem(client.get("/v1/epochs/86400-0"), 404, "not-found")


def test_without_redis_at_this_moment_nothing_is_drawn(clock: Clock) -> None:
    client = create_app(
        settings(redis_url="redis://127.0.0.1:1/0"), {TEMPLATE.name: TEMPLATE}, MemoryJobs()
    ).test_client()
    answer = ask(client, ATTACK, committed(1))
    problem(answer, 503, "store-away")
    assert "Retry-After" in answer.headers


def test_the_kernel_makes_no_seed_of_commitments(client: FlaskClient) -> None:
    text = json.dumps(committed(1)).replace('"committed"', '"\\u0063ommitted"').encode()
    assert codes(problem(ask(client, ATTACK, text), 422, "invalid")) == {"/dice/committed": "not-settled"}


def test_no_answer_tells_a_secret(client: FlaskClient) -> None:
    known = Epochs(decode_base64url(SECRET), LENGTH_S)
    secret = known.secret(known.current())
    for answer in (client.get("/v1/epochs"), client.get(f"/v1/epochs/{EPOCH}"), ask(client, ATTACK, committed(1_400))):
        assert secret.hex().encode() not in answer.data
        assert KEY.encode() not in answer.data
