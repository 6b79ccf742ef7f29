"""The command line as a client of a service: a simulation, followed to its end, and look-ups."""

import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, urljoin, urlsplit

import msgspec
import requests

from arbiter.simulation.statistics import Simulated
from cli.client_problems import Away, Problem

CONNECT_S, READ_S = 5.0, 60.0
"""Seconds until a service counts as away."""

SOONEST_S, LATEST_S = 0.2, 10.0
"""Limits of the wait between two polls of a job, whatever the service says."""

MOST_FAILURES = 6
"""Polls in a row that may find the service away before it is given up; the job continues by itself."""

JSON = "application/json"

T = TypeVar("T")


class _Progress(msgspec.Struct):
    done: int
    total: int


class _JobState(msgspec.Struct):
    """The members of a job that are needed to follow it; the service sends more."""

    state: str
    progress: _Progress


class _ByKey(requests.auth.AuthBase):
    """Sends a key with each request, so that the library does not read a file of passwords."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, asking: requests.PreparedRequest) -> requests.PreparedRequest:
        asking.headers["Authorization"] = f"Bearer {self._key}"
        return asking


def simulate(
    address: str, game: str, question: str, body: bytes, on_progress: Callable[[int, int], None], key: str | None = None
) -> bytes:
    """Let a service run a simulation, with a `key` if one is given; give its result as JSON.

    `on_progress` is called with the number of finished games and their total. Raises `Problem` and `Away`.
    """
    path = f"/v1/games/{quote(game, safe='')}/{quote(question, safe='')}/simulations"
    with requests.Session() as session:
        session.auth = None if key is None else _ByKey(key)
        try:
            # Short work is answered immediately; a service that does not wait gives the job.
            headers = {"Content-Type": JSON, "Accept": JSON, "Prefer": "wait=1"}
            answer = session.post(
                address.rstrip("/") + path,
                data=body,
                headers=headers,
                timeout=(CONNECT_S, READ_S),
                allow_redirects=False,
            )
        except requests.RequestException as away:
            raise Away(f"{address} cannot be reached: {away}") from None
        if answer.status_code == 200:
            return _check(answer)
        if answer.status_code != 202:
            raise _refusal(answer)
        job = _job_of(answer)
        try:
            return _follow(session, job, _wait_s(answer), on_progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"The job continues; the same command finds it again, or: {job}") from None


def looked_up(address: str, path: str) -> Any:
    """Fetch a page of a service as JSON; raises `Problem` and `Away`."""
    with requests.Session() as session:
        answer = _got(session, address.rstrip("/") + path)
        if answer is None:
            raise Away(f"{address} cannot be reached")
        if answer.status_code != 200:
            raise _refusal(answer)
        return _decode(answer, object)


def _job_of(answer: requests.Response) -> str:
    place = urljoin(answer.url, answer.headers.get("Location", ""))
    if "Location" not in answer.headers or urlsplit(place)[:2] != urlsplit(answer.url)[:2]:
        raise Away(f"{answer.url} accepts the work, but does not give the path of its job")
    return place


def _follow(session: requests.Session, job: str, wait_s: float, on_progress: Callable[[int, int], None]) -> bytes:
    failures = 0
    while True:
        time.sleep(wait_s)
        answer = _got(session, job)
        if answer is None or answer.status_code in (502, 503, 504):
            failures += 1
            if failures >= MOST_FAILURES:
                raise Away(f"the service is away; the job continues at: {job}")
            wait_s = SOONEST_S * 2**failures if answer is None else _wait_s(answer)
            continue
        failures = 0
        if answer.status_code != 200:
            raise _refusal(answer)
        job_state = _decode(answer, _JobState)
        on_progress(job_state.progress.done, job_state.progress.total)
        if job_state.state not in ("accepted", "running"):
            return _result(session, job)
        wait_s = _wait_s(answer)


def _result(session: requests.Session, job: str) -> bytes:
    for attempt in range(MOST_FAILURES):
        answer = _got(session, f"{job}/result")
        if answer is not None and answer.status_code == 200:
            return _check(answer)
        if answer is not None and answer.status_code not in (502, 503, 504):
            raise _refusal(answer)
        time.sleep(SOONEST_S * 2**attempt)
    raise Away(f"the service is away; the result is at: {job}/result")


def _got(session: requests.Session, address: str) -> requests.Response | None:
    """Get an address; None while the service cannot be reached."""
    try:
        return session.get(address, headers={"Accept": JSON}, timeout=(CONNECT_S, READ_S), allow_redirects=False)
    except requests.RequestException:
        return None


def _wait_s(answer: requests.Response) -> float:
    header = answer.headers.get("Retry-After", "")
    return min(max(SOONEST_S, float(header)), LATEST_S) if header.isdecimal() else SOONEST_S


def _refusal(answer: requests.Response) -> Problem | Away:
    if "problem+json" in answer.headers.get("Content-Type", ""):
        return Problem(_decode(answer, dict[str, Any]))
    return Away(f"{answer.url} answers with status {answer.status_code} and no problem; is Arbiter there?")


def _check(answer: requests.Response) -> bytes:
    _decode(answer, Simulated[Any])
    return answer.content


def _decode(answer: requests.Response, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.DecodeError as wrong:
        raise Away(f"{answer.url} answers in an unexpected form: {wrong}") from None
