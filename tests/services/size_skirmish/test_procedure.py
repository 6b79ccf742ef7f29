"""The procedure: what may be announced, how reactions are asked for and put in order, and what is left to them."""

from typing import Any

import pytest

from arbiter.fault import Faults
from services.size_skirmish.actions import Action
from services.size_skirmish.rules import reactions
from tests.services.size_skirmish.field import ask, field_of, scene, table, with_model, with_models

BLOCK = {"model": "ada", "action": "block"}


def acted(action: dict[str, Any], posted: dict[str, Any] | None = None, **rest: Any) -> Any:
    return ask("action", {"scene": posted or scene(), "deed": action}, **rest)


# Announcements


def test_reactions_are_asked_for_one_after_the_other() -> None:
    """Ada is seen by bob, who faces her, and by ole, who looks south at her."""
    assert acted(BLOCK).needs.choice.label == "bob: reaction"
    said = {"bob: reaction": ["block"]}
    assert acted(BLOCK, choices=said).needs.choice.label == "ole: reaction"
    said["ole: reaction"] = ["none"]
    ruling = acted(BLOCK, choices=said)
    assert [step.model for step in ruling.answer.course.reactions] == ["bob"]


def test_nobody_is_asked_who_may_not_react() -> None:
    ruling = acted(BLOCK, with_models(bob={"acted": True}, ole={"facing": [0, 1]}))
    assert ruling.status == "ruled"
    assert ruling.answer.course.reactions == ()


@pytest.mark.parametrize("order", [("bob", "ole"), ("ole", "bob")])
def test_the_reacting_player_orders_the_reactions(order: tuple[str, ...]) -> None:
    said = {"bob: reaction": ["block"], "ole: reaction": ["block"], "blue: next reaction": [order[0]]}
    ruling = acted(BLOCK, choices=said)
    assert tuple(step.model for step in ruling.answer.course.reactions) == order
    (marked,) = (event for event in ruling.effects.events if event.name == "marked")
    assert marked.values == {"acted": "ada", "reacted": list(order)}


def test_posted_reactions_are_carried_out_as_posted() -> None:
    case = {"scene": scene(), "deed": BLOCK, "reactions": [{"model": id_, "action": "block"} for id_ in ("ole", "bob")]}
    assert [step.model for step in ask("action", case).answer.course.reactions] == ["ole", "bob"]


def test_an_align_is_offered_to_who_does_not_look_straight_at_the_actor() -> None:
    field = field_of(with_model("bob", facing=[-1, 1]))
    possible = reactions.Possible(table(), field, Action("ada", "block"), "bob")
    assert "align" in possible.names()
    assert possible.named["align"] == Action("bob", "move", "align", facing=(-1, 0))
    assert "align" not in reactions.Possible(table(), field_of(), Action("ada", "block"), "bob").names()


@pytest.mark.parametrize(
    ("sides", "turn", "passive"),
    [(("red", "blue"), None, ("blue",)), (("red", "blue", "green"), None, ("blue", "green"))],
)
def test_the_passive_players_are_all_others_in_turn(
    sides: tuple[str, ...], turn: None, passive: tuple[str, ...]
) -> None:
    field = field_of(scene(sides=[{"id": id_} for id_ in sides], turn=turn))
    assert reactions.passive_players(table(), field, Action("ada", "block")) == passive
    assert reactions.passive_players(table(), field, Action("bob", "block"))[-1] == "red"


@pytest.mark.parametrize("turn", [None, "red", "blue"])
def test_when_the_scenario_acts_every_player_is_passive_whoever_has_the_turn(turn: str | None) -> None:
    field = field_of({**with_model("nan", npc="scenario"), "turn": turn, "phase": "npc"})
    assert reactions.passive_players(table(), field, Action("nan", "move", "walk")) == ("red", "blue")


@pytest.mark.parametrize(
    ("starting", "turn", "passive"),
    [(None, None, "blue"), ("red", None, "blue"), ("blue", None, "red"), ("blue", "red", "blue")],
)
def test_all_but_the_player_who_moves_an_npc_may_react_in_both_questions(
    starting: str | None, turn: str | None, passive: str
) -> None:
    """Ada and bob both see the goat between them; the starting player moves it if nobody has the turn."""
    posted = {**with_model("nan", at=[15, 10]), "phase": "npc", "starting": starting, "turn": turn}
    deed = {"model": "nan", "action": "move", "movement": "walk", "way": [[15, 12]]}
    able = ask("reactions", {"scene": posted, "deed": deed}).answer
    assert able is not None
    mine, other = ("ada", "bob") if passive == "red" else ("bob", "ada")
    assert {mine, other} & set(able.may) == {mine}
    for reactor in ("ada", "bob"):
        ruling = ask("npc", {"scene": posted, "deed": deed, "reactions": [{"model": reactor, "action": "block"}]})
        assert ruling.allowed == (reactor == mine)


# Impossible deeds


@pytest.mark.parametrize(
    ("action", "pointer", "code"),
    [
        ({"model": "ann", "action": "block"}, "model", "unknown-model"),
        ({"model": "ada", "action": "dance"}, "action", "unknown-action"),
        ({"model": "ada", "action": "move"}, "movement", "missing-member"),
        ({"model": "ada", "action": "move", "movement": "hop"}, "movement", "unknown-movement"),
        ({"model": "ada", "action": "move", "movement": "align"}, "facing", "missing-member"),
        ({"model": "ada", "action": "move", "movement": "align", "facing": [0, 0]}, "facing", "facing"),
        ({"model": "ada", "action": "move", "movement": "walk", "way": [[60, 1]]}, "way/0", "off-the-table"),
        ({"model": "ada", "action": "strike"}, "target", "missing-member"),
        ({"model": "ada", "action": "strike", "target": "ada"}, "target", "itself"),
        ({"model": "ada", "action": "strike", "target": "bob", "movement": "walk"}, "movement", "idle-member"),
        ({"model": "ada", "action": "change-weapon", "weapon": "spoon"}, "weapon", "unknown-weapon"),
        ({"model": "ada", "action": "item", "item": "rope", "use": "use"}, "item", "unknown-item"),
        ({"model": "ada", "action": "block", "use": "use"}, "use", "idle-member"),
    ],
)
def test_impossible_actions_are_faults_at_their_place(action: dict[str, Any], pointer: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        acted(action)
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(f"/case/deed/{pointer}", code)]


def test_a_model_that_is_out_does_nothing() -> None:
    with pytest.raises(Faults) as caught:
        acted(BLOCK, with_model("ada", at=None, out="fled"))
    assert [fault.code for fault in caught.value.faults] == ["not-in-play"]


@pytest.mark.parametrize("models", [("bob", "bob"), ("ada",)])
def test_a_model_acts_or_reacts_once_to_the_same_action(models: tuple[str, ...]) -> None:
    with pytest.raises(Faults) as caught:
        ask(
            "action",
            {"scene": scene(), "deed": BLOCK, "reactions": [{"model": id_, "action": "block"} for id_ in models]},
        )
    last = len(models) - 1
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        (f"/case/reactions/{last}/model", "repeated-id")
    ]
