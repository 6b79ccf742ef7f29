from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.geometry.hex.coordinates import distance
from services.blackstone_fortress.rules import activation, explorer_actions, payments, portals, unique_actions
from services.blackstone_fortress.rules.payments import Payment
from services.blackstone_fortress.scene import Board, Hostile, Portal
from tests.effort import cases
from tests.services.blackstone_fortress.turns import ask, field_of, posted, table

faces = st.integers(1, 6)
card = st.lists(faces, max_size=4).map(tuple)
pool = st.lists(faces, max_size=5).map(tuple)


def with_dice(dice, destiny, spent=0):
    """The hall with these dice on Draik's card and in the destiny pool."""
    field = field_of("actions-hall").with_turn(destiny=destiny)
    return field.put(replace(field.explorer("janus"), activation=dice, destiny_spent=spent))


# Paying


@given(card, pool, st.integers(0, 2), st.integers(1, 6))
def test_the_dice_that_could_pay_are_those_of_the_cost_or_more(dice, destiny, spent, cost) -> None:
    ways = payments.ways(table(), with_dice(dice, destiny, spent), "janus", cost)
    own = {die for die in dice if die >= cost}
    shared = {die for die in destiny if die >= cost and spent < 2}
    assert {way.die for way in ways if not way.destiny} == own
    assert {way.die for way in ways if way.destiny} == shared
    assert len(ways) == len(own) + len(shared)


@given(card, pool, st.lists(st.tuples(faces, st.booleans()), max_size=12))
def test_no_explorer_spends_more_than_two_destiny_dice_and_no_die_is_lost(dice, destiny, wishes) -> None:
    field, at = with_dice(dice, destiny), table()
    own, shared = Counter[int](), Counter[int]()
    for die, from_destiny in wishes:
        payment = Payment(die, from_destiny)
        if payments.violations(at, field, "janus", (payment,), (1,)):
            continue
        field = payments.spend(at, field, "janus", (payment,))
        (shared if from_destiny else own)[die] += 1
    janus, turn = field.explorer("janus"), field.scene.turn
    assert sum(shared.values()) <= 2
    assert janus.destiny_spent == sum(shared.values())
    assert Counter(janus.activation) + own == Counter(dice)
    assert Counter(turn.destiny) + shared == Counter(destiny)
    assert Counter(turn.discarded_destiny) == shared


@given(card, st.lists(faces, min_size=1, max_size=3), st.lists(faces, min_size=1, max_size=3))
def test_every_die_has_to_meet_its_own_cost(dice, spent, costs) -> None:
    paid = tuple(Payment(die) for die in spent)
    reasons = payments.violations(table(), with_dice(dice, ()), "janus", paid, tuple(costs))
    there = not Counter(spent) - Counter(dice)
    meets = len(spent) == len(costs) and all(die >= cost for die, cost in zip(spent, costs, strict=True))
    assert bool(reasons) != (there and meets)


def test_what_is_missing_is_told_in_dice_that_can_be_read_as_nothing_else() -> None:
    of_two = payments.violations(table(), with_dice((2,), ()), "janus", (Payment(4),), (4, 1))
    of_none = payments.violations(table(), with_dice((2,), ()), "janus", (), (1,))
    of_destiny = payments.violations(table(), with_dice((), (2,)), "janus", (Payment(5, True),), (1,))
    assert [reason.text for reason in (*of_two, *of_none, *of_destiny)] == [
        "1 die is spent where 4+ and 1+ is to be paid",
        "Janus Draik (janus) has no activation die that shows 4 left; dice on the card: 2",
        "No die is spent where 1+ is to be paid",
        "No destiny die that shows 5 is available; dice in the pool: 2",
    ]


def test_twins_pay_from_one_card() -> None:
    field = field_of("turn-track")
    assert payments.purse(field, "raus").id == "rein"
    after = payments.spend(table(), field, "raus", (Payment(6),))
    assert after.explorer("rein").activation == (1, 3, 4)


# What is offered can be done


def how(offer) -> dict[str, Any]:
    """Give what an action takes besides dice."""
    if offer.kind == "weapon":
        return {"targets": ["guard-1"]}
    return {"way": [[1, 0]]} if offer.action == "move" else {}


@settings(max_examples=cases(60))
@given(
    st.lists(faces, max_size=3),
    st.lists(faces, max_size=2),
    st.integers(0, 1),
    st.integers(0, 4),
    st.sampled_from([[0, 0], [2, 1]]),
    st.sampled_from([[5, 1], [1, 1], [3, 1]]),
    st.sampled_from([[], ["costly-moves"]]),
    st.booleans(),
)
def test_an_action_is_open_exactly_when_it_can_be_taken(dice, destiny, wounds, points, hex_, foe, twists, stunned):
    scene = posted("actions-hall")
    scene["turn"] |= {"destiny": destiny}
    scene["twists"] = twists
    scene["explorers"][0] |= {"activation": dice, "wounds": wounds, "inspiration": points, "hex": hex_}
    scene["explorers"][0]["stunned"] = stunned
    scene["explorers"][1]["hex"] = [0, 2]
    scene["hostiles"][0]["hex"] = foe
    answer = ask("actions", {"scene": scene, "explorer": "janus"}).answer
    assert answer.may_act
    assert answer.open == sum(offer.open for offer in answer.actions)
    for offer in answer.actions:
        assert offer.open != bool(offer.reasons)
        case = {"scene": scene, "explorer": "janus", "action": offer.action, "cost": offer.cost, **how(offer)}
        if offer.action == "move" and (foe == [1, 0] or hex_ != [0, 0]):
            continue
        payable = {(way.die, way.destiny) for way in offer.dice}
        for die, from_destiny in product(range(1, 7), (False, True)):
            case["dice"] = [{"die": die, "destiny": from_destiny}]
            case["cost"] = None if offer.action == "move" else offer.cost
            # A stunned explorer's player picks the die that is discarded first, unless all show the same.
            faces_shown = sorted(set(dice)) if stunned else []
            discards = [{"janus: discarded die": [one]} for one in faces_shown] if len(faces_shown) > 1 else [{}]
            allowed = any(ask("act", case, dice={"seed": 1}, choices=discarded).allowed for discarded in discards)
            assert allowed == (offer.open and (die, from_destiny) in payable), (offer, die, from_destiny)


# Search and Summon


@given(st.integers(0, 6), st.booleans(), st.sampled_from(["full-rule", "back-page"]))
def test_a_search_needs_a_marker_or_three_points(points, marker, option) -> None:
    field = field_of("actions-hall")
    field = field.put(replace(field.explorer("espern"), inspiration=points))
    if not marker:
        field = field.with_(discoveries=())
    at = table(search_with_inspiration=option)
    allowed = not explorer_actions.no_find(at, field, "espern")
    assert allowed == (marker or (points >= 3 and option == "full-rule"))
    if allowed:
        after = explorer_actions.search(at, field, "espern")
        assert after.scene.discoveries == ()
        assert after.explorer("espern").inspiration == (points if marker else points - 3)


@pytest.mark.parametrize("option", ["adjacent", "separated"])
def test_who_is_beside_a_hostile_that_it_sees_does_not_search(option) -> None:
    field = field_of("actions-hall")
    for hex_ in sorted(field.ground.open - {(2, 1), (0, 0)}):
        near = field.put(replace(field.hostile("guard-1"), hex=hex_))
        reasons = explorer_actions.beside_hostile(table(wall_adjacency=option), near, "espern")
        assert bool(reasons) == (distance(hex_, (2, 1)) == 1)


def corridor(**board: Any) -> Board:
    return Board(hexes=tuple((q, 0) for q in range(4)), **board)


@pytest.mark.parametrize("coordinates", ["axial", "odd-r", "even-q"])
def test_the_chamber_takes_the_portals_place_on_the_board(coordinates) -> None:
    gate = Portal("gate", beside=((0, 0),), chamber=((-1, 0),))
    board = corridor(portals=(gate, Portal("other", beside=((3, 0),))), coordinates=coordinates)
    field = field_of("turn-duel").with_board(hexes=board.hexes, portals=board.portals, coordinates=board.coordinates)
    after = portals.replaced(table(), field, "gate").scene.board
    assert [portal.id for portal in after.portals] == ["other"]
    assert after.hexes == (*board.hexes, (-1, 0))
    assert after.escape_chamber is not None
    assert after.escape_chamber.hexes == ((-1, 0),)
    assert after.edges is None
    beside = portals.stood_beside(table(), field, "gate").scene.board
    assert [(portal.id, portal.chamber) for portal in beside.portals] == [("gate", ()), ("other", ())]
    assert beside.hexes == after.hexes


def test_listed_edges_open_where_the_chamber_docks_and_close_around_it() -> None:
    rim = tuple(((0, 0), beyond) for beyond in ((1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)))
    gate = Portal("gate", beside=((0, 0),), chamber=((-1, 0),))
    field = field_of("turn-duel").with_board(hexes=((0, 0), (1, 0)), edges=rim, portals=(gate,))
    edges = portals.replaced(table(), field, "gate").scene.board.edges
    assert edges is not None
    sides = {frozenset(side) for side in edges}
    assert frozenset(((0, 0), (-1, 0))) not in sides
    assert {frozenset(side) for side in rim} - {frozenset(((0, 0), (-1, 0)))} <= sides
    around = {(0, -1), (-1, -1), (-2, 0), (-2, 1), (-1, 1)}
    assert {frozenset(((-1, 0), beyond)) for beyond in around} <= sides
    assert len(sides) == 4 + 5


# Unique actions


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 3)), min_size=3, max_size=3))
def test_a_rallying_cry_reaches_the_next_hex_and_no_further(places) -> None:
    field = field_of("actions-powers")
    others = ("espern", "amallyn", "rein")
    field = field.put(
        *(
            replace(field.explorer(id_), hex=(q, r), wounds=wounds)
            for id_, (q, r, wounds) in zip(others, places, strict=True)
        )
    )
    after = unique_actions.rally(table(), field, "taddeus")
    for id_, (q, r, wounds) in zip(others, places, strict=True):
        near = distance((q, r), (2, 2)) <= 1
        assert after.explorer(id_).wounds == (max(0, wounds - 1) if near else wounds)
    assert after.explorer("taddeus").wounds == 1


def test_a_cloak_goes_when_a_hostile_that_sees_it_comes_adjacent() -> None:
    field = field_of("actions-powers")
    field = field.put(replace(field.explorer("amallyn"), marks=("cloak",)))
    assert unique_actions.uncloaked(table(), field).explorer("amallyn").marks == ("cloak",)
    behind_the_wall = field.put(replace(field.hostile("guard-1"), hex=(1, 1)))
    assert unique_actions.uncloaked(table(), behind_the_wall).explorer("amallyn").marks == ("cloak",)
    beside = field.put(replace(field.hostile("guard-1"), hex=(0, 2)))
    assert unique_actions.uncloaked(table(), beside).explorer("amallyn").marks == ()


def test_a_barrier_stands_through_the_activation_in_which_it_was_raised() -> None:
    field = field_of("actions-powers")
    field = unique_actions.perform(table(), field, "espern", "barrier", unique_actions.ActionDetails())
    assert activation.begin(table(), field, "espern").explorer("espern").marks == ("barrier",)
    later = field.put(replace(field.explorer("espern"), used=()))
    assert activation.begin(table(), later, "espern").explorer("espern").marks == ()


def test_a_commanded_hostile_may_set_off_overwatch() -> None:
    scene = posted("actions-powers")
    scene["explorers"][0] |= {"activation": [], "overwatch": [3], "activated": True}
    case = {
        "scene": scene,
        "explorer": "espern",
        "action": "mental-command",
        "dice": [{"die": 6}],
        "targets": ["guard-1"],
        "way": [[4, 1]],
    }
    ruling = ask("act", case, dice={"seed": 3})
    assert "overwatch" in [event.name for event in ruling.effects.events]


def test_a_card_given_with_the_scene_brings_known_unique_actions() -> None:
    scene = posted("actions-hall")
    scene["profiles"] = {
        "explorers": [
            {
                "id": "seer",
                "name": "Seer",
                "spaces": 4,
                "uninspired": {
                    "move": 2,
                    "defence": ["d8"],
                    "agility": ["d8"],
                    "vitality": ["d8"],
                    "rules": ["heal-wound-aura", "destiny-return"],
                },
            }
        ]
    }
    scene["explorers"][0]["profile"] = "seer"
    answer = ask("actions", {"scene": scene, "explorer": "janus"}).answer
    assert [(offer.action, offer.cost) for offer in answer.actions] == [
        ("move", 1),
        ("recuperate", 1),
        ("search", 4),
        ("summon", 4),
        ("rallying-cry", 6),
    ]


# Faults


@pytest.mark.parametrize(
    ("case", "faults"),
    [
        ({"explorer": "nobody", "action": "move"}, {("/case/explorer", "unknown-explorer")}),
        ({"action": "dance"}, {("/case/action", "unknown-action")}),
        ({"action": "search", "cost": 2}, {("/case/cost", "unknown-cost")}),
        ({"action": "search", "dice": [{"die": 4}, {"die": 4}]}, {("/case/dice/1", "one-die")}),
        ({"action": "search", "way": [[1, 0]]}, {("/case/way", "no-way")}),
        ({"action": "move", "way": [[9, 9]]}, {("/case/way/0", "off-board")}),
        (
            {"action": "move", "targets": ["nobody"]},
            {("/case/targets/0", "unknown-hostile"), ("/case/targets", "wrong-number-of-targets")},
        ),
        ({"action": "pistol-and-rapier", "targets": ["guard-1"] * 2}, {("/case/targets", "wrong-number-of-targets")}),
        ({"explorer": "espern", "action": "mental-command"}, {("/case/targets", "wrong-number-of-targets")}),
    ],
)
def test_what_is_impossible_about_an_action_is_named_at_its_place(case, faults) -> None:
    whole = {"scene": posted("actions-hall"), "explorer": "janus", "dice": [{"die": 4}], **case}
    with pytest.raises(Faults) as caught:
        ask("act", whole)
    assert {(fault.pointer, fault.code) for fault in caught.value.faults} == faults


# The end of an activation


@given(st.lists(faces, max_size=4))
def test_dice_are_kept_for_overwatch_and_the_card_is_down(dice) -> None:
    field = with_dice(tuple(dice), ())
    after = activation.end(table(), field, "janus")
    janus = after.explorer("janus")
    assert sorted(janus.overwatch) == sorted(die - 1 for die in dice if die > 1)
    assert janus.activation == ()
    assert janus.activated


def test_what_one_twin_slew_counts_when_the_other_ends_their_activation() -> None:
    field = field_of("turn-track")
    slain = (Hostile("dead", "traitor-guardsman", "group-1", slain=True),)
    field = field.with_(hostiles=(*field.scene.hostiles, *slain))
    field = field.put(replace(field.explorer("raus"), slain=("dead",)))
    after = activation.end(table(hand={"raus: inspiration": [2]}), field, "rein")
    assert after.explorer("raus").inspiration == 1
    assert after.explorer("raus").activated
