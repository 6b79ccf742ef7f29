"""Labels of dice and choices given in advance that look misspelt, named while the ruling still waits for others.

The labels of a question are known only when it is decided. So a ruling that stops looks ahead: it continues with seeded
dice and first options, and collects the labels that it meets. A given label gets a notice if it is not among them, has
a word that neither they nor the scene have, and is very similar to a label without a value. It is not a fault: on
another path that label may exist.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from arbiter.dice import Die, Face
from arbiter.dice_sources import DiceNeeded, HandedDice, SeededDice, WrongFace
from arbiter.facts import Fact, FactNeeded, facts_of, listed_ids
from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Ask, Question
from arbiter.rule import Forbidden
from arbiter.ruling import Needs, Origin
from arbiter.table import ChoiceNeeded, Chooser, OneTable, Policy, WrongOption, first

NEAR = 0.75
"""The similarity above which two labels are very similar, as `difflib` measures it."""

MOST_ASSUMED = 20
"""The most facts that are assumed when looking ahead."""

MOST_MS = 100.0
"""The highest estimated cost of a question that looks ahead."""


def misspelt_labels(
    ask: Ask[Any],
    question: Question[Any, Any, Any],
    state: Any,
    table: OneTable,
    needs: Needs | None,
    facts: Mapping[str, Fact[..., Any]],
    policies: Mapping[str, tuple[str, Policy]],
) -> tuple[Fault, ...]:
    """Give a notice for each label of a request that is unused and looks misspelt; `needs` are the missing values."""
    hand = table.dice.hand if isinstance(table.dice, HandedDice) else {}
    choices = table.chooser.choices
    rolled, chosen = {throw.label for throw in table.throws}, set(table.chooser.used)
    dice_unused = [label for label in hand if label not in rolled]
    choices_unused = [label for label in choices if label not in chosen]
    if not dice_unused and not choices_unused:
        return ()
    if needs is not None:
        rolled |= {needs.dice.label} if needs.dice else set()
        chosen |= {needs.choice.label} if needs.choice else set()
        if question.cost is None or question.cost(state) <= MOST_MS:
            dice, chooser = _ahead(ask, question, state, hand, table.readings, facts, policies)
            rolled |= dice.labels
            chosen |= chooser.used.keys()
    ids = listed_ids(getattr(ask.case, "scene", None))
    notices = [
        *_notices("die", ("dice", "hand"), dice_unused, rolled, rolled - hand.keys(), ids),
        *_notices("choice", ("choices",), choices_unused, chosen, chosen - choices.keys(), ids),
    ]
    return tuple(notices)


def _notices(
    what: str,
    place: tuple[str, ...],
    unused: Iterable[str],
    asked: Collection[str],
    missing: Collection[str],
    ids: Iterable[str],
) -> Iterator[Fault]:
    """Find the unused labels that are very similar to a missing one; a label of known words is a different one."""
    words = {word for text in (*asked, *ids) for word in _words(text)}
    for label in unused:
        if label in asked or words.issuperset(_words(label)):
            continue
        near = difflib.get_close_matches(label, sorted(missing), n=3, cutoff=NEAR)
        if near:
            meant = " or ".join(map(repr, near))
            text = f"no {what} with the label {label!r} is needed so far"
            yield Fault(pointer(*place, label), f"unused-{what}", text, label, meant, f"did you mean {meant}?")


def _words(text: str) -> Iterator[str]:
    """Give the words of a label or an id; numbers distinguish labels, and are not misspelt."""
    return (word for word in re.findall(r"[\w'-]+", text) if not word.isdecimal())


class _LabelledDice(HandedDice):
    """Dice that collect the labels of their rolls."""

    def __init__(self, hand: Mapping[str, Sequence[Face]]) -> None:
        super().__init__(hand, SeededDice("ahead"))
        self.labels: set[str] = set()

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        self.labels.add(label)
        return super().face(die, label, index, missing)


def _ahead(
    ask: Ask[Any],
    question: Question[Any, Any, Any],
    state: Any,
    hand: Mapping[str, Any],
    readings: Mapping[str, str],
    facts: Mapping[str, Fact[..., Any]],
    policies: Mapping[str, tuple[str, Policy]],
) -> tuple[_LabelledDice, Chooser]:
    """Follow one path to its end, with the given values, seeded dice, first options and samples of facts."""
    assumed: dict[str, Any] = {}
    while True:
        dice, chooser = _LabelledDice(hand), Chooser(ask.choices, {"*": ("first", first), **policies})
        table = OneTable(dice, chooser, readings, keep=False)
        table.facts = facts_of(facts, ask.case, assumed)
        try:
            question.rule(table, state)
        except FactNeeded as needed:
            assumed[needed.needs.key] = needed.samples[0]
            if len(assumed) <= MOST_ASSUMED:
                continue
        except (Forbidden, Faults, ChoiceNeeded, DiceNeeded, WrongFace, WrongOption):
            # The ruling itself reports an error on this path when it reaches it.
            pass
        return dice, chooser
