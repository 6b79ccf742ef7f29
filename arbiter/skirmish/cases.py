"""Cases of skirmish games: their preparation for the rules, their faults, and what is forbidden."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from arbiter.fault import Fault, Faults
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.faults import case_pointer
from arbiter.skirmish.validation import Validator

F = TypeVar("F")
C = TypeVar("C")


@dataclass(frozen=True)
class CaseState(Generic[F, C]):
    """The battlefield, and the posted case, whose ids and positions are valid."""

    field: F
    case: C


def case_fault(
    member: str | int, code: str, message: str, seen: Any = None, expected: str = "", hint: str = ""
) -> Fault:
    """Give the fault of a member of a case; the member may be a path of several, as in `targets/2`."""
    return Fault(case_pointer(member), code, message, seen, expected, hint)


def prepared(
    validator: Validator[Any, F],
    unit: str,
    kinds: Mapping[str, str],
    members: Iterable[str],
    in_play: bool,
    faults: Callable[[F, C], Iterable[Fault]],
) -> Callable[[C], CaseState[F, C]]:
    """Prepare cases with a scene whose members name units and other objects; raises `Faults`.

    A member is an id, several of them, or empty; `kinds` gives its kind if it is not `unit`. All have to exist, and
    with `in_play` the units have to be in play. Then `faults` finds the other faults of a case.
    """

    def prepare(case: Any) -> CaseState[F, C]:
        named = [(where, kinds.get(member, unit), id_) for member in members for where, id_ in _ids(case, member)]
        units = [(where, id_) for where, kind, id_ in named if kind == unit and in_play]
        field = validator.case(case.scene, *named, more=validator.absent(case.scene, *units))
        refuse(faults(field, case))
        return CaseState(field, case)

    return prepare


def _ids(case: Any, member: str) -> Iterator[tuple[str, str]]:
    """Give the ids in a member of a case, each with its pointer."""
    held = getattr(case, member)
    if isinstance(held, str):
        yield member, held
    elif held is not None:
        yield from ((f"{member}/{index}", id_) for index, id_ in enumerate(held))


def refuse(faults: Iterable[Fault]) -> None:
    """Raise `Faults` with these, if there are any."""
    if every := tuple(faults):
        raise Faults(every)


def forbid(*reasons: Iterable[Reason]) -> None:
    """Raise `Forbidden` with every distinct reason of some lists, if there are any."""
    if distinct := {reason.text: reason for reason in chain(*reasons)}:
        raise Forbidden(*distinct.values())
