"""The README's promises: `make serve` starts all of it and says where it is, and the walk works, line for line."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.serve import ROOT, TRY_IT
from tests.house.running import (
    LOGS_OF_WORKERS,
    MAKE_SERVE,
    PATIENCE_S,
    PROC,
    SERVE,
    Running,
    alive,
    answers,
    descendants,
    running,
)

pytestmark = pytest.mark.long

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
]


def test_the_readme_shows_commands_and_nothing_else_in_its_walk() -> None:
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    assert len(LINES) > 20
    assert all(line.startswith("$ ") for block in blocks for line in block.splitlines())


def test_the_card_shows_what_the_words_in_its_place_say() -> None:
    (words,) = re.findall(r"!\[([^\]]*)\]\(docs/pictures/card\.svg\)", README)
    card = (ROOT / "docs" / "pictures" / "card.svg").read_text(encoding="utf-8")
    numbers = re.findall(r"\d+(?:\.\d+)?%?", words)
    assert len(numbers) == 7
    assert all(number in card for number in numbers)
    assert ">11 damage, stunned<" in card


def is_cut_of(shown: Any, whole: Any) -> bool:
    """Decide whether a value is another one with members of objects and items of lists left out."""
    if isinstance(shown, dict) and isinstance(whole, dict):
        return all(name in whole and is_cut_of(value, whole[name]) for name, value in shown.items())
    if isinstance(shown, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(is_cut_of(item, other) for other in rest) for item in shown)
    return type(shown) is type(whole) and bool(shown == whole)


def test_a_cut_leaves_out_and_changes_nothing() -> None:
    whole = {"a": [1, {"b": 2, "c": 3}, 4], "d": True}
    assert is_cut_of({"a": [{"c": 3}, 4]}, whole)
    assert not any(is_cut_of(other, whole) for other in ({"a": [4, 1]}, {"a": [{"b": 3}]}, {"d": 1}, {"e": None}))


# A person's command, where the checkout has the environment that make uses.
WHOLE = MAKE_SERVE if Path(sys.prefix) == ROOT / ".venv" and shutil.which("make") else SERVE


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """The whole service; when nobody needs it any more, Ctrl-C has to end all of it with the usual code."""
    with running(WHOLE) as started:
        family = descendants(started.process.pid) if PROC else set()
        yield started
        started.interrupt()
        # Make itself dies of the interrupt, which a shell shows as 130.
        assert started.wait() in ({130, -signal.SIGINT} if WHOLE == MAKE_SERVE else {0})
        assert "Arbiter has ended." in started.said
        assert not alive(family)
        assert not answers(started.port)


def test_a_started_service_answers_and_says_that_it_is_ready(service: Running) -> None:
    assert service.ask("/healthz") == 200
    assert service.ask("/readyz") == 200


def test_it_prints_where_it_and_its_documentation_are(service: Running) -> None:
    assert re.search(rf"^ *service +{service.url}$", service.said, re.MULTILINE)
    assert re.search(rf"^ *documentation +{service.url}/docs$", service.said, re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the line is one for curl")
def test_the_line_it_prints_to_try_works(service: Running) -> None:
    line = TRY_IT.format(url=service.url)
    assert re.search(rf"^ *try it +{re.escape(line)}$", service.said, re.MULTILINE)
    answer = subprocess.run([*shlex.split(line), "--fail"], capture_output=True, check=True, timeout=PATIENCE_S)
    assert answer.stdout.startswith((b"{", b"["))


def test_its_logs_are_for_its_owner_alone(service: Running) -> None:
    logs = ROOT / "run" / str(service.port)
    assert str(logs) in service.said
    assert logs.stat().st_mode & 0o077 == 0
    assert {path.name for path in logs.glob("*.log")} == {"gateway.log", "valkey.log", *LOGS_OF_WORKERS}
    password = re.search(r"requirepass (\S+)", (logs / "valkey.conf").read_text())
    assert password is not None
    assert len(password[1]) == 32
    assert not any(password[1] in path.read_text() for path in logs.glob("*.log"))


def test_the_embedded_server_lets_nobody_else_in(service: Running) -> None:
    configuration = (ROOT / "run" / str(service.port) / "valkey.conf").read_text()
    port = re.search(r"port (\d+)", configuration)
    assert port is not None
    with socket.create_connection(("127.0.0.1", int(port[1])), timeout=5) as stranger:
        stranger.sendall(b"PING\r\n")
        assert stranger.recv(100).startswith(b"-NOAUTH")


def test_a_second_service_on_the_same_port_is_refused_with_the_way_out(service: Running) -> None:
    second = subprocess.run(
        SERVE,
        cwd=ROOT,
        env={**os.environ, "PORT": str(service.port)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert second.returncode == 1
    assert f"port {service.port} of 127.0.0.1 is taken by another program" in second.stderr
    assert f"PORT={service.port + 1} make serve" in second.stderr
    assert service.ask("/healthz") == 200


def test_every_line_of_the_walk_works_and_says_what_the_text_around_it_says(service: Running) -> None:
    if not (ROOT / ".venv" / "bin" / "arbiter").exists():
        pytest.fail("the walk runs the programs of .venv; `make env` makes it")
    (question,) = re.findall(r"```sh\n(curl .*?)```", README, flags=re.DOTALL)
    (ruling,) = re.findall(r"```json\n(.*?)```", README, flags=re.DOTALL)
    first = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", question.replace("http://localhost:8000", service.url)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert is_cut_of(json.loads(ruling), json.loads(first.stdout)), first.stdout
    # Every line is the README's own but for the port, which is whichever was free.
    script = "\n".join(f"printf '\\n$ {index}\\n'\n{line}" for index, line in enumerate(LINES))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace("http://localhost:8000", service.url)],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    said = dict(enumerate(re.split(r"^\$ \d+\n", done.stdout, flags=re.MULTILINE)[1:]))
    shown = {line: said[index] for index, line in enumerate(LINES)}
    for line, words in {
        "ask destiny 1-destiny": ("discarded: 3 and 3", "returns the discarded 3"),
        "ask covering-fire 3-covering-fire": ("swap places on the track",),
        "ask gambit 4-gambit": ("A choice is missing", "group-2"),
        "ask gambit 5-gambit": ("track: janus, ur-025, twins, group-1, espern, group-2",),
        "ask act 7-move": ("Ruled", "4, 3"),
        "ask line-of-sight 8-line-of-sight": ("in_cover yes", "kind wall"),
        "ask attack 9-attack": ("slain: guard-4",),
        ".venv/bin/arbiter odds blackstone-fortress attack $STORY/9-attack.json": ("1/4", "1/2"),
        "ask end-activation 10-end-activation": ("overwatch: 3, 5", "gains an inspiration point"),
        "ask behaviour 11-behaviour": ("Dice are missing", "guard-6: attack"),
        "ask behaviour 12-overwatch": ("gives Onslaught", "The wound is negated", "slain: yes"),
        "ask reinforcements 13-reinforcements": ("returned",),
        "ask event 14-event": ("event: escape-chamber", "leader: ben"),
        ".venv/bin/arbiter ask stargrave path examples/stargrave/6-path.json": ("at: 17.0, 7.8", "stopped_by: bo"),
        ".venv/bin/arbiter ask stargrave shoot examples/stargrave/11-shoot.json": ("heavy-cover", "11 damage stuns"),
        ".venv/bin/arbiter ask stargrave behaviour examples/stargrave/15-behaviour.json": ("closest", "out: bo"),
    }.items():
        assert all(word in shown[line] for word in words), (line, shown[line])
    # The picture in the text is the one that the walk ends in: the same query has the same result on every machine.
    assert (ROOT / "run" / "battle.svg").read_bytes() == (ROOT / "docs" / "battle.svg").read_bytes()
    for index, line in enumerate(LINES):
        assert said[index].strip() or line.startswith(("URL=", "ask()", "JOB=")), f"nothing is said by: {line}"
