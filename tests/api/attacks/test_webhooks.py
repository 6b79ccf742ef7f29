"""Callbacks that would lead into our own network: refused with the question that brings them, and no job is begun.

How each attempt is checked anew, and where it connects, `tests/workers/webhooks/` tests; here it is that
no door of the gateway lets such a callback through, and that what the refusal says tells nothing of the network.
"""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, ask, attack, codes, problem

LATER = {"Prefer": "respond-async"}

INWARD = (
    # This machine.
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST/",
    "https://localhost.localdomain/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://127.000.000.001/",
    "https://0/",
    "https://0.0.0.0/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0000::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:ffff:127.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://①②⑦.⓪.⓪.①/",
    "https://loca%6chost/",
    "https://127.0.0.1:8443/",
    "https://127.0.0.1%00.example.org/",
    # The cloud and the network around.
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://[::ffff:169.254.169.254]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://168.63.129.16/",
    "https://100.100.100.200/",
    "https://10.0.0.1/",
    "https://192.168.0.1/",
    "https://172.16.0.1/",
    "https://100.64.0.1/",
    "https://[fc00::1]/",
    "https://[fec0::1]/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[ff02::1]/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://240.0.0.1/",
    "https://metadata.google.internal/",
    # Other doors of a public host, and what is no host at all.
    "http://93.184.216.34/",
    "https://93.184.216.34:22/",
    "https://93.184.216.34:6379/",
    "https://93.184.216.34:80/",
    "https://93.184.216.34:0/",
    "https://93.184.216.34:65536/",
    "https://93.184.216.34:-443/",
    "https://93.184.216.34:４４３/",
    "ftp://93.184.216.34/",
    "gopher://93.184.216.34/",
    "file:///etc/passwd",
    "redis://127.0.0.1:6379/",
    "unix:///tmp/x",
    "javascript:alert(1)",
    "data:,x",
    "//93.184.216.34/",
    "/v1/jobs",
    "https:93.184.216.34",
    "https:/93.184.216.34/",
    "https://",
    "https:///",
    "https://?",
    "https://#",
    "https://.",
    "https://..",
    "https://a..b/",
    "https://-/",
    # Two readings of one address.
    "https://93.184.216.34@127.0.0.1/",
    "https://93.184.216.34:443@127.0.0.1/",
    "https://user:pass@93.184.216.34/",
    "https://@93.184.216.34/",
    "https://127.0.0.1\\@93.184.216.34/",
    "https://93.184.216.34\\.127.0.0.1/",
    "https://93.184.216.34#@127.0.0.1:22/@",
    "https://127.0.0.1 .93.184.216.34/",
    "https://93.184.216.34\t/",
    "https://93.184.216.34/\r\nHost: x",
    "https://93.184.216.34/\x00",
    " https://93.184.216.34/",
    "https://93.184.216.34/ ",
    "https://[::1",
    "https://::1/",
    "https://[127.0.0.1]/",
    "https://[93.184.216.34]/",
    "https://93.184.216.34/ä",
    "https://xn--a-/",
    "https://xn--" + "a" * 60 + "/",
    "https://☃.example/",
    "https://" + "a" * 64 + ".example/",
    "https://" + "a." * 130 + "example/",
    "https://93.184.216.34.nip\u202eoi/",
)

HARMLESS = {"https://93.184.216.34#@127.0.0.1:22/@"}


STORE = MemoryJobs()
APP = create_app(Settings(log_level="error", rate_limits=False), GAMES, STORE)


@pytest.fixture
def store() -> MemoryJobs:
    STORE.kept.clear()
    return STORE


@pytest.fixture
def with_jobs(store: MemoryJobs) -> FlaskClient:
    return APP.test_client()


@pytest.fixture(autouse=True)
def names_lead_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every name lead to this machine, as the name server of an attacker may; numbers stay what they are."""
    genuine = socket.getaddrinfo

    def look_up(host: str, *rest: Any, **more: Any) -> Any:
        try:
            return genuine(host, *rest, **{**more, "flags": socket.AI_NUMERICHOST})
        except socket.gaierror:
            return genuine("127.0.0.1", *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture(autouse=True)
def answers_afterwards(with_jobs: FlaskClient) -> Iterator[None]:
    yield
    sound = attack(callback={"url": "https://93.184.216.34/hook"})
    assert ask(with_jobs, ATTACK, sound, headers=LATER).status_code == 202


@pytest.mark.parametrize("url", [url for url in INWARD if url not in HARMLESS], ids=lambda url: url[:40])
def test_a_callback_into_our_own_network_is_refused(with_jobs: FlaskClient, store: MemoryJobs, url: str) -> None:
    told = problem(ask(with_jobs, ATTACK, attack(callback={"url": url}), headers=LATER), 422, "invalid")
    assert codes(told) == {"/callback/url": "refused-callback"}
    assert not store.kept
    # Whether a name exists inside, and where it leads, is nothing that a stranger learns from the refusal.
    (fault,) = told["errors"]
    assert "127.0.0.1" not in fault["message"]


@pytest.mark.parametrize("path", [ATTACK, f"{ATTACK}/odds", f"{ATTACK}/simulations"])
def test_no_door_lets_it_through(with_jobs: FlaskClient, store: MemoryJobs, path: str) -> None:
    more: dict[str, Any] = {"count": 5} if path.endswith("simulations") else {}
    body = attack(callback={"url": "https://169.254.169.254/"}, **more)
    assert codes(problem(ask(with_jobs, path, body, headers=LATER), 422, "invalid")) == {
        "/callback/url": "refused-callback"
    }
    assert not store.kept


BAD_CALLBACKS: tuple[Any, ...] = (
    "https://93.184.216.34/",
    ["https://93.184.216.34/"],
    7,
    True,
    {},
    {"url": ""},
    {"url": None},
    {"url": 7},
    {"url": ["https://93.184.216.34/"]},
    {"url": "https://93.184.216.34/" + "a" * 2_000},
    {"url": "https://93.184.216.34/", "method": "PUT"},
    {"url": "https://93.184.216.34/", "headers": {"X": "y"}},
    {"url": "https://93.184.216.34/", "secret": ""},
    {"url": "https://93.184.216.34/", "secret": "whsec_"},
    {"url": "https://93.184.216.34/", "secret": "whsec_" + "A" * 5_000},
    {"url": "https://93.184.216.34/", "secret": "whsec_" + "A" * 32 + "\n"},
    {"url": "https://93.184.216.34/", "secret": "A" * 38},
)


@pytest.mark.parametrize("callback", BAD_CALLBACKS, ids=lambda callback: json.dumps(callback)[:40])
def test_a_callback_of_another_form_is_refused(with_jobs: FlaskClient, store: MemoryJobs, callback: Any) -> None:
    told = problem(ask(with_jobs, ATTACK, attack(callback=callback), headers=LATER), 422, "invalid")
    assert all(place.startswith("/callback") for place in codes(told))
    assert not store.kept


def test_a_fragment_is_no_part_of_where_a_callback_leads(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    """What stands behind `#` is for browsers; the host is before it, and public."""
    body = attack(callback={"url": "https://93.184.216.34#@127.0.0.1:22/@"})
    assert ask(with_jobs, ATTACK, body, headers=LATER).status_code == 202
    ((kept),) = store.kept.values()
    assert [callback.url for callback in kept.callbacks] == ["https://93.184.216.34#@127.0.0.1:22/@"]
