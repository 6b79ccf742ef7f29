"""A referee's spot checks of hostiles, events and impossible scenes: one boundary each, with the text's answer.

Every comment says in our own words what the text asks.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.question import AskOdds
from arbiter.ruling import Ruling
from services.blackstone_fortress.arbiter import ARBITER
from tests.services.blackstone_fortress.refereeing import (
    HALF,
    SHELTER,
    Case,
    ask,
    chances,
    dead,
    espern,
    foe,
    posted,
    ur,
)
from tests.services.blackstone_fortress.tabletop import guard, janus, marginal

# Hostiles


@pytest.mark.parametrize(
    ("hex_", "board", "column"),
    [
        ([1, 2], {}, "engaged"),
        ([1, 2], {"walls": [[[0, 2], [1, 2]]]}, "hidden"),
        ([2, 2], {}, "close"),
        ([3, 2], {}, "close"),
        ([4, 2], {}, "other"),
        ([2, 2], SHELTER, "in-cover"),
    ],
)
def test_the_first_column_that_applies(hex_: list[int], board: Case, column: str) -> None:
    # Hidden, engaged, in cover, close at range 2 or 3, other: from left to right.
    table = posted([janus([0, 2])], [guard("g1", hex_)], board)
    answer = ask("behaviour", {"scene": table, "hostile": "g1", "resolve": False}, {"g1: behaviour": [20]}).answer
    assert answer.column == column


def test_in_cover_is_from_everybody_and_with_a_lasgun() -> None:
    # One explorer who sees the Guardsman in the open, or another weapon, leaves the column aside.
    one = posted([janus([0, 2]), ur([2, 0])], [guard("g1", [2, 2])], SHELTER)
    other = posted([janus([0, 2])], [guard("g1", [2, 2], weapon="pistol-and-melee-weapon")], SHELTER)
    for table in (one, other):
        case = {"scene": table, "hostile": "g1", "resolve": False}
        assert ask("behaviour", case, {"g1: behaviour": [1]}).answer.column == "close"


def test_odds_of_a_close_guardsman() -> None:
    # Rolls 1-3 fall back, 4-9 onslaught, 10-19 charge, 20 fury.
    table = posted([janus([0, 2])], [guard("g1", [2, 2])])
    expected = {"fall-back": Fraction(3, 20), "onslaught": Fraction(6, 20), "charge": HALF, "fury": Fraction(1, 20)}
    assert chances("behaviour", {"scene": table, "hostile": "g1", "resolve": False}, "action") == expected


def perform(action: str, explorers: list[Case], hex_: list[int], hand: Case | None = None, **board: Any) -> Any:
    table = posted(explorers, [guard("g1", hex_)], board, {"phase": "activation"})
    return ask("behaviour", {"scene": table, "hostile": "g1", "action": action}, hand).answer


BEND = [*([q, 0] for q in range(9)), [8, 1]]


def test_a_fall_back_has_twice_the_move_and_no_hex_more() -> None:
    # The hex round the corner is four steps from (5, 0), twice a Move of 2, and five from (4, 0), who attacks instead.
    assert perform("fall-back", [janus([0, 0])], [5, 0], {}, hexes=BEND).hex == (8, 1)
    assert perform("fall-back", [janus([0, 0])], [4, 0], {"g1: attack": ["failure"]}, hexes=BEND).hex == (4, 0)


def test_a_charge_that_reaches_nobody_moves_a_second_time() -> None:
    # With no visible explorer adjacent after the first move, the second comes instead of an attack.
    assert perform("charge", [janus([0, 2])], [7, 2], {}).hex == (3, 2)
    assert perform("charge", [janus([0, 2])], [4, 2], {}).hex == (1, 2)
    assert perform("charge", [janus([0, 2])], [3, 2], {"g1: attack": ["failure"]}).hex == (1, 2)


def test_an_aimed_attack_takes_the_furthest_and_ignores_cover() -> None:
    # Draik is further than UR-025, and his cover has no effect.
    hand = {"g1: attack": ["success"], "janus: defence": ["failure"]}
    answer = perform("aim", [janus([0, 2]), ur([5, 2])], [3, 2], hand, cover=[[[0, 2], [1, 2]]])
    assert answer.wounds == 1


def test_the_second_attack_of_an_onslaught_finds_a_new_target() -> None:
    # Draik's track is full, so the first hit takes him out and UR-025 is the closest then.
    hand = {"g1: attack": ["success", "success"], "janus: defence": ["failure"], "ur-025: defence": ["critical"]}
    answer = perform("onslaught", [janus([0, 2], wounds=4), ur([4, 4])], [2, 2], hand)
    assert answer.out_of_action == ("janus",)


def test_the_closest_hostile_is_found_by_routes_and_not_through_walls() -> None:
    # The walled-in Guardsman stands next to Draik, but no route leads to him, so the one at distance 3 is first.
    hexes = [[q, r] for q in range(6) for r in range(2)]
    walls = [[[0, 0], [1, 0]], [[1, 0], [0, 1]], [[1, 0], [1, 1]], [[1, 0], [2, 0]]]
    turn = {"phase": "activation", "track": ["guards", "janus"]}
    table = posted([janus([0, 0])], [guard("g1", [1, 0]), guard("g2", [3, 0])], {"hexes": hexes, "walls": walls}, turn)
    assert ask("hostile-activation", {"scene": table, "group": "guards"}, {}).needs.dice.label == "g2: behaviour"


# Reinforcements


@pytest.mark.parametrize(
    ("slain", "roll", "size", "number"),
    [
        (["traitor-guardsman"] * 7, 1, "small", 6),
        (["chaos-beastman"] * 5, 1, "large", 4),
        (["chaos-beastman"] * 5, 3, "large", 1),
        (["chaos-beastman"] * 5, 4, "large", 0),
        (["obsidius-mallex"], 2, "huge", 0),
        (["obsidius-mallex", *["traitor-guardsman"] * 5], 3, "small", 2),
    ],
)
def test_reinforcements_are_looked_up_by_the_smallest_slain(
    slain: list[str], roll: int, size: str, number: int
) -> None:
    # The table by the rule: 6/4/1, 4/2/0, 2/1/0 and nobody from 4 on. From here they see nobody and only close in.
    board = {
        "portals": [{"id": "p", "beside": [[7, 0], [7, 1], [7, 2]]}],
        "walls": [[[0, 0], [1, 0]], [[0, 0], [0, 1]]],
    }
    table = posted([janus([0, 0])], [dead(f"g{place}", profile) for place, profile in enumerate(slain)], board)
    answer = ask("reinforcements", {"scene": table, "group": "guards"}, {"guards: reinforcements": [roll]}).answer
    assert (answer.size, answer.number, len(answer.returned)) == (size, number, number)


def test_nobody_slain_means_no_reinforcement_roll() -> None:
    # The roll is made if a hostile of the group has been slain.
    table = posted([janus([0, 0])], [guard("g1", [7, 0])])
    assert ask("reinforcements", {"scene": table, "group": "guards"}, {}).answer.roll is None


def test_reinforcements_prefer_the_portal_near_their_group() -> None:
    # As near to a comrade as possible; with no comrade on the battlefield, as near to an explorer as possible.
    # Out of range of their pistols they see Draik and stay where they came in.
    board = {"portals": [{"id": "p", "beside": [[7, 0]]}, {"id": "q", "beside": [[0, 4]]}]}
    slain = {**dead("g1"), "weapon": "pistol-and-melee-weapon"}
    for hostiles, place in (([foe("c", "chaos-beastman", [6, 1]), slain], (7, 0)), ([slain], (0, 4))):
        table = posted([janus([0, 0])], hostiles, board)
        answer = ask("reinforcements", {"scene": table, "group": "guards"}, {"guards: reinforcements": [3]}).answer
        assert answer.returned[0].hex == place


# Events and the end


def event(roll: int | None, explorers: list[Case], hostiles: list[Case] | None = None, **rest: Any) -> Any:
    hand = {**({} if roll is None else {"leader: event": [roll]}), **rest.pop("hand", {})}
    turn = {"phase": "event", "number": 3}
    return ask("event", {"scene": posted(explorers, hostiles or [], rest.pop("board", None), turn, **rest)}, hand)


def test_event_odds_by_the_bands_of_the_table() -> None:
    bands = {
        "all-is-dust": 1,
        "unfulfilled-destiny": 2,
        "not-dead-yet": 3,
        "changing-conditions": 4,
        "escape-chamber": 4,
        "inspiration": 3,
        "heroic-effort": 2,
        "lucky-find": 1,
    }
    table = posted([janus([0, 0])], [], turn={"phase": "event"})
    assert chances("event", {"scene": table}, "event") == {id_: Fraction(n, 20) for id_, n in bands.items()}


def patched(ruling: Ruling[Any]) -> dict[str, Any]:
    return {step.path: step.value for step in ruling.effects.patch if step.op == "add"}


def test_dust_without_markers_takes_a_point_from_whoever_has_one() -> None:
    # Each explorer loses 1 inspiration point, to a minimum of 0.
    changes = patched(event(1, [janus([0, 0]), ur([1, 0], inspiration=2)]))
    assert changes["/explorers/1/inspiration"] == 1
    assert "/explorers/0/inspiration" not in changes


def test_the_portal_furthest_from_the_nearest_explorer_is_replaced() -> None:
    board = {"portals": [{"id": "near", "beside": [[0, 4]]}, {"id": "far", "beside": [[7, 0]]}]}
    assert event(14, [janus([0, 0])], board=board).answer.picked == "far"


def test_not_dead_yet_comes_back_whole_beside_an_explorer() -> None:
    # A slain hostile is deployed as near to an explorer as possible, but not in its hex, and healed.
    changes = patched(event(4, [janus([0, 0])], [{**dead("g1"), "wounds": 2}]))
    assert changes["/hostiles/0/hex"] in ([0, 1], [1, 0])
    assert changes["/hostiles/0/wounds"] == 0


def test_a_heroic_effort_goes_beside_a_hex_that_is_full() -> None:
    # In the hex of another explorer or as near as possible; a vitality roll follows.
    crowd = [janus([0, 0]), espern([0, 0]), ur(None, out_of_action=True, wounds=3)]
    changes = patched(event(19, crowd, hand={"ur-025: vitality": ["success"]}))
    assert changes["/explorers/2/hex"] in ([0, 1], [1, 0])
    assert changes["/explorers/2/wounds"] == 2


def test_the_leader_marker_passes_over_the_hostile_player() -> None:
    seats: Case = {"players": ["ann", "dan", "ben"], "leader": "ann", "hostile_player": "dan"}
    assert event(2, [janus([0, 0])], **seats).answer.leader == "ben"


def test_the_combat_ends_when_all_who_can_are_aboard() -> None:
    # Those out of action do not keep the others; one explorer outside does.
    aboard = {"escape_chamber": {"portal": "p", "hexes": [[0, 0]]}}
    assert event(None, [janus([0, 0]), ur(None, out_of_action=True)], board=aboard).answer.combat == "escaped"
    assert event(20, [janus([0, 0]), ur([1, 0])], board=aboard).answer.combat == "on"
    assert event(None, [janus(None, out_of_action=True)]).answer.combat == "defeat"


# Scenes that no table can show


def board_too_wide(table: Case) -> None:
    table["board"]["hexes"] += [[200, 0]]


def chamber_too_far(table: Case) -> None:
    table["board"]["portals"] = [{"id": "p", "beside": [[0, 0]], "chamber": [[200, 0]]}]


def six_destiny_dice(table: Case) -> None:
    table["turn"] = {"destiny": [1, 2, 3], "discarded_destiny": [4, 4, 4]}


def stranger_covered(table: Case) -> None:
    table["turn"] = {"covered": ["nobody"]}


def wrong_weapon(table: Case) -> None:
    table["hostiles"][0]["weapon"] = "boltgun"


@pytest.mark.parametrize(
    ("spoil", "pointer", "code"),
    [
        (board_too_wide, "/case/scene/board/hexes", "too-wide"),
        (chamber_too_far, "/case/scene/board/portals/0/chamber", "too-wide"),
        (six_destiny_dice, "/case/scene/turn/destiny", "too-many-destiny-dice"),
        (stranger_covered, "/case/scene/turn/covered/0", "unknown-explorer"),
        (wrong_weapon, "/case/scene/hostiles/0/weapon", "unknown-weapon"),
    ],
)
def test_impossible_scenes_are_faults_at_their_place(spoil: Callable[[Case], None], pointer: str, code: str) -> None:
    table = posted([janus([0, 0])], [guard("g1", [2, 0])])
    spoil(table)
    with pytest.raises(Faults) as raised:
        ask("turn", {"scene": table})
    assert [(fault.pointer, fault.code) for fault in raised.value.faults] == [(pointer, code)]


def test_a_board_of_the_largest_span_is_played_on() -> None:
    table = posted([janus([0, 0])], [guard("g1", [2, 0])])
    table["board"]["hexes"] += [[199, 0]]
    assert ask("turn", {"scene": table}).status == "ruled"


@pytest.mark.parametrize(("option", "aimed"), [("holds", Fraction(5, 12)), ("lost", Fraction(17, 24))])
def test_an_aimed_attack_is_expected_to_do_what_the_reading_of_camouflage_leaves(option: str, aimed: Fraction) -> None:
    # On a d12 he suffers a wound with 1/6 and a grievous one with 1/12; on his own d6 with 5/24 and 1/6.
    grekh = {"id": "grekh", "profile": "dahyak-grekh", "hex": [0, 2]}
    table = posted([grekh], [guard("g1", [3, 2])], SHELTER)
    ruling = ask("targets", {"scene": table, "attacker": "g1"}, camouflage_ignored=option)
    (target,) = ruling.answer.weapons[0].eligible
    assert (target.in_cover, Fraction(target.expected_aimed)) == (True, aimed)
    case = {"scene": table, "attacker": "g1", "targets": ["grekh"], "aimed": True}
    decoded = msgspec.convert(
        {"case": case, "readings": {"camouflage-ignored": option}}, AskOdds[ARBITER.question("attack").case]
    )
    damage = marginal(ARBITER.odds("attack", decoded, 200_000), "damage")
    assert sum(points * chance for points, chance in damage.items()) == aimed
