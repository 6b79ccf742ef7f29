"""Actions and reactions as they are announced, and their outcomes."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.rule import Reason
from arbiter.skirmish.fields import Id
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.scene import MOST_MODELS, Facing, Length, Place, settle

MOST_STEPS = 64

Use = Literal["use", "pick-up", "drop"]
Closing = Literal["stay", "align", "contact"]
Way = Annotated[tuple[Place, ...], Meta(max_length=MOST_STEPS)]

Violations = tuple[Reason, ...]
"""Every reason why something is forbidden."""


class Action(Value, frozen=True, cache_hash=True):
    """An announced action or reaction: the `model` that acts, the row of the action table (`action`), and the target.

    `movement` is the row of the movement table for a `move`. `target` is the model that is struck, shot at, pushed,
    charged, pursued, passed an item or steadied. `weapon` is the one changed to, or reloaded; `item` and `use` are for
    items. `way` are the places to which a model moves, one straight after the other, `height_above` is how high it
    ends; `turned` and `facing` are the free turns before and after a movement. `goal`, instead of a `way`, is where it
    goes by the shortest way. `closing` is how an attacker is moved or aligned before the blows: not at all, turned
    to the target, or moved straight into base contact with it and turned; in a strike in answer it is not at all.
    """

    model: Id
    action: Id
    movement: Id | None = None
    target: Id | None = None
    weapon: Id | None = None
    item: Id | None = None
    use: Use | None = None
    way: Way = ()
    height_above: Length | None = None
    turned: Facing | None = None
    facing: Facing | None = None
    goal: Place | None = None
    closing: Closing = "stay"

    def __post_init__(self) -> None:
        settle(self, "turned", "facing")


Actions = Annotated[tuple[Action, ...], Meta(max_length=MOST_MODELS)]
"""Reactions, in the order in which they are carried out; instead of null the passive players choose them."""


class ActionContext(Value, frozen=True, cache_hash=True):
    """What is fixed before an action is carried out.

    `distance` is the range of a movement in thousandths, determined before the reactions. `answering` is, for a
    reaction, the model whose action it answers; `blows_back` are, for an action, the models that strike back in its
    exchange of blows.
    """

    distance: int | None = None
    answering: str | None = None
    blows_back: tuple[str, ...] = ()


NO_CONTEXT = ActionContext()


class AttackOutcome(Value, frozen=True, cache_hash=True):
    """How one attack went: attacker `by`, target `against` (the same model for a fall), kind, side, and damage.

    `damage` never exceeds the hit points that were left: more would only tell apart in odds what is the same on the
    table.
    """

    by: str
    against: str
    kind: Literal["melee", "ranged", "fall"]
    behind: bool = False
    damage: int = 0


class ActionOutcome(Value, frozen=True, cache_hash=True):
    """How an action went: every violation that stopped it, or the attacks and the way that were made.

    `distance` is the range in thousandths; `losers` are the models that lost the combat;
    `in_vain` are the violations that stopped the strike or shot after a movement.
    """

    action: Action
    violations: Violations = ()
    distance: int | None = None
    blows: tuple[AttackOutcome, ...] = ()
    way: tuple[Place, ...] = ()
    losers: tuple[str, ...] = ()
    in_vain: Violations = ()

    @property
    def done(self) -> bool:
        """Whether it was carried out, at least in part."""
        return not self.violations


Done = tuple[Battlefield, ActionOutcome]
"""The battlefield after an action, and how that went."""


def undone(field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Return what comes of an action without the rule that carries it out: nothing."""
    return field, ActionOutcome(action)
