"""Overwatch: which dice are saved, who reacts to what, and what it costs."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import overwatch
from tests.services.blackstone_fortress.tabletop import ask, field_of, guard, janus, marginal, odds, scene, table

faces = st.lists(st.integers(1, 6), max_size=4)
saved_dice = st.lists(st.integers(1, 5), max_size=4)


def watched(*explorers: dict[str, Any], **guard_has: Any) -> dict[str, Any]:
    return scene(list(explorers), [guard("guard", [4, 1], **guard_has)])


def watching(dice: list[int], **rest: Any) -> dict[str, Any]:
    return {**janus([1, 1]), "activated": True, "overwatch": dice, **rest}


def espern(dice: list[int], **rest: Any) -> dict[str, Any]:
    return {"id": "espern", "profile": "espern-locarno", "hex": [2, 0], "activated": True, "overwatch": dice, **rest}


@given(dice=faces)
def test_saved_dice_are_those_above_one_less_one_each(dice: list[int]) -> None:
    field = overwatch.save_dice(table(), field_of(scene([janus([0, 0], activation=dice)], [])), "janus")
    hero = field.explorer("janus")
    assert hero.activation == ()
    assert sorted(hero.overwatch) == sorted(face - 1 for face in dice if face != 1)


def test_miniatures_that_share_a_card_save_the_dice_of_the_card() -> None:
    twins = [
        {"id": id_, "profile": "rein-and-raus", "card": "twins", "hex": [0, 0], "activation": dice}
        for id_, dice in (("rein", [3, 5]), ("raus", []))
    ]
    field = overwatch.save_dice(table(), field_of(scene(twins, [])), "raus")
    assert field.explorer("rein").activation == ()
    assert field.explorer("raus").overwatch == (2, 4)


@given(dice=saved_dice, other=saved_dice)
def test_the_end_of_the_phase_takes_every_overwatch_die(dice: list[int], other: list[int]) -> None:
    field = overwatch.clear(table(), field_of(watched(watching(dice), espern(other))))
    assert [explorer.overwatch for explorer in field.explorers] == [(), ()]


@given(seed=st.integers(0, 10_000), dice=saved_dice, other=saved_dice)
def test_a_trigger_costs_each_explorer_one_die_and_gives_it_one_action(
    seed: int, dice: list[int], other: list[int]
) -> None:
    posted = watched(watching(dice), espern(other))
    answer = ask(
        "overwatch", {"scene": posted, "hostile": "guard"}, dice={"seed": seed}, policies={"*": "first"}
    ).answer
    reacted = [reaction.explorer for reaction in answer.reactions]
    assert len(set(reacted)) == len(reacted)
    assert set(reacted) == {id_ for id_, has in (("janus", dice), ("espern", other)) if has}
    for reaction in answer.reactions:
        assert (reaction.action is None) == (reaction.discarded is not None)
        assert {hit.target for hit in reaction.attacks} <= {"guard"}
    assert answer.slain == any(hit.slain for reaction in answer.reactions for hit in reaction.attacks)
    late = [reaction.discarded is not None for reaction in answer.reactions]
    assert late == sorted(late)


def after(posted: dict[str, Any], **options: str) -> Battlefield:
    return overwatch.triggered(table(**options), field_of(posted), "guard", "move")


def test_a_slain_hostile_triggers_nothing() -> None:
    field = field_of(scene([watching([3])], [guard("guard", None, slain=True)]))
    assert overwatch.triggered(table(), field, "guard", "attack") is field


def test_nobody_reacts_without_dice_or_before_being_activated() -> None:
    for posted in (watched(watching([])), watched(watching([3], activated=False))):
        field = field_of(posted)
        assert overwatch.triggered(table(), field, "guard", "move") is field


@pytest.mark.parametrize(
    ("leader", "order"), [("anna", ["janus", "espern"]), ("ben", ["espern", "janus"]), (None, ["janus", "espern"])]
)
def test_the_leader_s_explorers_come_first_and_then_those_to_the_left(leader: str | None, order: list[str]) -> None:
    posted = watched(watching([3], player="anna"), espern([3], player="ben"), profile="obsidius-mallex", weapon=None)
    posted |= {"players": ["anna", "ben"], "leader": leader}
    answer = ask("overwatch", {"scene": posted, "hostile": "guard"}, policies={"*": "first"}).answer
    assert [reaction.explorer for reaction in answer.reactions] == order


def test_destiny_dice_react_within_the_limit_of_two() -> None:
    for spent, reacts in ((0, True), (1, True), (2, False)):
        posted = watched(watching([], destiny_spent=spent)) | {"turn": {"destiny": [5]}}
        field = after(posted, overwatch_destiny="yes")
        assert (field.scene.turn.destiny == ()) == reacts
        assert field.explorer("janus").destiny_spent == spent + reacts


def test_an_amallyn_whose_kept_die_is_a_four_steadies_her_rifle() -> None:
    shots = {}
    for die in (3, 4):
        posted = watched(
            {"id": "amallyn", "profile": "amallyn-shadowguide", "hex": [1, 1], "activated": True, "overwatch": [die]}
        )
        law = odds("overwatch", {"scene": posted, "hostile": "guard"})
        shots[die] = marginal(law, "damage")
    once, again = Fraction(1, 2), Fraction(1, 4)
    assert shots == {3: {0: once, 1: once / 2, 3: once / 2}, 4: {0: again, 1: (1 - again) / 2, 3: (1 - again) / 2}}


def test_two_reactions_have_the_law_of_two_attacks_of_which_the_second_may_come_too_late() -> None:
    posted = watched(watching([1]), espern([1]))
    law = marginal(odds("overwatch", {"scene": posted, "hostile": "guard"}), "remaining")
    # Draik's d8 at range 3: 1/2, 1/4, 1/4; Locarno's third eye, d12: thirds. Two wounds slay, as one critical does.
    assert law == {
        2: Fraction(1, 2) * Fraction(1, 3),
        1: Fraction(1, 4) * Fraction(1, 3) + Fraction(1, 2) * Fraction(1, 3),
        0: Fraction(1, 4) + Fraction(1, 4) * Fraction(2, 3) + Fraction(1, 2) * Fraction(1, 3),
    }


def test_only_a_hostile_on_the_battlefield_is_watched() -> None:
    posted = scene([watching([3])], [guard("gone", None, slain=True)])
    for id_, code in (("nobody", "unknown-hostile"), ("gone", "not-on-the-battlefield"), ("janus", "unknown-hostile")):
        with pytest.raises(Faults) as caught:
            ask("overwatch", {"scene": posted, "hostile": id_})
        assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/hostile", code)]


def test_only_an_explorer_of_the_scene_saves_dice() -> None:
    with pytest.raises(Faults) as caught:
        ask("save-overwatch", {"scene": watched(watching([])), "explorer": "guard"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/explorer", "unknown-explorer")]
