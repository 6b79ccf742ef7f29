"""The ruling: the answer of an arbiter, with every step, die, choice and change, and the sources."""

from collections.abc import Collection
from typing import Any, Generic, Literal, TypeVar

import msgspec

from arbiter.dice import Face
from arbiter.fault import Fault
from arbiter.option import Option
from arbiter.rule import Reason
from arbiter.simulation.sweep import Axis
from arbiter.value import Value

A = TypeVar("A")

Status = Literal["ruled", "needs_dice", "needs_choice", "needs_fact"]
Origin = Literal["seed", "handed"]


class Finding(Value, frozen=True):
    """One step of the trace: the rule, its decision in words, the values, and the units of the source."""

    rule: str
    text: str
    values: dict[str, Any]
    cites: tuple[str, ...]


class Throw(Value, frozen=True):
    """One rolled die, with its `face`.

    `label` says what it was rolled for; `index` is its index among the dice of that label, from 0; `die` is its kind,
    such as `d6`; `origin` says whether the face was posted or drawn from the seed.
    """

    label: str
    index: int
    die: str
    face: Face
    origin: Origin


class RollModifier(Value, frozen=True):
    """A modifier of a roll, with its name."""

    id: str
    value: int


class Roll(Value, frozen=True):
    """How dice are read, or a sum without dice such as damage: the numbers that players say aloud.

    `faces` were rolled under these labels; those that count are `kept`. `total` is the sum of kept dice and modifiers,
    `times` a multiplier. `needed` is the number that a total or each die has to reach (or, with `most`, not exceed),
    `against` the total of an opponent, `successes` the number of dice that count. `outcome` is the result.
    """

    label: str
    faces: tuple[Face, ...] = ()
    kept: tuple[Face, ...] = ()
    modifiers: tuple[RollModifier, ...] = ()
    times: int = 1
    total: int | None = None
    needed: int | None = None
    most: bool = False
    against: int | None = None
    successes: int | None = None
    outcome: str = ""


class Made(Value, frozen=True):
    """One choice that was made: by whom, about what, and whether by a `player` or a policy (`policy first`)."""

    who: str
    label: str
    index: int
    option: Option
    origin: str


class DiceNeeds(Value, frozen=True):
    """Dice that have to be rolled before the ruling can continue: the number, the die and the label."""

    label: str
    die: str
    count: int
    faces: tuple[Face, ...]


class ChoiceNeeds(Value, frozen=True):
    """A choice that has to be made before the ruling can continue: by whom, about what, and between which options."""

    who: str
    label: str
    options: tuple[Option, ...]


class FactNeeds(Value, frozen=True):
    """A fact that has to be given before the ruling can continue, since no board shows it.

    `key` is its name in `case.given`, `of` are its units, `type` is the kind of its values: `yes-no`
    (true or false), `option` (one of `options`), `number` (of a `unit`, from `least` to `most`) or `units` (a list of
    ids, each one of `options`). `rule` asks for it, and `why` is what that rule decides.
    """

    fact: str
    key: str
    question: str
    type: Literal["yes-no", "option", "number", "units"]
    of: dict[str, str] = {}
    options: tuple[str, ...] = ()
    unit: str | None = None
    whole: bool = False
    least: float | None = None
    most: float | None = None
    rule: str = ""
    why: str = ""
    cites: tuple[str, ...] = ()


class FactUsed(Value, frozen=True):
    """A fact that mattered to this ruling: its value, its origin, and the rules that used it.

    Players gave it, a board shows it, or the usual value was assumed; `text` states it in a sentence.
    """

    fact: str
    of: dict[str, str]
    value: bool | float | str | tuple[str, ...]
    origin: Literal["given", "board", "assumed"]
    text: str
    rules: tuple[str, ...] = ()


class Needs(Value, frozen=True):
    """The missing values: dice, a choice, or facts that do not depend on each other."""

    dice: DiceNeeds | None = None
    choice: ChoiceNeeds | None = None
    facts: tuple[FactNeeds, ...] | None = None


class Event(Value, frozen=True):
    """One named change on the table."""

    name: str
    values: dict[str, Any]


class PatchStep(Value, frozen=True):
    """One operation of a JSON Patch (RFC 6902); `value` is written even if it is null, which is valid for `add`."""

    op: Literal["test", "add", "remove"]
    path: str
    value: Any = None


class Effects(Value, frozen=True):
    """Changes on the table: named events, and a JSON Patch against the posted scene, guarded by tests on ids."""

    events: tuple[Event, ...] = ()
    patch: tuple[PatchStep, ...] = ()


class Citation(Value, frozen=True):
    """A unit of the source that the ruling uses: its reference, and its gist in our words."""

    id: str
    where: str
    gist: str


class ReadingUsed(Value, frozen=True):
    """A reading that mattered to this ruling: the option taken, and whether it is our default."""

    id: str
    option: str
    default: str
    question: str


class Ruling(Value, Generic[A], frozen=True):
    """The answer to a question, complete enough to be checked and replayed.

    `facts` are listed if players give some, or the scene is incomplete. `surplus` has the pointers of dice, choices and
    facts that were not needed, if the client allows them. `notices` report likely misspellings that do not stop the
    ruling: an unused label of dice or of a choice that is very similar to a needed label.
    """

    game: str
    edition: str
    engine: str
    question: str
    status: Status
    allowed: bool
    answer: A | None
    reasons: tuple[Reason, ...] = ()
    needs: Needs | None = None
    findings: tuple[Finding, ...] = ()
    throws: tuple[Throw, ...] = ()
    rolls: tuple[Roll, ...] = ()
    choices: tuple[Made, ...] = ()
    effects: Effects = Effects()
    citations: tuple[Citation, ...] = ()
    readings: tuple[ReadingUsed, ...] = ()
    seed: str | None = None
    surplus: tuple[str, ...] = ()
    facts: tuple[FactUsed, ...] = ()
    notices: tuple[Fault, ...] = ()

    def with_parts(self, parts: Collection[str]) -> "Ruling[A]":
        """Give the ruling with these parts, and every other part empty."""
        empty = {name: value for name, value in _EMPTY_PARTS.items() if name not in parts}
        return msgspec.structs.replace(self, **empty)


_EMPTY_PARTS: dict[str, Any] = {
    "answer": None,
    "findings": (),
    "throws": (),
    "rolls": (),
    "choices": (),
    "effects": Effects(),
    "citations": (),
    "readings": (),
    "facts": (),
}


class Chance(Value, Generic[A], frozen=True):
    """One possible answer with its probability: as an exact fraction (or a count of heads) and as a number."""

    answer: A
    mass: str
    probability: float


class Marginal(Value, frozen=True):
    """The distribution of one field of the answer: each value with its exact mass, and the mean of numbers."""

    field: str
    values: tuple[Chance[Any], ...]
    mean: float | None = None
    mean_exact: str | None = None


class Expected(Value, frozen=True):
    """The expected worth of best play to a deciding player, by the question's own measure; more is better."""

    mean: float
    mean_exact: str


class OptionWorth(Value, frozen=True):
    """One option of a decision with its expected worth to the deciding player."""

    option: Option
    mean: float
    mean_exact: str
    picked: bool


class Came(Value, frozen=True):
    """One event before a decision: the label of dice or of a choice, or the id of a rule, and its outcome.

    Dice rolled together are a list of faces; a rule that was called several times is a list of its results, each with
    its count.
    """

    label: str
    outcome: Any


class Situation(Value, frozen=True):
    """One situation in which a decision is reached: the events before it, in order, and its exact chance."""

    before: tuple[Came, ...]
    mass: str
    probability: float


class Decision(Value, frozen=True):
    """A decision that is reached under best play: who decides what, the worth of each option, and the picked one.

    Decisions with the same label, options and worths are listed once; `mass` is their average number in one game.
    `situations` gives the likeliest situations, and `more_situations` counts the others; null if there are too many to
    distinguish.
    """

    who: str
    label: str
    options: tuple[OptionWorth, ...]
    picked: Any
    mass: str
    probability: float
    situations: tuple[Situation, ...] = ()
    more_situations: int | None = 0


class BestPlay(Value, frozen=True):
    """The decisions by the policy `best`: each option weighed by all continuations, dice and others' choices.

    `worth` is the expected worth by the question's own measure. `decisions` are those that are reached, in the order of
    play; `more_decisions` counts those that are too rare to list.
    """

    worth: dict[str, Expected]
    decisions: tuple[Decision, ...] = ()
    more_decisions: int = 0


class OddsPoint(Value, Generic[A], frozen=True):
    """The law at one point of a table of odds: the values taken there, and every possible answer as in `Odds`."""

    values: dict[str, Any]
    allowed: bool
    outcomes: tuple[Chance[A], ...]
    marginals: tuple[Marginal, ...]
    reasons: tuple[Reason, ...] = ()
    paths: int = 0
    policies: dict[str, str] = {}
    readings: tuple[ReadingUsed, ...] = ()
    best: BestPlay | None = None
    status: Literal["ruled", "needs_fact"] = "ruled"
    needs: Needs | None = None
    facts: tuple[FactUsed, ...] = ()


class Odds(Value, Generic[A], frozen=True):
    """The law of a question: every possible answer with its exact probability, likeliest first.

    `method` is `law` (exact fractions that add up to 1) or `heads` (a crowd of `heads` games split over the paths).
    `best` is present if a side's policy is `best`: the decisions, and the worth of each option. For a table (`vary`),
    `axes` are the varied members and each of `points` has a law; the law of the whole is empty, `allowed` says whether
    any point is, and `paths` are those of all points. If a needed fact is not given there is no law: `status` is
    `needs_fact`.
    """

    game: str
    edition: str
    engine: str
    question: str
    method: Literal["law", "heads"]
    allowed: bool
    outcomes: tuple[Chance[A], ...]
    marginals: tuple[Marginal, ...]
    reasons: tuple[Reason, ...] = ()
    paths: int = 0
    heads: int | None = None
    seed: str | None = None
    policies: dict[str, str] = {}
    readings: tuple[ReadingUsed, ...] = ()
    best: BestPlay | None = None
    axes: tuple[Axis, ...] = ()
    points: tuple[OddsPoint[A], ...] = ()
    status: Literal["ruled", "needs_fact"] = "ruled"
    needs: Needs | None = None
    facts: tuple[FactUsed, ...] = ()
