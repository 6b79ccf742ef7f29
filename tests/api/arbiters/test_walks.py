"""Odds bounded in time: refused when they take too long, and ended with their client or their process."""

import socket
import time
from typing import Any

import pytest
from flask import Flask

from api import create_app
from api.arbiters.walks import WalkWatch, hung_up, walk_s
from api.problems.handlers import ProblemError
from api.settings import Settings
from api.web import drain
from arbiter import registry
from arbiter.odds.exact import TimeBudgetExceeded
from services._template.arbiter import ARBITER as TEMPLATE
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ask, problem
from tests.reading import load_examples

BATTLE = f"/v1/games/{TEMPLATE.name}/battle/odds"
UNBOUNDED = {"log_level": "error", "rate_limits": False, "path_budget": 10**9}


def battle() -> dict[str, Any]:
    """Give the body of the odds of a whole battle, which has far too many paths."""
    return next(each.odds_body() for each in load_examples(TEMPLATE.folder / "examples") if each.question == "battle")


@pytest.mark.parametrize("heads", [{}, {"heads": 1_000_000_000}])
def test_odds_end_when_their_time_is_over(heads: dict[str, int]) -> None:
    app = create_app(Settings(**UNBOUNDED, odds_limit_ms=100), {TEMPLATE.name: TEMPLATE})
    began = time.thread_time()
    answer = ask(app.test_client(), BATTLE, {**battle(), **heads})
    took_s = time.thread_time() - began
    told = problem(answer, 422, "odds-too-long")
    assert told["limit_s"] == 0.1
    assert told["instead"]["path"] == BATTLE
    assert told["as_job"] is None
    # Of its own time, whatever else the machine does.
    assert 0.1 <= took_s < 1.0
    assert 100 <= float(answer.headers["Server-Timing"].removeprefix("walk;dur=")) < 1_000


def test_odds_that_take_too_long_are_offered_as_a_job() -> None:
    settings = Settings(**UNBOUNDED, odds_limit_ms=50, job_odds_limit_s=9)
    client = create_app(settings, {TEMPLATE.name: TEMPLATE}, MemoryJobs()).test_client()
    as_job = problem(ask(client, BATTLE, battle()), 422, "odds-too-long")["as_job"]
    assert as_job == {"path": BATTLE, "prefer": "respond-async", "budget": settings.job_path_budget, "limit_s": 9}


def crowd(size: int) -> dict[str, Any]:
    """Give the odds of a battle of two crews of Stargrave, in two rows: one game alone is estimated above a second."""
    figures = [
        {"id": f"{crew}-{index}", "profile": "recruit", "crew": crew, "at": [4 + 3 * index, row]}
        for crew, row in (("red", 4), ("blue", 32))
        for index in range(size)
    ]
    return {"case": {"scene": {"board": {"width_in": 72, "depth_in": 36}, "figures": figures}, "turns": 20}}


def test_odds_of_whole_games_that_can_never_fit_are_refused_unwalked() -> None:
    game = registry.game("stargrave")
    for store, limit_s in ((None, 0.02), (MemoryJobs(), 1.0)):
        settings = Settings(**UNBOUNDED, odds_limit_ms=20, job_odds_limit_s=1)
        client = create_app(settings, {game.name: game}, store).test_client()
        path = f"/v1/games/{game.name}/battle"
        for heads in ({}, {"heads": 10**9}):
            told = problem(ask(client, f"{path}/odds", {**crowd(20), **heads}), 422, "too-dear")
            assert told["limit_s"] == limit_s
            assert f"{path}/simulations" in told["detail"]


def look(watch: WalkWatch) -> None:
    """Let a watch look until it has looked at everything."""
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        watch()


def test_a_walk_ends_with_its_client() -> None:
    app = Flask(__name__)
    ours, theirs = socket.socketpair()
    with ours, app.test_request_context(environ_base={"gunicorn.socket": ours}):
        look(WalkWatch(60))
        theirs.close()
        with pytest.raises(ProblemError, match="client"):
            look(WalkWatch(60))


def test_a_client_that_sends_more_has_not_hung_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert not hung_up(ours)
        theirs.sendall(b"GET / HTTP/1.1")
        assert not hung_up(ours)
        theirs.shutdown(socket.SHUT_WR)
        assert hung_up(ours)


def test_a_walk_ends_with_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "_alive", [lambda: False])
    with pytest.raises(ProblemError, match="stopping"):
        look(WalkWatch(60))


def test_a_walk_ends_with_its_time() -> None:
    watch = WalkWatch(0.0)
    with pytest.raises(TimeBudgetExceeded):
        watch()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("walk;dur=1500.0", 1.5), ("walk;dur=7", 0.007), ("", 0.0), ("cache;dur=9", 0.0), ("walk;dur=nan", 0.0)],
)
def test_the_time_of_a_service_is_read_from_its_header(header: str, seconds: float) -> None:
    assert walk_s(header) == seconds
