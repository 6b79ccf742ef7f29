"""Write the queries of the story: each step is asked of the arbiter, and its patch makes the scene of the next.

Run `python examples/warleague/make_story.py` after a change of the opening scene `third-round.json` or of a step. The
opening is the table of `table.json` two rounds later. Between the turns of the heroes and that of the raider ned all
others but him have theirs, which is not told; in hers, lou reserves two parries.
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

WAY = [[4, 9], [5, 8]]
BITES = {"ned: intensity": [4, 1]}
PARRIED = {"lou: parry": ["first-hand", "first-hand"]}

STEPS: tuple[Step, ...] = (
    ("1-update", "update", {}, {}),
    (
        "2-order",
        "order",
        {},
        {
            "dice": {
                "hand": {
                    "red: order": [4],
                    "blue: order": [4],
                    "wild: order": [2],
                    "red: order, again": [6],
                    "blue: order, again": [3],
                }
            }
        },
    ),
    ("3-actions", "actions", {"unit": "ann"}, {}),
    ("4-path", "path", {"unit": "ann", "way": WAY}, {"dice": {"hand": {}}}),
    ("5-path", "path", {"unit": "ann", "way": WAY}, {"dice": {"hand": {"loot deck: card": ["blast-ram"]}}}),
    ("6-ability", "ability", {"unit": "ann", "ability": "hurl", "target": "rex"}, {"dice": {"hand": {}}}),
    (
        "7-attack",
        "attack",
        {"attacker": "ann", "target": "kit", "hands": [0, 1]},
        {"dice": {"hand": {"ann: intensity": [2, 6]}}},
    ),
    ("8-end", "action", {"unit": "ann", "action": "end"}, {}),
    (
        "9-grenade",
        "use-item",
        {"unit": "bob", "item": 2, "place": "inventory", "target": "mia"},
        {"dice": {"hand": {"bob: explosion": [4], "trap deck: card": ["powder-keg"]}}},
    ),
    ("10-attack", "attack", {"attacker": "bob", "target": "ann"}, {"dice": {"hand": {"bob: intensity": [3]}}}),
    ("11-end", "action", {"unit": "bob", "action": "end"}, {}),
    ("12-behaviour", "behaviour", {"unit": "ned"}, {"dice": {"hand": BITES}}),
    ("13-behaviour", "behaviour", {"unit": "ned"}, {"dice": {"hand": BITES}, "choices": PARRIED}),
    ("14-update", "update", {}, {}),
    ("15-victory", "victory", {}, {}),
)


def untold(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Let everybody but ned have had a turn before his, and lou two parries reserved."""
    if following == "12-behaviour":
        for unit in scene["units"]:
            unit["acted"] = unit["id"] != "ned"
            if unit["id"] == "lou":
                unit |= {"ap": 3, "hands": [{"weapon": "jaws", "parries": 2}]}
        scene["turn"] = "wild"
    return scene


def main() -> None:
    """Write every step's body beside this file, and say how it is decided."""
    arbiter = game("warleague")
    scene = json.loads((HERE / "third-round.json").read_text(encoding="utf-8"))
    for name, question, case, terms in STEPS:
        scene = untold(name, scene)
        text = json.dumps({"case": {"scene": scene, **case}, **terms}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        if name == "7-attack":
            odds = json.dumps({"case": {"scene": scene, **case}}, separators=(",", ":"))
            (HERE / "odds-attack.json").write_text(odds + "\n", encoding="utf-8")
        ask = codec.decode(ask_type(arbiter.question(question)), text.encode())
        before = scene
        ruling = codec.to_builtins(arbiter.ask(question, ask, seed="story", posted=lambda before=before: before))
        print(f"{name}: {ruling['status']}, " + ("allowed" if ruling["allowed"] else ruling["reasons"][0]["text"]))
        scene = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])


if __name__ == "__main__":
    main()
