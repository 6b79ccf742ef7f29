"""Combat: how a fight goes between two figures that are in combat with each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import checked_case
from services.stargrave.rules import combat
from services.stargrave.rules.combat import After, Means
from services.stargrave.scene import Scene

Modifier = Annotated[int, Meta(ge=-20, le=20)]


class Extra(Value, frozen=True):
    """What the players know of that the scene does not say: more on the roll, more damage, and its multiplier."""

    fight: Modifier = 0
    damage: Modifier = 0
    multiplier: Annotated[int, Meta(ge=1, le=10)] = 1


class AttackCase(FactCase, frozen=True):
    """A fight: the `fighter` attacks the `opponent`, and with what.

    Without an opponent the attacker's player picks one of those with whom it is in combat; without a weapon each fights
    with the one that does the most damage.
    """

    scene: Scene
    fighter: Id
    opponent: Id | None = None
    weapon: Annotated[Id | None, Meta(description="A melee weapon of the fighter, or `unarmed`.")] = None
    opponent_weapon: Annotated[Id | None, Meta(description="A melee weapon of the opponent, or `unarmed`.")] = None
    extra: Extra = Extra()
    opponent_extra: Extra = Extra()


class AttackAnswer(Value, frozen=True):
    """How the fight went. The rolls themselves stand among the findings and throws."""

    opponent: Annotated[Id, Meta(description="Who was fought.")]
    winner: Annotated[Id | None, Meta(description="Who won; null if the rolls were equal.")]
    damage: Annotated[int, Meta(description="The Health that the opponent lost.")]
    damage_to_fighter: Annotated[int, Meta(description="The Health that the fighter lost.")]
    critical: Annotated[bool, Meta(description="Whether damage was done by a critical.")]
    health: Annotated[int, Meta(description="The Health that the opponent has left.")]
    fighter_health: Annotated[int, Meta(description="The Health that the fighter has left.")]
    bonus: Annotated[int, Meta(description="What the fighter added to its die.")]
    opponent_bonus: Annotated[int, Meta(description="What the opponent added to its die.")]
    after: Annotated[After, Meta(description="What the winner chose; `over` if one of them is out of the game.")]
    still_in_combat: Annotated[bool, Meta(description="Whether the two are in combat with each other afterwards.")]


@dataclass(frozen=True)
class AttackState:
    """The battlefield, the case, and the weapons and modifiers of both fighters."""

    field: Battlefield
    case: AttackCase
    means: Means
    opponent_means: Means


def prepare(case: AttackCase) -> AttackState:
    """Find both figures and their weapons; raises `Faults`."""
    named = [("fighter", "figure", case.fighter)]
    named += [("opponent", "figure", case.opponent)] if case.opponent is not None else []
    weapons = {"weapon": case.weapon, "opponent_weapon": case.opponent_weapon}
    named += [(member, "weapon", weapon) for member, weapon in weapons.items() if weapon is not None]
    field = checked_case(case.scene, *named)
    faults = tuple(_faults(field, case))
    if faults:
        raise Faults(faults)
    return AttackState(field, case, _means(case.weapon, case.extra), _means(case.opponent_weapon, case.opponent_extra))


def _means(weapon: str | None, extra: Extra) -> Means:
    return Means(weapon, extra.fight, extra.damage, extra.multiplier)


def _faults(field: Battlefield, case: AttackCase) -> Iterator[Fault]:
    if case.opponent == case.fighter:
        yield Fault(
            pointer("case", "opponent"), "same-figure", "a figure cannot fight itself", case.opponent, "another figure"
        )
    if case.opponent is None and case.opponent_weapon is not None:
        yield Fault(
            pointer("case", "opponent_weapon"),
            "no-opponent",
            "a weapon is given, but no opponent",
            case.opponent_weapon,
            "no weapon, or an opponent as well",
        )
    for member, id_, weapon in (
        ("weapon", case.fighter, case.weapon),
        ("opponent_weapon", case.opponent, case.opponent_weapon),
    ):
        if id_ is None or weapon is None:
            continue
        weapons = combat.melee(field, field.figure(id_))
        if weapon not in weapons:
            yield Fault(
                pointer("case", member),
                "unknown-weapon",
                f"{id_} has no melee weapon {weapon!r}",
                weapon,
                "one of " + ", ".join(weapons),
            )


def attack(table: Table, state: AttackState) -> Decided[AttackAnswer]:
    """Decide whether a fight is allowed, and how it goes: both rolls, the damage, and the winner's choice."""
    field, fighter = state.field, state.case.fighter
    opponent = state.case.opponent or _choose_opponent(table, field, fighter)
    reasons = combat.violations(table, field, fighter, opponent)
    if reasons or opponent is None:
        raise Forbidden(*reasons)
    after, outcome = combat.resolve_fight(table, field, fighter, opponent, state.means, state.opponent_means)
    engaged = combat.remains(table, after, fighter, opponent, outcome.after)
    answer = AttackAnswer(
        opponent,
        outcome.winner,
        outcome.to_opponent,
        outcome.to_fighter,
        outcome.critical,
        after.health(after.figure(opponent)),
        after.health(after.figure(fighter)),
        outcome.fighter_bonus,
        outcome.opponent_bonus,
        outcome.after,
        engaged,
    )
    return Decided(answer, after.scene)


def _choose_opponent(table: Table, field: Battlefield, fighter: str) -> str | None:
    opponents = combat.engaged_with(table, field, fighter)
    if not opponents:
        return None
    choice: str = table.choose(
        field.player(fighter), f"{fighter}: opponent", opponents, about=field, means=field.option
    )
    return choice


ATTACK = Question(
    name="attack",
    gist="How a fight between two figures in combat goes: both combat rolls, the damage, and who is pushed back.",
    case=AttackCase,
    answer=AttackAnswer,
    prepare=prepare,
    rule=attack,
    dice=True,
)

QUESTIONS = (ATTACK,)
