"""Every die that falls is read: a ruling says which dice count, the modifiers by name, the total and what is needed."""

import re
from typing import Any

import msgspec
import pytest

from arbiter.game import Arbiter
from arbiter.question import Ask
from arbiter.ruling import Roll, Ruling
from arbiter.sources.examples import SEED
from tests.services.asking import as_written, every_game, examples, is_light

DRAWN = {
    "a card is drawn": r"leader: deal|.*: encounter card|.*: card|.*: mission",
    "a direction, or one of several at random": r".*: direction|.*: lot|.*: pick|.*: target",
}
"""Labels of dice that are no roll against anything, with the reason: the answer has what was drawn."""


def throwing(game: Arbiter) -> list[Ruling[Any]]:
    """Give the ruling of every example that throws dice.

    A battle says as little of its rolls as of its steps: each of its activations can be asked as a question.
    """
    asked = [as_written(game, each).ruling for each in examples(game) if is_light(each)]
    return [ruling for ruling in asked if ruling.throws and ruling.status == "ruled" and ruling.allowed]


def broken(roll: Roll) -> str:
    """Say what does not add up in a roll, by arithmetic of its own."""
    added = sum(each.value for each in roll.modifiers)
    numbers = [face for face in roll.kept if isinstance(face, int)]
    if roll.total is not None and roll.total != (sum(numbers) + added) * roll.times:
        return "the total is not what is kept with the modifiers"
    if roll.successes is not None and roll.successes != len(roll.kept):
        return "the successes are not the dice that are kept"
    if roll.successes is not None and roll.needed is not None and any(face < roll.needed for face in numbers):
        return "a die that is kept does not reach what is needed"
    if roll.total is None and roll.successes is None and not roll.outcome:
        return "nothing is said of it"
    return ""


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_every_die_is_read_and_adds_up(game: Arbiter) -> None:
    rulings = throwing(game)
    assert rulings
    for ruling in rulings:
        fallen = sorted(str(throw.face) for throw in ruling.throws if not drawn(throw.label))
        read = sorted(str(face) for roll in ruling.rolls for face in roll.faces)
        labels = {throw.label for throw in ruling.throws if not drawn(throw.label)} - {
            roll.label for roll in ruling.rolls
        }
        assert fallen == read, (ruling.question, labels)
        for roll in ruling.rolls:
            assert not broken(roll), (ruling.question, roll, broken(roll))


def drawn(label: str) -> bool:
    return any(re.fullmatch(pattern, label) for pattern in DRAWN.values())


def test_the_numbers_of_a_shot_by_hand() -> None:
    """Shoot +2 and a 15 make 17, Fight +2 and a 2 make 4; Armour 10 leaves 7."""
    figures = [
        {"id": "kel", "profile": "recruit", "crew": "red", "at": [10, 10], "weapons": ["carbine"]},
        {"id": "ivo", "profile": "recruit", "crew": "blue", "at": [10, 20]},
    ]
    scene = {"board": {"width_in": 36, "depth_in": 36, "pieces": []}, "figures": figures}
    game = every_game()["stargrave"]
    body = {
        "case": {"scene": scene, "shooter": "kel", "weapon": "carbine", "targets": ["ivo"]},
        "dice": {"hand": {"kel: shooting": [15], "ivo: combat": [2]}},
    }
    posted = msgspec.convert(body, Ask[game.question("shoot").case])
    numbers = {
        roll.label: (roll.total, roll.against, {each.id: each.value for each in roll.modifiers}, roll.outcome)
        for roll in game.ask("shoot", posted, seed=SEED).rolls
    }
    assert numbers == {
        "kel: shooting": (17, None, {"shoot": 2}, "hit"),
        "ivo: combat": (4, 17, {"fight": 2}, ""),
        "damage": (7, None, {"roll": 17, "armour": -10}, "7 damage"),
    }
