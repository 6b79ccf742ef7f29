"""The scene: the table as the client posts it. Distances are hexes; every coordinate is in the board's own scheme."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.nowhere import Nowhere
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.blackstone_fortress.profiles import Profiles

Coordinate = Annotated[int, Meta(ge=-500, le=500)]
Hex = tuple[Coordinate, Coordinate]
Hexside = tuple[Hex, Hex]
ActivationFace = Annotated[int, Meta(ge=1, le=6)]
Counters = Annotated[int, Meta(ge=0, le=60)]
Scheme = Literal["axial", "odd-r", "even-r", "odd-q", "even-q"]

MOST_HEXES = 2500
MOST_SIDES = 6000


class Portal(Value, frozen=True):
    """A portal: the hexes it is `beside`, and the hexes of the escape `chamber` that would take its place."""

    id: Id
    beside: Annotated[tuple[Hex, ...], Meta(min_length=1, max_length=12)]
    chamber: Annotated[tuple[Hex, ...], Meta(max_length=40)] = ()


class EscapeChamber(Value, frozen=True):
    """The maglev transport escape chamber, once it is there: the `portal` it replaced and its `hexes`."""

    portal: Id
    hexes: Annotated[tuple[Hex, ...], Meta(max_length=40)] = ()


class Board(Value, frozen=True, cache_hash=True):
    """The battlefield: its hexes, and what stands on them and between them.

    A hexside is named by the two hexes it parts. Every hexside with only one of its hexes on the board is an edge, and
    so are those that `edges` lists besides; by the reading `edge-definition` the list alone can be meant. `coordinates`
    is axial (q, r), or an offset scheme (column, row): `odd-r` and `even-r` shift rows of pointy hexes, `odd-q` and
    `even-q` columns of flat ones.
    """

    hexes: Annotated[tuple[Hex, ...], Meta(min_length=1, max_length=MOST_HEXES, description="All hexes there are.")]
    coordinates: Scheme = "axial"
    top: Literal["pointy", "flat"] = "pointy"
    walls: Annotated[tuple[Hexside, ...], Meta(max_length=MOST_SIDES, description="Hexsides with a wall.")] = ()
    cover: Annotated[tuple[Hexside, ...], Meta(max_length=MOST_SIDES, description="Hexsides that give cover.")] = ()
    obstructions: Annotated[
        tuple[Hex, ...], Meta(max_length=MOST_HEXES, description="Hexes that nobody enters or sees through.")
    ] = ()
    edges: Annotated[
        Annotated[tuple[Hexside, ...], Meta(max_length=MOST_SIDES)] | None,
        Meta(description="Edges beside those of the board's rim."),
    ] = None
    portals: Annotated[tuple[Portal, ...], Meta(max_length=12)] = ()
    escape_chamber: EscapeChamber | None = None


class NoBoard(Board, frozen=True, cache_hash=True):
    """No board: one that only the players see."""

    hexes: tuple[Hex, ...] = ()


NO_BOARD = NoBoard()


class Explorer(Value, frozen=True):
    """An explorer on the table.

    `activation` are the dice on the card, `overwatch` those saved after the activation, already reduced. `slain` lists
    the hostiles slain in the running activation. `destiny_spent` counts destiny dice spent this turn. `card` names the
    initiative card where two miniatures share one (the Ratling Twins); otherwise it is the explorer's own id. `profile`
    is its character card; `hex` is null off the battlefield. `player` is one of the scene's. `used` are its
    special rules that are limited and used up, `marks` what lasts on it by the name of its cause.
    """

    id: Id
    profile: Id
    hex: Hex | None = None
    player: Id | None = None
    card: Id | None = None
    inspired: bool = False
    inspiration: Counters = 0
    wounds: Counters = 0
    grievous: Counters = 0
    stunned: bool = False
    out_of_action: bool = False
    activation: Annotated[tuple[ActivationFace, ...], Meta(max_length=8)] = ()
    overwatch: Annotated[tuple[Annotated[int, Meta(ge=1, le=5)], ...], Meta(max_length=8)] = ()
    destiny_spent: Annotated[int, Meta(ge=0, le=2)] = 0
    activated: bool = False
    slain: Annotated[tuple[Id, ...], Meta(max_length=60)] = ()
    used: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    marks: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class Hostile(Value, frozen=True):
    """A hostile of a group: on the table at `hex`, or slain, or not yet deployed (no hex).

    `profile` is its reference card; `weapon` is the one it carries where that lists several. `reinforcement` marks one
    that returned to the battlefield this turn and is not activated again.
    """

    id: Id
    profile: Id
    group: Id = "hostiles"
    hex: Hex | None = None
    weapon: Id | None = None
    wounds: Counters = 0
    grievous: Counters = 0
    slain: bool = False
    stunned: bool = False
    empowered: bool = False
    reinforcement: bool = False
    activated: bool = False


class Discovery(Value, frozen=True):
    """A discovery marker in its `hex`; the `number` ties it to an encounter."""

    id: Id
    number: Annotated[int, Meta(ge=1, le=4)]
    hex: Hex | None = None


class Turn(Value, frozen=True):
    """Where the combat stands.

    `track` are the initiative cards from left to right: ids of explorers (or of a shared card) and of hostile groups.
    `covered` lists the explorers that have swapped by covering fire this turn, `happened` the events of the combat
    that happen once. `phase` is null where it is not known. `destiny` are the dice of the pool,
    `discarded_destiny` those that were discarded.
    """

    number: Annotated[int, Meta(ge=1, le=999)] = 1
    phase: Literal["destiny", "initiative", "activation", "event"] | None = None
    track: Annotated[tuple[Id, ...], Meta(max_length=40)] = ()
    destiny: Annotated[tuple[ActivationFace, ...], Meta(max_length=8)] = ()
    discarded_destiny: Annotated[tuple[ActivationFace, ...], Meta(max_length=8)] = ()
    no_destiny_roll: bool = False
    ambush: bool = False
    covered: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    happened: Annotated[tuple[Id, ...], Meta(max_length=120)] = ()


class Scene(Value, frozen=True):
    """The whole table: board, explorers, hostiles, markers, and where the combat stands.

    `players` sit in this order, each to the left of the one before; `leader` is one of them. Without a
    `hostile_player` the leader takes that part. Where there is no board and nothing has a hex, everyone is in play who
    is not slain or out of action, and players give the facts. `twists` are those in force.
    """

    board: Board = NO_BOARD
    explorers: Annotated[tuple[Explorer, ...], Meta(max_length=12)] = ()
    hostiles: Annotated[tuple[Hostile, ...], Meta(max_length=80)] = ()
    discoveries: Annotated[tuple[Discovery, ...], Meta(max_length=20)] = ()
    turn: Turn = Turn()
    players: Annotated[tuple[Id, ...], Meta(max_length=8)] = ()
    leader: Id | None = None
    hostile_player: Id | None = None
    twists: Annotated[tuple[Id, ...], Meta(max_length=12)] = ()
    threat: Annotated[int, Meta(ge=0, le=3)] = 0
    profiles: Profiles = Profiles()

    @property
    def is_partial(self) -> bool:
        """Whether there is nothing to measure on: no board, and nothing with a hex."""
        if not isinstance(self.board, NoBoard):
            return False
        things: tuple[Explorer | Hostile | Discovery, ...] = (*self.explorers, *self.hostiles, *self.discoveries)
        return all(thing.hex is None or isinstance(thing.hex, Nowhere) for thing in things)
