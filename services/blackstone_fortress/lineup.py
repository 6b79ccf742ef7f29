"""Line-ups: the part of a battlefield on which most questions of sight, range and movement depend.

A line-up knows the board, the twists, and who stands where with which card and marks: no wounds, no dice, no markers,
and nothing of the turn. Battlefields that differ in these alone have the same line-up; and for a question that concerns
only some of the units, so have battlefields that differ in the others.
"""

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import ref

from arbiter.caching import Memory
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, Facts, Unit
from services.blackstone_fortress.book import Book
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Explorer, Hostile, Scene

R = TypeVar("R")

MOST_LINEUPS = 20_000
"""Line-ups in each of the two generations that are kept."""

MOST_REBUILT = 4
"""Battlefields, with their grounds, in each of the two generations that are kept."""


class Lineup:
    """Who stands where on which ground; line-ups of the same content are one and the same object.

    It does not keep ground and book alive: the battlefield of the caller does.
    """

    __slots__ = ("_book", "_ground", "facts", "twists")

    def __init__(
        self, ground: "ref[Ground]", book: "ref[Book]", twists: tuple[str, ...], facts: tuple[Facts, ...]
    ) -> None:
        self._ground, self._book, self.twists, self.facts = ground, book, twists, facts

    def battlefield(self) -> Battlefield:
        """Give the battlefield with these units, and with nothing else upon it."""
        battlefield = _rebuilt[self]
        if battlefield is None:
            ground, book = self._ground(), self._book()
            if ground is None or book is None:
                raise LookupError("the battlefield that was looked at is gone")
            explorers = tuple(_explorer(one) for one in self.facts if one[0] is Explorer)
            hostiles = tuple(_hostile(one) for one in self.facts if one[0] is Hostile)
            scene = Scene(ground.posted, explorers, hostiles, twists=self.twists)
            units: dict[str, Unit] = {explorer.id: explorer for explorer in explorers}
            units.update({hostile.id: hostile for hostile in hostiles})
            battlefield = Battlefield(ground, book, scene, units)
            battlefield.__dict__["facts"] = {facts[1]: facts for facts in self.facts}
            _rebuilt.keep(self, battlefield)
        return battlefield


def _explorer(facts: Facts) -> Explorer:
    _, id_, profile, hex_, card, inspired, out, marks = facts
    return Explorer(id_, profile, hex_, card=card, inspired=inspired, out_of_action=out, marks=marks)


def _hostile(facts: Facts) -> Hostile:
    _, id_, group, profile, hex_, weapon, slain = facts
    return Hostile(id_, group, profile, hex_, weapon, slain=slain)


_lineups: Memory[Lineup] = Memory(MOST_LINEUPS)
_rebuilt: Memory[Battlefield] = Memory(MOST_REBUILT)

View = Callable[[Battlefield], Lineup]
"""The part of a battlefield on which a question depends."""


def everyone(field: Battlefield) -> Lineup:
    """Give the whole line-up."""
    return _part(field, ("everyone",), field.units)


def nobody(field: Battlefield) -> Lineup:
    """See the ground and the twists alone."""
    return _part(field, "nobody", ())


def only(*ids: str) -> View:
    """See these units alone; whoever else there is, is not there."""
    return lambda field: _part(field, ("only", *ids), ids)


def facing(unit_id: str) -> View:
    """See a unit and its enemies on the battlefield, and of its friends only those whose marks may concern others."""

    def view(field: Battlefield) -> Lineup:
        lineup: Lineup | None = field.views.get(("facing", unit_id))
        if lineup is not None:
            return lineup
        ours = isinstance(field.units[unit_id], Explorer)
        explorers = [one.id for one in field.explorers if not ours or one.marks or one.id == unit_id]
        hostiles = [one.id for one in field.hostiles if ours or one.id == unit_id]
        return _part(field, ("facing", unit_id), (*explorers, *hostiles))

    return view


def explorers(field: Battlefield) -> Lineup:
    """See the explorers on the battlefield."""
    return _part(field, ("explorers",), [explorer.id for explorer in field.explorers])


def within(unit_id: str, hexes: int, *, and_explorers: bool = False) -> View:
    """See a unit and everyone on the battlefield within so many hexes of it, and all explorers if `and_explorers`."""

    def view(field: Battlefield) -> Lineup:
        here, distance = field.units[unit_id].hex, field.ground.distance
        standing: tuple[Unit, ...] = (*field.explorers, *field.hostiles)
        near = [
            one.id
            for one in standing
            if (and_explorers and isinstance(one, Explorer)) or (here and one.hex and distance(here, one.hex) <= hexes)
        ]
        return _part(field, ("within", unit_id, hexes, and_explorers), near)

    return view


def recalled(table: Table, field: Battlefield, view: View, rule: Callable[..., R], *args: Any) -> R:
    """Apply a rule that depends on a part of the line-up alone, and neither rolls nor offers a choice.

    A table that remembers answers applies it to that part alone; any other applies it to the whole battlefield.
    """
    if not table.in_bulk:
        return rule(table, field, *args)
    answer: R = table.once(_ask, rule, view(field), *args)
    return answer


def _ask(table: Table, rule: Callable[..., R], lineup: Lineup, *args: Any) -> R:
    return rule(table, lineup.battlefield(), *args)


def _part(field: Battlefield, name: Any, ids: Any) -> Lineup:
    """Give the line-up of some units, by the name under which the battlefield remembers it."""
    lineup: Lineup | None = field.views.get(name)
    if lineup is None:
        facts = field.facts
        key = ref(field.ground), ref(field.book), field.scene.twists, tuple([facts[id_] for id_ in ids])
        lineup = _lineups[key]
        if lineup is None:
            lineup = Lineup(*key)
            _lineups.keep(key, lineup)
        field.views[name] = lineup
    return lineup
