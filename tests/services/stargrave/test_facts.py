"""Stargrave without a board: the players say what they see, and a shot is ruled as on a board that shows it."""

from typing import Any

from tests.services.stargrave.asking import ask

SCENE: dict[str, Any] = {
    "figures": [
        {"id": "rob", "profile": "recruit", "crew": "red", "weapons": ["carbine"]},
        {"id": "cy", "profile": "trooper", "crew": "blue"},
    ]
}


def test_a_shot_without_a_board_asks_first_for_what_makes_it_possible_then_for_what_changes_it() -> None:
    case = {"scene": SCENE, "shooter": "rob", "weapon": "carbine", "targets": ["cy"]}
    ruling = ask("shoot", case)
    assert ruling.status == "needs_fact"
    assert [needs.key for needs in ruling.needs.facts] == [
        "in_combat:rob",
        "range_in:rob,cy",
        "sees:rob,cy",
        "in_combat:cy",
    ]
    ruling = ask("shoot", {**case, "given": {"in_combat": [], "range_in": 8, "sees": True}})
    assert [needs.key for needs in ruling.needs.facts] == ["between:rob,cy", "cover:rob,cy"]
