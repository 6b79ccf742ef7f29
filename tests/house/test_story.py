"""The example combat's story: each query's scene is the scene before with the patch of its ruling applied."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from api import wire
from api.bodies import ask_type
from arbiter.registry import game

STORY = Path(__file__).parents[2] / "examples" / "blackstone-fortress"
QUERIES = sorted(STORY.glob("[0-9]*.json"), key=lambda path: int(path.name.split("-")[0]))
QUESTIONS = {"move": "act", "overwatch": "behaviour"}


def _ruled(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    body = path.read_bytes()
    arbiter = game("blackstone-fortress")
    name = path.stem.split("-", 1)[1]
    question = arbiter.question(QUESTIONS.get(name, name))
    scene = json.loads(body)["case"]["scene"]
    ruling = arbiter.ask(question.name, wire.decode(ask_type(question), body), seed="other", posted=lambda: scene)
    return scene, wire.to_builtins(ruling)


def test_the_story_begins_with_the_combat() -> None:
    scene, _ = _ruled(QUERIES[0])
    assert scene == json.loads((STORY / "combat.json").read_bytes())


@pytest.mark.parametrize(("path", "following"), list(itertools.pairwise(QUERIES)), ids=lambda p: p.stem)
def test_each_scene_is_the_one_before_with_its_patch(path: Path, following: Path) -> None:
    scene, ruling = _ruled(path)
    after = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])
    if "event" in following.stem:
        # The rest of the activation phase is not told: every card is turned down.
        for unit in (*after["explorers"], *after["hostiles"]):
            unit["activated"] = True
    assert json.loads(following.read_bytes())["case"]["scene"] == after


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_no_die_of_the_story_is_left_to_the_service_unless_its_seed_is_told(path: Path) -> None:
    _, ruling = _ruled(path)
    assert ruling["seed"] in (None, "story")
    assert ruling["allowed"]


def test_the_story_is_as_its_maker_writes_it(tmp_path: Path) -> None:
    for path in (*STORY.glob("*.py"), STORY / "combat.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    subprocess.run([sys.executable, str(tmp_path / "make_story.py")], check=True, capture_output=True)
    made = {path.name: path.read_bytes() for path in tmp_path.glob("[0-9]*.json")}
    assert made == {path.name: path.read_bytes() for path in QUERIES}
