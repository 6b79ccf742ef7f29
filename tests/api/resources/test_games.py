"""Look-ups of every game: what is listed is there, whole, and every link leads on."""

import json
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest
from flask.testing import FlaskClient

from api import create_app
from api.openapi.service import pages
from api.schemas import codec
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.posting import GAMES, TEMPLATE, ask, problem, with_questions
from tests.api.worked import examples, ruling_of
from tests.effort import cases

POSTED = {"ask", "odds", "simulations", "board_import", "batch"}
"""The links under which something is posted."""


def get(client: FlaskClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.content_type == "application/json"
    return json.loads(answer.data)


def links_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [link for name, link in value.get("links", {}).items() if name not in POSTED]
        return own + [link for part in value.values() for link in links_in(part)]
    return [link for part in value for link in links_in(part)] if isinstance(value, list) else []


def test_every_game_is_listed(client: FlaskClient) -> None:
    listed = get(client, "/v1/games")
    assert [each["name"] for each in listed["games"]] == list(GAMES)


def test_facts_say_what_can_be_asked(client: FlaskClient, game: Arbiter) -> None:
    facts = get(client, f"/v1/games/{game.name}")
    assert {each["name"]: each["dice"] for each in facts["questions"]} == {
        name: question.dice for name, question in game.questions.items()
    }
    for each in facts["questions"]:
        assert ("odds" in each["links"]) == ("simulations" in each["links"]) == each["dice"]
    assert sum(facts["coverage"].values()) == len(game.ledger.units)
    assert {"first"} <= {each["name"] for each in facts["policies"]}
    assert facts["readings"] == len(game.readings.by_id)


FOLLOWED: dict[str, list[str]] = {}
"""Where each page leads to. The first page leads to those of all games, and each is asked for once."""


def links_on(client: FlaskClient, path: str) -> list[str]:
    """Give the links of a page, if it is there."""
    if path not in FOLLOWED:
        answer = client.get(path)
        assert answer.status_code == 200, path
        # The contract has fields of this name that hold no links. One page of rules links to hundreds of entries; the
        # first of them stand for all.
        found = links_in(json.loads(answer.data)) if answer.is_json and path != "/openapi.json" else []
        FOLLOWED[path] = found[:40]
        answer.close()
    return FOLLOWED[path]


def test_every_link_leads_on(client: FlaskClient, game: Arbiter) -> None:
    seen, waiting = set(), ["/", f"/v1/games/{game.name}", f"/v1/games/{game.name}/rules?limit=200"]
    while waiting:
        path = waiting.pop()
        # Each passage leads on to its neighbours: some of the hundreds stand for all.
        if path not in seen and not ("/rules/" in path and sum("/rules/" in each for each in seen) > cases(60, 12)):
            seen.add(path)
            waiting += links_on(client, path)
    assert f"/v1/games/{game.name}/readings" in seen


def test_posting_is_what_asking_links_are_for(client: FlaskClient, game: Arbiter) -> None:
    for each in get(client, f"/v1/games/{game.name}")["questions"]:
        for name in {"ask", "odds"} & each["links"].keys():
            # A question with a short form takes GET, and says what an empty one lacks.
            short = name == "ask" and each["short"]
            assert problem(
                client.get(each["links"][name]), *((422, "invalid") if short else (405, "method-not-allowed"))
            )
            assert problem(ask(client, each["links"][name], {}), 422, "invalid")


def test_the_first_page_says_where_a_map_becomes_a_board(client: FlaskClient) -> None:
    link = get(client, "/")["links"]["board_import"]
    problem(client.get(link), 405, "method-not-allowed")
    faults = problem(ask(client, link, {}), 422, "invalid")["errors"]
    assert [fault["pointer"] for fault in faults] == ["/game"]


def test_data_is_given_as_it_stands(client: FlaskClient, game: Arbiter) -> None:
    listed = get(client, f"/v1/games/{game.name}/data")
    assert [table["name"] for table in listed["tables"]] == list(game.catalog)
    for table in listed["tables"]:
        given = get(client, table["links"]["self"])
        assert given["data"] == codec.to_builtins(game.catalog[table["name"]])
        assert len(given["data"]) == table["rows"]


def test_the_ledger_is_given_whole(client: FlaskClient, game: Arbiter) -> None:
    given = get(client, f"/v1/games/{game.name}/sources")
    assert [unit["id"] for unit in given["units"]] == list(game.ledger.units)
    assert {document["id"] for document in given["documents"]} == set(game.ledger.documents)


def test_readings_are_given_with_their_options(client: FlaskClient, game: Arbiter) -> None:
    for reading in get(client, f"/v1/games/{game.name}/readings")["readings"]:
        assert reading["default"] in {option["id"] for option in reading["options"]}
        assert reading["why"]


def test_every_example_says_what_the_service_says(client: FlaskClient, game: Arbiter) -> None:
    """Each is shown with its own body; an ordinary run posts every fourth, and at least one of each question."""
    written = {each.title: each for each in examples(game)}
    shown = set()
    for question in game.questions:
        listed = get(client, f"/v1/games/{game.name}/questions/{question}/examples")["examples"]
        for number, each in enumerate(listed):
            assert each["body"] == written[each["title"]].ready_body()
            if number % cases(1, 4) == 0:
                answer = ask(client, f"/v1/games/{game.name}/{question}", each["body"])
                assert json.loads(answer.data) == ruling_of(game, written[each["title"]])
            shown.add(each["title"])
    assert shown == set(written)


@pytest.mark.parametrize(
    ("path", "named", "near"),
    [
        ("template-skirmisch", "game", "template-skirmish"),
        ("template-skirmish/data/fighter", "table", "fighters"),
        ("template-skirmish/questions/atack/examples", "question", "attack"),
        ("template-skirmish/atack", "question-or-page", "attack"),
        ("template-skirmish/reading", "question-or-page", "readings"),
        ("template-skirmish/rules/shooting/to-hot", "rule", "shooting/to-hit"),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    client: FlaskClient, path: str, named: str, near: str
) -> None:
    told = problem(client.get(f"/v1/games/{path}"), 404, "not-found")
    assert told["errors"][0]["code"] == f"unknown-{named}"
    assert near in told["errors"][0]["hint"]


def test_a_question_cannot_have_the_name_of_a_page() -> None:
    game = with_questions(TEMPLATE, rules=TEMPLATE.questions["moves"])
    with pytest.raises(ValueError, match="no question can be called rules"):
        create_app(Settings(), {game.name: game})


def decodes(data: bytes, form: Any) -> bool:
    try:
        msgspec.json.decode(data, type=form)
    except msgspec.ValidationError:
        return False
    return True


def test_answers_decode_as_the_types_the_contract_names(client: FlaskClient, game: Arbiter) -> None:
    names = {"game": game.name, "table": next(iter(game.catalog)), "question": next(iter(game.questions))}
    names |= {"id": next(iter(game.rules)), "slug": "invalid"}
    for page in (each for each in pages() if each.tag in ("look-up", "service")):
        kind = page.operation.answer
        # Without its secret a service has no epochs, and says so.
        if kind is not None and not page.path.startswith("/v1/epochs"):
            # Over all games something has to be asked.
            query = {"q": "who goes first"} if page.path == "/v1/rules" else {}
            answer = client.get(page.path.format(**names), query_string=query)
            # A page of several forms has the one that its parameters ask for.
            forms = get_args(kind) if isinstance(kind, UnionType) else (kind,)
            assert any(decodes(answer.data, form) for form in forms), page.path
