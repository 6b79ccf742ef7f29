"""Messages that nobody of ours has sent, put into the queues of a real worker: it refuses each and goes on."""

import json
import pickle
import time
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery, signature

from infra.settings import WorkerSettings
from tests.patience import within
from tests.workers.naps import naps, ruling
from tests.workers.service import Server, ended, running
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
    "a name with a line break": ("turn\n[ERROR] all is lost", [UNKNOWN, 1], {}),
    "a name of a megabyte": (LONG, [], {}),
    "Celery's map": ("celery.map", [{"task": "turn", "args": []}, [[UNKNOWN, 1]] * 10], {}),
    "Celery's starmap": ("celery.starmap", [{"task": "turn", "args": []}, [[UNKNOWN, 1]] * 10], {}),
    "Celery's chunks": ("celery.chunks", [{"task": "turn", "args": []}, [[UNKNOWN, 1]] * 10, 1], {}),
    "Celery's group": ("celery.group", [[], UNKNOWN, []], {}),
    "Celery's chain": ("celery.chain", [], {}),
    "Celery's chord": ("celery.chord", [[], {"task": "canary"}], {}),
    "Celery's unlocking of chords": ("celery.chord_unlock", [UNKNOWN, {"task": "canary"}], {}),
    "Celery's clean-up": ("celery.backend_cleanup", [], {}),
    "Celery's accumulation": ("celery.accumulate", [LONG], {}),
    "a turn of no job": ("turn", [UNKNOWN, 1], {}),
    "a turn by names": ("turn", [], {"job_id": UNKNOWN, "turn": 1}),
    "a turn of a pattern": ("turn", ["*", 1], {}),
    "a turn of a key": ("turn", ["../arbiter:counters", 1], {}),
    "a turn with a line break": ("turn", [UNKNOWN + "\n", 1], {}),
    "a turn in capitals": ("turn", [("A" * 32), 1], {}),
    "a turn in bold digits": ("turn", ["𝟎" * 32, 1], {}),
    "a turn of a megabyte": ("turn", [LONG, 1], {}),
    "a turn without a number": ("turn", [UNKNOWN], {}),
    "a turn with a text for a number": ("turn", [UNKNOWN, "1"], {}),
    "a turn with true for a number": ("turn", [UNKNOWN, True], {}),
    "a turn with a fraction for a number": ("turn", [UNKNOWN, 1.0], {}),
    "turn nought": ("turn", [UNKNOWN, 0], {}),
    "a turn below nought": ("turn", [UNKNOWN, -1], {}),
    "a turn that no number of Redis holds": ("turn", [UNKNOWN, 10**400], {}),
    "a turn that is not a number": ("turn", [UNKNOWN, float("nan")], {}),
    "a turn with a list": ("turn", [[UNKNOWN], [1]], {}),
    "a turn with an object": ("turn", [{"id": UNKNOWN}, 1], {}),
    "a turn with too much": ("turn", [UNKNOWN, 1, 1], {}),
    "a turn with another name": ("turn", [UNKNOWN, 1], {"worker": "me"}),
    "a turn with a class": ("turn", [{"__type__": "bytes", "__value__": "eA=="}, 1], {}),
    "a turn with itself twice": ("turn", [UNKNOWN, 1], {"job_id": UNKNOWN}),
    "a callback of no job": ("call_back", [UNKNOWN], {}),
    "a callback of a pattern": ("call_back", ["*"], {}),
    "a callback of a path": ("call_back", ["../../etc/passwd"], {}),
    "a callback of a url": ("call_back", ["http://127.0.0.1/"], {}),
    "a callback of a number": ("call_back", [7], {}),
    "a callback of a megabyte": ("call_back", [LONG], {}),
    "a callback of nothing": ("call_back", [], {}),
    "a canary with an object": ("canary", [{"song": "la"}], {}),
    "a canary with a megabyte": ("canary", [LONG], {}),
    "a canary with a tag": ("canary", ["<la>"], {}),
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
    properties = {"body_encoding": "base64", "delivery_tag": "tag", "delivery_info": {"routing_key": "paths"}}
    whole = {
        "body": b64encode(content).decode(), "content-type": "application/json", "content-encoding": "utf-8",
        "headers": {"task": "turn", "id": UNKNOWN}, "properties": properties,
    }  # fmt: skip
    return json.dumps({**whole, **said}).encode()


TURN = json.dumps([[UNKNOWN, 1], {}, {}]).encode()

RAW: dict[str, bytes] = {
    "in the protocol of old": entry(b'{"task": "turn", "id": "x", "args": ["", 1], "kwargs": {}}', headers={}),
    "of another content": entry(TURN, **{"content-type": "application/x-python-serialize"}),
    "of an unheard-of content": entry(TURN, **{"content-type": "text/x-shell"}),
    "of no content": entry(TURN, **{"content-type": None}),
    "in an unheard-of encoding": entry(TURN, **{"content-encoding": "rot13"}),
    "whose JSON is broken off": entry(TURN[:-1]),
    "whose text is no UTF-8": entry(b"\xff\xfe"),
    "whose body is a number": entry(b"7"),
    "whose body is empty": entry(b""),
    "whose body is deep": entry(b"[" * 100_000),
    "whose arguments are text": entry(b'["turn", {}, {}]'),
    "whose names are a list": entry(b"[[], [], {}]"),
    "without an id": entry(TURN, headers={"task": "turn"}),
    "whose task is a number": entry(TURN, headers={"task": 7, "id": UNKNOWN}),
    "whose task is a list": entry(TURN, headers={"task": ["turn"], "id": UNKNOWN}),
    "with an eta that is no time": entry(TURN, headers={"task": "turn", "id": UNKNOWN, "eta": "soon"}),
    "with an end that is no time": entry(TURN, headers={"task": "turn", "id": UNKNOWN, "expires": "soon"}),
    "with limits that are no numbers": entry(TURN, headers={"task": "turn", "id": UNKNOWN, "timelimit": ["a", "b"]}),
    "said to be packed": entry(TURN, headers={"task": "turn", "id": UNKNOWN, "compression": "application/x-gzip"}),
    "packed into a bomb": entry(
        zlib.compress(bytes(2**26)), headers={"task": "turn", "id": UNKNOWN, "compression": "application/x-gzip"}
    ),
    "of no JSON": b"turn",
    "of a type of the broker's": b'{"__type__": "decimal", "__value__": "x"}',
    "with such a type inside": entry(b'[[{"__type__": "uuid", "__value__": "x"}, 1], {}, {}]'),
    "of no text": b"\xff\x00",
    "of a text": b'"turn"',
    "of a number": b"7",
    "of brackets": b"[" * 100_000,
    "whose properties are a list": entry(TURN, properties=[]),
    "whose headers are a text": entry(TURN, headers="turn"),
    "whose body is an object": entry(TURN, body={"task": "turn"}),
    "whose tag is an object": entry(
        TURN, properties={"body_encoding": "base64", "delivery_tag": {}, "delivery_info": {}}
    ),
    "delivered by nobody": entry(TURN, properties={"body_encoding": "base64", "delivery_tag": "a", "delivery_info": 7}),
    "in another coding": entry(TURN, properties={"body_encoding": "rot13", "delivery_tag": "a", "delivery_info": {}}),
    "of nothing": b"",
    "of an empty object": b"{}",
    "of a list": b"[]",
    "of null": b"null",
    "without a tag": entry(TURN, properties={"body_encoding": "base64"}),
    "whose body is no base64": json.dumps({**json.loads(entry(TURN)), "body": "!"}).encode(),
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
    assert within(lambda: server.client.llen("paths") == 0)
    assert {name for name in server.names() if ":job:" in name and honest.id not in name} == before
    server.client.flushall()


@pytest.mark.parametrize("case", TASKS)
def test_a_task_or_arguments_that_are_none_of_ours(app: Celery, case: str) -> None:
    name, arguments, named = TASKS[case]
    app.send_task(name, arguments, named, queue="paths")


@pytest.mark.parametrize("case", OPTIONS)
def test_a_turn_that_is_sent_as_none_of_ours(app: Celery, case: str) -> None:
    app.send_task("turn", [UNKNOWN, 1], queue="paths", **OPTIONS[case])


def test_what_runs_when_it_is_unpickled_does_not_run(app: Celery, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    pickle.loads(pickle.dumps(Trap(mark)))
    assert mark.exists(), "the trap works"
    mark.unlink()
    app.send_task("canary", [Trap(mark)], queue="paths", serializer="pickle")
    assert within(lambda: not app.connection_for_read().default_channel.client.llen("paths"))
    assert not mark.exists()


@pytest.mark.parametrize("what", ["link", "link_error", "chain", "chord", "group"])
@pytest.mark.parametrize(("task", "argument"), [("canary", "la"), ("canary", {"no": "song"}), ("call_back", UNKNOWN)])
def test_nothing_follows_a_message_whatever_it_brings_along(
    server: Server, app: Celery, what: str, task: str, argument: Any
) -> None:
    follower = signature("canary", ["followed"], queue="aside", app=app)
    brought: Any = {
        "link": follower, "link_error": follower, "chain": [follower], "group": UNKNOWN,
        "chord": {**follower, "chord_size": 1},
    }[what]  # fmt: skip
    name = {"group": "group_id"}.get(what, what)
    app.send_task(task, [argument], queue="paths", **{name: brought})
    song = app.send_task("canary", ["la"], queue="paths")
    assert song.get(timeout=20) == "la"
    assert not server.client.exists("aside")


@pytest.mark.parametrize("case", RAW)
def test_an_entry_of_the_queue_that_is_no_message(server: Server, case: str) -> None:
    server.client.lpush("paths", RAW[case])


def test_a_worker_can_be_asked_for_our_tasks_alone() -> None:
    app = make_celery(WorkerSettings())
    add_tasks(app, WorkerSettings())
    assert set(app.tasks) == {"canary", "turn", "call_back"}


def test_a_turn_of_a_job_that_is_another_turns_does_nothing(server: Server, app: Celery, jobs: Jobs) -> None:
    """Guessing at turns of a job that waits moves none of it: only the one turn that was published takes a piece."""
    work = naps(2, seconds=0.0, number=77)
    job = jobs.submit(work, caller="me", estimate_ms=1.0).job
    for turn in range(1, 30):
        app.send_task("turn", [job.id, turn], queue="paths")
    assert ended(jobs, job.id).state == "successful"
    assert jobs.counters().again == jobs.counters().lost == 0
    server.client.flushall()
