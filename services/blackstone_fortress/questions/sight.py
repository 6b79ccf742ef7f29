"""Line of sight: who sees whom, from where cover counts, how far it is, and what stands in the line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, pointer
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.checks import checked_case
from services.blackstone_fortress.model import Hex, Scene
from services.blackstone_fortress.profiles import Id
from services.blackstone_fortress.rules import sight, sightline
from services.blackstone_fortress.rules.sightline import Contact

# An id without its bounds: msgspec 0.22 reads past its memory in a union of a bounded string and a fixed tuple.
Place = str | Hex


class LineOfSightCase(Value, frozen=True):
    """Whether an observer sees some targets: miniatures by id, or hexes.

    Without targets it is all enemies of the observer on the battlefield, or every miniature if the observer is a hex.
    """

    scene: Scene
    observer: Annotated[Place, Meta(description="A unit's id, or a hex in the board's coordinates.")]
    targets: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=200)] | None = None
    explain: Annotated[
        bool | None,
        Meta(description="Whether to tell what each line meets; null does so for targets that are named."),
    ] = None


class Line(Value, frozen=True):
    """One line of sight, from the observer to a target.

    `start` and `end` are the centres of both hexes, between which the line is drawn, in axial units: the hex (q, r) of
    the axial scheme has its centre at q, r. With hexes whose sides are 1 long, a point is drawn on pointy-topped hexes
    at x = sqrt(3) * (q + r / 2), y = 3 / 2 * r, and on flat ones at x = 3 / 2 * q, y = sqrt(3) * (r + q / 2).
    """

    hex: Annotated[Hex, Meta(description="The target's hex.")]
    visible: Annotated[bool, Meta(description="Whether they see each other.")]
    in_cover: Annotated[bool | None, Meta(description="Whether the target is in cover; null if it is not visible.")]
    range: Annotated[int, Meta(description="The range in hexes.")]
    start: Hex
    end: Hex
    target: Annotated[Id | None, Meta(description="The target's id, if it is a miniature.")] = None
    contacts: Annotated[
        tuple[Contact, ...] | None,
        Meta(description="What the line meets, in order from its start; null where it was not asked for."),
    ] = None


class LineOfSightAnswer(Value, frozen=True):
    """How many of the targets are visible, and the line to each."""

    visible: Annotated[int, Meta(description="How many targets are visible.")]
    observer: Annotated[Hex, Meta(description="The observer's hex.")]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Looking:
    """The battlefield, the observer's hex, and each target's id, if it has one, with its hex."""

    field: Battlefield
    observer: Hex
    targets: tuple[tuple[str | None, Hex], ...]
    explain: bool


def prepare(case: LineOfSightCase) -> Looking:
    """Find observer and targets on the battlefield; raises `Faults`."""
    named = [("observer", case.observer)]
    named += [(f"targets/{index}", target) for index, target in enumerate(case.targets or ())]
    field = checked_case(case.scene, lambda field: _places(field, named))
    explain = case.targets is not None if case.explain is None else case.explain
    if case.targets is not None:
        targets = tuple(_found(field, target) for target in case.targets)
    else:
        units = field.enemies(field.units[case.observer]) if isinstance(case.observer, str) else _everyone(field)
        targets = tuple((unit.id, unit.hex) for unit in units if unit.hex is not None)
    return Looking(field, _found(field, case.observer)[1], targets, explain)


def _everyone(field: Battlefield) -> tuple[Unit, ...]:
    return (*field.explorers, *field.hostiles)


def _places(field: Battlefield, named: list[tuple[str, Place]]) -> Iterator[Fault]:
    for where, place in named:
        if not isinstance(place, str):
            if place not in field.ground.hexes:
                yield Fault(
                    _pointer(where), "off-board", f"{list(place)} is not on the board", list(place),
                    "a hex of the board", f"coordinates are {field.scene.board.coordinates}",
                )  # fmt: skip
        elif place not in field.units:
            known = ", ".join(field.units)
            yield Fault(_pointer(where), "unknown-unit", f"the scene has no unit {place!r}", place, f"one of {known}")
        elif field.units[place].hex is None:
            yield Fault(
                _pointer(where), "not-on-the-battlefield", f"{place} is not on the battlefield", place,
                "a unit with a hex, or a hex",
            )  # fmt: skip


def _pointer(where: str) -> str:
    return pointer("case", *where.split("/"))


def _found(field: Battlefield, place: Place) -> tuple[str | None, Hex]:
    if not isinstance(place, str):
        return None, place
    hex_ = field.units[place].hex
    if hex_ is None:
        raise ValueError(f"{place} has no hex")
    return place, hex_


def line_of_sight(table: Table, state: Looking) -> Decided[LineOfSightAnswer]:
    """Decide visibility, cover and range from the observer's hex to each target's."""
    lines = tuple(_line(table, state, id_, hex_) for id_, hex_ in state.targets)
    return Decided(LineOfSightAnswer(sum(line.visible for line in lines), state.observer, lines))


def _line(table: Table, state: Looking, id_: str | None, hex_: Hex) -> Line:
    field, observer = state.field, state.observer
    visible = sight.visible(table, field, observer, hex_)
    return Line(
        hex_,
        visible,
        sight.in_cover(table, field, observer, hex_) if visible else None,
        sight.range_between(table, field, observer, hex_),
        field.ground.axial(observer),
        field.ground.axial(hex_),
        id_,
        sightline.met(table, field, observer, hex_) if state.explain else None,
    )


LINE_OF_SIGHT = Question(
    name="line-of-sight",
    gist="Whether an observer sees each target, whether that is in cover, at what range, and what the line meets.",
    case=LineOfSightCase,
    answer=LineOfSightAnswer,
    prepare=prepare,
    rule=line_of_sight,
    dice=False,
)

QUESTIONS = (LINE_OF_SIGHT,)
