"""Deeds: actions and reactions as they are announced, and what came of them when they were carried out."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.rule import Reason
from arbiter.value import Value
from services.size_skirmish.profiles import Id, Length
from services.size_skirmish.scene import MOST_MODELS, Direction, Place

MOST_STEPS = 64

Use = Literal["use", "pick-up", "drop"]
Closing = Literal["stay", "align", "contact"]
Way = Annotated[tuple[Place, ...], Meta(max_length=MOST_STEPS)]


class Action(Value, frozen=True, cache_hash=True):
    """An action as it is announced: the model that acts, the row of the action table, and at what it is aimed.

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
    turned: Direction | None = None
    facing: Direction | None = None
    goal: Place | None = None
    closing: Closing = "stay"


Actions = Annotated[tuple[Action, ...], Meta(max_length=MOST_MODELS)]


class Announcement(Value, frozen=True, cache_hash=True):
    """An action and the reactions to it, in the order in which they are carried out.

    Reactions of null have still to be announced: the passive players are asked at the table.
    """

    action: Action
    reactions: Actions | None = None


class ActionContext(Value, frozen=True, cache_hash=True):
    """What is settled before a deed is carried out.

    `distance` is the range of a movement in thousandths, determined before the reactions. `answering` is, of a
    reaction, the model to whose action it is one; `blows_back` are, of an action, those who strike back in its exchange
    of blows.
    """

    distance: int | None = None
    answering: str | None = None
    blows_back: tuple[str, ...] = ()


class AttackOutcome(Value, frozen=True, cache_hash=True):
    """One attack in a deed: by whom, against whom (of a fall it is the same model), from where, and what came of it.

    `damage` is counted as far as there are hit points for it; what is beyond them is nobody's matter, and would only
    tell apart in odds what is the same on the table.
    """

    by: str
    against: str
    kind: Literal["melee", "ranged", "fall"]
    behind: bool = False
    damage: int = 0


class ActionOutcome(Value, frozen=True, cache_hash=True):
    """How a deed was carried out: with all `reasons` why it could not be, or the blows and the way that were made.

    `distance` is the range that was determined, in thousandths; `losers` are those who have the worse of a combat;
    `in_vain` is why no strike or shot has followed a movement.
    """

    action: Action
    violations: tuple[Reason, ...] = ()
    distance: int | None = None
    blows: tuple[AttackOutcome, ...] = ()
    way: tuple[Place, ...] = ()
    losers: tuple[str, ...] = ()
    in_vain: tuple[Reason, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it was carried out, be it in part."""
        return not self.violations
