"""Records that were altered behind the workers' back: nothing of them is done, and the job says why it failed.

Each case damages one thing of a job that was submitted, as somebody could who reached the store, or as a disk does. A
chunk is then done here as a worker does it. Afterwards an honest job is done.
"""

import contextlib
import zlib
from collections.abc import Callable, Iterator

import msgspec
import pytest
from celery import Celery
from redis.exceptions import ResponseError

from arbiter import registry
from infra.codec import pack, unpack
from infra.errors import CorruptRecord
from infra.redis import digest
from infra.settings import WorkerSettings
from tests.bombs import zlib_bomb
from tests.workers.naps import naps, ruling
from tests.workers.service import Server, counted, expected, job_of
from workers import runner
from workers.celery_config import make_celery
from workers.jobs.chunk_store import PATIENT
from workers.jobs.models import Job
from workers.jobs.records import AlteredJob, StoredWork, pack_work, read_work
from workers.jobs.store import Jobs
from workers.jobs.work import Work
from workers.runner import WorkerContext, call_back, run_chunk
from workers.webhooks.callback import Callback

SOUND = ruling(1)
CALLER = "me"
CALLER_DIGEST = digest(CALLER)
KEPT = pack_work(SOUND, CALLER)


def altered(**parts: str) -> dict[str, object]:
    return {"work": {**msgspec.to_builtins(SOUND), **parts}, "caller": CALLER}


BOMB = b"z" + zlib_bomb(65)
"""Some seventy thousand bytes that would be a thousand times as many."""

WORKS: dict[str, bytes | None] = {
    "gone": None,
    "empty": b"",
    "of no form": b"x{}",
    "without a sum": b"p" + msgspec.json.encode(StoredWork(SOUND, CALLER)),
    "cut short": KEPT[:-1],
    "cut short, packed": pack_work(naps(3, lies="x" * 2_000), CALLER)[:-3],
    "one bit": bytes(
        [*pack_work(SOUND, CALLER)[:-20], pack_work(SOUND, CALLER)[-20] ^ 1, *pack_work(SOUND, CALLER)[-19:]]
    ),
    "something after it": b"z" + zlib.compress(msgspec.json.encode(StoredWork(SOUND, CALLER))) + b"{}",
    "a bomb": BOMB,
    "no JSON": pack(b"work"),
    "no UTF-8": pack(b'{"kind": "\xff"}'),
    "a pickle": pack(b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94."),
    "a list": pack(b"[]"),
    "another kind": pack_work(msgspec.structs.replace(SOUND, kind="odds"), CALLER),
    "an unknown kind": pack(msgspec.json.encode(altered(kind="shell"))),
    "an unknown game": pack_work(msgspec.structs.replace(SOUND, game="os"), CALLER),
    "an unknown question": pack_work(msgspec.structs.replace(SOUND, question="__init__"), CALLER),
    "a field more": pack(msgspec.json.encode(altered(run="id"))),
    "another seed": pack_work(msgspec.structs.replace(SOUND, seed="t"), CALLER),
    "another caller": pack_work(SOUND, "you"),
    "another body": pack_work(ruling(2), CALLER),
    "other mischief": pack_work(ruling(1, mischief="kill"), CALLER),
    "a body that is no JSON": pack_work(msgspec.structs.replace(SOUND, body="{"), CALLER),
    "a body of another type": pack_work(msgspec.structs.replace(SOUND, body='{"case": 7}'), CALLER),
    "a body beyond its bounds": pack_work(msgspec.structs.replace(SOUND, body='{"case": {"seconds": 1e9}}'), CALLER),
    "a deep body": pack_work(msgspec.structs.replace(SOUND, body="[" * 100_000), CALLER),
}

RESULTS: dict[str, bytes] = {
    "empty": b"",
    "of no form": b"{}",
    "cut short": pack(b'{"dream": 4}')[:-1],
    "another face": pack(b'{"dream": 4}').replace(b"4", b"6"),
    "cut short, packed": pack(b'"' + b"a" * 5_000 + b'"')[:-4],
    "a bomb": BOMB,
}

RECORDS: dict[str, tuple[str, bytes]] = {
    "a kind that there is not": ("kind", b"shell"),
    "a game in no text": ("game", b"\xff"),
    "a state that there is not": ("state", b"owned"),
    "a state in no text": ("state", b"\xff"),
    "so much of it is done": ("done", b"lots"),
    "when it began": ("created", b"9" * 5_000),
    "the estimate": ("estimate_ms", b"dear"),
    "why it failed": ("cause", b"[]"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def app(server: Server) -> Iterator[Celery]:
    app = make_celery(WorkerSettings(redis_url=server.url))
    yield app
    app.close()


@pytest.fixture
def work(server: Server, app: Celery, jobs: Jobs) -> Iterator[Callable[[Job], Job]]:
    """Give what does the newest chunk of a job as a worker does; at the end an honest job has to come out."""
    context = WorkerContext(WorkerSettings(redis_url=server.url), app)

    def work(job: Job) -> Job:
        started = server.client.hget(f"arbiter:job:{job.id}", "started_chunks")
        assert started is not None
        run_chunk(context, job.id, str(int(started) - 1))
        return job_of(jobs, job.id)

    yield work
    honest = jobs.submit(ruling(99), caller="you", estimate_ms=1.0).job
    if honest.state != "successful":
        assert work(honest).state == "successful"
    assert jobs.result(honest.id) == expected(ruling(99))


@pytest.fixture(autouse=True)
def clean(server: Server) -> None:
    server.client.flushall()


@pytest.fixture(autouse=True)
def nothing_is_computed_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(asked: Work, *said: object) -> bytes:
        assert asked in (ruling(99), naps(3)), f"{asked} was done"
        return genuine(asked, *said)

    genuine = runner.compute
    monkeypatch.setattr(runner, "compute", compute)


@pytest.mark.parametrize("case", WORKS)
def test_work_that_is_not_what_was_handed_in_is_not_done(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], case: str
) -> None:
    job = jobs.submit(SOUND, caller="me", estimate_ms=1.0).job
    kept = WORKS[case]
    if kept is None:
        server.client.delete(f"arbiter:job:{job.id}:work")
    else:
        server.client.set(f"arbiter:job:{job.id}:work", kept)
    failed = work(job)
    assert failed.cause is not None
    assert (failed.state, failed.cause.code) == ("failed", "altered")
    assert jobs.result(job.id) is None
    assert not server.client.exists("arbiter:running", "arbiter:queued:short")


@pytest.mark.parametrize(
    ("estimate_ms", "chunks"), [(3_000.0, "1"), (1.0, "3"), (1.0, "-1"), (1.0, ""), (1.0, "all"), (1.0, "9" * 400)]
)
def test_work_of_another_number_of_chunks_is_not_done(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], estimate_ms: float, chunks: str
) -> None:
    job = jobs.submit(naps(3), caller="me", estimate_ms=estimate_ms).job
    server.client.hset(f"arbiter:job:{job.id}", "chunks", chunks)
    with contextlib.suppress(ResponseError):
        failed = work(job)
        assert failed.cause is not None
        assert (failed.state, failed.cause.code) == ("failed", "altered")
    assert jobs.result(job.id) is None


@pytest.mark.parametrize("chunk", ["1", "3", "-1", "finish", "junk", "", "0\n", "\x00", "9" * 400])
def test_a_chunk_that_was_not_sent_is_not_done(
    server: Server, app: Celery, jobs: Jobs, work: Callable[[Job], Job], chunk: str
) -> None:
    job = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0).job
    context = WorkerContext(WorkerSettings(redis_url=server.url), app)
    run_chunk(context, job.id, chunk)
    assert job_of(jobs, job.id) == job
    # Nor is one that only the store says was sent.
    server.client.zadd("arbiter:queued:simulations", {f"{job.id}:{chunk}": 1})
    if chunk not in {"1", "finish"}:
        run_chunk(context, job.id, chunk)
        cause = job_of(jobs, job.id).cause
        assert cause is not None
        assert cause.code == "altered"


def test_a_chunk_that_the_work_has_is_done(server: Server, jobs: Jobs, work: Callable[[Job], Job]) -> None:
    job = jobs.submit(naps(3), caller="me", estimate_ms=1.0).job
    assert work(job).state == "successful"
    assert jobs.result(job.id) == expected(naps(3))


@pytest.mark.parametrize("damaged", [b"", b"x", b"p1234[]", b"z\x00", pack(b"[1, 2]")[:-1]])
def test_a_chunk_that_was_damaged_is_not_added_up(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], damaged: bytes
) -> None:
    job = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0).job
    name = f"arbiter:job:{job.id}"
    work(job)
    assert server.client.hset(f"{name}:chunks", "0", damaged) == 0
    work(job)
    failed = work(job)
    assert failed.cause is not None
    assert (failed.state, failed.cause.code) == ("failed", "altered")
    assert jobs.result(job.id) is None


@pytest.mark.parametrize("case", RESULTS)
def test_a_result_that_was_damaged_is_not_given_out(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], case: str
) -> None:
    job = jobs.submit(ruling(99), caller="me", estimate_ms=1.0).job
    assert work(job).state == "successful"
    sound = server.client.get(f"arbiter:job:{job.id}:result")
    assert isinstance(sound, bytes)
    server.client.set(f"arbiter:job:{job.id}:result", RESULTS[case])
    with pytest.raises(CorruptRecord):
        jobs.result(job.id)
    server.client.set(f"arbiter:job:{job.id}:result", sound)


@pytest.mark.parametrize("case", RECORDS)
def test_a_record_that_was_damaged_is_told_and_hides_no_other(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], case: str
) -> None:
    other = jobs.submit(ruling(99), caller="me", estimate_ms=1.0).job
    job = jobs.submit(SOUND, caller="me", estimate_ms=1.0).job
    field, said = RECORDS[case]
    server.client.hset(f"arbiter:job:{job.id}", field, said)
    for look in (jobs.job, lambda job_id: jobs.events(job_id, None)):
        with pytest.raises(CorruptRecord):
            look(job.id)
    assert [listed.id for listed in jobs.list_jobs("me", None, 10)[0]] == [other.id]


@pytest.mark.parametrize("field", [{"state": "owned"}, {"done": "lots"}, {"at": "\x00"}, {"expires": "never"}])
def test_events_that_were_damaged_are_refused(server: Server, jobs: Jobs, field: dict[str, str]) -> None:
    job = jobs.submit(SOUND, caller="me", estimate_ms=1.0).job
    sound = {"state": "running", "done": "0", "attempts": "0", "expires": "1", "at": "1"}
    server.client.xadd(f"arbiter:job:{job.id}:events", {**sound, **field})
    with pytest.raises(CorruptRecord):
        jobs.events(job.id, None)


@pytest.mark.parametrize("member", ["", "junk", ":", ":0", f"{'0' * 32}:0", f"{'0' * 32}:junk", "\x00", "[" * 2_000])
def test_what_nobody_of_ours_has_queued_stops_no_sweep(
    server: Server, app: Celery, jobs: Jobs, work: Callable[[Job], Job], member: str
) -> None:
    context = WorkerContext(WorkerSettings(redis_url=server.url), app)
    job = jobs.submit(naps(3), caller="me", estimate_ms=1.0).job
    assert context.chunks.begin(job.id, "0") is not None
    server.client.zadd("arbiter:running", {member: 1, f"{job.id}:0": 1})
    server.client.zadd("arbiter:queued:short", {member: 1})
    server.client.delete("short")
    (found,) = context.chunks.sweep(PATIENT)
    assert (found.job_id, found.chunk) == (job.id, "0")
    assert server.client.zrange("arbiter:queued:short", 0, -1) == [f"{job.id}:0".encode()]
    assert server.client.zcard("arbiter:running") == 0
    assert work(job_of(jobs, job.id)).state == "successful"


@pytest.mark.parametrize("call", [b"", b"{", b"[]", b'{"id": 7}', b"\xff", b"[" * 5_000])
def test_a_callback_that_was_damaged_is_given_up(server: Server, app: Celery, jobs: Jobs, call: bytes) -> None:
    name = f"{CALLER_DIGEST}.{'0' * 32}.successful.1.{'0' * 32}.{'0' * 32}"
    server.client.set(f"arbiter:call:{name}", call)
    server.client.zadd(f"arbiter:calls:{CALLER_DIGEST}", {name: 1})
    server.client.zadd("arbiter:due", {CALLER_DIGEST: 1})
    context = WorkerContext(WorkerSettings(redis_url=server.url), app)
    assert context.callbacks.due() == (name,)
    call_back(context, name)
    assert not server.client.exists(f"arbiter:call:{name}", f"arbiter:calls:{CALLER_DIGEST}", "arbiter:due")
    assert counted(jobs, "webhook") == {"given-up": 1}


def test_a_callback_that_was_turned_to_our_own_network_is_not_called(
    server: Server, app: Celery, jobs: Jobs, work: Callable[[Job], Job]
) -> None:
    job = jobs.submit(
        ruling(99), caller="me", estimate_ms=1.0, callback=Callback("https://[2606:4700::6810:84e5]/hook")
    ).job
    assert work(job).state == "successful"
    (name,) = server.client.zrange(f"arbiter:calls:{CALLER_DIGEST}", 0, -1)
    kept = msgspec.json.decode(server.client.get(b"arbiter:call:" + name) or b"")
    kept["callback"]["url"] = f"http://127.0.0.1:{server.port}/"
    server.client.set(b"arbiter:call:" + name, msgspec.json.encode(kept))
    call_back(WorkerContext(WorkerSettings(redis_url=server.url), app), name.decode())
    assert counted(jobs, "webhook") == {"again": 1}


def test_what_is_packed_comes_back_and_a_bomb_does_not() -> None:
    for data in (b"", b"{}", b"a" * 511, b"a" * 512, bytes(range(256)) * 9):
        assert unpack(pack(data)) == data
    assert len(BOMB) < 100_000
    with pytest.raises(CorruptRecord, match="far too long"):
        unpack(BOMB)


def test_work_of_another_edition_is_not_passed_off_under_the_id_of_this_one(
    only_naps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers.jobs.work import identify

    job_id = identify(SOUND, CALLER)
    assert read_work(job_id, pack_work(SOUND, CALLER)) == (SOUND, {"0": range(1)})
    monkeypatch.setattr(registry.game("naps"), "edition", "invented-2")
    read_work.cache_clear()  # As in a process that is started with the new edition.
    with pytest.raises(AlteredJob, match="another version"):
        read_work(job_id, pack_work(SOUND, CALLER))
