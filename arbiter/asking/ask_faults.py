"""Faults in the members of a question besides its case: policies, readings and facts."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from arbiter.fault import Fault, Faults, did_you_mean, pointer
from arbiter.odds.best_play import BEST
from arbiter.ruling import FactNeeds
from arbiter.sources.ledger import Reading


def unknown_name(kind: str, where: str, name: str, known: Iterable[str], hint: str = "") -> Fault:
    """Give the fault of an unknown name, with the known names and the nearest of them."""
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
    """Find unknown policies, and names that choose in no scene; None if any name may choose."""
    for who, name in names.items():
        if name not in policies:
            hint = ODDS_ALONE if name == BEST else ""
            yield unknown_name("policy", pointer("policies", who), name, policies, hint)
        if players is not None and who not in players:
            yield unknown_name("player", pointer("policies", who), who, players)


def fact_missing(needs: FactNeeds) -> Fault:
    """Give the fault of a fact that a simulation needs."""
    return Fault(
        pointer("case", "given", needs.key),
        "fact-missing",
        f"a simulation needs to know: {needs.question}",
        expected="this fact in `given`, or a board that shows it",
    )


ODDS_ALONE = "best play is found in a whole law: ask for the odds"


def no_worth(question: str, who: str, known: Iterable[str]) -> Fault:
    """Give the fault of best play for a question without a measure of worth."""
    return Fault(
        pointer("policies", who),
        "no-worth",
        f"{question!r} does not say what its answers are worth, so that no option is the best",
        seen=BEST,
        expected="one of " + ", ".join(known),
        hint="let a policy that needs no worth choose",
    )


def no_crowd(heads: int) -> Fault:
    """Give the fault of best play with heads."""
    return Fault(
        pointer("heads"),
        "best-by-heads",
        "best play is found in a whole law, not in a crowd",
        seen=heads,
        expected="no heads",
        hint=f"leave out `heads`, or name another policy than {BEST!r}",
    )


def no_mirror(question: str) -> Fault:
    """Give the fault of a mirror for a question without two sides."""
    message = f"{question!r} has no two sides that could change places"
    return Fault(pointer("mirror"), "no-mirror", message, seen=True, expected="false")


def in_the_mirror(faults: Faults) -> Faults:
    """Give the faults of a mirrored case that the posted case does not have."""
    return Faults(
        replace(fault, pointer=pointer("mirror"), message=f"in the mirror, {fault.pointer or '/'}: {fault.message}")
        for fault in faults.faults
    )
