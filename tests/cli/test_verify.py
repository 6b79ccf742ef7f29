"""Verifying on the command line, and by a program for Node that shares nothing with the service but the standards."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.serving import make_server

from api.schemas.canonical_json import canonical
from api.signing.keys import Signer, decode_base64url
from cli import main
from cli.signing_keys import public_of
from tests.api.committing import BEGINS, EPOCH, LENGTH_S, Clock, committed, signed
from tests.api.committing import app as app
from tests.api.committing import client as client
from tests.api.committing import clock as clock
from tests.api.committing import redis as redis
from tests.api.posting import TEMPLATE, attack
from tests.effort import cases

GAMES = {TEMPLATE.name: TEMPLATE}
PROGRAM = Path(__file__).parent / "verify_ruling.mjs"
NODE = shutil.which("node")

with_node = pytest.mark.skipif(NODE is None and not os.environ.get("CI"), reason="there is no Node on this machine")


class Files:
    """The files that somebody saved who wants to check a ruling later."""

    def __init__(self, folder: Path, client: FlaskClient, document: Any) -> None:
        self.ruling, self.keys, self.epoch = (folder / f"{name}.json" for name in ("ruling", "keys", "epoch"))
        self.ruling.write_text(json.dumps(document))
        self.keys.write_bytes(client.get("/.well-known/arbiter-keys.json").data)
        self.epoch.write_bytes(client.get(f"/v1/epochs/{EPOCH}").data)


def node(*arguments: object) -> tuple[int, list[str]]:
    assert NODE is not None, "Node is on every machine on which everything is tested"
    done = subprocess.run([NODE, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def arbiter(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main.main([str(each) for each in arguments], GAMES)
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.fixture
def document(client: FlaskClient, clock: Clock) -> Any:
    """A ruling with committed dice, whose epoch has been revealed since."""
    made = signed(client, committed(1, client_seed="Änne & Björn \U0001f3b2", policies={"*": "first"}))
    clock.now = BEGINS + LENGTH_S * 1.1
    return made


@with_node
def test_node_finds_every_die_and_the_signature(tmp_path: Path, client: FlaskClient, document: Any) -> None:
    files = Files(tmp_path, client, document)
    code, said = node(PROGRAM, files.ruling, files.keys, files.epoch)
    throws = [f"die {throw['label']} {throw['index']}" for throw in document["statement"]["ruling"]["throws"]]
    assert len(throws) >= 3
    steps = ["key", "signature", "version", "body", "epoch", "commitment", "secret", "seed"]
    assert (code, said) == (0, [*steps, *throws])


@with_node
def test_node_waits_for_the_reveal(tmp_path: Path, client: FlaskClient, clock: Clock) -> None:
    files = Files(tmp_path, client, signed(client, committed(2)))
    assert node(PROGRAM, files.ruling, files.keys, files.epoch)[1][-1] == "unrevealed"


@with_node
def test_node_checks_what_was_handed(tmp_path: Path, client: FlaskClient, clock: Clock) -> None:
    body = attack(dice={"hand": {"to hit": [4, 3, 6], "save": [5, 4]}}, choices={"dodge of bob": ["stand"]})
    files = Files(tmp_path, client, signed(client, body))
    code, said = node(PROGRAM, files.ruling, files.keys)
    assert (code, said[4:]) == (0, ["hand to hit 0", "hand to hit 1", "hand to hit 2", "hand save 0", "hand save 1"])


@with_node
def test_node_refuses_what_was_changed(tmp_path: Path, client: FlaskClient, document: Any) -> None:
    face = json.loads(json.dumps(document))
    face["statement"]["ruling"]["throws"][0]["face"] += 1
    text = {**document, "body": document["body"].replace("ann", "bob", 1)}
    name = {**document, "signature": {**document["signature"], "key": "A" * 43}}
    for changed, fails in ((face, "NOT signature"), (text, "NOT body"), (name, "NOT key")):
        files = Files(tmp_path, client, changed)
        code, said = node(PROGRAM, files.ruling, files.keys, files.epoch)
        assert (code, said[-1]) == (1, fails)
    files = Files(tmp_path, client, document)
    files.epoch.write_text(json.dumps({**json.loads(files.epoch.read_text()), "secret": "0" * 64}))
    assert node(PROGRAM, files.ruling, files.keys, files.epoch)[1][-1] == "NOT secret"


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)


@with_node
def test_node_writes_every_value_as_we_do(tmp_path: Path) -> None:
    """Node's own numbers and its own order of names are those of the standard."""
    values: list[Any] = []

    @given(VALUES)
    def collect(value: Any) -> None:
        values.append(value)

    collect()
    file = tmp_path / "values.json"
    file.write_text(json.dumps(values))
    code = (
        f"import {{ canonical }} from {json.dumps(PROGRAM.as_uri())};"
        "import { readFileSync } from 'node:fs';"
        f"for (const each of JSON.parse(readFileSync({json.dumps(str(file))}, 'utf8')))"
        "console.log(Buffer.from(canonical(each)).toString('hex'));"
    )
    _, said = node("--input-type=module", "--eval", code)
    assert len(said) > cases(50)
    assert [bytes.fromhex(line) for line in said] == [canonical(value) for value in values]


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_arbiter_verify_says_each_step_in_words(
    tmp_path: Path, client: FlaskClient, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path, client, document)
    code, said = arbiter(capsys, "verify", files.ruling, "--keys", files.keys, "--epochs", files.epoch)
    lines = said.splitlines()
    assert (code, lines[-1]) == (0, "It is what it says.")
    abouts = [line.split(":")[0] for line in lines[:-1]]
    assert abouts == [f"ok    {about}" for about in ("signature", "question", "dice", "epoch", "ruling")]
    code, said = arbiter(capsys, "verify", files.ruling, "--keys", files.keys, "--epochs", files.epoch, "--json")
    told = json.loads(said)
    assert (code, told["outcome"], {step["outcome"] for step in told["steps"]}) == (0, "holds", {"holds"})


def test_arbiter_verify_asks_the_service(
    tmp_path: Path, client: FlaskClient, document: Any, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path, client, document)
    assert arbiter(capsys, "verify", files.ruling, "--url", address)[0] == 0
    # A list of epochs that was saved will do as well as one of them.
    files.epoch.write_bytes(client.get("/v1/epochs").data)
    assert arbiter(capsys, "verify", files.ruling, "--url", address, "--epochs", files.epoch)[0] == 0


def test_arbiter_verify_leaves_open_what_it_cannot_check_and_names_what_is_wrong(
    tmp_path: Path, client: FlaskClient, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path, client, document)
    code, said = arbiter(capsys, "verify", files.ruling)
    assert (code, said.splitlines()[-1]) == (2, "Nothing is wrong with it, but not all of it could be checked.")
    assert said.count("\nopen") + said.startswith("open") == 2
    files.ruling.write_text(json.dumps({**document, "body": document["body"] + " "}))
    code, said = arbiter(capsys, "verify", files.ruling, "--keys", files.keys)
    assert (code, said.splitlines()[-1]) == (1, "It is not what it says.")
    assert "WRONG question" in said


def test_arbiter_verify_needs_files_that_can_be_read(
    tmp_path: Path, client: FlaskClient, document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path, client, document)
    yaml = tmp_path / "ruling.yaml"
    yaml.write_text("statement: {}")
    for arguments in (
        (tmp_path / "nothing.json",),
        (yaml,),
        (files.ruling, "--keys", files.ruling),
        (files.ruling, "--epochs", files.keys),
        (files.ruling, "--keys", yaml),
        (files.ruling, "--url", "http://127.0.0.1:1"),
    ):
        code, said = arbiter(capsys, "verify", *arguments)
        assert code == 2, said
        assert len(said.splitlines()) == 1, "a sentence, and no trace"


def test_arbiter_makes_keys_that_work(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = arbiter(capsys, "signing-key")
    made = dict(line.lstrip("# ").split("=") for line in said.splitlines() if "=" in line)
    assert code == 0
    key, secret = made["ARBITER_SIGNING_KEY"], made["ARBITER_EPOCH_SECRET"]
    assert len({key, secret, arbiter(capsys, "signing-key")[1]}) == 3
    assert len(decode_base64url(secret)) == 32
    signer = Signer.of(key)
    assert signer is not None
    assert made["ARBITER_SIGNING_KEYS_BEFORE"] == signer.keys.keys[0].x
    told = json.loads(arbiter(capsys, "signing-key", "--json")[1])
    assert told["public"] == public_of(told["signing_key"])
