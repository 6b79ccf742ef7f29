"""`arbiter keys`, on a real server: what is printed where, and every fault in words; and a key for `--url`."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from api.auth import keys
from api.auth.key_store import Keystore
from api.settings import Settings
from cli import main
from tests.api.memory_keys import PEPPER
from tests.api.posting import GAMES, TEMPLATE, attack
from tests.workers.service import Server


class Said(msgspec.Struct):
    code: int
    out: str
    err: str


Arbiter = Callable[..., Said]


@pytest.fixture
def server(one_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    one_server.client.flushall()
    monkeypatch.setenv("REDIS_URL", one_server.url)
    monkeypatch.setenv("ARBITER_KEY_PEPPERS", PEPPER)
    monkeypatch.delenv("ARBITER_KEY", raising=False)
    return one_server


@pytest.fixture
def arbiter(capsys: pytest.CaptureFixture[str]) -> Arbiter:
    def run_it(*arguments: object) -> Said:
        try:
            code = main.main([str(each) for each in arguments], GAMES)
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run_it


def test_a_key_is_printed_once_and_alone(server: Server, arbiter: Arbiter) -> None:
    said = arbiter("keys", "create", "--holder", "acme-vtt")
    assert said.code == 0
    parts = keys.parse(said.out.removesuffix("\n"))
    assert parts.kind == "secret"
    assert parts.secret not in said.err
    for word in (parts.id, "acme-vtt", "ask+jobs+boards", "not shown again"):
        assert word in said.err
    listed = arbiter("keys", "list")
    assert parts.id in listed.out
    assert "acme-vtt" in listed.out
    assert parts.secret not in listed.out + listed.err
    record = Keystore(Settings(redis_url=server.url)).find(parts.id)
    assert record is not None
    # What the pepper is in the environment, less the spaces around it.
    assert keys.fits(parts, record.seal, (PEPPER.strip(),))


def test_everything_about_a_key_can_be_said(server: Server, arbiter: Arbiter) -> None:
    said = arbiter(
        "keys",
        "create",
        "--holder",
        "web",
        "--publishable",
        "--origin",
        "https://Table.example/",
        "--origin",
        "http://localhost:30000",
        "--scope",
        "ask",
        "--scope",
        "jobs",
        "--expires",
        30,
        "--units-per-minute",
        600,
        "--json",
    )
    assert (said.code, said.err) == (0, "")
    told = json.loads(said.out)
    facts = told["facts"]
    assert keys.parse(told["key"]).kind == facts["kind"] == "publishable"
    assert facts["origins"] == ["https://table.example", "http://localhost:30000"]
    assert (facts["scopes"], facts["units_per_minute"], facts["revoked"]) == (["ask", "jobs"], 600, None)
    assert facts["expires"] - facts["made"] == pytest.approx(30 * 86_400)
    assert json.loads(arbiter("keys", "list", "--json").out) == [facts]
    line = arbiter("keys", "list").out
    assert "https://table.example" in line
    assert "600 units" in line


@pytest.mark.parametrize("how", ["id", "whole"])
def test_a_key_is_revoked_by_its_id_or_as_it_was_found(server: Server, arbiter: Arbiter, how: str) -> None:
    written = arbiter("keys", "create", "--holder", "acme").out.strip()
    id_ = keys.parse(written).id
    said = arbiter("keys", "revoke", id_ if how == "id" else written)
    assert said.code == 0
    assert "revoked" in said.out
    assert written not in said.out + said.err
    assert "revoked" in arbiter("keys", "list").out
    assert json.loads(arbiter("keys", "revoke", id_, "--json").out)["id"] == id_


def test_keys_are_replaced_two_at_a_time(server: Server, arbiter: Arbiter) -> None:
    ids = [keys.parse(arbiter("keys", "create", "--holder", "acme").out.strip()).id for _ in range(2)]
    third = arbiter("keys", "create", "--holder", "acme")
    assert (third.code, third.out) == (2, "")
    assert all(id_ in third.err for id_ in ids)
    assert "arbiter keys revoke" in third.err
    assert arbiter("keys", "revoke", ids[0]).code == 0
    assert arbiter("keys", "create", "--holder", "acme").code == 0


def test_no_keys_are_a_sentence(server: Server, arbiter: Arbiter) -> None:
    assert "no keys" in arbiter("keys", "list").out
    assert json.loads(arbiter("keys", "list", "--json").out) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("create", "--holder", "Acme VTT"), "holder"),
        (("create", "--holder", ""), "holder"),
        (("create",), "--holder"),
        (("create", "--holder", "a", "--publishable"), "origins"),
        (("create", "--holder", "a", "--origin", "https://a.example"), "publishable"),
        (("create", "--holder", "a", "--publishable", "--origin", "*"), "'*' is not an origin"),
        (("create", "--holder", "a", "--scope", "admin"), "admin"),
        (("create", "--holder", "a", "--expires", "0"), "1 to 3,650"),
        (("create", "--holder", "a", "--expires", "3651"), "1 to 3,650"),
        (("create", "--holder", "a", "--units-per-minute", "0"), "units"),
        (("revoke", "aaaaaaaa"), "no such key"),
        (("revoke", "*"), "no such key"),
        (("revoke", "../x"), "no such key"),
        ((), "what"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_kept(
    server: Server, arbiter: Arbiter, arguments: tuple[str, ...], word: str
) -> None:
    said = arbiter("keys", *arguments)
    assert (said.code, said.out) == (2, "")
    assert word in said.err
    assert "Traceback" not in said.err
    assert server.names() == set()


def test_without_a_pepper_no_key_is_made_but_one_is_revoked(
    server: Server, arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = arbiter("keys", "create", "--holder", "acme").out.strip()
    monkeypatch.delenv("ARBITER_KEY_PEPPERS")
    said = arbiter("keys", "create", "--holder", "acme")
    assert (said.code, said.out) == (2, "")
    assert "ARBITER_KEY_PEPPERS" in said.err
    assert arbiter("keys", "list").code == arbiter("keys", "revoke", keys.parse(written).id).code == 0


def test_a_pepper_that_is_too_short_is_refused_and_not_shown(
    server: Server, arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = "x7" * 15 + "x"
    monkeypatch.setenv("ARBITER_KEY_PEPPERS", f"{PEPPER.strip()},{short}")
    said = arbiter("keys", "create", "--holder", "acme")
    assert (said.code, said.out) == (2, "")
    assert "ARBITER_KEY_PEPPERS" in said.err
    assert short not in said.err
    assert PEPPER.strip() not in said.err
    monkeypatch.setenv("ARBITER_KEY_PEPPERS", f"{PEPPER.strip()},{short}7")
    assert arbiter("keys", "create", "--holder", "acme").code == 0


def test_a_store_that_is_away_is_said(arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://:s3cret@127.0.0.1:1/0")
    said = arbiter("keys", "list")
    assert (said.code, said.out) == (1, "")
    assert "REDIS_URL" in said.err
    assert "s3cret" not in said.err


# A key for a service that is asked


@pytest.fixture
def heard() -> Iterator[tuple[str, list[str | None]]]:
    """A service that refuses everything, and notes with which key it was asked."""
    had: list[str | None] = []

    class Refuses(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            had.append(self.headers["Authorization"])
            self.send_response(503)
            self.end_headers()

        def log_message(self, *said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", had
    server.shutdown()
    server.server_close()


def test_a_service_is_asked_with_the_key_of_the_environment(
    arbiter: Arbiter, heard: tuple[str, list[str | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, had = heard
    case = tmp_path / "case.json"
    case.write_text(json.dumps(attack()))
    key = keys.make("secret").written
    # A file of passwords of the same person has no say where there is a key.
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    line = ("simulate", TEMPLATE.name, "attack", case, "--count", 3, "--url", address)
    monkeypatch.setenv("ARBITER_KEY", f" {key} ")
    assert arbiter(*line).code == 1
    assert had == [f"Bearer {key}"]
    monkeypatch.setenv("ARBITER_KEY", key[:-1])
    said = arbiter(*line)
    assert said.code == 2
    assert "ARBITER_KEY holds no key" in said.err
    assert key[:-1] not in said.err
    assert len(had) == 1


def test_the_key_of_a_client_is_no_misspelt_setting() -> None:
    assert Settings.from_environment({"ARBITER_KEY": "anything"}) == Settings()
