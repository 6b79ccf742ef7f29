"""A gateway in this process, and pages of Debian's Chromium that look at it.

The ordinary run of tests leaves this folder out: `make browser` sets `ARBITER_BROWSER`, and then it is collected.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

from api.app import make_app
from api.settings import Settings

collect_ignore_glob = [] if os.environ.get("ARBITER_BROWSER") else ["test_*.py"]

PATIENCE_MS = 30_000
"""Milliseconds for which a busy machine is waited for."""

EXPECTED = "responded with a status of 4"
"""What the browser says of a move that is refused, and of a table without a board."""

GAMES = ("blackstone-fortress", "rapture", "size-skirmish", "stargrave", "warleague")


class Silent(WSGIRequestHandler):
    """Answers requests without telling of each."""

    def log_request(self, *_of: Any) -> None:
        pass


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    arguments = ["--no-sandbox", "--font-render-hinting=none"]
    return {**browser_type_launch_args, "executable_path": chromium, "args": arguments}


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """Serve the gateway on a free port while the tests run."""
    app = make_app(Settings(rate_limits=False, log_level="error"))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def page(page: Any) -> Iterator[Any]:
    """Give a page that fails the test for whatever its console complains about, and for every foreign address."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: said.type == "error" and EXPECTED not in said.text and complaints.append(said.text))
    page.on("request", lambda asked: "127.0.0.1" not in asked.url and complaints.append(asked.url))
    # Here, so that a run without playwright can collect this file.
    from playwright.sync_api import expect

    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    yield page
    assert not complaints
