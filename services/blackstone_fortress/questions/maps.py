"""Routes: the shortest legal way of a unit over several moves, to a place or to where something is in sight."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.fault import Fault, Faults
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress import checks
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.questions.moves import NotThere, off_board, on_board
from services.blackstone_fortress.questions.sight import Place
from services.blackstone_fortress.rules import marches, movement, sight
from services.blackstone_fortress.rules.movement import Footing, Way
from services.blackstone_fortress.rules.payments import MOST_DESTINY_DICE
from services.blackstone_fortress.scene import Explorer, Hex, Scene
from services.blackstone_fortress.strides import Strides

MOST_COUNTED = 1_000_000
"""How many equally short routes are told apart; the number grows beyond all bounds on an open board."""

Activations = Annotated[
    int, Meta(ge=1, le=20, description="How many activations are allowed for; further hexes count as out of reach.")
]
MovesPerActivation = Annotated[
    int,
    Meta(
        ge=1,
        le=10,
        description="How many moves the unit makes in one activation. An explorer makes one for each die it spends on "
        "a Move action; at most its activation spaces and two destiny dice.",
    ),
]


class RoutesCase(Value, frozen=True):
    """A unit, and where it wants to get: to one of some hexes, or to where it sees a miniature or a hex."""

    scene: Scene
    unit: Annotated[Id, Meta(description="The explorer or hostile that moves.")]
    to: Annotated[
        tuple[Hex, ...], Meta(max_length=100, description="The hexes it wants to get to; the soonest reached counts.")
    ] = ()
    sight_of: Annotated[
        Place | None, Meta(description="A unit's id, or a hex, that it wants to see from where it ends.")
    ] = None
    activations: Activations = 20
    moves_per_activation: MovesPerActivation = 1


class Leg(Value, frozen=True):
    """One move of a route: in which activation it is made, and the hexes that it enters, the last being its end."""

    activation: int
    way: tuple[Hex, ...]
    end: Hex
    hexes: Annotated[int, Meta(description="Hexes of movement that the move takes.")]
    halts: Annotated[bool, Meta(description="Whether the unit has to halt at the end, next to an enemy.")]


class View(Value, frozen=True):
    """The line of sight at the end of a route."""

    target: Hex
    in_cover: Annotated[bool, Meta(description="Whether the target is in cover from there.")]
    range: Annotated[int, Meta(description="The range in hexes.")]


class Routes(Value, frozen=True):
    """The shortest route: fewest moves, then fewest hexes. Where there is none, `reasons` or `not_there` say why.

    `alternatives` counts the other routes, to any of the hexes wanted, with as few moves and hexes; one cut into moves
    at other places is another one.
    """

    unit: Id
    hexes: Annotated[int, Meta(description="How many hexes one move may take: the Move value.")]
    reachable: bool
    activations: Annotated[int | None, Meta(description="How many activations the route takes.")] = None
    moves: Annotated[int | None, Meta(description="How many moves the route takes.")] = None
    hexes_in_all: Annotated[int | None, Meta(description="Hexes of movement in all moves together.")] = None
    end: Hex | None = None
    legs: Annotated[tuple[Leg, ...], Meta(description="The route, move by move.")] = ()
    view: Annotated[View | None, Meta(description="What `sight_of` asks for, as seen from the end.")] = None
    other_ends: Annotated[tuple[Hex, ...], Meta(description="Other hexes that do as well and are as near.")] = ()
    alternatives: Annotated[
        int, Meta(description=f"Other routes as short; {MOST_COUNTED} stands for more as well.")
    ] = 0
    not_there: Annotated[tuple[NotThere, ...], Meta(description="Why no hex of `to` is reached.")] = ()
    reasons: Annotated[tuple[str, ...], Meta(description="Why no hex with a view of `sight_of` is reached.")] = ()
    assumes: Annotated[tuple[str, ...], Meta(description="What is taken for granted.")] = ()


@dataclass(frozen=True)
class RoutesState:
    """The battlefield, who moves, and the hexes wanted or the hex to be seen."""

    field: Battlefield
    unit: str
    to: tuple[Hex, ...]
    sight_of: Hex | None
    activations: int
    moves_per_activation: int


def prepare(case: RoutesCase) -> RoutesState:
    """Find the unit and where it wants to get; raises `Faults`."""
    if bool(case.to) == (case.sight_of is not None):
        message = "exactly one of `to` and `sight_of` has to be given"
        raise Faults([checks.fault("", "to-or-sight-of", message, expected="`to` or `sight_of`")])
    field = checks.checked_case(case, _faults)
    target = field.units[case.sight_of].hex if isinstance(case.sight_of, str) else case.sight_of
    wanted = tuple(dict.fromkeys(case.to))
    return RoutesState(field, case.unit, wanted, target, case.activations, case.moves_per_activation)


def _faults(field: Battlefield, case: RoutesCase) -> Iterator[Fault]:
    yield from mover_faults(field, case.unit, case.moves_per_activation)
    yield from on_board(field, "to", case.to)
    if isinstance(case.sight_of, str):
        yield from checks.standing(field, "unit", case.sight_of, "sight_of")
    elif case.sight_of is not None:
        yield from off_board(field, "sight_of", case.sight_of)


def mover_faults(field: Battlefield, unit_id: str, moves: int) -> Iterator[Fault]:
    """Find fault with a unit that is not on the battlefield, or an explorer with more moves than it can pay for."""
    yield from checks.standing(field, "unit", unit_id, "unit")
    unit = field.units.get(unit_id)
    if isinstance(unit, Explorer):
        most = field.book.explorers[unit.profile].spaces + MOST_DESTINY_DICE
        if moves > most:
            message = f"{unit_id} cannot have {moves} dice to spend on moves"
            hint = "an activation has its card's spaces and two destiny dice"
            yield checks.fault("moves_per_activation", "too-many-moves", message, moves, f"at most {most}", hint)


def assumed(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Say what is taken for granted when a unit makes several moves in a row."""
    by_explorer = isinstance(field.units[unit_id], Explorer)
    dear = "costly-moves" in field.scene.twists
    trapped = "discovery-agility" in field.scene.twists
    return (
        "everybody else stays where they stand now",
        "nobody keeps the unit from its moves: no overwatch, no event, no stun",
        *((f"a die {'of 2 or more ' if dear else ''}pays for every move",) if by_explorer else ()),
        *(() if by_explorer else ("its actions let it move as it likes",)),
        *(("no discovery on the way springs its trap",) if by_explorer and trapped else ()),
    )


def routes(table: Table, state: RoutesState) -> Decided[Routes]:
    """The shortest legal way over several moves, to a hex or to where something is in sight, cut into its moves."""
    field, unit = state.field, state.unit
    hexes = movement.allowance(table, field, unit)
    foot = marches.everywhere(table, field, unit)
    most = state.activations * state.moves_per_activation
    strides = marches.reached(table, field, unit, hexes, foot, most)
    ends = _ends(table, state, strides)
    plain = Routes(unit, hexes, bool(ends), assumes=assumed(field, unit))
    if not ends:
        return Decided(_nowhere(table, state, plain, foot, most))
    end, *others = ends
    ways = strides.ways(end)
    arrival = strides.arrivals[end]
    return Decided(
        replace(
            plain,
            activations=activation_of(arrival.moves, state.moves_per_activation),
            moves=arrival.moves,
            hexes_in_all=arrival.hexes,
            end=end,
            legs=_legs(table, state, ways, foot, hexes),
            view=_view(table, field, end, state.sight_of) if state.sight_of is not None else None,
            other_ends=tuple(others),
            alternatives=min(strides.count(ends) - 1, MOST_COUNTED),
        )
    )


def activation_of(move: int, moves_per_activation: int) -> int:
    """Give in which activation a move falls, counted from 1; 0 for no move."""
    return -(-move // moves_per_activation)


def _ends(table: Table, state: RoutesState, strides: Strides) -> tuple[Hex, ...]:
    """Give the hexes wanted that are reached the soonest, all of them equally soon."""
    if state.sight_of is not None:
        return marches.first_views(table, state.field, strides, state.sight_of)
    within = [hex_ for hex_ in state.to if hex_ in strides.arrivals]
    soonest = min((strides.arrivals[hex_] for hex_ in within), default=None)
    return tuple(hex_ for hex_ in within if strides.arrivals[hex_] == soonest)


def _nowhere(table: Table, state: RoutesState, plain: Routes, foot: Footing, most: int) -> Routes:
    field, unit = state.field, state.unit
    if state.sight_of is not None:
        reasons = marches.unsighted(table, field, unit, state.sight_of, plain.hexes, foot, most)
        return replace(plain, reasons=tuple(reason.text for reason in reasons))
    by_hex = marches.unreached(table, field, unit, state.to, plain.hexes, foot, most)
    return replace(
        plain, not_there=tuple(NotThere(hex_, tuple(one.text for one in why)) for hex_, why in by_hex.items())
    )


def _legs(table: Table, state: RoutesState, ways: Sequence[Way], foot: Footing, hexes: int) -> tuple[Leg, ...]:
    """Give the moves of a route, each asked of the rules of movement from where the one before has ended."""
    field = state.field
    legs = []
    for move, way in enumerate(ways, 1):
        violations = movement.violations(table, field, state.unit, way, hexes)
        if violations:
            raise ValueError(f"the way {way} is not legal: {violations}")
        legs.append(
            Leg(activation_of(move, state.moves_per_activation), way, way[-1], foot.cost(way), way[-1] in foot.halting)
        )
        field = field.change(field.units[state.unit], hex=way[-1])
    return tuple(legs)


def _view(table: Table, field: Battlefield, end: Hex, target: Hex) -> View:
    sight.visible(table, field, end, target)
    return View(target, sight.in_cover(table, field, end, target), sight.range_between(table, field, end, target))


def cost(state: RoutesState) -> float:
    """Estimate the milliseconds that routes take on one core, from the size of the board and who stands on it."""
    return 1.0 + 0.04 * len(state.field.ground.hexes)


ROUTES = Question("routes", RoutesCase, prepare, routes, cost=cost)

QUESTIONS = (ROUTES,)
