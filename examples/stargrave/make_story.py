"""Write the queries of the story: each step is asked of the arbiter, and its patch makes the scene of the next.

Run `python examples/stargrave/make_story.py` after a change of the opening scene `fifth-turn.json` or of a step. The
opening is the table of `table.json` four turns later; what figures do between the steps is not told.
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
    ("1-initiative", "initiative", {}, {"dice": {"hand": {"red: initiative": [14, 11], "blue: initiative": [14, 5]}}}),
    ("2-activation", "activation", {"leader": "kel", "companions": ["rob", "sal", "tov"], "group": True}, {}),
    ("3-moves", "moves", {"figure": "kel", "to": [[19, 6.5]]}, {}),
    ("4-climb", "path", {"figure": "kel", "goal": [19, 6.5]}, {}),
    ("5-path", "path", {"figure": "tov", "goal": [17, 9.9]}, {}),
    ("6-path", "path", {"figure": "tov", "goal": [17, 9.9]}, {"choices": {"bo: force combat": ["force"]}}),
    ("7-path", "path", {"figure": "rob", "goal": [15.92, 7.44]}, {}),
    (
        "8-attack",
        "attack",
        {"fighter": "tov", "opponent": "bo"},
        {
            "dice": {"hand": {"tov: combat": [15], "bo: combat": [8]}},
            "choices": {"tov: after the fight": ["push-opponent"]},
        },
    ),
    ("9-line-of-sight", "line-of-sight", {"observer": "sal", "targets": ["cy", "eli", "dax"]}, {}),
    ("10-targets", "targets", {"shooter": "sal", "weapon": "carbine", "moved": "standing"}, {}),
    (
        "11-shoot",
        "shoot",
        {"shooter": "sal", "weapon": "carbine", "targets": ["cy"], "moved": "standing"},
        {"dice": {"hand": {"sal: shooting": [18], "cy: combat": [6]}}},
    ),
    (
        "12-power",
        "power",
        {"user": "ines", "power": "dark-energy", "target": "gus", "exertion": 2},
        {"dice": {"hand": {"ines: power": [10], "ines: shooting": [16], "gus: combat": [9]}}},
    ),
    ("13-loot", "loot", {"figure": "xan", "token": "node-1"}, {"dice": {"hand": {"xan: unlock": [7]}}}),
    (
        "14-grenade",
        "grenade",
        {"thrower": "hal", "kind": "fragmentation", "at": [3, 12], "launcher": True},
        {
            "dice": {
                "hand": {
                    "hal: grenade": [6],
                    "grenade: direction": [3],
                    "grenade: shooting": [4, 14],
                    "una: combat": [10],
                    "vik: combat": [5],
                }
            }
        },
    ),
    (
        "15-behaviour",
        "behaviour",
        {"creature": "prowler-1"},
        {"dice": {"hand": {"prowler-1: combat": [16], "bo: combat": [8]}}},
    ),
    ("16-survival", "survival", {"figure": "gus"}, {"dice": {"hand": {"gus: survival": [7]}}}),
)


def main() -> None:
    """Write every step's body beside this file, and say how it is decided."""
    arbiter = game("stargrave")
    scene = json.loads((HERE / "fifth-turn.json").read_text(encoding="utf-8"))
    for name, question, case, terms in STEPS:
        text = json.dumps({"case": {"scene": scene, **case}, **terms}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        ask = codec.decode(ask_type(arbiter.question(question)), text.encode())
        before = scene
        ruling = codec.to_builtins(arbiter.ask(question, ask, seed="story", posted=lambda before=before: before))
        print(f"{name}: {ruling['status']}, " + ("allowed" if ruling["allowed"] else ruling["reasons"][0]["text"]))
        scene = jsonpatch.apply_patch(scene, ruling["effects"]["patch"])


if __name__ == "__main__":
    main()
