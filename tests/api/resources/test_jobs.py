"""Jobs looked at, listed, dismissed, and their results in every form, in every state they can be in."""

import csv
import io
import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from api import create_app
from api.jobs import service
from api.schemas.job_status import LONGEST_GAP_S, again_after_s, moment
from api.settings import Settings
from arbiter.fault import Fault
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, codes, problem
from workers.jobs.models import Cause, Job

SIMULATE = f"{ATTACK}/simulations"
SEEDED = attack(dice={"seed": "s"}, policies={"*": "first"})
NOBODY = "0" * 32


@pytest.fixture(autouse=True)
def nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at jobs anew each time; what is cached has tests of its own."""
    monkeypatch.setattr(service, "FRESH_S", 0.0)


def simulated(client: FlaskClient, **members: Any) -> str:
    answer = ask(client, SIMULATE, attack(**{"count": 10, **members}))
    assert answer.status_code == 202
    name: str = json.loads(answer.data)["id"]
    return name


def look(client: FlaskClient, id_: str) -> dict[str, Any]:
    answer = client.get(f"/v1/jobs/{id_}")
    assert (answer.status_code, answer.content_type) == (200, "application/json")
    told: dict[str, Any] = json.loads(answer.data)
    return told


# A job


def test_a_job_tells_its_story_in_times_of_utc(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    told = look(with_jobs, id_)
    created = datetime.fromisoformat(told["created"])
    assert abs(datetime.now(UTC) - created) < timedelta(seconds=30)
    assert (told["started"], told["finished"], told["cause"]) == (None, None, None)
    assert datetime.fromisoformat(told["expires"]) - created == timedelta(days=1)
    store.change(id_, state="running", started=1_780_000_000.0, done=4, seconds_left=2.5, attempts=1)
    told = look(with_jobs, id_)
    # By hand: 1,780,000,000 s are 20,601 days (to 2026-05-28) and 73,600 s (20:26:40).
    assert told["started"] == "2026-05-28T20:26:40.000Z"
    assert (told["state"], told["progress"], told["seconds_left"], told["attempts"]) == (
        "running",
        {"done": 4, "total": 10},
        2.5,
        1,
    )
    assert told["links"] == {
        "self": f"/v1/jobs/{id_}",
        "result": f"/v1/jobs/{id_}/result",
        "events": f"/v1/jobs/{id_}/events",
        "plot": f"/v1/jobs/{id_}/result.svg",
        "question": ATTACK,
    }


@pytest.mark.parametrize(
    ("seconds_left", "again"), [(None, 1), (0.0, 1), (0.2, 1), (2.5, 3), (3.0, 3), (9_999.0, LONGEST_GAP_S)]
)
def test_an_open_job_is_asked_for_again_later(
    with_jobs: FlaskClient, store: MemoryJobs, seconds_left: float | None, again: int
) -> None:
    id_ = simulated(with_jobs)
    store.change(id_, state="running", seconds_left=seconds_left)
    answer = with_jobs.get(f"/v1/jobs/{id_}")
    assert int(answer.headers["Retry-After"]) == again == again_after_s(store.kept[id_].job)


@pytest.mark.parametrize("state", ["successful", "failed", "dismissed"])
def test_a_job_that_has_ended_need_not_be_asked_for_again(
    with_jobs: FlaskClient, store: MemoryJobs, state: str
) -> None:
    id_ = simulated(with_jobs)
    store.change(id_, state=state, finished=1_780_000_000.25)
    answer = with_jobs.get(f"/v1/jobs/{id_}")
    assert "Retry-After" not in answer.headers
    assert json.loads(answer.data)["finished"] == "2026-05-28T20:26:40.250Z"


def test_moments_are_rounded_to_milliseconds_and_say_utc() -> None:
    assert moment(0) == "1970-01-01T00:00:00.000Z"
    assert moment(86_399.9994) == "1970-01-01T23:59:59.999Z"


@pytest.mark.parametrize("path", ["", "/result", "/result.svg", "/events"])
@pytest.mark.parametrize("id_", [NOBODY, "x", "0" * 33, "A" * 32, "%00", "a%0ab", "*" * 32])
def test_a_job_that_nobody_has_is_not_found(with_jobs: FlaskClient, path: str, id_: str) -> None:
    problem(with_jobs.get(f"/v1/jobs/{id_}{path}"), 404, "not-found")
    if not path:
        problem(with_jobs.delete(f"/v1/jobs/{id_}"), 404, "not-found")


@pytest.mark.parametrize("path", ["", f"/{NOBODY}", f"/{NOBODY}/result", f"/{NOBODY}/result.svg", f"/{NOBODY}/events"])
def test_where_there_are_no_jobs_every_page_says_so(client: FlaskClient, path: str) -> None:
    problem(client.get(f"/v1/jobs{path}"), 503, "no-jobs")


@pytest.mark.parametrize("path", ["", "/{}", "/{}/result", "/{}/result.svg", "/{}/events"])
def test_a_store_that_is_away_says_when_to_come_back(with_jobs: FlaskClient, store: MemoryJobs, path: str) -> None:
    id_ = simulated(with_jobs)
    store.away = True
    answer = with_jobs.get(f"/v1/jobs{path.format(id_)}")
    problem(answer, 503, "store-away")
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("", "text/html"),
        ("/{}", "text/csv"),
        ("/{}/result", "text/html"),
        ("/{}/result", "image/svg+xml"),
        ("/{}/result.svg", "application/json"),
        ("/{}/events", "application/json"),
        ("/{}/result", "text/csv;q=0"),
    ],
)
def test_forms_that_there_are_not(with_jobs: FlaskClient, store: MemoryJobs, path: str, accept: str) -> None:
    id_ = simulated(with_jobs)
    store.do(id_)
    problem(with_jobs.get(f"/v1/jobs{path.format(id_)}", headers={"Accept": accept}), 406, "not-acceptable")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_job_is_not_posted(with_jobs: FlaskClient, method: str) -> None:
    answer = with_jobs.open(f"/v1/jobs/{NOBODY}", method=method)
    problem(answer, 405, "method-not-allowed")
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS"


# What is cached of jobs


@pytest.fixture
def cached(store: MemoryJobs, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A gateway with jobs that caches for a minute what it has told of them."""
    monkeypatch.setattr(service, "FRESH_S", 60.0)
    return create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()


def test_a_look_at_an_open_job_serves_a_crowd_for_a_moment(cached: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(cached)
    asked = store.asked
    store.change(id_, state="running")
    assert {look(cached, id_)["state"] for _ in range(20)} == {"accepted"}
    assert store.asked == asked


def test_the_result_is_there_as_soon_as_the_job_has_ended(cached: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(cached)
    problem(cached.get(f"/v1/jobs/{id_}/result"), 409, "not-finished")
    store.do(id_)
    assert cached.get(f"/v1/jobs/{id_}/result").status_code == 200


def test_a_failed_job_may_begin_anew(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    store.fail(id_, Cause("too-long", "It took too long."))
    assert look(with_jobs, id_)["cause"] == {"code": "too-long", "detail": "It took too long.", "errors": []}
    assert simulated(with_jobs) == id_
    assert look(with_jobs, id_)["state"] == "accepted"


def test_what_is_cached_is_bounded(with_jobs: FlaskClient, store: MemoryJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_CACHED", 3)
    monkeypatch.setattr(service, "FRESH_S", 60.0)
    counter = service.JobService(Settings(), store)
    jobs = [Job(f"{n:032x}", "ruling", "g", "q", "successful", 1, 1, 1.0, 0.0, time.time() + 60) for n in range(20)]
    for job in jobs:
        counter.remember(job)
        assert len(counter._statuses) <= 3


# The result


def test_a_result_that_is_not_there_yet(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    for state in ("accepted", "running"):
        store.change(id_, state=state, seconds_left=4.2)
        answer = with_jobs.get(f"/v1/jobs/{id_}/result")
        assert state in problem(answer, 409, "not-finished")["detail"]
        assert answer.headers["Retry-After"] == "5"
        problem(with_jobs.get(f"/v1/jobs/{id_}/result.svg"), 409, "not-finished")


def test_a_result_that_there_will_never_be(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    store.fail(id_, Cause("invalid", "It turned out impossible.", (Fault("/case/target", "x", "is gone"),)))
    told = problem(with_jobs.get(f"/v1/jobs/{id_}/result"), 409, "job-failed")
    assert codes(told) == {"/case/target": "x"}
    assert told["cause"]["code"] == "invalid"
    simulated(with_jobs)
    store.dismiss(id_)
    problem(with_jobs.get(f"/v1/jobs/{id_}/result"), 410, "job-dismissed")
    problem(with_jobs.get(f"/v1/jobs/{id_}/result.svg"), 410, "job-dismissed")


def test_a_result_that_was_forgotten_before_its_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    store.do(id_)
    store.kept[id_].result = None
    problem(with_jobs.get(f"/v1/jobs/{id_}/result"), 404, "not-found")


def test_a_result_in_every_form(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs, vary={"/policies/*": ["first", "bold"]})
    store.do(id_)
    path = f"/v1/jobs/{id_}/result"
    as_json = with_jobs.get(path)
    assert as_json.data == store.kept[id_].result
    assert with_jobs.get(path, headers={"Accept": "text/csv;q=0.5, application/json"}).data == as_json.data
    table = with_jobs.get(path, headers={"Accept": "text/csv"})
    assert table.content_type == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(table.get_data(as_text=True))))
    hits = [row for row in rows if row["metric"] == "hits" and row["games"]]
    assert sum(int(row["games"]) for row in hits) == 20, "ten games at each of two points"
    plot = with_jobs.get(f"{path}.svg")
    assert plot.content_type.startswith("image/svg+xml")
    assert ElementTree.fromstring(plot.data).tag == "{http://www.w3.org/2000/svg}svg"
    for answer in (as_json, table, plot):
        assert "Accept" in answer.headers["Vary"]
        assert "immutable" in answer.headers["Cache-Control"]
        assert 86_000 < int(answer.headers["Cache-Control"].split("max-age=")[1].split(",")[0]) <= 86_400


def test_only_simulations_have_tables_and_plots(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = json.loads(ask(with_jobs, ATTACK, SEEDED, headers={"Prefer": "respond-async"}).data)["id"]
    store.do(id_)
    problem(with_jobs.get(f"/v1/jobs/{id_}/result.svg"), 404, "not-found")
    problem(with_jobs.get(f"/v1/jobs/{id_}/result", headers={"Accept": "text/csv"}), 406, "not-acceptable")
    assert with_jobs.get(f"/v1/jobs/{id_}/result").data == ask(with_jobs, ATTACK, SEEDED).data


# Dismissal


def test_a_dismissed_job_stays_dismissed(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(with_jobs)
    for _ in range(2):
        answer = with_jobs.delete(f"/v1/jobs/{id_}")
        assert (answer.status_code, json.loads(answer.data)["state"]) == (200, "dismissed")
    assert look(with_jobs, id_)["state"] == "dismissed"


def test_a_dismissal_is_seen_at_once(cached: FlaskClient, store: MemoryJobs) -> None:
    id_ = simulated(cached)
    look(cached, id_)
    cached.delete(f"/v1/jobs/{id_}")
    assert look(cached, id_)["state"] == "dismissed"


@pytest.mark.parametrize("state", ["successful", "failed"])
def test_a_job_that_has_ended_is_not_dismissed(with_jobs: FlaskClient, store: MemoryJobs, state: str) -> None:
    id_ = simulated(with_jobs)
    store.change(id_, state=state)
    answer = with_jobs.delete(f"/v1/jobs/{id_}")
    assert (answer.status_code, json.loads(answer.data)["state"]) == (200, state)


# The list


def test_a_caller_has_a_list_of_jobs_page_by_page(with_jobs: FlaskClient) -> None:
    ids = [simulated(with_jobs, seed=seed) for seed in range(7)]
    found, path = [], "/v1/jobs?limit=3"
    sizes = []
    while path:
        answer = with_jobs.get(path)
        told = json.loads(answer.data)
        found += [job["id"] for job in told["jobs"]]
        sizes.append(len(told["jobs"]))
        path = told["links"].get("next")
        assert answer.headers.get("Link") == (f'<{path}>; rel="next"' if path else None)
        assert (told["next"] is None) == (path is None)
    assert (found, sizes) == (ids[::-1], [3, 3, 1])


def test_nobody_lists_the_jobs_of_another(with_jobs: FlaskClient) -> None:
    id_ = simulated(with_jobs)
    other = {"REMOTE_ADDR": "10.9.8.7"}
    assert json.loads(with_jobs.get("/v1/jobs", environ_overrides=other).data)["jobs"] == []
    assert [job["id"] for job in json.loads(with_jobs.get("/v1/jobs").data)["jobs"]] == [id_]
    theirs = json.loads(ask(with_jobs, SIMULATE, attack(count=10), environ_overrides=other).data)["id"]
    assert theirs != id_
    assert [job["id"] for job in json.loads(with_jobs.get("/v1/jobs", environ_overrides=other).data)["jobs"]] == [
        theirs
    ]
    assert [job["id"] for job in json.loads(with_jobs.get("/v1/jobs").data)["jobs"]] == [id_]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=0", {"/limit": "too-small"}),
        ("limit=101", {"/limit": "too-large"}),
        ("limit=x", {"/limit": "wrong-type"}),
        ("after=", {"/after": "too-short"}),
        (f"after={'x' * 101}", {"/after": "too-long"}),
        ("page=2", {"/page": "unknown-field"}),
        ("limit=1&limit=2", {"/limit": "duplicate-field"}),
    ],
)
def test_pages_that_there_are_not(with_jobs: FlaskClient, query: str, expected: dict[str, str]) -> None:
    assert codes(problem(with_jobs.get(f"/v1/jobs?{query}"), 422, "invalid")) == expected


# Metrics


def sampled(client: FlaskClient) -> dict[tuple[str, str], float]:
    families = text_string_to_metric_families(client.get("/metrics").get_data(as_text=True))
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_queues_and_workers_are_measured(with_jobs: FlaskClient) -> None:
    simulated(with_jobs)
    found = sampled(with_jobs)
    assert found["arbiter_job_store_up", ""] == 1
    assert found["arbiter_queue_open_jobs", "short"] == 1
    assert found["arbiter_queue_open_jobs", "long"] == 0
    assert found["arbiter_job_failures_total", "too-long"] == 2
    assert found["arbiter_webhooks_total", "delivered"] == 7
    assert found["arbiter_chunk_seconds_bucket", "60.0"] == 2
    assert found["arbiter_chunk_seconds_count", ""] == 3


def test_a_store_that_is_away_is_measured_too(with_jobs: FlaskClient, store: MemoryJobs, client: FlaskClient) -> None:
    store.away = True
    found = sampled(with_jobs)
    assert found["arbiter_job_store_up", ""] == 0
    assert not any(name.startswith("arbiter_queue") for name, _ in found)
    assert ("arbiter_job_store_up", "") not in sampled(client)


def test_jobs_are_counted_by_their_route_and_not_by_their_id(with_jobs: FlaskClient) -> None:
    for seed in range(3):
        look(with_jobs, simulated(with_jobs, seed=seed))
    text = with_jobs.get("/metrics").get_data(as_text=True)
    assert 'route="/v1/jobs/<job>",status="200"' in text
    assert (
        f'arbiter_requests_total{{game="{TEMPLATE.name}",question="attack",'
        'route="/v1/games/<game>/<question>/simulations",status="202"} 3.0' in text
    )


def test_a_store_is_kept_where_the_settings_say_and_asked_by_nobody_who_wants_no_job(
    monkeypatch: pytest.MonkeyPatch, store: MemoryJobs
) -> None:
    opened: list[Settings] = []

    def opening(settings: Settings) -> MemoryJobs:
        opened.append(settings)
        return store

    monkeypatch.setattr("workers.jobs.store.Jobs", opening)
    settings = Settings(redis_url="redis://127.0.0.1:1/0", log_level="error")
    client = create_app(settings, GAMES).test_client()
    assert ask(client, ATTACK, SEEDED).status_code == 200
    assert store.asked == 0
    look(client, simulated(client))
    assert opened == [settings]
