"""Rules looked up as players ask: the card, in every form, in one game and in all of them."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from tests.api.posting import TEMPLATE, codes, problem

RULES = f"/v1/games/{TEMPLATE.name}/rules"
FORMS = ("text/html", "text/plain", "text/markdown")


def look_up(client: FlaskClient, q: str, path: str = RULES, **more: Any) -> Any:
    answer = client.get(path, query_string={"q": q, **more})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return json.loads(answer.data)


def read(client: FlaskClient, q: str, form: str, path: str = RULES) -> Any:
    answer = client.get(path, query_string={"q": q}, headers={"Accept": form})
    assert answer.status_code == 200
    assert answer.content_type == f"{form}; charset=utf-8"
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    return answer


def test_the_decision_comes_first_with_its_citation(client: FlaskClient) -> None:
    found = look_up(client, "may I pass through my buddies")
    unit = TEMPLATE.ledger["movement/closed"]
    assert found["match"] == "good"
    assert found["answer"] == {
        "game": TEMPLATE.name,
        "text": "A hex with a rock or a fighter can be neither entered nor crossed.",
        "depends_on": "",
        "citation": {"id": unit.id, "where": unit.where, "gist": unit.gist},
    }
    assert found["cards"][0]["id"] == unit.id


def test_what_hangs_on_the_board_says_on_what_and_how_to_ask(client: FlaskClient) -> None:
    found = look_up(client, "can my dude spot him behind the boulder")
    assert found["answer"]["text"] == ""
    assert found["answer"]["depends_on"] == "whether the straight line between the two passes a rock"
    (board, *_) = found["cards"][0]["boards"]
    path = board["links"]["ask"]
    ruling = client.post(path, json=board["body"])
    assert ruling.status_code == 200
    assert "sight/line" in [citation["id"] for citation in json.loads(ruling.data)["citations"]]


def test_a_card_holds_numbers_neighbours_and_what_is_unclear(client: FlaskClient) -> None:
    (stats, *_) = look_up(client, "what are the stats of a gunner")["cards"]
    gunner = next(row for row in stats["numbers"] if row["id"] == "gunner")
    assert (gunner["table"], gunner["name"], gunner["values"]["shots"]) == ("fighters", "Gunner", 3)
    assert (stats["previous"]["id"], stats["next"]["id"]) == ("board/placing", "movement/steps")
    unit = next(
        card for card in look_up(client, "I rolled a 1 to hit")["cards"] if card["id"] == "shooting/natural-one"
    )
    (unclear,) = unit["unclear"]
    assert (unclear["id"], unclear["default"]) == ("natural-one", "misses")
    assert [option["id"] for option in unclear["options"]] == ["misses", "counts"]


def test_what_was_understood_and_what_was_not(client: FlaskClient) -> None:
    found = look_up(client, "los past a boullder zeppelin")
    assert {"word": "los", "meaning": "sight"} in found["understood"]
    assert {"word": "boullder", "meaning": "boulder"} in found["understood"]
    assert [each["word"] for each in found["did_you_mean"]] == ["zeppelin"]


def test_what_the_text_does_not_have_is_told_and_not_decided(client: FlaskClient) -> None:
    found = look_up(client, "does melee cost a wound?")
    assert [each["answer"] for each in found["absent"]] == ["The text has no close combat: fighters only shoot."]
    assert found["answer"] is None


@pytest.mark.parametrize(
    ("q", "match"),
    [
        ("what is the melting point of tungsten and zirconium", "weak"),
        ("zeppelin", "none"),
        ("?!…", "none"),
        ("*", "none"),
        ("сколько ходов", "none"),
        ("射击", "none"),
        ("dodge OR *", "good"),
        ('"dodge"', "good"),
        ("NEAR(dodge)", "weak"),
    ],
)
def test_what_is_not_found_is_told_so(client: FlaskClient, q: str, match: str) -> None:
    found = look_up(client, q)
    assert found["match"] == match
    assert bool(found["cards"]) == (match != "none")
    assert found["answer"] is None or match == "good"


def test_a_story_of_2000_characters_is_read(client: FlaskClient) -> None:
    story = ("My marksman stood behind a rock. " * 70)[:1_960] + " Who goes first?"
    assert look_up(client, story)["cards"][0]["id"] == "turn/initiative"
    told = problem(client.get(RULES, query_string={"q": "x" * 2_001}), 422, "invalid")
    assert codes(told)["/q"] == "too-long"


def test_cards_are_as_many_as_are_asked_for(client: FlaskClient) -> None:
    assert len(look_up(client, "shooting")["cards"]) == 3
    whole = look_up(client, "shooting", limit=10)
    assert len(whole["cards"]) == 10
    assert whole["others"] == []
    one = look_up(client, "shooting", limit=1)
    assert [*(card["id"] for card in one["cards"]), *(each["id"] for each in one["others"])] == [
        card["id"] for card in whole["cards"]
    ]
    assert {card["kind"] for card in look_up(client, "shooting", kind="rule")["cards"]} == {"rule"}


def test_every_game_is_looked_up_at_once(client: FlaskClient) -> None:
    found = look_up(client, "blind fire through a boulder", "/v1/rules")
    assert (found["cards"][0]["game"], found["cards"][0]["id"]) == (TEMPLATE.name, "shooting/sight")
    assert len({each["game"] for each in look_up(client, "who goes first", "/v1/rules")["others"]}) > 1
    # What one text lacks, another one has: the sentence names its game, and decides nothing for the others.
    found = look_up(client, "can I shoot into a fight", "/v1/rules")
    assert {each["game"] for each in found["absent"]} == {"warleague"}
    text = client.get("/v1/rules?q=can+I+shoot+into+a+fight", headers={"Accept": "text/plain"}).text
    assert "warleague: The text has no rule for a shot into a fight" in text
    assert codes(problem(client.get("/v1/rules"), 422, "invalid"))["/q"] == "missing"
    assert codes(problem(client.get("/v1/rules?q="), 422, "invalid"))["/q"] == "too-short"
    assert look_up(client, "   ", "/v1/rules")["match"] == "none"


@pytest.mark.parametrize("form", FORMS)
def test_people_read_the_decision_first(client: FlaskClient, form: str) -> None:
    text = read(client, "can I run off the map", form).get_data(as_text=True)
    assert "Nobody leaves the board." in text
    if form != "text/html":
        assert text.lstrip("*").startswith("Nobody leaves the board.")
        assert f"http://localhost{RULES}?q=can+I+run+off+the+map" in text
    entry = client.get(f"{RULES}/shooting/dodge-once", headers={"Accept": form}).get_data(as_text=True)
    assert "A fighter may try to dodge once a round." in entry


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_question_is_markup(client: FlaskClient, form: str) -> None:
    text = read(client, "<script>dodge</script> **dodge** [x](http://x.example) @all", form).get_data(as_text=True)
    assert "<script" not in text
    if form == "text/markdown":
        assert "](http" not in text
        assert "@all" not in text


def test_the_page_is_closed_to_all_but_its_form(client: FlaskClient) -> None:
    answer = read(client, "dodge", "text/html")
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "form-action 'self'" in policy
    page = answer.get_data(as_text=True)
    assert f'<form action="{RULES}">' in page
    assert 'value="dodge"' in page
    assert f'<a href="{RULES}?q=dodge">' in page
    assert f'href="{RULES}/{quote("shooting/dodge")}"' in page


def test_the_list_stays_json(client: FlaskClient) -> None:
    assert client.get(RULES, headers={"Accept": "text/html"}).status_code == 406
    assert client.get(f"{RULES}?q=dodge", headers={"Accept": "image/png"}).status_code == 406
