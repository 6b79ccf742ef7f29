"""Battlefield creation: where the explorers start, which hostiles they meet, and the initiative deck.

Follows "Combat Card" and "Battlefield Creation". The board arrives with the scene; deployment is in `deployment`, the
deck in `initiative`.
"""

from collections import Counter
from typing import Literal

from arbiter.rule import Forbidden, Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, hex_option
from services.blackstone_fortress.book import EncounterCard
from services.blackstone_fortress.rules import deployment, encounters, initiative
from services.blackstone_fortress.rules.deployment import Supply
from services.blackstone_fortress.rules.hex_limits import room
from services.blackstone_fortress.rules.turn import begin_phase, hostile_player_name
from services.blackstone_fortress.scene import Discovery, Explorer, Hex

Arrival = Literal["arrival-chamber", "ambush"]

MOST_IN_AN_AMBUSH_HEX = 2


@rule("setup.arrive", cites="combat-card/contents", neutral=unchanged)
def arrive(table: Table, field: Battlefield, arrival: Arrival) -> Battlefield:
    """Decide how the explorers come: in a maglev chamber or into an ambush, as the combat card says."""
    ambush = arrival == "ambush"
    table.find("the explorers are ambushed" if ambush else "the explorers arrive in a maglev chamber", ambush=ambush)
    return field.with_turn(ambush=ambush)


@rule("setup.misplaced", cites=("battlefield/arrival-chamber", "battlefield/ambush-hexes"), neutral=())
def misplaced(table: Table, field: Battlefield, arrival: Arrival, hexes: tuple[Hex, ...]) -> tuple[Reason, ...]:
    """Decide whether explorers stand where they cannot start: outside the arrival chamber, or the ambush hexes."""
    unit, where = (
        ("battlefield/ambush-hexes", "an ambush hex")
        if arrival == "ambush"
        else ("battlefield/arrival-chamber", "a hex of the arrival chamber")
    )
    table.find("the explorers start in {where}", cites=unit, where=where, hexes=hexes)
    return tuple(
        table.reason(
            "{name} stands in {hex}, which is not {where}", cites=unit, name=field.name(one), hex=one.hex, where=where
        )
        for one in field.explorers
        if one.hex not in hexes
    )


@rule("setup.overcrowded", cites="battlefield/ambush-hex-limit", neutral=())
def overcrowded(table: Table, field: Battlefield, arrival: Arrival) -> tuple[Reason, ...]:
    """Decide whether an ambush hex holds more than two explorers.

    Whether both Ratling Twins count as one there is the reading `ambush-twins`.
    """
    if arrival != "ambush":
        return ()
    most = Quantity(MOST_IN_AN_AMBUSH_HEX, "explorer")
    table.find("an ambush hex takes up to {most}", most=most)
    return tuple(
        table.reason("{hex} holds more than {most}", hex=hex_, most=most)
        for hex_ in dict.fromkeys(one.hex for one in field.explorers)
        if hex_ is not None and _too_many(table, field, hex_)
    )


def _too_many(table: Table, field: Battlefield, hex_: Hex) -> bool:
    """Say whether more explorers stand in an ambush hex than it takes; a twin who is there alone counts as one."""
    counts = Counter(field.kind(one) for one in field.explorers if one.hex == hex_)
    if counts["explorer"] + counts["twin"] <= MOST_IN_AN_AMBUSH_HEX:
        return False
    if counts["explorer"] + (counts["twin"] + 1) // 2 > MOST_IN_AN_AMBUSH_HEX:
        return True
    return table.read("ambush-twins") == "two-explorers"


@rule("setup.no_room", cites=("battlefield/arrival-chamber", "hex-limits/explorers", "hex-limits/twins"), neutral=())
def no_room(table: Table, field: Battlefield, arrival: Arrival) -> tuple[Reason, ...]:
    """Decide whether a hex holds more explorers than its limit; what `overcrowded` says of an ambush hex is enough."""
    return tuple(
        table.reason("{hex} has no room for {name}", cites="hex-limits/explorers", hex=one.hex, name=field.name(one))
        for one in field.explorers
        if one.hex is not None
        and not (arrival == "ambush" and _too_many(table, field, one.hex))
        and not room(table, field, one.hex, one)
    )


@rule("setup.placed", cites=("battlefield/arrival-rearrange", "battlefield/ambush-hexes"), neutral=unchanged)
def placed(
    table: Table, field: Battlefield, arrival: Arrival, hexes: tuple[Hex, ...], places: tuple[tuple[str, Hex], ...]
) -> Battlefield:
    """Decide where the explorers stand: where the players say; who has no place yet takes a hex that has room."""
    cites = "battlefield/ambush-hexes" if arrival == "ambush" else "battlefield/arrival-rearrange"
    chosen = dict(places)
    for one in field.scene.explorers:
        hex_ = chosen.get(one.id)
        if hex_ is None and one.hex is None and not one.out_of_action:
            options = tuple(hex_ for hex_ in hexes if _takes(table, field, arrival, one, hex_))
            if not options:
                raise Forbidden(table.reason("no hex has room for {name}", cites=cites, name=field.name(one)))
            hex_ = table.choose("explorers", f"{one.id}: starting hex", options, about=field, means=hex_option)
        if hex_ is not None:
            table.find("{name} starts in {hex}", cites=cites, name=field.name(one), hex=hex_)
            table.event("placed", unit=one.id, hex=hex_)
            field = field.change(one, hex=hex_)
    return field


def _takes(table: Table, field: Battlefield, arrival: Arrival, one: Explorer, hex_: Hex) -> bool:
    crowded = arrival == "ambush" and _too_many(table, field.change(one, hex=hex_), hex_)
    return not crowded and room(table, field, hex_, one)


@rule("setup.markers", cites=("battlefield/discovery-markers", "deploy/card-per-marker"), neutral=())
def markers(table: Table, field: Battlefield) -> tuple[Discovery, ...]:
    """Give the discovery markers in the order in which encounter cards are drawn for them: by their numbers."""
    markers_in_order = tuple(sorted(field.scene.discoveries, key=lambda marker: marker.number))
    for marker in markers_in_order:
        table.find("discovery marker {number} lies in {hex}", number=marker.number, hex=marker.hex)
    return markers_in_order


class EncounterResult(Value, frozen=True):
    """What an encounter card brought for a discovery marker: hostile groups, or a twist."""

    marker: str
    card: str
    groups: tuple[str, ...] = ()
    twist: str | None = None


@rule("setup.meet", cites=("deploy/one-at-a-time", "deploy/who"), neutral=lambda field, cards, supply=(): (field, ()))
def meet(
    table: Table, field: Battlefield, cards: tuple[EncounterCard, ...], supply: tuple[Supply, ...] = ()
) -> tuple[Battlefield, tuple[EncounterResult, ...]]:
    """Draw an encounter card for each marker, one at a time, and deploy its hostiles before the next is drawn.

    `supply` says how many miniatures there are.
    """
    gone: tuple[str, ...] = ()
    results: tuple[EncounterResult, ...] = ()
    for marker in markers(table, field):
        text = "{who} draws a card for discovery marker {number} and deploys its hostiles before the next card"
        table.find(text, who=hostile_player_name(field), number=marker.number)
        card = encounters.draw(table, cards, gone, "hostiles", "deploy/card-per-marker")
        gone = (*gone, card.id)
        entry = encounters.entry_for(table, field, card, marker.number)
        if encounters.is_twist(table, entry):
            field, twist = encounters.twisted(table, field, "hostiles", entry)
            results = (*results, EncounterResult(marker.id, card.id, (), twist))
            continue
        field, groups = encounters.mustered(table, field, entry, encounters.free_group(field, marker.number))
        for group in groups:
            field = deployment.deploy_group(table, field, group, marker, supply)
        results = (*results, EncounterResult(marker.id, card.id, groups))
    return field, results


class Start(Value, frozen=True):
    """How the explorers come: the way of their arrival, the hexes for it, and who takes which of them."""

    arrival: Arrival
    hexes: tuple[Hex, ...]
    places: tuple[tuple[str, Hex], ...] = ()


@rule("setup.explorers", cites="battlefield/steps", neutral=unchanged)
def explorers(table: Table, field: Battlefield, start: Start) -> Battlefield:
    """Set up the explorers, as the last part of setting up the battlefield; refused where they cannot start so."""
    table.find("first the battlefield is set up, then the hostiles are deployed, then the initiative deck is made")
    field = placed(table, arrive(table, field, start.arrival), start.arrival, start.hexes, start.places)
    reasons = (
        *misplaced(table, field, start.arrival, start.hexes),
        *overcrowded(table, field, start.arrival),
        *no_room(table, field, start.arrival),
    )
    if reasons:
        raise Forbidden(*reasons)
    return field


def set_up(
    table: Table, field: Battlefield, start: Start, cards: tuple[EncounterCard, ...], supply: tuple[Supply, ...] = ()
) -> tuple[Battlefield, tuple[EncounterResult, ...], tuple[str, ...]]:
    """Create the battlefield in its three steps; give it, ready for turn 1, with who is met and the initiative deck."""
    field, results = meet(table, explorers(table, field, start), cards, supply)
    field = begin_phase(table, field.with_turn(number=1, track=()), "destiny")
    return field, results, initiative.deck(table, field)
