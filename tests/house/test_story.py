"""The examples' stories: each query's scene is the scene before with the patch of its ruling applied."""

import json
import runpy
from pathlib import Path

import jsonpatch
import pytest

from api.schemas import codec
from tests.house.stories import PAIRS, QUERIES, STORIES, Story, named


@pytest.mark.parametrize("story", STORIES, ids=named)
def test_the_story_begins_with_its_opening(story: Story) -> None:
    scene, _ = story.ruled(story.queries[0])
    assert scene == json.loads((story.folder / story.opening).read_bytes())


@pytest.mark.parametrize(("story", "path", "following"), PAIRS, ids=named)
def test_each_scene_is_the_one_before_with_its_patch(story: Story, path: Path, following: Path) -> None:
    scene, ruling = story.ruled(path)
    after = story.untold(following.stem, jsonpatch.apply_patch(scene, codec.to_builtins(ruling)["effects"]["patch"]))
    assert json.loads(following.read_bytes())["case"]["scene"] == after


@pytest.mark.parametrize(("story", "path"), QUERIES, ids=named)
def test_no_die_of_the_story_is_left_to_the_service_unless_its_seed_is_told(story: Story, path: Path) -> None:
    _, ruling = story.ruled(path)
    assert ruling.seed in (None, "story")
    assert ruling.allowed


@pytest.mark.parametrize("story", STORIES, ids=named)
def test_the_story_is_as_its_maker_writes_it(story: Story, tmp_path: Path) -> None:
    for path in (*story.folder.glob("*.py"), story.folder / story.opening):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    runpy.run_path(str(tmp_path / "make_story.py"), run_name="__main__")
    made = {path.name: path.read_bytes() for path in tmp_path.glob("[0-9]*.json")}
    assert made == {path.name: path.read_bytes() for path in story.queries}
