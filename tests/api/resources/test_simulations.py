"""Simulations as they are posted: sweeps with all their faults, metrics, estimates, callbacks and keys."""

import json
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.jobs import submission
from api.jobs.sweeps import read
from api.settings import Settings
from arbiter.simulation.simulate import game_seed
from arbiter.simulation.sweep import MOST_POINTS
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, BATTLE, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem, with_questions
from workers.jobs.models import Job
from workers.jobs.work import GAME_MS, Work

SIMULATE = f"{ATTACK}/simulations"
PROFILE = "/case/scene/fighters/0/profile"


def taken(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 202, answer.get_data(as_text=True)
    assert answer.content_type == "application/json"
    assert "Prefer" in answer.headers["Vary"]
    told: dict[str, Any] = json.loads(answer.data)
    assert answer.headers["Location"] == f"/v1/jobs/{told['id']}" == told["links"]["self"]
    return told


def faults(answer: Any) -> dict[str, str]:
    return codes(problem(answer, 422, "invalid"))


def test_a_simulation_is_a_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    answer = ask(with_jobs, SIMULATE, attack(count=20, seed=5))
    told = taken(answer)
    assert (told["kind"], told["game"], told["question"]) == ("simulation", TEMPLATE.name, "attack")
    assert (told["state"], told["progress"]) == ("accepted", {"done": 0, "total": 20})
    assert told["links"]["plot"] == f"{told['links']['self']}/result.svg"
    assert answer.headers["Retry-After"] == "1"
    assert "Preference-Applied" not in answer.headers
    assert store.kept[told["id"]].work.body == json.dumps(attack(count=20, seed=5), separators=(",", ":"))


def test_the_result_counts_what_single_questions_answer(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    told = taken(ask(with_jobs, SIMULATE, attack(count=30, seed=9, metrics=["hits"])))
    store.do(told["id"])
    got = json.loads(with_jobs.get(told["links"]["result"]).data)
    hits = [
        json.loads(ask(with_jobs, ATTACK, attack(dice={"seed": game_seed(9, game)}, policies={"*": "first"})).data)[
            "answer"
        ]["hits"]
        for game in range(30)
    ]
    (metric,) = got["points"][0]["metrics"]
    assert {share["value"]: share["games"] for share in metric["shares"] if share["games"]} == {
        value: hits.count(value) for value in set(hits)
    }


def test_asking_twice_is_one_job_however_it_is_written(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    plain = taken(ask(with_jobs, SIMULATE, attack()))
    spelled = json.dumps(dict(reversed(attack(count=1_000, seed=0, policies={}).items())), indent=3).encode()
    assert taken(ask(with_jobs, SIMULATE, spelled))["id"] == plain["id"]
    assert taken(ask(with_jobs, SIMULATE, attack(seed=1)))["id"] != plain["id"]
    assert len(store.kept) == 2


def test_questions_without_dice_are_not_simulated(with_jobs: FlaskClient) -> None:
    body = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
    assert MOVES in problem(ask(with_jobs, f"{MOVES}/simulations", body), 404, "no-dice")["detail"]


def test_without_jobs_nothing_is_simulated(client: FlaskClient) -> None:
    problem(ask(client, SIMULATE, attack()), 503, "no-jobs")
    assert faults(ask(client, SIMULATE, attack(count=0))) == {"/count": "too-small"}


# The body


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"count": 0}, {"/count": "too-small"}),
        ({"count": 1_000_001}, {"/count": "too-large"}),
        ({"count": 1.5}, {"/count": "wrong-type"}),
        ({"seed": -1}, {"/seed": "too-small"}),
        ({"seed": ""}, {"/seed": "too-short"}),
        ({"dice": {}}, {"/dice": "unknown-field"}),
        ({"heads": 3}, {"/heads": "unknown-field"}),
        ({"policies": {"*": "bravely"}}, {"/policies/*": "unknown-policy"}),
        ({"readings": {"no-such": "x"}}, {"/readings/no-such": "unknown-reading"}),
        ({"metrics": ["hits", "misses"]}, {"/metrics/1": "unknown-metric"}),
        ({"vary": {"/case/target": []}}, {"/vary/~1case~1target": "too-short"}),
        ({"vary": {"/case/target": "bob"}}, {"/vary/~1case~1target": "wrong-type"}),
        ({"vary": {f"/case/{name}": [1] for name in "abcde"}}, {"/vary": "too-long"}),
        ({"callback": {}}, {"/callback/url": "missing"}),
        ({"callback": {"url": "https://example.org", "secret": "x"}}, {"/callback/secret": "pattern"}),
    ],
)
def test_what_is_wrong_with_a_body(with_jobs: FlaskClient, members: dict[str, Any], expected: dict[str, str]) -> None:
    assert faults(ask(with_jobs, SIMULATE, attack(**members))) == expected


def test_what_is_impossible_without_a_sweep_is_told_at_its_own_place(with_jobs: FlaskClient) -> None:
    body = attack()
    body["case"]["target"] = "cid"
    assert faults(ask(with_jobs, SIMULATE, body)) == {"/case/target": "unknown-fighter"}


def test_a_metric_need_not_be_known_where_the_book_forbids_the_first_game(with_jobs: FlaskClient) -> None:
    body = attack(metrics=["hits", "whatever"])
    body["case"]["scene"]["fighters"][1]["side"] = "red"
    taken(ask(with_jobs, SIMULATE, body))


# Sweeps


def test_a_sweep_counts_its_points(with_jobs: FlaskClient) -> None:
    vary = {PROFILE: ["gunner", "scout", "marksman"], "/policies/*": ["first", "bold"]}
    told = taken(ask(with_jobs, SIMULATE, attack(count=7, vary=vary)))
    assert told["progress"]["total"] == 42
    assert told["estimate_s"] == pytest.approx(42 * GAME_MS / 1000)


def test_a_fault_stands_below_the_value_that_has_it(with_jobs: FlaskClient) -> None:
    vary = {
        PROFILE: ["gunner", "wizard", 5],
        "/case/target": ["bob", "cid"],
        "/policies/*": ["bold", "bravely"],
        "/case/scene/fighters/1/hex": [[2, 0], [9, 9], [1, 2, 3]],
    }
    hex_ = "/vary/~1case~1scene~1fighters~11~1hex"
    assert faults(ask(with_jobs, SIMULATE, attack(vary=vary))) == {
        "/vary/~1case~1scene~1fighters~10~1profile/1": "unknown-profile",
        "/vary/~1case~1scene~1fighters~10~1profile/2": "wrong-type",
        "/vary/~1case~1target/1": "unknown-fighter",
        "/vary/~1policies~1*/1": "unknown-policy",
        f"{hex_}/1": "off-board",
        f"{hex_}/2": "too-long",
    }


def test_a_fault_below_a_value_says_where_in_it(with_jobs: FlaskClient) -> None:
    fighter = {"id": "bob", "side": "blue", "profile": "wizard", "hex": [2, 0]}
    vary = {"/case/scene/fighters/1": [{**fighter, "profile": "scout"}, fighter]}
    found = faults(ask(with_jobs, SIMULATE, attack(vary=vary)))
    assert found == {"/vary/~1case~1scene~1fighters~11/1/profile": "unknown-profile"}


def test_what_only_some_values_make_impossible_names_them(with_jobs: FlaskClient) -> None:
    # Ann is put where Bob stands: what is said of Bob's hex comes of the value for Ann's.
    vary = {"/case/scene/fighters/0/hex": [[0, 0], [2, 0]], "/policies/*": ["first", "bold"]}
    told = problem(ask(with_jobs, SIMULATE, attack(vary=vary)), 422, "invalid")
    (fault,) = told["errors"]
    assert (fault["pointer"], fault["code"]) == ("/vary", "taken-hex")
    assert "/case/scene/fighters/1/hex" in fault["message"]
    assert "/case/scene/fighters/0/hex is [2,0]" in fault["message"]
    assert "1 more of 4 points" in fault["message"]
    alone = attack(vary={"/case/scene/fighters/0/hex": [[0, 0], [2, 0]]})
    assert faults(ask(with_jobs, SIMULATE, alone)) == {"/vary/~1case~1scene~1fighters~10~1hex/1": "taken-hex"}


def test_what_is_impossible_everywhere_is_told_once_at_its_own_place(with_jobs: FlaskClient) -> None:
    body = attack(vary={"/policies/*": ["first", "bold"], PROFILE: ["scout", "gunner"]})
    body["case"]["target"] = "cid"
    assert faults(ask(with_jobs, SIMULATE, body)) == {"/case/target": "unknown-fighter"}


@pytest.mark.parametrize(
    "place",
    [
        "/count",
        "/seed",
        "/case",
        "case/target",
        "/case/scene/fighters/2/hex",
        "/case/scene/fighters/-/hex",
        "/nothing/x",
    ],
)
def test_a_place_that_is_none_is_named(with_jobs: FlaskClient, place: str) -> None:
    escaped = place.replace("~", "~0").replace("/", "~1")
    assert faults(ask(with_jobs, SIMULATE, attack(vary={place: [1]}))) == {f"/vary/{escaped}": "no-such-place"}


def test_a_sweep_has_so_many_points_and_no_more(with_jobs: FlaskClient) -> None:
    seats = [[0, 0]] * 10
    body = attack(count=1, vary={"/case/scene/fighters/0/hex": seats, "/case/target": ["bob"] * 10})
    assert taken(ask(with_jobs, SIMULATE, body))["progress"]["total"] == MOST_POINTS
    body["vary"]["/case/target"].append("bob")
    told = problem(ask(with_jobs, SIMULATE, body), 422, "invalid")
    assert codes(told) == {"/vary": "too-many-points"}
    assert told["errors"][0]["seen"] == 110


def test_many_faulty_points_are_no_longer_than_a_problem(with_jobs: FlaskClient) -> None:
    body = attack(vary={"/case/target": [f"x{n}" for n in range(10)], PROFILE: [f"y{n}" for n in range(10)]})
    answer = ask(with_jobs, SIMULATE, body)
    assert len(faults(answer)) == 20
    assert len(answer.data) < 100_000


def test_a_metric_that_only_a_later_point_counts_is_known() -> None:
    question = TEMPLATE.questions["attack"]
    grown = replace(question, metrics=lambda answer: {"hits": answer.hits, **({"many": 1} if answer.hits > 0 else {})})
    game = with_questions(TEMPLATE, attack=grown)
    # By seed 1 the first game of a gunner hits, and that of a scout does not, or the other way round.
    for profile in ("gunner", "scout"):
        body = attack(count=1, seed=1, metrics=["many", "hits"], vary={PROFILE: ["scout", "gunner", profile]})
        assert read(game, grown, json.dumps(body).encode(), 64).estimate_ms == 3 * GAME_MS


# How much it is


def test_the_estimate_is_that_of_all_games_at_all_points(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    battle = {"case": {"scene": attack()["case"]["scene"], "rounds": 2}, "count": 30}
    for path, body, games in (
        (SIMULATE, attack(count=11, vary={"/case/target": ["bob", "bob"]}), 22),
        (f"{BATTLE}/simulations", battle, 30),
    ):
        told = taken(ask(with_jobs, path, body))
        assert store.kept[told["id"]].job.estimate_ms == pytest.approx(games * GAME_MS)


def heavy(cost_ms: float) -> dict[str, Any]:
    question = replace(TEMPLATE.questions["attack"], cost=lambda shot: cost_ms * shot.scene.radius_hexes)
    return {**GAMES, TEMPLATE.name: with_questions(TEMPLATE, attack=question)}


def test_what_is_too_dear_is_told_with_estimate_and_limit(store: MemoryJobs) -> None:
    # At 100 ms for each of a board's radius, 4 hexes, and 25 games, a point takes 10 s.
    client = create_app(Settings(log_level="error", rate_limits=False, job_cost_s=20), heavy(100), store).test_client()
    assert taken(ask(client, SIMULATE, attack(count=50)))["estimate_s"] == 20
    told = problem(ask(client, SIMULATE, attack(count=51)), 422, "too-dear")
    assert (told["estimate_s"], told["limit_s"]) == (pytest.approx(20.4), 20)
    radii = {"/case/scene/radius_hexes": [4, 6]}
    assert taken(ask(client, SIMULATE, attack(count=20, vary=radii)))["estimate_s"] == 20
    problem(ask(client, SIMULATE, attack(count=21, vary=radii)), 422, "too-dear")
    assert len(store.kept) == 2


def test_a_full_queue_says_how_much_is_waiting(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    open_ = taken(ask(with_jobs, SIMULATE, attack(seed=1)))
    store.full = 1234.5
    answer = ask(with_jobs, SIMULATE, attack(seed=2))
    assert problem(answer, 503, "queue-full")["waiting_s"] == 1234.5
    assert 1 <= int(answer.headers["Retry-After"]) <= 300
    assert taken(ask(with_jobs, SIMULATE, attack(seed=1)))["id"] == open_["id"]


def test_a_store_that_is_away_takes_nothing(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    store.away = True
    answer = ask(with_jobs, SIMULATE, attack())
    problem(answer, 503, "store-away")
    assert int(answer.headers["Retry-After"]) > 0
    store.away = False
    assert store.kept == {}
    taken(ask(with_jobs, SIMULATE, attack()))


# Callbacks and keys


def test_a_callback_is_handed_on_and_is_no_part_of_the_work(
    with_jobs: FlaskClient, store: MemoryJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = []
    monkeypatch.setattr(
        submission, "check_target", lambda url, loopback_allowed: checked.append((url, loopback_allowed))
    )
    plain = taken(ask(with_jobs, SIMULATE, attack()))
    told = taken(ask(with_jobs, SIMULATE, attack(callback={"url": "https://example.org/a"})))
    assert told["id"] == plain["id"]
    assert [callback.url for callback in store.kept[told["id"]].callbacks] == ["https://example.org/a"]
    assert "example.org" not in store.kept[told["id"]].work.body
    assert checked == [("https://example.org/a", False)]


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://127.0.0.1/", "https://[::1]/", "ftp://x", "https://u:p@x/"]
)
def test_a_callback_that_may_not_be_called_is_refused(with_jobs: FlaskClient, store: MemoryJobs, url: str) -> None:
    assert faults(ask(with_jobs, SIMULATE, attack(callback={"url": url}))) == {"/callback/url": "refused-callback"}
    assert store.kept == {}


def test_callbacks_to_this_machine_are_for_development(store: MemoryJobs) -> None:
    settings = Settings(log_level="error", callbacks_to_loopback=True)
    taken(
        ask(
            create_app(settings, GAMES, store).test_client(),
            SIMULATE,
            attack(callback={"url": "http://127.0.0.1:9000/"}),
        )
    )


def test_a_key_that_is_used_for_something_else_is_refused(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    key = {"Idempotency-Key": '"one"'}
    first = taken(ask(with_jobs, SIMULATE, attack(seed=1), headers=key))
    assert taken(ask(with_jobs, SIMULATE, attack(seed=1), headers={"Idempotency-Key": "one"}))["id"] == first["id"]
    problem(ask(with_jobs, SIMULATE, attack(seed=2), headers=key), 422, "key-reused")
    problem(ask(with_jobs, SIMULATE, attack(seed=2), headers={"Idempotency-Key": ""}), 400, "bad-request")
    assert len(store.kept) == 1


def test_the_key_of_another_caller_is_another_key(with_jobs: FlaskClient) -> None:
    key = {"Idempotency-Key": '"one"'}
    for seed, address in ((1, "10.0.0.1"), (2, "10.0.0.2")):
        taken(ask(with_jobs, SIMULATE, attack(seed=seed), headers=key, environ_overrides={"REMOTE_ADDR": address}))


def test_work_names_its_game_and_question(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    told = taken(ask(with_jobs, SIMULATE, attack(count=3)))
    work, job = store.kept[told["id"]].work, store.kept[told["id"]].job
    assert isinstance(job, Job)
    assert work == Work("simulation", TEMPLATE.name, "attack", work.body)
