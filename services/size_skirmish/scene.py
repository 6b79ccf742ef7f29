"""The scene: the table as the client posts it, with its cards.

Lengths are in the scene's unit, places are measured from one corner. Cards are shipped as data, or given by a scene.
"""

from math import cos, radians, sin
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from arbiter.nowhere import NOWHERE, Nowhere
from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

Length = Annotated[float, Meta(ge=0, le=200, description="In the scene's unit; read to the nearest thousandth.")]
Dice = Annotated[int, Meta(ge=0, le=40, description="A number of dice.")]

Size = Literal["XS", "S", "M", "L", "XL"]
Roll = Literal["hit", "damage", "defence", "morale"]
NpcKind = Literal["active", "passive", "scenario"]

Place = tuple[Length, Length]
"""A place in plan: from west to east, and from south to north."""

Whole = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Direction = tuple[Whole, Whole]
"""A direction in plan as a vector of any length but nothing: so far east, so far north."""

if TYPE_CHECKING:
    Facing = Direction
    # Null as posted where there is no board; nothing looks there then.
    KnownFacing = Direction
    KnownPlace = Place
else:
    Part = Annotated[float, Meta(ge=-1_000_000, le=1_000_000)]
    Degrees = Annotated[float, Meta(ge=-360, le=360, description="Degrees from north, clockwise: 90 is east.")]
    # A tuple of two parts, beside numbers in a union, crashes msgspec 0.22 when garbage is collected.
    Facing = Annotated[tuple[Part, ...], Meta(min_length=2, max_length=2)] | Degrees
    KnownFacing = Facing | None
    KnownPlace = Place | None
"""A direction as it is posted: a vector, whose parts may be fractions, or degrees; read, it is a vector."""

FINE = 1_000_000
"""The longer part of a direction that is posted with fractions, or in degrees, once it is whole."""

MOST_PIECES = 200
MOST_CORNERS = 64
MOST_MODELS = 60
MOST_SIDES = 4
MOST_ITEMS = 60

NPC = "npc"
"""What stands for the side of NPCs, which is none."""

BLOCKING = "blocking"
"""The status token of a model that blocks."""

Phase = Literal["start", "action", "end", "npc", "over"]


def whole(facing: Any) -> Direction:
    """Return a posted direction as a vector of whole numbers, to a millionth where it is none already."""
    if not isinstance(facing, tuple):
        turn = radians(facing)
        return round(FINE * sin(turn)), round(FINE * cos(turn))
    x, y = facing
    if x == int(x) and y == int(y):
        return int(x), int(y)
    scale = FINE / max(abs(x), abs(y))
    return round(x * scale), round(y * scale)


def settle(value: Value, *names: str) -> None:
    """Write directions of a value as vectors of whole numbers."""
    for name in names:
        facing = getattr(value, name)
        # Models and actions are made by the thousand in battles, all with whole numbers.
        if facing is None or facing is NOWHERE or (type(facing) is tuple and type(facing[0]) is type(facing[1]) is int):
            continue
        _write(value, name, whole(facing))


def _write(value: Value, name: str, content: Any) -> None:
    """Write a field of a frozen value that is being made.

    Not by msgspec's `force_setattr`, which lets the collector track a value that has no room for it.
    """
    getattr(type(value), name).__set__(value, content)


class Build(Card, frozen=True, cache_hash=True):
    """What a size (`id`) is on the table: how far its `base` is across, and the `height` of its models."""

    id: Size
    base: Annotated[float, Meta(gt=0, le=20)]
    height: Annotated[float, Meta(gt=0, le=100)]
    name: Text = ""


class Band(Value, frozen=True, cache_hash=True):
    """A range band: up to which distance it goes, and its modifier, which is better the higher it is."""

    up_to: Length
    modifier: Annotated[int, Meta(ge=-20, le=20)] = 0


class Weapon(Card, frozen=True, cache_hash=True):
    """A weapon of a `kind`: its attack dice, and how far it goes.

    A melee weapon has a `reach`, a ranged one its `bands` from the nearest on; beyond the last one it does not shoot.
    What has a `reload` is unloaded by a shot, and loaded again by an action of that name.
    """

    id: Id
    kind: Literal["melee", "ranged"]
    attack_dice: Dice
    name: Text = ""
    reach: Length | None = None
    bands: Annotated[tuple[Band, ...], Meta(max_length=10)] = ()
    reload: Literal["none", "fast", "slow"] = "none"


class Ability(Card, frozen=True, cache_hash=True):
    """An ability: the rolls (`rerolls`) in which its bearer may roll ones again, once."""

    id: Id
    rerolls: Annotated[tuple[Roll, ...], Meta(max_length=4)]
    name: Text = ""


class Profile(Card, frozen=True, cache_hash=True):
    """The card of a model: its `size`, its values, what it carries, and its `abilities`.

    `movement` is B, `hit_points` are LP; `armour` are its dice for defence, `morale` those for morale. It begins with
    the first of its `weapons` in hand.
    """

    id: Id
    size: Size
    movement: Length
    hit_points: Annotated[int, Meta(ge=1, le=100)]
    name: Text = ""
    armour: Dice = 0
    morale: Dice = 0
    weapons: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    abilities: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class NpcAction(Value, frozen=True, cache_hash=True):
    """An action that a scenario gives its NPCs, as `actions` of a model names it.

    It takes the NPC's one action of the round; a simple one may also be a reaction. What it does beyond that is the
    scenario's matter, and `gist` says it in a sentence.
    """

    id: Id
    name: Text = ""
    gist: Text = ""
    type: Literal["simple", "complex"] = "simple"


class Profiles(Value, frozen=True, cache_hash=True):
    """What a scene brings along; it takes the place of shipped rows of the same id."""

    sizes: Annotated[tuple[Build, ...], Meta(max_length=5)] = ()
    models: Annotated[tuple[Profile, ...], Meta(max_length=60)] = ()
    weapons: Annotated[tuple[Weapon, ...], Meta(max_length=60)] = ()
    abilities: Annotated[tuple[Ability, ...], Meta(max_length=60)] = ()
    npc_actions: Annotated[tuple[NpcAction, ...], Meta(max_length=60)] = ()


class Piece(Value, frozen=True):
    """A piece of terrain: its `outline` in plan, its height, whether it blocks sight, whether nobody may enter it.

    What is impassable and `climbable` is entered by its sides: who has climbed up stands on top.
    """

    id: Id
    outline: Annotated[tuple[Place, ...], Meta(min_length=3, max_length=MOST_CORNERS)]
    blocks_sight: bool = True
    impassable: bool = True
    climbable: bool = False
    height: Length = 3.0


class Board(Value, frozen=True, cache_hash=True):
    """The battlefield: its size, and the terrain on it.

    Bases that are less than `tolerance` apart, or stand in each other by less, touch: posted places are rounded.
    """

    width: Annotated[float, Meta(gt=0, le=200)] = 48.0
    depth: Annotated[float, Meta(gt=0, le=200)] = 48.0
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=MOST_PIECES)] = ()
    tolerance: Annotated[float, Meta(ge=0.001, le=0.2)] = 0.01


class NoBoard(Board, frozen=True, cache_hash=True):
    """No board: an empty one, or where no model has a place, one that only the players see."""


NO_BOARD = NoBoard()


class Item(Value, frozen=True):
    """An item that lies on the battlefield; `at` is null only where there is no board."""

    id: Id
    at: KnownPlace = NOWHERE
    height_above: Length = 0.0


class Side(Value, frozen=True):
    """A side, which is a player: the NPCs it has moved in this NPC phase, and the victory points of the scenario."""

    id: Id
    npcs_moved: Annotated[int, Meta(ge=0, le=100)] = 0
    victory_points: Annotated[int, Meta(ge=-1000, le=1000)] = 0


class Flight(Value, frozen=True):
    """That a model is fleeing: in which direction, which it keeps, and from whom or what (`cause`).

    The direction is null only where there is no board.
    """

    direction: KnownFacing = NOWHERE
    cause: Id | None = None

    def __post_init__(self) -> None:
        settle(self, "direction")


class Own(Value, frozen=True, cache_hash=True):
    """The values of a model that differ from its card, each under the name that it has there.

    `size`, `hit_points`, `weapons` and `abilities` take the place of those of the card. `attack_dice` are those of the
    weapon in hand.
    """

    size: Size | None = None
    movement: Length | None = None
    hit_points: Annotated[int, Meta(ge=1, le=100)] | None = None
    armour: Dice | None = None
    morale: Dice | None = None
    weapons: Annotated[tuple[Id, ...], Meta(max_length=10)] | None = None
    abilities: Annotated[tuple[Id, ...], Meta(max_length=20)] | None = None
    attack_dice: Dice | None = None


class Model(Value, frozen=True, cache_hash=True):
    """A model: whose it is, its card (`profile`), its `items`, where it stands and faces, and what has become of it.

    `side` is the id of a side, or `npc`; then `npc` is its kind, and `actions` are the NPC actions that the scenario
    gives it. `at` is the middle of its base, null where it is not on the battlefield; `height_above` is how high above
    the table its feet are. `in_hand` is a weapon of its card, by default the first; `unloaded` are those that have to
    be reloaded. `statuses` are its status tokens. `acted` and `reacted` are its markers of this round.
    `losses_restored` are the lost hit points that its morale tests no longer count. `out`: it has been eliminated, or
    has fled from the battlefield. `own` are the values in which it differs from its card.
    """

    id: Id
    side: Id
    profile: Id
    at: Place | None = None
    facing: Facing = (0, 1)
    height_above: Length = 0.0
    hit_points_lost: Annotated[int, Meta(ge=0, le=100)] = 0
    in_hand: Id | None = None
    unloaded: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    items: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    statuses: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    acted: bool = False
    reacted: bool = False
    losses_restored: Annotated[int, Meta(ge=0, le=100)] = 0
    fleeing: Flight | None = None
    npc: NpcKind | None = None
    actions: Annotated[tuple[Id, ...], Meta(max_length=30)] = ()
    out: Literal["eliminated", "fled"] | None = None
    own: Own | None = None

    def __post_init__(self) -> None:
        settle(self, "facing")


class Melee(Value, frozen=True):
    """That two models, `one` and the `other`, are in melee combat with each other."""

    one: Id
    other: Id

    def against(self, id_: str) -> str | None:
        """Return the opponent of a model in it; None for one that is not in it."""
        return self.other if id_ == self.one else self.one if id_ == self.other else None


class Scene(Value, frozen=True, cache_hash=True):
    """The whole table: battlefield, sides, models, items, who is in melee, and where the game stands.

    `unit` is the unit of all lengths. `starting` is the side that starts the round, `scenario_starts` the one that does
    because the scenario says so; `turn` is the side whose turn it is. Without `sides` they are those of the models, in
    their order. Where there is no board and no model has a place, all that are not out are in play, and the players
    give the facts.
    """

    sides: Annotated[tuple[Side, ...], Meta(max_length=MOST_SIDES)] = ()
    models: Annotated[tuple[Model, ...], Meta(max_length=MOST_MODELS)] = ()
    board: Board = NO_BOARD
    items: Annotated[tuple[Item, ...], Meta(max_length=MOST_ITEMS)] = ()
    melees: Annotated[tuple[Melee, ...], Meta(max_length=200)] = ()
    unit: Literal["inches", "centimetres"] = "inches"
    round: Annotated[int, Meta(ge=1, le=100)] = 1
    phase: Phase = "action"
    starting: Id | None = None
    scenario_starts: Id | None = None
    turn: Id | None = None
    profiles: Profiles = Profiles()

    def __post_init__(self) -> None:
        if not self.sides:
            named = dict.fromkeys(model.side for model in self.models if model.side != NPC)
            _write(self, "sides", tuple(map(Side, named)))

    @property
    def is_partial(self) -> bool:
        """Whether there is nothing to measure on: no board, and no model with a place."""
        return isinstance(self.board, NoBoard) and all(
            model.at is None or isinstance(model.at, Nowhere) for model in self.models
        )
