import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

from upkeep.new_game import ROOT, main, names, new_game

PARTS = (
    "arbiter",
    "upkeep",
    "services/_template",
    "tests/services/_template",
    "tests/transcripts/template-skirmish",
)
FILES = (
    "pyproject.toml",
    "services/__init__.py",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/brute.py",
    "tests/reading.py",
    "tests/services/__init__.py",
    "tests/services/asking.py",
    "tests/services/test_every_arbiter.py",
    "tests/house/__init__.py",
    "tests/house/test_sources.py",
    "tests/transcripts/__init__.py",
    "tests/transcripts/test_transcripts.py",
)


@pytest.mark.parametrize(
    ("said", "folder", "name", "title"),
    [
        ("My Game", "my_game", "my-game", "My Game"),
        ("my-game", "my_game", "my-game", "My Game"),
        ("my_game", "my_game", "my-game", "My Game"),
        ("WarGame 2", "wargame_2", "wargame-2", "WarGame 2"),
    ],
)
def test_a_name_has_three_spellings(said: str, folder: str, name: str, title: str) -> None:
    found = names(said)
    assert (found.folder, found.name, found.title) == (folder, name, title)


BAD = ("", " ", "2 Swords", "../up", "a//b", "naïve", "class", "two  spaces", "-x", "_x", "a" * 61)


@pytest.mark.parametrize("said", BAD)
def test_a_bad_name_is_refused(said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"name for a game|word of Python"):
        new_game(said, tmp_path / "services", tmp_path / "tests")
    assert list(tmp_path.iterdir()) == []


def test_the_command_refuses_with_a_word_and_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["NAME="]) == 2
    assert 'NAME="My Game"' in capsys.readouterr().err


def test_a_name_that_is_taken_is_refused_and_nothing_is_touched(tmp_path: Path) -> None:
    taken = tmp_path / "services" / "my_game"
    taken.mkdir(parents=True)
    with pytest.raises(ValueError, match="already"):
        new_game("My Game", tmp_path / "services", tmp_path / "tests")
    assert list(taken.iterdir()) == []
    assert not (tmp_path / "tests").exists()


def test_the_copy_has_its_own_name_everywhere(tmp_path: Path) -> None:
    new_game("My Game", tmp_path / "services", tmp_path / "tests")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 20
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert "_template" not in text, path
        assert "emplate-skirmish" not in text, path
        assert "Template Skirmish" not in text, path


def test_a_new_game_is_green_at_once(tmp_path: Path) -> None:
    """In a checkout of its own: `make new-game`, then the suites that hold every game."""
    for part in PARTS:
        copytree(ROOT / part, tmp_path / part, ignore=ignore_patterns("__pycache__", "geometry/test*"))
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / file, tmp_path / file)

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "services/my_game" in run("upkeep.new_game", "NAME=My", "Game")
    assert "My Game, edition" in run("arbiter.sources.coverage", "my-game")
    told = run("pytest", "-p", "no:cacheprovider", "-n", "0", "-vv", "-k", "my-game or my_game", "tests")
    for part in ("test_every_rule_pulls_its_weight", "test_shooting.py", "by-both-sides"):
        assert part in told
