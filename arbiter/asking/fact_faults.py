"""Faults of facts that players give: unknown units, and contradictions."""

from collections.abc import Collection
from typing import Any

from arbiter.fault import Fault, did_you_mean, pointer

AT_ODDS = "facts-contradict"
"""The code of facts that contradict each other."""


def unknown_unit(place: str, id_: str, known: Collection[str]) -> Fault:
    """Give the fault of a fact about a unit that the scene does not have."""
    expected = "one of " + ", ".join(known)
    return Fault(place, "unknown-unit", f"there is no unit {id_!r}", id_, expected, did_you_mean(id_, known))


def about_itself(key: str, id_: str, question: str, value: Any) -> Fault:
    """Give the fault of a fact that lists its own unit among the others."""
    text = f"{id_!r} cannot be in the answer about itself: {question}"
    return Fault(pointer("case", "given", key), "fact-value", text, value, "a list of ids of other units")


def not_among(place: str, id_: str, question: str, may: Collection[str]) -> Fault:
    """Say that a fact lists a unit that cannot be in its answer, as a friend among enemies."""
    expected = f"some of {', '.join(may)}, or an empty list" if may else "an empty list"
    return Fault(place, "fact-value", f"{id_!r} cannot be in the answer to this: {question}", id_, expected)


def against_board(key: str, value: Any, measured: Any, sentence: str) -> Fault:
    """Give the fault of a fact that contradicts the board; `sentence` says what the board shows."""
    return Fault(
        pointer("case", "given", key),
        "fact-contradicts-board",
        f"the board shows otherwise: {sentence}",
        value,
        f"{measured}",
        "leave the fact out, mend the board, or let the players overrule it with `given_wins`",
    )


def at_odds(key: str, sentences: tuple[str, str], value: Any) -> Fault:
    """Give the fault of two facts that contradict each other, with their sentences."""
    return Fault(
        pointer("case", "given", key),
        AT_ODDS,
        "{}, and yet: {}".format(*sentences),
        value,
        "facts that can all be so",
        "look at the table again, and correct or leave out one of the two",
    )
