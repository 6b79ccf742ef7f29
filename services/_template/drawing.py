"""What can be drawn of the game: the board with its rocks and fighters, and what a question's answer adds to it."""

from collections.abc import Iterator
from typing import Any

from arbiter.drawing import Area, Cell, Cells, Drawing, Mark, Point, Shape, Shown, Unit, hex_point, letters
from arbiter.skirmish.overlay import Overlay
from services._template.questions import refuse_impossible
from services._template.scene import Scene

SIDES = ("red", "blue")

UNDRAWN = frozenset({"battle"})
"""Questions whose answers add nothing to the picture: a whole battle."""


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing:
    """Draw a scene, and what a question and its answer add to it."""
    refuse_impossible(scene)
    overlay = Overlay(_units(scene), _point)
    cells = Cells(
        "pointy", tuple(Cell(hex_, _point(hex_)) for hex_ in sorted(scene.board.tiles, key=lambda h: h[::-1]))
    )
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        _add(cells, overlay, shown)
    return Drawing("", "", cells, (*_ground(scene, cells), *overlay.drawn()), SIDES)


def _point(hex_: Any) -> Point:
    return hex_point(hex_[0], hex_[1])


def _ground(scene: Scene, cells: Cells) -> Iterator[Mark]:
    for rock in scene.rocks:
        yield Shape(cells.corners(_point(rock)), "column", f"rock in {rock[0]},{rock[1]}", "rock")


def _units(scene: Scene) -> Iterator[Unit]:
    taken: list[str] = []
    for index, fighter in enumerate(scene.fighters):
        taken.append(letters(fighter.id, taken))
        yield Unit(
            fighter.id,
            str(fighter.name),
            SIDES.index(fighter.side),
            taken[-1],
            _point(fighter.hex),
            f"/fighters/{index}/hex",
            lost=fighter.wounds_lost,
        )


def _add(cells: Cells, overlay: Overlay, shown: Shown) -> None:
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
                    overlay.marks.append(Area((cells.corners(_point(hex_)),), f"{hex_[0]},{hex_[1]}", legend))
    overlay.happened(shown.events)
