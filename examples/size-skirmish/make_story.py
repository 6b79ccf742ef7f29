"""Write the queries of the story: each step is asked of the arbiter, and its patch makes the scene of the next.

Run `python examples/size-skirmish/make_story.py` after a change of the opening scene `third-round.json` or of a step.
The opening is the table of `table.json` two rounds later. Before the end of the round all other models of the two sides
are activated, which is not told.
"""

import json
from pathlib import Path
from typing import Any

import jsonpatch

from api.schemas import codec
from api.schemas.bodies import ask_type
from arbiter.registry import game

HERE = Path(__file__).parent

Step = tuple[str, str, dict[str, Any], dict[str, Any]]

STEPS: tuple[Step, ...] = (
    (
        "1-initiative",
        "initiative",
        {},
        {
            "dice": {"hand": {"watch: initiative": [4], "wharf: initiative": [3]}},
            "choices": {"watch: starts": ["watch"]},
        },
    ),
    (
        "2-shoot",
        "shoot",
        {"shooter": "ari", "target": "lil", "reactions": []},
        {"dice": {"hand": {"ari: hit": [5, 2], "ari: damage": [4], "lil: defence": [2]}}},
    ),
    ("3-turn", "turn", {"acted": "watch"}, {}),
    ("4-attack", "attack", {"attacker": "kat", "target": "gus", "charge": True}, {"dice": {"hand": {}}}),
    (
        "5-attack",
        "attack",
        {"attacker": "kat", "target": "gus", "charge": True},
        {
            "dice": {
                "hand": {
                    "gus: hit": [4, 3, 2, 5],
                    "gus: damage": [4, 3],
                    "kat: defence": [2, 3, 4],
                    "kat: hit": [4, 5, 6, 2],
                    "kat: hit extra": [4],
                    "kat: damage": [5, 4, 4, 2],
                    "gus: defence": [3, 2],
                    "gus: morale": [4, 6, 2],
                    "gus: morale extra": [3],
                    "gus: flee": [2],
                }
            },
            "choices": {"gus: reaction": ["shoot"]},
            "policies": {"watch": "first"},
        },
    ),
    ("6-turn", "turn", {"acted": "wharf"}, {}),
    (
        "7-attack",
        "attack",
        {"attacker": "oda", "target": "orm", "reactions": [{"model": "orm", "action": "strike", "target": "oda"}]},
        {
            "dice": {
                "hand": {
                    "oda: hit": [4, 5, 2, 3, 3],
                    "oda: damage": [4, 5],
                    "orm: defence": [4, 2, 3],
                    "orm: hit": [6, 4, 2, 2, 3],
                    "orm: hit extra": [5],
                    "orm: damage": [4, 3, 5],
                    "oda: defence": [5, 2, 6],
                    "oda: defence extra": [2],
                }
            }
        },
    ),
    ("8-turn", "turn", {"acted": "watch"}, {}),
    (
        "9-pursue",
        "path",
        {"model": "wes", "movement": "pursue", "target": "gus", "reactions": []},
        {"dice": {"hand": {"wes: pursue": [3]}}},
    ),
    ("10-turn", "turn", {"acted": "wharf"}, {}),
    (
        "11-push",
        "push",
        {"model": "cap", "target": "abe", "reactions": []},
        {"dice": {"hand": {"cap: push": [3], "abe: damage": [5, 4], "abe: defence": [3], "abe: morale": [4, 5, 2]}}},
    ),
    ("12-turn", "turn", {"acted": "watch"}, {}),
    (
        "13-climb",
        "path",
        {"model": "nib", "movement": "climb", "way": [[34.625, 21]], "facing": [-1, 0], "reactions": []},
        {"dice": {"hand": {}}},
    ),
    ("14-round-end", "round-end", {}, {}),
    (
        "15-npc",
        "npc",
        {"deed": {"model": "tom", "action": "shoot", "target": "yan"}, "reactions": []},
        {
            "dice": {
                "hand": {
                    "tom: hit": [2, 5],
                    "tom: damage": [6, 3],
                    "tom: damage extra": [4],
                    "yan: defence": [5, 2, 3, 4],
                }
            }
        },
    ),
    (
        "16-npc",
        "npc",
        {"deed": {"model": "mia", "action": "move", "movement": "walk", "goal": [23, 27]}, "reactions": []},
        {"dice": {"hand": {}}},
    ),
)


def untold(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Activate every other model of the sides before the end of the round."""
    if "round-end" in following:
        for model in scene["models"]:
            if model["side"] != "npc":
                model["acted"] = True
    return scene


def main() -> None:
    """Write every step's body beside this file, and say how it is decided."""
    arbiter = game("size-skirmish")
    scene = json.loads((HERE / "third-round.json").read_text(encoding="utf-8"))
    for name, question, case, terms in STEPS:
        scene = untold(name, scene)
        text = json.dumps({"case": {"scene": scene, **case}, **terms}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        ask = codec.decode(ask_type(arbiter.question(question)), text.encode())
        before = scene
        ruling = codec.to_builtins(arbiter.ask(question, ask, seed="story", posted=lambda before=before: before))
        print(f"{name}: {ruling['status']}, " + ("allowed" if ruling["allowed"] else ruling["reasons"][0]["text"]))
        scene = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])


if __name__ == "__main__":
    main()
