"""NPCs: the tiles from which one could attack, by a second method, and what holds for each of its turns."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.warleague.checks import checked
from services.warleague.rules import attack, npc, points, targeting
from services.warleague.rules.happenings import Strike
from tests.services.warleague.field import ask, field_of, scene, table, unit, walked


@st.composite
def fights(draw: st.DrawFn) -> dict[str, Any]:
    tiles = draw(st.permutations([[column, row] for column in range(7) for row in range(5)]))
    npcs = draw(st.sampled_from(("raider", "sentry")))
    return scene(
        board={"grid": draw(st.sampled_from(("hex", "square-4", "square-8"))), "columns": 7, "rows": 5},
        units=[
            unit("sid", tiles[0], "wild", npcs, facing=0),
            unit("ann", tiles[1], "red", facing=draw(st.integers(0, 3))),
            unit("bob", tiles[2], "blue", "marksman", facing=1),
            unit("kit", tiles[3], "wild", "raider"),
        ],
        obstacles=[{"id": f"w{index}", "at": at} for index, at in enumerate(tiles[4:9])],
        crates=[{"at": at, "holds": "trap"} for at in tiles[9:11]],
        concealed=[{"at": tiles[11], "holds": "loot"}],
        trap_deck={"cards": ["spike-pit", "powder-keg"]},
    )


@given(posted=fights(), grazes=st.sampled_from(("both", "either", "never")))
def test_where_an_enemy_can_be_attacked_from_is_where_attacks_on_it_are_allowed(
    posted: dict[str, Any], grazes: str
) -> None:
    field = field_of(posted)
    at = table(grazes=grazes)
    found = set()
    taken = field.obstacles | (field.occupied - {field.at("sid")})
    for tile in field.ground.tiles - taken:
        there = field.put(replace(field.unit("sid"), at=tile))
        if not attack.violations(at, there, Strike("sid", (0,), field.at("bob"))):
            found.add(tile)
    assert npc.spots(at, field, "sid", "bob") == found


@given(posted=fights(), approach=st.sampled_from(("reach", "adjacent")), avoid=st.sampled_from(("walks", "avoids")))
def test_a_turn_ends_with_a_sound_table_and_no_more_points_than_there_were(
    posted: dict[str, Any], approach: str, avoid: str
) -> None:
    field = field_of(posted)
    at = table(npc_approach=approach, npc_concealed=avoid)
    acting = npc.acted(at, field, "sid")
    assert checked(acting.field.scene) == acting.field
    assert acting.over
    assert 0 <= points.left(acting.field, "sid") <= points.left(field, "sid")
    here = field.at("sid")
    for tile in acting.way:
        assert field.ground.adjacent(here, tile)
        assert not (avoid == "avoids" and (field.crate(tile) or field.concealed(tile)))
        here = tile
    assert set(acting.targets) <= {"ann", "bob"}
    assert all(made.target in acting.targets for made in acting.attacks)
    spent = len(acting.way) + sum(1 if field.unit("sid").profile == "raider" else 2 for _ in acting.attacks)
    if acting.field.scene.crates == field.scene.crates:
        assert points.left(acting.field, "sid") == points.left(field, "sid") - spent


@given(posted=fights())
def test_it_stops_attacking_only_when_it_cannot_go_on(posted: dict[str, Any]) -> None:
    acting = npc.acted(table(), field_of(posted), "sid")
    field = acting.field
    if field.unit("sid").at is None:
        return
    goal = npc.target(table(), field, "sid")
    assert goal is None or npc.strikes(table(), field, "sid", goal) == ()


def test_the_law_of_two_blows_is_that_of_two_dice() -> None:
    # Sid beside bob, who sees it: two blows of 4, 3 or 2, alike.
    posted = scene(
        units=[unit("sid", [3, 2], "wild", "raider", facing=0, ap=2), unit("bob", [4, 2], "blue", "marksman", facing=3)]
    )
    law = walked(npc.acted, field_of(posted), "sid")
    sums: dict[int, Any] = {}
    for acting, mass in law.items():
        damage = sum(made.damage for made in acting.attacks)
        sums[damage] = sums.get(damage, 0) + mass * 9
    assert sums == {8: 1, 7: 2, 6: 3, 5: 2, 4: 1}


def test_an_attack_that_costs_nothing_is_made_once() -> None:
    free = {"id": "claw", "targeting": "melee", "ap": 0, "damage": [1]}
    posted = scene(
        units=[unit("sid", [3, 2], "wild", "raider", hands=[{"weapon": "claw"}]), unit("ann", [4, 2])],
        profiles={"weapons": [free]},
    )
    assert len(npc.acted(table(), field_of(posted), "sid").attacks) == 1


def test_it_passes_friends_only_to_stop_beyond_them() -> None:
    # A corridor of one row: kit stands between sid and ann.
    board = {"columns": 8, "rows": 1}
    posted = scene(
        board=board,
        units=[unit("sid", [0, 0], "wild", "raider"), unit("kit", [1, 0], "wild", "raider"), unit("ann", [5, 0])],
        obstacles=[],
        crates=[],
        concealed=[],
    )
    stuck = npc.acted(table(), field_of(posted), "sid")
    assert (stuck.way, stuck.attacks) == ((), ())
    passing = npc.acted(table(through_friends="yes"), field_of(posted), "sid")
    assert passing.way == ((1, 0), (2, 0), (3, 0), (4, 0))


def test_grids_count_distance_by_their_own_steps() -> None:
    # On squares with four neighbours ann is three steps away, bob two by diagonals and four by steps.
    posted = scene(
        board={"grid": "square-4", "columns": 8, "rows": 8},
        units=[unit("sid", [3, 3], "wild", "raider"), unit("ann", [6, 3]), unit("bob", [5, 5], "blue", "marksman")],
        obstacles=[],
        crates=[],
        concealed=[],
    )
    field = field_of(posted)
    assert npc.target(table(npc_distance="tiles"), field, "sid") == "ann"
    assert npc.target(table(npc_distance="tiles", range_metric="diagonals"), field, "sid") == "bob"
    assert targeting.distance(table(), field, (3, 3), (5, 5)) == 4


def test_the_defender_chooses_to_parry_in_an_npcs_turn() -> None:
    posted = scene(
        units=[
            unit("sid", [3, 2], "wild", "raider", facing=0, ap=1),
            unit("bob", [4, 2], "blue", "marksman", facing=3, hands=[{"weapon": "maul", "parries": 1}]),
        ]
    )
    case = {"scene": posted, "unit": "sid"}
    asked = ask("behaviour", case, dice={"hand": {"sid: intensity": [6]}})
    assert asked.status == "needs_choice"
    said = ask("behaviour", case, dice={"hand": {"sid: intensity": [6]}}, choices={"bob: parry": ["first-hand"]})
    assert said.answer is not None
    # Maul: lowest value 3 off 4.
    assert said.answer.damage == 1
