"""Rules listed, page by page, and one by one."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from arbiter.game import Arbiter
from arbiter.sources.lookup.entries import entries
from tests.api.posting import TEMPLATE, codes, problem
from tests.effort import cases

RULES = f"/v1/games/{TEMPLATE.name}/rules"


def get(client: FlaskClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return json.loads(answer.data)


def test_pages_add_up_to_everything_once(client: FlaskClient, game: Arbiter) -> None:
    found: list[str] = []
    path: str | None = f"/v1/games/{game.name}/rules?limit=7"
    while path:
        answer = client.get(path)
        page = json.loads(answer.data)
        assert len(page["entries"]) <= 7
        found += [entry["id"] for entry in page["entries"]]
        path = page["links"].get("next")
        assert answer.headers.get("Link") == (f'<{path}>; rel="next"' if path else None)
        assert (page["next"] is None) == (path is None)
    assert found == [entry.id for entry in entries(game)]
    assert page["total"] == len(found)


@pytest.mark.parametrize("kind", ["unit", "rule", "reading"])
def test_one_kind_alone(client: FlaskClient, kind: str) -> None:
    found = get(client, f"{RULES}?kind={kind}&limit=200")["entries"]
    assert [entry["id"] for entry in found] == [entry.id for entry in entries(TEMPLATE) if entry.kind == kind]
    assert found


def test_behind_the_last_page_there_is_nothing(client: FlaskClient) -> None:
    assert get(client, f"{RULES}?cursor=from-999999999")["entries"] == []


def test_every_entry_is_found_by_its_id(client: FlaskClient, game: Arbiter) -> None:
    """An ordinary run asks for every third by its id, and for one in nine by its id with every mark quoted."""
    for number, entry in list(enumerate(entries(game)))[:: cases(1, 3)]:
        for path in {entry.id, quote(entry.id, safe="")} if number % cases(1, 9) == 0 else {entry.id}:
            given = get(client, f"/v1/games/{game.name}/rules/{path}")
            assert given["id"] == entry.id
        assert [citation["id"] for citation in given["cites"]] == list(entry.cites)


def test_a_unit_says_who_rests_on_it_and_which_example_shows_it(client: FlaskClient) -> None:
    unit = get(client, f"{RULES}/shooting/to-hit")
    assert unit["kind"] == "unit"
    assert "shooting.to_hit" in [entry["id"] for entry in unit["cited_by"]]
    # The title is the example's own, and its ruling cites the unit.
    assert (
        "Two of a gunner's three shots hit a scout that stands, one is saved, and the scout is slain"
        in unit["examples"]
    )


def test_a_rule_gives_the_gists_of_what_it_cites(client: FlaskClient) -> None:
    rule = get(client, f"{RULES}/shooting.to_hit")
    unit = TEMPLATE.ledger["shooting/to-hit"]
    assert rule["cites"] == [{"id": unit.id, "where": unit.where, "gist": unit.gist}]


@pytest.mark.parametrize(
    ("query", "place", "code"),
    [
        ("limit=0", "/limit", "too-small"),
        ("limit=201", "/limit", "too-large"),
        ("limit=x", "/limit", "wrong-type"),
        ("limit=5.0", "/limit", "wrong-type"),
        ("kind=rules", "/kind", "not-one-of"),
        ("cursor=12", "/cursor", "pattern"),
        ("q=" + 2_001 * "x", "/q", "too-long"),
        ("querry=x", "/querry", "unknown-field"),
        ("limit=1&limit=2", "/limit", "duplicate-field"),
    ],
)
def test_parameters_are_read_strictly(client: FlaskClient, query: str, place: str, code: str) -> None:
    told = problem(client.get(f"{RULES}?{query}"), 422, "invalid")
    assert codes(told)[place] == code


def test_every_wrong_parameter_is_named_at_once(client: FlaskClient) -> None:
    told = problem(client.get(f"{RULES}?limit=0&kind=x&y=1"), 422, "invalid")
    assert codes(told).keys() == {"/limit", "/kind", "/y"}
