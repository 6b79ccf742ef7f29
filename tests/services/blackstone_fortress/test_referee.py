"""A referee's spot checks of the turn and of explorers: the boundary of one passage each, with the text's answer.

Every comment says in our own words what the text asks.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.services.blackstone_fortress.refereeing import (
    HALF,
    QUARTER,
    SHELTER,
    Case,
    ask,
    chances,
    cited,
    dead,
    espern,
    foe,
    posted,
    twin,
    ur,
)
from tests.services.blackstone_fortress.tabletop import guard, janus

# Destiny and initiative


def test_destiny_dice_that_match_are_all_discarded() -> None:
    # Only numbers that one die shows alone stay available: with five equal dice none does.
    ruling = ask("destiny", {"scene": posted([janus([0, 0])], [])}, {"leader: destiny": [5, 5, 5, 5, 5]})
    assert (ruling.answer.available, ruling.answer.discarded) == ((), (5, 5, 5, 5, 5))


def test_destiny_odds_by_counting_all_rolls() -> None:
    # Five dice, and those with a number of their own are available.
    rolls = Counter(sum(n == 1 for n in Counter(roll).values()) for roll in product(range(6), repeat=5))
    expected = {count: Fraction(times, 6**5) for count, times in rolls.items()}
    assert chances("destiny", {"scene": posted([janus([0, 0])], [])}, "number_available") == expected


def test_a_slain_group_keeps_its_card_and_an_explorer_out_of_action_has_none() -> None:
    # The deck has the cards of all hostile groups, and of the explorers who are not out of action.
    table = posted([janus([0, 0]), ur(None, out_of_action=True)], [dead("g1")])
    assert set(ask("initiative", {"scene": table}).answer.track) == {"janus", "guards"}


@pytest.mark.parametrize(("turn", "first"), [(1, Fraction(1)), (2, HALF)])
def test_an_ambush_puts_hostiles_first_in_the_first_turn_alone(turn: int, first: Fraction) -> None:
    # In turn 1 of an ambush hostile cards are dealt before all others; later the whole deck is shuffled.
    table = posted([janus([0, 0], wounds=4)], [guard("g1", [4, 0])], turn={"ambush": True, "number": turn})
    assert chances("initiative", {"scene": table}, "first")["guards"] == first


def covering(covered: Sequence[str], explorer: str) -> Any:
    track = ["janus", "guards", "twins"]
    table = posted(
        [janus([0, 0]), twin("rein", [1, 0]), twin("raus", [2, 0])],
        [guard("g1", [7, 4])],
        turn={"track": track, "covered": list(covered)},
    )
    return ask("covering-fire", {"scene": table, "explorer": explorer, "other": "janus", "agreed": [explorer, "janus"]})


def test_covering_fire_moves_a_card_once_though_two_twins_share_it() -> None:
    # An explorer changes its place by covering fire once in a phase: the Twins' one card is used up for both.
    assert covering((), "raus").answer.track == ("twins", "guards", "janus")
    again = covering(("rein", "janus"), "raus")
    assert not again.allowed
    assert [reason.text.startswith("Rein & Raus (raus)") for reason in again.reasons] == [True, False]
    assert cited(again) == {"covering-fire/once"}


def test_a_gambit_of_the_first_card_finds_its_closest_group_to_the_right() -> None:
    # A success swaps with the closest group on either side; there is nobody on the left of the first card.
    table = posted(
        [janus([0, 0], activation=[1]), espern([1, 0])],
        [guard("g1", [7, 4]), {**guard("h1", [7, 3]), "group": "others"}],
        turn={"number": 2, "track": ["janus", "espern", "guards", "others"]},
    )
    ruling = ask(
        "gambit", {"scene": table, "attempts": [{"explorer": "janus", "die": 1}]}, {"janus: agility": ["success"]}
    )
    assert ruling.answer.track == ("guards", "espern", "janus", "others")
    assert ruling.answer.attempts[0].again is False, "the only die is spent"


def test_a_destiny_die_buys_no_gambit() -> None:
    # Gambits take activation dice alone.
    table = posted([janus([0, 0])], [], turn={"number": 2, "track": ["janus"], "destiny": [6]})
    ruling = ask("gambit", {"scene": table, "attempts": [{"explorer": "janus", "die": 6, "destiny": True}]})
    assert not ruling.allowed
    assert "gambit/no-destiny-dice" in cited(ruling)


# Explorers' actions


def act(
    action: str, die: int, explorers: list[Case] | None = None, hostiles: list[Case] | None = None, **rest: Any
) -> Any:
    hand, destiny = rest.pop("hand", None), rest.pop("destiny", False)
    more: Case = {name: rest.pop(name) for name in ("way", "targets", "cost") if name in rest}
    turn = {"phase": "activation", "track": ["janus", "guards"], **rest.pop("turn", {})}
    table = posted(
        explorers or [janus([0, 0], activation=[1, 3, 4])],
        hostiles or [guard("g1", [7, 4])],
        rest.pop("board", None),
        turn,
        **rest,
    )
    dice = [{"die": die, "destiny": destiny}]
    return ask("act", {"scene": table, "explorer": "janus", "action": action, "dice": dice, **more}, hand)


MARKER: Case = {"discoveries": [{"id": "d1", "number": 1, "hex": [0, 0]}]}


def test_a_search_costs_exactly_four() -> None:
    # The die spent on (4+) shows 4 or more.
    assert act("search", 4, **MARKER).allowed
    assert "explorer-action/cost" in cited(act("search", 3, **MARKER))


@pytest.mark.parametrize(("points", "left"), [(2, None), (3, 0), (5, 2)])
def test_three_inspiration_points_stand_in_for_a_marker(points: int, left: int | None) -> None:
    # Without a marker a search costs three points besides its die.
    ruling = act("search", 4, [janus([0, 0], activation=[4], inspiration=points)])
    assert (ruling.answer.inspiration if ruling.allowed else None) == left


def test_nobody_searches_beside_a_hostile_it_sees_but_a_wall_hides_it() -> None:
    # A search is off next to a visible hostile; one behind a wall is adjacent, but not visible.
    beside = [guard("g1", [1, 0])]
    assert cited(act("search", 4, hostiles=beside, **MARKER)) == {"search/not-near-hostile"}
    assert act("search", 4, hostiles=beside, board={"walls": [[[0, 0], [1, 0]]]}, **MARKER).allowed


def test_the_third_destiny_die_of_a_turn_is_refused() -> None:
    # An explorer spends two destiny dice in a turn at most.
    for spent, allowed in ((1, True), (2, False)):
        ruling = act("move", 5, [janus([0, 0], destiny_spent=spent)], destiny=True, way=[[1, 0]], turn={"destiny": [5]})
        assert ruling.allowed is allowed


def test_an_explorer_out_of_action_is_not_said_to_have_been_activated() -> None:
    # Its card is passed over, but it was never used.
    ruling = act("move", 1, [janus(None, out_of_action=True)], way=[[1, 0]])
    assert not ruling.allowed
    assert not any("activated" in reason.text for reason in ruling.reasons)


def test_a_die_of_five_pays_for_two_flurry_attacks_and_no_third() -> None:
    # Two attacks cost 4+, three cost 6+.
    marine = [foe("g1", "chaos-space-marine", [1, 0])]
    hand = {"janus: attack": ["failure", "failure"]}
    assert (
        act("flurry-of-attacks", 5, [janus([0, 0], activation=[5])], marine, targets=["g1"], hand=hand).answer.cost == 4
    )
    third = act("flurry-of-attacks", 5, [janus([0, 0], activation=[5])], marine, targets=["g1"] * 3)
    assert "draik/flurry-attacks" in cited(third)


# Moves


def way(explorers: list[Case], hostiles: list[Case], hexes: list[list[int]], unit: str = "janus", **board: Any) -> Any:
    return ask("moves", {"scene": posted(explorers, hostiles, board), "unit": unit, "way": hexes})


def test_a_full_hex_beside_an_enemy_cannot_be_passed() -> None:
    # Entering a hex next to an enemy ends the move, and nobody ends a move in a full hex; elsewhere it is passed.
    crowd = [janus([0, 2]), ur([1, 2]), espern([1, 2])]
    assert way(crowd, [guard("g1", [7, 0])], [[1, 2], [2, 2]]).answer.moved_to == (2, 2)
    assert cited(way(crowd, [guard("g1", [2, 1])], [[1, 2], [1, 3]])) == {"move/halt-next-to-enemy"}


def test_leaving_an_enemy_is_free_until_the_next_hex_beside_one() -> None:
    # Who starts next to an enemy may go, and halts on entering another hex next to an enemy.
    foes = [guard("g1", [2, 1])]
    assert way([janus([1, 2])], foes, [[0, 2], [0, 1]]).answer.moved_to == (0, 1)
    assert cited(way([janus([1, 2])], foes, [[1, 1], [0, 1]])) == {"move/halt-next-to-enemy"}


@pytest.mark.parametrize(
    ("there", "comes", "fits"),
    [
        (["traitor-guardsman"] * 2, "traitor-guardsman", True),
        (["traitor-guardsman"] * 3, "traitor-guardsman", False),
        (["traitor-guardsman"] * 2, "chaos-beastman", True),
        (["chaos-beastman", "traitor-guardsman"], "chaos-beastman", False),
        (["chaos-beastman"] * 2, "traitor-guardsman", False),
        (["traitor-guardsman"], "obsidius-mallex", False),
        ([], "obsidius-mallex", True),
    ],
)
def test_hex_limits_are_the_four_fillings_of_the_table(there: list[str], comes: str, fits: bool) -> None:
    # 3 small, or 2 small and 1 large, or 2 large, or 1 huge.
    hostiles = [*(foe(f"g{place}", profile, [1, 2]) for place, profile in enumerate(there)), foe("m", comes, [0, 2])]
    assert way([janus([7, 0])], hostiles, [[1, 2]], unit="m").allowed is fits


def test_both_twins_leave_room_for_one_explorer() -> None:
    # A hex holds two explorers, or both Twins and one other.
    assert way([twin("rein", [0, 2]), twin("raus", [1, 2]), janus([1, 2])], [], [[1, 2]], "rein").allowed
    assert not way([twin("rein", [0, 2]), ur([1, 2]), janus([1, 2])], [], [[1, 2]], "rein").allowed


# Sight, cover, range


def line(board: Case, **readings: Any) -> tuple[bool, bool | None]:
    """Look from (0, 0) to (1, 1): the line goes through two corners and along the side between (1, 0) and (0, 1)."""
    ruling = ask("line-of-sight", {"scene": posted([], [], board), "observer": [0, 0], "targets": [[1, 1]]}, **readings)
    seen = ruling.answer.lines[0]
    return seen.visible, seen.in_cover


BETWEEN = [[[1, 0], [0, 1]]]


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ({}, (True, False)),
        # What touches any part of a wall, an edge or an obstruction is blocked: along it, or at its corner.
        ({"walls": BETWEEN}, (False, None)),
        ({"walls": [[[0, 0], [1, 0]]]}, (False, None)),
        ({"obstructions": [[1, 0]]}, (False, None)),
        ({"hexes": [[0, 0], [1, 1], [1, 0]]}, (False, None)),
        # Beyond the centre of the target nothing counts any more.
        ({"walls": [[[1, 1], [2, 1]]]}, (True, False)),
        # Cover is had by touching as well, but not from a side of the attacker's own hex.
        ({"cover": BETWEEN}, (True, True)),
        ({"cover": [[[1, 1], [1, 0]]]}, (True, True)),
        ({"cover": [[[0, 0], [1, 0]]]}, (True, False)),
    ],
)
def test_lines_that_touch(board: Case, expected: tuple[bool, bool | None]) -> None:
    assert line(board) == expected


def test_lines_that_touch_may_be_read_as_free() -> None:
    assert line({"walls": BETWEEN}, corner_contact="cross") == (True, False)
    assert line({"cover": BETWEEN}, cover_corner_contact="cross") == (True, False)


# Attacks, wounds, defence


def shot(face: str, board: Case | None = None, profile: str = "traitor-guardsman", at: int = 2, **wounds: int) -> Any:
    table = posted([janus([0, 2])], [foe("g1", profile, [at, 2], **wounds)], board)
    case = {"scene": table, "attacker": "janus", "action": "pistol-and-rapier", "die": "free", "targets": ["g1"]}
    return ask("attack", case, {"janus: attack": [face]}).answer


@pytest.mark.parametrize(("face", "open_", "covered"), [("failure", 0, 0), ("success", 1, 0), ("critical", 3, 1)])
def test_cover_makes_each_result_one_worse(face: str, open_: int, covered: int) -> None:
    # In cover a success fails and a critical success is a success; a wound is 1 damage, a grievous one 3.
    assert (shot(face).damage, shot(face, SHELTER).damage) == (open_, covered)


def test_a_hostile_is_slain_when_damage_equals_its_wounds() -> None:
    # A grievous wound of 3 slays a Beastman of 3 Wounds, and leaves a Space Marine of 4 standing.
    assert shot("critical", profile="chaos-beastman").slain == ("g1",)
    assert shot("critical", profile="chaos-space-marine").remaining == 1
    assert shot("success", profile="chaos-space-marine", grievous=1).slain == ("g1",)


def test_a_visible_adjacent_enemy_has_to_be_the_target() -> None:
    # With a visible enemy adjacent, nobody further away can be attacked; an adjacent one behind a wall binds nobody.
    hostiles = [guard("near", [1, 2]), guard("far", [0, 4])]
    case = {"attacker": "janus", "action": "pistol-and-rapier", "die": "free", "targets": ["far"]}
    assert cited(ask("attack", {"scene": posted([janus([0, 2])], hostiles), **case})) == {"attack/adjacent-first"}
    walled = posted([janus([0, 2])], hostiles, {"walls": [[[0, 2], [1, 2]]]})
    assert ask("attack", {"scene": walled, **case}, {"janus: attack": ["failure"]}).allowed


@pytest.mark.parametrize(
    ("attack", "defence", "wounds", "grievous"),
    [
        ("success", "failure", 1, 0),
        ("success", "success", 0, 0),
        ("critical", "failure", 0, 1),
        ("critical", "success", 1, 0),
        ("critical", "critical", 0, 0),
    ],
)
def test_a_defence_roll_negates_or_eases(attack: str, defence: str, wounds: int, grievous: int) -> None:
    # A success negates a wound and makes a wound of a grievous one; a critical success negates either.
    table = posted([janus([0, 2])], [guard("g1", [2, 2])])
    hand = {"g1: attack": [attack], "janus: defence": [defence]}
    answer = ask("attack", {"scene": table, "attacker": "g1", "targets": ["janus"]}, hand).answer
    assert (answer.wounds, answer.grievous) == (wounds, grievous)


@pytest.mark.parametrize("covered", [False, True])
def test_odds_of_an_attack_with_cover_and_defence(covered: bool) -> None:
    # Both dice are d8 here: a failure on half of the sides, and each success on a quarter.
    faces: dict[str, Fraction] = {"failure": HALF, "success": QUARTER, "critical": QUARTER}
    expected: dict[int, Fraction] = {}
    for (attack, chance), (defence, other) in product(faces.items(), faces.items()):
        damage = {"failure": 0, "success": 0 if covered else 1, "critical": 1 if covered else 3}[attack]
        if defence == "critical" or (defence == "success" and damage == 1):
            damage = 0
        elif defence == "success" and damage == 3:
            damage = 1
        expected[damage] = expected.get(damage, Fraction(0)) + chance * other
    board = {"cover": [[[0, 2], [1, 2]]]} if covered else None
    table = posted([janus([0, 2])], [guard("g1", [2, 2])], board)
    assert chances("attack", {"scene": table, "attacker": "g1", "targets": ["janus"]}, "damage") == expected


def test_odds_of_slaying_four_wounds_with_three_attacks() -> None:
    # Draik's flurry of three on d8 needs a grievous wound and a further hit: three wounds are too few.
    outcomes = [(0, HALF), (1, QUARTER), (3, QUARTER)]
    expected = Fraction(0)
    for attacks in product(outcomes, repeat=3):
        if sum(damage for damage, _ in attacks) >= 4:
            expected += attacks[0][1] * attacks[1][1] * attacks[2][1]
    table = posted([janus([0, 2])], [foe("g1", "chaos-space-marine", [1, 2])])
    case = {
        "scene": table,
        "attacker": "janus",
        "action": "flurry-of-attacks",
        "cost": 6,
        "die": "free",
        "targets": ["g1"],
    }
    assert chances("attack", case, "felled")[True] == expected == Fraction(25, 64)


def test_stunned_twice_is_a_wound_and_may_be_the_last() -> None:
    # Whoever is stunned already suffers 1 wound instead.
    table = posted([], [guard("g1", [0, 0], stunned=True, wounds=1)])
    assert ask("wounds", {"scene": table, "unit": "g1", "stunned": True}).answer.felled


# Overwatch and inspiration


def test_overwatch_drops_ones_and_takes_one_off_the_rest() -> None:
    # First dice of 1 are removed, and only then the others lose 1: a 2 stays as a 1.
    table = posted([janus([0, 0], activation=[1, 1, 2, 6])], [])
    answer = ask("save-overwatch", {"scene": table, "explorer": "janus"}).answer
    assert (answer.overwatch, answer.removed) == ((1, 5), 2)


def test_saved_dice_outlast_the_end_of_the_activation() -> None:
    # Overwatch dice stay until they are used or the activation phase ends, whoever has asked for them first.
    turn = {"phase": "activation", "track": ["janus"]}
    table = posted([janus([0, 0], overwatch=[3])], [], turn=turn)
    assert ask("end-activation", {"scene": table, "explorer": "janus"}).answer.overwatch == (3,)


def test_those_who_come_too_late_in_overwatch_discard_a_die() -> None:
    # The leader's explorer goes first; whoever has declared and not shot when the hostile falls loses one die.
    table = posted(
        [
            janus([0, 0], player="ben", activated=True, overwatch=[3, 4]),
            espern([0, 1], player="ann", activated=True, overwatch=[3]),
        ],
        [guard("g1", [2, 0], wounds=1)],
    )
    hand = {"espern: attack": ["success"]}
    answer = ask("overwatch", {"scene": table, "hostile": "g1"}, hand).answer
    assert answer.slain
    assert [(one.explorer, one.discarded is not None) for one in answer.reactions] == [
        ("espern", False),
        ("janus", True),
    ]


def test_no_overwatch_before_the_own_activation() -> None:
    # Overwatch is for explorers who have been activated this turn.
    table = posted([janus([0, 0], overwatch=[3])], [guard("g1", [2, 0])])
    assert ask("overwatch", {"scene": table, "hostile": "g1"}, {}).answer.reactions == ()


def slew(profiles: Sequence[str]) -> Case:
    fallen = [dead(f"g{place}", profile) for place, profile in enumerate(profiles)]
    return {"scene": posted([janus([0, 0], slain=[one["id"] for one in fallen])], fallen), "explorer": "janus"}


def test_twenty_wounds_inspire_without_a_roll_and_nineteen_do_not() -> None:
    # 12 + 4 x 2 is 20 and needs no die; 12 + 4 + 3 is 19 and fails on a 20.
    assert ask("inspiration", slew(["obsidius-mallex", *["traitor-guardsman"] * 4]), {}).answer.gained
    nineteen = slew(["obsidius-mallex", "chaos-space-marine", "chaos-beastman"])
    assert not ask("inspiration", nineteen, {"janus: inspiration": [20]}).answer.gained
    assert ask("inspiration", nineteen, {"janus: inspiration": [19]}).answer.gained
