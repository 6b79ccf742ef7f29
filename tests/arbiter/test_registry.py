"""The registry: every folder is a game, and one that is none fails loudly."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter import registry
from arbiter.fault import UnknownName

ROOT = Path(__file__).parents[2]
ARBITER_PY = """
from arbiter.game import Arbiter
ARBITER = Arbiter(package="{package}", name="{name}", title="T", edition="1", gist="G.", questions=[])
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Make a home of games: `home(folder=name, …)` writes a folder for each and gives the package."""
    package = "home_of_tests"
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(**games: str) -> str:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        for folder, name in games.items():
            place = tmp_path / package / folder
            (place / "rules").mkdir(parents=True)
            (place / "__init__.py").touch()
            (place / "rules" / "__init__.py").touch()
            (place / "sources.yaml").write_text("documents: []\nunits: []\n")
            (place / "readings.yaml").write_text("[]\n")
            (place / "arbiter.py").write_text(ARBITER_PY.format(package=f"{package}.{folder}", name=name))
        return package

    yield write
    for module in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[module]
    registry.games.cache_clear()


def test_every_folder_is_a_game_but_those_with_an_underscore(home: Callable[..., str], tmp_path: Path) -> None:
    package = home(first="one", second="two", _third="three")
    (tmp_path / package / "__pycache__").mkdir(exist_ok=True)
    (tmp_path / package / "notes.md").touch()
    assert {name: game.folder.name for name, game in registry.games(package).items()} == {
        "one": "first",
        "two": "second",
    }


def test_two_games_of_one_name_are_refused(home: Callable[..., str]) -> None:
    with pytest.raises(ValueError, match="both called same"):
        registry.games(home(first="same", second="same"))


def test_an_arbiter_py_without_an_arbiter_is_refused(home: Callable[..., str], tmp_path: Path) -> None:
    package = home(first="one")
    (tmp_path / package / "first" / "arbiter.py").write_text("ARBITER = 'me'\n")
    with pytest.raises(TypeError, match=r"first/arbiter.py must hold ARBITER = Arbiter"):
        registry.games(package)


def test_a_folder_without_an_arbiter_py_is_not_passed_over(home: Callable[..., str], tmp_path: Path) -> None:
    package = home(first="one")
    (tmp_path / package / "second").mkdir()
    with pytest.raises(ModuleNotFoundError, match=f"{package}.second.arbiter"):
        registry.games(package)


def test_two_rules_of_one_id_are_refused(home: Callable[..., str], tmp_path: Path) -> None:
    package = home(first="one")
    declared = "from arbiter.rule import rule\n@rule('a.same', cites='u', neutral=0)\ndef f(table): ...\n"
    for chapter in ("one", "two"):
        (tmp_path / package / "first" / "rules" / f"{chapter}.py").write_text(declared)
    with pytest.raises(ValueError, match=r"two rules of one are called a\.same"):
        _ = registry.load(f"{package}.first").rules


def test_a_rule_is_listed_in_its_own_chapter_and_where_it_is_used_no_second_time(
    home: Callable[..., str], tmp_path: Path
) -> None:
    package = home(first="one")
    declared = "from arbiter.rule import rule\n@rule('{0}.own', cites='u', neutral=0)\ndef own(table): ...\n"
    chapters = tmp_path / package / "first" / "rules"
    (chapters / "a.py").write_text(f"from {package}.first.rules.b import own as borrowed\n" + declared.format("a"))
    (chapters / "b.py").write_text("from services._template.rules.turn import refresh\n" + declared.format("b"))
    assert list(registry.load(f"{package}.first").rules) == ["a.own", "b.own"]


def test_the_catalog_names_tables_after_their_files() -> None:
    assert [row["id"] for row in registry.load("services._template").catalog["fighters"]] == [
        "scout",
        "marksman",
        "gunner",
    ]


def test_an_unknown_game_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "games", lambda: {"one": None, "two": None})
    with pytest.raises(UnknownName, match="no game 'three'; known: one, two"):
        registry.game("three")


def test_of_the_games_by_name_those_alone_are_loaded_that_are_asked_for() -> None:
    said = """
import sys
from arbiter.registry import Games
games = Games()
assert "rapture" in games and games["rapture"].name == "rapture"
loaded = {name.split(".")[1] for name in sys.modules if name.startswith("services.")}
assert loaded == {"rapture"}, loaded
"""
    subprocess.run([sys.executable, "-c", said], cwd=ROOT, check=True)


def test_the_games_by_name_are_those_of_the_registry() -> None:
    games = registry.Games()
    assert dict(games) == dict(registry.games())
    assert len(games) == len(registry.games())
    for name in ("no-such-game", "_template", "template-skirmish", "Warleague", "", "a.b", "../x"):
        assert name not in games
        with pytest.raises(KeyError):
            games[name]
