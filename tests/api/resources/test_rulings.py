"""Questions asked over HTTP: dice handed, drawn and replayed, choices, readings, patches, and what the book forbids.

Ann, a gunner, shoots three times and hits on 4; Bob, a scout, saves on 5 and has one wound.
"""

import json
from copy import deepcopy
from typing import Any

import jsonpatch
import pytest
from flask.testing import FlaskClient

from arbiter.game import ENGINE
from arbiter.ruling import Ruling
from tests.api.posting import ATTACK, MOVES, TEMPLATE, ask, attack, codes, problem

STAND = {"dodge of bob": ["stand"]}


def ruling(client: FlaskClient, body: Any, path: str = ATTACK) -> dict[str, Any]:
    answer = ask(client, path, body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.content_type == "application/json"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    told: dict[str, Any] = json.loads(answer.data)
    assert told.keys() == set(Ruling.__struct_fields__)
    return told


def test_handed_dice_decide(client: FlaskClient) -> None:
    told = ruling(client, attack(dice={"hand": {"to hit": [4, 3, 6], "save": [5, 4]}}, choices=STAND))
    assert told["answer"] == {"hits": 2, "dodged": 0, "wounds": 1, "slain": True}
    assert (told["status"], told["allowed"], told["seed"]) == ("ruled", True, None)
    assert [(throw["label"], throw["face"]) for throw in told["throws"][:3]] == [
        ("to hit", 4),
        ("to hit", 3),
        ("to hit", 6),
    ]
    assert {throw["origin"] for throw in told["throws"]} == {"handed"}
    assert told["choices"][0]["option"]["id"] == "stand"
    assert "shooting/slain" in [citation["id"] for citation in told["citations"]]
    assert (told["game"], told["engine"], told["edition"]) == (TEMPLATE.name, ENGINE, TEMPLATE.edition)


def test_missing_dice_are_asked_for_step_by_step(client: FlaskClient) -> None:
    first = ruling(client, attack(dice={"hand": {}}))
    assert first["status"] == "needs_dice"
    assert first["needs"]["dice"]["label"] == "to hit"
    assert first["needs"]["dice"]["faces"] == [1, 2, 3, 4, 5, 6]
    assert first["answer"] is None
    second = ruling(client, attack(dice={"hand": {"to hit": [4, 4, 1]}}))
    assert second["status"] == "needs_choice"
    assert [option["id"] for option in second["needs"]["choice"]["options"]] == ["stand", "dodge"]
    assert second["needs"]["choice"]["who"] == "blue"
    third = ruling(client, attack(dice={"hand": {"to hit": [4, 4, 1]}}, choices=STAND))
    assert third["needs"]["dice"] == {"label": "save", "die": "d6", "count": 2, "faces": [1, 2, 3, 4, 5, 6]}
    last = ruling(client, attack(dice={"hand": {"to hit": [4, 4, 1], "save": [6, 6]}}, choices=STAND))
    assert (last["status"], last["needs"], last["answer"]["wounds"]) == ("ruled", None, 0)


def test_a_seed_is_picked_named_and_good_for_the_same_ruling(client: FlaskClient) -> None:
    picked = [ruling(client, attack(policies={"*": "first"})) for _ in range(2)]
    assert picked[0]["seed"] != picked[1]["seed"]
    assert len(bytes.fromhex(picked[0]["seed"])) == 8
    again = ask(client, ATTACK, attack(policies={"*": "first"}, dice={"seed": "s"}))
    assert again.data == ask(client, ATTACK, attack(policies={"*": "first"}, dice={"seed": "s"})).data
    named = ruling(client, attack(choices={}, policies={"*": "first"}))
    assert ruling(client, attack(policies={"*": "first"}, dice={"seed": named["seed"]})) == named


def test_throws_replay_a_ruling(client: FlaskClient) -> None:
    made = ruling(client, attack(policies={"*": "first"}, dice={"seed": 7}))
    dice = {"seed": made["seed"], "throws": made["throws"]}
    assert ruling(client, attack(policies={"*": "first"}, dice=dice)) == made
    forged = deepcopy(dice)
    forged["throws"][0]["face"] = forged["throws"][0]["face"] % 6 + 1
    told = problem(ask(client, ATTACK, attack(policies={"*": "first"}, dice=forged)), 422, "invalid")
    assert codes(told) == {"/dice/throws/0/face": "wrong-face"}


def test_the_patch_fits_the_scene_as_it_was_posted(client: FlaskClient) -> None:
    body = attack(dice={"hand": {"to hit": [4, 1, 1], "dodge": [1], "save": [6]}}, choices={"dodge of bob": ["dodge"]})
    assert "dodged" not in body["case"]["scene"]["fighters"][1], "a default that is left out"
    told = ruling(client, body)
    after = jsonpatch.apply_patch(body["case"]["scene"], told["effects"]["patch"])
    expected = deepcopy(body["case"]["scene"])
    expected["fighters"][1]["dodged"] = True
    assert after == expected
    moved_on = deepcopy(body["case"]["scene"])
    moved_on["fighters"][1]["id"] = "bert"
    with pytest.raises(jsonpatch.JsonPatchTestFailed):
        jsonpatch.apply_patch(moved_on, told["effects"]["patch"])


def test_what_the_book_forbids_is_an_answer(client: FlaskClient) -> None:
    body = attack()
    body["case"]["scene"]["fighters"][1] |= {"side": "red", "hex": [0, 4]}
    body["case"]["scene"]["fighters"][0]["hex"] = [0, -1]
    told = ruling(client, body)
    assert (told["allowed"], told["answer"], told["status"]) == (False, None, "ruled")
    assert [reason["cites"] for reason in told["reasons"]] == [["shooting/enemy"], ["shooting/range"]]
    assert {citation["id"] for citation in told["citations"]} == {"shooting/enemy", "shooting/range"}


def test_a_reading_can_be_chosen_and_is_named(client: FlaskClient) -> None:
    # A marksman hits on 2 and has 1 added in the next hex, so that a 1 hits unless a 1 always misses.
    body = attack(dice={"hand": {"to hit": [1]}})
    body["case"]["scene"]["fighters"][0] |= {"profile": "marksman", "hex": [1, 0]}
    told = ruling(client, body)
    assert told["answer"]["hits"] == 0
    assert [(used["id"], used["option"], used["default"]) for used in told["readings"]] == [
        ("natural-one", "misses", "misses")
    ]
    told = ruling(client, {**body, "readings": {"natural-one": "counts"}})
    assert told["status"] == "needs_choice", "it hits, and Bob may dodge"
    assert [(used["option"], used["default"]) for used in told["readings"]] == [("counts", "misses")]


def test_a_question_without_dice_names_no_seed(client: FlaskClient) -> None:
    told = ruling(client, {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}, MOVES)
    assert told["seed"] is None
    assert len(told["answer"]["hexes"]) == 6, "one step from an open hex"


@pytest.mark.parametrize(
    ("body", "place", "code"),
    [
        (attack(dice={"hand": {"to hit": [7]}}), "/dice/hand/to hit/0", "wrong-face"),
        (attack(dice={"hand": {"to hit": [1, 1, 1, 1]}}), "/dice/hand/to hit/3", "left-over-die"),
        (
            attack(dice={"hand": {"to hit": [4, 1, 1]}}, choices={"dodge of bob": ["hide"]}),
            "/choices/dodge of bob/0",
            "no-such-option",
        ),
        (attack(dice={"hand": {"to hit": [1, 1, 1]}}, choices=STAND), "/choices/dodge of bob/0", "left-over-choice"),
        (attack(readings={"natural-two": "misses"}), "/readings/natural-two", "unknown-reading"),
        (attack(readings={"natural-one": "wins"}), "/readings/natural-one", "unknown-option"),
        (attack(policies={"blue": "clever"}), "/policies/blue", "unknown-policy"),
        (attack(dice={"hand": {"to hit": [1]}, "throws": []}), "/dice", "hand-and-throws"),
        (attack(dice={"hand": {"to hit": [4.0]}}), "/dice/hand/to hit/0", "wrong-type"),
    ],
)
def test_every_wrong_part_of_a_body_is_named_at_its_place(
    client: FlaskClient, body: Any, place: str, code: str
) -> None:
    assert codes(problem(ask(client, ATTACK, body), 422, "invalid")) == {place: code}


def test_all_that_is_impossible_on_the_table_is_named_at_once(client: FlaskClient) -> None:
    body = attack()
    ann, bob = body["case"]["scene"]["fighters"]
    ann["hex"], bob["hex"], bob["id"] = [5, 0], [5, 0], "ann"
    body["case"]["attacker"] = "zoe"
    told = problem(ask(client, ATTACK, body), 422, "invalid")
    assert {"repeated-id", "off-board", "taken-hex", "unknown-fighter"} == {fault["code"] for fault in told["errors"]}
    assert "/case/attacker" in codes(told)
    assert told["detail"].startswith(f"{len(told['errors'])} things")
