"""Attacks: what cannot be posted, and what holds for any attack."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.blackstone_fortress.profiles import Ranges
from services.blackstone_fortress.rules import armoury, attacks, weapon_actions
from services.blackstone_fortress.rules.armoury import Attack
from tests.services.blackstone_fortress.tabletop import (
    ask,
    block,
    field_of,
    guard,
    janus,
    marginal,
    odds,
    scene,
    table,
    walked,
)

D8 = icepool.Die({0: 4, 1: 2, 3: 2})
"""Damage of an open attack with a d8."""


def shot(posted: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"scene": posted, "attacker": "janus", "targets": ["guard"], "action": "pistol-and-rapier", **rest}


# What cannot be posted


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"attacker": "nobody"}, "/case/attacker", "unknown-unit"),
        ({"targets": ["janus"]}, "/case/targets/0", "unknown-enemy"),
        ({"targets": ["guard", "gone"], "action": "flurry-of-attacks"}, "/case/targets/1", "not-on-the-battlefield"),
        ({"action": None}, "/case/action", "unknown-weapon-action"),
        ({"action": "lasgun"}, "/case/action", "unknown-weapon-action"),
        ({"cost": 3}, "/case/cost", "unknown-cost"),
        ({"targets": ["guard", "guard"]}, "/case/targets", "too-many-targets"),
        ({"aim_die": {"die": 2}}, "/case/aim_die", "not-aimed"),
        ({"weapon": "lasgun"}, "/case/weapon", "only-for-hostiles"),
        ({"overcharged": True}, "/case/overcharged", "only-for-hostiles"),
        ({"reroll": True}, "/case/reroll", "only-for-hostiles"),
    ],
)
def test_an_impossible_attack_of_an_explorer_is_a_fault_at_its_place(
    changes: dict[str, Any], pointer: str, code: str
) -> None:
    posted = scene([janus([1, 2])], [guard("guard", [3, 2]), guard("gone", None, slain=True)])
    with pytest.raises(Faults) as caught:
        ask("attack", {**shot(posted), **changes})
    assert (pointer, code) in [(fault.pointer, fault.code) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"targets": ["guard"]}, "/case/targets/0", "unknown-enemy"),
        ({"targets": ["janus", "janus"]}, "/case/targets", "too-many-targets"),
        ({"action": "pistol-and-rapier"}, "/case/action", "only-for-explorers"),
        ({"cost": 1}, "/case/cost", "only-for-explorers"),
        ({"die": "free"}, "/case/die", "only-for-explorers"),
        ({"aim_die": {"die": 1}}, "/case/aim_die", "only-for-explorers"),
        ({"weapon": "hammer"}, "/case/weapon", "unknown-weapon"),
    ],
)
def test_an_impossible_attack_of_a_hostile_is_a_fault_at_its_place(
    changes: dict[str, Any], pointer: str, code: str
) -> None:
    posted = scene([janus([1, 2])], [guard("guard", [3, 2])])
    with pytest.raises(Faults) as caught:
        ask("attack", {"scene": posted, "attacker": "guard", "targets": ["janus"], **changes})
    assert (pointer, code) in [(fault.pointer, fault.code) for fault in caught.value.faults]


def test_a_weapon_without_an_overcharged_mode_of_its_own_is_not_asked_for_one() -> None:
    only_plain = {"id": "plain", "name": "Plain", "overcharged": False, "ranges": {"1": ["d8"]}}
    card = {
        "id": "x",
        "name": "X",
        "size": "small",
        "move": 1,
        "wounds": 1,
        "weapons": ["plain"],
        "behaviour": "ur-ghul",
    }
    posted = scene(
        [janus([1, 2])],
        [{"id": "x", "group": "xs", "profile": "x", "hex": [2, 2]}],
        profiles={"hostiles": [card], "weapons": [only_plain]},
    )
    with pytest.raises(Faults) as caught:
        ask("attack", {"scene": posted, "attacker": "x", "targets": ["janus"], "overcharged": True})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/overcharged", "no-such-mode")]


# What is forbidden is answered, with all reasons, and nothing is rolled


def test_every_reason_is_given_at_once() -> None:
    walls = [[[2, 2], [3, 2]]]
    posted = scene([janus([1, 2], activation=[1])], [guard("guard", [3, 2])], {"walls": walls})
    ruling = ask("attack", shot(posted, action="flurry-of-attacks", die={"die": 3, "destiny": True}))
    assert not ruling.allowed
    assert ruling.throws == ()
    assert ruling.effects.events == ()
    rules = {reason.rule for reason in ruling.reasons}
    assert rules == {"attacks.target_visible", "attacks.in_range", "payments.enough", "payments.available"}


def test_what_stands_in_the_line_to_a_target_that_is_not_seen_is_named() -> None:
    board = {"walls": [[[2, 2], [3, 2]]], "obstructions": [[5, 2]]}
    posted = scene([janus([1, 2])], [guard("guard", [3, 2]), guard("other", [6, 2]), guard("near", [1, 3])], board)
    for attacker, target, stands in (
        ("janus", "guard", ["The wall between (2, 2) and (3, 2) stands in the line from (1, 2) to (3, 2)"]),
        ("guard", "janus", ["The wall between (2, 2) and (3, 2) stands in the line from (3, 2) to (1, 2)"]),
        (
            "other",
            "janus",
            [
                "The obstruction at (5, 2) stands in the line from (6, 2) to (1, 2)",
                "The wall between (2, 2) and (3, 2) stands in the line from (6, 2) to (1, 2)",
            ],
        ),
        ("near", "janus", []),
    ):
        case = {"scene": posted, "attacker": attacker, "targets": [target]}
        ruling = ask("attack", case | ({"action": "pistol-and-rapier", "die": "free"} if attacker == "janus" else {}))
        assert ruling.allowed == (not stands)
        assert sorted({each.text for each in ruling.findings if "stands in" in each.text}) == stands
        assert ("attacks.target_visible" in {reason.rule for reason in ruling.reasons}) == bool(stands)


def test_an_unpaid_action_without_any_die_is_forbidden() -> None:
    posted = scene([janus([1, 2])], [guard("guard", [3, 2])])
    ruling = ask("attack", shot(posted))
    assert [reason.rule for reason in ruling.reasons] == ["payments.enough"]


def test_a_hostile_out_of_sight_is_told_once_for_all_its_weapons() -> None:
    mallex = {"id": "mallex", "group": "m", "profile": "obsidius-mallex", "hex": [3, 2]}
    posted = scene([janus([1, 2])], [mallex], {"walls": [[[2, 2], [3, 2]]]})
    ruling = ask("attack", {"scene": posted, "attacker": "mallex", "targets": ["janus"]})
    assert sorted(reason.rule for reason in ruling.reasons) == ["attacks.in_range", "attacks.target_visible"]


# Costs


@pytest.mark.parametrize(("die", "attacks_made"), [(4, 2), (5, 2), (6, 3)])
def test_the_die_buys_the_most_attacks_it_can(die: int, attacks_made: int) -> None:
    posted = scene([janus([1, 2], activation=[die])], [guard("guard", [2, 2], profile="chaos-beastman", weapon=None)])
    ruling = ask(
        "attack",
        shot(posted, action="flurry-of-attacks", die={"die": die}),
        dice={"hand": {"janus: attack": ["failure"] * attacks_made}},
    )
    assert len(ruling.answer.attacks) == attacks_made
    assert ruling.effects.patch[1].value == []


def test_a_lower_cost_can_be_asked_for() -> None:
    posted = scene([janus([1, 2], activation=[6])], [guard("guard", [2, 2])])
    ruling = ask(
        "attack",
        shot(posted, action="flurry-of-attacks", die={"die": 6}, cost=4),
        dice={"hand": {"janus: attack": ["failure"] * 2}},
    )
    assert len(ruling.answer.attacks) == 2


def test_a_slain_hostile_earns_no_inspiration_once_the_explorer_has_been_activated() -> None:
    for activated, slain in ((False, ("guard",)), (True, ())):
        posted = scene([janus([1, 2], activated=activated)], [guard("guard", [3, 2])])
        ruling = ask("attack", shot(posted, die="free"), dice={"hand": {"janus: attack": ["critical"]}})
        credited = [step.value for step in ruling.effects.patch if step.path == "/explorers/0/slain"]
        assert credited == ([list(slain)] if slain else [])


# Laws

hexes = st.sampled_from([(q, r) for q, r in block()])
HEXSIDES = [((q, r), (q + 1, r)) for q in range(7) for r in range(5)] + [((3, r), (3, r + 1)) for r in range(4)]
sides = st.lists(st.sampled_from(HEXSIDES), max_size=8, unique=True)


@given(attacker=hexes, target=hexes, walls=sides, cover=sides)
def test_cover_and_walls_only_ever_help_the_target(attacker: Any, target: Any, walls: Any, cover: Any) -> None:
    if attacker == target:
        return
    means = []
    for sheltering in ([], cover):
        posted = scene([janus(attacker)], [guard("guard", target)], {"walls": walls, "cover": sheltering})
        result = odds("attack", shot(posted, die="free"))
        means.append(
            sum(damage * chance for damage, chance in marginal(result, "damage").items()) if result.allowed else 0
        )
    assert means[1] <= means[0]


@given(attacker=hexes, target=hexes, cover=sides)
def test_an_aimed_attack_is_never_worse_and_as_good_as_one_in_the_open(attacker: Any, target: Any, cover: Any) -> None:
    if attacker == target:
        return

    def mean(board: dict[str, Any], aimed: bool) -> Fraction:
        posted = scene([janus(attacker, activation=[1])], [guard("guard", target)], board)
        case = shot(posted, die="free", aimed=aimed, aim_die={"die": 1} if aimed else None)
        return sum(
            (damage * chance for damage, chance in marginal(odds("attack", case), "damage").items()), Fraction(0)
        )

    aimed, plain = mean({"cover": cover}, True), mean({"cover": cover}, False)
    assert aimed >= plain
    assert aimed == mean({}, False)


@given(seed=st.integers(0, 10_000), places=st.lists(hexes, min_size=2, max_size=6, unique=True), walls=sides)
def test_targets_that_are_said_to_be_eligible_are_allowed_and_no_others(seed: int, places: Any, walls: Any) -> None:
    posted = scene(
        [janus(places[0], activation=[4])],
        [guard(f"guard-{i}", hex_) for i, hex_ in enumerate(places[1:])],
        {"walls": walls},
    )
    answer = ask("targets", {"scene": posted, "attacker": "janus"}).answer
    for weapon in answer.weapons:
        eligible = {aim.target for aim in weapon.eligible}
        assert eligible | {other.target for other in weapon.ineligible} == {one["id"] for one in posted["hostiles"]}
        for hostile in posted["hostiles"]:
            case = shot(posted, action=weapon.action, targets=[hostile["id"]], die={"die": 4})
            ruling = ask("attack", case, dice={"seed": seed}, policies={"*": "first"})
            assert ruling.allowed == (hostile["id"] in eligible)


@given(seed=st.integers(0, 10_000), cost=st.sampled_from([4, 6]), pick=st.integers(0, 5))
def test_later_targets_of_a_flurry_are_always_next_to_the_one_before(seed: int, cost: int, pick: int) -> None:
    around = [(3, 2), (3, 1), (2, 1), (1, 2), (1, 3), (2, 3)]
    field = field_of(scene([janus((2, 2))], [guard(f"guard-{i}", hex_) for i, hex_ in enumerate(around)]))
    at = table(str(seed), policy=lambda choice: choice.options[pick % len(choice.options)])
    _, hits = weapon_actions.take_attacks(at, field, "janus", "flurry-of-attacks", cost, ("guard-0",))
    places = [field.hostile(hit.target).hex for hit in hits]
    assert len(hits) == {4: 2, 6: 3}[cost]
    for before, after in pairwise(places):
        assert before is not None
        assert after is not None
        assert before == after or field.ground.adjacent(before, after)


@given(seed=st.integers(0, 10_000))
def test_every_weapon_hits_only_where_it_has_dice(seed: int) -> None:
    field = field_of(scene([janus((0, 0))], [guard("guard", (seed % 7 + 1, 0))]))
    attack = Attack(Ranges(near=("d6",), middle=None, far=("d12",)), "odd gun")
    hexes_away = seed % 7 + 1
    reasons = attacks.violations(table(), field, "janus", "guard", attack)
    assert bool(reasons) == (2 <= hexes_away <= 3)


# A second opinion


def test_icepool_agrees_on_an_area_attack() -> None:
    posted = scene(
        [{"id": "vorne", "profile": "pious-vorne", "hex": [1, 2]}],
        [guard("guard-1", [3, 2]), guard("guard-2", [3, 2]), guard("guard-3", [3, 2])],
    )
    case = {"scene": posted, "attacker": "vorne", "targets": ["guard-2"], "action": "vindictor-flamer", "die": "free"}
    d12 = icepool.Die({0: 4, 1: 4, 3: 4})
    law = {damage: Fraction(weight, (3 @ d12).denominator()) for damage, weight in (3 @ d12).items()}
    assert marginal(odds("attack", case), "damage") == law


def test_flames_pass_over_whom_carried_damage_has_slain() -> None:
    """Every three results of a d12, a third of its faces each; excess goes to the first of those who still stand."""
    three = [f"guard-{n}" for n in range(3)]
    posted = scene([{"id": "vorne", "profile": "pious-vorne", "hex": [1, 2]}], [guard(id_, [3, 2]) for id_ in three])
    case = {"scene": posted, "attacker": "vorne", "targets": three[:1], "action": "vindictor-flamer", "die": "free"}
    counted: dict[tuple[str, ...], Fraction] = {}
    for results in product((0, 1, 3), repeat=3):
        left = dict.fromkeys(three, 2)
        for struck, damage in zip(three, results, strict=True):
            while struck in left and damage:
                left[struck] -= damage
                damage = 0
                if left[struck] <= 0:
                    damage = -left.pop(struck)
                    struck = next(iter(left), "")
        slain = tuple(id_ for id_ in three if id_ not in left)
        counted[slain] = counted.get(slain, Fraction(0)) + Fraction(1, 27)
    found = odds("attack", case, fields=["slain"], readings={"excess-damage": "carried"})
    assert {each.answer.slain: Fraction(each.mass) for each in found.outcomes} == counted


def test_icepool_agrees_on_two_attacks_of_which_the_second_needs_a_target() -> None:
    posted = scene([janus([1, 2], activation=[4])], [guard("guard", [2, 2])])
    case = shot(posted, action="flurry-of-attacks", die={"die": 4}, targets=["guard", "guard"])
    together = D8.map(lambda damage: damage if damage >= 2 else D8 + damage)
    law = {damage: Fraction(weight, together.denominator()) for damage, weight in together.items()}
    assert marginal(odds("attack", case), "damage") == law


def test_a_riposte_law_by_hand() -> None:
    """The Beastman is struck back at when Draik's defence roll is critical: 2/3 of hits, 1/4 of those rolls."""
    beast = {"id": "beast", "group": "beasts", "profile": "chaos-beastman", "hex": [2, 2]}
    field = field_of(scene([janus((1, 2))], [beast]))

    def wounded(at: Any, *_: Any) -> tuple[int, bool]:
        after = attacks.attack_once(at, field, "beast", "janus", armoury.hostile_attack(field, field.hostile("beast")))[
            0
        ]
        return after.hostile("beast").wounds, after.hostile("beast").slain

    law = walked(wounded)
    riposte = Fraction(2, 3) * Fraction(1, 4)
    assert law == {(0, False): 1 - riposte / 2, (1, False): riposte / 4, (0, True): riposte / 4}
