"""Creatures: laws that hold whatever they do, and chances by enumeration."""

from fractions import Fraction
from itertools import combinations
from math import dist
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.dice_sources import HandedDice
from arbiter.geometry.plane import shapes
from arbiter.table import Chooser, OneTable
from services.stargrave.checks import checked
from services.stargrave.rules import creature_moves, creatures, wayfinding
from tests.effort import cases
from tests.services.stargrave.asking import field_of, odds, table
from tests.services.stargrave.yard import empty, kel, on_the_ground, pieces, tenths


def rav(at: tuple[float, float], **more: Any) -> dict[str, Any]:
    return {"id": "rav", "profile": "ravaged", "role": "creature", "at": list(at), **more}


def middle(field: Any, id_: str) -> shapes.Point:
    x, y = field.figure(id_).at
    return shapes.thousandths(x), shapes.thousandths(y)


@settings(max_examples=cases(40), deadline=None)
@given(pieces(), st.data(), st.sampled_from(["ravaged", "sample-marauder", "sample-colossus", "drone"]))
def test_whatever_a_creature_does_leaves_a_sound_table(board: list[dict[str, Any]], data: Any, profile: str) -> None:
    spots = [(data.draw(tenths(15, 225)), data.draw(tenths(15, 225))) for _ in range(4)]
    assume(all(dist(a, b) > 2.1 for a, b in combinations(spots, 2)))
    figures = [
        rav(spots[0], profile=profile),
        rav(spots[1], id="cur"),
        kel(spots[2]),
        kel(spots[3], id="finn", crew="blue"),
    ]
    field = field_of(empty(*figures, pieces=board))
    assume(all(on_the_ground(wayfinding.Search(table(), field, figure)) for figure in field.figures))
    before = field
    for round_ in range(2):
        state = creatures.turn(table(seed=f"{spots}{round_}"), field, "rav")
        field = state.field
        assert checked(field.scene).figures
        assert len(state.actions) <= 2
        assert field.figure("cur") == before.figure("cur")
        if field.figure("rav").at is None:
            return
        walked = sum(action.kind in ("advance", "random-move") for action in state.actions)
        moved = dist(middle(before, "rav"), middle(field, "rav"))
        whole = 1000 * before.profile(before.figure("rav")).move_in
        # A push or an interception may add an inch each.
        assert moved <= whole * (0, 1, 1.5)[walked] + 2010
        before = field


@settings(max_examples=cases(60), deadline=None)
@given(pieces(), st.data(), st.sampled_from(["anything", "impassable"]))
def test_a_random_move_stays_on_its_line_and_runs_into_nothing(
    board: list[dict[str, Any]], data: Any, what: str
) -> None:
    at = (data.draw(tenths(10, 230)), data.draw(tenths(10, 230)))
    field = field_of(empty(rav(at), pieces=board))
    search = wayfinding.Search(table(), field, field.figure("rav"))
    assume(on_the_ground(search))
    here = search.body.at
    at_table = table(seed=str(at), **{"creature-obstacle": what})
    after = creature_moves.wander(at_table, field, "rav")
    (throw,) = at_table.throws
    there = middle(after, "rav")
    assert dist(here, there) <= 6001
    again = wayfinding.Search(table(), after, after.figure("rav"))
    assert again.standing_at(there)
    if what == "anything":
        assert after.figure("rav").elevation_in in (
            0.0,
            *(piece["height_in"] for piece in board if piece["height_in"] < 0.5),
        )
    assert throw.label == "rav: direction"
    assert throw.face in range(1, 13)


def test_all_twelve_directions_are_equally_likely() -> None:
    scene = empty(rav((12, 12)), kel((1, 1)))
    scene["board"]["pieces"] = [
        {"id": "wall", "outline": [[2, 2], [3, 2], [3, 3], [2, 3]], "height_in": 20, "climbable": False}
    ]
    field = field_of(scene)
    ends = set()
    for face in range(1, 13):
        at = OneTable(HandedDice({"rav: direction": (face,)}), Chooser({}, {}), table().readings)
        ends.add(middle(creature_moves.wander(at, field, "rav"), "rav"))
    assert len(ends) == 12
    assert all(dist(end, (12_000, 12_000)) == pytest.approx(6000, abs=1) for end in ends)
    # By the hours of a clock 3 is to the right and 12 to where the second coordinate grows.
    assert (18_000, 12_000) in ends
    assert (12_000, 18_000) in ends


def test_the_chance_that_a_creature_fells_its_opponent_is_that_of_all_400_pairs() -> None:
    scene = empty(rav((4, 6)), kel((9, 6), health=4, weapons=["hand-weapon"]))
    result = odds("behaviour", {"scene": scene, "creature": "rav"})
    felled = 0
    for a in range(1, 21):
        for b in range(1, 21):
            mine, theirs = a + 1, b + 3
            # A natural 20 alone wins; where the totals are equal both do their damage.
            wins = a == 20 if (a == 20) != (b == 20) else mine >= theirs
            left = mine - 9
            felled += wins and (2 * left if a == 20 and left > 0 else left) >= 4
    (chances,) = [marginal.values for marginal in result.marginals if marginal.field == "felled"]
    masses = {chance.answer: Fraction(chance.mass) for chance in chances}
    assert masses[1] == Fraction(felled, 400)
    assert sum(masses.values()) == 1
