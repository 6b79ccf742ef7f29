"""Combats of all kinds, drawn from a number, and each played at two tables that have to agree die by die."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import yaml

from arbiter.dice_sources import SeededDice
from arbiter.geometry.hex.coordinates import to_offset
from arbiter.ruling import Event
from arbiter.simulation.memo_table import Experience, MemoTable
from arbiter.table import Chooser, OneTable, Policy
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.battle import CombatResult, fight
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.checks import checked
from services.blackstone_fortress.scene import Scene

HOME = Path(__file__).parents[3]
COMBAT = HOME / "examples" / "blackstone-fortress" / "combat.json"
SCENES = HOME / "services" / "blackstone_fortress" / "examples" / "scenes"

_WITH_HEXES = {"hexes", "walls", "cover", "obstructions", "edges", "hex", "beside", "chamber"}


class Combat(NamedTuple):
    """A combat to be played: its battlefield, for how many turns, by which policies and under which readings."""

    name: str
    field: Battlefield
    turns: int
    policies: dict[str, tuple[str, Policy]]
    readings: dict[str, str]
    seed: str


class Played(NamedTuple):
    """All that is to agree: the scene in the end, how the combat went, every event, and the dice by label."""

    scene: Scene
    result: CombatResult
    events: tuple[Event, ...]
    dice: dict[str, int]


def in_offsets(part: Any, scheme: Any, name: str = "") -> Any:
    """Give a part of an axial scene with its hexes in columns and rows."""
    if isinstance(part, dict):
        return {key: in_offsets(value, scheme, key) for key, value in part.items()}
    if isinstance(part, list):
        if name in _WITH_HEXES and len(part) == 2 and all(isinstance(number, int) for number in part):
            return list(to_offset((part[0], part[1]), scheme))
        return [in_offsets(each, scheme, name) for each in part]
    return part


@cache
def battlefields() -> dict[str, Battlefield]:
    """Give the example combat and the boards of all worked examples, the axial ones in an offset scheme as well."""
    every = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(SCENES.glob("*.yaml"))}
    scenes = {name: scene for name, scene in every.items() if "board" in scene}
    for name, scene in list(scenes.items()):
        if scene["board"].get("coordinates", "axial") == "axial":
            scheme = "even-r" if scene["board"].get("top", "pointy") == "pointy" else "odd-q"
            scenes[f"{name}, {scheme}"] = in_offsets(
                {**scene, "board": {**scene["board"], "coordinates": scheme}}, scheme
            )
    fields = {name: checked(msgspec.convert(scene, Scene)) for name, scene in scenes.items()}
    return {"combat": checked(msgspec.json.decode(COMBAT.read_bytes(), type=Scene)), **fields}


def combat(number: int) -> Combat:
    """Draw a combat: one of all scenes, with twists and readings that are not the usual ones in many of them."""
    random = Random(f"combat {number}")
    fields = battlefields()
    name = sorted(fields)[number % len(fields)]
    field = fields[name]
    if random.random() < 0.3:
        twists = random.sample([row["id"] for row in rows("twists")], random.choice((1, 2)))
        field = field.with_(twists=tuple(sorted({*field.scene.twists, *twists})))
    others = [
        (reading.id, option.id)
        for reading in ARBITER.readings.by_id.values()
        for option in reading.options
        if option.id != reading.default
    ]
    readings = {**ARBITER.readings.defaults, **dict(random.sample(others, random.choice((0, 1, 3, 30))))}
    policies = {"explorers": random.choice(("bold", "escaping")), "hostiles": random.choice(("first", "focused"))}
    named = {chooser: (policy, ARBITER.policies[policy]) for chooser, policy in {**policies, "*": "first"}.items()}
    return Combat(name, field, random.choice((2, 4, 6, 12)), named, readings, f"seed/{number}")


class _Told(MemoTable):
    """A swift table whose events are written down."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.events = []

    def event(self, name: str, **values: Any) -> None:
        super().event(name, **values)
        self.events.append(Event(name, values))


def played_plainly(combat: Combat) -> Played:
    """Play a combat at a table that remembers nothing."""
    return _played(combat, OneTable(SeededDice(combat.seed), Chooser({}, combat.policies), combat.readings))


def played_swiftly(combat: Combat, experience: Experience) -> Played:
    """Play a combat at a table that remembers."""
    dice, chooser = SeededDice(combat.seed), Chooser({}, combat.policies)
    return _played(combat, _Told(dice, chooser, combat.readings, experience))


def _played(combat: Combat, table: OneTable) -> Played:
    field, result = fight(table, combat.field, combat.turns)
    return Played(field.scene, result, tuple(table.events), dict(table._rolled))
