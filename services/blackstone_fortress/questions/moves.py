"""Questions about moves: where a unit may go and what it meets there, and bringing miniatures onto the battlefield."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.nowhere import PlaceNeeded
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress import checks
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, fault, one_of
from services.blackstone_fortress.questions.setup import Miniatures, supply_faults
from services.blackstone_fortress.rules import deployment, movement, out_of_reach, overwatch, shelter
from services.blackstone_fortress.scene import Hex, Hostile, Scene


class MovesCase(Value, frozen=True):
    """A unit, and the question about its move: where it may end, or whether it may take a way, which it then takes."""

    scene: Scene
    unit: Annotated[Id, Meta(description="The explorer or hostile that moves.")]
    steps: Annotated[
        Annotated[int, Meta(ge=0, le=24)] | None,
        Meta(description="How many hexes it may move; left out, the Move value of its card."),
    ] = None
    to: Annotated[
        tuple[Hex, ...],
        Meta(
            max_length=100, description="Hexes for which the answer says why the unit cannot end there, if it cannot."
        ),
    ] = ()
    way: Annotated[
        Annotated[tuple[Hex, ...], Meta(min_length=1, max_length=60)] | None,
        Meta(description="The hexes it enters, in order, the first left out: the move is checked and carried out."),
    ] = None


class End(Value, frozen=True):
    """A hex in which the unit may end its move, and how it lies to the unit's enemies."""

    hex: Hex
    hexes: Annotated[int, Meta(description="Hexes of movement that the way takes.")]
    way: Annotated[tuple[Hex, ...], Meta(description="One shortest legal way, the hex it starts in left out.")]
    halts: Annotated[bool, Meta(description="Whether the unit has to halt there, next to an enemy.")]
    seen_by: Annotated[tuple[Id, ...], Meta(description="Enemies who would see it there.")]
    in_cover_from: Annotated[tuple[Id, ...], Meta(description="Those of them from whom it would be in cover.")]


class NotThere(Value, frozen=True):
    """A hex in which the unit cannot end its move, and why."""

    hex: Hex
    reasons: tuple[str, ...]


class Moves(Value, frozen=True):
    """Where a unit may end its move; with a way given, where it has moved to instead."""

    unit: Id
    hexes: Annotated[int, Meta(description="How many hexes it may move.")]
    ends: Annotated[tuple[End, ...], Meta(description="Hexes in which it may end, the cheapest first.")] = ()
    not_there: Annotated[tuple[NotThere, ...], Meta(description="Of the hexes asked for, those it cannot end in.")] = ()
    moved_to: Annotated[Hex | None, Meta(description="Where it stands after the way; null if no way was given.")] = None
    out_of_action: Annotated[bool, Meta(description="Whether the move has taken the explorer out of action.")] = False


def _faults(field: Battlefield, case: MovesCase) -> Iterator[Fault]:
    yield from checks.standing(field, "unit", case.unit, "unit")
    yield from on_board(field, "to", case.to)
    yield from on_board(field, "way", case.way or ())


def on_board(field: Battlefield, where: str, hexes: Sequence[Hex]) -> Iterator[Fault]:
    """Find fault with hexes that are not on the board."""
    for index, hex_ in enumerate(hexes):
        yield from off_board(field, f"{where}/{index}", hex_)


def off_board(field: Battlefield, where: str, hex_: Hex) -> Iterator[Fault]:
    """Find fault with a hex that is not on the board."""
    if hex_ not in field.ground.hexes:
        message, hint = f"{list(hex_)} is not on the board", "hexes are written in the coordinates of the scene's board"
        yield fault(where, "off-board", message, hex_, "a hex of the board", hint)


def _moves(table: Table, move: State[MovesCase]) -> Decided[Moves]:
    """Where a unit may end its move, by which way, and what sees it there; or whether it may take a given way."""
    field, case = move.field, move.case
    hexes = movement.allowance(table, field, case.unit) if case.steps is None else case.steps
    if case.way is not None:
        if reasons := movement.violations(table, field, case.unit, case.way, hexes):
            raise Forbidden(*reasons)
        after = movement.move(table, field, case.unit, case.way)
        unit = after.units[case.unit]
        out = not isinstance(unit, Hostile) and unit.out_of_action
        return Decided(Moves(case.unit, hexes, moved_to=unit.hex, out_of_action=out), after.scene)
    foot = movement.footing(table, field, case.unit, hexes)
    ways = movement.ways(table, field, case.unit, hexes, foot=foot)
    ends = []
    for hex_, way in ways.items():
        if way:
            lies = shelter.exposure(table, field, case.unit, hex_)
            ends.append(End(hex_, foot.cost(way), way, hex_ in foot.halting, lies.seen_by, lies.in_cover_from))
    wanted = [hex_ for hex_ in dict.fromkeys(case.to) if hex_ not in ways]
    violations = out_of_reach.violations(table, field, case.unit, wanted, hexes, foot)
    not_there = tuple(NotThere(hex_, tuple(one.text for one in why)) for hex_, why in violations.items())
    return Decided(Moves(case.unit, hexes, tuple(ends), not_there))


class DeploymentCase(Value, frozen=True):
    """Either a unit that comes in during the combat, or a hostile group that is set up at its discovery marker."""

    scene: Scene
    unit: Annotated[Id | None, Meta(description="The miniature that comes in; it is not on the battlefield yet.")] = (
        None
    )
    hexes: Annotated[
        tuple[Hex, ...],
        Meta(
            max_length=100, description="Where the unit is to be deployed: the first of these hexes that may take it."
        ),
    ] = ()
    group: Annotated[Id | None, Meta(description="The hostile group that is set up.")] = None
    discovery: Annotated[Id | None, Meta(description="The discovery marker at which the group is set up.")] = None
    miniatures: Miniatures = ()


class Placed(Value, frozen=True):
    """Where a miniature has come to stand, and from which explorers a hostile is in cover there."""

    unit: Id
    hex: Hex
    seen_by: tuple[Id, ...]
    in_cover_from: tuple[Id, ...]


class Deployment(Value, frozen=True):
    """Who has been deployed where, who was left out for want of room or miniatures, and who was slain."""

    placed: tuple[Placed, ...]
    left_out: tuple[Id, ...] = ()
    slain: tuple[Id, ...] = ()
    deployed_by: Annotated[str, Meta(description="Who deploys hostiles; empty for an explorer.")] = ""


def _prepare_deployment(case: DeploymentCase) -> State[DeploymentCase]:
    if case.scene.is_partial:
        raise PlaceNeeded
    if (case.unit is None) == (case.group is None):
        message = "exactly one of `unit` and `group` has to be given"
        raise Faults([fault("", "unit-or-group", message, expected="`unit` or `group`")])
    return checking(_deployment_faults)(case)


def _deployment_faults(field: Battlefield, case: DeploymentCase) -> Iterator[Fault]:
    if case.unit is not None:
        absent = [unit.id for unit in field.units.values() if unit.hex is None]
        if case.unit in field.units and case.unit not in absent:
            asked = one_of(absent, "those off the battlefield, but nobody is")
            yield fault("unit", "on-the-battlefield", f"{case.unit} is on the battlefield", case.unit, asked)
        else:
            yield from checks.id_faults("unit", case.unit, "unit", absent)
        yield from on_board(field, "hexes", case.hexes)
        if not case.hexes:
            message, hint = "the hexes for the unit are missing", "the rule that deploys it says where"
            yield fault("hexes", "no-hexes", message, [], "hexes in the order of preference", hint)
    else:
        groups = list(dict.fromkeys(hostile.group for hostile in field.scene.hostiles))
        markers = [marker.id for marker in field.scene.discoveries]
        yield from checks.id_faults("group", case.group or "", "group", groups)
        yield from checks.id_faults("discovery", case.discovery or "", "discovery", markers)
    yield from supply_faults(field, case.miniatures)


def _deployment(table: Table, state: State[DeploymentCase]) -> Decided[Deployment]:
    """Deploy a miniature during a combat, or set a hostile group up at its discovery marker."""
    before, case, unit = state.field, state.case, state.case.unit
    hostiles = unit is None or isinstance(before.units[unit], Hostile)
    deployer = deployment.deployed_by(table, before) if hostiles else ""
    if unit is None:
        marker = next(marker for marker in before.scene.discoveries if marker.id == case.discovery)
        after = deployment.deploy_group(table, before, case.group or "", marker, case.miniatures)
        meant = [hostile.id for hostile in before.scene.hostiles if hostile.group == case.group]
    else:
        after = deployment.deploy(table, before, unit, case.hexes)
        meant = [unit]
        if hostiles and after.units[unit].hex is not None:
            after = overwatch.triggered(table, after, unit, "deployment")
    return Decided(_deployment_answer(table, before, after, meant, deployer), after.scene)


def _deployment_answer(
    table: Table, before: Battlefield, after: Battlefield, meant: Sequence[str], deployer: str
) -> Deployment:
    placed, left_out, slain = [], [], []
    for id_ in meant:
        unit = after.units[id_]
        if before.units[id_].hex is not None:
            continue
        if unit.hex is not None:
            lies = shelter.exposure(table, after, id_, unit.hex)
            placed.append(Placed(id_, unit.hex, lies.seen_by, lies.in_cover_from))
        elif not isinstance(unit, Hostile) or unit.slain:
            slain.append(id_)
        else:
            left_out.append(id_)
    return Deployment(tuple(placed), tuple(left_out), tuple(slain), deployer)


QUESTIONS = (
    Question("moves", MovesCase, checking(_faults), _moves, dice=True),
    Question("deployment", DeploymentCase, _prepare_deployment, _deployment, dice=True),
)
