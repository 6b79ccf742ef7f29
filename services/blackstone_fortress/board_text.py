"""The board in text: a small drawing of the battlefield for a terminal."""

from services.blackstone_fortress.battlefield import Battlefield, prepare
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Hex, Scene

_CELL = 4
"""Characters from one hex to the next in a row; rows are shifted by half of it."""


def draw(scene: Scene) -> str:
    """Draw a scene: hexes as dots, walls as strokes, cover as colons, and who and what stands where, with a legend.

    Every board is drawn with pointy tops. `##` is an obstruction, `*n` a discovery marker, `o` the escape chamber;
    the third character of a cell is `+` where more than one miniature stands.
    """
    if not scene.board.hexes:
        return "There is no board."
    field = prepare(scene)
    ground = field.ground
    marks = _marks(field)
    places = {hex_: _place(ground, hex_) for hex_ in scene.board.hexes}
    left, top = min(x for x, _ in places.values()), min(y for _, y in places.values())
    width = max(x for x, _ in places.values()) - left + _CELL + 1
    height = max(y for _, y in places.values()) - top + 2
    sheet = [[" "] * (width + 1) for _ in range(height)]
    for hex_, (x, y) in places.items():
        for offset, letter in enumerate(_cell(field, hex_, marks)):
            sheet[y - top][x - left + 1 + offset] = letter
    for kind, stroke in (("cover", "::::"), ("walls", "||\\/")):
        for a, b in getattr(scene.board, kind):
            _side(sheet, ground, (left, top), a, b, stroke)
    lines = ["".join(row).rstrip() for row in sheet]
    legend = [f"{mark:3} {field.name(id_)}" for id_, mark in marks.items()]
    return "\n".join([*lines, *legend])


def _place(ground: Ground, hex_: Hex) -> tuple[int, int]:
    q, r = ground.axial(hex_)
    return q * _CELL + r * _CELL // 2, 2 * r


def _side(sheet: list[list[str]], ground: Ground, origin: Hex, a: Hex, b: Hex, stroke: str) -> None:
    """Draw the hexside between two hexes: upright beside a cell, or slanted between two rows."""
    (ax, ay), (bx, by) = sorted((_place(ground, a), _place(ground, b)), key=lambda place: (place[1], place[0]))
    if ay == by:
        x, y, letter = max(ax, bx), ay, stroke[0]
    elif bx > ax:
        x, y, letter = ax + 3, ay + 1, stroke[3]
    else:
        x, y, letter = ax + 1, ay + 1, stroke[2]
    column, row = x - origin[0], y - origin[1]
    if 0 <= row < len(sheet) and 0 <= column < len(sheet[row]):
        sheet[row][column] = letter


def _cell(field: Battlefield, hex_: Hex, marks: dict[str, str]) -> str:
    units = field.at(hex_)
    if units:
        return marks[units[0].id] + ("+" if len(units) > 1 else "")
    marker = next((marker for marker in field.scene.discoveries if marker.hex == hex_), None)
    if marker is not None:
        return f"*{marker.number}"
    if hex_ in field.ground.obstructions:
        return "##"
    chamber = field.scene.board.escape_chamber
    return "o" if chamber is not None and hex_ in chamber.hexes else "."


def _marks(field: Battlefield) -> dict[str, str]:
    """Give every miniature two characters: capitals for explorers, a small letter and a number for hostiles.

    The number is the one in which the id ends, if it has one; what is taken already is counted on from.
    """
    marks: dict[str, str] = {}
    for explorer in field.explorers:
        marks[explorer.id] = _free(marks, explorer.id[:2].upper(), explorer.id[0].upper())
    for hostile in field.hostiles:
        letter = hostile.id[0].lower()
        marks[hostile.id] = _free(marks, letter + hostile.id[-1], letter)
    return marks


def _free(marks: dict[str, str], wanted: str, letter: str) -> str:
    used = set(marks.values())
    others = (letter + count for count in "123456789abcdefghijklmnopqrstuvwxyz")
    return wanted if wanted not in used else next((mark for mark in others if mark not in used), wanted)
