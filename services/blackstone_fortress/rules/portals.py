"""Portals and the escape chamber: which hexes lie beside a portal, and how the chamber takes a portal's place."""

from msgspec.structs import replace

from arbiter.facts import YesNo, fact
from arbiter.geometry.hex.coordinates import neighbours
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.scene import Board, EscapeChamber, Explorer, Hex, Hexside, Portal

CHAMBER = "escape-chamber"
"""What has happened once the event has brought the escape chamber."""


def portal_name(id_: str) -> str:
    """Give what to call a portal."""
    return f"the portal {id_.removeprefix('portal-')}"


def portal_option(id_: str) -> Option:
    """Give what an option means that is a portal."""
    return Option(id_, portal_name(id_), {"portal": id_})


def portal_of(field: Battlefield, id_: str) -> Portal:
    """Give the portal of that id."""
    return next(portal for portal in field.scene.board.portals if portal.id == id_)


def has_chamber(field: Battlefield) -> bool:
    """Say whether the escape chamber is there; where no board shows it, what has happened does."""
    scene = field.scene
    if scene.is_partial:
        return CHAMBER in scene.turn.happened or "summon" in scene.turn.happened
    return scene.board.escape_chamber is not None


def happening(field: Battlefield, event: str) -> Battlefield:
    """Give the battlefield with an event remembered among those of the combat that happen once."""
    return field.with_turn(happened=(*(other for other in field.scene.turn.happened if other != event), event))


def arrived(table: Table, field: Battlefield, event: str) -> Battlefield:
    """Give the battlefield once the escape chamber has come where no board shows portals: the players place it."""
    table.event("escape-chamber", portal=None, hexes=())
    return happening(field, event)


@fact(
    "at_portal",
    "Is {explorer} next to a portal?",
    of=("explorer",),
    kind=YesNo(usual=False),
    says=("{explorer} is next to a portal", "{explorer} is not next to a portal"),
    cites="summon/next-to-portal",
)
def at_portal(table: Table, field: Battlefield, explorer: Explorer) -> bool:
    """Say whether an explorer stands next to a portal."""
    return bool(beside(table, field, place(explorer)))


@fact(
    "aboard",
    "Is {explorer} in the escape chamber?",
    of=("explorer",),
    kind=YesNo(usual=False),
    says=("{explorer} is in the escape chamber", "{explorer} is not in the escape chamber"),
    cites="end-of-combat/all-aboard",
)
def aboard(table: Table, field: Battlefield, explorer: Explorer) -> bool:
    """Say whether an explorer stands in the escape chamber."""
    chamber = field.scene.board.escape_chamber
    return chamber is not None and explorer.hex is not None and explorer.hex in chamber.hexes


@rule("portals.beside", cites="battlefield/portals", neutral=())
def beside(table: Table, field: Battlefield, hex_: Hex) -> tuple[str, ...]:
    """Decide beside which portals a hex lies."""
    ids = tuple([portal.id for portal in field.scene.board.portals if hex_ in portal.beside])
    table.find("{hex} is adjacent to {portals}", hex=hex_, portals=Listing(map(portal_name, ids)) or "no portal")
    return ids


@rule("portals.replaced", cites="summon/replaces-portal", neutral=unchanged)
def replaced(table: Table, field: Battlefield, portal_id: str) -> Battlefield:
    """Decide what comes of a portal: it is removed, and the escape chamber stands in its place."""
    portal = portal_of(field, portal_id)
    others = tuple(other for other in field.scene.board.portals if other.id != portal_id)
    name = portal_name(portal_id)
    table.find("{name} is replaced with the escape chamber", name=name, portal=portal_id, hexes=portal.chamber)
    return _dock(table, field, portal, others)


@rule("portals.stood_beside", cites="summon/summary", neutral=unchanged)
def stood_beside(table: Table, field: Battlefield, portal_id: str) -> Battlefield:
    """Decide what comes of a portal where the chamber is set up next to it: the portal stays."""
    portal = portal_of(field, portal_id)
    name = portal_name(portal_id)
    table.find("the escape chamber stands next to {name}", name=name, portal=portal_id, hexes=portal.chamber)
    return _dock(table, field, portal, field.scene.board.portals)


def _dock(table: Table, field: Battlefield, portal: Portal, portals: tuple[Portal, ...]) -> Battlefield:
    board = field.scene.board
    docked = set(portal.chamber)
    inside = portal.chamber or _without_hexes(table, portal)
    table.event("escape-chamber", portal=portal.id, hexes=inside)
    return field.with_board(
        # A portal whose own chamber would have taken the same hexes has no room for it any more.
        portals=tuple(
            replace(other, chamber=tuple(hex_ for hex_ in other.chamber if hex_ not in docked)) for other in portals
        ),
        hexes=tuple(dict.fromkeys((*board.hexes, *portal.chamber))),
        edges=_edges(field, board, portal.chamber),
        escape_chamber=EscapeChamber(portal.id, inside),
    )


def _without_hexes(table: Table, portal: Portal) -> tuple[Hex, ...]:
    """Give the hexes that count as an escape chamber whose own are not given: the reading `chamber-without-hexes`."""
    if table.read("chamber-without-hexes") == "nowhere":
        return ()
    table.find(
        "the scene lists no hexes of the chamber, so the hexes beside its portal count as the chamber",
        hexes=portal.beside,
    )
    return portal.beside


def _edges(field: Battlefield, board: Board, chamber: tuple[Hex, ...]) -> tuple[Hexside, ...] | None:
    """Give the edges once the chamber has docked: where it joins there is none, and its own rim is one.

    A board that lists no edges has them all around, and goes on so.
    """
    if board.edges is None:
        return None
    docked = set(chamber)
    joined = {frozenset((a, b)) for a in chamber for b in board.hexes if field.ground.adjacent(a, b)}
    edges = tuple(side for side in board.edges if frozenset(side) not in joined)
    ground = field.ground
    around = ((hex_, ground.posted_hex(next_)) for hex_ in chamber for next_ in neighbours(ground.axial(hex_)))
    return (*edges, *((hex_, beyond) for hex_, beyond in around if beyond not in docked | ground.hexes))
