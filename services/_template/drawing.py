"""What can be drawn of the game: the board with its rocks and fighters, and what a question's answer adds to it."""

from collections.abc import Iterator
from typing import Any

from arbiter.drawing import Area, Drawing, Shape, Shown, Unit, letters
from arbiter.skirmish.overlay import Overlay
from services._template import ground
from services._template.questions import refuse_impossible
from services._template.scene import Scene

SIDES = ("red", "blue")

UNDRAWN = frozenset({"battle"})
"""Questions that add nothing to the picture: a whole battle."""


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be."""
    refuse_impossible(scene)
    overlay = Overlay(_units(scene), ground.point)
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        _add(overlay, shown)
    rocks = (Shape(ground.rock_outline(rock), "column", "a rock", "rock") for rock in scene.rocks)
    return Drawing("", "", scene.drawn, (*rocks, *overlay.drawn()), SIDES)


def _units(scene: Scene) -> Iterator[Unit]:
    taken: list[str] = []
    for index, fighter in enumerate(scene.fighters):
        taken.append(letters(fighter.id, taken))
        yield Unit(
            fighter.id,
            str(fighter.name),
            SIDES.index(fighter.side),
            taken[-1],
            ground.point(fighter.hex),
            f"/fighters/{index}/hex",
            ground.BASE,
            lost=fighter.wounds_lost,
        )


def _add(overlay: Overlay, shown: Shown) -> None:
    answer: Any = shown.answer
    if isinstance(answer, dict):
        match shown.question:
            case "line-of-sight":
                overlay.aim(shown, lambda _: "seen" if answer["sees"] else "blocked")
            case "attack":
                overlay.aim(shown, lambda _: "seen")
            case "moves":
                legend = "where the move may end"
                for hex_ in answer["hexes"]:
                    overlay.marks.append(Area((ground.spot(hex_),), f"{hex_[0]},{hex_[1]}", legend))
    overlay.happened(shown.events)
