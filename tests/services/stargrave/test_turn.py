"""The turn: the law of initiative, who leads, the beginning and end of activations and turns, and impossible cases."""

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.stargrave.rules import activation, initiative, turn
from services.stargrave.rules.activation import ACTIONS
from tests.effort import cases
from tests.services.stargrave.asking import ask, faults, field_of, handed, marginal, odds, walked
from tests.services.stargrave.brawl import fighter, scene

CREWS = ("red", "blue", "green")


def crews(*names: str) -> dict[str, Any]:
    return scene(*(fighter(name[0], [3 * n + 2, 2], name) for n, name in enumerate(names)))


def test_the_law_of_three_players_who_keep_their_order_is_that_of_all_faces() -> None:
    result = walked(initiative.roll, CREWS, initiative_tie="keep")
    expected: dict[tuple[str, ...], Fraction] = {}
    for faces in product(range(1, 21), repeat=3):
        order = tuple(sorted(CREWS, key=lambda crew: -faces[CREWS.index(crew)]))
        expected[order] = expected.get(order, Fraction(0)) + Fraction(1, 8000)
    assert result == expected


@pytest.mark.parametrize("count", [2, 3])
def test_rolling_again_favours_nobody(count: int) -> None:
    """But for 20 ties in a row, after which the order before is kept."""
    result = walked(initiative.roll, CREWS[:count], initiative_tie="again")
    each = Fraction(1, len(list(permutations(range(count)))))
    assert sum(result.values()) == 1
    assert all(abs(mass - each) < Fraction(1, 10**20) for mass in result.values())
    assert len(result) == each.denominator


def test_a_player_alone_goes_first_without_a_roll() -> None:
    ruling = ask("initiative", {"scene": crews("red")})
    assert (ruling.answer.order, ruling.throws) == (("red",), ())


def test_initiative_needs_a_crew() -> None:
    beast = scene(fighter("beast", [2, 2], None, "ravaged"))
    assert faults("initiative", {"scene": beast}) == [("/case/scene/figures", "no-crew")]
    assert faults("turn", {"scene": beast, "phase": "soldier"}) == [("/case/scene/figures", "no-crew")]


def test_the_odds_of_initiative_are_even() -> None:
    result = marginal(odds("initiative", {"scene": crews("red", "blue")}), "first")
    assert abs(result["red"] - Fraction(1, 2)) < Fraction(1, 10**20)


def test_the_phases_follow_each_other() -> None:
    following = [turn.next_phase(handed(), phase) for phase in ("initiative", *turn.PHASES)]
    assert following == ["captain", "first-mate", "soldier", "creature", None]


# Companions


def led(distance: float, role: str = "captain") -> dict[str, Any]:
    leader = fighter("lead", [5, 5], "red", "captain", role=role)
    return scene(leader, fighter("sol", [round(6 + distance, 3), 5]), fighter("foe", [20, 20], "blue"))


@pytest.mark.parametrize(("distance", "allowed"), [(0, True), (2.999, True), (3, True), (3.001, False)])
@pytest.mark.parametrize("role", ["captain", "first-mate"])
def test_companions_are_within_three_inches(distance: float, allowed: bool, role: str) -> None:
    case = {"scene": led(distance, role), "leader": "lead", "companions": ["sol"]}
    assert ask("activation", case).allowed is allowed


def test_a_leader_and_a_companion_are_in_play_and_named_once() -> None:
    posted = led(1)
    posted["figures"][0]["at"] = None
    case = {"scene": posted, "leader": "lead", "companions": ["sol", "sol", "lead", "who"]}
    assert faults("activation", case) == [("/case/companions/3", "unknown-figure")]
    case["companions"] = ["sol", "sol", "lead"]
    assert faults("activation", case) == [
        ("/case/leader", "not-in-play"),
        ("/case/companions/1", "repeated-figure"),
        ("/case/companions/2", "repeated-figure"),
    ]


# Beginning and end


def test_a_stun_is_remembered_in_its_activation_and_forgotten_after_the_turn() -> None:
    token = {"id": "crate", "kind": "physical", "at": [3, 3], "unlocked": True, "unlocked_by": "s"}
    field = field_of(scene(fighter("s", [5, 5], stunned=True), tokens=[token], turn={"number": 3, "order": ["red"]}))
    here = handed()
    assert activation.actions(here, field, "s") == 1
    begun = activation.begin(here, field, "s")
    figure = begun.figure("s")
    assert (figure.activated, figure.stunned, figure.was_stunned) == (True, False, True)
    assert begun.token("crate").unlocked_by is None
    assert activation.actions(here, begun, "s") == 1
    over = turn.over(here, begun)
    assert (over.figure("s").activated, over.figure("s").was_stunned) == (False, False)
    assert (over.scene.turn.number, over.scene.turn.phase, over.scene.turn.order) == (4, "initiative", ())
    assert turn.over(handed(stunned_defence="next-activation"), begun).figure("s").was_stunned


def test_a_stun_that_comes_after_the_activation_began_costs_the_next_one() -> None:
    field = field_of(scene(fighter("s", [5, 5], activated=True, stunned=True)))
    assert activation.actions(handed(), field, "s") == 2


def test_stunned_and_wounded_leave_one_action() -> None:
    field = field_of(scene(fighter("s", [5, 5], stunned=True, wounded=True)))
    assert activation.actions(handed(), field, "s") == 1


# Actions


@settings(max_examples=cases(40), deadline=None)
@given(
    st.lists(st.sampled_from(["move", "shoot", "power", "unlock", "special", "second-move"]), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_every_action_is_open_or_shut_with_a_reason_and_none_is_open_without_one_left(
    done: list[str], group: bool, stunned: bool
) -> None:
    case = {"scene": scene(fighter("s", [5, 5], stunned=stunned)), "figure": "s", "done": done, "group": group}
    ruling = ask("actions", case)
    after_first = done[done.index("move") + 1 :] if "move" in done else []
    possible = done.count("move") <= 1 and len(done) <= (1 if stunned else 2)
    assert ruling.allowed is (possible and done.count("second-move") == after_first.count("second-move"))
    if not ruling.allowed:
        return
    answer = ruling.answer
    shut = {each.action for each in answer.shut}
    assert not shut & set(answer.open)
    outcome = {*ACTIONS, "special"} - {"clear-jam", "second-move" if "move" not in done else "move"}
    assert shut | set(answer.open) == outcome
    assert all(each.reasons for each in answer.shut)
    assert answer.left == max(0, (1 if stunned else 2) - len(done))
    if not answer.left:
        assert answer.open == ()


def test_an_activation_of_two_actions_has_a_move_in_it() -> None:
    """Whatever is done in whatever order, two actions that are both open hold a Move."""
    posted = scene(fighter("s", [5, 5]))
    for first in ask("actions", {"scene": posted, "figure": "s"}).answer.open:
        for second in ask("actions", {"scene": posted, "figure": "s", "done": [first]}).answer.open:
            assert {first, second} & {"move", "run"}, (first, second)


def test_a_gun_built_into_armour_shoots_when_the_carried_one_is_jammed() -> None:
    """Combat armour holds a pistol; heavy armour holds nothing."""
    for profile, opens in (("armoured-trooper", True), ("trooper", False)):
        posted = scene(fighter("s", [5, 5], profile=profile, jammed=["carbine"]))
        assert ("shoot" in ask("actions", {"scene": posted, "figure": "s", "done": ["move"]}).answer.open) is opens


def test_who_is_not_in_play_has_no_actions_to_ask_for() -> None:
    assert faults("actions", {"scene": scene(fighter("s", None)), "figure": "s"}) == [("/case/figure", "not-in-play")]


# What cannot have been


@pytest.mark.parametrize(
    ("done", "rules"),
    [
        (["second-move", "move"], ["moved_once"]),
        (["move", "second-move"], []),
        (["run"], []),
        (["run", "shoot"], ["ran_alone"]),
        (["power-move", "power"], []),
        (["power", "power-move", "power-move"], ["with_its_power"]),
        (["move", "shoot", "fight"], ["in_number"]),
        (["move", "unlock", "free-pick-up"], []),
    ],
)
def test_a_history_is_one_that_can_have_been(done: list[str], rules: list[str]) -> None:
    ruling = ask("actions", {"scene": scene(fighter("s", [5, 5])), "figure": "s", "done": done})
    assert [reason.rule for reason in ruling.reasons] == [f"histories.{rule}" for rule in rules]


def test_a_wound_that_came_on_the_way_takes_back_nothing_that_was_done() -> None:
    """Who moves and is then wounded in its fight has taken two actions, and has none left."""
    posted = scene(fighter("s", [5, 5], activated=True, wounded=True, health=2))
    ruling = ask("actions", {"scene": posted, "figure": "s", "done": ["move", "fight"]})
    assert (ruling.allowed, ruling.answer.left) == (True, 0)


def test_a_surge_gives_room_for_a_third_action() -> None:
    posted = scene(fighter("s", [5, 5], spells=[{"power": "adrenaline-surge"}]))
    assert ask("actions", {"scene": posted, "figure": "s", "done": ["move", "power", "shoot"]}).allowed


@pytest.mark.parametrize(
    ("activated", "began_at", "allowed"), [(False, None, True), (True, None, False), (True, [5, 5], True)]
)
def test_a_leader_activates_once_in_a_turn(activated: bool, began_at: list[int] | None, allowed: bool) -> None:
    posted = scene(fighter("lead", [5, 5], role="captain", activated=activated))
    assert ask("activation", {"scene": posted, "leader": "lead", "began_at": began_at}).allowed is allowed


@pytest.mark.parametrize("carry_out", [True, False])
def test_a_creature_activates_once_in_a_turn(carry_out: bool) -> None:
    posted = scene(fighter("beast", [5, 5], None, "ravaged", activated=True), fighter("foe", [9, 9], "blue"))
    ruling = ask("behaviour", {"scene": posted, "creature": "beast", "carry_out": carry_out})
    assert [reason.rule for reason in ruling.reasons] == ["histories.once_a_turn"]


def test_a_stun_is_carried_by_patches_from_the_shot_to_the_next_turn() -> None:
    """A shot stuns; the activation turns that into +2 against shots; initiative after the creature phase ends it."""
    scene: Any = {
        "figures": [
            {"id": "kel", "profile": "recruit", "crew": "red", "at": [10, 10], "weapons": ["carbine"]},
            {"id": "ivo", "profile": "recruit", "crew": "blue", "at": [10, 20]},
        ],
        "turn": {"number": 1, "phase": "soldier", "order": ["red", "blue"]},
    }

    def then(question: str, case: dict[str, Any], **hand: list[int]) -> Any:
        nonlocal scene
        named = {label.replace("_", ": "): faces for label, faces in hand.items()}
        ruling = ask(question, {"scene": scene, **case}, dice={"hand": named})
        scene = jsonpatch.apply_patch(scene, msgspec.to_builtins(ruling.effects.patch))
        return ruling.answer

    shot = {"shooter": "kel", "weapon": "carbine", "targets": ["ivo"]}
    assert then("shoot", shot, kel_shooting=[12], ivo_combat=[5]).attacks[0].stunned
    assert then("shoot", shot, kel_shooting=[2], ivo_combat=[5]).attacks[0].modifiers == ()
    assert then("activation", {"leader": "ivo"}).actions == (1,)
    (late,) = then("shoot", shot, kel_shooting=[2], ivo_combat=[5]).attacks
    assert [(each.id, each.value) for each in late.modifiers] == [("stunned", 2)]
    scene["turn"]["phase"] = "creature"
    then("initiative", {}, red_initiative=[9], blue_initiative=[3])
    assert (scene["turn"]["number"], scene["turn"]["phase"]) == (2, "initiative")
    assert then("shoot", shot, kel_shooting=[2], ivo_combat=[5]).attacks[0].modifiers == ()
    assert then("activation", {"leader": "ivo"}).actions == (2,)
