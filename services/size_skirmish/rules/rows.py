"""Rows: what a model may do now, by the rows of the tables of actions and movements, and what is against the rest.

Nothing is decided here that is not decided when it is done: each row is tried with all that it could be aimed at. Of
movements towards somebody only the targets are tried, for the way is not known yet.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.actions import Deed, Run
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Action, Movement
from services.size_skirmish.rules import doing, procedure, ranges, targets

Reasons = tuple[Reason, ...]


class Row(Value, frozen=True):
    """A row: its type, what is against it, the models at whom it can be aimed, and its range before dice."""

    id: str
    name: str
    type: Literal["simple", "complex"]
    reasons: Reasons
    targets: tuple[str, ...] = ()
    range: int | None = None
    dice: int = 0


@rule("rows.overview", cites=("actions/columns", "move/columns"), neutral=())
def overview(table: Table, field: Battlefield, id_: str) -> tuple[Row, ...]:
    """Decide what a model may do now, row by row of the two tables, actions first; a move stands for its movements."""
    barred = procedure.selected(table, field, Deed(id_, "block"))
    actions = tuple(
        Row(row.id, row.name, row.type, *_tried(table, field, _thinkable(field, id_, row), row, barred))
        for row in field.book.actions.values()
        if row.type is not None
    )
    movements = tuple(
        Row(
            row.id,
            row.name,
            row.type,
            *_tried(table, field, _moves(field, id_, row), row, barred),
            ranges.fixed(table, field, id_, row),
            row.dice,
        )
        for row in field.book.movements.values()
    )
    return actions + movements


def _tried(
    table: Table, field: Battlefield, deeds: Sequence[Deed], row: Action | Movement, barred: Reasons
) -> tuple[Reasons, tuple[str, ...]]:
    """Give what is against a row, and the targets left; it is open if one of its deeds can be done."""
    if not deeds:
        return (*barred, table.reason("there is nobody and nothing for {action}", action=row.name)), ()
    against = _towards if isinstance(row, Movement) and row.path in ("towards", "pursuit") else _now
    tried = [(deed, (*doing.npc_actions(table, field, deed), *against(table, field, deed))) for deed in deeds]
    fit = [deed for deed, reasons in tried if not reasons]
    aims = tuple(dict.fromkeys(deed.target for deed in fit if deed.target is not None))
    reasons = () if fit else tuple(dict.fromkeys(reason for _, reasons in tried for reason in reasons))
    return (*barred, *reasons), () if barred else aims


Against = Callable[[Table, Battlefield, Deed], Reasons]


def _now(table: Table, field: Battlefield, deed: Deed) -> Reasons:
    return doing.reasons(table, field, deed, Run())


def _towards(table: Table, field: Battlefield, deed: Deed) -> Reasons:
    return () if deed.target is None else targets.attackable(table, field, deed.model, deed.target)


def _thinkable(field: Battlefield, id_: str, row: Action) -> tuple[Deed, ...]:
    """Give all deeds that an action of a model could be, whether or not they can be done."""
    model = field.model(id_)
    others = tuple(other.id for other in field.models if other.id != id_)
    carried = model.items
    match row.id:
        case "change-weapon":
            in_hand = field.weapon(model)
            weapons = field.profile(model).weapons
            return tuple(Deed(id_, row.id, weapon=each) for each in weapons if in_hand and each != in_hand.id)
        case "slow-reload" | "fast-reload":
            return tuple(Deed(id_, row.id, weapon=each) for each in model.unloaded)
        case "strike" | "shoot":
            return tuple(Deed(id_, row.id, target=enemy.id) for enemy in field.enemies(model))
        case "push":
            return tuple(Deed(id_, row.id, target=each) for each in others)
        case "pass-item":
            return tuple(Deed(id_, row.id, target=each, item=item) for each in others for item in carried)
        case "restore-morale":
            friends = tuple(other.id for other in field.friends(model))
            return (Deed(id_, row.id), *(Deed(id_, row.id, target=each) for each in friends))
        case "item":
            lying = tuple(Deed(id_, row.id, item=item.id, use="pick-up") for item in field.scene.items)
            return (*(Deed(id_, row.id, item=each, use="use") for each in carried), *lying)
        case _:
            return (Deed(id_, row.id),)


def _moves(field: Battlefield, id_: str, row: Movement) -> tuple[Deed, ...]:
    """Give all deeds that a movement of a model could be, without a way."""
    model = field.model(id_)
    if row.path not in ("towards", "pursuit"):
        return (Deed(id_, "move", row.id, facing=model.facing if row.path == "none" else None),)
    enemies = field.enemies(model)
    aims = tuple(other.id for other in enemies if row.needs != "fleeing" or other.fleeing is not None)
    return tuple(Deed(id_, "move", row.id, target=each) for each in aims)
