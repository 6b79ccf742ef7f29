"""What can be drawn of Blackstone Fortress: the battlefield, and what a question's answer adds to it.

Every board is drawn with the tops that it has. What a discovery marker hides is not drawn, nor any deck.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from arbiter.caching import held_by_first
from arbiter.drawing import Contact, Drawing, Edge, Mark, Point, Shape, Shown, Token, Unit, Verdict, letters
from arbiter.geometry.hex import coordinates as hexes
from arbiter.skirmish.cells import CellBoard, pair
from arbiter.skirmish.overlay import CROWDED, Overlay, spread
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import checked
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Explorer, Hex, Hostile, Scene

SIDES = ("explorers", "hostiles")

UNDRAWN = frozenset(
    {
        "destiny",
        "initiative",
        "turn",
        "gambit",
        "actions",
        "end-activation",
        "save-overwatch",
        "stand-up",
        "inspiration",
        "battle",
    }
)
"""Questions that add nothing to the picture: dice, cards, points, whose turn it is, and a whole battle."""

_CONTACTS = {"wall": "blocks", "obstruction": "blocks", "edge": "blocks", "cover": "cover"}


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing | None:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be.

    There is nothing to draw of a table that only the players see.
    """
    field = checked(scene)
    if scene.is_partial or not scene.board.hexes:
        return None
    board = _Board(field)
    overlay = Overlay(board.units(), board.cells.centre)
    if shown is not None:
        overlay.about(shown)
        if shown.question not in UNDRAWN:
            if isinstance(shown.answer, dict):
                _add_answer(board, overlay, shown, shown.answer)
            overlay.happened(shown.events)
    return Drawing(
        "", "", board.cells.cells, (*board.ground(), *overlay.drawn()), SIDES if field.units else (), "nobody's"
    )


@held_by_first(1)
def _cells(ground: Ground, flat: bool) -> CellBoard:
    every = sorted(ground.hexes, key=lambda hex_: (hex_[1], hex_[0]))
    return CellBoard("flat" if flat else "pointy", every, ground.axial)


class _Board:
    """The battlefield with the cells in which it is drawn."""

    def __init__(self, field: Battlefield) -> None:
        self.field = field
        self.cells = _cells(field.ground, field.scene.board.top == "flat")

    def point(self, axial: Iterable[str]) -> Point:
        """Give a point in exact axial units."""
        q, r = (float(Fraction(part)) for part in axial)
        return self.cells.point(q, r)

    def ends(self, a: Hex, b: Hex) -> tuple[Point, Point]:
        """Give the ends of the hexside between two hexes."""
        axial = self.field.ground.axial
        one, other = hexes.side_ends((axial(a), axial(b)))
        return self.cells.point(one[0] / 3, one[1] / 3), self.cells.point(other[0] / 3, other[1] / 3)

    def ground(self) -> Iterator[Mark]:
        """Give obstructions, walls, cover, portals, the escape chamber and discovery markers."""
        board = self.field.scene.board
        for hex_ in board.obstructions:
            yield Shape(self.cells.outline(hex_), "column", f"obstruction in {hex_[0]},{hex_[1]}", "obstruction")
        if board.escape_chamber is not None:
            for hex_ in board.escape_chamber.hexes:
                yield Shape(self.cells.outline(hex_), "chamber", "the escape chamber", "escape chamber")
        for a, b in board.walls:
            yield Edge(*self.ends(a, b), "wall", f"wall between {pair(a)} and {pair(b)}", "wall")
        for a, b in board.cover:
            yield Edge(*self.ends(a, b), "cover", f"cover between {pair(a)} and {pair(b)}", "cover hexside")
        rim = hexes.rim(self.field.ground.axial(hex_) for hex_ in board.hexes)
        for portal in board.portals:
            for hex_ in portal.beside:
                axial = self.field.ground.axial(hex_)
                for k, side in enumerate(hexes.sides_of(axial)):
                    if side in rim:
                        one, other = hexes.corner(axial, k - 1), hexes.corner(axial, k)
                        ends = [self.cells.point(x / 3, y / 3) for x, y in (one, other)]
                        yield Edge(ends[0], ends[1], "portal", f"portal {portal.id}", "portal")
        for marker in self.field.scene.discoveries:
            x, y = self.cells.centre(marker.hex)
            title = f"discovery marker {marker.number} ({marker.id})"
            yield Token((x, y + 0.34), "objective", title, "discovery marker", str(marker.number))

    def units(self) -> Iterator[Unit]:
        """Give the explorers and hostiles on the battlefield; several in one hex stand beside each other."""
        field, taken = self.field, list[str]()
        rows: list[tuple[str, int, Explorer | Hostile]] = [
            *(("explorers", index, unit) for index, unit in enumerate(field.scene.explorers)),
            *(("hostiles", index, unit) for index, unit in enumerate(field.scene.hostiles)),
        ]
        for name, index, unit in rows:
            if unit.hex is None or unit.id not in field.standing.get(unit.hex, ()):
                continue
            together = field.standing[unit.hex]
            taken.append(letters(unit.id, taken))
            yield Unit(
                unit.id,
                str(field.name(unit)),
                SIDES.index(name),
                taken[-1],
                spread(self.cells.centre(unit.hex), together.index(unit.id), len(together)),
                f"/{name}/{index}/hex",
                radius=None if len(together) == 1 else CROWDED,
                lost=unit.wounds + unit.grievous,
                activated=unit.activated,
                down=unit.stunned,
                notes=tuple(_notes(unit)),
                by_rules=name == "hostiles",
            )


def _notes(unit: Explorer | Hostile) -> Iterator[str]:
    if unit.grievous:
        yield f"{unit.grievous} grievous"
    if unit.stunned:
        yield "stunned"
    if isinstance(unit, Explorer) and unit.inspired:
        yield "inspired"
    if isinstance(unit, Hostile) and unit.empowered:
        yield "empowered"


def _add_answer(board: _Board, overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    match shown.question:
        case "line-of-sight":
            _lines(board, overlay, shown, answer)
        case "targets":
            _targets(overlay, shown, answer)
        case "attack" | "overwatch" | "behaviour" | "act":
            _attacks(overlay, answer)
        case "moves" | "hostile-move":
            _reach(board, overlay, answer["ends"], "where the move may end")
            if answer.get("towards"):
                overlay.marks.append(
                    Token(board.cells.centre(answer["towards"]), "objective", "towards here", "towards")
                )
        case "threat-map":
            _reach(board, overlay, answer["rows"], "where it can be")
        case "routes":
            start = overlay.at(getattr(shown.case, "unit", None))
            ways = [hex_ for leg in answer["legs"] for hex_ in leg["way"]]
            overlay.way([*([start] if start else []), *map(board.cells.centre, ways)], "the route", "route")
        case "deployment" | "setup" | "reinforcements" | "hostile-activation":
            _placed(board, overlay, answer)


def _lines(board: _Board, overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    for line in answer["lines"]:
        verdict: Verdict = "blocked" if not line["visible"] else "cover" if line["in_cover"] else "seen"
        contacts = [
            Contact(board.point(met["at"][0]), _contact(met, verdict), _met(met)) for met in line["contacts"] or ()
        ]
        whom = line["target"] or line["hex"]
        how = {"blocked": "not seen", "cover": "seen, in cover", "seen": "seen"}[verdict]
        why = dict.fromkeys(_what(met) for met in line["contacts"] or () if met["counts"] and verdict != "seen")
        behind = f": {', '.join(why)}" if why else ""
        overlay.sight(shown.case.observer, whom, whom, verdict, f"{how}{behind}, at range {line['range']}", contacts)


def _contact(met: dict[str, Any], verdict: Verdict) -> Any:
    if verdict == "blocked":
        return "blocks" if met["counts"] else "touched"
    return _CONTACTS[met["kind"]] if met["counts"] else "touched"


def _what(met: dict[str, Any]) -> str:
    a, b = met["side"]
    return f"{met['kind']} between {pair(a)} and {pair(b)}"


def _met(met: dict[str, Any]) -> str:
    counts = "" if met["counts"] else ", which does not count"
    return f"{_what(met)}: {met['how']}{counts}"


def _targets(overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    best: dict[str, dict[str, Any]] = {}
    for weapon in answer["weapons"]:
        for row in weapon["eligible"]:
            best.setdefault(row["target"], {**row, "weapon": weapon["name"]})
    for target, row in best.items():
        verdict: Verdict = "cover" if row["in_cover"] else "seen"
        title = f"{overlay.name(target)}: range {row['range']}, {row['weapon']}"
        overlay.line(shown.case.attacker, target, verdict, title)


def _attacks(overlay: Overlay, answer: dict[str, Any]) -> None:
    rows = [*answer.get("attacks", ()), *(row for each in answer.get("reactions", ()) for row in each["attacks"])]
    drawn = set()
    for row in rows:
        if not isinstance(row, dict) or (row["attacker"], row["target"]) in drawn:
            continue
        drawn.add((row["attacker"], row["target"]))
        verdict: Verdict = "cover" if row["in_cover"] else "seen"
        title = f"{overlay.name(row['attacker'])} attacks {overlay.name(row['target'])}, at range {row['range']}"
        overlay.ask(row["attacker"])
        overlay.line(row["attacker"], row["target"], verdict, title)


def _reach(board: _Board, overlay: Overlay, rows: list[dict[str, Any]], legend: str) -> None:
    for row in rows:
        hex_ = row["hex"]
        steps = row.get("activations", len(row.get("way", ())))
        title = f"{pair(hex_)}: {legend}"
        text = str(steps) if steps else ""
        overlay.marks.append(board.cells.reached(hex_, steps, title, legend, text))


def _placed(board: _Board, overlay: Overlay, answer: dict[str, Any]) -> None:
    for member in ("placed", "hostiles", "explorers", "returned"):
        given = answer.get(member)
        rows = given if isinstance(given, list) else []
        for row in rows:
            if row["hex"] is None:
                continue
            together = [other for other in rows if other["hex"] == row["hex"]]
            at = spread(board.cells.centre(row["hex"]), together.index(row), len(together))
            overlay.marks.append(Token(at, "item", f"{row['unit']} is placed here", "placed here", row["unit"][-1]))
