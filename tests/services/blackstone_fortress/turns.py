"""Scenes of the worked examples as values, and tables to ask rules of the turn at."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.question import Ask
from arbiter.ruling import Ruling
from arbiter.sources.yaml_file import load_yaml
from arbiter.table import Chooser, OneTable, first
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.battlefield import Battlefield, prepare
from services.blackstone_fortress.scene import Scene

SCENES = Path(ARBITER.folder) / "examples" / "scenes"


@cache
def scene(name: str) -> Scene:
    """Give a scene of the worked examples."""
    return msgspec.convert(load_yaml(SCENES / f"{name}.yaml"), Scene)


def field_of(name: str) -> Battlefield:
    """Give the battlefield of a scene of the worked examples."""
    return prepare(scene(name))


def posted(name: str) -> dict[str, Any]:
    """Give a scene of the worked examples as it is posted, to be changed at will."""
    read: dict[str, Any] = load_yaml(SCENES / f"{name}.yaml")
    return read


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(
    hand: Mapping[str, Sequence[Any]] | None = None,
    choices: Mapping[str, Sequence[Any]] | None = None,
    seed: str = "turns",
    **options: str,
) -> OneTable:
    """Seat somebody who hands these dice, or has them from the seed, makes these choices, and else picks the first."""
    dice = SeededDice(seed) if hand is None else HandedDice(hand)
    return OneTable(dice, Chooser(choices or {}, {"*": ("first", first)}), readings(**options))


def ask(question: str, case: Mapping[str, Any], **rest: Any) -> Ruling[Any]:
    """Ask for a ruling where everyone picks the first option, with dice from a fixed seed unless some are handed."""
    body = {"case": case, "policies": {"*": "first"}, **rest}
    wanted = ARBITER.question(question)
    decoded: Ask[Any] = msgspec.convert(body, Ask[wanted.case])
    return ARBITER.ask(question, decoded, seed="turns", posted=lambda: case["scene"])
