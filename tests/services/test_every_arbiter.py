"""What every game must satisfy, whatever its rules: held over the registry's games and the template.

A new game is held to all of it from its first day. A question called `battle` is a whole game: it is asked less often
and has no law.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import sqrt
from typing import Any

import jsonpatch
import msgspec
import pytest

from arbiter.facts import FactCase, FactNeeded, facts_of
from arbiter.fault import Faults, UnknownName
from arbiter.game import Arbiter
from arbiter.json import encode
from arbiter.question import AskOdds, Decided, DiceSpec
from arbiter.rule import Forbidden
from arbiter.ruling import Ruling
from arbiter.sources.coverage import rows
from arbiter.sources.examples import SEED, Example, differences, odds_differences
from arbiter.table import OneTable, Table, first
from tests.brute import TooManyPaths, about_how_many, brute_bounds
from tests.effort import cases
from tests.services.asking import (
    FIRST,
    LAW_BUDGET,
    ask,
    decoded,
    examples,
    is_light,
    law_or_none,
    odds,
    per_example,
    per_game,
    posted_scene,
    question,
    ruled,
    seated,
    weighed,
    written,
)

pytestmark = pytest.mark.long

BRUTE_EXAMPLES = cases(2, 1)
"""How many examples of a question are walked path by path, for it takes long: the first of few paths."""
FEW_PATHS = 100
BRUTE_PATHS = 10_000
"""Where no example of a question has few paths, the one with the fewest is walked, up to so many."""
LAW_EXAMPLES = cases(1_000, 6)
"""How many examples of a question have their whole law looked at; every one that says its odds has it compared."""
LEAST_CHANCE = Fraction(1, 10_000)
MOST_LEFT = Fraction(1, 10)
"""Rolls that are made again have no last path: less likely ones are not walked, and together they may be no more."""


def seeds(game: Arbiter, example: Example) -> range:
    """Every night six seeds where dice fall in one attack and two for whole battles; one otherwise."""
    if not question(game, example).dice:
        return range(1)
    return range(cases(6, 1) if is_light(example) else cases(2, 1))


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
def test_every_question_that_takes_facts_has_an_example_without_a_board(game: Arbiter) -> None:
    taking = {name for name, each in game.questions.items() if issubclass(each.case, FactCase)}
    asked = {
        each.question
        for each in examples(game)
        if each.question in taking and decoded(game, each).case.scene.is_partial
    }
    assert not taking - asked, f"write an example without a board for: {sorted(taking - asked)}"


@per_game()
def test_an_unknown_question_is_named(game: Arbiter) -> None:
    with pytest.raises(UnknownName, match="no question 'nonsense'"):
        game.question("nonsense")


@per_game()
def test_rules_say_what_they_decide_and_stand_in_their_chapter(game: Arbiter) -> None:
    wrong = []
    for id_, rule in game.rules.items():
        if id_ != f"{rule.module.rsplit('.', 1)[-1]}.{rule.function.__name__}":
            wrong.append(f"{id_} in {rule.module}: an id is the file's name, a dot and the function's name")
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
    assert odds_differences(example.odds, weighed(game, example)) == []
    for field, chances in example.odds.items():
        assert sum(chances.values()) <= 1, f"the chances of {field} add up to more than 1"


@per_example()
def test_ruling_replays_to_itself_from_its_own_throws_and_is_written_as_it_is(game: Arbiter, example: Example) -> None:
    ruling, _ = ruled(game, example)
    # As texts, for to Python 1, 1.0 and True are the same.
    again = written(game, example, dice={"seed": ruling["seed"], "throws": ruling["throws"]})
    assert again == encode(ruling)


# Seeded rulings


@per_example()
def test_seeded_rulings_come_out_and_their_patch_leads_to_the_scene_after(game: Arbiter, example: Example) -> None:
    """They are the same from a state of their own as from one that serves them all, and the case is as it was posted.

    So asking changes neither case nor state.
    """
    as_posted = msgspec.json.encode(posted_scene(example))
    patched: dict[bytes, Any] = {}
    for seed, (ruling, decided) in zip(seeds(game, example), seeded(game, example), strict=True):
        assert msgspec.json.encode(posted_scene(example)) == as_posted, "asking has changed the posted scene"
        if ruling.status == "needs_fact":
            assert ruling.needs is not None
            assert ruling.needs.facts
            continue
        assert ruling.status == "ruled", seed
        patch = msgspec.json.encode(ruling.effects.patch)
        if decided is None:
            assert not ruling.allowed
            assert ruling.reasons
        if decided is None or decided.after is None:
            assert patch == b"[]"
            continue
        # Many seeds lead to the same scene; the same patch need be applied but once.
        if patch not in patched:
            patched[patch] = _applied(as_posted, msgspec.json.decode(patch))
            _assert_guarded(as_posted, msgspec.json.decode(patch))
        # As JSON, in which a place that nobody knows is null.
        assert encode(msgspec.convert(patched[patch], type(decided.after))) == encode(decided.after)


def seeded(game: Arbiter, example: Example) -> Iterator[tuple[Ruling[Any], Decided[Any] | None]]:
    """Ask an example with each of its seeds, and give the ruling with what the rule itself decided, if it allowed it.

    One case and one state serve all seeds, and the state has served before: whoever changes them is found out.
    """
    asked = decoded(game, example, choices={}, policies=FIRST)
    before = encode(asked.case)
    state = question(game, example).prepare(asked.case)
    came = []
    if len(seeds(game, example)) == 1:
        before_it, _ = decided_from(state, game, example, 1)
        came.append((before_it is not None, before_it.answer if before_it else None))
    for seed in seeds(game, example):
        ruling = game.ask(
            example.question,
            msgspec.structs.replace(asked, dice=DiceSpec(seed=seed)),
            seed=SEED,
            posted=lambda: posted_scene(example),
        )
        decided, table = decided_from(state, game, example, seed)
        assert ruling.answer == (decided.answer if decided else None), seed
        assert ruling.findings == tuple(table.findings), seed
        assert ruling.throws == tuple(table.throws), seed
        assert ruling.choices == tuple(table.made), seed
        assert ruling.effects.events == (tuple(table.events) if decided else ()), seed
        came.append((ruling.allowed, ruling.answer))
        yield ruling, decided
    assert encode(asked.case) == before, "asking has changed the case"
    DRAWN[game.name, example.title] = came


def decided_from(state: Any, game: Arbiter, example: Example, seed: int) -> tuple[Decided[Any] | None, OneTable]:
    """Decide a question from this very state, and give the table where it was decided."""
    table = seated(game, example, str(seed))
    with suppress(Forbidden, FactNeeded):
        return question(game, example).rule(table, state), table
    return None, table


DRAWN: dict[tuple[str, str], Sequence[tuple[bool, Any]]] = {}
"""What came of examples that were asked with all of their seeds."""


def drawn(game: Arbiter, example: Example) -> Sequence[tuple[bool, Any]]:
    """Give whether an example is allowed with each of its seeds, and the answer; it is asked if nobody has before."""
    if (game.name, example.title) not in DRAWN:
        deque(seeded(game, example), maxlen=0)
    return DRAWN[game.name, example.title]


def _applied(posted: bytes, patch: list[dict[str, Any]]) -> Any:
    # Read anew from its text, a document is copied far faster than part by part.
    return jsonpatch.apply_patch(msgspec.json.decode(posted), patch, in_place=True)


def _assert_guarded(posted: bytes, patch: list[dict[str, Any]]) -> None:
    """A patch refuses a table on which another row stands where it expects one."""
    for step in patch:
        if step["op"] != "test":
            continue
        somebody_else = {"op": "replace", "path": step["path"], "value": "somebody else"}
        with pytest.raises(jsonpatch.JsonPatchTestFailed):
            _applied(posted, [somebody_else, *patch])


# Laws


@per_game()
def test_every_light_question_with_dice_has_a_law_in_reach(game: Arbiter) -> None:
    asked = {e.question for e in examples(game) if is_light(e) and question(game, e).dice}
    missing = sorted(
        name
        for name in asked
        if not any(law_or_none(game, e) is not None for e in examples(game) if e.question == name)
    )
    assert not missing, f"no example has a law of at most {LAW_BUDGET} paths: {', '.join(missing)}; write a smaller one"


@per_example(dice=True, most=LAW_EXAMPLES)
def test_law_adds_up_to_one_in_all_its_parts(game: Arbiter, example: Example) -> None:
    if (law := law_or_none(game, example)) is None:
        return
    if not law.allowed:
        assert law.outcomes == ()
        assert law.reasons
        return
    assert sum(Fraction(chance.mass) for chance in law.outcomes) == 1
    assert all(Fraction(chance.mass) > 0 for chance in law.outcomes)
    for marginal in law.marginals:
        assert sum(Fraction(chance.mass) for chance in marginal.values) == 1, marginal.field


@per_example(dice=True, most=LAW_EXAMPLES)
def test_what_is_drawn_has_a_chance_in_the_law(game: Arbiter, example: Example) -> None:
    if (law := law_or_none(game, example)) is None:
        return
    possible = {chance.answer for chance in law.outcomes}
    for allowed, answer in drawn(game, example):
        assert allowed == law.allowed
        if allowed:
            assert answer in possible


@per_example(dice=True, most=cases(4, 2))
def test_heads_fall_near_the_law(game: Arbiter, example: Example) -> None:
    if (law := law_or_none(game, example)) is None:
        return
    heads = 30_000
    # Heads fall apart into more paths than the law has.
    crowd = odds(game, example, 10 * LAW_BUDGET, policies=FIRST, heads=heads, seed=11)
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
    """Every question whose dice fall in some example is compared, and in examples in which they do fall."""
    missing = []
    for name in sorted(game.questions):
        paths, compared = [], 0
        for example, many in forking(game, name):
            paths.append((example, many))
            # About how many they are is but an estimate, so that a few times as many are walked before giving up.
            compared += many <= FEW_PATHS and _is_the_law_one_by_one(game, example, 4 * FEW_PATHS)
            if compared == BRUTE_EXAMPLES:
                break
        if paths and not compared:
            fewest = min(paths, key=lambda guessed: guessed[1])[0]
            compared += _is_the_law_one_by_one(game, fewest, BRUTE_PATHS)
        if paths and not compared:
            missing.append(name)
    assert not missing, f"no example has at most {BRUTE_PATHS} likely paths without merging: {', '.join(missing)}"


def forking(game: Arbiter, name: str) -> Iterator[tuple[Example, Fraction]]:
    """Give the examples of a question in which dice fall, each with about how many paths its law has unmerged."""
    for example in examples(game):
        if example.question != name or not is_light(example) or not question(game, example).dice:
            continue
        with suppress(Forbidden, FactNeeded):
            many = about_how_many(*unmerged(game, example), readings=game.readings.complete(example.readings))
            if many > 1:
                yield example, many


def unmerged(game: Arbiter, example: Example) -> tuple[Callable[[Table, Any], Any], Any]:
    """Give the rule that leads to an example's answer, and the state it is decided from."""

    def answer(table: Table, state: Any) -> Any:
        table.facts = facts_of(game.facts, body.case)
        return question(game, example).rule(table, state).answer

    body = msgspec.convert(example.odds_body(), AskOdds[question(game, example).case])
    return answer, question(game, example).prepare(body.case)


def _is_the_law_one_by_one(game: Arbiter, example: Example, most: int) -> bool:
    """Compare the law of an example with that of its paths; False where too many of them were not walked.

    Where every path was walked the two are equal; else the chance that is left bounds how far they may be apart.
    """
    law = law_or_none(game, example)
    try:
        one_by_one, left = brute_bounds(
            *unmerged(game, example), readings=game.readings.complete(example.readings), most=most, least=LEAST_CHANCE
        )
    except TooManyPaths:
        return False
    assert law is not None, f"the merged law of {example.title!r} has more paths than the unmerged"
    merged = {chance.answer: Fraction(chance.mass) for chance in law.outcomes}
    assert set(one_by_one) <= set(merged), example.title
    assert sum(one_by_one.values()) + left == 1
    for answer, mass in merged.items():
        walked = one_by_one.get(answer, Fraction(0))
        assert walked <= mass <= walked + left, (example.title, answer)
    return left <= MOST_LEFT


# Readings


@per_game()
def test_every_reading_matters_to_some_example(game: Arbiter) -> None:
    consulted: set[str] = set()
    for example in examples(game):
        ruling, _ = ruled(game, example)
        consulted.update(reading["id"] for reading in ruling["readings"])
        if example.odds:
            consulted.update(reading["id"] for reading in weighed(game, example)["readings"])
    idle = sorted(set(game.readings.by_id) - consulted)
    assert not idle, f"no example's ruling consults these readings; write one for each: {', '.join(idle)}"


@per_game()
def test_every_option_of_every_reading_leads_to_a_ruling(game: Arbiter) -> None:
    for reading in game.readings.by_id.values():
        assert len(reading.options) > 1, f"{reading.id} has nothing to choose between"
        assert all(unit in game.ledger.units for unit in reading.cites), f"{reading.id} cites what is not in the ledger"
        # Whole battles come last, for they take longest.
        lightest = sorted(examples(game), key=lambda e: not is_light(e))
        # Without a board, another option may need another fact.
        seen = [e for e in lightest if not ruled(game, e)[0].get("facts")]
        mattering = (e for e in seen if reading.id in {r["id"] for r in ruled(game, e)[0]["readings"]})
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
