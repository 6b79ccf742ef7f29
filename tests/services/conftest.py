"""The order of the tests that hold every game to the house's laws: all that ask the same example follow each other.

Where tests run in several processes, each takes stretches of neighbouring tests. What is worked out once for an example
in a process, such as its law, then serves all tests of that example, and is seldom worked out in another process too.
"""

import pytest

EVERY_ARBITER = "test_every_arbiter.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = [place for place, item in enumerate(items) if item.path.name == EVERY_ARBITER]
    games: dict[str, int] = {}
    examples: dict[tuple[str, str], int] = {}

    def order(item: pytest.Item) -> tuple[int, int]:
        """Sort by game, and then by example; tests of a whole game come before those of its examples."""
        asked = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        game, example = asked.get("game"), asked.get("example")
        name = game.name if game else ""
        title = (name, example.title) if example else (name, "")
        return games.setdefault(name, len(games)), examples.setdefault(title, len(examples)) if example else -1

    for place, item in zip(places, sorted((items[place] for place in places), key=order), strict=True):
        items[place] = item
