"""The actions a unit can take next in a battle, those with a target or goal, and taking one."""

from functools import partial

from arbiter.candidates import Candidates
from arbiter.option import Option
from arbiter.table import Table
from services.rapture import advance
from services.rapture.battlefield import Battlefield
from services.rapture.rules import abilities, actions, aims, attack, movement, reach, retreat
from services.rapture.rules.prices import Price

MOST_ACTIONS = 40
"""More actions than points and limits allow; a bound, so that every activation ends."""

Offers = tuple[tuple[str, ...], tuple[str, ...]]
"""Actions, and those that cost boxes."""

SIMPLE = ("get-up", "close-combat", "ranged", "movement", "extinguish-fire")
"""The actions of the overview that cost points, in the order in which they are offered."""

ATTACKS = ("close-combat", "ranged")

ABILITY = "ability "


def actions_of(table: Table, field: Battlefield, unit_id: str, excluded: frozenset[str]) -> Offers:
    """Give the actions a unit may have, except `excluded`: those without effect, or not to be repeated.

    Abilities are `ability <id>`. Which of them are open is for `Deeds` to say.
    """
    free, paid_in_boxes = [*SIMPLE], ["retreat"]
    with table.without_findings():
        for id_ in (*abilities.of_card(field, unit_id), *abilities.of_mission(field, unit_id)):
            price = abilities.price(table, field, id_)
            (paid_in_boxes if price.lp or price.mp else free).append(ABILITY + id_)
    return (
        tuple(action for action in free if action not in excluded),
        tuple(action for action in paid_in_boxes if action not in excluded),
    )


class Deeds:
    """What a unit can do next in a battle; the targets of each action are looked for once."""

    def __init__(self, table: Table, field: Battlefield, unit_id: str) -> None:
        self._table, self._field, self._unit_id = table, field, unit_id
        self._targets: dict[str, Candidates[str]] = {}

    def targets(self, action: str) -> Candidates[str]:
        """Give what an action that is available can be aimed at, in the order of the scene."""
        known = self._targets.get(action)
        if known is None:
            every = _enemies if action in ATTACKS else _aims
            passes = partial(_can_attack if action in ATTACKS else _can_aim, self._table, self._field, self._unit_id)
            candidates = every(self._field, self._unit_id, action)
            known = self._targets[action] = Candidates(candidates, partial(passes, action))
        return known

    def is_open(self, action: str) -> bool:
        """Decide whether a unit can take an action next: it is available, and has a target or a goal.

        A retreat leads straight away from the opponent.
        """
        table, field, unit_id = self._table, self._field, self._unit_id
        with table.without_findings():
            if action.startswith(ABILITY):
                ability = action.removeprefix(ABILITY)
                unavailable = abilities.untargeted_violations(table, field, unit_id, ability)
                return not unavailable and bool(self.targets(action))
            match action:
                case "close-combat" | "ranged":
                    if action == "ranged" and reach.weapon_violations(table, field, unit_id):
                        return False
                    unavailable = actions.untargeted_violations(table, field, unit_id, action)
                    return not unavailable and bool(self.targets(action))
                case "movement" if not advance.goals(field, unit_id):
                    return False
                case "get-up" | "extinguish-fire" if actions.requirement_violations(table, field, unit_id, action):
                    return False
            if actions.violations(table, field, unit_id, action):
                return False
            return action != "retreat" or retreat.way_out(table, field, unit_id) is not None


def named(field: Battlefield, action: str) -> Option:
    """Give what an option of `actions_of` means, or the end."""
    ability = action.removeprefix(ABILITY)
    if ability != action:
        return Option(action, f"use {field.ability_name(ability)}", {"action": "ability", "ability": ability})
    return Option(action, action.replace("-", " "), {"action": action})


def _goal(field: Battlefield, goal: str) -> Option:
    return field.option(goal) if goal in field.by_id else Option(goal, f"the objective {goal}", {"objective": goal})


def perform(
    table: Table, field: Battlefield, unit_id: str, action: str, deeds: Deeds, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after one of the deeds that are open, and the actions excluded from then on."""
    player = field.player(unit_id)
    if action in ATTACKS or action.startswith(ABILITY):
        targets = deeds.targets(action)
        target = table.choose(player, f"{unit_id}: target", targets, about=field, means=field.option)
        match action:
            case "close-combat":
                return attack.close_combat(table, field, unit_id, target)[0], excluded
            case "ranged":
                return attack.ranged(table, field, unit_id, target)[0], excluded
            case _:
                return _use_ability(table, field, unit_id, action.removeprefix(ABILITY), target, excluded)
    match action:
        case "movement":
            goal = table.choose(
                player,
                f"{unit_id}: towards",
                advance.goals(field, unit_id),
                about=field,
                means=lambda goal: _goal(field, goal),
            )
            with table.without_findings():
                way = advance.towards(table, field, unit_id, goal)
            if way is None:
                return field, excluded | {action}
            return movement.move(table, actions.pay(table, field, unit_id, action), unit_id, way)[0], excluded
        case "retreat":
            with table.without_findings():
                way = retreat.way_out(table, field, unit_id)
            assert way is not None, "a retreat is offered only where there is a way"
            return retreat.retreat(table, field, unit_id, way)[0], excluded
        case "get-up":
            return actions.get_up(table, field, unit_id), excluded
        case _:
            return actions.extinguish_fire(table, field, unit_id), excluded


def _enemies(field: Battlefield, unit_id: str, _: str) -> list[str]:
    return [enemy.id for enemy in field.enemies(field.unit(unit_id))]


def _can_attack(table: Table, field: Battlefield, unit_id: str, action: str, enemy_id: str) -> bool:
    """Decide whether a unit that can take an action now can attack another with it."""
    violations = attack.close_target_violations if action == "close-combat" else attack.ranged_target_violations
    with table.without_findings():
        return not violations(table, field, unit_id, enemy_id)


def _use_ability(
    table: Table, field: Battlefield, unit_id: str, ability: str, target: str, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after an ability is used; without price and limit it is used once per activation."""
    card = field.book.abilities[ability]
    limits = (card.per_round, card.per_match, card.charges)
    if abilities.price(table, field, ability) == Price() and all(limit is None for limit in limits):
        excluded |= {ABILITY + ability}
    return abilities.use(table, field, unit_id, ability, target)[0], excluded


def _aims(field: Battlefield, unit_id: str, action: str) -> tuple[str, ...]:
    """Give what an ability may aim at, allowed or not: units or objectives, in the order of the scene."""
    match field.book.abilities[action.removeprefix(ABILITY)].target:
        case "self":
            return (unit_id,)
        case "objective":
            return tuple(row.id for row in field.scene.objectives)
        case _:
            return tuple(unit.id for unit in field.units)


def _can_aim(table: Table, field: Battlefield, unit_id: str, action: str, target: str) -> bool:
    with table.without_findings():
        return not aims.violations(table, field, unit_id, action.removeprefix(ABILITY), target)
