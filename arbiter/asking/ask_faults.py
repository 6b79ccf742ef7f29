"""What is wrong with how a question is asked: its policies, readings and facts."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from arbiter.fault import Fault, Faults, did_you_mean, pointer
from arbiter.odds.best_play import BEST
from arbiter.ruling import FactNeeds
from arbiter.sources.ledger import Reading


def unknown_name(kind: str, where: str, name: str, known: Iterable[str], hint: str = "") -> Fault:
    """Say that a name of a question is not known, which are, and which of these are most like it."""
    known = tuple(known)
    return Fault(
        where,
        f"unknown-{kind.split(' ')[0]}",
        f"there is no {kind} {name!r}",
        seen=name,
        expected="one of " + ", ".join(known),
        hint=hint or did_you_mean(name, known),
    )


def reading_faults(options: Mapping[str, str], readings: Mapping[str, Reading]) -> Iterator[Fault]:
    """Find readings that a game does not have, and options that a reading does not have."""
    for id_, option in options.items():
        reading = readings.get(id_)
        if reading is None:
            yield unknown_name("reading", pointer("readings", id_), id_, readings)
        elif option not in (known := [each.id for each in reading.options]):
            yield unknown_name(f"option of the reading {id_}", pointer("readings", id_), option, known)


def policy_faults(
    names: Mapping[str, str], policies: Collection[str], players: Collection[str] | None
) -> Iterator[Fault]:
    """Find policies that do not exist, and names of nobody who chooses in a scene; None where anybody may."""
    for who, name in names.items():
        if name not in policies:
            hint = ODDS_ALONE if name == BEST else ""
            yield unknown_name("policy", pointer("policies", who), name, policies, hint)
        if players is not None and who not in players:
            yield unknown_name("player", pointer("policies", who), who, players)


def fact_missing(needs: FactNeeds) -> Fault:
    """Say which fact a simulation needs."""
    return Fault(
        pointer("case", "given", needs.key),
        "fact-missing",
        f"a simulation needs to know: {needs.question}",
        expected="this fact among `given`, or a board that shows it",
    )


ODDS_ALONE = "best play is found in a whole law: ask for the odds"


def no_worth(question: str, who: str, known: Iterable[str]) -> Fault:
    """Say that a question does not say what its answers are worth."""
    return Fault(
        pointer("policies", who),
        "no-worth",
        f"{question!r} does not say what its answers are worth, so that no option is the best",
        seen=BEST,
        expected="one of " + ", ".join(known),
        hint="let a policy that needs no worth choose",
    )


def no_crowd(heads: int) -> Fault:
    """Say that best play is not found by counting heads."""
    return Fault(
        pointer("heads"),
        "best-by-heads",
        "best play is found in a whole law, not in a crowd",
        seen=heads,
        expected="no heads",
        hint=f"leave out `heads`, or name another policy than {BEST!r}",
    )


def no_mirror(question: str) -> Fault:
    """Say that a question cannot be played with its sides in each other's places."""
    message = f"{question!r} has no two sides that could change places"
    return Fault(pointer("mirror"), "no-mirror", message, seen=True, expected="false")


def in_the_mirror(faults: Faults) -> Faults:
    """Say what is wrong with a case whose sides have changed places, though not with the case as it is posted."""
    return Faults(
        replace(fault, pointer=pointer("mirror"), message=f"in the mirror, {fault.pointer or '/'}: {fault.message}")
        for fault in faults.faults
    )
