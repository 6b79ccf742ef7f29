"""What can be drawn of Rapture: the battlefield, and what a question's answer adds to it. Lengths are centimetres."""

from collections.abc import Iterator
from typing import Any

from arbiter.drawing import Drawing, Mark, Plane, Point, Shape, Shown, Token, Unit, Verdict, letters
from arbiter.skirmish.overlay import Overlay, in_the_way, touch_points
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.scene import Scene, Side
from services.rapture.scene import Unit as SceneUnit

UNDRAWN = frozenset(
    {"reactions", "actions", "action", "activation", "combat-value", "victory", "battlegroup", "battle"}
)
"""Questions that add nothing to the picture: cards, points, whose turn it is, and a whole battle."""


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing | None:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be.

    There is nothing to draw of a table that only the players see.
    """
    field = checked(scene)
    if scene.is_partial:
        return None
    board = scene.board
    sides = tuple(side.id for side in scene.sides)
    overlay = Overlay(_units(field, sides), _point)
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        _add(field, overlay, shown)
    plane = Plane(board.width_cm, board.depth_cm, "cm", 1.0, 15.0)
    return Drawing("", "", plane, (*_ground(field), *overlay.drawn()), sides)


def _point(at: Any) -> Point:
    return float(at[0]), float(at[1])


def _ground(field: Battlefield) -> Iterator[Mark]:
    board = field.scene.board
    for side in field.scene.sides:
        if side.zone_cm:
            outline = _zone(side, board.width_cm, board.depth_cm)
            yield Shape(outline, "zone", f"zone of deployment of {side.id}", "zone of deployment")
    for piece in board.pieces:
        blocks = "blocks sight" if piece.blocks_sight else "does not block sight"
        enters = "impassable" if piece.impassable else "can be entered"
        ground: Any = "solid" if piece.blocks_sight else "open" if piece.impassable else "rough"
        kind = {"solid": "terrain, height in cm", "open": "blocks movement alone", "rough": "can be entered"}[ground]
        title = f"{piece.id}: {piece.height_cm:g} cm high, {blocks}, {enters}"
        yield Shape(tuple(map(_point, piece.outline)), ground, title, kind, piece.height_cm)
    for objective in field.scene.objectives:
        yield Token(_point(objective.at), "objective", f"objective {objective.id}", "objective")


def _zone(side: Side, wide: float, deep: float) -> tuple[Point, ...]:
    zone = side.zone_cm or 0.0
    left, right = (wide - zone if side.edge == "east" else 0.0), (zone if side.edge == "west" else wide)
    low, high = (deep - zone if side.edge == "north" else 0.0), (zone if side.edge == "south" else deep)
    return (left, low), (right, low), (right, high), (left, high)


def _units(field: Battlefield, sides: tuple[str, ...]) -> Iterator[Unit]:
    taken: list[str] = []
    for index, unit in enumerate(field.scene.units):
        if not field.in_play(unit):
            continue
        taken.append(letters(unit.id, taken))
        for number, at in enumerate(unit.models):
            yield Unit(
                unit.id,
                str(field.name(unit)),
                sides.index(unit.side),
                taken[-1],
                _point(at),
                f"/units/{index}/models/{number}",
                field.profile(unit).base_cm / 2,
                # A unit's crossed boxes are the whole unit's: they are drawn once.
                lost=0 if number else unit.hp_crossed,
                activated=unit.activated,
                squad=unit.id if len(unit.models) > 1 else "",
                notes=tuple(_notes(unit)),
            )


def _notes(unit: SceneUnit) -> Iterator[str]:
    if unit.mp_crossed:
        yield f"{unit.mp_crossed} of morale crossed"
    if unit.escaping:
        yield "escaping"
    if unit.shelter_markers:
        yield "sheltered"
    yield from unit.statuses


def _add(field: Battlefield, overlay: Overlay, shown: Shown) -> None:
    answer: Any = shown.answer
    if isinstance(answer, dict):
        match shown.question:
            case "line-of-sight":
                for line in answer["lines"]:
                    _line(overlay, line)
            case "shoot":
                overlay.aim(shown, lambda _: "cover" if answer["sheltered"] else "seen")
            case "attack" | "ability" | "rescue":
                overlay.aim(shown, lambda _: "seen")
            case "moves":
                overlay.area(answer["area"], "where the movement may end", "where the movement may end")
            case "path":
                overlay.walked(answer["unit"], answer["way"])
    overlay.happened(shown.events)


def _line(overlay: Overlay, line: dict[str, Any]) -> None:
    target = line["target"]
    if line["start"] is None:
        return
    verdict: Verdict = "seen" if line["seen"] else "blocked"
    how = "seen" if line["seen"] else f"not seen: {in_the_way(line['contacts'])} in the way"
    shot = f", can be shot with {line['shot_dice']} dice" if line["shot"] else ""
    text = f"{line['shot_dice']} dice" if line["shot"] else ""
    how = f"{how}, {line['distance_cm']:.1f} cm away{shot}"
    contacts = touch_points(line["contacts"], verdict)
    overlay.sight(_point(line["start"]), _point(line["end"]), target, verdict, how, contacts, text)
