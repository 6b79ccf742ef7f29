"""The order of the tests that hold every game to the house's laws: all that ask the same question follow each other.

Where tests run in several processes, each takes stretches of neighbouring tests. What is worked out once for an example
in a process, such as its law, then serves all tests of that example, and is seldom worked out in another process too.
"""

import pytest

EVERY_ARBITER = "test_every_arbiter.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = [place for place, item in enumerate(items) if item.path.name == EVERY_ARBITER]
    asked: dict[tuple[str, str], int] = {}

    def order(item: pytest.Item) -> int:
        """Sort by game, and then by question; tests of a whole game come before those of its questions."""
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        game, those = params.get("game"), params.get("those")
        return asked.setdefault((game.name if game else "", those[0].question if those else ""), len(asked))

    for place, item in zip(places, sorted((items[place] for place in places), key=order), strict=True):
        items[place] = item
