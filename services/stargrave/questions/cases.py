"""How the cases of questions are prepared, and faults that several of them have."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from arbiter.fault import Fault
from arbiter.skirmish import cases
from arbiter.skirmish.cases import CaseState, case_fault
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import VALIDATOR
from services.stargrave.profiles import Weapon
from services.stargrave.rules import shooting

C = TypeVar("C")

State = CaseState[Battlefield, C]

KINDS = {"token": "token", "power": "power", "weapon": "weapon", "opponent_weapon": "weapon"}
"""What the members of cases name that name no figures."""

OTHER_WEAPONS = "give the figure `weapons` in the scene if it has others than its profile"


def prepared(
    *members: str, in_play: bool = True, faults: Callable[[Battlefield, C], Iterable[Fault]] = lambda *_: ()
) -> Callable[[C], State[C]]:
    """Let cases be prepared whose members name figures, tokens, powers and weapons; that raises `Faults`.

    All of them have to be there, and the figures in play. Then `faults` finds what else is impossible about a case.
    """
    return cases.prepared(VALIDATOR, "figure", KINDS, members, in_play, faults)


def armed_with(field: Battlefield, id_: str, kind: str) -> tuple[Weapon, ...]:
    """Give the weapons of a kind that a figure has."""
    return tuple(weapon for weapon in shooting.armed(field, field.figure(id_)).values() if weapon.kind == kind)


def weapon_faults(field: Battlefield, id_: str, weapon: str | None, kind: str) -> Iterator[Fault]:
    """Find a `weapon` that a figure does not have, or that is of another kind."""
    names = [each.id for each in armed_with(field, id_, kind)]
    if weapon is not None and weapon not in names:
        expected = f"one of {', '.join(names)}" if names else f"a figure with a {kind} weapon"
        text = f"{id_} has no {kind} weapon {weapon!r}"
        yield case_fault("weapon", "unknown-weapon", text, weapon, expected, OTHER_WEAPONS)
