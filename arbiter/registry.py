"""The registry: finds the games, one folder each under `services/`, without a list to maintain."""

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from arbiter.fault import UnknownName
from arbiter.game import Arbiter


@cache
def games(home: str = "services") -> Mapping[str, Arbiter]:
    """Give every game's arbiter by name; a folder whose name begins with an underscore is not a game.

    Refuses two games of one name, and a folder without an `arbiter.py` that defines `ARBITER`.
    """
    found: dict[str, Arbiter] = {}
    # Every folder counts, even one that Python does not treat as a package: it must not be silently skipped.
    homes = [Path(place) for place in importlib.import_module(home).__path__]
    for folder in sorted(path.name for place in homes for path in place.iterdir() if path.is_dir()):
        if folder.startswith(("_", ".")):
            continue
        game = load(f"{home}.{folder}")
        if game.name in found:
            raise ValueError(f"{home}/{folder} and {found[game.name].folder} are both called {game.name}")
        found[game.name] = game
    return found


def load(package: str) -> Arbiter:
    """Give the arbiter of one package."""
    game = getattr(importlib.import_module(f"{package}.arbiter"), "ARBITER", None)
    if not isinstance(game, Arbiter):
        raise TypeError(f"{package}/arbiter.py must hold ARBITER = Arbiter(…)")
    return game


def game(name: str) -> Arbiter:
    """Give the arbiter of the game of that name; `UnknownName` if there is none."""
    try:
        return games()[name]
    except KeyError:
        raise UnknownName("game", name, games()) from None


def alone(name: str, home: str = "services") -> Arbiter:
    """Give the arbiter of the game of that name without loading the others, if its folder has its name.

    `UnknownName` if there is no such game.
    """
    folder = name.replace("-", "_")
    if folder.isidentifier() and not folder.startswith("_"):
        for place in importlib.import_module(home).__path__:
            if (Path(place) / folder / "arbiter.py").is_file() and (found := load(f"{home}.{folder}")).name == name:
                return found
    return game(name)


class Games(Mapping[str, Arbiter]):
    """Every game by name; a program loads only the games that it uses."""

    def __getitem__(self, name: str) -> Arbiter:
        try:
            return alone(name)
        except UnknownName:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(games())

    def __len__(self) -> int:
        return len(games())
