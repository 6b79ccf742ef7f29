"""A new game: its name, its board, its container, and that it is green at once on every board."""

import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest
import yaml

from upkeep.boards import GRIDS
from upkeep.new_game import ROOT, SPLIT, main, names, new_game, with_container

PARTS = ("arbiter", "upkeep", "services/_template", "tests/services/_template", "tests/transcripts/template-skirmish")
FILES = (
    "pyproject.toml",
    "services/__init__.py",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/brute.py",
    "tests/effort.py",
    "tests/reading.py",
    "tests/services/__init__.py",
    "tests/services/asking.py",
    "tests/services/test_every_arbiter.py",
    "tests/house/__init__.py",
    "tests/house/test_sources.py",
    "tests/transcripts/__init__.py",
    "tests/transcripts/test_transcripts.py",
)

SPELLINGS = (
    ("My Game", "my_game", "my-game", "My Game"),
    ("my-game", "my_game", "my-game", "My Game"),
    ("my_game", "my_game", "my-game", "My Game"),
    ("WarGame 2", "wargame_2", "wargame-2", "WarGame 2"),
)
BAD = ("", " ", "2 Swords", "../up", "a//b", "naïve", "class", "two  spaces", "-x", "_x", "a" * 61)


def checkout(home: Path) -> Path:
    """Copy what a game and its tests need."""
    for part in PARTS:
        copytree(ROOT / part, home / part, ignore=ignore_patterns("__pycache__"))
    for file in FILES:
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / file, home / file)
    return home


def test_a_name_has_three_spellings() -> None:
    for text, folder, name, title in SPELLINGS:
        found = names(text)
        assert (found.folder, found.name, found.title) == (folder, name, title)


def test_bad_names_and_boards_are_refused(tmp_path: Path) -> None:
    for text in BAD:
        with pytest.raises(ValueError, match=r"name for a game|word of Python"):
            new_game(text, tmp_path)
    with pytest.raises(ValueError, match="GRID is one of hex, square-4, square-8, plane"):
        new_game("My Game", tmp_path, "triangle")
    assert list(tmp_path.iterdir()) == []


def test_the_command_refuses_with_a_word_and_a_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([""], tmp_path) == 2
    assert 'NAME="My Game"' in capsys.readouterr().err


def test_a_name_that_is_taken_is_refused_and_nothing_is_touched(tmp_path: Path) -> None:
    taken = tmp_path / "services" / "my_game"
    taken.mkdir(parents=True)
    with pytest.raises(ValueError, match="already"):
        new_game("My Game", tmp_path)
    assert list(taken.iterdir()) == []
    assert not (tmp_path / "tests").exists()


def test_the_copy_has_its_own_name_and_board_everywhere(tmp_path: Path) -> None:
    template = {"_template", "emplate-skirmish", "Template Skirmish"}
    for grid in GRIDS:
        home = tmp_path / grid
        new_game("My Game", home, grid)
        written = [path for path in home.rglob("*") if path.is_file()]
        assert len(written) > 20
        gone = template if grid == "hex" else template | {"hex", "Hex"}
        for path in written:
            text = path.read_text(encoding="utf-8")
            assert [old for old in gone if old in text] == [], path


def test_a_new_game_gets_a_container_like_the_others() -> None:
    before = (ROOT / SPLIT).read_text(encoding="utf-8")
    after = with_container(before, "my-game")
    assert after.startswith(before[: before.index("ARBITER_URL")])
    was, now = yaml.safe_load(before), yaml.safe_load(after)
    gateway = now["services"].pop("gateway")["environment"]
    assert gateway.pop("ARBITER_URL_MY_GAME") == "http://my-game:8000"
    assert gateway == was["services"].pop("gateway")["environment"]
    mine, (other, like) = now["services"].pop("my-game"), list(was["services"].items())[-1]
    assert now["services"] == was["services"]
    assert set(yaml.safe_load(with_container(after, "other-game"))["services"]) >= {"my-game", "other-game"}
    assert mine == {**like, "command": [part.replace(other, "my-game") for part in like["command"]]}


def test_a_new_game_is_green_at_once_on_every_board(tmp_path: Path) -> None:
    """In a checkout of its own: a game on each board, then the suites that hold every game, by the printed words."""
    checkout(tmp_path)
    made = [new_game(f"{grid} Game", tmp_path, grid) for grid in ("hex", "square-4", "square-8", "plane")]
    words = " or ".join(f"{new.name} or {new.folder}" for new in made)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", "-vv", "--rewrite", "-k", words]
    done = subprocess.run([*command, "tests"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for new in made:
        assert f"test_every_rule_pulls_its_weight[{new.name}]" in done.stdout
        assert f"tests/services/{new.folder}/test_shooting.py" in done.stdout
        assert f"{new.name}/the-fight-for-the-clearing" in done.stdout


def test_the_printed_words_find_the_tests_of_the_game_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    finished = []
    monkeypatch.setattr("upkeep.new_game.finish", lambda new, root: finished.append(root))
    assert main(["My", "Game"], tmp_path) == 0
    assert finished == [tmp_path]
    assert "-k 'my-game or my_game'" in capsys.readouterr().out
