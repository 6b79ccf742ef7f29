"""The order of findings: that of the steps in the lists of the text, in every worked example."""

from collections.abc import Iterator, Mapping
from typing import Final

from services.size_skirmish.arbiter import ARBITER
from tests.services.asking import HEAVY, examples, ruled

PROCEDURE: Final[Mapping[str, int]] = {
    "procedure.selected": 1,
    "procedure.announced": 2,
    "reactions.simple": 3,
    "reactions.in_retreat": 3,
    "reactions.sees": 3,
    "reactions.npcs_react": 3,
    "reactions.announced": 3,
    "procedure.reactions_announced": 3,
    "markers.marked": 4,
    "procedure.reactions_checked": 5,
    "procedure.reactions_carried_out": 5,
    "procedure.action_checked": 7,
    "procedure.action_carried_out": 8,
}
"""The rules that stand for steps of "Action Phase Procedure"; steps 5 and 6 are taken for each reaction."""

COMBAT: Final[Mapping[str, int]] = {
    "melee.redirected": 5,
    "melee.moved": 5,
    "melee.begun": 6,
    "harm.suffered": 6,
    "harm.casualties": 7,
    "melee.result": 8,
    "shooting.result": 8,
    "morale.after": 9,
}
"""The rules that stand for steps of "Melee", and of "Ranged Combat", where each has one number less."""


def rulings() -> Iterator[tuple[str, list[str]]]:
    """Give the rules of the findings of every worked example but whole games."""
    for example in examples(ARBITER):
        if example.question not in HEAVY:
            yield example.title, [finding["rule"] for finding in ruled(ARBITER, example)[0]["findings"]]


def test_the_steps_are_found_in_their_order() -> None:
    astray, seen = [], 0
    for title, rules in rulings():
        steps = [PROCEDURE[rule] for rule in rules if rule in PROCEDURE]
        astray += [title] * (steps != sorted(steps))
        last = max((place for place, rule in enumerate(rules) if rule == "procedure.action_carried_out"), default=None)
        if last is None:
            continue
        combat = [COMBAT[rule] for rule in rules[last:] if rule in COMBAT]
        astray += [title] * (combat != sorted(combat))
        seen += bool(combat)
    assert astray == []
    assert seen > 40
