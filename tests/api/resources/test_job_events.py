"""A job followed as server-sent events: its whole story, from any place of it, in silence, in haste and in trouble."""

import json
from collections.abc import Iterator
from threading import Timer
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.resources import job_events
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, ask, attack, problem


class Event(NamedTuple):
    id: str
    event: str
    state: str
    done: int


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait long."""
    for name, value in {"LOOK_EVERY_S": 0.01, "SURE_EVERY_S": 0.02, "AWAY_EVERY_S": 0.01}.items():
        monkeypatch.setattr(job_events, name, value)


@pytest.fixture
def id_(with_jobs: FlaskClient) -> str:
    name: str = json.loads(ask(with_jobs, f"{ATTACK}/simulations", attack(count=10)).data)["id"]
    return name


def follow(client: FlaskClient, id_: str, *, after: str | None = None, query: str = "") -> TestResponse:
    headers = {"Accept": "text/event-stream"} | ({} if after is None else {"Last-Event-ID": after})
    return client.get(f"/v1/jobs/{id_}/events{query}", headers=headers)


def told(answer: TestResponse) -> Iterator[Event]:
    """Read a stream as the specification says: blocks of fields between empty lines; comments are no events."""
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    for block in answer.get_data(as_text=True).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            data = json.loads(fields["data"])
            yield Event(fields["id"], fields["event"], data["state"], data["progress"]["done"])


def play(store: MemoryJobs, id_: str, end: str = "successful") -> None:
    store.change(id_, state="running")
    store.change(id_, done=4)
    store.change(id_, done=7)
    store.change(id_, state=end, done=10)


STORY = [
    Event("1-0", "state", "accepted", 0),
    Event("2-0", "state", "running", 0),
    Event("3-0", "progress", "running", 4),
    Event("4-0", "progress", "running", 7),
    Event("5-0", "state", "successful", 10),
]


def test_the_whole_story_is_told_and_the_stream_ends(with_jobs: FlaskClient, store: MemoryJobs, id_: str) -> None:
    play(store, id_)
    answer = follow(with_jobs, id_)
    assert list(told(answer)) == STORY
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.get_data(as_text=True).startswith(f"retry: {job_events.RETRY_MS}\n\n")


def test_the_data_of_an_event_is_the_job(with_jobs: FlaskClient, store: MemoryJobs, id_: str) -> None:
    play(store, id_)
    last = follow(with_jobs, id_).get_data(as_text=True).split("data: ")[-1]
    # The same work asked for again is the same job as it stands.
    again = ask(with_jobs, f"{ATTACK}/simulations", attack(count=10))
    assert json.loads(last) == json.loads(again.data)


@pytest.mark.parametrize("end", ["successful", "failed", "dismissed"])
def test_the_story_is_told_while_it_happens(with_jobs: FlaskClient, store: MemoryJobs, id_: str, end: str) -> None:
    steps = [
        Timer(0.05 * n, store.change, [id_], change)
        for n, change in enumerate(
            ({"state": "running"}, {"done": 4}, {"done": 7}, {"state": end, "done": 10}), start=1
        )
    ]
    for step in steps:
        step.start()
    assert list(told(follow(with_jobs, id_))) == [*STORY[:4], STORY[4]._replace(state=end)]
    for step in steps:
        step.join()


@pytest.mark.parametrize("seen", range(1, 5))
def test_it_goes_on_after_any_place(with_jobs: FlaskClient, store: MemoryJobs, id_: str, seen: int) -> None:
    play(store, id_)
    place = f"{seen}-0"
    for answer in (follow(with_jobs, id_, after=place), follow(with_jobs, id_, query=f"?last-event-id={place}")):
        rest = list(told(answer))
        assert [event[2:] for event in rest] == [event[2:] for event in STORY[seen:]]
        assert [event.id for event in rest] == [event.id for event in STORY[seen:]]
        assert rest[0].event == "state", "the first that a stream tells is how the job stands"


def test_after_the_end_there_is_nothing_to_come_back_for(with_jobs: FlaskClient, store: MemoryJobs, id_: str) -> None:
    play(store, id_)
    answer = follow(with_jobs, id_, after="5-0")
    assert (answer.status_code, answer.data) == (204, b"")


@pytest.mark.parametrize("place", ["99-0", "nonsense", "a b", "x" * 100, "\xe4"])
def test_from_a_place_that_nobody_knows_the_story_is_told_from_the_beginning(
    with_jobs: FlaskClient, store: MemoryJobs, id_: str, place: str
) -> None:
    play(store, id_)
    assert list(told(follow(with_jobs, id_, after=place))) == STORY


def test_silence_is_broken_by_comments(
    with_jobs: FlaskClient, store: MemoryJobs, id_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_events, "HEARTBEAT_S", 0.05)
    end = Timer(0.3, store.change, [id_], {"state": "dismissed"})
    end.start()
    text = follow(with_jobs, id_).get_data(as_text=True)
    end.join()
    assert 2 <= text.count(": still here\n\n") <= 6


def test_a_stream_ends_after_its_time_and_can_be_taken_up_again(
    with_jobs: FlaskClient, store: MemoryJobs, id_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_events, "LONGEST_S", 0.1)
    first = list(told(follow(with_jobs, id_)))
    assert first == STORY[:1]
    play(store, id_)
    assert [event.id for event in told(follow(with_jobs, id_, after=first[-1].id))] == ["2-0", "3-0", "4-0", "5-0"]


def test_a_store_that_comes_back_is_waited_for(with_jobs: FlaskClient, store: MemoryJobs, id_: str) -> None:
    away = Timer(0.05, lambda: setattr(store, "away", True))

    def back() -> None:
        store.away = False
        play(store, id_)

    returning = Timer(0.2, back)
    away.start()
    returning.start()
    answer = follow(with_jobs, id_)
    assert list(told(answer)) == STORY
    assert ": the store of jobs is away" in answer.get_data(as_text=True)
    away.join()
    returning.join()


def test_a_store_that_stays_away_is_given_up(
    with_jobs: FlaskClient, store: MemoryJobs, id_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_events, "AWAY_S", 0.1)
    away = Timer(0.05, lambda: setattr(store, "away", True))
    away.start()
    answer = follow(with_jobs, id_)
    assert [event.id for event in told(answer)] == ["1-0"]
    away.join()


@pytest.mark.parametrize("trouble", ["the job is forgotten", "its story is"])
def test_a_stream_without_an_end_in_its_story_ends_too(
    with_jobs: FlaskClient, store: MemoryJobs, id_: str, trouble: str
) -> None:
    def forget() -> None:
        if trouble == "the job is forgotten":
            del store.kept[id_]
        else:
            store.change(id_, state="successful")
            store.kept[id_].events = []

    forgetting = Timer(0.05, forget)
    forgetting.start()
    assert [event.id for event in told(follow(with_jobs, id_))] == ["1-0"]
    forgetting.join()


def test_so_many_streams_are_open_at_a_time_and_no_more(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", gateway_threads=3), GAMES, store).test_client()
    id_ = json.loads(ask(client, f"{ATTACK}/simulations", attack()).data)["id"]

    def opened(by: str = "192.0.2.1") -> Any:
        return client.get(f"/v1/jobs/{id_}/events", buffered=False, environ_overrides={"REMOTE_ADDR": by})

    # Two places are left for those who wait, and one caller may hold one of them.
    streams = [opened()]
    problem(opened(), 503, "busy")
    streams.append(opened("192.0.2.2"))
    assert [stream.status_code for stream in streams] == [200, 200]
    refused = opened("192.0.2.3")
    problem(refused, 503, "busy")
    assert int(refused.headers["Retry-After"]) > 0
    # Who waits for a result takes a place as well, and without one does not wait.
    waited = ask(client, f"{ATTACK}/simulations", attack(), headers={"Prefer": "wait=20"})
    assert (waited.status_code, waited.headers.get("Preference-Applied")) == (202, None)
    streams.pop().close()
    problem(opened(), 503, "busy")
    third = opened("192.0.2.3")
    assert third.status_code == 200
    for stream in (*streams, third):
        stream.close()


def test_a_head_opens_no_stream(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", gateway_threads=1), GAMES, store).test_client()
    id_ = json.loads(ask(client, f"{ATTACK}/simulations", attack()).data)["id"]
    answer = client.head(f"/v1/jobs/{id_}/events")
    assert (answer.status_code, answer.mimetype, answer.data) == (200, "text/event-stream", b"")
    problem(client.get(f"/v1/jobs/{id_}/events"), 503, "busy")


@pytest.mark.parametrize("accept", ["text/event-stream", "*/*", "text/*", "text/event-stream;q=0.1, text/html"])
def test_forms_that_let_a_stream_in(with_jobs: FlaskClient, store: MemoryJobs, id_: str, accept: str) -> None:
    play(store, id_)
    assert with_jobs.get(f"/v1/jobs/{id_}/events", headers={"Accept": accept}).mimetype == "text/event-stream"
