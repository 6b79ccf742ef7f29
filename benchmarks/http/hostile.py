"""Hostile clients next to an honest one: the effect of one address's most expensive legal requests on other callers.

`make serve` runs with its defaults. Twenty clients of one address send the most expensive legal requests as fast as
they are answered: odds of battles and heads by the million, the same as jobs, full batches, long sweeps. An honest
client of another address asks who sees whom, and posts a hundred battles as a job, before and during the attack.
Everything runs on the same cores, including the clients. `python -m benchmarks.http.hostile nginx` puts nginx in front,
as compose does.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.http.gateway import QUESTION
from benchmarks.http.gateway import body as sight
from benchmarks.jobs import PATH as BATTLES
from benchmarks.jobs import body as battles
from benchmarks.measure import Row, table
from cli.serve import ROOT, free_port
from tests.house.serving import Port, nginx_before
from workers.jobs.models import FINAL

CLIENTS = 20
SECONDS = float(os.environ.get("BENCHMARK_SECONDS", "120"))
BEFORE_S = 40.0
HOSTILE, HONEST = "127.0.0.66", "127.0.0.7"
"""Addresses of this machine from which the clients connect."""

PAUSE_S = 0.5
"""Between two questions of the honest client, like a player's."""

REFUSED_PAUSE_S = float(os.environ.get("BENCHMARK_REFUSED_PAUSE_S", "0"))
"""A hostile client's pause after a refusal. Without it the twenty flood the service, and take a core themselves."""

JOB_EVERY_S, POLL_EVERY_S = 15.0, 0.25
"""So that the honest client keeps its quota."""


@contextmanager
def serving(behind_nginx: bool) -> Iterator[int]:
    """Run the whole service, behind nginx or as if behind a proxy, so that clients can have addresses."""
    port = free_port()
    settings = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    server = subprocess.Popen(
        [sys.executable, "-m", "cli.serve"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**settings, "PORT": str(port), "ARBITER_TRUSTED_PROXIES": "1"},
    )
    try:
        assert server.stdout is not None
        if not any(line.startswith("Ctrl-C") for line in server.stdout):
            raise RuntimeError("the service did not start")
        with ExitStack() as stack:
            if behind_nginx:
                folder = Path(stack.enter_context(TemporaryDirectory()))
                nginx = nginx_before(Port(port, folder / "log"), folder / "nginx", rate=100)
                port = stack.enter_context(nginx).port
            yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def dearest() -> list[tuple[str, bytes, Mapping[str, str]]]:
    """Give the most expensive legal requests."""
    battle, later = battles(1, 1), {"Prefer": "respond-async"}
    odds = {"case": battle["case"], "policies": battle["policies"]}
    game = "/v1/games/blackstone-fortress"
    whole = json.loads(sight())["case"]
    units = [unit["id"] for side in ("explorers", "hostiles") for unit in whole["scene"][side]]
    batch = {
        "defaults": {"game": "blackstone-fortress", "question": "line-of-sight", "case": {"scene": whole["scene"]}},
        "queries": [{"case": {"observer": one, "targets": [units[0]]}} for one in units[1:] * 10][:100],
    }
    return [
        (f"{game}/battle/odds", json.dumps(odds).encode(), {}),
        (f"{game}/battle/odds", json.dumps({**odds, "heads": 10**9}).encode(), {}),
        (f"{game}/battle/odds", json.dumps(odds).encode(), later),
        (f"{game}/battle/odds", json.dumps({**odds, "heads": 10**6}).encode(), later),
        ("/v1/batch", json.dumps(batch).encode(), {}),
        (f"{game}/battle/simulations", json.dumps(battles(1_000_000, 7)).encode(), {}),
    ]


def ask(port: int, path: str, body: bytes | None, address: str, headers: Mapping[str, str] = {}) -> tuple[int, Any]:
    """Send one request over its own connection; give the status and the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60, source_address=(address, 0))
    try:
        sent = {"Content-Type": "application/json", "X-Forwarded-For": address, **headers}
        connection.request("GET" if body is None else "POST", path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def attack(port: int, until: float, seen: "Counter[str]") -> None:
    """Send the most expensive requests one after the other until the time is over."""
    choices, rng = dearest(), random.Random(threading.get_ident())
    while time.monotonic() < until:
        path, body, headers = rng.choice(choices)
        if b'"seed": 7' in body:
            body = body.replace(b'"seed": 7', b'"seed": %d' % rng.randrange(10**9))
        try:
            status, _ = ask(port, path, body, HOSTILE, headers)
            seen[str(status)] += 1
            time.sleep(REFUSED_PAUSE_S if status == 429 else 0.0)
        except (OSError, HTTPException) as cut:
            seen[type(cut).__name__] += 1


def play(port: int, until: float) -> list[float]:
    """Ask who sees whom repeatedly, each time for another pair; give the milliseconds of each answer."""
    asked, rng, took = json.loads(sight()), random.Random(5), []
    names = [unit["id"] for side in ("explorers", "hostiles") for unit in asked["case"]["scene"][side]]
    while time.monotonic() < until:
        asked["case"]["observer"], asked["case"]["targets"] = (names := rng.sample(names, len(names)))[0], names[1:2]
        body, began = json.dumps(asked).encode(), time.monotonic()
        status, answer = ask(port, QUESTION, body, HONEST)
        took.append(1_000 * (time.monotonic() - began))
        if status != 200:
            raise RuntimeError(f"{status}: {answer!r}")
        time.sleep(PAUSE_S)
    return took


def job(port: int, seed: int) -> float:
    """Post a hundred battles and follow them to their end; give the seconds."""
    began = time.monotonic()
    status, answer = ask(port, BATTLES, json.dumps(battles(100, seed, turns=2)).encode(), HONEST)
    if status != 202:
        raise RuntimeError(f"{status}: {answer!r}")
    place = f"/v1/jobs/{json.loads(answer)['id']}"
    while (found := json.loads(ask(port, place, None, HONEST)[1]))["state"] not in FINAL:
        time.sleep(POLL_EVERY_S)
    if found["state"] != "successful":
        raise RuntimeError(f"the job ended {found['state']}")
    return time.monotonic() - began


def watched(port: int, seconds: float, seed: int) -> tuple[list[float], list[float]]:
    """Play and run jobs for this long; give their times."""
    until, jobs, answers = time.monotonic() + seconds, list[float](), list[float]()
    player = threading.Thread(target=lambda: answers.extend(play(port, until)))
    player.start()
    while (began := time.monotonic()) < until - JOB_EVERY_S:
        jobs.append(job(port, seed + len(jobs)))
        time.sleep(max(0.0, began + JOB_EVERY_S - time.monotonic()))
    player.join()
    return answers, jobs


def rows(behind_nginx: bool = False) -> list[Row]:
    """Measure the honest client alone, and then next to the hostile ones."""
    with serving(behind_nginx) as port:
        quiet, alone = watched(port, BEFORE_S, 1_000)
        until, seen = time.monotonic() + SECONDS, Counter[str]()
        crowd = [threading.Thread(target=attack, args=(port, until, seen)) for _ in range(CLIENTS)]
        for each in crowd:
            each.start()
        answers, beside = watched(port, SECONDS, 2_000)
        for each in crowd:
            each.join()
    print("hostile answers by status:", dict(seen), file=sys.stderr)
    before_ms, p95_ms = (sorted(each)[int(len(each) * 0.95)] for each in (quiet, answers))
    ratio = median(beside) / median(alone)
    return [
        Row(
            f"sight, 95th percentile beside {CLIENTS} hostile clients",
            f"{p95_ms:.0f} ms",
            f"{before_ms:.0f} ms undisturbed",
            None,
            "at most 250 ms",
            p95_ms <= 250,
        ),
        Row(
            "a job of 100 battles beside them, median",
            f"{median(beside):.2f} s",
            f"{median(alone):.2f} s undisturbed",
            ratio,
            "at most 3 times",
            ratio <= 3,
        ),
    ]


if __name__ == "__main__":
    print(table(rows(sys.argv[1:] == ["nginx"])))
