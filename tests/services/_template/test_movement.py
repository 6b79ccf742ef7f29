from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from services._template.ground import GRID, Hex
from services._template.rules.movement import closed, reach
from services._template.scene import Move, Scene
from tests.services._template.tables import fighter, scene, table

HEXES = st.sampled_from(sorted(scene(fighter("a", "scout", (0, 0))).board.tiles))


def walks(at: Hex, steps: int, on: Scene, shut: set[Hex]) -> Iterator[Hex]:
    """Every walk, step by step, with its end: the text's own words, without any cleverness."""
    yield at
    for step in GRID.neighbours(at) if steps else ():
        if on.holds(step) and step not in shut:
            yield from walks(step, steps - 1, on, shut)


@given(
    start=HEXES,
    others=st.sets(HEXES, max_size=4),
    rocks=st.sets(HEXES, max_size=8),
    profile=st.sampled_from(["scout", "marksman", "gunner"]),
)
def test_reach_is_the_end_of_every_walk(start: Hex, others: set[Hex], rocks: set[Hex], profile: str) -> None:
    others -= {start}
    rocks -= {start, *others}
    mover = fighter("mover", profile, start)
    on = scene(mover, *(fighter(f"f{i}", "scout", at) for i, at in enumerate(others)), rocks=[*rocks])
    found = reach(table(), Move(on, mover))
    assert len(found) == len(set(found))
    assert {start, *found} == set(walks(start, mover.numbers.speed_hexes, on, {start, *others, *rocks}))


def test_rocks_and_fighters_close_hexes() -> None:
    on = scene(fighter("a", "scout", (0, 0)), rocks=[(1, 0)])
    assert closed(table(), on) == {(0, 0), (1, 0)}
