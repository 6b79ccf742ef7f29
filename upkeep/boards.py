"""The boards on which a new game may begin: hexes as the template has them, squares, or an open table.

`upkeep/grids/<folder>/` holds what a board has of its own: files that take the place of the template's, in the
template's words, or in those of the board. Then the words of the one are put for those of the other.
"""

from pathlib import Path

from arbiter.value import Value

HOME = Path(__file__).parent / "grids"

Words = tuple[tuple[str, str], ...]


class Grid(Value, frozen=True):
    """A kind of board: the folders whose files are copied over the template's, and its words for the template's."""

    folders: tuple[str, ...] = ()
    words: Words = ()


SQUARES: Words = (
    ("a hexagon of hexes, axial coordinates", "a rectangle of squares, (0, 0) in a corner"),
    ("a hexagon of hexes", "a rectangle of squares"),
    ('"radius_hexes": 8', '"columns": 9, "rows": 9'),
    ("HEXES", "SQUARES"),
    ("Hexes", "Squares"),
    ("hexes", "squares"),
    ("Hex", "Square"),
    ("hex_", "square"),
    ("hex", "square"),
)

INCHES: Words = (
    ("a hexagon of hexes, axial coordinates", "a table in inches, (0, 0) in a corner"),
    ("The board is a hexagon of hexes", "The table is a rectangle"),
    ("on a board of hexes", "on a table"),
    ("from hex to neighbouring hex, up to as many as its speed", "up to as many inches as its speed"),
    ("Hexes with a rock or a fighter can be neither entered nor crossed", "Nobody moves through rocks or fighters"),
    ("in a hex of its own without a rock", "clear of rocks and of all others"),
    ("counted in hexes as the crow flies", "measured in inches from middle to middle"),
    ("in a neighbouring hex", "in base contact"),
    ("n the next hex", "n base contact"),
    ("Beyond the next hex", "Out of base contact"),
    ("Lengths are counted in hexes", "Lengths are inches"),
    ("lengths are hexes", "lengths are inches"),
    ("as many hexes as its speed", "as many inches as its speed"),
    ("which hexes nobody may enter or cross: those with a rock or a fighter in them", "what nobody may move through"),
    ("hexes closed by rocks and fighters", "rocks and fighters that nobody moves through"),
    ("further than 2 hexes", "further than 2 inches"),
    ("speed_hexes", "speed_in"),
    ("range_hexes", "range_in"),
    ('"radius_hexes": 8', '"width_in": 10, "depth_in": 10'),
    ("    return hex_\n", "    x, y = place\n    return Rock(((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)))\n"),
    ("replace(fighter, hex=", "replace(fighter, at="),
    (".hex", ".at"),
    ('"hex"', '"at"'),
    ("`hex`", "`at`"),
    ("/hex", "/at"),
    ("hex: Hex", "at: Place"),
    ("hex: [", "at: ["),
    ("HEXES", "PLACES"),
    ("Hexes", "Places"),
    ("hexes", "places"),
    ("Hex", "Place"),
    ("hex_", "place"),
    ("hex", "place"),
)

GRIDS = {
    "hex": Grid(),
    "square-4": Grid(("square", "square-4"), SQUARES),
    "square-8": Grid(("square", "square-8"), (*SQUARES, ("SQUARE_4", "SQUARE_8"))),
    "plane": Grid(("square", "plane"), INCHES),
}
"""Every kind of board by the name that `make new-game GRID=…` takes."""
