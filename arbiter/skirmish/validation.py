"""Validation of scenes and cases: a scene is checked once, and all faults of a case are reported together."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from arbiter.caching import SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults
from arbiter.skirmish.faults import case_pointer, unknown_id

S = TypeVar("S")
F = TypeVar("F")


class Validator(Generic[S, F]):
    """Turns the scenes of a game into battlefields, or raises `Faults` with every fault.

    `faults` finds the faults of a scene, and `prepare` gives the battlefield of a valid one. `ids` gives the ids of
    each kind that a case may name. Units are ids of the kind `unit`, `playing` are those in play, and `absence` is the
    message for the others.
    """

    def __init__(
        self,
        faults: Callable[[S], Iterable[Fault]],
        prepare: Callable[[S], F],
        ids: Mapping[str, Callable[[S], Collection[str]]],
        playing: Callable[[S], Collection[str]],
        unit: str = "unit",
        absence: str = "is not on the battlefield",
    ) -> None:
        self._faults, self._prepare, self._ids, self._playing = faults, prepare, ids, playing
        self._unit, self._absence = unit, absence
        self.validated = of_the_same(SCENES_AT_HAND)(self._validate)

    def scene(self, scene: S) -> F:
        """Give the battlefield of a scene; raises `Faults`."""
        return self.case(scene)

    def case(self, scene: S, *named: tuple[str, str, str], more: Iterable[Fault] = ()) -> F:
        """Give the battlefield of a case that names rows of the scene; raises `Faults`.

        `named` are the member of the case, the kind of the row and its id; `more` are further faults of the case.
        """
        faults, field = self.validated(scene)
        wrong = [*faults, *self._unknown(scene, named), *more]
        if field is None or wrong:
            raise Faults(wrong)
        return field

    def in_play(
        self, scene: S, *named: tuple[str, str], also: Iterable[tuple[str, str, str]] = (), more: Iterable[Fault] = ()
    ) -> F:
        """Give the battlefield of a case that names units, all of them in play; raises `Faults`.

        `named` are the member of the case and the id of the unit; `also` are other names of the case, as `case` takes
        them, and `more` are further faults.
        """
        units = [(where, self._unit, id_) for where, id_ in named]
        return self.case(scene, *units, *also, more=(*self.absent(scene, *named), *more))

    def absent(self, scene: S, *named: tuple[str, str]) -> Iterator[Fault]:
        """Find the units of a case that are in the scene, but not in play."""
        playing = self._playing(scene)
        units = self._ids[self._unit](scene)
        for where, id_ in named:
            if id_ in units and id_ not in playing:
                yield Fault(
                    case_pointer(where),
                    "not-in-play",
                    f"{id_} {self._absence}",
                    id_,
                    f"one of {', '.join(playing)}" if playing else f"a {self._unit} in play, but there is none",
                )

    def _validate(self, scene: S) -> tuple[tuple[Fault, ...], F | None]:
        faults = tuple(self._faults(scene))
        return faults, None if faults else self._prepare(scene)

    def _unknown(self, scene: S, named: Iterable[tuple[str, str, str]]) -> Iterator[Fault]:
        for where, kind, id_ in named:
            yield from unknown_id(kind, id_, case_pointer(where), self._ids[kind](scene))
