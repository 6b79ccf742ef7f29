"""Jobs from the query to the result, through the gateway, a real store and a real worker, and without any of them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from arbiter.sources.catalogue import GameCatalogue
from cli.serve import ROOT, WORKER
from tests.api.posting import GAMES, ask, codes, problem
from tests.patience import within
from tests.workers.service import Server, kill
from workers.celery_config import QUEUES
from workers.jobs.work import Work, compute, result

GAME = GAMES["blackstone-fortress"]
ATTACK = f"/v1/games/{GAME.name}/attack"
EXAMPLE = GameCatalogue(GAME).examples["attack"][0]


def simulation(**members: Any) -> dict[str, Any]:
    return {**EXAMPLE.odds_body(), "count": 200, **members}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("jobs"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def worker(server: Server) -> Iterator[None]:
    log = Path(server.folder / "worker.log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *WORKER, "--queues", ",".join(QUEUES), "--loglevel", "info"],
            cwd=ROOT,
            env={**os.environ, "REDIS_URL": server.url},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        assert within(lambda: b' ready."' in log.read_bytes()), log.read_text()
        yield
    finally:
        kill(process)


@pytest.fixture
def real(server: Server) -> FlaskClient:
    settings = Settings(redis_url=server.url, log_level="error", rate_limits=False, health_timeout_s=5.0)
    return create_app(settings, GAMES).test_client()


def in_process(body: dict[str, Any]) -> bytes:
    work = Work("simulation", GAME.name, "attack", json.dumps(body))
    return result(work, [compute(work, range(body["count"]), 200_000, lambda _: None)])


def submitted(client: FlaskClient, **members: Any) -> dict[str, Any]:
    answer = ask(client, f"{ATTACK}/simulations", simulation(**members))
    assert answer.status_code == 202, answer.data
    told: dict[str, Any] = json.loads(answer.data)
    return told


def events(client: FlaskClient, id_: str, after: str = "") -> list[tuple[str, dict[str, Any]]]:
    text = client.get(f"/v1/jobs/{id_}/events", headers={"Last-Event-ID": after}).get_data(as_text=True)
    blocks = [
        dict(line.split(": ", 1) for line in block.split("\n")) for block in text.split("\n\n") if "data:" in block
    ]
    return [(block["id"], json.loads(block["data"])) for block in blocks]


@pytest.mark.usefixtures("worker")
class TestWithAWorker:
    def test_every_part_is_ready(self, real: FlaskClient) -> None:
        answer = real.get("/readyz")
        components = json.loads(answer.data)["components"]
        assert answer.status_code == 200, components
        assert {f"jobs/{queue}" for queue in QUEUES} <= components.keys()

    def test_who_waits_has_the_result_that_is_had_in_this_process(self, real: FlaskClient) -> None:
        answer = ask(real, f"{ATTACK}/simulations", simulation(seed=1), headers={"Prefer": "wait=25"})
        assert (answer.status_code, answer.headers["Preference-Applied"]) == (200, "wait=25")
        assert answer.data == in_process(simulation(seed=1))

    def test_a_ruling_and_odds_are_the_bytes_of_the_question_at_once(self, real: FlaskClient) -> None:
        for path, body in ((ATTACK, EXAMPLE.ready_body()), (f"{ATTACK}/odds", EXAMPLE.odds_body())):
            answer = ask(real, path, body, headers={"Prefer": "respond-async"})
            assert answer.status_code == 202
            links = json.loads(answer.data)["links"]
            assert within(lambda links=links: real.get(links["result"]).status_code == 200)
            assert real.get(links["result"]).data == ask(real, path, body).data

    def test_the_trace_of_a_request_goes_on_into_its_job(self, real: FlaskClient, server: Server) -> None:
        trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
        said = {"Prefer": "wait=25", "traceparent": f"00-{trace}-{span}-01"}
        assert ask(real, f"{ATTACK}/simulations", simulation(seed=4), headers=said).status_code == 200
        written = [line for line in (server.folder / "worker.log").read_text().splitlines() if line.startswith("{")]
        found = [line for line in map(json.loads, written) if line.get("trace_id") == trace]
        assert [line["event"] for line in found if "job" in line][-1] == "chunk-done"
        # The request is a span of its own, and the job is below that and not below the caller's.
        assert all(line["parent_id"] not in ("", span) for line in found)

    def test_the_story_is_told_to_its_end_and_again_from_the_middle(self, real: FlaskClient) -> None:
        id_ = submitted(real, seed=2)["id"]
        story = events(real, id_)
        states = [job["state"] for _, job in story]
        assert (states[0], states[-1]) == ("accepted", "successful")
        assert story[-1][1]["progress"] == {"done": 200, "total": 200}
        done = [job["progress"]["done"] for _, job in story]
        assert done == sorted(done)
        assert events(real, id_, story[0][0]) == story[1:]
        assert real.get(f"/v1/jobs/{id_}/events", headers={"Last-Event-ID": story[-1][0]}).status_code == 204

    def test_what_turns_out_impossible_is_a_failed_job(self, real: FlaskClient) -> None:
        body = {**EXAMPLE.body(), "dice": {"hand": {"nothing rolls this": [1]}, "seed": 1}}
        at_once = problem(ask(real, ATTACK, body), 422, "invalid")
        told = json.loads(ask(real, ATTACK, body, headers={"Prefer": "respond-async"}).data)
        assert events(real, told["id"])[-1][1]["state"] == "failed"
        failed = problem(real.get(told["links"]["result"]), 409, "job-failed")
        assert codes(failed) == codes(at_once)

    def test_workers_are_measured(self, real: FlaskClient) -> None:
        ask(real, f"{ATTACK}/simulations", simulation(seed=3), headers={"Prefer": "wait=25"})
        text = real.get("/metrics").get_data(as_text=True)
        assert "arbiter_job_store_up 1.0" in text
        assert 'arbiter_jobs_total{state="successful"}' in text
        assert 'arbiter_queue_open_jobs{queue="simulations"} 0.0' in text


class TestWithoutAWorker:
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[Server]:
        server = Server(tmp_path)
        server.start()
        yield server
        server.kill()

    def test_no_queue_is_ready(self, server: Server) -> None:
        client = create_app(
            Settings(redis_url=server.url, log_level="error", rate_limits=False, health_timeout_s=0.2), GAMES
        ).test_client()
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert json.loads(answer.data)["components"]["jobs/simulations"]["ok"] is False

    def test_jobs_wait_and_can_be_dismissed_and_listed(self, real: FlaskClient) -> None:
        ids = [submitted(real, seed=seed)["id"] for seed in range(5)]
        answer = real.delete(f"/v1/jobs/{ids[0]}")
        assert (answer.status_code, json.loads(answer.data)["state"]) == (200, "dismissed")
        problem(real.get(f"/v1/jobs/{ids[0]}/result"), 410, "job-dismissed")
        answer = problem(real.get(f"/v1/jobs/{ids[1]}/result"), 409, "not-finished")
        found, path = [], "/v1/jobs?limit=2"
        while path:
            page = json.loads(real.get(path).data)
            found += [job["id"] for job in page["jobs"]]
            path = page["links"].get("next")
        assert found == ids[::-1]

    def test_the_same_asked_twice_is_one_job_and_a_key_is_for_one_question(self, real: FlaskClient) -> None:
        key = {"Idempotency-Key": '"k"'}
        path = f"{ATTACK}/simulations"
        ids = {json.loads(ask(real, path, simulation(seed=1), headers=key).data)["id"] for _ in range(2)}
        assert len(ids) == 1
        problem(ask(real, path, simulation(seed=2), headers=key), 422, "key-reused")

    def test_a_full_queue_refuses_and_harms_nothing(self, server: Server) -> None:
        settings = Settings(redis_url=server.url, log_level="error", rate_limits=False, most_open_jobs=2)
        client = create_app(settings, GAMES).test_client()
        ids = [submitted(client, seed=seed)["id"] for seed in range(2)]
        answer = ask(client, f"{ATTACK}/simulations", simulation(seed=9))
        assert problem(answer, 503, "queue-full")["waiting_s"] > 0
        assert int(answer.headers["Retry-After"]) > 0
        assert [json.loads(client.get(f"/v1/jobs/{id_}").data)["state"] for id_ in ids] == ["accepted"] * 2

    def test_who_uses_up_the_share_of_one_caller_is_told_for_how_long(self, server: Server) -> None:
        settings = Settings(
            redis_url=server.url, log_level="error", rate_limits=False, job_cost_s=2, most_waiting_s_of_caller=2
        )
        client = create_app(settings, GAMES).test_client()
        path = f"{ATTACK}/simulations"
        taken = ask(client, path, simulation(seed=21, count=3_000))
        estimate_s = json.loads(taken.data)["estimate_s"]
        assert (taken.status_code, 1 < estimate_s <= 2) == (202, True)
        answer = ask(client, path, simulation(seed=22, count=3_000))
        refused = problem(answer, 429, "too-much-waiting")
        assert (refused["waiting_s"], refused["limit_s"]) == (pytest.approx(estimate_s, abs=0.01), 2)
        assert int(answer.headers["Retry-After"]) == 1
        elsewhere = ask(client, path, simulation(seed=22, count=3_000), environ_base={"REMOTE_ADDR": "198.51.100.7"})
        assert elsewhere.status_code == 202

    def test_a_store_that_is_away_in_the_middle_of_a_poll_says_so_and_nothing_is_lost(
        self, real: FlaskClient, server: Server
    ) -> None:
        id_ = submitted(real, seed=1)["id"]
        server.kill()
        assert within(lambda: real.get(f"/v1/jobs/{id_}").status_code == 503)
        problem(real.get(f"/v1/jobs/{id_}"), 503, "store-away")
        problem(ask(real, f"{ATTACK}/simulations", simulation(seed=2)), 503, "store-away")
        assert "arbiter_job_store_up 0.0" in real.get("/metrics").get_data(as_text=True)
        server.start()
        assert within(lambda: real.get(f"/v1/jobs/{id_}").status_code == 200)
        assert [job["id"] for job in json.loads(real.get("/v1/jobs").data)["jobs"]] == [id_]

    def test_a_stream_outlives_a_restart_of_the_store(self, real: FlaskClient, server: Server) -> None:
        id_ = submitted(real, seed=1)["id"]

        def restart() -> None:
            server.kill()
            server.start()
            within(lambda: real.delete(f"/v1/jobs/{id_}").status_code == 200)

        restarting = Timer(0.3, restart)
        restarting.start()
        story = events(real, id_)
        restarting.join()
        assert [job["state"] for _, job in story] == ["accepted", "dismissed"]
