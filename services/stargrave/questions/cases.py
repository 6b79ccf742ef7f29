"""How questions are put together and their cases prepared, and faults that several of them have."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, get_args, get_type_hints

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish import cases
from arbiter.skirmish.cases import CaseState, case_fault
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import VALIDATOR
from services.stargrave.profiles import Weapon
from services.stargrave.rules import shooting

C = TypeVar("C")
A = TypeVar("A")

State = CaseState[Battlefield, C]

KINDS = {"token": "token", "power": "power", "weapon": "weapon", "opponent_weapon": "weapon"}
"""What the members of cases name that name no figures."""

OTHER_WEAPONS = "give the figure `weapons` in the scene if it has others than its profile"


def question(
    name: str,
    rule: Callable[[Table, State[C]], Decided[A]],
    named: tuple[str, ...] = (),
    *,
    dice: bool = False,
    in_play: bool = True,
    faults: Callable[[Battlefield, C], Iterable[Fault]] = lambda *_: (),
    cost: Callable[[State[C]], float] | None = None,
) -> Question[C, State[C], A]:
    """Give the question that a rule decides: its gist begins the docstring of the rule, which has its types as well.

    The members `named` of its cases are ids of figures, tokens, powers and weapons: all of them have to be there, and
    the figures in play. Then `faults` finds what else is impossible about a case.
    """
    gist, types = (rule.__doc__ or "").partition("\n")[0], get_type_hints(rule)
    case, answer = get_args(types["state"])[-1], get_args(types["return"])[0]
    prepare = cases.prepared(VALIDATOR, "figure", KINDS, named, in_play, faults)
    return Question(name, gist, case, answer, prepare, rule, dice, cost=cost)


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
