"""Cases that are about one explorer and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass

from arbiter.facts import FactCase
from arbiter.fault import Fault
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import checked_case, id_faults
from services.blackstone_fortress.profiles import Id
from services.blackstone_fortress.scene import Scene


class ExplorerCase(FactCase, frozen=True):
    """An `explorer` of the scene, as its card lies now."""

    scene: Scene
    explorer: Id


@dataclass(frozen=True)
class ExplorerState:
    """The battlefield, and the explorer's id."""

    field: Battlefield
    id: str


def prepare_explorer(case: ExplorerCase) -> ExplorerState:
    """Find the explorer; raises `Faults`."""
    return ExplorerState(checked_case(case.scene, lambda field: explorer_faults(field, case.explorer)), case.explorer)


def explorer_faults(field: Battlefield, id_: str, where: str = "explorer") -> Iterator[Fault]:
    """Find fault with an id that is none of an explorer."""
    yield from id_faults(field, "explorer", id_, where, [explorer.id for explorer in field.scene.explorers])
