"""Facts over HTTP in every game: signed, replayed, varied, simulated and told, without a board."""

import csv
import io
import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from api.signing import epochs
from arbiter.registry import games
from arbiter.simulation.simulate import game_seed
from tests.api.at_table import AT_TABLE, AtTable
from tests.api.committing import KEY, SIGNED
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ask, codes, problem

EVERY = pytest.mark.parametrize(("game_", "table"), AT_TABLE.items(), ids=AT_TABLE)


def told(client: FlaskClient, path: str, body: Any) -> dict[str, Any]:
    answer = ask(client, path, body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: dict[str, Any] = json.loads(answer.data)
    return found


def path_of(game_: str, table: AtTable, more: str = "") -> str:
    return f"/v1/games/{game_}/{table.question}{more}"


def settled(table: AtTable, **facts: Any) -> dict[str, Any]:
    return {**table.body(**facts), "dice": {"seed": "7"}, "policies": {"*": "first"}}


def other(table: AtTable) -> dict[str, Any]:
    """Give the first fact that is varied with another value than that which is given."""
    name, values = next(iter(table.vary.items()))
    return {name: next(value for value in values if value != table.given[name])}


def test_every_game_has_an_attack_at_the_table() -> None:
    assert set(AT_TABLE) == set(games())


@EVERY
def test_the_same_facts_give_the_same_bytes_and_another_fact_another_ruling(
    client: FlaskClient, game_: str, table: AtTable
) -> None:
    path = path_of(game_, table)
    first, again = (ask(client, path, settled(table)) for _ in range(2))
    assert first.data == again.data
    assert first.headers["ETag"] == again.headers["ETag"]
    changed = ask(client, path, settled(table, **other(table)))
    assert changed.headers["ETag"] != first.headers["ETag"]
    assert changed.headers["Content-Location"] != first.headers["Content-Location"]
    (name, value), *_ = other(table).items()
    facts = {fact["fact"]: fact["value"] for fact in json.loads(changed.data)["facts"]}
    assert facts[name] == value


@EVERY
def test_throws_and_facts_posted_back_give_the_same_answer(client: FlaskClient, game_: str, table: AtTable) -> None:
    path = path_of(game_, table)
    ruling = told(client, path, settled(table))
    hand: dict[str, list[Any]] = {}
    for throw in ruling["throws"]:
        hand.setdefault(throw["label"], []).append(throw["face"])
    given = {
        ":".join([fact["fact"], *filter(None, [",".join(fact["of"].values())])]): fact["value"]
        for fact in ruling["facts"]
    }
    replayed = told(
        client, path, {"case": {**table.case, "given": given}, "dice": {"hand": hand}, "policies": {"*": "first"}}
    )
    for part in ("status", "answer", "findings", "effects", "citations"):
        if all(fact["origin"] == "given" for fact in ruling["facts"]) or part in ("status", "answer"):
            assert replayed[part] == ruling[part], part


def test_a_signature_holds_for_the_facts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is signed says when the ruling was made.
    monkeypatch.setattr(epochs, "now", lambda: 1_800_000_000.0)
    client = create_app(Settings(log_level="error", signing_key=KEY, rate_limits=False), games()).test_client()

    def signature(table: AtTable, path: str, **facts: Any) -> tuple[str, str]:
        answer = ask(client, path, settled(table, **facts), headers=SIGNED)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        envelope = json.loads(answer.data)
        return json.dumps(envelope["signature"], sort_keys=True), json.dumps(envelope)

    for game_, table in AT_TABLE.items():
        path = path_of(game_, table)
        signed, whole = signature(table, path)
        assert signature(table, path)[0] == signed
        assert signature(table, path, **other(table))[0] != signed
        assert '"facts"' in whole


# Odds


@EVERY
@pytest.mark.parametrize("empty", [True, False], ids=["nothing given", "given"])
def test_two_facts_are_varied_in_one_call_and_each_point_has_the_law_that_it_has_alone(
    client: FlaskClient, game_: str, table: AtTable, empty: bool
) -> None:
    path = path_of(game_, table, "/odds")
    case = table.body()["case"]
    if empty:
        # What is varied need not be among what is given, and where nothing else is, `given` can be left out.
        case = {name: part for name, part in {**table.case, "assume": "usual"}.items() if name != "given"}
    vary = {f"/case/given/{name}": values for name, values in table.vary.items()}
    law = told(client, path, {"case": case, "vary": vary})
    assert law["status"] == "ruled"
    (one, some), (two, others) = table.vary.items()
    assert [tuple(point["values"].values()) for point in law["points"]] == [(a, b) for a in some for b in others]
    for point, (a, b) in zip(law["points"], [(a, b) for a in some for b in others], strict=True):
        alone = told(client, path, {"case": {**case, "given": {**case.get("given", {}), one: a, two: b}}})
        for member in ("allowed", "outcomes", "marginals", "reasons", "facts"):
            assert point[member] == alone[member], (a, b, member)
    assert any(point["outcomes"] for point in law["points"])


def test_a_place_below_a_given_that_is_missing_in_the_scene_is_still_no_place(client: FlaskClient) -> None:
    table = AT_TABLE["stargrave"]
    body = {"case": table.case, "vary": {"/case/seen/cover": ["none", "light"]}}
    found = codes(problem(ask(client, path_of("stargrave", table, "/odds"), body), 422, "invalid"))
    assert found == {"/vary/~1case~1seen~1cover": "no-such-place"}


def test_a_short_form_with_several_values_of_a_fact_is_a_table_of_odds(client: FlaskClient) -> None:
    """A pistol at Fight +2: 19 of 40 in the open; light cover makes it 31 of 80 and heavy cover 31 of 100."""
    short = "/v1/games/stargrave/shoot?shooter=recruit:carbine&target=trooper&assume=usual&odds=1"
    link = f"{short}&range_in=8,30&cover=none,light,heavy"
    assert len(link) < 300
    law = json.loads(client.get(link).data)
    assert list(law["points"][0]["values"]) == ["/case/given/range_in", "/case/given/cover"]
    assert [point["allowed"] for point in law["points"]] == [True] * 3 + [False] * 3
    text = client.get(link, headers={"Accept": "text/plain"}, follow_redirects=True).get_data(as_text=True)
    lines = [line.split() for line in text.splitlines()]
    assert ["range_in", "cover", "mean", "0", "1"] in lines
    for cover, mean in (("none", "0.475"), ("light", "0.3875"), ("heavy", "0.31")):
        assert any(line[:3] == ["8", cover, mean] for line in lines)
    assert "Forbidden at" in text
    for form, mark in (("text/markdown", "**Forbidden at**"), ("text/html", "<pre>")):
        assert mark in client.get(link, headers={"Accept": form}, follow_redirects=True).get_data(as_text=True)
    # A ruling is one; several values are no value of the fact.
    wrong = client.get(link.replace("&odds=1", ""))
    assert {fault["code"] for fault in json.loads(wrong.data)["errors"]} == {"fact-value"}


def test_a_short_form_says_how_odds_are_to_be_had(client: FlaskClient) -> None:
    short = (
        "/v1/games/stargrave/shoot?shooter=recruit:carbine&target=trooper&range_in=8&cover=light&assume=usual&odds=1"
    )
    law = json.loads(client.get(f"{short}&fields=hits").data)
    assert [marginal["field"] for marginal in law["marginals"]] == ["hits"]
    crowd = json.loads(client.get(f"{short}&heads=400").data)
    assert (crowd["method"], crowd["heads"]) == ("heads", 400)
    attack = "/v1/games/rapture/attack?attacker=lantern-bearer&target=gate-breaker&contact=yes&odds=1"
    first, reacting = (json.loads(client.get(attack + more).data) for more in ("", "&policy:theirs=reacting"))
    assert reacting["policies"] == {"*": "first", "theirs": "reacting"}
    assert reacting["outcomes"] != first["outcomes"]


# Simulations


def test_a_simulation_takes_facts_and_sweeps_over_them(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    for game_, table in AT_TABLE.items():
        name, values = next(iter(table.vary.items()))
        body = {**table.body(), "count": 6, "seed": 3, "vary": {f"/case/given/{name}": values}}
        answer = ask(with_jobs, path_of(game_, table, "/simulations"), body)
        assert answer.status_code == 202, answer.get_data(as_text=True)
        job = json.loads(answer.data)
        store.do(job["id"])
        result = json.loads(with_jobs.get(job["links"]["result"]).data)
        assert [point["values"] for point in result["points"]] == [{f"/case/given/{name}": value} for value in values]
        # What is counted is what single questions answer to the same facts and seeds.
        for point, value in zip(result["points"], values, strict=True):
            rulings = [
                told(
                    with_jobs,
                    path_of(game_, table),
                    {**table.body(**{name: value}), "dice": {"seed": game_seed(3, at)}, "policies": {"*": "first"}},
                )
                for at in range(6)
            ]
            assert point["forbidden"] == sum(not ruling["allowed"] for ruling in rulings), (game_, value)
            for metric in point["metrics"]:
                counted = [
                    ruling["answer"][metric["name"]]
                    for ruling in rulings
                    if ruling["allowed"] and metric["name"] in ruling["answer"]
                ]
                shares = {share["value"]: share["games"] for share in metric["shares"] if share["games"]}
                if counted:
                    assert shares == {each: counted.count(each) for each in set(counted)}, (game_, metric["name"])
        text = with_jobs.get(f"{job['links']['result']}", headers={"Accept": "text/csv"}).get_data(as_text=True)
        assert next(csv.reader(io.StringIO(text)))[0] == name
        # A plot has a panel for each metric, and one panel shows how the place is named.
        one = result["points"][0]["metrics"][0]["name"]
        job = json.loads(ask(with_jobs, path_of(game_, table, "/simulations"), {**body, "metrics": [one]}).data)
        store.do(job["id"])
        plot = with_jobs.get(job["links"]["plot"]).get_data(as_text=True)
        assert name in plot
        assert "/case/given" not in plot


def test_a_simulation_without_a_fact_says_which_it_needs(with_jobs: FlaskClient) -> None:
    for game_, table in AT_TABLE.items():
        case = {name: part for name, part in table.case.items() if name != "assume"}
        answer = ask(with_jobs, path_of(game_, table, "/simulations"), {"case": case, "count": 5})
        (fault, *_) = problem(answer, 422, "invalid")["errors"]
        assert fault["code"] == "fact-missing", game_
        assert fault["pointer"].startswith("/case/given/")
        assert fault["message"].endswith("?")


# For people


@EVERY
def test_a_transcript_says_what_the_players_say(client: FlaskClient, game_: str, table: AtTable) -> None:
    answer = ask(client, path_of(game_, table), settled(table))
    for form in ("text/plain", "text/html"):
        text = client.get(answer.headers["Content-Location"], headers={"Accept": form}).get_data(as_text=True)
        assert "(as the players say)" in text


def test_what_contradicts_the_board_is_told_with_both_and_wins_only_where_it_is_to(client: FlaskClient) -> None:
    """Ann and Bob stand five apart, or on the third hex or tile; the players say seven, or six."""
    placed: dict[str, tuple[dict[str, Any], list[dict[str, Any]], str, Any, Any]] = {
        "stargrave": (
            {"width_in": 20, "depth_in": 20, "pieces": []},
            [{"at": [5, 5]}, {"at": [10, 5]}],
            "range_in",
            7,
            "4",
        ),
        "blackstone-fortress": (
            {"hexes": [[column, 0] for column in range(5)]},
            [{"hex": [0, 0]}, {"hex": [3, 0]}],
            "range",
            6,
            "3",
        ),
        "rapture": ({}, [{"models": [[20, 20]]}, {"models": [[30, 20]]}], "range_cm", 25, ""),
        "size-skirmish": (
            {"width": 20, "depth": 20},
            [{"at": [5, 5], "facing": [1, 0]}, {"at": [10, 5], "facing": [-1, 0]}],
            "distance",
            7,
            "5",
        ),
        "warleague": (
            {"columns": 9, "rows": 3},
            [{"at": [0, 1], "facing": 0}, {"at": [3, 1], "facing": 3}],
            "distance",
            4,
            "3",
        ),
    }
    rosters = {
        "blackstone-fortress": ("explorers", "hostiles"),
        "stargrave": ("figures",),
        "size-skirmish": ("models",),
    }
    for game_, (board, places, fact, said, seen) in placed.items():
        table = AT_TABLE[game_]
        scene = json.loads(json.dumps(table.case["scene"]))
        rows = [row for roster in rosters.get(game_, ("units",)) for row in scene[roster]]
        for row, place in zip(rows, places, strict=True):
            row.update(place)
        if game_ == "rapture":
            scene["sides"] = [{"id": "red", "edge": "west"}, {"id": "blue", "edge": "east"}]
        case = {**table.case, "scene": {**scene, "board": board}, "given": {fact: said}}
        asked = {"case": case, "dice": {"seed": "7"}, "policies": {"*": "first"}}
        if game_ == "blackstone-fortress":
            case["die"] = "free"
        (fault,) = problem(ask(client, path_of(game_, table), asked), 422, "invalid")["errors"]
        assert (fault["pointer"], fault["code"], fault["seen"]) == (
            f"/case/given/{fact}",
            "fact-contradicts-board",
            said,
        ), game_
        assert fault["expected"].startswith(seen)
        ruling = told(client, path_of(game_, table), {**asked, "case": {**case, "given_wins": True}})
        assert (fact, said, "given") in [(each["fact"], each["value"], each["origin"]) for each in ruling["facts"]], (
            game_
        )
