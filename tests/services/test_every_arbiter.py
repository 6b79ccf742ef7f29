"""What every game must satisfy, whatever its rules: held over the registry's games and the template.

A new game is held to all of it from its first day. A question called `battle` is a whole game: it is asked less often
and has no law.
"""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from math import sqrt
from typing import Any

import jsonpatch
import msgspec
import pytest

from arbiter.arbiter import Arbiter
from arbiter.example import Example, differences, odds_differences, run_odds
from arbiter.fault import Faults, UnknownName
from arbiter.question import AskOdds
from arbiter.rule import Forbidden
from arbiter.sources import rows
from arbiter.table import Table, first
from tests.brute import TooManyPaths, brute_law
from tests.services.asking import (
    FIRST,
    LAW_BUDGET,
    ask,
    examples,
    is_light,
    law_in_reach,
    law_or_none,
    odds,
    per_example,
    per_game,
    posted_scene,
    prepared,
    question,
    ruled,
    seated,
)

BRUTE_PATHS = 4_000
BRUTE_EXAMPLES = 3
"""How many examples of a question are walked path by path, for it takes long."""


def seeds(game: Arbiter, example: Example) -> range:
    """Twenty seeds where dice fall in one attack, a few for whole battles, and one where none falls."""
    if not question(game, example).dice:
        return range(1)
    return range(20 if is_light(example) else 3)


# The game as a whole


@per_game()
def test_says_what_it_is(game: Arbiter) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", game.name)
    assert game.title
    assert game.edition
    assert game.gist.endswith(".")
    assert game.questions
    assert game.policies["first"] is first
    assert game.ledger.units
    assert (game.folder / "README.md").is_file(), f"{game.folder} needs a README.md"


@per_game()
def test_every_question_is_described_and_shown(game: Arbiter) -> None:
    for name, asked in game.questions.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name), name
        assert asked.gist, f"the question {name} needs a gist"
    shown = {example.question for example in examples(game)}
    missing = sorted(set(game.questions) - shown)
    assert not missing, f"write an example in {game.folder}/examples for: {', '.join(missing)}"


@per_game()
def test_an_unknown_question_is_named(game: Arbiter) -> None:
    with pytest.raises(UnknownName, match="no question 'nonsense'"):
        game.question("nonsense")


@per_game()
def test_rules_say_what_they_decide_and_stand_in_their_chapter(game: Arbiter) -> None:
    wrong = []
    for id_, rule in game.rules.items():
        chapter, _, name = id_.partition(".")
        if chapter != rule.module.rsplit(".", 1)[-1] or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            wrong.append(f"{id_} in {rule.module}: an id is the file's name, a dot and a name")
        if not rule.gist.endswith((".", ":", "?")):
            wrong.append(f"{id_}: begin the docstring with a sentence that says what is decided")
        if not rule.cites:
            wrong.append(f"{id_}: cite the units that it rules")
    assert not wrong, "\n".join(wrong)


@per_game()
def test_data_rows_have_an_id_a_gist_a_source_and_a_confidence(game: Arbiter) -> None:
    wrong, seen = [], set()
    for row in rows(game):
        for member in ("id", "gist", "confidence"):
            if not isinstance(row.content.get(member), str) or not row.content[member]:
                wrong.append(f"{row.name} needs `{member}`")
        if row.content.get("confidence") not in ("high", "medium", "low", "invented"):
            wrong.append(f"{row.name}: `confidence` is high, medium, low or invented")
        if not row.cites:
            wrong.append(f"{row.name} needs `cites`")
        unknown = [unit for unit in row.cites if unit not in game.ledger.units]
        wrong += [f"{row.name} cites {unit}, which is not in the ledger" for unit in unknown]
        if row.name in seen:
            wrong.append(f"{row.name} is there twice")
        seen.add(row.name)
    assert not wrong, "\n".join(wrong)


# Worked examples


@per_example()
def test_example_is_ruled_as_expected(game: Arbiter, example: Example) -> None:
    ruling, _ = ruled(game, example)
    assert differences(example.expect, ruling) == []
    asked = {unit for unit in example.cites if game.ledger[unit].kind != "example"}
    assert asked <= {citation["id"] for citation in ruling["citations"]}, "the ruling does not cite what it should"


@per_example(odds=True)
def test_example_has_the_odds_expected(game: Arbiter, example: Example) -> None:
    assert odds_differences(example.odds, run_odds(game, example)) == []
    for field, chances in example.odds.items():
        assert sum(chances.values()) <= 1, f"the chances of {field} add up to more than 1"


@per_example()
def test_ruling_replays_to_itself_from_its_own_throws(game: Arbiter, example: Example) -> None:
    ruling = ask(game, example)
    throws = msgspec.to_builtins(ruling.throws)
    again = ask(game, example, dice={"seed": ruling.seed, "throws": throws})
    assert msgspec.json.encode(again) == msgspec.json.encode(ruling)


@per_example()
def test_asking_changes_neither_case_nor_state(game: Arbiter, example: Example) -> None:
    """Decided twice from one and the same state, a question is decided the same, and the case is as it was posted."""
    case = msgspec.convert(example.case, question(game, example).case)
    before = msgspec.json.encode(case)
    state = question(game, example).prepare(case)
    told = [_told(game, example, state) for _ in range(2)]
    assert told[0] == told[1]
    assert msgspec.json.encode(case) == before


def _told(game: Arbiter, example: Example, state: Any) -> tuple[Any, ...]:
    """Decide a question from this very state, and give everything that is said about it."""
    table = seated(game, example, "unchanged")
    decided = None
    with suppress(Forbidden):
        decided = question(game, example).rule(table, state)
    return decided, table.findings, table.throws, table.made, table.events


# Seeded rulings


@per_example()
def test_seeded_rulings_come_out_and_their_patch_leads_to_the_scene_after(game: Arbiter, example: Example) -> None:
    posted = deepcopy(posted_scene(example))
    for seed in seeds(game, example):
        ruling = ask(game, example, dice={"seed": seed}, choices={}, policies=FIRST)
        assert ruling.status == "ruled"
        patch = list(msgspec.to_builtins(ruling.effects.patch))
        assert posted_scene(example) == posted, "asking has changed the posted scene"
        if not ruling.allowed:
            assert patch == []
            assert ruling.reasons
            continue
        decided = question(game, example).rule(seated(game, example, str(seed)), prepared(game, example))
        assert decided.answer == ruling.answer
        if decided.after is None:
            assert patch == []
            continue
        patched = jsonpatch.apply_patch(posted, patch)
        assert msgspec.convert(patched, type(decided.after)) == decided.after
        _assert_guarded(posted, patch)


def _assert_guarded(posted: Any, patch: list[dict[str, Any]]) -> None:
    """A patch refuses a table on which another row stands where it expects one."""
    for step in patch:
        if step["op"] != "test":
            continue
        moved_on = jsonpatch.apply_patch(posted, [{"op": "replace", "path": step["path"], "value": "somebody else"}])
        with pytest.raises(jsonpatch.JsonPatchTestFailed):
            jsonpatch.apply_patch(moved_on, patch)


# Laws


@per_game()
def test_every_light_question_with_dice_has_a_law_in_reach(game: Arbiter) -> None:
    asked = {e.question for e in examples(game) if is_light(e) and question(game, e).dice}
    reached = {e.question for e in examples(game) if e.question in asked and law_or_none(game, e) is not None}
    missing = sorted(asked - reached)
    assert not missing, f"no example has a law of at most {LAW_BUDGET} paths: {', '.join(missing)}; write a smaller one"


@per_example(dice=True)
def test_law_adds_up_to_one_in_all_its_parts(game: Arbiter, example: Example) -> None:
    law = law_in_reach(game, example)
    if not law.allowed:
        assert law.outcomes == ()
        assert law.reasons
        return
    assert sum(Fraction(chance.mass) for chance in law.outcomes) == 1
    assert all(Fraction(chance.mass) > 0 for chance in law.outcomes)
    for marginal in law.marginals:
        assert sum(Fraction(chance.mass) for chance in marginal.values) == 1, marginal.field


@per_example(dice=True)
def test_what_is_drawn_has_a_chance_in_the_law(game: Arbiter, example: Example) -> None:
    law = law_in_reach(game, example)
    possible = {chance.answer for chance in law.outcomes}
    for seed in seeds(game, example):
        ruling = ask(game, example, dice={"seed": seed}, choices={}, policies=FIRST)
        assert ruling.allowed == law.allowed
        if ruling.allowed:
            assert ruling.answer in possible


@per_example(dice=True)
def test_heads_fall_near_the_law(game: Arbiter, example: Example) -> None:
    law = law_in_reach(game, example)
    heads = 100_000
    crowd = odds(game, example, policies=FIRST, heads=heads, seed=11)
    assert crowd.allowed == law.allowed
    if law.allowed:
        counted = {chance.answer: int(chance.mass) for chance in crowd.outcomes}
        assert sum(counted.values()) == heads
        expected = {chance.answer: Fraction(chance.mass) * heads for chance in law.outcomes}
        assert set(counted) <= set(expected)
        assert _chi_square_is_plausible(counted, expected)


def _chi_square_is_plausible(counted: Mapping[Any, int], expected: Mapping[Any, Fraction]) -> bool:
    """Six standard deviations, and a little for few degrees of freedom: by chance, less than once in 100,000 tests."""
    cells = [(counted.get(value, 0), float(often)) for value, often in expected.items() if often >= 5]
    rest = [(counted.get(value, 0), float(often)) for value, often in expected.items() if often < 5]
    if rest:
        cells.append((sum(seen for seen, _ in rest), sum(often for _, often in rest)))
    statistic = sum((seen - often) ** 2 / often for seen, often in cells)
    free = len(cells) - 1
    return statistic <= free + 6 * sqrt(2 * free) + 12


@per_game()
def test_merged_law_is_the_law_of_all_paths_one_by_one(game: Arbiter) -> None:
    light = [example for example in examples(game) if is_light(example) and question(game, example).dice]
    tried, compared = Counter[str](), 0
    for example in light:
        law = law_or_none(game, example)
        if law is None or not law.allowed or tried[example.question] == BRUTE_EXAMPLES:
            continue
        tried[example.question] += 1
        if one_by_one := _one_by_one(game, example):
            assert {chance.answer: Fraction(chance.mass) for chance in law.outcomes} == one_by_one, example.title
            compared += 1
    assert compared or not light, f"no example has a law of at most {BRUTE_PATHS} paths without merging"


def _one_by_one(game: Arbiter, example: Example) -> dict[Any, Fraction]:
    """Give the law without any merging, or nothing where it has too many paths."""
    body = msgspec.convert(example.odds_body(), AskOdds[question(game, example).case])
    state = question(game, example).prepare(body.case)
    readings = game.readings.chosen(body.readings)

    def answer(table: Table, state: Any) -> Any:
        return question(game, example).rule(table, state).answer

    try:
        return brute_law(answer, state, readings=readings, most=BRUTE_PATHS)
    except TooManyPaths:
        return {}


# Readings


@per_game()
def test_every_reading_matters_to_some_example(game: Arbiter) -> None:
    consulted: set[str] = set()
    for example in examples(game):
        ruling, _ = ruled(game, example)
        consulted.update(reading["id"] for reading in ruling["readings"])
        if example.odds:
            consulted.update(reading["id"] for reading in run_odds(game, example)["readings"])
    idle = sorted(set(game.readings.by_id) - consulted)
    assert not idle, f"no example's ruling consults these readings; write one for each: {', '.join(idle)}"


@per_game()
def test_every_option_of_every_reading_leads_to_a_ruling(game: Arbiter) -> None:
    for reading in game.readings.by_id.values():
        assert len(reading.options) > 1, f"{reading.id} has nothing to choose between"
        assert all(unit in game.ledger.units for unit in reading.cites), f"{reading.id} cites what is not in the ledger"
        mattering = (e for e in examples(game) if reading.id in {r["id"] for r in ruled(game, e)[0]["readings"]})
        if (example := next(mattering, None)) is None:
            continue  # the test above names it
        for option in reading.options:
            readings = {**example.readings, reading.id: option.id}
            ruling = ask(game, example, dice={"seed": 5}, choices={}, policies=FIRST, readings=readings)
            assert ruling.status == "ruled"


@per_game()
def test_unknown_readings_and_options_are_faults_at_their_place(game: Arbiter) -> None:
    example = examples(game)[0]
    with pytest.raises(Faults) as caught:
        ask(game, example, readings={"no/such": "thing"})
    assert [fault.pointer for fault in caught.value.faults] == ["/readings/no~1such"]
