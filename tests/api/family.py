"""Structs that exist only to have every feature of a declaration that travels."""

from fractions import Fraction
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, field

from arbiter.value import Value

C = TypeVar("C")


Side = Literal["red", "blue"]


class Point(Value, frozen=True):
    """A place in inches."""

    x: Annotated[float, Meta(ge=0, le=48, description="Inches from the left edge.", examples=[12.5])]
    y: Annotated[float, Meta(gt=-1, lt=48.5)]


class Wall(Value, frozen=True):
    """A wall; nothing sees through it."""

    ends: Annotated[tuple[Point, ...], Meta(min_length=2, max_length=4)]
    height: Annotated[int, Meta(ge=1, lt=10)] = 2


class Door(Value, frozen=True, rename="camel"):
    at_hex: tuple[int, int]
    is_open: bool = False
    side: Side | None = None


class Span(Value, frozen=True):
    """Two numbers in order."""

    low: int
    high: int

    def __post_init__(self) -> None:
        """Refuse a span that ends before it begins."""
        if self.high < self.low:
            raise ValueError("a span ends where it begins or later")


class Node(Value, frozen=True):
    """A tree."""

    name: Annotated[str, Meta(max_length=3)] = ""
    inner: Annotated[tuple["Node", ...], Meta(max_length=2)] = ()
    next: "Node | None" = None


class Unit(Value, frozen=True):
    """A unit on the table."""

    id: Annotated[str, Meta(min_length=1, max_length=4, pattern="^[a-z][a-z0-9]*$", description="A short name.")]
    side: Side
    at: tuple[int, int] | None = None
    wounds: Annotated[int, Meta(gt=-1, le=30, multiple_of=3)] = 0
    speed: Annotated[float, Meta(ge=0, le=12, multiple_of=0.25)] = 6.0
    role: Literal["leader", "trooper", None] = None
    rank: Literal["none"] | int = "none"
    seed: Annotated[int, Meta(ge=0)] | Annotated[str, Meta(min_length=1)] = 0
    odds: Fraction = Fraction(7, 12)
    share: Annotated[Fraction, Meta(description="A part of the whole.")] | None = None
    level: Literal[1, 2, "top"] = 1


class Kit(Value, frozen=True):
    """Everything at once."""

    units: Annotated[tuple[Unit, ...], Meta(max_length=3)]
    terrain: tuple[Wall, ...] = ()
    door: Door | None = None
    mixed: Wall | int | str | tuple[int, ...] | None = None
    by_name: Annotated[dict[Annotated[str, Meta(max_length=3)], Annotated[int, Meta(ge=0)]], Meta(max_length=3)] = {}
    by_side: dict[Side, Point] = {}
    by_word: Annotated[dict[Literal["a", "b"], tuple[float, bool, str]], Meta(min_length=1)] = field(
        default_factory=lambda: {"a": (1.0, True, "")}
    )
    number: int | float = 0
    number_or_names: float | tuple[str, ...] | dict[str, int] | bool = 0.5
    anything: Any = None
    things: Annotated[tuple[Any, ...], Meta(max_length=2)] = ()
    loose: dict[str, Any] = {}
    node: Node = Node()
    span: Span | None = None
    made: int = 1
    load: int = field(name="fields", default=2)
    any_int: int = 0


class Posted(Value, Generic[C], frozen=True):
    """A case as it is posted."""

    case: C
    note: Annotated[str, Meta(max_length=5)] = ""
