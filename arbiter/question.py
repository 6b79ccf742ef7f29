"""Questions: what a game's arbiter can be asked, with the type of the case and of the answer."""

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
"""What a metric says of one game: a whole number, or the name of a class."""


class Committed(Value, frozen=True):
    """Dice that neither side can choose: a service has committed to the secret of an epoch, and the client adds a seed.

    `epoch` is the id of that epoch. `client_seed` is any text, best one to which every player has added; each `nonce`
    answers one question.
    """

    epoch: Annotated[str, Meta(min_length=1, max_length=40)]
    client_seed: Annotated[str, Meta(min_length=1, max_length=200)]
    nonce: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class DiceSpec(Value, frozen=True):
    """Where the dice come from.

    `seed` draws each die from the seed by its label and index; `hand` gives faces by label, as they were rolled; with
    both, the hand goes first. `throws` are the throws of an earlier ruling, to replay it. With none of them the service
    picks a seed and says which; with a hand or throws alone, be they empty, missing dice are asked for. `committed`, in
    the place of a seed, has a service make the seed of a secret that was settled before.
    """

    seed: Seed | None = None
    hand: Annotated[dict[Name, Faces], Meta(max_length=200)] | None = None
    throws: Annotated[tuple[Throw, ...], Meta(max_length=5000)] | None = None
    committed: Committed | None = None


Part = Literal["answer", "findings", "throws", "rolls", "choices", "effects", "citations", "readings", "facts"]
"""A part of a ruling that a client may leave out."""


class Ask(Value, Generic[C], frozen=True):
    """A question as it is posted: the case, and how dice, choices and unclear passages are to be settled.

    `choices` gives the options players have chosen, by label, each by its id or as it was listed; `policies` names who
    lets which policy choose (`*` for everyone); a choice that neither of them makes comes back in `needs`.
    `readings` picks options of readings. Of the parts of the ruling, those that `include` does not name are empty;
    without it all are there. Dice and choices in advance that turn out not to be needed are refused, or with
    `surplus: ignore` listed in the ruling.
    """

    case: C
    dice: DiceSpec = DiceSpec()
    choices: Annotated[dict[Name, Annotated[tuple[Any, ...], Meta(max_length=200)]], Meta(max_length=200)] = {}
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    include: Annotated[tuple[Part, ...], Meta(max_length=9)] | None = None
    surplus: Literal["refuse", "ignore"] = "refuse"


class AskOdds(Value, Generic[C], frozen=True):
    """A question whose odds are wanted: the case, policies for the choices on the way, and readings.

    The policy `best`, of odds alone, picks the option with the best expected worth for the one who decides, where the
    question says what its answers are worth.
    With `heads` a crowd of that many games is split over the paths instead of walking them exactly; `seed` fixes it.
    With `vary`, a table of laws: JSON Pointers into this body (below `/case`, `/policies` or `/readings`), each with
    the values to take there; every combination is a point with a law of its own.
    With `fields`, the law of these fields of the answer alone: what only the others tell apart is walked once, so that
    many dice are exact where whole answers would be too many. `["*"]` are whole answers. Without it, a question whose
    answers have many steps gives the law of how they end, any other that of whole answers.
    """

    case: C
    policies: Annotated[dict[Name, Name], Meta(max_length=20)] = {}
    readings: Annotated[dict[Name, Name], Meta(max_length=100)] = {}
    heads: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    vary: Vary = {}
    fields: Annotated[tuple[Name, ...], Meta(max_length=100)] = ()


class Decided(Value, Generic[A], frozen=True):
    """What a question's rule gives: the answer, and the scene after it where something changed."""

    answer: A
    after: Any = None


def plain_metrics(answer: Any) -> dict[str, Counted]:
    """Give the plain fields of an answer: what is counted of a question that says nothing else."""
    fields = msgspec.to_builtins(answer, enc_hook=write_custom)
    if not isinstance(fields, dict):
        return {}
    return {name: value for name, value in fields.items() if value is None or isinstance(value, int | str)}


class Mirrored(NamedTuple, Generic[C]):
    """A case in the mirror: its two sides stand in each other's places, and who was to begin comes second."""

    case: C
    sides: tuple[str, str]


@dataclass(frozen=True)
class Question(Generic[C, S, A]):
    """One thing a game's arbiter can be asked.

    `prepare` turns the posted case into valid state, or raises `Faults` with everything impossible about it; `rule`
    decides, and its annotations say what the answer is. `dice` says whether chance has a part in it, and so whether
    odds can be asked for. The `gist` is what players read; by default it is the first line of the rule's docstring.

    `metrics` says what a simulation counts of an answer; its sample games are the shortest, the median and the longest
    by the metric that `ranked_by` names. A question that can be heavy has `cost`: an estimate in milliseconds of one
    core from the prepared state, before any work is done.

    `worth` says what an answer is worth to one who decides, named as in `Table.choose`: a whole number or a fraction,
    more is better. Odds by the policy `best` are to be had of questions that have it.

    `mirror` gives the case with two sides in each other's places; it raises `Faults` for a case that has none.

    `ends` are the fields of the answer that say how it ends, without the steps that lead there: those of which odds
    give the law where nobody names others. Without it they give whole answers.
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
