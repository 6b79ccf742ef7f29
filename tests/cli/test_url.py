"""`arbiter simulate --url`: a job is posted, followed and fetched; what goes wrong on the way is told or outlasted."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from arbiter import registry
from cli import client, main
from tests.api.posting import GAMES, TEMPLATE, attack
from workers.jobs.work import Work, compute, result, split

NAME = TEMPLATE.name
JOB = {"id": "1f", "kind": "simulation", "game": NAME, "question": "attack", "state": "accepted"}
PROBLEM = "application/problem+json"


class Script(list[tuple[int, dict[str, str], Any]]):
    """The answers of a service in their order, and the requests that it had."""

    def __init__(self) -> None:
        super().__init__()
        self.had: list[tuple[str, str, Any]] = []
        self.address = ""


@pytest.fixture
def service() -> Iterator[Script]:
    script = Script()

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.had.append((self.command, self.path, json.loads(posted) if posted else None))
            status, headers, body = script.pop(0)
            if status == 0:  # the connection breaks without a word
                self.close_connection = True
                return
            said = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": len(said), **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(said)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    script.address = f"http://127.0.0.1:{server.server_port}"
    yield script
    server.shutdown()
    server.server_close()


@pytest.fixture
def simulate(
    service: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    # The sleeps are noted, not slept.
    slept: list[float] = []
    monkeypatch.setattr(client.time, "sleep", slept.append)
    file = tmp_path / "case.json"
    file.write_text(json.dumps(attack()))

    def run_it(*more: object, url: str | None = None) -> Any:
        line = ["simulate", NAME, "attack", file, "--count", 30, "--seed", 7, "--url", url or service.address, *more]
        code = main.main([str(each) for each in line], GAMES)
        said = capsys.readouterr()
        return code, said.out, said.err, slept

    return run_it


def done(monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(registry, "game", GAMES.__getitem__)
    work = Work("simulation", NAME, "attack", json.dumps({**attack(), "count": 30, "seed": 7}))
    return result(work, [compute(work, games, 20_000, lambda over: None) for games in split(work, 1)])


def job(state: str, over: int, wait: str = "1") -> tuple[int, dict[str, str], Any]:
    return 200, {"Retry-After": wait}, {**JOB, "state": state, "progress": {"done": over, "total": 30}}


ACCEPTED = (202, {"Location": "/v1/jobs/1f", "Retry-After": "2"}, {**JOB, "progress": {"done": 0, "total": 30}})


def test_a_job_is_posted_followed_and_fetched(simulate: Any, service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = done(monkeypatch)
    service += [ACCEPTED, job("running", 10, "3"), job("successful", 30), (200, {}, whole)]
    code, out, err, slept = simulate("--policies", "blue=bold", "--json")
    assert (code, err, json.loads(out)) == (0, "", json.loads(whole))
    assert service.had == [
        (
            "POST",
            f"/v1/games/{NAME}/attack/simulations",
            {**attack(), "policies": {"blue": "bold"}, "count": 30, "seed": 7},
        ),
        ("GET", "/v1/jobs/1f", None),
        ("GET", "/v1/jobs/1f", None),
        ("GET", "/v1/jobs/1f/result", None),
    ]
    assert slept == [2, 3], "as long as the service asks for"


def test_a_result_that_comes_at_once_is_taken_and_told_as_if_it_were_made_here(
    simulate: Any, service: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service.append((200, {}, done(monkeypatch)))
    code, out, _, slept = simulate()
    assert (code, slept) == (0, [])
    main.main(["simulate", NAME, "attack", str(tmp_path / "case.json"), "--count", "30", "--seed", "7"], GAMES)
    assert capsys.readouterr().out == out


def test_waits_are_held_to_bounds(simulate: Any, service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    service += [
        ACCEPTED,
        job("running", 1, "86400"),
        job("running", 2, "0"),
        job("running", 3, "Fri, 31 Dec 2100"),
        job("successful", 30),
        (200, {}, done(monkeypatch)),
    ]
    assert simulate()[3] == [2, client.LATEST_S, client.SOONEST_S, client.SOONEST_S]


def test_a_service_that_is_away_for_a_while_is_outlasted(
    simulate: Any, service: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = (503, {"Retry-After": "4", "Content-Type": PROBLEM}, {"title": "away", "status": 503})
    broken = (0, {}, None)
    service += [ACCEPTED, broken, away, job("running", 1), away, job("successful", 30), broken, away]
    service.append((200, {}, done(monkeypatch)))
    code, _, err, _ = simulate()
    assert (code, err) == (0, "")
    assert not service


def test_a_service_that_stays_away_is_given_up_but_the_job_is_named(simulate: Any, service: Script) -> None:
    service += [ACCEPTED, *[(0, {}, None)] * client.MOST_FAILURES]
    code, out, err, slept = simulate()
    assert (code, out) == (1, "")
    assert f"{service.address}/v1/jobs/1f" in err
    assert slept[1:] == sorted(slept[1:]), "it is asked less and less often"
    assert sum(slept) < 60


@pytest.mark.parametrize(
    ("status", "told", "code", "said"),
    [
        (422, {"errors": [{"pointer": "/case/x", "code": "no", "message": "is missing"}]}, 2, "/case/x: is missing"),
        (422, {"title": "Odd", "detail": "faults", "errors": 3}, 2, "Odd: faults"),
        (503, {"title": "Full", "detail": "Come back later.", "errors": []}, 1, "Full: Come back later."),
        (404, {"title": "Nothing here", "detail": "no game", "errors": []}, 2, "Nothing here: no game"),
    ],
)
def test_problems_are_told(simulate: Any, service: Script, status: int, told: Any, code: int, said: str) -> None:
    service.append((status, {"Content-Type": PROBLEM}, {"status": status, **told}))
    ended, out, err, _ = simulate()
    assert (ended, out) == (code, "")
    assert said in err


def test_a_job_that_came_to_nothing_tells_why(simulate: Any, service: Script) -> None:
    failed = {"status": 500, "title": "The job failed", "detail": "A worker was lost three times.", "errors": []}
    service += [ACCEPTED, job("failed", 3), (500, {"Content-Type": PROBLEM}, failed)]
    code, _, err, _ = simulate()
    assert (code, err) == (1, "The job failed: A worker was lost three times.\n")


def test_ctrl_c_leaves_the_job_and_says_where_it_is(
    simulate: Any, service: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    service.append(ACCEPTED)
    monkeypatch.setattr(client.time, "sleep", interrupt)
    code, out, err, _ = simulate()
    assert (code, out) == (130, "")
    assert f"{service.address}/v1/jobs/1f" in err


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>"),
        (302, {"Location": "/elsewhere"}, {}),
        (500, {"Content-Type": "text/html"}, b"oh"),
        (202, {}, {}),
        (202, {"Location": "http://elsewhere.example/v1/jobs/1f"}, {}),
        (422, {"Content-Type": PROBLEM}, b"no json"),
        (422, {"Content-Type": PROBLEM}, []),
    ],
)
def test_what_is_no_such_service_is_named(simulate: Any, service: Script, answer: Any) -> None:
    service.append(answer)
    code, out, err, _ = simulate()
    assert (code, out) == (1, "")
    assert err.startswith("No answer: ")
    assert len(service.had) == 1, "nothing is asked of anybody else"


@pytest.mark.parametrize("followed", [(200, {}, b"no json"), (200, {}, {"state": "running"}), (404, {}, {})])
def test_what_is_no_job_is_named(simulate: Any, service: Script, followed: Any) -> None:
    service += [ACCEPTED, followed]
    code, _, err, _ = simulate()
    assert (code, err.startswith("No answer: ")) == (1, True)


def test_nobody_there_is_told_at_once(simulate: Any) -> None:
    began = time.monotonic()
    for url in ("http://127.0.0.1:9", "no address", "ftp://127.0.0.1"):
        code, out, err, _ = simulate(url=url)
        assert (code, out) == (1, "")
        assert "cannot be reached" in err
    assert time.monotonic() - began < 30


def test_names_cannot_lead_elsewhere(service: Script, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text("{}")
    service.append((404, {}, {}))
    main.main(["simulate", "../../x", "a/b?c", str(file), "--url", service.address], GAMES)
    assert service.had[0][1] == "/v1/games/..%2F..%2Fx/a%2Fb%3Fc/simulations"
