"""Write the queries of the story: each step is asked of the arbiter, and its patch makes the scene of the next.

Run `python examples/blackstone-fortress/make_story.py` after a change of the opening scene `combat.json` or of a step.
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
    ("1-destiny", "destiny", {}, {"dice": {"hand": {"leader: destiny": [2, 3, 3, 4, 6]}}}),
    (
        "2-initiative",
        "initiative",
        {},
        {
            "dice": {
                "hand": {
                    "janus: activation": [6, 4, 2, 1],
                    "espern: activation": [5, 4, 3, 1],
                    "ur-025: activation": [4, 3, 1],
                    "rein: activation": [6, 5, 3, 2],
                    "leader: deal": ["group-2", "espern", "twins", "group-1", "ur-025", "janus"],
                }
            }
        },
    ),
    ("3-covering-fire", "covering-fire", {"explorer": "espern", "other": "ur-025", "agreed": ["espern", "ur-025"]}, {}),
    ("4-gambit", "gambit", {"attempts": [{"explorer": "janus"}]}, {"dice": {"hand": {"janus: agility": ["critical"]}}}),
    (
        "5-gambit",
        "gambit",
        {"attempts": [{"explorer": "janus"}]},
        {"dice": {"hand": {"janus: agility": ["critical"]}}, "choices": {"janus: gambit": ["group-2"]}},
    ),
    ("6-moves", "moves", {"unit": "janus"}, {}),
    ("7-move", "act", {"explorer": "janus", "action": "move", "dice": [{"die": 1}], "way": [[3, 3], [4, 3]]}, {}),
    ("8-line-of-sight", "line-of-sight", {"observer": "espern", "targets": ["guard-4", "guard-6", "guard-5"]}, {}),
    (
        "9-attack",
        "attack",
        {"attacker": "janus", "action": "pistol-and-rapier", "die": {"die": 2}, "targets": ["guard-4"]},
        {"dice": {"hand": {"janus: attack": ["critical"]}}},
    ),
    ("10-end-activation", "end-activation", {"explorer": "janus"}, {"dice": {"hand": {"janus: inspiration": [2]}}}),
    ("11-behaviour", "behaviour", {"hostile": "guard-6"}, {"dice": {"hand": {"guard-6: behaviour": [9]}}}),
    (
        "12-overwatch",
        "behaviour",
        {"hostile": "guard-6"},
        {
            "dice": {
                "hand": {
                    "guard-6: behaviour": [9],
                    "guard-6: attack": ["success"],
                    "janus: defence": ["success"],
                    "janus: attack": ["critical"],
                }
            },
            "choices": {"janus: overwatch": ["yes"], "janus: overwatch action": ["pistol-and-rapier 1+ for 3"]},
        },
    ),
    (
        "13-reinforcements",
        "reinforcements",
        {"group": "group-1"},
        {"dice": {"seed": "story", "hand": {"group-1: reinforcements": [2]}}},
    ),
    ("14-event", "event", {}, {"dice": {"hand": {"leader: event": [12]}}}),
)


def unshown(scene: dict[str, Any]) -> dict[str, Any]:
    """Give the scene with every card turned down: the rest of the activation phase is not told."""
    for unit in (*scene["explorers"], *scene["hostiles"]):
        unit["activated"] = True
    return scene


def main() -> None:
    """Write every step's body beside this file, and say how it is decided."""
    arbiter = game("blackstone-fortress")
    scene = json.loads((HERE / "combat.json").read_text(encoding="utf-8"))
    for name, question, case, terms in STEPS:
        if question == "event":
            scene = unshown(scene)
        text = json.dumps({"case": {"scene": scene, **case}, **terms}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        ask = codec.decode(ask_type(arbiter.question(question)), text.encode())
        before = scene
        ruling = codec.to_builtins(arbiter.ask(question, ask, seed="story", posted=lambda before=before: before))
        print(f"{name}: {ruling['status']}, " + ("allowed" if ruling["allowed"] else ruling["reasons"][0]["text"]))
        scene = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])


if __name__ == "__main__":
    main()
