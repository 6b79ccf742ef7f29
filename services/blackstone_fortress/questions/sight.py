"""Line of sight: who sees whom, from where cover counts, how far it is, and what stands in the line."""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta
from msgspec.structs import replace

from arbiter.fault import Fault, Faults
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.checks import checked_case, fault, one_of
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.rules import sight, sightline
from services.blackstone_fortress.rules.sightline import Contact
from services.blackstone_fortress.scene import Hex, Scene

# An id without its bounds: msgspec 0.22 reads past its memory in a union of a bounded string and a fixed tuple.
Place = str | Hex


MOST_EXPLAINED = 20
"""Lines of which it is listed what they meet where the case does not say whether."""


class LineOfSightCase(Value, frozen=True):
    """Whether an observer sees some targets: miniatures by id, or hexes.

    Without `targets` it is all enemies of the observer on the battlefield, or every miniature if the observer is a hex.
    """

    scene: Scene
    observer: Annotated[Place, Meta(description="A unit's id, or a hex in the board's coordinates.")]
    targets: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=200)] | None = None
    explain: Annotated[
        bool | None, Meta(description="Whether to list what each line meets; null does so for up to 20 targets.")
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
        Meta(description="What the line meets, in order from its start; null if it was not requested."),
    ] = None


class LineOfSightAnswer(Value, frozen=True):
    """How many of the targets are visible, and the line to each."""

    visible: Annotated[int, Meta(description="How many targets are visible.")]
    observer: Annotated[Hex, Meta(description="The observer's hex.")]
    lines: tuple[Line, ...]


class LineOfSightState(NamedTuple):
    """The battlefield, the observer's hex, and each target's id, if it has one, with its hex."""

    field: Battlefield
    observer: Hex
    targets: Sequence[tuple[str | None, Hex]]
    explain: bool


def prepare(case: LineOfSightCase) -> LineOfSightState:
    """Find observer and targets on the battlefield; raises `Faults`."""
    field = checked_case(case, _place_faults)
    observer = _hex(field, case.observer)
    placed = [(target if isinstance(target, str) else None, _hex(field, target)) for target in case.targets or ()]
    targets = [(id_, hex_) for id_, hex_ in placed if hex_ is not None]
    if observer is None or len(targets) < len(placed):
        raise Faults(_place_faults(field, case))
    if case.targets is None:
        units = field.enemies(field.units[case.observer]) if isinstance(case.observer, str) else _everyone(field)
        targets = [(unit.id, unit.hex) for unit in units if unit.hex is not None]
    explain = len(targets) <= MOST_EXPLAINED if case.explain is None else case.explain
    return LineOfSightState(field, observer, targets, explain)


def _everyone(field: Battlefield) -> tuple[Unit, ...]:
    return (*field.explorers, *field.hostiles)


def _hex(field: Battlefield, place: Place) -> Hex | None:
    """Give the hex of a place; None where there is none, or it is not on the battlefield."""
    if isinstance(place, str):
        unit = field.units.get(place)
        return None if unit is None else unit.hex
    return place if place in field.ground.hexes else None


def _place_faults(field: Battlefield, case: LineOfSightCase) -> Iterator[Fault]:
    targets = [(f"targets/{index}", target) for index, target in enumerate(case.targets or ())]
    for where, place in (("observer", case.observer), *targets):
        if _hex(field, place) is None:
            yield _fault(field, where, place)


def _fault(field: Battlefield, where: str, place: Place) -> Fault:
    if not isinstance(place, str):
        hint = f"coordinates are {field.scene.board.coordinates}"
        message = f"{list(place)} is not on the board"
        return fault(where, "off-board", message, list(place), "a hex of the board", hint)
    if place not in field.units:
        asked = one_of(field.units) if field.units else "a hex of the board, for the scene has no units"
        return fault(where, "unknown-unit", f"the scene has no unit {place!r}", place, asked)
    message = f"{place} is not on the battlefield"
    return fault(where, "not-on-the-battlefield", message, place, "a unit with a hex, or a hex")


def line_of_sight(table: Table, state: LineOfSightState) -> Decided[LineOfSightAnswer]:
    """Whether an observer sees each target, whether that is in cover, at what range, and what the line meets."""
    field, observer, targets, explain = state
    sheltering = sight.sheltering(field)
    lines = tuple(
        replace(table.always(_draw, field.ground, observer, hex_, sheltering, explain), target=id_)
        for id_, hex_ in targets
    )
    return Decided(LineOfSightAnswer(sum(line.visible for line in lines), observer, lines))


def _draw(table: Table, ground: Ground, a: Hex, b: Hex, sheltering: bool, explain: bool) -> Line:
    """Give the line to a hex, whoever stands there."""
    visible = sight.line_is_free(table, ground, a, b)
    return Line(
        b,
        visible,
        sight.covered(table, ground, a, b, sheltering) if visible else None,
        sight.hexes_between(table, ground, a, b),
        ground.axial(a),
        ground.axial(b),
        contacts=sightline.contacts(table, ground, a, b, sheltering and visible) if explain else None,
    )


QUESTIONS = (Question("line-of-sight", LineOfSightCase, prepare, line_of_sight),)
