"""The actions a unit can take next in a battle, those with a target or goal, and taking one."""

from arbiter.option import Option
from arbiter.table import Table
from services.rapture import advance
from services.rapture.battlefield import Battlefield
from services.rapture.rules import abilities, actions, aims, attack, movement, reach, retreat
from services.rapture.rules.prices import Price

MOST_ACTIONS = 40
"""More actions than points and limits allow; a bound, so that every activation ends."""

Offers = tuple[tuple[str, ...], tuple[str, ...]]
"""The available actions, and those that cost boxes."""

SIMPLE = ("get-up", "close-combat", "ranged", "movement", "extinguish-fire")
"""The actions of the overview that cost points, in the order in which they are offered."""

ABILITY = "ability "


def open_actions(table: Table, field: Battlefield, unit_id: str, excluded: frozenset[str]) -> Offers:
    """Give the actions a unit can take next, except `excluded`: those without effect, or not to be repeated.

    Abilities are offered as `ability <id>`, where they have a target. A retreat leads straight away from the opponent.
    """
    with table.without_findings():
        free = [action for action in SIMPLE if action not in excluded and _open(table, field, unit_id, action)]
        paid_in_boxes = []
        if not actions.violations(table, field, unit_id, "retreat") and advance.away(table, field, unit_id) is not None:
            paid_in_boxes.append("retreat")
        for id_ in (*abilities.of_card(field, unit_id), *abilities.of_mission(field, unit_id)):
            action = ABILITY + id_
            if (
                action in excluded
                or abilities.untargeted_violations(table, field, unit_id, id_)
                or not _ability_targets(table, field, unit_id, id_)
            ):
                continue
            price = abilities.price(table, field, id_)
            (paid_in_boxes if price.lp or price.mp else free).append(action)
    return tuple(free), tuple(paid_in_boxes)


def named(field: Battlefield, action: str) -> Option:
    """Give what an option of `open_actions` means, or the end."""
    ability = action.removeprefix(ABILITY)
    if ability != action:
        return Option(action, f"use {field.ability_name(ability)}", {"action": "ability", "ability": ability})
    return Option(action, action.replace("-", " "), {"action": action})


def _goal(field: Battlefield, goal: str) -> Option:
    return field.option(goal) if goal in field.by_id else Option(goal, f"the objective {goal}", {"objective": goal})


def perform(
    table: Table, field: Battlefield, unit_id: str, action: str, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after an available action, and the actions excluded from then on."""
    player = field.player(unit_id)
    if action.startswith(ABILITY):
        return _use_ability(table, field, unit_id, action.removeprefix(ABILITY), excluded)
    match action:
        case "close-combat":
            target = table.choose(
                player, f"{unit_id}: target", _targets(table, field, unit_id, action), about=field, means=field.option
            )
            return attack.close_combat(table, field, unit_id, target)[0], excluded
        case "ranged":
            target = table.choose(
                player, f"{unit_id}: target", _targets(table, field, unit_id, action), about=field, means=field.option
            )
            return attack.ranged(table, field, unit_id, target)[0], excluded
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
                way = advance.away(table, field, unit_id)
            assert way is not None, "a retreat is offered only where there is a way"
            return retreat.retreat(table, field, unit_id, way)[0], excluded
        case "get-up":
            return actions.get_up(table, field, unit_id), excluded
        case _:
            return actions.extinguish_fire(table, field, unit_id), excluded


def _open(table: Table, field: Battlefield, unit_id: str, action: str) -> bool:
    if action == "ranged" and reach.weapon_violations(table, field, unit_id):
        return False
    if action in ("close-combat", "ranged"):
        return not actions.untargeted_violations(table, field, unit_id, action) and bool(
            _targets(table, field, unit_id, action)
        )
    if action == "movement" and not advance.goals(field, unit_id):
        return False
    return not actions.violations(table, field, unit_id, action)


def _targets(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[str, ...]:
    """Give the units that a unit can attack now, in the order of the scene."""
    violations = attack.close_violations if action == "close-combat" else attack.ranged_violations
    with table.without_findings():
        enemies = field.enemies(field.unit(unit_id))
        return tuple(enemy.id for enemy in enemies if not violations(table, field, unit_id, enemy.id))


def _use_ability(
    table: Table, field: Battlefield, unit_id: str, ability: str, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after an ability is used; without price and limit it is used once per activation."""
    targets = _ability_targets(table, field, unit_id, ability)
    target = table.choose(field.player(unit_id), f"{unit_id}: target", targets, about=field, means=field.option)
    card = field.book.abilities[ability]
    limits = (card.per_round, card.per_match, card.charges)
    if abilities.price(table, field, ability) == Price() and all(limit is None for limit in limits):
        excluded |= {ABILITY + ability}
    return abilities.use(table, field, unit_id, ability, target)[0], excluded


def _ability_targets(table: Table, field: Battlefield, unit_id: str, ability: str) -> tuple[str, ...]:
    """Give the targets of an ability now: units or objectives, in the order of the scene."""
    with table.without_findings():
        kind = field.book.abilities[ability].target
        among = (
            (unit_id,)
            if kind == "self"
            else tuple(row.id for row in field.scene.objectives)
            if kind == "objective"
            else tuple(unit.id for unit in field.units)
        )
        return tuple(id_ for id_ in among if not aims.violations(table, field, unit_id, ability, id_))
