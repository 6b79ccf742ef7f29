"""What holds for every path: health, metrics, logs, limits, and pages of other origins."""

import json
import re
import socket
import subprocess
import sys
from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from api import create_app
from api.schemas.field_errors import MOST_FAULTS
from api.settings import Settings
from arbiter.game import ENGINE, Arbiter
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, problem
from workers.celery_config import QUEUES

ORIGIN = {"Origin": "https://table.example"}


def logged(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# Health


def test_the_process_says_that_it_lives(client: FlaskClient) -> None:
    assert json.loads(client.get("/healthz").data) == {"status": "alive", "engine": ENGINE}


def test_a_gateway_without_jobs_is_ready(client: FlaskClient) -> None:
    answer = client.get("/readyz")
    told = json.loads(answer.data)
    assert (answer.status_code, told["status"]) == (200, "ready")
    assert told["components"]["jobs"]["ok"]
    assert "absent" in told["components"]["jobs"]["detail"]
    assert TEMPLATE.name in told["components"]["games"]["detail"]


def test_a_gateway_whose_redis_is_away_is_not_ready_but_rules() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    secret = "s3cret"
    settings = Settings(redis_url=f"redis://:{secret}@127.0.0.1:{port}/0", health_timeout_s=0.2, log_level="error")
    client = create_app(settings, GAMES).test_client()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    components = json.loads(answer.data)["components"]
    # Of games that are decided elsewhere there may be one part each.
    here = {name: component["ok"] for name, component in components.items() if not name.startswith("games/")}
    assert here == {"games": True, **{f"jobs/{queue}": False for queue in QUEUES}}
    assert secret not in answer.get_data(as_text=True)
    assert client.get("/healthz").status_code == 200
    assert ask(client, ATTACK, attack()).status_code == 200


def test_a_gateway_without_games_is_not_ready() -> None:
    answer = create_app(Settings(log_level="error"), {}).test_client().get("/readyz")
    assert answer.status_code == 503
    assert not json.loads(answer.data)["components"]["games"]["ok"]


# Metrics


def counted(client: FlaskClient) -> dict[tuple[str, str, str, str], float]:
    answer = client.get("/metrics")
    assert answer.content_type.startswith("text/plain")
    return {
        tuple(sample.labels[name] for name in ("route", "game", "question", "status")): sample.value
        for family in text_string_to_metric_families(answer.get_data(as_text=True))
        for sample in family.samples
        if sample.name == "arbiter_requests_total"
    }


def test_requests_are_counted_by_game_question_and_status() -> None:
    client = create_app(Settings(log_level="error"), GAMES).test_client()
    for _ in range(3):
        ask(client, ATTACK, attack())
    ask(client, ATTACK, {})
    counts = counted(client)
    assert counts["/v1/games/<game>/<question>", TEMPLATE.name, "attack", "200"] == 3
    assert counts["/v1/games/<game>/<question>", TEMPLATE.name, "attack", "422"] == 1
    assert counted(create_app(Settings(log_level="error"), GAMES).test_client()) == {}, "every app counts for itself"


def test_clients_cannot_make_up_names_to_be_counted_under() -> None:
    client = create_app(Settings(log_level="error"), GAMES).test_client()
    for number in range(50):
        client.get(f"/v1/games/made-up-{number}")
        client.get(f"/made/up/{number}")
        client.get(f"/v1/games/{TEMPLATE.name}/questions/made-up-{number}/examples")
        client.open(ATTACK, method=f"MADE{number}")
    assert len(counted(client)) <= 4


def test_processes_add_their_counts_up_through_files(tmp_path: Any) -> None:
    # The library decides when it is first imported, so that each process has to begin anew.
    one = """
import sys
from api import create_app
from api.settings import Settings
client = create_app(Settings(log_level="error"), {}).test_client()
for _ in range(2):
    client.get("/v1/games")
print(client.get("/metrics").get_data(as_text=True))
"""
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    for expected in ("2.0", "4.0"):
        done = subprocess.run([sys.executable, "-c", one], env=environment, capture_output=True, text=True, check=True)
        sample = re.search(r'arbiter_requests_total\{.*route="/v1/games".*\} (\S+)', done.stdout)
        assert sample
        assert sample[1] == expected


# Logs


def test_each_request_is_one_line_without_its_body(capsys: pytest.CaptureFixture[str]) -> None:
    client = create_app(Settings(), GAMES).test_client()
    ask(client, ATTACK, attack(password="hunter2"), headers={"X-Request-Id": "my-id"})
    (line,) = logged(capsys)
    assert line["event"] == "request"
    assert (line["method"], line["route"], line["status"]) == ("POST", "/v1/games/<game>/<question>", 422)
    assert (line["game"], line["question"], line["request_id"]) == (TEMPLATE.name, "attack", "my-id")
    assert 0 < line["ms"] < 10_000
    assert "hunter2" not in json.dumps(line)


def test_paths_and_parameters_of_clients_are_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    client = create_app(Settings(), GAMES).test_client()
    client.get("/v1/games/secret-game?token=secret")
    client.get("/secret")
    lines = logged(capsys)
    assert len(lines) == 2
    assert "secret" not in json.dumps(lines)


def test_what_no_view_answers_is_logged_and_counted_like_all_else(capsys: pytest.CaptureFixture[str]) -> None:
    client = create_app(Settings(max_body_bytes=1_024, rate_limits=False), {TEMPLATE.name: TEMPLATE}).test_client()
    refused = {
        404: client.get("/nothing"),
        405: client.delete(ATTACK),
        413: client.post(ATTACK, data=b" " * 2_000, content_type="application/json"),
    }
    lines = logged(capsys)
    assert [line["status"] for line in lines] == list(refused)
    for line, (status, answer) in zip(lines, refused.items(), strict=True):
        assert answer.status_code == status
        assert answer.headers["X-Request-Id"] == line["request_id"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert [line["route"] for line in lines] == ["", "", "/v1/games/<game>/<question>"]
    counts = counted(client)
    assert {key[0::3] for key in counts} == {("", "404"), ("", "405"), ("/v1/games/<game>/<question>", "413")}
    assert set(counts.values()) == {1.0}


def test_the_level_decides_what_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    create_app(Settings(log_level="warning"), GAMES).test_client().get("/v1/games")
    assert logged(capsys) == []


# Pages of other origins


@pytest.mark.parametrize("path", ["/v1/games", ATTACK, "/nothing", "/healthz", "/openapi.json"])
def test_every_answer_may_be_read_by_a_page_of_any_origin(client: FlaskClient, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "DELETE"):
        answer = client.open(path, method=method, headers=ORIGIN)
        assert answer.headers["Access-Control-Allow-Origin"] == "*", (method, answer.status_code)


SENDABLE = {"authorization", "content-type", "x-request-id", "prefer", "idempotency-key", "last-event-id"}


def test_a_page_may_post_json_after_asking_whether_it_may(client: FlaskClient) -> None:
    asking = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ", ".join({*SENDABLE, "cookie"}),
    }
    answer = client.options(ATTACK, headers={**ORIGIN, **asking})
    assert answer.status_code == 200
    methods = set(answer.headers["Access-Control-Allow-Methods"].split(", "))
    assert {"GET", "HEAD", "POST", "QUERY", "PUT", "DELETE"} <= methods
    assert set(answer.headers["Access-Control-Allow-Headers"].split(", ")) == SENDABLE, (
        "those it asked for, but cookies"
    )
    assert answer.headers["Access-Control-Max-Age"] == "86400"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Access-Control-Allow-Methods" not in client.options(ATTACK, headers=ORIGIN).headers, "nobody asked"


def test_a_page_may_read_what_is_said_of_jobs(client: FlaskClient) -> None:
    readable = set(client.get("/v1/games", headers=ORIGIN).headers["Access-Control-Expose-Headers"].split(", "))
    assert {"Location", "Retry-After", "Preference-Applied", "Link", "X-Request-Id"} <= readable


def test_origins_can_be_named() -> None:
    named = ("https://table.example", "https://vtt.example", "http://[::1]:3000", "https://*.games.example")
    client = create_app(Settings(cors_origins=named, log_level="error"), GAMES).test_client()
    for origin in named[:3]:
        for path in ("/v1/games", "/nothing"):
            answer = client.get(path, headers={"Origin": origin})
            assert answer.headers.getlist("Access-Control-Allow-Origin") == [origin]
            assert "Origin" in answer.vary
    # No name is a pattern, nor the beginning of another.
    for origin in (
        "https://evil.example",
        "https://table.example.evil.example",
        "https://tableXexample",
        "http://1:3000",
        "https://a.games.example",
        "https:/xgames.example",
        "null",
        "",
    ):
        answer = client.get("/v1/games", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers, origin
        # A cache between them must not give the one the answer of the other.
        assert "Origin" in answer.vary


def test_heads_are_answers_without_a_body(client: FlaskClient) -> None:
    asked, headed = client.get("/v1/games"), client.head("/v1/games")
    assert headed.data == b""
    assert headed.headers["Content-Length"] == asked.headers["Content-Length"]


# Limits


def test_limits_are_those_of_the_settings() -> None:
    settings = Settings(
        max_body_bytes=2_048,
        max_map_bytes=4_096,
        max_depth=9,
        path_budget=77,
        job_path_budget=78,
        odds_limit_ms=76,
        job_odds_limit_s=75,
        sync_cost_ms=79,
        job_cost_s=80,
        most_wait_s=81,
        most_open_jobs=82,
        most_waiting_s=83,
        result_expiry_s=84,
        gateway_threads=5,
        most_open_jobs_of_caller=22,
        most_waiting_s_of_caller=81,
        rulings_ttl_s=85,
        boards_max_count=86,
        boards_max_mib=87,
        boards_ttl_s=88,
        most_batch=89,
        batch_seconds=89.5,
        log_level="error",
    )
    told = json.loads(create_app(settings, GAMES).test_client().get("/v1/limits").data)
    assert {limit["name"]: limit["most"] for limit in told["general"]} == {
        "body": 2_048,
        "map": 4_096,
        "depth": 9,
        "paths": 77,
        "faults": MOST_FAULTS,
        "job-paths": 78,
        "odds-ms": 76,
        "job-odds-s": 75,
        "at-once": 79,
        "job": 80,
        "wait": 81,
        "open-jobs": 82,
        "waiting": 83,
        "kept": 84,
        "streams": 4,
        "waiting-of-caller": 81,
        "streams-of-caller": 2,
        "open-jobs-of-caller": 22,
        "games": 1_000_000,
        "axes": 4,
        "points": 100,
        "key": 255,
        "rulings": 85,
        "chosen": 200,
        "board": 2_048,
        "boards": 86,
        "boards-size": 87,
        "boards-ttl": 88,
        "batch": 89,
        "batch-time": 90,
    }


def test_limits_of_types_are_those_that_are_declared(client: FlaskClient) -> None:
    told = json.loads(client.get("/v1/limits").data)["types"][TEMPLATE.name]
    limits = {(limit["type"], limit["field"], limit["unit"]): limit["most"] for limit in told}
    assert limits["TemplateScene", "fighters", "items"] == 40
    assert limits["TemplateScene", "radius_hexes", "as a number"] == 20
    assert limits["TemplateBattleCase", "rounds", "as a number"] == 50
    assert limits["DiceSpec", "throws", "items"] == 5000


def test_who_has_the_limits_is_told_so_whoever_asks(client: FlaskClient) -> None:
    first = client.get("/v1/limits")
    tag = first.headers["ETag"]
    assert re.fullmatch('"[0-9a-f]{32}"', tag)
    assert first.headers["Cache-Control"] == "no-cache", "the next start may have others"
    other = client.get("/v1/limits", environ_base={"REMOTE_ADDR": "203.0.113.9"}, headers={"Accept-Language": "de"})
    assert (other.data, other.headers["ETag"]) == (first.data, tag)
    for held in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = client.get("/v1/limits", headers={"If-None-Match": held})
        assert (again.status_code, again.data) == (304, b"")
        assert (again.headers["ETag"], again.headers["Cache-Control"]) == (tag, "no-cache")
    for held in ('"x"', f'{tag[:-2]}"', ""):
        again = client.get("/v1/limits", headers={"If-None-Match": held})
        assert (again.status_code, again.data) == (200, first.data), held
    assert client.head("/v1/limits").headers["ETag"] == tag


def test_other_limits_have_another_tag() -> None:
    def tag(**settings: Any) -> str:
        chosen = Settings(log_level="error", **settings)
        return create_app(chosen, {TEMPLATE.name: TEMPLATE}).test_client().get("/v1/limits").headers["ETag"]

    ways: list[dict[str, Any]] = [{}, {"max_depth": 9}, {"rate_limits": False}, {"key_units_per_minute": 7_000}]
    assert len({tag(**each) for each in ways}) == len(ways)
    assert tag() == tag(), "processes that serve together say the same"


def test_a_body_at_a_limit_is_taken_and_beyond_it_is_not(client: FlaskClient) -> None:
    def crowd(count: int) -> dict[str, Any]:
        body = attack()
        body["case"]["scene"]["radius_hexes"] = 20
        body["case"]["scene"]["fighters"] += [
            {"id": f"f{index}", "side": "red", "profile": "scout", "hex": [index % 10, 5 + index // 10]}
            for index in range(count - 2)
        ]
        return body

    assert ask(client, ATTACK, crowd(40)).status_code == 200
    assert problem(ask(client, ATTACK, crowd(41)), 422, "invalid")["errors"][0]["code"] == "too-long"


def test_everything_a_game_takes_is_bounded(client: FlaskClient, game: Arbiter) -> None:
    told = json.loads(client.get("/v1/limits").data)["types"][game.name]
    assert told
    assert all(limit["most"] > 0 for limit in told if limit["unit"] != "as a number")
