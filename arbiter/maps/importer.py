"""Maps drawn for virtual tabletops become terrain: bytes in, walls and doors as polygons in thousandths out.

Universal VTT files and exported scenes of Foundry VTT are read; the game decides what the terrain means. The picture of
a map is skipped, byte by byte, and never stored. Everything is limited: the file, the size of the map, and the number
of its walls and points.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from arbiter.fault import Fault, Faults
from arbiter.geometry.plane.shapes import Point
from arbiter.geometry.plane.walls import Outline, lies, ribbons, shape
from arbiter.maps.drawing import Door, Drawn, Line, MapNote, MapScale
from arbiter.maps.foundry import MEMBERS as OF_FOUNDRY
from arbiter.maps.foundry import read_foundry
from arbiter.maps.uvtt import MEMBERS as OF_UVTT
from arbiter.maps.uvtt import read_uvtt
from arbiter.value import Value

__all__ = [
    "MOST_BYTES",
    "MOST_BYTES_OF_A_MEMBER",
    "ImportedMap",
    "ImportedPortal",
    "ImportedWall",
    "MapNote",
    "MapScale",
    "read_map",
]

MOST_BYTES = 64 * 2**20
"""The greatest size of a file: a picture of some ten million pixels fits."""

MOST_BYTES_OF_A_MEMBER = 4 * 2**20
"""The greatest size of each member that is read; the picture is not read."""

_File = msgspec.defstruct(
    "_File", [(name, msgspec.Raw, msgspec.Raw()) for name in dict.fromkeys((*OF_UVTT, *OF_FOUNDRY))], frozen=True
)


class ImportedWall(Value, frozen=True):
    """A piece of a wall, or a closed object: its outline, and whether it stops lines of sight and those who move."""

    outline: tuple[Point, ...]
    closed: bool = False
    stops_sight: bool = True
    stops_movement: bool = True


class ImportedPortal(Value, frozen=True):
    """A door or an opening: its outline; an open one stops nothing."""

    outline: tuple[Point, ...]
    closed: bool


class ImportedMap(Value, frozen=True):
    """A map in thousandths, measured from its first corner: its size, its walls and portals, and what was changed."""

    width: int
    depth: int
    walls: tuple[ImportedWall, ...] = ()
    portals: tuple[ImportedPortal, ...] = ()
    warnings: tuple[MapNote, ...] = ()


def read_map(body: bytes, scale: MapScale | None = None) -> ImportedMap:
    """Read a map file of either format; raises `Faults` with every fault."""
    scale = scale or MapScale()
    document = _decode(body)
    if "resolution" in document:
        return _build_map(read_uvtt(document, scale), scale)
    if "walls" in document:
        return _build_map(read_foundry(document, scale), scale)
    raise Faults(
        [
            Fault(
                "",
                "unknown-map",
                "this is neither a Universal VTT map nor a scene of Foundry VTT",
                expected="an object with the member `resolution`, or with the member `walls`",
            )
        ]
    )


def _decode(body: bytes) -> dict[str, Any]:
    """Give the members that are read; the others are skipped without being built."""
    if len(body) > MOST_BYTES:
        raise Faults(
            [
                Fault(
                    "",
                    "too-large",
                    "the file is too large",
                    len(body),
                    f"at most {MOST_BYTES} bytes",
                    "leave out the member `image`, which is not looked at",
                )
            ]
        )
    found: dict[str, Any] = {}
    faults = []
    for name, raw in msgspec.structs.asdict(_parse(body, _File, "")).items():
        if not raw:
            continue
        if len(raw) > MOST_BYTES_OF_A_MEMBER:
            faults.append(
                Fault(
                    f"/{name}",
                    "too-large",
                    f"the member {name} is too large",
                    len(raw),
                    f"at most {MOST_BYTES_OF_A_MEMBER} bytes",
                    "import a part of the map at a time",
                )
            )
            continue
        value = _parse(raw, Any, f"/{name}")
        if value is not None:
            found[name] = value
    if faults:
        raise Faults(faults)
    return found


def _parse(body: bytes | msgspec.Raw, wanted: Any, at: str) -> Any:
    try:
        return msgspec.json.decode(body, type=wanted)
    except msgspec.ValidationError:
        # A file must be an object, and the numbers of a member must be bounded.
        code, message = ("number-out-of-bounds", "a number is out of bounds") if at else ("not-a-map", "no JSON object")
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        code, message = "not-json", f"this is no JSON: {wrong}"
    except RecursionError:
        code, message = "too-deep", "lists or objects are nested too deep"
    raise Faults([Fault(at, code, message, expected="a map file in JSON")])


def _build_map(drawn: Drawn, scale: MapScale) -> ImportedMap:
    """Give lines their thickness, and leave out those outside."""
    size = (drawn.width, drawn.depth)
    counts = dict.fromkeys(NOTES, 0)
    lines = []
    for line in drawn.lines:
        if _is_on_map(line, size, counts):
            lines.append(line)
    portals = tuple(
        ImportedPortal(outline, door.closed)
        for door in drawn.doors
        if _is_on_map(door, size, counts)
        # Doors overlap the walls next to them.
        for outline in ribbons(door.points, scale.thickness, size, (True, True))
    )
    closed: list[Outline] = []
    for corners in drawn.shapes:
        around = (*corners, corners[0])
        outlines = shape(corners, size)
        if outlines is None:
            counts["not-simple"] += 1
            lines += [Line(around)] * _is_on_map(Line(around), size, counts)
            continue
        place = lies(around, size)
        counts["outside"] += not outlines
        counts["cut"] += place != "inside" and bool(outlines)
        closed += outlines
    chains = chain(lines)
    ends = Counter(end for line in chains for end in (line.points[0], line.points[-1]))
    walls = tuple(
        ImportedWall(outline, False, line.sight, line.move)
        for line in chains
        for joined in [(ends[line.points[0]] > 1, ends[line.points[-1]] > 1)]
        for outline in ribbons(line.points, scale.thickness, size, joined)
    )
    notes = tuple(MapNote(code, NOTES[code], count) for code, count in counts.items() if count)
    return ImportedMap(
        *size, (*walls, *(ImportedWall(outline, True) for outline in closed)), portals, (*drawn.notes, *notes)
    )


def chain(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Join lines of the same kind where the ends of two of them, and of no third, meet; in the order of the first."""
    every = list(lines)
    at: defaultdict[tuple[bool, bool, Point], list[int]] = defaultdict(list)
    for index, line in enumerate(every):
        for end in (line.points[0], line.points[-1]):
            at[line.sight, line.move, end].append(index)
    used: set[int] = set()

    def grown(points: list[Point], line: Line) -> list[Point]:
        while len(ends := at[line.sight, line.move, points[-1]]) == 2:
            follows = next((index for index in ends if index not in used), None)
            if follows is None:
                break
            used.add(follows)
            more = every[follows].points
            points += more[1:] if more[0] == points[-1] else more[-2::-1]
        return points

    found = []
    for index, line in enumerate(every):
        if index in used:
            continue
        used.add(index)
        forth = grown(list(line.points), line)
        found.append(Line(tuple(grown(forth[::-1], line)[::-1]), line.sight, line.move))
    return tuple(found)


NOTES = {
    "no-length": "walls without a length are left out",
    "outside": "what lies outside the map is left out",
    "cut": "what reaches over the edge of the map is cut off there",
    "not-simple": "objects whose outline meets itself or has too many corners became walls along it",
}


def _is_on_map(line: Line | Door, size: tuple[int, int], counts: dict[str, int]) -> bool:
    """Decide whether a line is on the map at all, and count it if it is not, or only partly."""
    if len(set(line.points)) < 2:
        counts["no-length"] += 1
        return False
    place = lies(line.points, size)
    counts["outside"] += place == "outside"
    counts["cut"] += place == "across"
    return place != "outside"
