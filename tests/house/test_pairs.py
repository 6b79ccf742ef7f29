"""Every fault at once: where two members of a body are wrong, both are named, whichever of them is looked at first."""

from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults, pointer
from arbiter.game import Arbiter
from arbiter.sources.examples import Example
from tests.services.asking import every_game, examples, question

NOBODY = "nobody-there"
"""An id that no example has."""

EXAMPLES = 3
"""Examples of each question that are tried, of those with the most names beside the scene."""

Path = tuple[str | int, ...]

HANGS_ON = {
    "blackstone-fortress": {"action", "agreed", "sight_of"},
    "rapture": {"picked", "mission_points", "engage", "answered", "first", "place", "formations"},
    "size-skirmish": {"acted"},
    "stargrave": {"crew", "rolled", "wall"},
}
"""Members that are looked at in a sound case only, for what they may be hangs on its units: the README says so."""


def names(value: Any, path: Path = ()) -> Iterator[Path]:
    """Give the places of strings in a case; of a list, those in its first row."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from names(part, (*path, key))
    elif isinstance(value, list):
        yield from names(value[0], (*path, 0)) if value else ()
    elif isinstance(value, str):
        yield path


def with_nobody(case: Any, *paths: Path) -> Any:
    case = deepcopy(case)
    for *most, last in paths:
        at = case
        for part in most:
            at = at[part]
        at[last] = NOBODY
    return case


def pointers(game: Arbiter, example: Example, case: Any) -> set[str]:
    asked = question(game, example)
    try:
        asked.prepare(msgspec.convert(case, asked.case))
    except Faults as faults:
        return {fault.pointer for fault in faults.faults}
    except msgspec.ValidationError:
        return set()  # one of few words that the schema knows
    return set()


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_two_wrong_names_are_both_named(game: Arbiter) -> None:
    hidden, tried = [], 0
    for name in game.questions:
        sound = [each for each in examples(game) if each.question == name and not pointers(game, each, each.case)]
        for example in sorted(sound, key=lambda each: -len(each.case))[:EXAMPLES]:
            wrong = {
                path: here
                for path in names(example.case)
                if (here := pointer("case", *path)) in pointers(game, example, with_nobody(example.case, path))
            }
            for one, other in combinations(wrong, 2):
                if one[0] == other[0] == "scene" or {one[0], other[0]} & HANGS_ON.get(game.name, set()):
                    continue
                tried += 1
                lost = {wrong[one], wrong[other]} - pointers(game, example, with_nobody(example.case, one, other))
                if lost:
                    hidden.append((name, wrong[one], wrong[other], lost))
    assert tried or game.name.startswith("template")
    assert hidden == [], "\n".join(map(str, hidden))
