"""The pictures of the documentation: `make pictures` writes `docs/pictures/*.svg`, and a test compares them.

Each is drawn from a step of a game's story in `examples/`, asked as it stands there or asked something else, by the way
that a client's question goes.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from arbiter import registry
from arbiter.drawing import Drawing
from arbiter.game import Arbiter
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Ruling
from rendering.pictures import ruling_card, scenes
from rendering.pictures.card import card
from rendering.pictures.svg import svg

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
SEED = "picture"


class Picture(NamedTuple):
    """A picture: the step of a story that has its scene, the question, and the case, where it is another one."""

    story: str
    question: str
    case: dict[str, Any] | None = None


PICTURES = {
    "blackstone-fortress-sight": Picture("blackstone-fortress/8-line-of-sight", "line-of-sight"),
    "blackstone-fortress-moves": Picture("blackstone-fortress/6-moves", "moves"),
    "rapture-sight": Picture("rapture/9-shoot", "line-of-sight", {"observer": "kit"}),
    "size-skirmish-sight": Picture("size-skirmish/2-shoot", "line-of-sight", {"observer": "ari"}),
    "stargrave-sight": Picture("stargrave/9-line-of-sight", "line-of-sight"),
    "stargrave-moves": Picture("stargrave/3-moves", "moves"),
    "stargrave-grenade": Picture("stargrave/14-grenade", "grenade"),
    "warleague-sight": Picture("warleague/10-attack", "line-of-sight", {"observer": "bob"}),
}
CARD = Picture("stargrave/11-shoot", "shoot")
CARD_PATHS = 3_000


def ask(picture: Picture) -> tuple[Arbiter, Any, Drawing | None, Ruling[Any]]:
    """Ask the question of a picture: the game, what is asked, what can be drawn, and the ruling."""
    game = registry.games()[picture.story.partition("/")[0]]
    body = json.loads((ROOT / "examples" / f"{picture.story}.json").read_text())
    if picture.case is not None:
        body = {"case": {"scene": body["case"]["scene"], **picture.case}}
    ask = cast(Any, Ask)[game.question(picture.question).case]
    decoded = msgspec.convert(body, ask)
    made: Ruling[Any] = msgspec.json.decode(game.ask_json(picture.question, decoded, seed=SEED), type=Ruling[Any])
    return game, decoded, scenes.of_ruling(game, decoded.case, made), made


def files() -> dict[str, bytes]:
    """Draw every picture; give the files by name."""
    drawn = {}
    for name, picture in PICTURES.items():
        _, _, drawing, _ = ask(picture)
        if drawing is not None:
            drawn[f"{name}.svg"] = svg(drawing)
    game, decoded, drawing, made = ask(CARD)
    law = game.odds(CARD.question, AskOdds(decoded.case), CARD_PATHS)
    drawn["card.svg"] = card(drawing, ruling_card.of_ruling(game.title, made, drawing, law), "auto")
    return drawn


def main(arguments: Sequence[str]) -> int:
    """Write the pictures, or check them; give the exit code."""
    wanted = files()
    if "--check" not in arguments:
        FOLDER.mkdir(exist_ok=True)
        for name, content in wanted.items():
            (FOLDER / name).write_bytes(content)
        return 0
    there = {path.name: path.read_bytes() for path in FOLDER.glob("*.svg")}
    stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if stale:
        print(f"pictures: {', '.join(stale)} are stale; run: make pictures", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
