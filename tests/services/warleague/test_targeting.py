"""What can be aimed at: in bulk and tile by tile alike, with bonuses, and what is behind whom."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.warleague.profiles import WeaponCard
from services.warleague.rules import flanking, intensity, reach, targeting
from tests.effort import cases
from tests.services.warleague.field import field_of, scene, table, unit, with_unit

METHODS = ("direct", "clear-line", "ballistics", "limitless", None)
tiles = st.tuples(st.integers(0, 5), st.integers(0, 5))


OWN_TILE: dict[str, Any] = {
    "grid": "hex",
    "things": [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0)],
    "method": None,
    "kind": "melee",
    "options": {
        "grazes": "both",
        "friends_block": "yes",
        "thrown_over_obstacles": "stop",
        "range_metric": "steps",
        "melee_method": "clear-line",
    },
}
"""A melee weapon that targets by clear lines, of which one to the bearer's own tile is one."""


@example(**OWN_TILE, most=0)
@example(**OWN_TILE, most=1)
@given(
    grid=st.sampled_from(["hex", "square-4", "square-8"]),
    things=st.lists(tiles, min_size=6, max_size=9, unique=True),
    method=st.sampled_from(METHODS),
    kind=st.sampled_from(["ranged", "melee", "thrown"]),
    most=st.one_of(st.none(), st.integers(0, 4)),
    options=st.fixed_dictionaries(
        {
            "grazes": st.sampled_from(["both", "either", "never"]),
            "friends_block": st.sampled_from(["yes", "no"]),
            "thrown_over_obstacles": st.sampled_from(["stop", "pass"]),
            "range_metric": st.sampled_from(["steps", "diagonals"]),
            "melee_method": st.sampled_from(["direct", "clear-line"]),
        }
    ),
)
@settings(max_examples=cases(60), deadline=None)
def test_tiles_in_reach_are_those_that_nothing_is_against(
    grid: str, things: list[Any], method: Any, kind: Any, most: int | None, options: dict[str, str]
) -> None:
    here, friend, foe, wall, crate, hidden, *more = map(list, things)
    field = field_of(
        {
            "sides": [{"id": "red"}, {"id": "blue"}],
            "board": {"grid": grid, "columns": 6, "rows": 6},
            "units": [unit("ann", here), unit("eve", friend), unit("bob", foe, "blue")],
            "obstacles": [{"id": f"w{index}", "at": at} for index, at in enumerate([wall, *more])],
            "crates": [{"at": crate}],
            "concealed": [{"at": hidden}],
        }
    )
    card = WeaponCard("w", targeting=kind, method=method, range=most)
    one = table(**options)
    expected = {at for at in field.ground.tiles if not targeting.violations(one, field, "ann", card, at)}
    assert reach.tiles(table(**options), field, "ann", card) == expected


def test_what_is_next_to_it_a_melee_weapon_reaches_without_asking_how() -> None:
    field = field_of(with_unit("bob", at=[3, 2]))
    card = field.book.weapons["cleaver"]
    one = table()
    assert targeting.violations(one, field, "ann", card, (3, 2)) == ()
    assert "melee-method" not in one.read_ids
    assert targeting.violations(one, field, "ann", card, (4, 2)) != ()
    assert "melee-method" in one.read_ids


@pytest.mark.parametrize(
    ("stat", "steps", "bonus"), [("damage", (2, -1), 1), ("range", (-2, 1), -1), ("damage", (0, 3), 3)]
)
def test_bonuses_of_the_type_and_generic_ones_are_added(stat: Any, steps: tuple[int, int], bonus: int) -> None:
    own, generic = steps
    changes = [{"stat": stat, "step": own, "targeting": "ranged"}, {"stat": stat, "step": generic}]
    field = field_of(with_unit("ann", effects=[{"card": "focus", "changes": changes}]))
    assert targeting.bonus(table(), field, "ann", stat, "ranged") == bonus
    assert targeting.bonus(table(), field, "ann", stat, "melee") == generic
    assert targeting.bonus(table(), field, "ann", stat, None) == 0


@given(st.integers(0, 9), st.integers(-9, 9))
def test_penalties_bring_damage_down_to_nothing_or_to_one(value: int, step: int) -> None:
    assert intensity.stepped(table(), value, step) == max(0, value + step)
    assert intensity.stepped(table(least_damage="one"), value, step) == max(min(value, 1), value + step)


@pytest.mark.parametrize(("rear", "behind"), [("half", [2, 3, 4]), ("edge", [3]), ("three", [2, 3, 4])])
def test_of_the_six_around_a_unit_these_are_behind_it(rear: str, behind: list[int]) -> None:
    """bob faces the east; each direction is where the attacker is."""
    field = field_of(with_unit("bob", facing=0))
    found = []
    for direction in range(6):
        at = field.ground.step((4, 2), direction)
        assert at is not None
        if flanking.behind(table(rear_sector=rear), field, "ann", "bob", at, "ranged"):
            found.append(direction)
    assert found == behind


def test_nobody_is_flanked_who_faces_nowhere_or_by_an_ability() -> None:
    field = field_of(scene(board={"facing": False}, units=[unit("ann", [2, 2]), unit("bob", [4, 2], "blue")]))
    assert not flanking.behind(table(), field, "ann", "bob", (2, 2), "ranged")
    turned = field_of(with_unit("bob", facing=0))
    assert flanking.behind(table(), turned, "ann", "bob", (2, 2), "ranged")
    assert not flanking.behind(table(), turned, "ann", "bob", (2, 2), None)
