"""What can be drawn of Stargrave: the table, and what a question's answer adds to it. Lengths are inches."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import dist
from typing import Any

from arbiter.drawing import (
    NEUTRAL,
    Drawing,
    Label,
    Mark,
    Plane,
    Point,
    Shape,
    Shown,
    Template,
    Token,
    Unit,
    Verdict,
    letters,
)
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.skirmish.fields import Id
from arbiter.skirmish.overlay import Overlay, in_the_way, touch_points
from services.stargrave.battlefield import Battlefield, crews_of
from services.stargrave.checks import checked
from services.stargrave.scene import Figure, Piece, Scene

UNDRAWN = frozenset(
    {"initiative", "turn", "activation", "actions", "crew", "survival", "experience", "after-game", "battle"}
)
"""Questions that add nothing to the picture: what is between games, whose turn it is, a whole battle."""

GROUNDS = {"rough": "rough", "water": "water", "impassable": "solid", "even": "solid"}


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing | None:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be.

    There is nothing to draw of a table that only the players see.
    """
    field = checked(scene)
    if scene.is_partial:
        return None
    board = scene.board
    crews = crews_of(scene.figures)
    overlay = Overlay(_units(field, crews), _point)
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        if isinstance(shown.answer, dict):
            _add_answer(field, overlay, shown, shown.answer)
        _templates(field, overlay, shown)
        overlay.happened(shown.events)
    plane = Plane(board.width_in, board.depth_in, "in")
    return Drawing("", "", plane, (*_ground(field), *overlay.drawn()), crews, "creatures")


def _point(at: Any) -> Point:
    return float(at[0]), float(at[1])


def _ground(field: Battlefield) -> Iterator[Mark]:
    for piece in field.scene.board.pieces:
        yield _shape(piece)
    for smoke in field.scene.board.smoke:
        across = field.book.templates["smoke"].width_in
        yield Template(f"smoke {smoke.id}", "smoke", _point(smoke.at), across / 2)
    for token in field.scene.tokens:
        if token.at is not None:
            state = "unlocked" if token.unlocked else "locked"
            title = f"{token.kind} loot token {token.id}, {state}"
            yield Token(_point(token.at), "loot", title, "loot token", token.kind[0].upper())


def _shape(piece: Piece) -> Shape:
    ground: Any = "obscuring" if piece.sight == "obscures" and piece.ground != "water" else GROUNDS[piece.ground]
    kind = {"solid": "terrain, height in inches", "obscuring": "terrain that obscures"}.get(ground, f"{ground} ground")
    blocks = {"blocks": "blocks sight", "obscures": "obscures", "open": "open to sight"}[piece.sight]
    title = f"{piece.id}: {piece.height_in:g} inches high, {blocks}, cover {piece.cover}, {piece.ground}"
    return Shape(tuple(map(_point, piece.outline)), ground, title, kind, piece.height_in)


def _units(field: Battlefield, crews: tuple[Id, ...]) -> Iterator[Unit]:
    taken: list[str] = []
    for index, figure in enumerate(field.scene.figures):
        if not field.in_play(figure) or figure.at is None:
            continue
        taken.append(letters(figure.id, taken))
        yield Unit(
            figure.id,
            str(field.name(figure)),
            NEUTRAL if figure.crew is None else crews.index(figure.crew),
            taken[-1],
            _point(figure.at),
            f"/figures/{index}/at",
            field.solid(figure).radius / PER_UNIT,
            lost=field.profile(figure).health - field.health(figure),
            level=figure.elevation_in or None,
            activated=figure.activated,
            down=figure.stunned,
            notes=tuple(_notes(figure)),
            by_rules=figure.crew is None,
        )


def _notes(figure: Figure) -> Iterator[str]:
    if figure.stunned:
        yield "stunned"
    if figure.wounded:
        yield "wounded"
    if figure.carries:
        yield f"carries {figure.carries}"


def _add_answer(field: Battlefield, overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    match shown.question:
        case "line-of-sight":
            for line in answer["lines"]:
                _line(overlay, line)
        case "targets":
            _targets(overlay, shown, answer)
        case "shoot":
            covered = {row["target"]: _covered(row["modifiers"]) for row in answer["attacks"]}
            overlay.aim(shown, lambda id_: covered.get(id_, "seen"))
        case "attack":
            opponent = answer["opponent"]
            overlay.line(shown.case.fighter, opponent, "seen", f"in combat with {overlay.name(opponent)}", text="")
        case "behaviour":
            for deed in answer["deeds"]:
                if deed["kind"] in ("shoot", "fight") and deed["target"]:
                    title = f"{overlay.name(answer['creature'])}: {deed['kind']} {overlay.name(deed['target'])}"
                    overlay.line(answer["creature"], deed["target"], "seen", title)
        case "moves":
            overlay.area(answer["area"], "where the move may end", "where the move may end")
        case "path":
            overlay.way(map(_point, answer["way"]), f"the way of {overlay.name(answer['figure'])}")
        case "loot":
            token = field.token(shown.case.token)
            if token.at is not None:
                overlay.line(shown.case.figure, token.at, "seen", f"{token.id}, within reach", legend="within reach")
        case "power" | "heal":
            overlay.aim(shown, lambda _: "seen")


def _line(overlay: Overlay, line: dict[str, Any]) -> None:
    counts = any(met["counts"] for met in line["contacts"])
    verdict: Verdict = "blocked" if not line["seen"] else "cover" if counts else "seen"
    whom = line["target"] or line["at"]
    text = f"{min(line['visible'], 0.99):.0%}" if 0 < line["visible"] < 1 else ""
    contacts = touch_points(line["contacts"], verdict)
    how = f"{_how(line)}, {line['distance_in']:.1f} inches away"
    legend = "seen, harder to hit" if verdict == "cover" else ""
    overlay.sight(_point(line["eye"]), _point(line["end"]), whom, verdict, how, contacts, text, legend)


def _how(line: dict[str, Any]) -> str:
    """Say how a target is seen, and why no better."""
    if not line["seen"]:
        return f"not seen: {in_the_way(line['contacts'])} in the way"
    between = [met for met in line["contacts"] if met["id"] in line["intervening"]]
    parts = ["seen"]
    if 0 < line["visible"] < 1:
        parts.append(f"{min(line['visible'], 0.99):.0%} of it")
    if line["cover"] != "none":
        parts.append(f"in {line['cover']} cover")
    if between:
        parts.append(f"past {in_the_way(between)}")
    return ", ".join(parts)


def _targets(overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    drawn = set()
    for weapon in answer["weapons"]:
        for row in weapon["eligible"]:
            if row["target"] not in drawn:
                drawn.add(row["target"])
                title = f"{overlay.name(row['target'])}: {weapon['name']} hits with {row['hits']}"
                percent = f"{float(Fraction(row['hits'])):.0%}"
                overlay.line(shown.case.shooter, row["target"], _covered(row["modifiers"]), title, text=percent)


def _covered(modifiers: list[Mapping[str, Any]]) -> Verdict:
    return "cover" if any("cover" in row["id"] or row["id"] == "obscured" for row in modifiers) else "seen"


def _templates(field: Battlefield, overlay: Overlay, shown: Shown) -> None:
    """Draw what is laid on the table: where a grenade was aimed at and where it fell, and the cone of a flame."""
    if shown.question == "grenade":
        kind, aimed = shown.case.kind, _point(shown.case.at)
        landed = [event["values"] for event in shown.events if event["name"] == "grenade"]
        across = 2 * landed[-1]["radius_in"] if landed else field.book.templates[kind].width_in
        fell = [_point(values["at"]) for values in landed]
        at = fell[-1] if fell else aimed
        thrower = overlay.at(shown.case.thrower)
        overlay.way([*([thrower] if thrower else []), aimed, *fell], "the throw", "throw")
        overlay.marks.append(Template(f"{kind} grenade, {across:g} inches across", f"{kind} grenade", at, across / 2))
    elif shown.question == "flame" and shown.case.towards is not None:
        weapon = field.book.weapons[shown.case.weapon]
        template = field.book.templates[weapon.template or "flame"]
        start, end = overlay.at(shown.case.shooter), _point(shown.case.towards)
        if start is not None and start != end:
            outline = _cone(start, end, template.length_in or 0, template.width_in)
            overlay.marks.append(Template(f"{weapon.name}: {template.id}", "flame template", outline=outline))
    elif shown.question == "flame":
        touched = (overlay.at(id_) for id_ in shown.case.touched or ())
        overlay.marks += [Label(place, "touched by the flame") for place in touched if place is not None]


def _cone(start: Point, end: Point, length: float, wide: float) -> tuple[Point, ...]:
    dx, dy = ((b - a) / dist(start, end) for a, b in zip(start, end, strict=True))
    tip = start[0] + dx * length, start[1] + dy * length
    half = wide / 2
    return start, (tip[0] - dy * half, tip[1] + dx * half), (tip[0] + dy * half, tip[1] - dx * half)
