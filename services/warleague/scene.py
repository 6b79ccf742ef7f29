"""The scene: the table as the client posts it. Distances are tiles; every tile is in the board's own coordinates."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.nowhere import Nowhere
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.warleague.profiles import Changes, Number, Profiles, Rounds

MOST_ACROSS = 50
MOST_TILES = MOST_ACROSS * MOST_ACROSS
MOST_UNITS = 100
MOST_SIDES = 8
MOST_ITEMS = 100
MOST_EFFECTS = 1000
MOST_CARDS = 1000

Coordinate = Annotated[int, Meta(ge=0, lt=MOST_ACROSS)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Tile = tuple[Coordinate, Coordinate]
"""Column and row; row 0 is drawn at the top."""

Shape = Literal["hex", "square-4", "square-8"]
Scheme = Literal["odd-r", "even-r", "odd-q", "even-q", "axial"]
Phase = Literal["update", "order", "turns", "over"]
Holds = Literal["trap", "loot", "nothing"]
Place = Literal["slots", "inventory"]
PLACES: tuple[Place, ...] = ("slots", "inventory")
Facing = Annotated[
    int, Meta(ge=0, le=7, description="A direction of the grid, counter-clockwise, beginning in the east.")
]


class KillingTile(Value, frozen=True):
    """A tile (`at`) that kills every unit that lands on it: a hole, lava or the like."""

    at: Tile
    kind: Id = "hole"


class Board(Value, frozen=True, cache_hash=True):
    """The battlefield as it was built, which does not change: columns by rows of tiles, less the `missing` ones.

    `grid` is hexes, or squares whose neighbours are four or eight. Hexes are named by an offset scheme: `odd-r` and
    `even-r` shift rows of pointy hexes, `odd-q` and `even-q` columns of flat ones; by `axial` coordinates rows are
    slanted. On squares the scheme does not matter. Without `facing` nobody faces anywhere, and nobody is flanked.
    """

    grid: Shape = "hex"
    coordinates: Scheme = "odd-r"
    columns: Annotated[int, Meta(ge=1, le=MOST_ACROSS)] = 12
    rows: Annotated[int, Meta(ge=1, le=MOST_ACROSS)] = 10
    missing: Annotated[tuple[Tile, ...], Meta(max_length=MOST_TILES, description="Tiles that are not there.")] = ()
    difficult: Annotated[tuple[Tile, ...], Meta(max_length=MOST_TILES, description="Tiles of difficult ground.")] = ()
    killing: Annotated[tuple[KillingTile, ...], Meta(max_length=MOST_TILES)] = ()
    facing: bool = True


class NoBoard(Board, frozen=True, cache_hash=True):
    """No board: the usual one, or where nothing has a place, one that only the players see."""


NO_BOARD = NoBoard()


class Obstacle(Value, frozen=True):
    """An obstacle, by its `id`; it fills the tile `at`, until an explosion destroys it."""

    id: Id
    at: Tile
    kind: Literal["wall", "column", "other"] = "wall"


class Hidden(Value, frozen=True):
    """A crate or a concealed tile (`at`), and what it `holds`: null is unknown until it is revealed."""

    at: Tile
    holds: Holds | None = None


class Trap(Value, frozen=True):
    """A `trap`, the id of its card, that lies open on the tile `at`."""

    at: Tile
    trap: Id


class Item(Value, frozen=True):
    """An `item` somebody has, by the id of its card.

    `left` are rounds of ammunition, levels of a shield or armor, null is all of it.
    """

    item: Id
    left: Number | None = None


class LyingItem(Value, frozen=True):
    """An `item` that lies on the tile `at`; `left` as of an item that somebody has."""

    at: Tile
    item: Id
    left: Number | None = None


class Rad(Value, frozen=True):
    """The Rad tag of a kill on the tile `at`: its `number`, and how many update phases have turned it (`updates`)."""

    at: Tile
    number: Annotated[int, Meta(ge=1, le=100)]
    updates: Number = 0


class Deck(Value, frozen=True):
    """A deck of `cards` by their ids, the top first, and its discard pile (`discard`).

    Where it is `shuffled` nobody knows the order, and drawing from it is a throw.
    """

    cards: Annotated[tuple[Id, ...], Meta(max_length=MOST_CARDS)] = ()
    discard: Annotated[tuple[Id, ...], Meta(max_length=MOST_CARDS)] = ()
    shuffled: bool = False


class Side(Value, frozen=True):
    """A side, which is a player or the NPCs, with its `id`, its command points, and the Rad it has collected.

    Sides of one `team` are no enemies of each other. `die` is the face of its roll for the order of this round.
    """

    id: Id
    team: Id | None = None
    die: Annotated[int, Meta(ge=1, le=6)] | None = None
    command_points: Number = 0
    rad: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0


class Hand(Value, frozen=True):
    """A `weapon` in a hand, or in both, by the id of its card.

    `ammo` are its ammo tags that show their front, null is a full magazine. `parries` are reserved with it.
    """

    weapon: Id
    ammo: Number | None = None
    parries: Count = 0


class Effect(Value, frozen=True):
    """What a `card`, or anything else with a name, changes about a unit.

    It holds for so many more `rounds`, null is for good.
    """

    card: Id
    changes: Changes = ()
    rounds: Rounds | None = None


class Cooldown(Value, frozen=True):
    """An `ability` that cannot be used for so many more `rounds`."""

    ability: Id
    rounds: Rounds


class Unit(Value, frozen=True, cache_hash=True):
    """A unit: whose it is, its card, where it stands and faces, and what has become of it.

    Its `id` names it in questions and rulings. It belongs to the `side`, and `profile` is the id of its card. `at` of
    null is off the board. `ap` are the action points at hand, null is all that its card gives. `health_lost` and
    `armor_lost` are counters or damage tags. `hands` of null hold the weapons of its card; `spare` are weapons that it
    carries beside. `acted`: it has had its turn in this round. `overwatch` is a reaction held ready. A hero is
    `downed`, others are `dead` and off the board.
    """

    id: Id
    side: Id
    profile: Id
    at: Tile | None = None
    facing: Facing | None = None
    ap: Count | None = None
    health_lost: Count = 0
    armor_lost: Count = 0
    hands: Annotated[tuple[Hand, ...], Meta(max_length=2)] | None = None
    slots: Annotated[tuple[Item, ...], Meta(max_length=MOST_ITEMS)] = ()
    inventory: Annotated[tuple[Item, ...], Meta(max_length=MOST_ITEMS)] = ()
    spare: Annotated[tuple[Hand, ...], Meta(max_length=MOST_ITEMS)] = ()
    effects: Annotated[tuple[Effect, ...], Meta(max_length=MOST_EFFECTS)] = ()
    cooldowns: Annotated[tuple[Cooldown, ...], Meta(max_length=10)] = ()
    overwatch: bool = False
    acted: bool = False
    downed: bool = False
    dead: bool = False


class Scene(Value, frozen=True, cache_hash=True):
    """The whole table: board, sides, units, what stands and lies about, and where the game stands.

    `order` are the sides in the order of this round, `turn` is the side whose turn it is, `active` the unit that has
    its turn. With `shared_tiles` several units of a side may stand on one tile. Without a board, and where no unit and
    no thing has a place, all units are in play that are not dead, and players give the facts.
    """

    sides: Annotated[tuple[Side, ...], Meta(min_length=1, max_length=MOST_SIDES)]
    units: Annotated[tuple[Unit, ...], Meta(max_length=MOST_UNITS)] = ()
    board: Board = NO_BOARD
    shared_tiles: bool = False
    obstacles: Annotated[tuple[Obstacle, ...], Meta(max_length=MOST_TILES)] = ()
    crates: Annotated[tuple[Hidden, ...], Meta(max_length=MOST_TILES)] = ()
    concealed: Annotated[tuple[Hidden, ...], Meta(max_length=MOST_TILES)] = ()
    traps: Annotated[tuple[Trap, ...], Meta(max_length=MOST_CARDS)] = ()
    items: Annotated[tuple[LyingItem, ...], Meta(max_length=MOST_CARDS)] = ()
    rads: Annotated[tuple[Rad, ...], Meta(max_length=MOST_CARDS)] = ()
    trap_deck: Deck = Deck()
    loot_deck: Deck = Deck()
    round: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    phase: Phase = "turns"
    order: Annotated[tuple[Id, ...], Meta(max_length=MOST_SIDES)] = ()
    turn: Id | None = None
    active: Id | None = None
    profiles: Profiles = Profiles()

    @property
    def is_partial(self) -> bool:
        """Whether there is nothing to measure on: no board, and no unit or thing with a place."""
        if not isinstance(self.board, NoBoard):
            return False
        things = (self.obstacles, self.crates, self.concealed, self.traps, self.items, self.rads)
        rows = (row for rows in (self.units, *things) for row in rows)
        return all(row.at is None or isinstance(row.at, Nowhere) for row in rows)
