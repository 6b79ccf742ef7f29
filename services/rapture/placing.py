"""Placing: models that players place in a step of the game, and what makes a place impossible."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.fault import Fault, Faults, pointer
from arbiter.nowhere import PlaceNeeded
from arbiter.skirmish.cases import refuse
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


def _place_faults(field: Battlefield, placed: tuple[Placed, ...], member: str, *, whole: bool) -> Iterator[Fault]:
    """Find impossible placements: unknown or repeated units, and wrong numbers of models."""
    for index, row in enumerate(placed):
        here, id_ = pointer("case", member, index), row.unit
        yield from unknown_id("unit", id_, f"{here}/unit", field.by_id)
        if id_ in [other.unit for other in placed[:index]]:
            yield Fault(f"{here}/unit", "repeated-unit", f"{id_} is placed twice", id_, "each unit once")
        if id_ in field.by_id:
            unit, given = field.unit(id_), len(row.models)
            many = field.profile(unit).models if whole else len(unit.models)
            if given != many:
                text = f"{id_} has {many} models to be placed"
                yield Fault(f"{here}/models", "models", text, given, f"{many} places")


def checked_places(scene: Scene, placed: tuple[Placed, ...], member: str, *, whole: bool = False) -> Battlefield:
    """Give the battlefield of a scene; raises `Faults` if it, or what is placed on it, is impossible.

    `whole`: a deployed unit has all models of its card; otherwise it has as many as before.
    """
    field = checked(scene)
    if scene.is_partial:
        if placed and not whole:
            raise PlaceNeeded
        # Who is not deployed yet is nowhere else either.
        field = field.with_(units=scene.units) if whole else field
    refuse(_place_faults(field, placed, member, whole=whole))
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
