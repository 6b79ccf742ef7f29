"""Questions that a game's arbiter can be asked, with the types of case and answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from inspect import unwrap
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, cast, get_args, get_type_hints

import msgspec
from msgspec import Meta

from arbiter.json import write_custom
from arbiter.ruling import Throw
from arbiter.simulation.sweep import Vary
from arbiter.table import Table
from arbiter.value import Value

C = TypeVar("C")
A = TypeVar("A")
S = TypeVar("S")

Name = Annotated[str, Meta(min_length=1, max_length=120)]
Seed = Annotated[str, Meta(min_length=1, max_length=64)] | Annotated[int, Meta(ge=0, le=2**63 - 1)]
Faces = Annotated[
    tuple[Annotated[int, Meta(ge=0, le=1000)] | Annotated[str, Meta(max_length=40)], ...], Meta(max_length=1000)
]


Counted = int | str | bool | None
"""The value of a metric in one game: a whole number, or the name of a class."""


class Committed(Value, frozen=True):
    """Dice that neither side can choose: the service has committed to an epoch's secret, and the client adds a seed.

    `epoch` is the id of that epoch. `client_seed` is any text, preferably one that every player has added to; each
    `nonce` answers one question.
    """

    epoch: Annotated[str, Meta(min_length=1, max_length=40)]
    client_seed: Annotated[str, Meta(min_length=1, max_length=200)]
    nonce: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class DiceSpec(Value, frozen=True):
    """The source of the dice.

    `seed` draws each die from the seed by its label and index; `hand` gives faces by label, as they were rolled; with
    both, the hand is used first. `throws` are the throws of an earlier ruling, to replay it. Without any of them the
    service picks a seed and names it. With only a hand or throws, even empty ones, missing dice are asked for.
    `committed`, instead of a seed, lets a service derive the seed from a secret that was fixed before.
    """

    seed: Seed | None = None
    hand: Annotated[dict[Name, Faces], Meta(max_length=200)] | None = None
    throws: Annotated[tuple[Throw, ...], Meta(max_length=5000)] | None = None
    committed: Committed | None = None


Part = Literal["answer", "findings", "throws", "rolls", "choices", "effects", "citations", "readings", "facts"]
"""A part of a ruling that a client may leave out."""


class Ask(Value, Generic[C], frozen=True):
    """A posted question: the case, and how dice, choices and unclear passages are decided.

    `choices` gives the players' options, by label, each by its id or as it was listed; `policies` names the policy that
    chooses for a side (`*` for all sides); a choice that neither of them makes is in `needs`. `readings` picks options
    of readings. Parts of the ruling that `include` does not name are empty; without it all are present. Dice and
    choices that are posted but not needed are refused, or with `surplus: ignore` listed in the ruling.
    """

    case: C
    dice: DiceSpec = DiceSpec()
    choices: Annotated[dict[Name, Annotated[tuple[Any, ...], Meta(max_length=200)]], Meta(max_length=200)] = {}
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    include: Annotated[tuple[Part, ...], Meta(max_length=9)] | None = None
    surplus: Literal["refuse", "ignore"] = "refuse"


class AskOdds(Value, Generic[C], frozen=True):
    """A request for the odds of a question: the case, policies for its choices, and readings.

    The policy `best`, only for odds, picks the option with the best expected worth for the deciding player, if the
    question defines the worth of its answers. With `heads` a crowd of that many games is split over the paths instead
    of walking them exactly; `seed` fixes it. With `vary`, a table of laws: JSON Pointers into this body (below `/case`,
    `/policies` or `/readings`), each with the values to take there; every combination is a point with its own law. With
    `fields`, the law of only these fields of the answer: answers that differ only in other fields are walked once, so
    that many dice are exact where whole answers would be too many. `["*"]` means whole answers. Without it, a question
    whose answers have many steps gives the law of their outcome, any other that of whole answers.
    """

    case: C
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    heads: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    vary: Vary = {}
    fields: Annotated[tuple[Name, ...], Meta(max_length=100)] = ()


class Decided(Value, Generic[A], frozen=True):
    """The result of a question's rule: the answer, and the scene after it if it changed."""

    answer: A
    after: Any = None


def plain_metrics(answer: Any) -> dict[str, Counted]:
    """Give the plain fields of an answer, the default metrics of a question."""
    fields = msgspec.to_builtins(answer, enc_hook=write_custom)
    if not isinstance(fields, dict):
        return {}
    return {name: value for name, value in fields.items() if value is None or isinstance(value, int | str)}


class Mirrored(NamedTuple, Generic[C]):
    """A mirrored case: its two sides have swapped positions, and the side that was to begin comes second."""

    case: C
    sides: tuple[str, str]


@dataclass(frozen=True)
class Question(Generic[C, S, A]):
    """One question that a game's arbiter can be asked.

    `prepare` turns the posted case into valid state, or raises `Faults` with all its faults; `rule` decides, and its
    annotations give the type of the answer. `dice` says whether it needs dice, and so whether it has odds. Players read
    the `gist`, by default the first line of the rule's docstring.

    `metrics` gives the metrics of an answer for simulations; the sample games are the shortest, the median and the
    longest by the metric that `ranked_by` names. A question that can be heavy has `cost`: an estimate in milliseconds
    of one core from the prepared state, before any work is done.

    `worth` gives the worth of an answer to a deciding player, named as in `Table.choose`: a whole number or a fraction,
    more is better. Only questions with it have odds by the policy `best`.

    `mirror` gives the case with the positions of two sides swapped; it raises `Faults` for a case without a mirror.

    `ends` are the fields of the answer's outcome, without its steps: odds give their law by default. Without `ends`
    they give whole answers.
    """

    name: str
    case: type[C]
    prepare: Callable[[C], S]
    rule: Callable[[Table, S], Decided[A]]
    dice: bool = False
    gist: str = ""
    metrics: Callable[[A], Mapping[str, Counted]] = plain_metrics
    ranked_by: str | None = None
    cost: Callable[[S], float] | None = None
    worth: Callable[[A, str], int | Fraction] | None = None
    mirror: Callable[[C], Mirrored[C]] | None = None
    ends: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.gist:
            object.__setattr__(self, "gist", (self.rule.__doc__ or "").partition("\n")[0])

    @cached_property
    def answer(self) -> type[A]:
        """The type of the answer, as the rule declares it."""
        (answer,) = get_args(get_type_hints(unwrap(self.rule))["return"])
        return cast("type[A]", answer)
