"""The store of jobs without any worker: what is submitted, listed, refused, taken back and forgotten."""

import json
import time
from typing import Any

import pytest
from msgspec.structs import replace

from infra.errors import StoreUnavailable
from infra.settings import WorkerSettings
from tests.patience import within
from tests.workers.naps import naps, ruling
from tests.workers.service import Server, counted, ended, expected, job_of, running
from workers import celery_config
from workers.jobs.chunk_store import PATIENT, BegunChunk, ChunkStore
from workers.jobs.models import Job, KeyReused, Queue, QueueFull
from workers.jobs.store import MOST_CALLBACKS, Depth, Jobs
from workers.jobs.work import identify
from workers.runner import HEARTBEAT_S
from workers.webhooks.callback import Callback


@pytest.fixture
def server(one_server: Server) -> Server:
    if not one_server.answers():
        one_server.start()
    one_server.client.flushall()
    return one_server


BRIEF = {"result_expiry_s": 1, "soft_time_limit_s": 0.1, "hard_time_limit_s": 0.2, "visibility_timeout_s": 1}
"""Times so short that no environment could set them."""

IDLE = dict.fromkeys(celery_config.QUEUES, Depth(0, 0, 0.0))

QUEUE_OF_SIMULATION: tuple[tuple[float, Queue], ...] = (
    (0.001, "short"),
    (1.0, "short"),
    (1.001, "simulations"),
    (1_000.0, "simulations"),
    (1_100.0, "long"),
    (14_400.0, "long"),
)
"""Estimates of a thousand games, in seconds: they make a thousand chunks at most, of one game each."""

QUEUE_OF_RULING: tuple[tuple[float, Queue], ...] = ((0.001, "short"), (1.0, "short"), (1.001, "long"), (60.0, "long"))


def begun(store: ChunkStore, job_id: str) -> BegunChunk:
    found = store.begin(job_id, "0")
    assert found is not None
    return found


def settings_for(server: Server, **said: Any) -> WorkerSettings:
    return replace(WorkerSettings(redis_url=server.url), **said)


def test_the_same_work_of_one_caller_is_one_job(jobs: Jobs) -> None:
    first = jobs.submit(naps(5), caller="a", estimate_ms=5_000.0)
    second = jobs.submit(naps(5), caller="a", estimate_ms=5_000.0)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.job == second.job
    assert first.job.id == identify(naps(5), "a")
    assert (first.job.state, first.job.done, first.job.total) == ("accepted", 0, 5)
    assert jobs.job(first.job.id) == first.job
    assert jobs.depths() == {**IDLE, "simulations": Depth(1, 1, 5.0)}
    assert jobs.list_jobs("a", None, 9) == ((first.job,), None)


def test_work_that_differs_in_spelling_alone_is_the_same_work(only_naps: None) -> None:
    plain = naps(5)
    body = json.loads(plain.body)
    for spelled in ({"seed": str(body.get("seed", 0))}, {"policies": {**body.get("policies", {}), "*": "first"}}):
        again = replace(plain, body=json.dumps({**body, **spelled}))
        assert identify(again, "a") == identify(plain, "a")
        assert expected(again) == expected(plain)
    other = replace(plain, body=json.dumps({**body, "seed": 12345}))
    assert identify(other, "a") != identify(plain, "a")


def test_kinds_of_work_have_their_queues(jobs: Jobs) -> None:
    """What may take over a second waits apart, and so does a caller's second simulation."""
    for count, (estimate_s, queue) in enumerate(QUEUE_OF_SIMULATION, 1):
        jobs.submit(naps(1_000, number=count), caller=f"a{count}", estimate_ms=1_000.0 * estimate_s)
        assert jobs.depths()[queue].open_jobs == 1, estimate_s
        jobs.dismiss(identify(naps(1_000, number=count), f"a{count}"))
    for number, (estimate_s, queue) in enumerate(QUEUE_OF_RULING):
        jobs.submit(ruling(number), caller="b", estimate_ms=1_000.0 * estimate_s)
        assert jobs.depths()[queue].open_jobs == 1, estimate_s
        jobs.dismiss(identify(ruling(number), "b"))


def test_a_caller_takes_turns_with_others_and_not_each_of_his_simulations(jobs: Jobs) -> None:
    submitted = [jobs.submit(naps(1_000, number=n), caller="a", estimate_ms=9_000.0).job.id for n in range(3)]
    assert (jobs.depths()["simulations"].open_jobs, jobs.depths()["long"].open_jobs) == (1, 2)
    jobs.submit(naps(1_000, number=1), caller="b", estimate_ms=9_000.0)
    assert (jobs.depths()["simulations"].open_jobs, jobs.depths()["long"].open_jobs) == (2, 2)
    # Where the first is over, there is room for the next.
    jobs.dismiss(submitted[0])
    jobs.submit(naps(1_000, number=9), caller="a", estimate_ms=9_000.0)
    assert (jobs.depths()["simulations"].open_jobs, jobs.depths()["long"].open_jobs) == (2, 2)


def test_work_that_turns_out_long_waits_with_the_long(server: Server, jobs: Jobs) -> None:
    hands = ChunkStore(settings_for(server))
    job = jobs.submit(ruling(1), caller="a", estimate_ms=400.0).job
    sent = hands.give_back(begun(hands, job.id), "long")
    assert sent is not None
    assert (sent.job_id, sent.chunk, sent.queue) == (job.id, "0", "long")
    # Its first message lies in the short queue still, and stands for nothing there.
    assert jobs.depths() == {**IDLE, "short": Depth(1, 0, 0.0), "long": Depth(0, 1, 0.4)}
    again = begun(hands, job.id)
    assert (again.queue, job_of(jobs, job.id).attempts) == ("long", 0)
    last = hands.store(again, b"{}", 1, 1.0)
    assert last is not None
    hands.finish(last, b"{}")
    assert jobs.depths() == {**IDLE, "short": Depth(1, 0, 0.0)}


@pytest.mark.parametrize("job_id", ["", "0" * 32, "*", "0" * 31 + "\n", "g" * 32, "key:0", "0" * 32 + ":work"])
def test_what_is_no_job_is_none(jobs: Jobs, job_id: str) -> None:
    assert jobs.job(job_id) is None
    assert jobs.result(job_id) is None
    assert jobs.dismiss(job_id) is None
    assert jobs.events(job_id, None) == ()


def test_a_key_stands_for_the_first_work_it_was_used_for(jobs: Jobs) -> None:
    first = jobs.submit(naps(1), caller="a", estimate_ms=1.0, key="k")
    assert not jobs.submit(naps(1), caller="a", estimate_ms=1.0, key="k").fresh
    with pytest.raises(KeyReused):
        jobs.submit(naps(2), caller="a", estimate_ms=1.0, key="k")
    assert jobs.job(identify(naps(2), "a")) is None
    # Keys are each caller's own, and no caller can name another's.
    assert jobs.submit(naps(2), caller="b", estimate_ms=1.0, key="k").fresh
    assert jobs.submit(naps(3), caller="a\0k", estimate_ms=1.0, key="").fresh
    assert jobs.submit(naps(4), caller="a", estimate_ms=1.0, key="").fresh
    assert job_of(jobs, first.job.id) == first.job


def test_a_full_store_takes_no_more_and_harms_nothing(server: Server, only_naps: None) -> None:
    jobs = Jobs(settings_for(server, most_open_jobs=2))
    first, second = (jobs.submit(naps(1, number=number), caller="a", estimate_ms=1_000.0).job for number in (1, 2))
    before = server.names()
    with pytest.raises(QueueFull) as full:
        jobs.submit(naps(1, number=3), caller="b", estimate_ms=1.0, key="k")
    assert full.value.waiting_s == 2.0
    assert server.names() == before
    assert jobs.list_jobs("b", None, 9) == ((), None)
    # What is open already is no more work, and a place that becomes free is free.
    assert not jobs.submit(naps(1, number=1), caller="a", estimate_ms=1_000.0).fresh
    jobs.dismiss(first.id)
    assert jobs.submit(naps(1, number=3), caller="b", estimate_ms=1.0, key="k").fresh
    assert job_of(jobs, second.id).state == "accepted"


def test_work_is_refused_beyond_the_time_that_may_wait(server: Server, only_naps: None) -> None:
    jobs = Jobs(settings_for(server, most_waiting_s=10, job_cost_s=10))
    jobs.submit(naps(1, number=1), caller="a", estimate_ms=6_000.0)
    with pytest.raises(QueueFull):
        jobs.submit(naps(1, number=2), caller="a", estimate_ms=4_001.0)
    assert jobs.submit(naps(1, number=2), caller="a", estimate_ms=4_000.0).fresh
    jobs.dismiss(identify(naps(1, number=1), "a"))
    assert jobs.depths()["long"].waiting_s == 4.0


def test_a_job_has_only_so_many_callbacks(jobs: Jobs) -> None:
    for number in range(MOST_CALLBACKS):
        jobs.submit(naps(1), caller="a", estimate_ms=1.0, callback=Callback(f"https://example.org/{number}"))
    with pytest.raises(QueueFull):
        jobs.submit(naps(1), caller="a", estimate_ms=1.0, callback=Callback("https://example.org/more"))
    assert not jobs.submit(naps(1), caller="a", estimate_ms=1.0, callback=Callback("https://example.org/7")).fresh


def test_a_job_that_waits_is_given_up(jobs: Jobs) -> None:
    job = jobs.submit(naps(5), caller="a", estimate_ms=5_000.0).job
    dismissed = jobs.dismiss(job.id)
    assert dismissed == job_of(jobs, job.id)
    assert dismissed.state == "dismissed"
    assert dismissed.finished is not None
    assert jobs.dismiss(job.id) == dismissed
    assert jobs.depths()["simulations"] == Depth(1, 0, 0.0)
    assert [event.job.state for event in jobs.events(job.id, None)] == ["accepted", "dismissed"]
    again = jobs.submit(naps(5), caller="a", estimate_ms=5_000.0)
    assert (again.fresh, again.job.state, again.job.finished) == (True, "accepted", None)
    assert [event.job.state for event in jobs.events(job.id, None)] == ["accepted"]


def test_jobs_are_listed_newest_first_page_by_page(server: Server, jobs: Jobs) -> None:
    ids = [jobs.submit(naps(1, number=number), caller="a", estimate_ms=1.0).job.id for number in range(25)]
    assert jobs.submit(naps(1, number=99), caller="b", estimate_ms=1.0).fresh
    # What is forgotten is passed over.
    server.client.delete(f"arbiter:job:{ids[10]}")
    seen: list[Job] = []
    cursor, pages = None, 0
    while True:
        page, cursor = jobs.list_jobs("a", cursor, 10)
        seen += page
        pages += 1
        if cursor is None:
            break
        # What comes in meanwhile does not shift the pages.
        jobs.submit(naps(1, number=1_000 + pages), caller="a", estimate_ms=1.0)
    assert pages == 3
    assert {job.id for job in seen} == {*ids} - {ids[10]}
    assert [job.created for job in seen] == sorted((job.created for job in seen), reverse=True)
    assert jobs.list_jobs("a", "nonsense", 100) == jobs.list_jobs("a", None, 100)
    assert jobs.list_jobs("nobody", None, 10) == ((), None)


def test_jobs_of_one_moment_are_each_listed_once(server: Server, jobs: Jobs) -> None:
    ids = [jobs.submit(naps(1, number=number), caller="a", estimate_ms=1.0).job.id for number in range(9)]
    (name,) = server.client.scan_iter("arbiter:caller:*")
    server.client.zadd(name, dict.fromkeys(ids, 1_000.0))
    seen, cursor = [], None
    while True:
        page, cursor = jobs.list_jobs("a", cursor, 2)
        seen += [job.id for job in page]
        if cursor is None:
            break
    assert seen == sorted(ids, reverse=True)


@pytest.mark.parametrize(
    "event_id", [None, "", "nonsense", "0-0", "99999999999999-0", "1-2-3", "-", "+", "9" * 30 + "-1"]
)
def test_events_are_given_from_the_first_for_an_id_unknown(jobs: Jobs, event_id: str | None) -> None:
    job = jobs.submit(naps(1), caller="a", estimate_ms=1.0).job
    jobs.dismiss(job.id)
    events = jobs.events(job.id, event_id)
    assert [event.job.state for event in events] == ["accepted", "dismissed"]
    assert jobs.events(job.id, events[0].id) == events[1:]
    assert jobs.events(job.id, events[1].id) == ()


def test_nothing_is_half_created_when_the_store_is_away(server: Server, jobs: Jobs) -> None:
    jobs.depths()
    server.kill()
    for ask in (
        lambda: jobs.submit(naps(1), caller="a", estimate_ms=1.0),
        lambda: jobs.job("0" * 32),
        lambda: jobs.result("0" * 32),
        lambda: jobs.dismiss("0" * 32),
        lambda: jobs.list_jobs("a", None, 1),
        lambda: jobs.events("0" * 32, None),
        jobs.depths,
        jobs.counters,
    ):
        before = time.monotonic()
        with pytest.raises(StoreUnavailable):
            ask()
        assert time.monotonic() - before < 10.0
    server.start()
    assert server.names() == set()
    assert jobs.submit(naps(1), caller="a", estimate_ms=1.0).fresh


def test_what_cannot_be_sent_is_accepted_and_sent_later(
    server: Server, jobs: Jobs, only_naps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store goes away between the record and the message: whoever asks again has it sent, and so does a sweep."""

    def die(*_: Any, **__: Any) -> None:
        server.kill()
        raise StoreUnavailable("gone")

    with monkeypatch.context() as patched:
        patched.setattr(celery_config, "send", die)
        job_id = jobs.submit(naps(2), caller="a", estimate_ms=1.0, key="k").job.id
    server.start()
    assert job_of(jobs, job_id).state == "accepted"
    assert jobs.depths()["short"] == Depth(0, 1, 0.001)
    again = jobs.submit(naps(2), caller="a", estimate_ms=1.0, key="k")
    assert (again.fresh, again.job.id) == (False, job_id)
    assert jobs.depths()["short"].messages == 1
    # Were nobody to ask again, a worker would send it.
    server.client.delete("short")
    with running(server):
        assert ended(jobs, job_id).state == "successful"
    assert jobs.result(job_id) == expected(naps(2))
    assert counted(jobs, "job") == {"accepted": 1, "successful": 1}


def test_all_that_is_kept_expires(server: Server, only_naps: None) -> None:
    """Of jobs in every state nothing is left but an empty queue, when nobody has looked at them for a while."""
    settings = settings_for(server, **BRIEF)
    jobs, hands = Jobs(settings), ChunkStore(settings)
    callback = Callback("https://example.org/")
    done = jobs.submit(ruling(1), caller="a", estimate_ms=1.0, key="k").job
    jobs.submit(naps(9), caller="a", estimate_ms=9_000.0, key="l", callback=callback)
    last = hands.store(begun(hands, done.id), b"{}", 1, 0.1)
    assert last is not None
    hands.finish(last, b"{}")
    assert jobs.result(done.id) == b"{}"
    assert {server.client.pttl(name) > 0 for name in server.names() if name not in celery_config.QUEUES} == {True}
    assert within(lambda: server.names() <= {*celery_config.QUEUES}), server.names()
    assert jobs.job(done.id) is None
    assert jobs.result(done.id) is None


def test_jobs_that_expired_unseen_make_room(server: Server, only_naps: None) -> None:
    settings = settings_for(server, **BRIEF, most_open_jobs=1)
    jobs = Jobs(settings)
    first = jobs.submit(naps(1, number=1), caller="a", estimate_ms=1_000.0).job
    server.client.persist("arbiter:open:short")
    server.client.persist("arbiter:waiting")
    server.client.persist("arbiter:owed")
    with pytest.raises(QueueFull):
        jobs.submit(naps(1, number=2), caller="a", estimate_ms=500.0)
    assert within(lambda: jobs.job(first.id) is None)
    # As soon as there is a worker again.
    assert ChunkStore(settings).sweep(PATIENT) == ()
    assert jobs.submit(naps(1, number=2), caller="a", estimate_ms=500.0).fresh
    assert jobs.depths()["short"].waiting_s == 0.5


def test_a_worker_keeps_open_jobs_from_expiring(server: Server, only_naps: None) -> None:
    jobs, hands = Jobs(settings_for(server, **BRIEF)), ChunkStore(settings_for(server, **BRIEF))
    job = jobs.submit(naps(1), caller="a", estimate_ms=1.0).job
    deadline = time.monotonic() + 3.0
    while time.monotonic() < deadline:
        server.client.delete("arbiter:sweeping")
        hands.sweep(PATIENT)
        time.sleep(0.2)
    assert job_of(jobs, job.id).state == "accepted"


def test_one_at_a_time_sweeps(server: Server, jobs: Jobs, only_naps: None) -> None:
    hands = ChunkStore(settings_for(server))
    job = jobs.submit(naps(1), caller="a", estimate_ms=1.0).job
    # Its message is lost, and was sent long ago.
    server.client.delete("short")
    server.client.zadd("arbiter:queued:short", {f"{job.id}:0": 1.0})
    (chunk,) = hands.sweep(PATIENT)
    assert (chunk.job_id, chunk.chunk, chunk.queue) == (job.id, "0", "short")
    assert hands.sweep(PATIENT) == ()
    # What was sent again a moment ago is not sent once more.
    server.client.delete("arbiter:sweeping")
    assert hands.sweep(PATIENT) == ()


def test_a_message_counts_as_lost_when_later_ones_have_come(server: Server, jobs: Jobs, only_naps: None) -> None:
    hands = ChunkStore(settings_for(server))
    first, second, third = (jobs.submit(naps(1, number=n), caller="a", estimate_ms=1.0).job.id for n in range(3))
    long_ago = server.client.time()[0] * 1_000 - 60_000
    times = {f"{first}:0": long_ago, f"{second}:0": long_ago + 30_000, f"{third}:0": long_ago + 40_000}
    server.client.zadd("arbiter:queued:short", times)
    # Whatever waits in a queue that moves on may wait as long as it likes.
    assert hands.sweep(PATIENT) == ()
    assert hands.begin(second, "0") is not None
    server.client.delete("arbiter:sweeping")
    (chunk,) = hands.sweep(PATIENT)
    assert chunk.job_id == first
    # What is sent again says nothing of the queue, for nobody knows which of its messages has come.
    assert hands.begin(first, "0") is not None
    server.client.delete("arbiter:sweeping")
    assert hands.sweep(PATIENT) == ()


def test_times_of_chunks_are_counted_by_bounds(server: Server, jobs: Jobs, only_naps: None) -> None:
    hands = ChunkStore(settings_for(server))
    for number, took_s in enumerate((0.01, 0.011, 0.3, 400.0)):
        job = jobs.submit(ruling(number), caller="a", estimate_ms=1.0).job
        last = hands.store(begun(hands, job.id), b"{}", 1, took_s)
        assert last is not None
        hands.finish(last, b"{}")
    counters = jobs.counters()
    assert counters["chunks"] == 4
    assert {name: counters[name] for name in counters if name.startswith("took:")} == {
        "took:0.01": 1,
        "took:0.05": 1,
        "took:0.5": 1,
        "took:more": 1,
    }
    assert counters["took_ms"] == 400_321
    assert counted(jobs, "job") == {"accepted": 4, "successful": 4}


def test_bodies_are_kept_small(server: Server, jobs: Jobs) -> None:
    work = naps(1)
    long = replace(work, body=work.body + " " * 100_000)
    job = jobs.submit(long, caller="a", estimate_ms=1.0).job
    assert server.client.strlen(f"arbiter:job:{job.id}:work") < 2_000


def test_no_worker_counts_as_lost_between_two_signs_of_life() -> None:
    assert PATIENT.silent_s > 4 * HEARTBEAT_S
    assert PATIENT.sweep_s < PATIENT.silent_s
