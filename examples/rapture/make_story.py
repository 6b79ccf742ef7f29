"""Write the queries of the story: each step is asked of the arbiter, and its patch makes the scene of the next.

Run `python examples/rapture/make_story.py` after a change of the opening scene `third-round.json` or of a step. The
opening is the table of `table.json` two rounds later. Between the rescue and the cleanup phase all other units are
activated, which is not told.
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

DODGED = {"lee: before the hit roll": ["dodge"]}

STEPS: tuple[Step, ...] = (
    ("1-preparation", "preparation", {}, {"dice": {"hand": {"ada: ascension": [3]}}}),
    ("2-activation", "activation", {"unit": "rob"}, {}),
    ("3-path", "path", {"unit": "rob", "goal": [50.5, 34]}, {"dice": {"hand": {}}}),
    (
        "4-path",
        "path",
        {"unit": "rob", "goal": [50.5, 34]},
        {
            "dice": {"hand": {"ivo: hit": [6, 2]}},
            "choices": {"ivo: before contact": ["countershot"], "rob: before the hit roll": ["none"]},
        },
    ),
    ("5-attack", "attack", {"attacker": "rob", "target": "lee"}, {"dice": {"hand": {}}}),
    (
        "6-attack",
        "attack",
        {"attacker": "rob", "target": "lee"},
        {"dice": {"hand": {"lee: dodge": [4, 1, 2, 5], "rob: hit": [5]}}, "choices": DODGED},
    ),
    (
        "7-attack",
        "attack",
        {"attacker": "rob", "target": "lee"},
        {
            "dice": {
                "hand": {
                    "lee: dodge": [4, 1, 2, 5],
                    "rob: hit": [5],
                    "rob: dodge": [3, 3, 2, 6],
                    "lee: counterblow": [5, 2],
                }
            },
            "choices": {
                **DODGED,
                "lee: after the attack": ["counterblow"],
                "rob: before the hit roll of the counterblow": ["dodge"],
            },
        },
    ),
    ("8-end", "action", {"unit": "rob", "action": "end"}, {}),
    (
        "9-shoot",
        "shoot",
        {"shooter": "kit", "target": "gus"},
        {
            "dice": {"hand": {"kit: hit": [5, 6], "gus: block": [4, 2]}},
            "choices": {"gus: before the hit roll": ["seek-shelter"]},
        },
    ),
    ("10-end", "action", {"unit": "kit", "action": "end"}, {}),
    (
        "11-ability",
        "ability",
        {"unit": "fay", "ability": "war-cry", "target": "mo"},
        {"dice": {"hand": {"fay: war-cry": [4]}}},
    ),
    ("12-end", "action", {"unit": "fay", "action": "end"}, {}),
    ("13-rescue", "rescue", {"rescuer": "bob", "escaping": "mo"}, {"dice": {"hand": {}}}),
    ("14-end", "action", {"unit": "bob", "action": "end"}, {}),
    ("15-cleanup", "cleanup", {}, {"dice": {"hand": {}}}),
    ("16-victory", "victory", {}, {}),
)


def untold(following: str, scene: dict[str, Any]) -> dict[str, Any]:
    """Activate every other unit before the cleanup phase."""
    if "cleanup" in following:
        for unit in scene["units"]:
            unit["activated"] = True
    return scene


def main() -> None:
    """Write every step's body beside this file, and say how it is decided."""
    arbiter = game("rapture")
    scene = json.loads((HERE / "third-round.json").read_text(encoding="utf-8"))
    for name, question, case, terms in STEPS:
        scene = untold(name, scene)
        text = json.dumps({"case": {"scene": scene, **case}, **terms}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        if name == "5-attack":
            best = {"case": {"scene": scene, **case}, "policies": {"*": "best"}}
            (HERE / "best-attack.json").write_text(json.dumps(best, separators=(",", ":")) + "\n", encoding="utf-8")
        ask = codec.decode(ask_type(arbiter.question(question)), text.encode())
        before = scene
        ruling = codec.to_builtins(arbiter.ask(question, ask, seed="story", posted=lambda before=before: before))
        print(f"{name}: {ruling['status']}, " + ("allowed" if ruling["allowed"] else ruling["reasons"][0]["text"]))
        scene = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])


if __name__ == "__main__":
    main()
