"""Contests, phases and victory points: nobody is favoured, phases follow each other, and every game ends."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from services.rapture.placing import Placed
from services.rapture.rules import activation, battlegroup, cleanup, contest, ending, preparation, setup, victory
from tests.effort import cases
from tests.services.rapture.field import field_of, scene, table, unit, walked


@pytest.mark.parametrize("many", [2, 3, 4])
def test_contests_favour_nobody(many: int) -> None:
    players = tuple("abcd"[:many])
    result = walked(contest.ranking, players, "combat value")
    assert result == {order: Fraction(1, len(list(permutations(players)))) for order in permutations(players)}
    assert walked(contest.highest, players, "terrain") == {player: Fraction(1, many) for player in players}


def test_a_single_roll_may_leave_players_equal() -> None:
    """Of 36 pairs six are equal."""
    result = walked(contest.roll_once, ("a", "b"), "terrain")
    assert result == {("a",): Fraction(15, 36), ("b",): Fraction(15, 36), ("a", "b"): Fraction(6, 36)}


def test_an_ascension_is_a_die_against_the_number_of_the_card() -> None:
    law = walked(lambda t, f: preparation.ascensions(t, f).unit("ada").ascended, field_of(scene(phase="preparation")))
    assert law == {True: Fraction(1, 6), False: Fraction(5, 6)}


def test_six_rounds_and_no_more() -> None:
    field = field_of(scene(phase="preparation"))
    rounds = 0
    while not ending.over(table(), field):
        field = preparation.steps(table(), field)
        assert (field.scene.phase, field.scene.step, field.scene.turn) == ("activation", None, field.scene.order[0])
        field = field.put(*(replace(unit_, activated=True) for unit_ in field.units))
        assert cleanup.violations(table(), field) == ()
        field = cleanup.steps(table(), field)
        assert not any(unit_.activated for unit_ in field.units)
        rounds += 1
    assert rounds == 6
    assert field.scene.phase == "over"


def test_after_the_game_no_phase_is_made_up() -> None:
    over = field_of(scene(phase="over", round=6, order=["red", "blue"]))
    assert [reason.text for reason in activation.violations(table(), over, "ada")] == [
        "Units are activated in the activation phase; this is the end of the game"
    ]
    assert [reason.text for reason in (*cleanup.violations(table(), over), *preparation.violations(table(), over))] == [
        "The cleanup phase follows the activation phase; this is the end of the game",
        "This is the end of the game, in round 6",
    ]


def test_points_of_the_round_are_gone_and_full_again() -> None:
    field = cleanup.expire_points(table(), field_of())
    assert {(unit_.ap, unit_.rp) for unit_ in field.units} == {(0, 0)}
    field = preparation.refill(table(), field)
    assert {(unit_.ap, unit_.rp) for unit_ in field.units} == {(None, None)}


FALLEN = st.lists(st.sampled_from((None, "casualty", "fled")), min_size=7, max_size=7)


@settings(max_examples=cases(60))
@given(FALLEN)
def test_victory_points_are_the_cost_of_the_fallen_and_thirty_for_all(fallen: list[str | None]) -> None:
    """Counted a second way: by hand from the cards, side by side."""
    scene_json = scene()
    if fallen[2] is not None:
        fallen = [*fallen[:3], fallen[2], fallen[2], *fallen[5:]]
    for row, how in zip(scene_json["units"], fallen, strict=True):
        if how is not None:
            row |= {"models": [], "disabled": how}
    cost = {"ada": 30, "bob": 28, "fay": 22, "una": 7, "vic": 7, "gus": 18, "rob": 16}
    field = field_of(scene_json)
    for side in ("red", "blue"):
        others = [(row["id"], how) for row, how in zip(scene_json["units"], fallen, strict=True) if row["side"] != side]
        expected = sum(cost[id_] for id_, how in others if how) + (30 if all(how for _, how in others) else 0)
        assert victory.total(table(), field, side).total == expected
        casualties = sum(cost[id_] for id_, how in others if how == "casualty")
        assert victory.total(table(eliminated="casualties"), field, side).eliminated == casualties


@given(st.lists(st.sampled_from(("lantern-bearer", "gate-breaker", "ditch-guard", "roof-runners")), max_size=8))
def test_a_battlegroup_is_legal_as_the_text_says(cards: list[str]) -> None:
    cost = {"lantern-bearer": 30, "gate-breaker": 28, "ditch-guard": 18, "roof-runners": 16}
    most = {"lantern-bearer": 1, "gate-breaker": 1, "ditch-guard": 2, "roof-runners": 2}
    book, named = field_of().book, tuple(cards)
    assert bool(battlegroup.points_violations(table(), book, named)) == (sum(cost[card] for card in cards) > 100)
    often = [card for card in most if cards.count(card) > most[card]]
    assert len(battlegroup.count_violations(table(), book, named)) == len(often)


def test_deployment_takes_turns_until_nobody_has_a_unit_left() -> None:
    units = [unit(id_, [], side=side) for id_, side in (("a", "red"), ("b", "blue"), ("c", "blue"), ("d", "blue"))]
    sides = [{"id": "red", "edge": "west"}, {"id": "blue", "edge": "east"}]
    field = field_of({"sides": sides, "units": units, "board": {}})
    first = setup.deploys_first(table(), field, None)
    order: list[str] = []
    while (side := setup.deploys_next(table(), field, first)) is not None:
        one = setup.heads(field, side, deployed=False)[0]
        place = (10.0 + 10 * len(order), 10.0)
        field = setup.deploy(table(), field, (Placed(one.id, (place,)),))
        order.append(side)
    assert order == ["blue", "red", "blue", "blue"]
