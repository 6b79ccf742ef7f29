"""The scene: the table as the client posts it. Lengths are inches, places are measured from one corner of the table."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.nowhere import Nowhere
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.stargrave.profiles import Inches, Own, Profiles, Stat

Place = tuple[Inches, Inches]
"""A place in plan: inches along the table and inches across it."""

MOST_PIECES = 300
MOST_CORNERS = 64
MOST_FIGURES = 60

Role = Literal["captain", "first-mate", "soldier", "creature"]
OFFICERS: tuple[Role, ...] = ("captain", "first-mate")
Phase = Literal["initiative", "captain", "first-mate", "soldier", "creature"]
Loot = Literal["physical", "data"]


class Piece(Value, frozen=True):
    """A piece of terrain: its `outline` in plan, its height, and what it is to sight, to cover and to those who move.

    `sight`: it blocks lines, obscures what is behind it, or does neither. `cover`: of solid or soft stuff. `ground`:
    even, rough, water, or not to be entered on the level; a `climbable` piece can be climbed up to its top. A wall that
    a `power` has put up says in which turn (`since`).
    """

    id: Id
    outline: Annotated[tuple[Place, ...], Meta(min_length=3, max_length=MOST_CORNERS)]
    height_in: Inches = 3.0
    sight: Literal["blocks", "obscures", "open"] = "blocks"
    cover: Literal["solid", "soft", "none"] = "solid"
    ground: Literal["even", "rough", "water", "impassable"] = "impassable"
    climbable: bool = True
    power: Id | None = None
    since: Annotated[int, Meta(ge=1, le=99)] | None = None


class Smoke(Value, frozen=True):
    """A cloud of smoke around `at`, which lies until the client takes it away."""

    id: Id
    at: Place


class Board(Value, frozen=True, cache_hash=True):
    """The table: its size, and the terrain and smoke on it.

    What is no more than `tolerance_in` apart touches, and bases may stand in each other by as much: places are rounded.
    """

    width_in: Annotated[float, Meta(gt=0, le=120)] = 36.0
    depth_in: Annotated[float, Meta(gt=0, le=120)] = 36.0
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=MOST_PIECES)] = ()
    smoke: Annotated[tuple[Smoke, ...], Meta(max_length=30)] = ()
    tolerance_in: Annotated[float, Meta(ge=0.002, le=0.2)] = 0.002


class NoBoard(Board, frozen=True, cache_hash=True):
    """No board: an empty table, or where no figure has a place, one that only the players see."""


NO_BOARD = NoBoard()


class Spell(Value, frozen=True):
    """What a `power` does to a figure for a while: the power, and what it adds to stats.

    `owner` is the crew from which a figure came that the power has brought under control, `since` the turn from which
    the power counts, where that is a later one than when it was used.
    """

    power: Id
    owner: Id | None = None
    since: Annotated[int, Meta(ge=1, le=99)] | None = None
    move: Stat = 0
    fight: Stat = 0
    shoot: Stat = 0
    armour: Stat = 0
    will: Stat = 0


class Figure(Value, frozen=True):
    """A figure (`id`) of some kind (`profile`): on the table at `at`, or not in play.

    `crew` is the player whose figure it is; a creature that nobody controls has none. `health` is what is left, by
    default all of it; at 0 the figure is out of the game. `stunned` holds until its next activation, `was_stunned` says
    that it was stunned when it activated this turn. `jammed` are its weapons that have to be cleared. `carries` is the
    id of a loot token. `weapons`, `base_in` (across), `height_in` and the numbers in `own` take the place of those of
    its profile.
    """

    id: Id
    profile: Id
    crew: Id | None = None
    role: Role = "soldier"
    at: Place | None = None
    elevation_in: Inches = 0.0
    base_in: Annotated[float, Meta(gt=0, le=10)] | None = None
    height_in: Annotated[float, Meta(gt=0, le=24)] | None = None
    health: Annotated[int, Meta(ge=0, le=100)] | None = None
    stunned: bool = False
    was_stunned: bool = False
    wounded: bool = False
    jammed: Annotated[tuple[Id, ...], Meta(max_length=6)] = ()
    weapons: Annotated[tuple[Id, ...], Meta(max_length=12)] | None = None
    carries: Id | None = None
    activated: bool = False
    spells: Annotated[tuple[Spell, ...], Meta(max_length=12)] = ()
    own: Own | None = None


class Token(Value, frozen=True):
    """A loot token of a `kind`: where it lies (`at`), unless somebody carries it, and whether it is unlocked.

    `unlocked_by` is who has unlocked it just now.
    """

    id: Id
    kind: Loot
    at: Place | None = None
    elevation_in: Inches = 0.0
    unlocked: bool = False
    unlocked_by: Id | None = None


class Turn(Value, frozen=True):
    """Where the game stands: the turn, its `phase`, and the crews in the `order` in which they go in each phase."""

    number: Annotated[int, Meta(ge=1, le=99)] = 1
    phase: Phase | None = None
    order: Annotated[tuple[Id, ...], Meta(max_length=6)] = ()


class Scene(Value, frozen=True):
    """The whole table: board, figures, loot, and where the game stands.

    Without a board, the table is empty. Where no figure has a place either, all with Health left are in play, and
    players give the facts.
    """

    board: Board = NO_BOARD
    figures: Annotated[tuple[Figure, ...], Meta(max_length=MOST_FIGURES)] = ()
    tokens: Annotated[tuple[Token, ...], Meta(max_length=30)] = ()
    turn: Turn = Turn()
    profiles: Profiles = Profiles()

    @property
    def is_partial(self) -> bool:
        """Whether there is nothing to measure on: no board, and no figure with a place."""
        return isinstance(self.board, NoBoard) and all(
            figure.at is None or isinstance(figure.at, Nowhere) for figure in self.figures
        )
