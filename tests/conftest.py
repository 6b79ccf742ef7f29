"""For every test: how Hypothesis looks for counterexamples, and the option to rewrite golden files.

There is no deadline, for machines are shared. Where `CI` is set the examples are the same in every run, so that a
change is judged by what it changes; elsewhere they are new each time. `tests.effort` says how many they are.

Compiled modules are kept, whatever the environment says: the service and its command line are started some hundred
times, and every process would compile them anew.
"""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from xdist.scheduler.loadfile import LoadFileScheduling

from tests.effort import cases

if TYPE_CHECKING:
    from tests.house.serving import Port, Server

settings.register_profile("house", max_examples=cases(100), deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("house")

# For the processes that tests start, those of pytest-xdist among them, and for this one.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported from here on stays, so that nothing is gained by looking for garbage among it.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the golden transcripts anew instead of comparing")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage once tests are read, but never among what they have read: games and examples stay.

    What tests leave behind is looked for less often than Python does by itself.
    """
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 10, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let long files begin first, so that all processes end together."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


RULINGS = (
    "api/resources/test_docs",
    "api/resources/test_games",
    "api/resources/test_rules",
    "house/test_event_lines",
    "house/test_options",
    "house/test_rolls",
    "house/test_sentences",
    "house/test_sources",
    "services/size_skirmish/test_findings",
    "services/test_every_arbiter",
    "services/warleague/test_agreement",
)
LOOK_UPS = (
    "api/openapi/test_build",
    "api/openapi/test_schemathesis",
    "api/resources/test_lookup",
    "arbiter/sources/lookup/test_players",
    "arbiter/sources/lookup/test_search",
    "house/test_lookup",
)
TOGETHER = {f"tests/{file}.py": files[0] for files in (RULINGS, LOOK_UPS) for file in files}
"""Files that look at the ruling of every worked example, and those that search every game: of each, one process makes
the rulings, or the indices, for all."""


class Files(LoadFileScheduling):
    """Gives each process whole files, and some files together."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return TOGETHER.get(file, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Schedule by `Files`, unless the command line names another way."""
    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_unconfigure() -> None:
    """Let the process end from which workers were copied, if there were any, and collect garbage once.

    pytest collects five times, to report errors of finalizers; objects that survive the first collection are frozen.
    """
    if forked := sys.modules.get("tests.workers.forked"):
        forked.end()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def served_gateway(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Server]":
    """gunicorn with the gateway and the echoing app: one process of two threads, so that two clients could stop it."""
    from tests.house.serving import BESIDE_GATEWAY, serving

    settings = {"ARBITER_GATEWAY_WORKERS": "1", "ARBITER_GATEWAY_THREADS": "2", "ARBITER_TRUSTED_PROXIES": "1"}
    with serving(tmp_path_factory.mktemp("gateway") / "log", BESIDE_GATEWAY, **settings) as server:
        yield server


@pytest.fixture(scope="session")
def served_proxy(served_gateway: "Server", tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Port]":
    """nginx before that gateway, as compose runs both; skips where there is no nginx."""
    from tests.house.serving import NGINX, NO_NGINX, nginx_before

    if NGINX is None:
        pytest.skip(NO_NGINX)
    with nginx_before(served_gateway, tmp_path_factory.mktemp("proxy") / "nginx") as proxy:
        yield proxy
