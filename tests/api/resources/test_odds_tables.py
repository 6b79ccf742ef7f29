"""Tables of odds: each point has the law that its body has alone, and every fault is told at the value that has it."""

import json
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from arbiter.ruling import Odds
from rendering import text
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, ask, attack, codes, problem

ODDS = f"{ATTACK}/odds"
PROFILE, HEX = "/case/scene/fighters/0/profile", "/case/scene/fighters/1/hex"
VARY = {PROFILE: ["gunner", "scout"], HEX: [[2, 0], [1, 0]]}


def law(client: FlaskClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = ask(client, ODDS, body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    told: dict[str, Any] = json.loads(answer.data)
    return told


def test_every_point_has_the_law_that_it_has_alone(client: FlaskClient) -> None:
    table = law(client, attack(vary=VARY))
    assert table["axes"] == [{"place": place, "values": values} for place, values in VARY.items()]
    assert (table["outcomes"], table["marginals"], table["allowed"]) == ([], [], True)
    expected = [(profile, hex_) for profile in VARY[PROFILE] for hex_ in VARY[HEX]]
    assert [tuple(point["values"].values()) for point in table["points"]] == expected
    for (profile, hex_), point in zip(expected, table["points"], strict=True):
        body = attack()
        fighters = body["case"]["scene"]["fighters"]
        fighters[0]["profile"], fighters[1]["hex"] = profile, hex_
        alone = law(client, body)
        for member in ("outcomes", "marginals", "paths", "policies", "readings"):
            assert point[member] == alone[member], (profile, hex_, member)
    assert table["paths"] == sum(point["paths"] for point in table["points"])


def test_a_table_is_told_in_lowest_terms(client: FlaskClient) -> None:
    table = msgspec.convert(law(client, attack(vary={PROFILE: ["gunner", "scout"]})), Odds[Any])
    lines = list(text.odds(table))
    # Three dice wound with 1/3 each, and one die does: by hand 19/27 and 1/3.
    slain = lines[lines.index("\nslain") + 1 :]
    assert slain[0].split() == ["profile", "yes", "no"]
    assert slain[1].split() == ["gunner", "70.370%", "19/27", "29.630%", "8/27"]
    assert slain[2].split() == ["scout", "33.333%", "1/3", "66.667%", "2/3"]


def test_what_the_book_forbids_at_one_point_is_told_there(client: FlaskClient) -> None:
    table = law(client, attack(vary={"/case/scene/fighters/1/side": ["blue", "red"]}))
    assert [point["allowed"] for point in table["points"]] == [True, False]
    assert table["points"][1]["reasons"]
    lines = "\n".join(text.odds(msgspec.convert(table, Odds[Any])))
    assert "\nForbidden at\n  red: " in lines


@pytest.mark.parametrize(
    ("vary", "expected"),
    [
        ({PROFILE: ["gunner", "wizard"]}, {"/vary/~1case~1scene~1fighters~10~1profile/1": "unknown-profile"}),
        ({"/policies/red": ["bravely"]}, {"/vary/~1policies~1red/0": "unknown-policy"}),
        ({"/heads": [10]}, {"/vary/~1heads": "no-such-place"}),
        ({PROFILE: ["gunner"] * 11, HEX: [[2, 0]] * 10}, {"/vary": "too-many-points"}),
    ],
)
def test_faults_stand_at_the_value_that_has_them(
    client: FlaskClient, vary: dict[str, list[Any]], expected: dict[str, str]
) -> None:
    assert codes(problem(ask(client, ODDS, attack(vary=vary)), 422, "invalid")) == expected


def test_a_value_nested_too_deep_is_refused(client: FlaskClient) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    problem(ask(client, ODDS, attack(vary={PROFILE: [deep]})), 422, "invalid")


def test_all_points_share_the_budget_of_paths(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    several = law(with_jobs, attack(vary={PROFILE: ["gunner"] * 20}))
    assert several["paths"] == 20 * several["points"][0]["paths"]
