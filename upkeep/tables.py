"""The tables that the page `/table` opens with: `python -m upkeep.tables` writes them; a test compares them.

Each is the scene of a step of a game's story in `examples/`, with the unit about which the page asks first.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "api" / "web" / "static" / "table" / "scenes"

OPENED = {
    "blackstone-fortress": ("8-line-of-sight", "espern"),
    "rapture": ("9-shoot", "kit"),
    "size-skirmish": ("2-shoot", "ari"),
    "stargrave": ("11-shoot", "sal"),
    "warleague": ("10-attack", "bob"),
}
"""Of each game the step of its story, and the unit that is asked about."""


def files() -> dict[str, str]:
    """Give the files by name."""
    written = {}
    for game, (step, unit) in OPENED.items():
        body = json.loads((ROOT / "examples" / game / f"{step}.json").read_text())
        opened = {"story": f"examples/{game}/{step}.json", "unit": unit, "scene": body["case"]["scene"]}
        written[f"{game}.json"] = json.dumps(opened, ensure_ascii=False, separators=(",", ":")) + "\n"
    return written


def main(arguments: Sequence[str]) -> int:
    """Write the tables, or check them; give the exit code."""
    wanted = files()
    if "--check" not in arguments:
        FOLDER.mkdir(exist_ok=True)
        for name, text in wanted.items():
            (FOLDER / name).write_text(text)
        return 0
    stale = [name for name, text in wanted.items() if (FOLDER / name).read_text() != text]
    for name in stale:
        print(f"{name} is not what its story has: python -m upkeep.tables writes it")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
