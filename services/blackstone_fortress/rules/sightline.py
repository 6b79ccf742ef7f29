"""What a line of sight meets: each wall, edge, obstruction and cover hexside, to show why the verdict is as it is.

The verdicts themselves are those of `sight`; this names what they rest on. Points are in axial units: the centre of the
axial hex (q, r) is (q, r), whatever the scheme of the board.
"""

from operator import attrgetter
from typing import Literal

from arbiter.geometry.hex.sight import Corners
from arbiter.geometry.hex.witness import Meeting
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Hex, Hexside


class Contact(Value, frozen=True):
    """One hexside that the line meets.

    `side` names it in the board's coordinates; `how`: the line crosses it, touches a corner of it, or runs along it.
    `at` is the point where, or both ends of the stretch, each an exact pair of axial coordinates ("7/3" is 2 and a
    third). `counts` says whether it blocks, or gives cover, which nothing does where the line is blocked; `exempt`,
    that it is a cover hexside of the attacker's hex.
    """

    kind: Literal["wall", "obstruction", "edge", "cover"]
    side: Hexside
    how: Literal["crosses", "corner", "along"]
    at: tuple[tuple[str, str], ...]
    counts: bool
    exempt: bool = False


_TEXTS = {
    "wall": (
        ("sight/blocked-by", "hexside/wall"),
        "the wall between {side[0]} and {side[1]} stands in the line from {a} to {b}",
    ),
    "obstruction": (
        ("sight/blocked-by", "hexside/obstruction"),
        "the obstruction at {obstruction} stands in the line from {a} to {b}",
    ),
    "edge": (
        ("sight/blocked-by", "hexside/edge"),
        "the line from {a} to {b} meets the edge of the battlefield between {side[0]} and {side[1]}",
    ),
    "cover": (
        ("cover/cover-hexside", "hexside/cover"),
        "the cover between {side[0]} and {side[1]} shelters {b} from {a}",
    ),
}


@rule(
    "sightline.contacts",
    cites=(
        "sight/blocked-by",
        "hexside/wall",
        "hexside/obstruction",
        "hexside/edge",
        "cover/cover-hexside",
        "hexside/cover",
    ),
    neutral=(),
)
def contacts(table: Table, ground: Ground, a: Hex, b: Hex, sheltering: bool) -> tuple[Contact, ...]:
    """Decide what a line from one hex (the attacker's) to another (the target's) meets, in order from its start.

    Which contacts count is as the readings of sight and cover have it; without `sheltering` those with cover do not.
    """
    ground = ground.edged("rim" if table.readings["edge-definition"] == "rim" else "listed-only")
    corners = _corners(table, "corner-contact"), _corners(table, "cover-corner-contact")
    result = _contacts(ground, a, b, *corners, sheltering)
    for contact in result:
        if contact.counts:
            units, text = _TEXTS[contact.kind]
            which = {"obstruction": _filled(ground, contact.side)} if contact.kind == "obstruction" else {}
            table.find(text, cites=units, side=contact.side, a=a, b=b, how=contact.how, **which)
        elif contact.exempt and sheltering:
            text = "the cover between {side[0]} and {side[1]} is part of the hex {a} itself and does not count"
            table.find(text, cites="cover/own-hexside", side=contact.side, a=a, how=contact.how)
    return result


def _filled(ground: Ground, side: Hexside) -> Hex:
    """Name the obstruction of which a hexside is a part; the first of two."""
    return next(hex_ for hex_ in side if hex_ in ground.obstructions)


def _corners(table: Table, reading: str) -> Corners:
    return "cross" if table.readings[reading] == "cross" else "touch"


def _contacts(
    ground: Ground, a: Hex, b: Hex, blocks: Corners, shelters: Corners, sheltering: bool
) -> tuple[Contact, ...]:
    witness = ground.witness(a, b, blocks)
    covering = (witness if shelters == blocks else ground.witness(a, b, shelters)).covering
    in_order = [*witness.blocking, *covering]
    in_order.sort(key=_place)
    return tuple([_contact(ground, meeting, sheltering) for meeting in in_order])


_place = attrgetter("place")


def _contact(ground: Ground, meeting: Meeting, sheltering: bool) -> Contact:
    first, second = meeting.side
    return Contact(
        meeting.kind,
        (ground.posted_hex(first), ground.posted_hex(second)),
        meeting.how,
        meeting.written,
        meeting.counts and (sheltering or meeting.kind != "cover"),
        meeting.exempt,
    )
