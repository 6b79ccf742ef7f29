"""What the policies of whole games pick."""

from typing import Any

import pytest

from arbiter.table import Choice
from services.size_skirmish.actions import Action
from tests.services.size_skirmish.field import field_of
from tests.services.size_skirmish.yards import EVERY, NAMES, yard


def picked(policy: str, label: str, options: tuple[Any, ...], scene: dict[str, Any] | None = None) -> Any:
    return EVERY[policy](Choice("watch", label, options, field_of(scene or yard())))


@pytest.mark.parametrize(
    ("policy", "label", "options", "expected"),
    [
        ("charging", "oda: action", ("strike", "block", "march", "attack"), "attack"),
        ("charging", "oda: action", ("block", "walk", "march", "run"), "march"),
        ("shooting", "ari: action", ("shoot", "block", "march", "climb:stage"), "shoot"),
        ("shooting", "ari: action", ("block", "march", "climb:stage"), "climb:stage"),
        ("shooting", "ari: action", ("block", "climb-down"), "block"),
        ("shooting", "oda: action", ("block", "march", "climb:stage"), "march"),
        ("guarding", "oda: action", ("block", "march"), "march"),
        ("guarding", "mia: action", ("align", "walk", "march"), "walk"),
        ("charging", "oda: towards", ("wes", "lil", "yan", "item:lamp", "piece:stage"), "lil"),
        ("shooting", "ari: towards", ("wes", "lil", "item:lamp", "piece:crates", "piece:stage"), "piece:stage"),
        ("shooting", "oda: towards", ("wes", "lil", "item:lamp", "piece:crates", "piece:stage"), "lil"),
        ("guarding", "oda: towards", ("wes", "lil", "item:lamp"), "item:lamp"),
        ("guarding", "mia: towards", ("ari", "tik", "wes", "yan", "item:lamp"), "yan"),
        ("charging", "tom: towards", ("brink",), "brink"),
        ("charging", "oda: at", ("tom", "yan", "lil"), "lil"),
        ("charging", "oda: at", ("rex", "yan"), "yan"),
        ("charging", "oda: target", ("yan", "lil"), "yan"),
        ("charging", "watch: activation", ("ari", "tik", "oda"), "ari"),
        ("charging", "watch: npc", ("mia", "none"), "none"),
        ("guarding", "watch: npc", ("mia", "none"), "mia"),
        ("shooting", "watch: starts", ("watch", "wharf"), "watch"),
        ("first", "oda: action", ("block", "march"), "block"),
    ],
)
def test_policies_pick(policy: str, label: str, options: tuple[Any, ...], expected: Any) -> None:
    assert picked(policy, label, options) == expected


def test_who_guards_and_has_nothing_to_fetch_stays() -> None:
    assert picked("guarding", "oda: action", ("block", "march"), yard(items=[])) == "block"


@pytest.mark.parametrize(
    ("policy", "mine", "other"),
    [
        ("first", "none", "none"),
        ("charging", "strike", "none"),
        ("shooting", "strike", "none"),
        ("guarding", "strike", "strike"),
    ],
)
def test_policies_react_to_what_is_aimed_at_them_and_to_the_rest(policy: str, mine: str, other: str) -> None:
    field, options = field_of(), ("none", "push", "strike", "block")
    at_it, aside = (Action("wes", "strike", target=target) for target in ("oda", "ari"))
    answers = [
        EVERY[policy](Choice("watch", "oda: reaction", options, (field, announced))) for announced in (at_it, aside)
    ]
    assert answers == [mine, other]


def test_policies_choose_without_a_battlefield_too() -> None:
    choice = Choice("watch", "oda: reaction", ("none", "shoot", "block"))
    assert [EVERY[name](choice) for name in NAMES] == ["none", "none", "shoot", "block"]
    assert [EVERY[name](Choice("watch", "ari: shot", ("after", "before"))) for name in NAMES] == ["after"] * 4
