"""Placing: models that players place in a step of the game, and what makes a place impossible."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.fault import Fault, Faults, pointer
from arbiter.nowhere import PlaceNeeded
from arbiter.skirmish.faults import SCENE, unknown_id
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.scene import MOST_MODELS, Place, Scene


class Placed(Value, frozen=True):
    """A `unit` and where its player puts its `models`, in the order of the scene."""

    unit: Id
    models: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=MOST_MODELS)]


def put(field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Give the battlefield with models where their players put them."""
    return field.put(*(replace(field.unit(row.unit), models=row.models) for row in placed))


def place_faults(scene: Scene, placed: tuple[Placed, ...], member: str, *, whole: bool) -> Iterator[Fault]:
    """Find impossible placements: unknown or repeated units, and wrong numbers of models.

    `whole`: a deployed unit has all models of its card; otherwise it has as many as before. The scene is valid.
    """
    field = checked(scene)
    ids = [unit.id for unit in scene.units]
    for index, row in enumerate(placed):
        here = pointer("case", member, index)
        yield from unknown_id("unit", row.unit, f"{here}/unit", ids)
        if row.unit in [other.unit for other in placed[:index]]:
            yield Fault(f"{here}/unit", "repeated-unit", f"{row.unit} is placed twice", row.unit, "each unit once")
        if row.unit in ids:
            unit = field.unit(row.unit)
            many = field.profile(unit).models if whole else len(unit.models)
            if len(row.models) != many:
                yield Fault(
                    f"{here}/models",
                    "models",
                    f"{row.unit} has {many} models to be placed",
                    len(row.models),
                    f"{many} places",
                )


def checked_places(scene: Scene, placed: tuple[Placed, ...], member: str, *, whole: bool = False) -> Battlefield:
    """Give the battlefield of a scene; raises `Faults` if it, or what is placed on it, is impossible."""
    field = checked(scene)
    if scene.is_partial:
        if placed and not whole:
            raise PlaceNeeded
        # Who is not deployed yet is nowhere else either.
        field = field.with_(units=scene.units) if whole else field
    if faults := tuple(place_faults(scene, placed, member, whole=whole)):
        raise Faults(faults)
    try:
        checked(put(field, placed).scene)
    except Faults as impossible:
        raise Faults([_fault_of_case(fault, scene, placed, member) for fault in impossible.faults]) from impossible
    return field


def _fault_of_case(fault: Fault, scene: Scene, placed: tuple[Placed, ...], member: str) -> Fault:
    """Give a fault of the scene after placing with the pointer of the placement that causes it."""
    for index, row in enumerate(placed):
        place = f"{SCENE}/units/{[unit.id for unit in scene.units].index(row.unit)}"
        if fault.pointer == place or fault.pointer.startswith(f"{place}/"):
            return replace(fault, pointer=pointer("case", member, index) + fault.pointer.removeprefix(place))
    return replace(fault, pointer=pointer("case", member))
