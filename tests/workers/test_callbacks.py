"""Which callbacks are called when: of each caller and each host one at a time, and hosts that fail ever later."""

from itertools import count

import pytest

from infra.redis import digest
from infra.settings import WorkerSettings
from tests.patience import within
from tests.workers.naps import ruling
from tests.workers.service import Server
from workers.callbacks import CallbackStore
from workers.jobs.chunk_store import ChunkStore
from workers.jobs.store import Jobs
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import DeliveryResult

DELIVERED, UNANSWERED = DeliveryResult("delivered", 204, ""), DeliveryResult("again", None, "")
NUMBERS = count()


@pytest.fixture
def server(one_server: Server) -> Server:
    one_server.client.flushall()
    return one_server


@pytest.fixture
def chunks(server: Server) -> ChunkStore:
    return ChunkStore(WorkerSettings(redis_url=server.url))


@pytest.fixture
def callbacks(chunks: ChunkStore) -> CallbackStore:
    return CallbackStore(chunks.scripts, 60.0)


class End:
    """Ends jobs that have callbacks."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def __call__(self, caller: str, host: str) -> str:
        """End a job with a callback to this host; give its id."""
        callback = Callback(f"https://{host}/hook")
        job = self._jobs.submit(ruling(next(NUMBERS)), caller=caller, estimate_ms=1.0, callback=callback).job
        self._jobs.dismiss(job.id)
        return job.id


@pytest.fixture
def end(jobs: Jobs) -> End:
    return End(jobs)


def job_ids(names: tuple[str, ...]) -> set[str]:
    """Give the jobs of callbacks."""
    return {name.split(".")[1] for name in names}


def report(callbacks: CallbackStore, name: str, went: DeliveryResult, again_at: float | None = None) -> None:
    found = callbacks.read(name)
    assert found is not None
    callbacks.note_attempt(name, found[0], went, again_at)


def test_of_each_caller_one_is_called_at_a_time(callbacks: CallbackStore, end: End) -> None:
    mine = [end("a", f"h{number}.example") for number in range(3)]
    other = end("b", "h9.example")
    due = callbacks.due()
    assert len(due) == 2
    assert other in job_ids(due)
    called: list[str] = []
    while mine_now := [name for name in due if name.startswith(digest("a"))]:
        (name,) = mine_now
        called.append(name.split(".")[1])
        # Neither a later look nor a job that ends meanwhile lets a second one go.
        assert callbacks.due() == ()
        if len(called) == 1:
            mine.append(end("a", "late.example"))
            assert callbacks.due() == ()
        report(callbacks, name, DELIVERED)
        due = callbacks.due()
    assert sorted(called) == sorted(mine)


def test_of_each_host_one_is_called_at_a_time(callbacks: CallbackStore, end: End) -> None:
    """A host is a name with its port, however the name is written."""
    first, second, elsewhere = end("a", "one.example"), end("b", "ONE.example"), end("c", "one.example:8443")
    due = callbacks.due()
    assert len(job_ids(due) & {first, second}) == 1
    assert elsewhere in job_ids(due)
    (name,) = (name for name in due if name.split(".")[1] != elsewhere)
    report(callbacks, name, DELIVERED)
    assert within(lambda: job_ids(callbacks.due()) == {first, second} - job_ids(due))


def test_a_host_that_does_not_answer_is_left_alone_for_longer_and_longer(
    callbacks: CallbackStore, end: End, server: Server
) -> None:
    quiet, failed = (f"arbiter:{kind}:{digest('down.example')}" for kind in ("quiet", "failed"))
    for number, seconds in enumerate((5, 10, 20, 40, 80, 160, 320, 600, 600)):
        end(f"a{number}", "down.example")
        (name,) = callbacks.due()
        report(callbacks, name, UNANSWERED)
        assert seconds - 3 < server.client.pttl(quiet) / 1_000 <= seconds
        # Whoever wants this host waits; other hosts, of the same caller and of others, do not.
        end(f"b{number}", "down.example")
        goes = {end(f"b{number}", "up.example"), end(f"c{number}", "fine.example")}
        due = callbacks.due()
        assert job_ids(due) == goes
        for each in due:
            report(callbacks, each, DELIVERED)
        assert callbacks.due() == ()
        # As if the time were over, and nobody waited any more.
        server.client.delete(quiet, *server.client.keys("arbiter:call:*"))
    end("d", "down.example")
    (name,) = callbacks.due()
    report(callbacks, name, DELIVERED)
    assert not server.client.exists(quiet, failed)


def test_a_host_that_answers_is_not_left_alone_whatever_it_answers(
    callbacks: CallbackStore, end: End, server: Server
) -> None:
    """Else anybody could silence a host of many by a path of it that does not exist."""
    end("a", "many.example")
    (name,) = callbacks.due()
    now_s = int(server.client.time()[0])
    report(callbacks, name, DeliveryResult("again", 503, ""), now_s + 1_000.0)
    assert callbacks.due() == ()
    other = end("b", "many.example")
    assert job_ids(callbacks.due()) == {other}


def test_a_callback_that_nobody_reports_is_due_again(chunks: ChunkStore, end: End) -> None:
    forgetful = CallbackStore(chunks.scripts, 0.5)
    job = end("a", "h.example")
    assert job_ids(forgetful.due()) == {job}
    assert within(lambda: job_ids(forgetful.due()) == {job})


def test_nothing_is_left_of_callbacks_that_are_delivered(callbacks: CallbackStore, end: End, server: Server) -> None:
    end("a", "h.example")
    (name,) = callbacks.due()
    report(callbacks, name, DELIVERED)
    assert callbacks.due() == ()
    for kind in ("due", "calls:*", "call:*", "calling:*", "quiet:*", "failed:*"):
        assert server.client.keys(f"arbiter:{kind}") == []
