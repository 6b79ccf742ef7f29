import pytest

from services._template.rules.turn import initiative, move_first, refresh, then_shoot, winner
from services._template.scene import Move
from tests.services._template.tables import fighter, scene, table


@pytest.mark.parametrize(("red", "blue", "first"), [(2, 3, "blue"), (3, 2, "red"), (3, 3, "red")])
def test_the_higher_roll_begins_and_red_on_a_tie(red: int, blue: int, first: str) -> None:
    order = initiative(table({"initiative of red": [red], "initiative of blue": [blue]}))
    assert order[0] == first
    assert set(order) == {"red", "blue"}


def test_a_new_round_lets_everybody_dodge_again() -> None:
    tired = scene(fighter("a", "scout", (1, 1), dodged=True), fighter("b", "scout", (2, 1)))
    assert [each.dodged for each in refresh(table(), tired).fighters] == [False, False]


def test_a_fighter_goes_where_its_player_picks_or_stays() -> None:
    mover = fighter("a", "gunner", (1, 1))
    move = Move(scene(mover), mover)
    moved = move_first(table(choices={"move of a": [[2, 1]]}), move)
    assert moved.fighter("a").hex == (2, 1)
    assert move_first(table(choices={"move of a": [[1, 1]]}), move) == move.scene


def test_with_no_enemy_in_range_nothing_is_shot() -> None:
    alone = fighter("a", "scout", (1, 1))
    far = scene(alone, fighter("b", "scout", (5, 1), side="blue"))
    assert then_shoot(table(), far, alone) == far


def test_a_side_that_is_alone_has_won() -> None:
    red, blue = fighter("a", "scout", (1, 1)), fighter("b", "scout", (2, 1), side="blue")
    assert winner(table(), scene(red, blue)) is None
    assert winner(table(), scene(blue)) == "blue"
