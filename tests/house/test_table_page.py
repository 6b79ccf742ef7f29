"""docs/table.md is run as it stands: every command is short, and says what the page shows."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from flask.testing import FlaskClient

from arbiter.registry import games
from tests.gateway_fixtures import app as app
from tests.gateway_fixtures import client as client
from tests.gateway_fixtures import game as game
from tests.gateway_fixtures import store as store

PAGE = Path(__file__).parents[2] / "docs" / "table.md"
HOST = "localhost:8000"
MOST_BYTES = 300


class Step(NamedTuple):
    """A command of the page, and the lines that its answer has."""

    command: str
    lines: tuple[str, ...]


def steps() -> list[Step]:
    found: list[Step] = []
    for kind, block in re.findall(r"```(sh|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        if kind == "sh":
            found.append(Step(block.strip(), ()))
        elif not block.startswith("arbiter "):
            found[-1] = Step(found[-1].command, tuple(block.rstrip("\n").split("\n")))
    return found


def answered(client: FlaskClient, command: str) -> str:
    """Do what curl does with a command of the page; -L follows a redirect."""
    words = shlex.split(command)
    assert words[0] == "curl"
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    address = next(word for word in words if word.startswith(HOST)).removeprefix(HOST)
    if "-d" in words:
        answer = client.post(address, data=words[words.index("-d") + 1], headers=headers)
    else:
        answer = client.get(address, headers=headers, follow_redirects="-sL" in words)
    assert answer.status_code == 200, (command, answer.get_data(as_text=True))
    return answer.get_data(as_text=True)


def asked(command: str) -> str:
    """Give what a command asks: the path with its query, and the body if there is one."""
    words = shlex.split(command)
    body = words[words.index("-d") + 1] if "-d" in words else ""
    return next(word for word in words if word.startswith(HOST)).removeprefix(HOST) + body


def test_every_command_is_short_and_says_what_the_page_shows(client: FlaskClient) -> None:
    told = {step.command: answered(client, step.command) for step in steps()}
    assert len(told) > 10
    for step in steps():
        missing = [line for line in step.lines if line not in told[step.command]]
        assert not missing, (step.command, missing, told[step.command][:2_000])
        assert len(asked(step.command).encode()) <= MOST_BYTES, step.command
    for name in games():
        told_of = [step for step in steps() if f"/games/{name}/" in step.command]
        assert len(told_of) >= 5, name
        assert sum(bool(step.lines) for step in told_of) >= 4, name


def test_nine_laws_come_in_one_call(client: FlaskClient) -> None:
    (command,) = [step.command for step in steps() if "/case/given/" in step.command]
    table = json.loads(answered(client, command))
    assert table["status"] == "ruled"
    assert len(table["points"]) == 9
    # Cover and terrain in between only ever help the target.
    hits = []
    for point in table["points"]:
        (marginal,) = [each for each in point["marginals"] if each["field"] == "hits"]
        hits.append(marginal["mean"])
    rows = [hits[at : at + 3] for at in (0, 3, 6)]
    assert all(list(row) == sorted(row, reverse=True) for row in [*rows, *zip(*rows, strict=True)])
