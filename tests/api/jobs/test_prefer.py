"""`Prefer` on every question: an answer at once, a job, or a wait, and questions too heavy to be answered at once."""

import json
from dataclasses import replace
from threading import Timer
from time import monotonic
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem, with_questions
from workers.jobs.models import Cause

ODDS, SIMULATE = f"{ATTACK}/odds", f"{ATTACK}/simulations"
SEEDED = attack(dice={"seed": "s"}, policies={"*": "first"})
STAY = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}


def prefer(said: str, **more: str) -> dict[str, str]:
    return {"Prefer": said, **more}


def applied(answer: Any) -> str | None:
    assert "Prefer" in answer.headers["Vary"]
    found: str | None = answer.headers.get("Preference-Applied")
    return found


@pytest.fixture
def prompt() -> FlaskClient:
    """A gateway whose jobs are done as soon as they are handed in."""
    return create_app(Settings(log_level="error", rate_limits=False), GAMES, MemoryJobs(prompt=True)).test_client()


def weighing(cost_ms: float, store: MemoryJobs | None = None, **settings: Any) -> FlaskClient:
    """A gateway whose attack is estimated to take so long."""
    question = replace(TEMPLATE.questions["attack"], cost=lambda _: cost_ms)
    games = {**GAMES, TEMPLATE.name: with_questions(TEMPLATE, attack=question)}
    return create_app(
        Settings(log_level="error", rate_limits=False, sync_cost_ms=1_000, odds_limit_ms=1_000, **settings),
        games,
        store,
    ).test_client()


# At once


@pytest.mark.parametrize("path", [ATTACK, ODDS])
@pytest.mark.parametrize("said", ["", "wait=5", "return=minimal", "respond-async=5", "nonsense;;"])
def test_without_a_preference_for_a_job_there_is_none(
    with_jobs: FlaskClient, store: MemoryJobs, path: str, said: str
) -> None:
    body = SEEDED if path == ATTACK else attack()
    answer = ask(with_jobs, path, body, headers=prefer(said))
    assert (answer.status_code, applied(answer)) == (200, None)
    assert answer.data == ask(with_jobs, path, body).data
    assert store.asked == 0


@pytest.mark.parametrize("path", [ATTACK, ODDS])
def test_where_there_are_no_jobs_the_answer_is_given_at_once(client: FlaskClient, path: str) -> None:
    answer = ask(client, path, SEEDED if path == ATTACK else attack(), headers=prefer("respond-async"))
    assert (answer.status_code, applied(answer)) == (200, None)


# As a job


@pytest.mark.parametrize(
    ("path", "body", "kind"), [(ATTACK, SEEDED, "ruling"), (ODDS, attack(), "odds"), (MOVES, STAY, "ruling")]
)
def test_a_job_gives_the_bytes_that_the_question_gives_at_once(
    with_jobs: FlaskClient, store: MemoryJobs, path: str, body: Any, kind: str
) -> None:
    answer = ask(with_jobs, path, body, headers=prefer("respond-async"))
    told = json.loads(answer.data)
    assert (answer.status_code, applied(answer)) == (202, "respond-async")
    assert answer.headers["Location"] == told["links"]["self"]
    assert answer.headers["Retry-After"] == "1"
    assert (told["kind"], told["state"], told["progress"]) == (kind, "accepted", {"done": 0, "total": 1})
    assert "plot" not in told["links"]
    store.do(told["id"])
    result = with_jobs.get(told["links"]["result"])
    assert (result.status_code, result.content_type) == (200, "application/json")
    assert result.data == ask(with_jobs, path, body).data


@pytest.mark.parametrize("said", ["respond-async", "respond-async, wait=0"])
def test_a_job_that_is_done_already_is_still_only_a_job_unless_it_is_waited_for(prompt: FlaskClient, said: str) -> None:
    ask(prompt, ATTACK, SEEDED, headers=prefer("respond-async"))
    answer = ask(prompt, ATTACK, SEEDED, headers=prefer(said))
    assert answer.status_code == (200 if "wait" in said else 202)
    assert answer.status_code == 200 or (json.loads(answer.data)["state"], "Retry-After" in answer.headers) == (
        "successful",
        False,
    )


def test_a_ruling_whose_dice_nobody_named_is_a_new_one_each_time(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    body = attack(policies={"*": "first"})
    told = [json.loads(ask(with_jobs, ATTACK, body, headers=prefer("respond-async")).data) for _ in range(2)]
    assert told[0]["id"] != told[1]["id"]
    store.do(told[0]["id"])
    result = with_jobs.get(told[0]["links"]["result"])
    seed = json.loads(result.data)["seed"]
    assert len(bytes.fromhex(seed)) == 8
    assert json.loads(ask(with_jobs, ATTACK, {**body, "dice": {"seed": seed}}).data) == json.loads(result.data)


def test_a_key_makes_it_the_same_one(with_jobs: FlaskClient) -> None:
    body = attack(policies={"*": "first"})

    def posted(key: str, **more: Any) -> str:
        answer = ask(with_jobs, ATTACK, {**body, **more}, headers=prefer("respond-async", **{"Idempotency-Key": key}))
        assert answer.status_code == 202
        name: str = json.loads(answer.data)["id"]
        return name

    assert posted('"a"') == posted("a") != posted("b")
    moved = attack(policies={"*": "bold"})
    problem(
        ask(with_jobs, ATTACK, moved, headers=prefer("respond-async", **{"Idempotency-Key": "a"})), 422, "key-reused"
    )


def test_a_key_settles_the_dice_at_once_as_it_does_later(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    body = attack(policies={"*": "first"})
    key = {"Idempotency-Key": "a"}
    told = [json.loads(ask(with_jobs, ATTACK, body, headers=key).data) for _ in range(2)]
    assert told[0] == told[1]
    assert json.loads(ask(with_jobs, ATTACK, body, headers={"Idempotency-Key": "b"}).data)["seed"] != told[0]["seed"]
    later = json.loads(ask(with_jobs, ATTACK, body, headers=prefer("respond-async", **key)).data)
    store.do(later["id"])
    assert json.loads(with_jobs.get(later["links"]["result"]).data) == told[0]


def test_a_question_without_dice_is_one_job_however_often_it_is_asked(
    with_jobs: FlaskClient, store: MemoryJobs
) -> None:
    for _ in range(2):
        assert ask(with_jobs, MOVES, STAY, headers=prefer("respond-async")).status_code == 202
    assert len(store.kept) == 1


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (ATTACK, {}, {"/case": "missing"}),
        (ATTACK, attack(policies={"*": "bravely"}), {"/policies/*": "unknown-policy"}),
        (ATTACK, attack(readings={"x": "y"}), {"/readings/x": "unknown-reading"}),
        (ODDS, attack(heads=0), {"/heads": "too-small"}),
        (MOVES, {"case": {**STAY["case"], "fighter": "cid"}}, {"/case/fighter": "unknown-fighter"}),
    ],
)
def test_what_is_wrong_is_told_before_there_is_a_job(
    with_jobs: FlaskClient, store: MemoryJobs, path: str, body: Any, expected: dict[str, str]
) -> None:
    told = problem(ask(with_jobs, path, body, headers=prefer("respond-async")), 422, "invalid")
    assert codes(told) == expected
    assert store.kept == {}


def test_a_store_that_is_away_takes_no_job_but_does_not_hinder_rulings(
    with_jobs: FlaskClient, store: MemoryJobs
) -> None:
    store.away = True
    assert ask(with_jobs, ATTACK, SEEDED).status_code == 200
    problem(ask(with_jobs, ATTACK, SEEDED, headers=prefer("respond-async")), 503, "store-away")


# Waiting


@pytest.mark.parametrize(("path", "body"), [(ATTACK, SEEDED), (ODDS, attack()), (SIMULATE, attack(count=10))])
def test_who_waits_has_the_result_itself(prompt: FlaskClient, path: str, body: Any) -> None:
    said = "wait=10" if path == SIMULATE else "respond-async, wait=10"
    answer = ask(prompt, path, body, headers=prefer(said))
    assert (answer.status_code, applied(answer), answer.content_type) == (200, "wait=10", "application/json")
    assert answer.data == prompt.get(answer.headers["Content-Location"]).data
    if path != SIMULATE:
        assert answer.data == ask(prompt, path, body).data


def test_who_waits_has_it_as_soon_as_it_is_there(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    worker = Timer(0.2, lambda: store.do(next(iter(store.kept))))
    worker.start()
    began = monotonic()
    answer = ask(with_jobs, SIMULATE, attack(count=5), headers=prefer("wait=20"))
    worker.join()
    assert answer.status_code == 200
    assert monotonic() - began < 20, "it did not wait to the end"


def test_who_has_waited_long_enough_has_the_job(with_jobs: FlaskClient) -> None:
    began = monotonic()
    answer = ask(with_jobs, SIMULATE, attack(), headers=prefer("wait=1"))
    assert monotonic() - began >= 1
    assert (answer.status_code, applied(answer)) == (202, "wait=1")
    again = ask(with_jobs, SIMULATE, attack(), headers=prefer("respond-async, wait=0"))
    assert (again.status_code, applied(again)) == (202, "respond-async, wait=0")


def test_nobody_waits_longer_than_may_be_asked_for(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, most_wait_s=0), GAMES, store).test_client()
    assert applied(ask(client, SIMULATE, attack(), headers=prefer("wait=86400"))) == "wait=0"


def test_when_nobody_else_may_wait_the_job_is_given_right_away(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, gateway_threads=1), GAMES, store).test_client()
    answer = ask(client, SIMULATE, attack(), headers=prefer("wait=20"))
    assert (answer.status_code, applied(answer)) == (202, None)


def test_places_to_wait_are_given_back(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, gateway_threads=2), GAMES, store).test_client()
    for _ in range(3):
        assert applied(ask(client, SIMULATE, attack(), headers=prefer("wait=0"))) == "wait=0"


def test_a_store_that_goes_away_meanwhile_leaves_the_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    going = Timer(0.1, lambda: setattr(store, "away", True))
    going.start()
    answer = ask(with_jobs, SIMULATE, attack(), headers=prefer("wait=20"))
    going.join()
    assert answer.status_code == 202
    assert json.loads(answer.data)["state"] == "accepted"


def test_what_turns_out_impossible_is_told_as_if_at_once(prompt: FlaskClient) -> None:
    body = attack(dice={"hand": {"to hit": [9, 9, 9]}})
    waited = problem(ask(prompt, ATTACK, body, headers=prefer("respond-async, wait=5")), 422, "invalid")
    assert waited["errors"] == problem(ask(prompt, ATTACK, body), 422, "invalid")["errors"]


def test_a_job_that_fails_while_it_is_waited_for_says_why() -> None:
    store = MemoryJobs(prompt=True, path_budget=10)
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()
    told = problem(ask(client, ODDS, attack(), headers=prefer("respond-async, wait=5")), 409, "job-failed")
    assert told["cause"]["code"] == "too-many-paths"


def test_a_job_that_is_dismissed_while_it_is_waited_for_is_gone(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    dismissing = Timer(0.1, lambda: store.dismiss(next(iter(store.kept))))
    dismissing.start()
    problem(ask(with_jobs, SIMULATE, attack(), headers=prefer("wait=20")), 410, "job-dismissed")
    dismissing.join()


# Heavy questions


@pytest.mark.parametrize("path", [ATTACK, ODDS])
def test_a_heavy_question_is_a_job_by_itself(store: MemoryJobs, path: str) -> None:
    body = SEEDED if path == ATTACK else attack()
    answer = ask(weighing(1_000.5, store), path, body)
    assert (answer.status_code, applied(answer)) == (202, None)
    assert json.loads(answer.data)["estimate_s"] == 1.0005
    assert ask(weighing(1_000, store), path, body).status_code == 200


def test_a_heavy_question_may_be_waited_for() -> None:
    answer = ask(weighing(2_000, MemoryJobs(prompt=True)), ATTACK, SEEDED, headers=prefer("wait=9"))
    assert (answer.status_code, applied(answer)) == (200, "wait=9")


def test_a_light_case_of_a_question_that_can_be_heavy_is_answered_at_once_or_as_preferred(store: MemoryJobs) -> None:
    client = weighing(5, store)
    assert ask(client, ATTACK, SEEDED, headers=prefer("wait=9")).status_code == 200
    assert ask(client, ATTACK, SEEDED, headers=prefer("respond-async")).status_code == 202


def test_where_there_are_no_jobs_a_heavy_question_is_too_dear() -> None:
    told = problem(ask(weighing(2_000), ATTACK, SEEDED), 422, "too-dear")
    assert (told["estimate_s"], told["limit_s"]) == (2, 1)


def test_what_is_too_dear_for_a_job_is_too_dear(store: MemoryJobs) -> None:
    client = weighing(3_001, store, job_cost_s=3)
    told = problem(ask(client, ATTACK, SEEDED), 422, "too-dear")
    assert (told["estimate_s"], told["limit_s"]) == (3.001, 3)
    assert store.kept == {}


def test_a_heavy_question_is_still_checked_first(store: MemoryJobs) -> None:
    client = weighing(2_000, store)
    body = attack()
    body["case"]["target"] = "cid"
    assert codes(problem(ask(client, ATTACK, body), 422, "invalid")) == {"/case/target": "unknown-fighter"}
    assert codes(problem(ask(client, ATTACK, b"{"), 422, "invalid")) == {"": "not-json"}


# Laws with too many paths


def test_a_law_with_too_many_paths_is_offered_as_a_job_and_can_be_had_as_one() -> None:
    store = MemoryJobs(prompt=True, path_budget=5_000)
    settings = Settings(log_level="error", rate_limits=False, path_budget=100, job_path_budget=5_000)
    client = create_app(settings, GAMES, store).test_client()
    offered = problem(ask(client, ODDS, attack()), 422, "too-many-paths")["as_job"]
    assert offered == {"path": ODDS, "prefer": "respond-async", "budget": 5_000, "limit_s": 60.0}
    answer = ask(client, offered["path"], attack(), headers=prefer(f"{offered['prefer']}, wait=5"))
    assert json.loads(answer.data)["method"] == "law"


@pytest.mark.parametrize("path_budget", [100, 101])
def test_a_job_is_offered_only_where_it_would_help(path_budget: int) -> None:
    alone = create_app(Settings(log_level="error", rate_limits=False, path_budget=100), GAMES).test_client()
    assert problem(ask(alone, ODDS, attack()), 422, "too-many-paths")["as_job"] is None
    settings = Settings(log_level="error", rate_limits=False, path_budget=path_budget, job_path_budget=100)
    same = create_app(settings, GAMES, MemoryJobs()).test_client()
    assert problem(ask(same, ODDS, attack()), 422, "too-many-paths")["as_job"] is None


def test_a_cause_without_faults_is_a_problem_of_the_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    told = json.loads(ask(with_jobs, ATTACK, SEEDED, headers=prefer("respond-async")).data)
    store.fail(told["id"], Cause("lost-worker", "Its worker was lost three times."))
    failed = problem(with_jobs.get(told["links"]["result"]), 409, "job-failed")
    assert (failed["detail"], failed["cause"]["code"], failed["errors"]) == (
        "Its worker was lost three times.",
        "lost-worker",
        [],
    )


# Callbacks


@pytest.mark.parametrize("path", [ATTACK, ODDS])
def test_a_job_on_any_question_may_have_a_callback_that_has_no_part_in_it(
    with_jobs: FlaskClient, store: MemoryJobs, path: str
) -> None:
    body = SEEDED if path == ATTACK else attack()
    plain = ask(with_jobs, path, body, headers=prefer("respond-async"))
    called = {**body, "callback": {"url": "https://93.184.216.34/done"}}
    answer = ask(with_jobs, path, called, headers=prefer("respond-async"))
    assert (answer.status_code, answer.headers["Location"]) == (202, plain.headers["Location"])
    (kept,) = store.kept.values()
    assert [callback.url for callback in kept.callbacks] == ["https://93.184.216.34/done"]
    # An address of a private network is called by nobody.
    called["callback"] = {"url": "https://10.0.0.1/done"}
    refused = problem(ask(with_jobs, path, called, headers=prefer("respond-async")), 422, "invalid")
    assert codes(refused) == {"/callback/url": "refused-callback"}


def test_who_is_answered_at_once_is_not_called_back(with_jobs: FlaskClient) -> None:
    answer = ask(with_jobs, ATTACK, {**SEEDED, "callback": {"url": "https://93.184.216.34/done"}})
    assert codes(problem(answer, 422, "invalid")) == {"/callback": "unknown-field"}
