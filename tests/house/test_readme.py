"""The README's walk, line for line, against the service as `make serve` starts it."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_serve import running

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
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


def test_every_line_of_the_walk_works_and_says_what_the_text_around_it_says() -> None:
    if not (ROOT / ".venv" / "bin" / "arbiter").exists():
        pytest.fail("the walk runs the programs of .venv; `make env` makes it")
    (question,) = re.findall(r"```sh\n(curl .*?)```", README, flags=re.DOTALL)
    (ruling,) = re.findall(r"```json\n(.*?)```", README, flags=re.DOTALL)
    with running() as service:
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
