"""Messages that nobody of ours has sent, put into the queues of a real worker: it refuses each and goes on."""

import json
import pickle
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery, signature

from infra.settings import WorkerSettings
from tests.bombs import zlib_bomb
from tests.patience import within
from tests.workers.naps import naps, ruling
from tests.workers.service import Server, ended, expected, running
from workers.celery_config import make_celery
from workers.jobs.store import Jobs
from workers.tasks import add_tasks

UNKNOWN = "0" * 32

LONG = "0" * 1_000_000


class Trap:
    """What leaves a mark on the disk of whoever unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (Path.touch, (self.mark,))


TASKS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "no task of that name": ("no_such_task", [], {}),
    "a task with a path for a name": ("os.system", ["id"], {}),
    "a name with a line break": ("run_chunk\n[ERROR] all is lost", [UNKNOWN, 1], {}),
    "a name of a megabyte": (LONG, [], {}),
    "Celery's map": ("celery.map", [{"task": "run_chunk", "args": []}, [[UNKNOWN, 1]] * 10], {}),
    "Celery's starmap": ("celery.starmap", [{"task": "run_chunk", "args": []}, [[UNKNOWN, 1]] * 10], {}),
    "Celery's chunks": ("celery.chunks", [{"task": "run_chunk", "args": []}, [[UNKNOWN, 1]] * 10, 1], {}),
    "Celery's group": ("celery.group", [[], UNKNOWN, []], {}),
    "Celery's chain": ("celery.chain", [], {}),
    "Celery's chord": ("celery.chord", [[], {"task": "echo"}], {}),
    "Celery's unlocking of chords": ("celery.chord_unlock", [UNKNOWN, {"task": "echo"}], {}),
    "Celery's clean-up": ("celery.backend_cleanup", [], {}),
    "Celery's accumulation": ("celery.accumulate", [LONG], {}),
    "a chunk of no job": ("run_chunk", [UNKNOWN, "1"], {}),
    "a chunk by names": ("run_chunk", [], {"job_id": UNKNOWN, "chunk": 1}),
    "a chunk of a pattern": ("run_chunk", ["*", "1"], {}),
    "a chunk of a key": ("run_chunk", ["../arbiter:counters", "1"], {}),
    "a chunk with a line break": ("run_chunk", [UNKNOWN + "\n", "1"], {}),
    "a chunk in capitals": ("run_chunk", [("A" * 32), "1"], {}),
    "a chunk in bold digits": ("run_chunk", ["𝟎" * 32, "1"], {}),
    "a chunk of a megabyte": ("run_chunk", [LONG, "1"], {}),
    "a chunk without a number": ("run_chunk", [UNKNOWN], {}),
    "a chunk with a number for a text": ("run_chunk", [UNKNOWN, 1], {}),
    "a chunk with true for a number": ("run_chunk", [UNKNOWN, True], {}),
    "a chunk with a fraction for a number": ("run_chunk", [UNKNOWN, 1.0], {}),
    "a chunk of null": ("run_chunk", [UNKNOWN, None], {}),
    "a chunk below zero": ("run_chunk", [UNKNOWN, "-1"], {}),
    "a chunk that no number of Redis holds": ("run_chunk", [UNKNOWN, 10**400], {}),
    "a chunk that is not a number": ("run_chunk", [UNKNOWN, float("nan")], {}),
    "a chunk with a list": ("run_chunk", [[UNKNOWN], [1]], {}),
    "a chunk with an object": ("run_chunk", [{"id": UNKNOWN}, "1"], {}),
    "a chunk with too much": ("run_chunk", [UNKNOWN, 1, 1], {}),
    "a chunk with another name": ("run_chunk", [UNKNOWN, 1], {"worker": "me"}),
    "a chunk with a class": ("run_chunk", [{"__type__": "bytes", "__value__": "eA=="}, 1], {}),
    "a chunk with itself twice": ("run_chunk", [UNKNOWN, 1], {"job_id": UNKNOWN}),
    "an end of no job": ("run_chunk", [UNKNOWN, "finish"], {}),
    "an end of a pattern": ("run_chunk", ["*", "finish"], {}),
    "an end with a line break": ("run_chunk", [UNKNOWN, "finish\n"], {}),
    "a callback of no job": ("call_back", [UNKNOWN], {}),
    "a callback of a pattern": ("call_back", ["*"], {}),
    "a callback of a path": ("call_back", ["../../etc/passwd"], {}),
    "a callback of a url": ("call_back", ["http://127.0.0.1/"], {}),
    "a callback of a number": ("call_back", [7], {}),
    "a callback of a megabyte": ("call_back", [LONG], {}),
    "a callback of nothing": ("call_back", [], {}),
    "an echo with an object": ("echo", [{"token": "la"}], {}),
    "an echo with a megabyte": ("echo", [LONG], {}),
    "an echo with a tag": ("echo", ["<la>"], {}),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "pickle": {"serializer": "pickle"},
    "YAML": {"serializer": "yaml"},
    "MessagePack": {"serializer": "msgpack"},
    "gone before it came": {"expires": -1},
    "limits of a century": {"time_limit": 3 * 10**9, "soft_time_limit": 3 * 10**9},
    "tried a million times": {"retries": 1_000_000},
    "a reply to somebody": {"reply_to": "arbiter:counters"},
    "in another's name": {"task_id": "../../arbiter:counters"},
    "later": {"countdown": 3_600},
    "never": {"countdown": 10**9},
}


def entry(content: bytes, **said: Any) -> bytes:
    """Give an entry of a queue as the broker keeps it."""
    properties = {"body_encoding": "base64", "delivery_tag": "tag", "delivery_info": {"routing_key": "short"}}
    whole = {
        "body": b64encode(content).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": "run_chunk", "id": UNKNOWN},
        "properties": properties,
    }
    return json.dumps({**whole, **said}).encode()


CHUNK = json.dumps([[UNKNOWN, "1"], {}, {}]).encode()

RAW: dict[str, bytes] = {
    "in the protocol of old": entry(b'{"task": "run_chunk", "id": "x", "args": ["", 1], "kwargs": {}}', headers={}),
    "of another content": entry(CHUNK, **{"content-type": "application/x-python-serialize"}),
    "of an unheard-of content": entry(CHUNK, **{"content-type": "text/x-shell"}),
    "of no content": entry(CHUNK, **{"content-type": None}),
    "in an unheard-of encoding": entry(CHUNK, **{"content-encoding": "rot13"}),
    "whose JSON is broken off": entry(CHUNK[:-1]),
    "whose text is no UTF-8": entry(b"\xff\xfe"),
    "whose body is a number": entry(b"7"),
    "whose body is empty": entry(b""),
    "whose body is deep": entry(b"[" * 100_000),
    "whose arguments are text": entry(b'["run_chunk", {}, {}]'),
    "whose names are a list": entry(b"[[], [], {}]"),
    "without an id": entry(CHUNK, headers={"task": "run_chunk"}),
    "whose task is a number": entry(CHUNK, headers={"task": 7, "id": UNKNOWN}),
    "whose task is a list": entry(CHUNK, headers={"task": ["run_chunk"], "id": UNKNOWN}),
    "with an eta that is no time": entry(CHUNK, headers={"task": "run_chunk", "id": UNKNOWN, "eta": "soon"}),
    "with an end that is no time": entry(CHUNK, headers={"task": "run_chunk", "id": UNKNOWN, "expires": "soon"}),
    "with limits that are no numbers": entry(CHUNK, headers={"task": "run_chunk", "id": UNKNOWN, "timelimit": ["a"]}),
    "said to be packed": entry(
        CHUNK, headers={"task": "run_chunk", "id": UNKNOWN, "compression": "application/x-gzip"}
    ),
    "packed into a bomb": entry(
        zlib_bomb(64), headers={"task": "run_chunk", "id": UNKNOWN, "compression": "application/x-gzip"}
    ),
    "of no JSON": b"run_chunk",
    "of a type of the broker's": b'{"__type__": "decimal", "__value__": "x"}',
    "with such a type inside": entry(b'[[{"__type__": "uuid", "__value__": "x"}, 1], {}, {}]'),
    "of no text": b"\xff\x00",
    "of a text": b'"run_chunk"',
    "of a number": b"7",
    "of brackets": b"[" * 100_000,
    "whose properties are a list": entry(CHUNK, properties=[]),
    "whose headers are a text": entry(CHUNK, headers="run_chunk"),
    "whose body is an object": entry(CHUNK, body={"task": "run_chunk"}),
    "whose tag is an object": entry(
        CHUNK, properties={"body_encoding": "base64", "delivery_tag": {}, "delivery_info": {}}
    ),
    "delivered by nobody": entry(
        CHUNK, properties={"body_encoding": "base64", "delivery_tag": "a", "delivery_info": 7}
    ),
    "in another coding": entry(CHUNK, properties={"body_encoding": "rot13", "delivery_tag": "a", "delivery_info": {}}),
    "of nothing": b"",
    "of an empty object": b"{}",
    "of a list": b"[]",
    "of null": b"null",
    "without a tag": entry(CHUNK, properties={"body_encoding": "base64"}),
    "whose body is no base64": json.dumps({**json.loads(entry(CHUNK)), "body": "!"}).encode(),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a server with one worker, the same for all these tests."""
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    with running(server):
        yield server
    server.kill()


@pytest.fixture
def app(server: Server) -> Iterator[Celery]:
    app = make_celery(WorkerSettings(redis_url=server.url))
    app.conf.accept_content = ["json", "pickle", "yaml", "msgpack"]
    yield app
    app.close()


@pytest.fixture(autouse=True)
def nothing_but_honest_work_is_done(server: Server, jobs: Jobs) -> Iterator[None]:
    before = {name for name in server.names() if ":job:" in name}
    yield
    number = time.monotonic_ns() % 2**40
    honest = jobs.submit(ruling(number), caller="me", estimate_ms=1.0).job
    assert ended(jobs, honest.id).state == "successful"
    assert within(lambda: server.client.llen("short") == 0)
    assert {name for name in server.names() if ":job:" in name and honest.id not in name} == before
    server.client.flushall()


def test_a_task_or_arguments_that_are_none_of_ours(app: Celery) -> None:
    for name, arguments, named in TASKS.values():
        app.send_task(name, arguments, named, queue="short")


def test_a_chunk_that_is_sent_as_none_of_ours(app: Celery) -> None:
    for options in OPTIONS.values():
        app.send_task("run_chunk", [UNKNOWN, "1"], queue="short", **options)


def test_what_runs_when_it_is_unpickled_does_not_run(app: Celery, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    pickle.loads(pickle.dumps(Trap(mark)))
    assert mark.exists(), "the trap works"
    mark.unlink()
    app.send_task("echo", [Trap(mark)], queue="short", serializer="pickle")
    assert within(lambda: not app.connection_for_read().default_channel.client.llen("short"))
    assert not mark.exists()


@pytest.mark.parametrize("what", ["link", "link_error", "chain", "chord", "group"])
def test_nothing_follows_a_message_whatever_it_brings_along(server: Server, app: Celery, what: str) -> None:
    follower = signature("echo", ["followed"], queue="aside", app=app)
    brought: Any = {
        "link": follower,
        "link_error": follower,
        "chain": [follower],
        "group": UNKNOWN,
        "chord": {**follower, "chord_size": 1},
    }[what]
    name = {"group": "group_id"}.get(what, what)
    for number, (task, argument) in enumerate((("echo", "la"), ("echo", {"no": "token"}), ("call_back", UNKNOWN))):
        app.send_task(task, [argument], queue="short", **{name: brought})
        app.send_task("echo", [f"sound{number}"], queue="short")
        echo = f"arbiter:echo:sound{number}"
        assert within(lambda echo=echo: server.client.exists(echo))
        assert not server.client.exists("aside")


def test_an_entry_of_the_queue_that_is_no_message(server: Server) -> None:
    for entry_ in RAW.values():
        server.client.lpush("short", entry_)


def test_a_worker_can_be_asked_for_our_tasks_alone() -> None:
    app = make_celery(WorkerSettings())
    add_tasks(app, WorkerSettings())
    assert set(app.tasks) == {"echo", "run_chunk", "call_back"}


def test_a_chunk_that_was_not_sent_is_not_begun(server: Server, app: Celery, jobs: Jobs) -> None:
    """Guessing at chunks of a job that waits moves none of it: only what was sent is begun, and once."""
    work = naps(2, seconds=0.0, number=77)
    job = jobs.submit(work, caller="me", estimate_ms=2_000.0).job
    for chunk in range(1, 30):
        app.send_task("run_chunk", [job.id, str(chunk)], queue="short")
    app.send_task("run_chunk", [job.id, "finish"], queue="short")
    assert ended(jobs, job.id).state == "successful"
    assert jobs.counters().get("again", 0) == jobs.counters().get("lost", 0) == 0
    assert jobs.counters().get("chunks", 0) == 2
    assert jobs.result(job.id) == expected(work)
    server.client.flushall()


def test_a_queue_that_is_none_ends_its_worker(tmp_path: Path) -> None:
    """What no waiting mends is not taken for a broker that is away for a while."""
    server = Server(tmp_path)
    server.start()
    try:
        server.client.set("short", "no list")
        with running(server) as worker:
            assert within(lambda: worker.poll() is not None)
        assert any(b"WRONGTYPE" in log.read_bytes() for log in tmp_path.glob("worker-*.log"))
    finally:
        server.kill()
