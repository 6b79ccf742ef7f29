"""The stories of the examples' folders: queries, each upon the table that the one before has left."""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.schemas import codec
from api.schemas.bodies import ask_type
from arbiter.registry import game
from arbiter.ruling import Ruling

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def _as_it_is(_following: str, scene: dict[str, Any]) -> dict[str, Any]:
    return scene


def _cards_down(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Turn every card down before the event: the rest of the activation phase is not told."""
    if "event" in following:
        for unit in (*scene["explorers"], *scene["hostiles"]):
            unit["activated"] = True
    return scene


def _all_activated(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Let every unit have been activated before the cleanup phase: the rest of the activation phase is not told."""
    if "cleanup" in following:
        for unit in scene["units"]:
            unit["activated"] = True
    return scene


def _all_but_ned(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Let everybody but ned have had a turn before his, and lou two parries reserved: those turns are not told."""
    if following == "12-behaviour":
        for unit in scene["units"]:
            unit["acted"] = unit["id"] != "ned"
            if unit["id"] == "lou":
                unit |= {"ap": 3, "hands": [{"weapon": "jaws", "parries": 2}]}
        scene["turn"] = "wild"
    return scene


def _all_acted(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Let every model of a player act before the round ends: the rest of the action phase is not told."""
    if "round-end" in following:
        for model in scene["models"]:
            if model["side"] != "npc":
                model["acted"] = True
    return scene


@dataclass(frozen=True)
class Story:
    """A folder of queries of one game, its opening scene, and what its files ask where their names do not say it."""

    game: str
    opening: str
    questions: dict[str, str] = field(default_factory=dict)
    untold: Callable[[str, dict[str, Any]], dict[str, Any]] = _as_it_is

    @property
    def folder(self) -> Path:
        return EXAMPLES / self.game

    @property
    def queries(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.json"), key=lambda path: int(path.name.split("-")[0]))

    def ruled(self, path: Path) -> tuple[dict[str, Any], Ruling[Any]]:
        body = path.read_bytes()
        arbiter = game(self.game)
        name = path.stem.split("-", 1)[1]
        question = arbiter.question(self.questions.get(name, name))
        scene = json.loads(body)["case"]["scene"]
        ask = codec.decode(ask_type(question), body)
        return scene, arbiter.ask(question.name, ask, seed="other", posted=lambda: scene)


STORIES = (
    Story("blackstone-fortress", "combat.json", {"move": "act", "overwatch": "behaviour"}, _cards_down),
    Story("stargrave", "fifth-turn.json", {"climb": "path"}),
    Story("rapture", "third-round.json", {"end": "action"}, _all_activated),
    Story("warleague", "third-round.json", {"end": "action", "grenade": "use-item"}, _all_but_ned),
    Story("size-skirmish", "third-round.json", {"pursue": "path", "climb": "path"}, _all_acted),
)
QUERIES = [(story, path) for story in STORIES for path in story.queries]
PAIRS = [(story, *pair) for story in STORIES for pair in itertools.pairwise(story.queries)]


def named(value: object) -> str:
    return value.game if isinstance(value, Story) else value.stem if isinstance(value, Path) else str(value)
