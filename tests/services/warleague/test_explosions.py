"""Explosions: areas by a second count, chains that end, each explosion explained and none twice, faults."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.checks import checked
from services.warleague.questions.explosions import outcome
from services.warleague.rules import chains, explosions
from services.warleague.rules.happenings import Blast, ChainOutcome
from tests.effort import cases
from tests.services.warleague.field import ask, field_of, scene, table, unit

GRIDS = st.sampled_from(["hex", "square-4", "square-8"])
TILES = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(list)
TRAPS = ["powder-keg", "gas-main", "spike-pit", "snare", "spores", "catapult"]
UNITS = [
    ("ann", "red", "scrapper"),
    ("bob", "blue", "marksman"),
    ("kit", "blue", "mandible"),
    ("rex", "wild", "raider"),
]


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A small board crowded with what can go off, each thing where it may be."""
    every = draw(st.lists(TILES, unique_by=tuple, min_size=12, max_size=30))
    kinds = draw(
        st.lists(
            st.sampled_from(["crate", "concealed", "trap", "item", "wall", "hole", "rad"]),
            min_size=len(every),
            max_size=len(every),
        )
    )
    units = [unit(id_, at, side, profile) for (id_, side, profile), at in zip(UNITS, every, strict=False)]
    if draw(st.booleans()):
        units[0] |= {"health_lost": 8, "armor_lost": 4, "downed": True}
    things = list(zip(kinds, every, strict=True))[4:]
    holds = st.sampled_from(["trap", "trap", "loot", "nothing"])
    return {
        "sides": [{"id": "red"}, {"id": "blue"}, {"id": "wild"}],
        "units": units,
        "board": {
            "grid": draw(GRIDS),
            "columns": 7,
            "rows": 7,
            "killing": [{"at": at} for kind, at in things if kind == "hole"],
        },
        "obstacles": [{"id": f"wall{index}", "at": at} for index, (kind, at) in enumerate(things) if kind == "wall"],
        "crates": [{"at": at, "holds": draw(holds)} for kind, at in things if kind == "crate"],
        "concealed": [{"at": at, "holds": draw(holds)} for kind, at in things if kind == "concealed"],
        "traps": [{"at": at, "trap": draw(st.sampled_from(TRAPS))} for kind, at in things if kind == "trap"],
        "items": [
            {"at": at, "item": draw(st.sampled_from(["frag-grenade", "breach-charge", "plating"]))}
            for kind, at in things
            if kind == "item"
        ],
        "rads": [{"at": at, "number": 2} for kind, at in things if kind == "rad"],
        "trap_deck": {"cards": draw(st.lists(st.sampled_from(TRAPS), max_size=6)), "shuffled": draw(st.booleans())},
        "loot_deck": {"cards": draw(st.lists(st.sampled_from(["plating", "powder-keg", "spike-pit"]), max_size=4))},
    }


READINGS = st.fixed_dictionaries(
    {},
    optional={
        "blast_other_traps": st.sampled_from(["springs", "discarded"]),
        "blast_loot": st.just("stays"),
        "blast_explosives": st.just("destroyed"),
        "blast_rad": st.just("destroyed"),
        "chain_order": st.just("chooser"),
        "chain_damage": st.just("strongest"),
        "explosion_dice": st.just("tile"),
        "explosion_shielding": st.just("yes"),
        "explosion_radius": st.just("centre-first"),
        "deck_empty": st.just("none"),
        "throw_stops": st.just("crate"),
        "throw_edge": st.just("lost"),
        "throw_crate_trap": st.just("tile"),
        "throw_direction": st.just("line"),
    },
)


@given(posted=tables(), at=TILES, radius=st.integers(0, 4), readings=READINGS)
@settings(max_examples=cases(150))
def test_chains_end_and_nothing_goes_off_twice_or_unexplained(
    posted: dict[str, Any], at: list[int], radius: int, readings: dict[str, str]
) -> None:
    before = field_of(posted)
    blast = Blast((at[0], at[1]), radius, (3, 2, 1), "the test")
    done = chains.resolve(table(**readings), before, blast)
    sources = [*posted["crates"], *posted["concealed"], *posted["traps"], *posted["items"]]
    assert len(done.blasts) <= 1 + len(sources)
    assert done.blasts[0] == blast
    _explained(done, {(each["at"][0], each["at"][1]) for each in sources})
    checked(done.field.scene)  # raises Faults for what cannot be


def _explained(done: ChainOutcome, sources: set[tuple[int, int]]) -> None:
    """Each explosion after the first is where something was that could go off, and was set off by one before it."""
    for index, later in enumerate(done.blasts[1:], 1):
        assert later.epicentre in sources
        if later.source is None:
            assert any(each.at == later.epicentre for each in done.traps)
            continue
        assert any(
            each.epicentre == later.source
            and done.field.ground.distance(each.epicentre, later.epicentre, "steps") <= each.radius
            for each in done.blasts[:index]
        )
    where = [(blast.epicentre, blast.why) for blast in done.blasts[1:]]
    assert len(where) == len(set(where))


@given(posted=tables(), at=TILES, radius=st.integers(0, 4))
@settings(max_examples=cases(60))
def test_nothing_stays_hidden_or_standing_where_an_explosion_reached(
    posted: dict[str, Any], at: list[int], radius: int
) -> None:
    before = field_of(posted)
    done = chains.resolve(table(), before, Blast((at[0], at[1]), radius, (1,), "the test"))
    after, reached = done.field.scene, set(done.tiles)
    assert not reached & {each.at for each in (*after.crates, *after.concealed)}
    assert not reached & done.field.obstacles
    cards = [*before.scene.trap_deck.cards, *(trap.trap for trap in before.scene.traps)]
    loot = [card for card in before.scene.loot_deck.cards if card in before.book.traps]
    now = [*after.trap_deck.cards, *after.trap_deck.discard, *(trap.trap for trap in after.traps)]
    gone = [card for card in after.loot_deck.discard if card in before.book.traps]
    left = [card for card in after.loot_deck.cards if card in before.book.traps]
    # No card is lost or made: what is drawn lies open or with the discards of its deck.
    assert sorted(cards) == sorted(now)
    assert sorted(loot) == sorted([*left, *gone])


@given(grid=GRIDS, at=TILES, radius=st.integers(0, 5))
def test_an_area_is_what_a_walk_from_neighbour_to_neighbour_reaches(grid: str, at: list[int], radius: int) -> None:
    """Counted a second way: step by step outwards from the epicentre, on a board without gaps."""
    field = field_of({"sides": [{"id": "red"}], "board": {"grid": grid, "columns": 7, "rows": 7}})
    epicentre = (at[0], at[1])
    found = {epicentre}
    for _ in range(radius):
        found |= {near for tile in found for near in field.ground.neighbours(tile)}
    assert set(explosions.tiles(table(), field, epicentre, radius)) == found


@given(radius=st.integers(0, 5), at=TILES)
def test_with_diagonals_as_one_tile_an_area_of_squares_is_a_square(radius: int, at: list[int]) -> None:
    field = field_of({"sides": [{"id": "red"}], "board": {"grid": "square-4", "columns": 7, "rows": 7}})
    found = explosions.tiles(table(range_metric="diagonals"), field, (at[0], at[1]), radius)
    assert set(found) == {
        (column, row) for column in range(7) for row in range(7) if max(abs(column - at[0]), abs(row - at[1])) <= radius
    }


def test_a_chain_over_a_whole_board_of_crates_ends() -> None:
    """Each crate of a row of fifty holds a Powder Keg, and each sets off the next one."""
    crates = [{"at": [column, 0], "holds": "trap"} for column in range(1, 50)]
    posted = {
        "sides": [{"id": "red"}],
        "board": {"columns": 50, "rows": 1},
        "crates": crates,
        "trap_deck": {"cards": ["powder-keg"], "shuffled": True},
    }
    done = chains.resolve(table(), field_of(posted), Blast((0, 0), 1, (1,), "the test"))
    assert [blast.epicentre for blast in done.blasts] == [(column, 0) for column in range(50)]


@pytest.mark.parametrize(
    ("case", "where", "code"),
    [
        ({"at": [3, 3]}, "/case", "one-of"),
        ({"at": [3, 3], "trap": "powder-keg", "radius": 1}, "/case", "one-of"),
        ({"at": [3, 3], "trap": "spike-pit"}, "/case/trap", "no-explosive"),
        ({"at": [3, 3], "item": "plating"}, "/case/item", "no-explosive"),
        ({"at": [3, 3], "trap": "powder-keg", "damage": [1]}, "/case/damage", "damage"),
        ({"at": [3, 3], "radius": 1, "damage": [2, 1]}, "/case/damage", "damage"),
        ({"at": [30, 3], "radius": 1}, "/case/at", "off-the-board"),
        ({"at": [3, 3], "radius": 1, "by": "nobody"}, "/case/by", "unknown-unit"),
        ({"at": [3, 3], "trap": "nothing"}, "/case/trap", "unknown-trap"),
    ],
)
def test_impossible_explosions_are_faults(case: dict[str, Any], where: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("explosion", {"scene": scene(), **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(where, code)]


@given(posted=tables(), at=TILES, radius=st.integers(0, 3))
@settings(deadline=None)
def test_the_points_of_an_explosion_are_those_that_units_have_lost(
    posted: dict[str, Any], at: list[int], radius: int
) -> None:
    """What layers take in, what each unit has lost and what each side has lost agree, downed heroes included."""
    heroes = [{**each, "slots": [{"item": "small-shield"}]} for each in posted["units"][:2]]
    posted = {**posted, "units": [*heroes, *posted["units"][2:]]}
    field = field_of(posted)
    done = chains.resolve(table(), field, Blast((at[0], at[1]), radius, (3,), "it"))
    told = outcome(field, done)
    lost = {row.unit: row.lost for row in told.harmed}
    assert sum(lost.values()) == sum(row.points for row in told.lost)
    for each in field.units:
        absorbed = sum(loss.points for loss in done.losses if loss.unit == each.id)
        if each.id in told.fallen:
            assert absorbed <= lost[each.id]
        elif not each.downed:
            assert absorbed == lost.get(each.id, 0) or done.field.unit(each.id).effects
        else:
            assert absorbed == 0


@given(posted=tables(), at=TILES, radius=st.integers(0, 3))
@settings(deadline=None)
def test_the_traps_that_went_off_are_those_of_the_events(posted: dict[str, Any], at: list[int], radius: int) -> None:
    """Each card that goes off, by a unit or by an explosion, is an event and a trap of the outcome, once."""
    ruling = ask("explosion", {"scene": posted, "at": at, "radius": radius, "damage": [1]}, policies={"*": "first"})
    assert ruling.answer is not None
    events = [dict(event.values) for event in ruling.effects.events if event.name == "trap-sprung"]
    told = [(row.trap, row.at) for row in ruling.answer.outcome.traps]
    assert sorted(told) == sorted((event["trap"], tuple(event["at"])) for event in events)
