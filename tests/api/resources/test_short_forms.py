"""Short forms: questions in a link, by profiles and facts, answered in every form of a permalink."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from arbiter.asking.short_forms import case_of, forms_of
from arbiter.fault import Faults
from arbiter.registry import game, games
from tests.api.posting import ask

SHOT = "/v1/games/stargrave/shoot?shooter=recruit:carbine&target=trooper"

COMMONEST = {
    "stargrave": "shoot?shooter=recruit:carbine&target=trooper&range_in=8&cover=light&assume=usual",
    "blackstone-fortress": "attack?attacker=janus-draik:pistol-and-rapier&target=traitor-guardsman&range=3"
    "&assume=usual",
    "rapture": "attack?attacker=lantern-bearer&target=gate-breaker&contact=yes",
    "size-skirmish": "attack?attacker=pike-warden&target=quay-guard&charge=yes&reactions=[]&assume=usual",
    "warleague": "attack?attacker=scrapper&target=marksman&distance=3&assume=usual",
}
"""The commonest attack of each game."""

OTHERS = {
    "stargrave": (
        "attack?fighter=recruit&opponent=trooper&assume=usual",
        "grenade?thrower=recruit:grenades&target=trooper&in_blast=target&assume=usual",
        "behaviour?creature=sample-prowler&figure=recruit&range_in=9&assume=usual",
    ),
    "blackstone-fortress": (
        "behaviour?hostile=traitor-guardsman&explorer=janus-draik&range=3&route=3&assume=usual",
        "wounds?unit=janus-draik&wounds=1",
        "inspiration?explorer=janus-draik",
    ),
    "rapture": (
        "shoot?shooter=lantern-bearer&target=gate-breaker&range_cm=9&sees=yes",
        "reactions?unit=lantern-bearer&by=gate-breaker&contact=yes",
        "combat-value?unit=lantern-bearer",
    ),
    "size-skirmish": (
        "shoot?shooter=pike-warden&target=quay-guard&assume=usual",
        "morale?model=pike-warden&lost_before=0",
        "fall?model=pike-warden&drop=3",
    ),
    "warleague": (
        "damage?unit=scrapper&amount=5",
        "explosion?target=scrapper&radius=1&damage=[4]&caught=none",
        "targets?attacker=scrapper&target=marksman&assume=usual",
    ),
}


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


def test_every_game_has_four_short_forms_that_answer_and_an_attack_with_odds(client: FlaskClient) -> None:
    assert {name for name in games() if forms_of(games()[name])} == set(COMMONEST)
    for name, query in COMMONEST.items():
        forms = forms_of(game(name))
        assert forms is not None
        asked = [query, *OTHERS[name]]
        assert {each.partition("?")[0] for each in asked} == set(forms.questions)
        assert len(forms.questions) == 4
        for each in asked:
            path = f"/v1/games/{name}/{each}"
            assert len(path) < 300
            assert told(client, path)["status"] in ("ruled", "needs_choice", "needs_dice"), path
        law = told(client, f"/v1/games/{name}/{query}&odds=1")
        assert law["status"] == "ruled"
        assert law["outcomes"], name


def test_the_list_of_a_game_says_which_facts_it_takes(client: FlaskClient) -> None:
    listed = told(client, "/v1/games/stargrave")
    facts = {fact["name"]: fact for fact in listed["facts"]}
    assert facts["cover"]["type"] == "option"
    assert facts["cover"]["options"] == ["none", "light", "heavy"]
    assert facts["range_in"]["unit"] == "inches"
    questions = {question["name"]: (question["facts"], question["short"]) for question in listed["questions"]}
    assert questions["shoot"] == (True, True)
    assert questions["moves"][1] is False


def test_a_unit_without_anything_after_its_profile_has_its_own_weapons() -> None:
    stargrave = game("stargrave")
    forms = forms_of(stargrave)
    assert forms is not None
    case = case_of(stargrave, forms, "attack", {"fighter": "recruit", "opponent": "trooper"})
    assert case["scene"]["figures"][0] == {"id": "fighter", "profile": "recruit", "crew": "ours"}
    with pytest.raises(Faults):
        case_of(stargrave, forms, "attack", {"fighter": "recruit"})
