"""What can be drawn of Size Skirmish: the battlefield, and what a question's answer adds to it.

Lengths are in the scene's unit.
"""

from collections.abc import Iterator
from math import atan2, degrees
from typing import Any

from arbiter.drawing import NEUTRAL, Drawing, Edge, Mark, Plane, Shape, Shown, Token, Unit, Verdict, letters
from arbiter.geometry.plane.shapes import floats
from arbiter.skirmish.overlay import Overlay, in_the_way, reasons, touch_points
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked
from services.size_skirmish.scene import NPC, Model, Scene

UNDRAWN = frozenset({"actions", "reactions", "initiative", "turn", "round-end", "ending", "battle"})
"""Questions that add nothing to the picture: phases, markers, whose turn it is, and a whole battle."""


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing | None:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be.

    There is nothing to draw of a table that only the players see.
    """
    field = checked(scene)
    if scene.is_partial:
        return None
    sides = tuple(side.id for side in scene.sides)
    overlay = Overlay(_units(field, sides), floats)
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        _add(field, overlay, shown)
    inches = scene.unit == "inches"
    unit, step, grid = ("in", 0.5, 6.0) if inches else ("cm", 1.0, 15.0)
    plane = Plane(scene.board.width, scene.board.depth, unit, step, grid)
    return Drawing("", "", plane, (*_ground(field), *overlay.drawn()), sides, "NPCs")


def _ground(field: Battlefield) -> Iterator[Mark]:
    unit = field.scene.unit
    for piece in field.scene.board.pieces:
        blocks = "blocks sight" if piece.blocks_sight else "does not block sight"
        enters = "climbable" if piece.climbable else "impassable" if piece.impassable else "can be entered"
        ground: Any = "solid" if piece.blocks_sight else "open" if piece.impassable else "rough"
        kind = {"solid": f"terrain, height in {unit}", "open": "blocks movement alone", "rough": "can be entered"}
        title = f"{piece.id}: {piece.height:g} {unit} high, {blocks}, {enters}"
        yield Shape(tuple(map(floats, piece.outline)), ground, title, kind[ground], piece.height)
    for item in field.scene.items:
        yield Token(floats(item.at), "item", f"item {item.id}", "item")
    for melee in field.scene.melees:
        one, other = field.by_id[melee.one].at, field.by_id[melee.other].at
        if one is not None and other is not None:
            title = f"{melee.one} and {melee.other} are in melee"
            yield Edge(floats(one), floats(other), "cover", title, "in melee")


def _units(field: Battlefield, sides: tuple[str, ...]) -> Iterator[Unit]:
    taken: list[str] = []
    for index, model in enumerate(field.scene.models):
        if not field.in_play(model) or model.at is None:
            continue
        taken.append(letters(model.id, taken))
        east, north = model.facing
        yield Unit(
            model.id,
            str(field.name(model)),
            NEUTRAL if model.side == NPC else sides.index(model.side),
            taken[-1],
            floats(model.at),
            f"/models/{index}/at",
            field.build(model).base / 2,
            facing=degrees(atan2(north, east)),
            lost=model.hit_points_lost,
            level=model.height_above or None,
            activated=model.acted,
            notes=tuple(_notes(model)),
        )


def _notes(model: Model) -> Iterator[str]:
    if model.reacted:
        yield "has reacted"
    if model.fleeing is not None:
        yield "fleeing"
    yield from model.statuses


def _add(field: Battlefield, overlay: Overlay, shown: Shown) -> None:
    answer: Any = shown.answer
    if isinstance(answer, dict):
        match shown.question:
            case "line-of-sight":
                for line in answer["lines"]:
                    _line(overlay, field.scene.unit, line)
            case "targets":
                for row in answer["targets"]:
                    verdict: Verdict = "seen" if row["open"] else "blocked"
                    odds = f"{row['dice']} dice" if row["open"] else ""
                    why = reasons(row["why_not"]) or f"{row['dice']} dice, {row['to_hit']} to hit"
                    overlay.line(
                        shown.case.model,
                        row["target"],
                        verdict,
                        f"{overlay.name(row['target'])}: {why}",
                        text=odds,
                        legend="a target" if row["open"] else "no target",
                    )
            case "attack" | "shoot" | "push":
                overlay.aim(shown, lambda _: "seen")
            case "moves":
                overlay.area(answer["area"], "where the movement may end", "where the movement may end")
                if answer.get("ends"):
                    start = overlay.at(answer["model"])
                    overlay.way([*([start] if start else []), floats(answer["ends"])], "where it ends")
        if course := answer.get("course"):
            for row in (course["action"], *course["reactions"]):
                if len(row["way"]) > 1:
                    overlay.walked(row["model"], row["way"])
    overlay.happened(shown.events)


def _line(overlay: Overlay, unit: str, line: dict[str, Any]) -> None:
    target = line["target"]
    verdict: Verdict = "seen" if line["seen"] else "blocked"
    why = [] if line["ahead"] else ["it is not in front"]
    why += [] if line["free"] else [f"{in_the_way(line['contacts'])} in the way"]
    how = "seen" if line["seen"] else f"not seen: {' and '.join(why)}"
    contacts = touch_points(line["contacts"], verdict)
    text = "" if line["ahead"] else "not in front"
    how = f"{how}, {line['distance']:.1f} {unit} away"
    overlay.sight(floats(line["start"]), floats(line["end"]), target, verdict, how, contacts, text)
