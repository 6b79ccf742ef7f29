from arbiter.table import Choice
from services._template.battle import bold, play
from services._template.questions import BattleCase
from services._template.scene import Move, Shot
from tests.services._template.tables import fighter, scene, table

RED, BLUE = fighter("red", "scout", (1, 1)), fighter("blue", "scout", (5, 1), side="blue")


def test_bold_goes_as_near_as_can_be() -> None:
    choice = Choice("red", "move of red", ((1, 1), (2, 1), (3, 1), (1, 2)), Move(scene(RED, BLUE), RED))
    assert bold(choice) == (3, 1)


def test_bold_always_dodges_and_else_takes_the_first() -> None:
    assert bold(Choice("blue", "dodge of blue", ("stand", "dodge"), Shot(scene(RED, BLUE), RED, BLUE))) == "dodge"
    assert bold(Choice("blue", "target of blue", ("a", "b"), scene(RED, BLUE))) == "a"


def test_without_enemies_the_battle_is_won_before_it_begins() -> None:
    answer = play(table(), BattleCase(scene(RED), rounds=3)).answer
    assert (answer.winner, answer.rounds, answer.standing) == ("red", 0, ("red",))


def test_after_the_last_round_nobody_has_won() -> None:
    # Both stay where they are, 4 hexes apart, and a scout's weapon reaches 3.
    dice = {"initiative of red": [1, 1], "initiative of blue": [1, 1]}
    answer = play(table(dice, policies={"*": "first"}), BattleCase(scene(RED, BLUE), rounds=2)).answer
    assert (answer.winner, answer.rounds, answer.standing) == (None, 2, ("red", "blue"))
