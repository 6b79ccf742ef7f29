"""The scene: the table as the client posts it. Lengths are centimetres, places are measured from one corner."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.nowhere import PlaceNeeded, Unplaced
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.rapture.profiles import Centimetres, Changes, Profiles

Place = tuple[Centimetres, Centimetres]
"""A place in plan: centimetres from west to east, and centimetres from south to north."""

NO_CHANGES = Changes()

MOST_PIECES = 200
MOST_CORNERS = 64
MOST_UNITS = 60
MOST_MODELS = 20
MOST_SIDES = 4

Edge = Literal["north", "east", "south", "west"]
Phase = Literal["preparation", "activation", "cleanup", "over"]
Count = Annotated[int, Meta(ge=0, le=100)]
Score = Annotated[int, Meta(ge=0, le=10_000)]


class Piece(Value, frozen=True):
    """A piece of terrain: its `outline` in plan, whether it blocks lines of sight, and whether it is impassable.

    Of its height one reading asks: whether a line passes over what is lower.
    """

    id: Id
    outline: Annotated[tuple[Place, ...], Meta(min_length=3, max_length=MOST_CORNERS)]
    blocks_sight: bool = True
    impassable: bool = True
    height_cm: Centimetres = 10.0


class Board(Value, frozen=True, cache_hash=True):
    """The battlefield: its size, and the terrain on it.

    Bases that are less than `tolerance_cm` apart, or stand in each other by less, touch.
    """

    width_cm: Annotated[float, Meta(gt=0, le=200)] = 90.0
    depth_cm: Annotated[float, Meta(gt=0, le=200)] = 90.0
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=MOST_PIECES)] = ()
    tolerance_cm: Annotated[float, Meta(ge=0.001, le=0.5)] = 0.01


class NoBoard(Board, frozen=True, cache_hash=True):
    """No board: an open table, or where no unit has a place, one that only the players see."""


NO_BOARD = NoBoard()


class Objective(Value, frozen=True):
    """An objective of a mission; `at` is its point of the battlefield, null where only the players see it."""

    id: Id
    at: Place | None = None


class Side(Value, frozen=True):
    """A side, which is a player: its own `edge`, its `mission` by its id, its victory points so far.

    Only a board needs an edge.
    `zone_cm` is how deep its zone of deployment is, where the players have agreed on one. `deeds` are the uses of its
    mission's ability that count for the mission.
    """

    id: Id
    edge: Edge | None = None
    mission: Id | None = None
    victory_points: Score = 0
    zone_cm: Centimetres | None = None
    deeds: Count = 0


class MissionPoints(Value, frozen=True):
    """Victory `points` that a `side` scores now from its mission, as the players count them."""

    side: Id
    points: Score


class Times(Value, frozen=True):
    """How often, or how many `times`, of an action or ability, by its `id`."""

    id: Id
    times: Count


class Effect(Value, frozen=True):
    """An `ability` that still holds for a unit: its modifiers count until the round or the match is over."""

    ability: Id
    lasts: Literal["round", "match"] = "round"


Tally = Annotated[tuple[Times, ...], Meta(max_length=40)]


class Unit(Value, frozen=True, cache_hash=True):
    """A unit: its `side`, its card (`profile`), where its models stand, its `statuses`, and what has become of it.

    `models` are the middles of the bases of the models that are left; a unit without any is not on the battlefield.
    `leader` is the unit with which an apprentice goes. `hp_crossed` and `mp_crossed` count crossed boxes. `ap` and `rp`
    are the points at hand, by default all that its card gives now; `ap_owed` and `rp_owed` are points that boxes have
    taken beyond those at hand: a restored box pays them first. `used` are the actions and abilities of this round,
    `used_match` the abilities of the match, `successes` those that were successful this round, `charges_left` the
    charges of abilities that are not full. `changes` are what the players add to its card. `got_up`: it has got up in
    this activation. `disabled`: it is a casualty, or it fled; `disabled_by` is the side that did it.
    """

    id: Id
    side: Id
    profile: Id
    leader: Id | None = None
    models: Annotated[tuple[Place, ...], Meta(max_length=MOST_MODELS)] = ()
    hp_crossed: Annotated[int, Meta(ge=0, le=20)] = 0
    mp_crossed: Annotated[int, Meta(ge=0, le=20)] = 0
    ap: Count | None = None
    rp: Count | None = None
    ap_owed: Count = 0
    rp_owed: Count = 0
    used: Tally = ()
    used_match: Tally = ()
    charges_left: Tally = ()
    successes: Tally = ()
    effects: Annotated[tuple[Effect, ...], Meta(max_length=40)] = ()
    changes: Changes = NO_CHANGES
    shelter_markers: Annotated[int, Meta(ge=0, le=20)] = 0
    escaping: bool = False
    statuses: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    ascended: bool = False
    activated: bool = False
    got_up: bool = False
    disabled: Literal["casualty", "fled"] | None = None
    disabled_by: Id | None = None


class Scene(Value, frozen=True, cache_hash=True):
    """The whole table: battlefield, sides, units, objectives, and where the game stands.

    Without a board the table is open, and 90 by 90 cm. Where nothing has a place either, all units that are not
    disabled are in play with all models of their cards, and the players give the facts; the sides may then be left out.
    `step` is the step of the preparation or cleanup phase that comes next. `order` are the sides in the order of
    activation, `turn` is the side whose activation it is, `active` the unit that is being activated, `first_last_round`
    the side that went first in the round before.
    """

    sides: Annotated[tuple[Side, ...], Meta(max_length=MOST_SIDES)] = ()
    units: Annotated[tuple[Unit, ...], Meta(max_length=MOST_UNITS)] = ()
    board: Board = NO_BOARD
    objectives: Annotated[tuple[Objective, ...], Meta(max_length=20)] = ()
    round: Annotated[int, Meta(ge=1, le=6)] = 1
    phase: Phase = "activation"
    step: Annotated[int, Meta(ge=1, le=6)] | None = None
    order: Annotated[tuple[Id, ...], Meta(max_length=MOST_SIDES)] = ()
    turn: Id | None = None
    active: Id | None = None
    first_last_round: Id | None = None
    profiles: Profiles = Profiles()

    @property
    def all_sides(self) -> tuple[Side, ...]:
        """The sides; where the scene lists none, those that its units name."""
        return self.sides or tuple(Side(id_) for id_ in dict.fromkeys(unit.side for unit in self.units))

    @property
    def is_partial(self) -> bool:
        """Whether there is nothing to measure on: no board, and no place of a model or an objective."""
        return (
            isinstance(self.board, NoBoard)
            and not any(unit.models and not isinstance(unit.models, Unplaced) for unit in self.units)
            and not any(objective.at for objective in self.objectives)
        )


def phase_words(phase: Phase) -> str:
    """Give a phase in the words of players."""
    return "the end of the game" if phase == "over" else f"the {phase} phase"


def edge_of(side: Side) -> Edge:
    """Give the edge of a side; without a board it may have none, and what is measured from it needs one."""
    if side.edge is None:
        raise PlaceNeeded
    return side.edge


def spot_of(objective: Objective) -> Place:
    """Give the place of an objective; without a board it may have none."""
    if objective.at is None:
        raise PlaceNeeded
    return objective.at


def times(tally: tuple[Times, ...], id_: str) -> int:
    """Give how often an action or ability is counted."""
    return sum(row.times for row in tally if row.id == id_)


def counted(tally: tuple[Times, ...], id_: str, more: int = 1) -> tuple[Times, ...]:
    """Give the tally after further uses of an action or ability."""
    if any(row.id == id_ for row in tally):
        return tuple(Times(row.id, row.times + more) if row.id == id_ else row for row in tally)
    return (*tally, Times(id_, more))
