"""Movement over the table: where nothing is in the way, the shortest way is straight."""

from math import hypot

from services._template.rules.movement import closed, reach
from services._template.scene import Move
from tests.services._template.tables import fighter, rock, scene, table


def test_on_an_empty_table_reach_is_a_circle() -> None:
    """It is cut off half an inch from the edges, where a base is still wholly on the table."""
    for profile, inches in (("scout", 3), ("marksman", 2), ("gunner", 1)):
        mover = fighter("mover", profile, (2, 5))
        circle = {(x, y) for x in range(1, 10) for y in range(1, 10) if hypot(x - 2, y - 5) <= inches} - {(2, 5)}
        assert set(reach(table(), Move(scene(mover), mover))) == circle


def test_rocks_and_fighters_are_in_the_way() -> None:
    """Both are closed to everybody else."""
    on = scene(fighter("a", "scout", (1, 1)), rocks=[rock((3, 3))])
    assert closed(table(), on) == {(1, 1), rock((3, 3))}
