"""What can be drawn of WarLeague: the battlefield, and what a question's answer adds to it.

What crates and concealed tiles hold is not drawn, nor the order of any deck.
"""

from collections.abc import Iterator
from typing import Any

from arbiter.caching import held_by_first
from arbiter.drawing import (
    Contact,
    Drawing,
    Grid,
    Label,
    Mark,
    Point,
    Shape,
    Shown,
    Template,
    Token,
    Unit,
    Verdict,
    letters,
)
from arbiter.skirmish.cells import CellBoard, pair
from arbiter.skirmish.overlay import CROWDED, Overlay, reasons, spread
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.ground import Ground
from services.warleague.scene import Scene, Tile

UNDRAWN = frozenset({"reload", "actions", "turn", "order", "victory", "battle"})
"""Questions that add nothing to the picture: rounds, ammunition, whose turn it is, and a whole battle."""

LEGENDS = {"seen": "clear line", "cover": "ballistics alone", "blocked": "no line"}

WORDS = {"seen": "in a clear line", "cover": "no clear line, but ballistics reach it", "blocked": "no clear line"}

DRAWN_AT = frozenset({"revealed", "trap-drawn", "destroyed", "rad-placed"})
"""Events of a tile, of which the name is written there."""


def drawing(scene: Scene, shown: Shown | None = None) -> Drawing | None:
    """Draw a scene, and what a question and its answer add to it; raises `Faults` for a scene that cannot be.

    There is nothing to draw of a table that only the players see.
    """
    field = checked(scene)
    if scene.is_partial:
        return None
    board = _Board(field)
    sides = tuple(side.id for side in scene.sides)
    overlay = Overlay(board.units(sides), board.cells.centre)
    if shown is not None:
        overlay.about(shown)
    if shown is not None and shown.question not in UNDRAWN:
        _add(board, overlay, shown)
    return Drawing("", "", board.cells.cells, (*board.ground(), *overlay.drawn()), sides)


@held_by_first(1)
def _cells(ground: Ground, shape: Grid) -> CellBoard:
    return CellBoard(shape, ground.in_order, ground.inner)


class _Board:
    """The battlefield with the cells in which it is drawn."""

    def __init__(self, field: Battlefield) -> None:
        self.field = field
        posted = field.scene.board
        self.is_flat = posted.grid == "hex" and posted.coordinates in ("odd-q", "even-q")
        self.cells = _cells(field.ground, "square" if posted.grid != "hex" else "flat" if self.is_flat else "pointy")

    def ground(self) -> Iterator[Mark]:
        """Give what the board is made of, and what stands and lies about."""
        scene, field = self.field.scene, self.field
        for tile in scene.board.difficult:
            if tile in field.ground.tiles:
                yield Shape(self.cells.outline(tile), "rough", f"difficult tile {pair(tile)}", "difficult")
        for killing in scene.board.killing:
            if killing.at in field.ground.tiles:
                ground: Any = "hole" if killing.kind == "hole" else "deadly"
                title = f"{killing.kind} on {pair(killing.at)}, which kills"
                yield Shape(self.cells.outline(killing.at), ground, title, killing.kind, text=killing.kind)
        for obstacle in scene.obstacles:
            kind: Any = "wall" if obstacle.kind == "wall" else "column"
            title = f"{obstacle.kind} {obstacle.id} on {pair(obstacle.at)}"
            yield Shape(
                self.cells.outline(obstacle.at), kind, title, "obstacle" if obstacle.kind == "other" else obstacle.kind
            )
        for hidden in scene.concealed:
            yield Token(self.cells.centre(hidden.at), "unknown", f"concealed tile {pair(hidden.at)}", "concealed", "?")
        for crate in scene.crates:
            yield Token(self.cells.centre(crate.at), "crate", f"crate on {pair(crate.at)}", "crate")
        for trap in scene.traps:
            yield Token(self.cells.centre(trap.at), "warning", f"{trap.trap}, open on {pair(trap.at)}", "trap", "!")
        for item in scene.items:
            yield Token(self.cells.centre(item.at), "item", f"{item.item} lies on {pair(item.at)}", "item")
        for rad in scene.rads:
            x, y = self.cells.centre(rad.at)
            yield Token((x, y + 0.27), "objective", f"Rad {rad.number} on {pair(rad.at)}", "Rad", str(rad.number))

    def units(self, sides: tuple[str, ...]) -> Iterator[Unit]:
        """Give the units in play; several on one tile stand beside each other."""
        taken: list[str] = []
        for index, unit in enumerate(self.field.scene.units):
            if not self.field.in_play(unit) or unit.at is None:
                continue
            together = [other.id for other in self.field.on(unit.at)]
            taken.append(letters(unit.id, taken))
            notes = {"on overwatch": unit.overwatch, "downed": unit.downed}
            yield Unit(
                unit.id,
                str(self.field.name(unit)),
                sides.index(unit.side),
                taken[-1],
                spread(self.cells.centre(unit.at), together.index(unit.id), len(together)),
                f"/units/{index}/at",
                radius=None if len(together) == 1 else CROWDED,
                facing=None if unit.facing is None or not self.field.scene.board.facing else self.angle(unit.facing),
                lost=unit.health_lost + unit.armor_lost,
                activated=unit.acted,
                down=unit.downed,
                notes=tuple(note for note, holds in notes.items() if holds),
                by_rules=self.field.profile(unit).role == "npc",
            )

    def angle(self, facing: int) -> float:
        """Give a direction in degrees, counter-clockwise from the east."""
        return 360 / len(self.field.ground.directions) * facing - (30 if self.is_flat else 0)


def _add(board: _Board, overlay: Overlay, shown: Shown) -> None:
    answer: Any = shown.answer
    if isinstance(answer, dict):
        _add_answer(board, overlay, shown, answer)
    for event in shown.events:
        values = event["values"]
        if event["name"] == "exploded":
            _blast(board, overlay, values["at"], values["radius"], values["why"])
        elif event["name"] in DRAWN_AT:
            word = values.get("holds") or values.get("trap") or event["name"].replace("-", " ")
            overlay.marks.append(Label(board.cells.centre(values["at"]), str(word)))
    overlay.happened(shown.events)


def _add_answer(board: _Board, overlay: Overlay, shown: Shown, answer: dict[str, Any]) -> None:
    match shown.question:
        case "line-of-sight":
            for line in answer["lines"]:
                _line(board, overlay, shown.case.observer, line)
        case "targets":
            _targets(overlay, shown.case.attacker, answer)
        case "attack" | "ability" | "use-item":
            overlay.aim(shown, lambda _: "seen")
        case "behaviour":
            for attack in answer["attacks"]:
                title = f"{overlay.name(shown.case.unit)} attacks {overlay.name(attack['target'])}"
                overlay.line(answer["at"] or shown.case.unit, attack["target"], "seen", title)
                overlay.judge(attack["target"], "seen")
        case "moves":
            for row in answer["tiles"]:
                legend = "where the move may end"
                title = f"{pair(row['at'])}: {row['ap']} action points{', which kills' if row['kills'] else ''}"
                overlay.marks.append(board.cells.reached(row["at"], row["ap"], title, legend, str(row["ap"])))
        case "reveal":
            overlay.marks.append(Template("revealed here", "revealed", outline=board.cells.outline(shown.case.at)))


def _line(board: _Board, overlay: Overlay, observer: str, line: dict[str, Any]) -> None:
    open_by = {row["method"] for row in line["methods"] if row["open"]}
    verdict: Verdict = (
        "seen" if open_by & {"clear-line", "direct"} else "cover" if "ballistics" in open_by else "blocked"
    )
    met = next((row for row in line["methods"] if row["method"] == "clear-line"), line["methods"][0])
    contacts = [
        Contact(_middle(board, contact["tiles"]), "blocks" if contact["blocks"] else "touched", _names(contact))
        for contact in met["met"]
    ]
    there: dict[Any, str] = {unit.at: unit.id for unit in board.field.scene.units}
    there |= {obstacle.at: obstacle.kind for obstacle in board.field.scene.obstacles}
    blocking = dict.fromkeys(
        f"{there.get(tuple(tile), 'something')} on {pair(tile)}"
        for contact in met["met"]
        if contact["blocks"]
        for tile in contact["tiles"]
    )
    why = f": {', '.join(blocking)} in the way" if blocking and verdict != "seen" else ""
    how = f"{WORDS[verdict]}{why}, {line['distance']} tiles away"
    overlay.sight(observer, line["target"], line["target"], verdict, how, contacts, legend=LEGENDS[verdict])


def _middle(board: _Board, tiles: list[Tile]) -> Point:
    points = [board.cells.centre(tile) for tile in tiles]
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _names(contact: dict[str, Any]) -> str:
    return f"the line {contact['how']} {' and '.join(pair(tile) for tile in contact['tiles'])}"


def _targets(overlay: Overlay, attacker: str, answer: dict[str, Any]) -> None:
    best: dict[str, dict[str, Any]] = {}
    for weapon in answer["weapons"]:
        for row in weapon["targets"]:
            known = best.get(row["target"])
            if known is None or (row["open"] and not known["open"]):
                best[row["target"]] = row
    for target, row in best.items():
        why = reasons(row["why_not"]) or "can be attacked"
        verdict: Verdict = "seen" if row["open"] else "blocked"
        legend = "can be attacked" if row["open"] else "cannot be attacked"
        title = f"{overlay.name(target)}: {why}, {row['distance']} tiles away"
        overlay.line(attacker, target, verdict, title, legend=legend, text="flanked" if row["flanked"] else "")


def _blast(board: _Board, overlay: Overlay, at: Any, radius: int, why: str) -> None:
    for tile in board.field.ground.within((at[0], at[1]), radius, "steps"):
        overlay.marks.append(Template(f"{why}: {pair(tile)}", "explosion", outline=board.cells.outline(tile)))
