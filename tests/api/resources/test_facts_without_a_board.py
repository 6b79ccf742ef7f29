"""Questions without a board: each fact that a ruling needs has a reason, can be given, counts, and leads to a ruling.

The worked examples are asked without their boards, and the facts that are needed are given at random.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arbiter.facts import FactCase
from arbiter.registry import game, games
from tests.api.posting import ask
from tests.api.worked import examples
from tests.effort import cases

ON_A_BOARD: dict[str, frozenset[str]] = {
    "blackstone-fortress": frozenset({"board", "hex", "hexes", "way", "to"}),
    "rapture": frozenset({"board", "models", "edge", "at", "goal", "way", "formations", "engage"}),
    "size-skirmish": frozenset({"board", "at", "facing", "height_above", "direction", "way", "goal", "turned"}),
    "stargrave": frozenset({"board", "at", "elevation_in", "began_at", "towards"}),
    "warleague": frozenset({"board", "obstacles", "crates", "tiles", "at", "facing", "tile", "to"}),
}
"""Members that only a scene with a board has."""

ROSTERS = ("explorers", "hostiles", "units", "models", "figures")
MOST_ROUNDS = 60


def bare(value: Any, members: frozenset[str]) -> Any:
    """Give a case without what only a board can show; a list of models is a roster, one of places is not."""
    if isinstance(value, dict):
        return {name: bare(part, members) for name, part in value.items() if name not in members or _is_roster(part)}
    return [bare(part, members) for part in value] if isinstance(value, list) else value


def _is_roster(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, dict) and "profile" in row for row in part)


def answers(needs: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Give the values that a fact takes, as what is needed says."""
    if needs["type"] == "yes-no":
        return st.booleans()
    if needs["type"] == "option":
        return st.sampled_from(needs["options"])
    if needs["type"] == "units":
        options = needs["options"]
        return st.lists(st.sampled_from(options), max_size=3, unique=True) if options else st.just([])
    least, most = needs["least"], needs["most"]
    near = st.sampled_from([number for number in (least, least + 1, least + 2, least + 3, most) if number <= most])
    return near.map(int) if needs["whole"] else near | st.floats(least, most)


def key_of(fact: Mapping[str, Any]) -> str:
    return ":".join([fact["fact"], *filter(None, [",".join(fact["of"].values())])])


@pytest.mark.parametrize("name", games())
@settings(max_examples=cases(240, 30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_asked_for_is_answered_matters_and_replays(client: FlaskClient, name: str, data: st.DataObject) -> None:
    posed = [each for each in examples(game(name)) if issubclass(game(name).questions[each.question].case, FactCase)]
    example = data.draw(st.sampled_from(posed), label="example")
    case = bare(json.loads(json.dumps(example.case)), ON_A_BOARD[name]) | {"given": {}, "given_wins": False}
    body = {"case": case, "readings": example.readings, "dice": {"seed": "7"}, "policies": {"*": "first"}}
    path = f"/v1/games/{name}/{example.question}"
    for _ in range(MOST_ROUNDS):
        answer = ask(client, path, body)
        told = json.loads(answer.data)
        if answer.status_code == 422:
            # What is geometry alone, or a case of which nothing is left without its places.
            codes = {fault["code"] for fault in told["errors"]}
            if codes == {"facts-contradict"}:
                # Answers at random: in contact with somebody, and yet with nobody. Both places are named.
                places = {fault["pointer"].removeprefix("/case/given/") for fault in told["errors"]}
                assert len(places) == 2
                assert places <= case["given"].keys()
                return
            assert not case["given"] or codes <= {"board-missing", "endless-chain"}, (case, told["errors"])
            return
        assert answer.status_code == 200, answer.get_data(as_text=True)
        if told["status"] != "needs_fact":
            break
        for needs in told["needs"]["facts"]:
            assert needs["question"].endswith(("?", ".")), needs
            assert needs["rule"] in game(name).rules, needs
            assert needs["why"], needs
            assert needs["cites"], needs
            assert needs["key"] not in case["given"], needs
            case["given"][needs["key"]] = data.draw(answers(needs), label=needs["key"])
    assert told["status"] != "needs_fact"
    used = {key_of(fact) for fact in told["facts"] if fact["origin"] == "given"}
    assert told["status"] != "ruled" or case["given"].keys() <= used, case["given"].keys() - used
    assert all(fact["rules"] for fact in told["facts"])
    hand: dict[str, list[Any]] = {}
    for throw in told["throws"]:
        hand.setdefault(throw["label"], []).append(throw["face"])
    again = json.loads(ask(client, path, {**body, "dice": {"hand": hand}}).data)
    parts = ("status", "answer", "reasons", "findings", "facts", "effects", "citations")
    assert {part: again[part] for part in parts} == {part: told[part] for part in parts}
