"""Short forms: questions in a link, by profiles and facts, answered in every form of a permalink."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from api.web.warm_up import warm_up
from arbiter.asking.short_forms import case_of, forms_of
from arbiter.fault import Faults
from arbiter.registry import game, games
from tests.api.posting import ask

SHOT = "/v1/games/stargrave/shoot?shooter=recruit:carbine&target=trooper"


def told(client: FlaskClient, path: str) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.content_type == "application/json"
    found: dict[str, Any] = json.loads(answer.data)
    return found


def test_a_short_form_is_the_whole_question_and_has_its_answer(client: FlaskClient) -> None:
    """The case by hand: two figures of different crews, the weapon after the colon, the facts under `given`."""
    case = {
        "scene": {
            "figures": [
                {"id": "shooter", "profile": "recruit", "crew": "ours", "weapons": ["carbine"]},
                {"id": "target", "profile": "trooper", "crew": "theirs"},
            ]
        },
        "shooter": "shooter",
        "weapon": "carbine",
        "targets": ["target"],
        "given": {"range_in": 8, "cover": "light"},
        "assume": "usual",
    }
    short = f"{SHOT}&range_in=8&cover=light&assume=usual"
    whole = ask(client, "/v1/games/stargrave/shoot", {"case": case, "dice": {"seed": "7"}})
    assert told(client, f"{short}&seed=7") == json.loads(whole.data)
    law = ask(client, "/v1/games/stargrave/shoot/odds", {"case": case})
    assert told(client, f"{short}&odds=1") == json.loads(law.data)


def test_what_is_missing_is_asked_for_and_own_dice_decide(client: FlaskClient) -> None:
    assert [needs["key"] for needs in told(client, SHOT)["needs"]["facts"]] == [
        "in_combat:shooter",
        "range_in:shooter,target",
        "sees:shooter,target",
    ]
    seen = f"{SHOT}&range_in=8&cover=light&assume=usual"
    assert told(client, f"{seen}&dice=hand")["needs"]["dice"]["label"] == "shooter: shooting"
    ruling = told(client, f"{seen}&dice:shooter:+shooting=17&dice:target:+combat=9")
    # Shoot +2 makes 19; Fight +2 and light cover +2 make 13; Armour 11 leaves 8 of 19.
    assert (ruling["answer"]["hits"], ruling["answer"]["damage"]) == (1, 8)
    assert {fact["fact"]: fact["origin"] for fact in ruling["facts"]} == {
        "in_combat": "assumed",
        "range_in": "given",
        "sees": "assumed",
        "between": "assumed",
        "cover": "given",
    }


@pytest.mark.parametrize(("form", "starts"), [("text/plain", "Odds"), ("text/markdown", "**Odds"), ("text/html", "<!")])
def test_readable_forms_are_those_of_the_permalink(client: FlaskClient, form: str, starts: str) -> None:
    answer = client.get(f"{SHOT}&range_in=8&assume=usual&odds=1", headers={"Accept": form})
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"], headers={"Accept": form})
    assert page.content_type.startswith(form)
    assert page.get_data(as_text=True).lstrip().startswith(starts)


def test_odds_say_in_every_form_what_they_stand_on(client: FlaskClient) -> None:
    for more, cover in (("&cover=light", True), ("&cover=none,light", False)):
        link = f"{SHOT}&range_in=8&assume=usual&odds=1{more}"
        for form in ("text/plain", "text/markdown", "text/html"):
            told = client.get(link, headers={"Accept": form}, follow_redirects=True).get_data(as_text=True)
            assert ("light (as the players say)" in told.replace("\\", "")) is cover, form
            assert "sees Trooper" in told, form


def test_where_no_board_is_nothing_is_drawn(client: FlaskClient) -> None:
    answer = client.get(f"{SHOT}&assume=usual&seed=1", headers={"Accept": "image/svg+xml"}, follow_redirects=True)
    assert (answer.status_code, json.loads(answer.data)["detail"]) == (
        406,
        "There is no picture: the case has no board.",
    )


def test_facts_are_said_in_chats(client: FlaskClient) -> None:
    answer = client.get(SHOT, headers={"Accept": "text/plain"})
    text = client.get(answer.headers["Location"], headers={"Accept": "text/plain"}).get_data(as_text=True)
    assert "Facts are missing" in text
    assert "Does Recruit (shooter) see Trooper (target)? (sees:shooter,target: yes or no)" in text


def test_wrong_parameters_are_faults_with_near_names(client: FlaskClient) -> None:
    answer = client.get("/v1/games/stargrave/shoot?shooter=recruit:carbine&targt=trooper&cver=light")
    assert answer.status_code == 422
    faults = {fault["pointer"]: fault for fault in json.loads(answer.data)["errors"]}
    assert {pointer: fault["code"] for pointer, fault in faults.items()} == {
        "/targt": "unknown-parameter",
        "/cver": "unknown-parameter",
        "/target": "missing-unit",
    }
    assert "'target'" in faults["/targt"]["hint"]
    assert "'cover'" in faults["/cver"]["hint"]
    wrong = client.get(f"{SHOT}&cover=dense")
    assert [fault["code"] for fault in json.loads(wrong.data)["errors"]] == ["fact-value"]
    assert client.get("/v1/games/stargrave/moves?figure=a").status_code == 405
    assert client.get("/v1/games/stargrave/dance?figure=a").status_code == 404


def test_every_game_has_four_short_forms_whose_examples_answer_and_an_attack_with_odds(client: FlaskClient) -> None:
    for name in games():
        lines = told(client, f"/v1/games/{name}")["questions"]
        links = {line["name"]: line["links"]["short"] for line in lines if "short" in line["links"]}
        assert len(links) == 4
        for link in links.values():
            assert len(link) < 290
            # Nothing is missing but what a player decides; other dice may ask for more, such as the way of who flees.
            assert told(client, f"{link}&seed=1")["status"] in ("ruled", "needs_choice"), link
        law = told(client, f"{links['attack']}&odds=1")
        assert (law["status"], law["allowed"]) == ("ruled", True), name
        assert sum(outcome["probability"] for outcome in law["outcomes"]) == pytest.approx(1)


def test_after_the_warm_up_nothing_is_left_to_be_made_for_the_first_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(Settings(), games())
    warm_up(app)
    for made_once in ("api.schemas.scenes._decoder_of", "arbiter.sources.rows.load_yaml"):
        monkeypatch.setattr(made_once, None)
    client = app.test_client()
    for name, arbiter in games().items():
        forms = forms_of(arbiter)
        assert forms is not None
        for question, form in forms.questions.items():
            told(client, f"/v1/games/{name}/{question}?{form.example}")
        told(client, f"/v1/games/{name}/attack?{forms.questions['attack'].example}&odds=1")


def test_the_list_of_a_game_says_which_facts_it_takes(client: FlaskClient) -> None:
    listed = told(client, "/v1/games/stargrave")
    facts = {fact["name"]: fact for fact in listed["facts"]}
    assert facts["cover"]["type"] == "option"
    assert facts["cover"]["options"] == ["none", "light", "heavy"]
    assert facts["range_in"]["unit"] == "inches"
    questions = {
        question["name"]: (question["facts"], "short" in question["links"]) for question in listed["questions"]
    }
    assert questions["shoot"] == (True, True)
    assert questions["moves"] == (False, False)


def test_a_unit_without_anything_after_its_profile_has_its_own_weapons() -> None:
    stargrave = game("stargrave")
    forms = forms_of(stargrave)
    assert forms is not None
    case = case_of(stargrave, forms, "attack", {"fighter": "recruit", "opponent": "trooper"})
    assert case["scene"]["figures"][0] == {"id": "fighter", "profile": "recruit", "crew": "ours"}
    with pytest.raises(Faults):
        case_of(stargrave, forms, "attack", {"fighter": "recruit"})
