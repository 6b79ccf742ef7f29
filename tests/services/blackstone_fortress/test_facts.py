"""Blackstone Fortress without a board: players say what they see, and a ruling is as on a board that shows it."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.json import encode
from arbiter.question import Ask
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.book import Book
from services.blackstone_fortress.profiles import Profiles, WeaponAction
from tests.services import facts_law

JANUS = {"id": "janus", "profile": "janus-draik"}
GUARD = {"id": "guard", "profile": "traitor-guardsman", "weapon": "lasgun"}
DUEL: dict[str, Any] = {"explorers": [JANUS], "hostiles": [GUARD]}
SHOT: dict[str, Any] = {"scene": DUEL, "attacker": "janus", "action": "pistol-and-rapier", "targets": ["guard"]}


def ask(question: str, case: dict[str, Any], **rest: Any) -> Any:
    """Ask for a ruling; dice that are not handed come from a fixed seed."""
    return facts_law.ruled(ARBITER, question, {"case": case, **rest})


def needed(ruling: Any) -> list[str]:
    """List the keys of the facts that a ruling needs."""
    assert ruling.status == "needs_fact"
    return [needs.key for needs in ruling.needs.facts]


def scene(*hostiles: dict[str, Any], explorers: tuple[dict[str, Any], ...] = (JANUS,), **rest: Any) -> dict[str, Any]:
    """Give a scene without a board."""
    return {"explorers": list(explorers), "hostiles": list(hostiles), **rest}


def weapon_actions(profile: str) -> tuple[WeaponAction, ...]:
    """Give the weapon actions of the front of an explorer's card."""
    return Book.of(Profiles()).explorers[profile].uninspired.weapon_actions


# What is asked, and when


def test_an_attack_asks_for_what_makes_it_possible_and_then_for_cover() -> None:
    assert needed(ask("attack", SHOT)) == ["sees:guard,janus", "range:guard,janus"]
    assert needed(ask("attack", {**SHOT, "given": {"sees": True, "range": 3}})) == ["cover:janus,guard"]


def test_cover_is_not_asked_for_where_the_attack_ignores_it() -> None:
    janus = {**JANUS, "activation": [3, 1]}
    case = {**SHOT, "scene": scene(GUARD, explorers=(janus,)), "die": {"die": 3}, "aimed": True, "aim_die": {"die": 1}}
    ruling = ask("attack", {**case, "given": {"sees": True, "range": 3}}, dice={"hand": {"janus: attack": ["success"]}})
    assert (ruling.status, ruling.answer.damage) == ("ruled", 1)


def test_cover_is_not_asked_for_before_a_column_on_its_left_is_known_not_to_apply() -> None:
    """On the card of Mallex the columns are hidden, engaged, close, in cover: at 2 or 3 hexes the third one applies."""
    case = {"scene": scene({"id": "foe", "profile": "obsidius-mallex"}), "hostile": "foe", "resolve": False}
    seen = {"sees": True, "beside": []}
    assert needed(ask("behaviour", {**case, "given": seen})) == ["range:foe,janus"]
    for hexes in (2, 3):
        assert ask("behaviour", {**case, "given": {**seen, "range": hexes}}).answer.column == "close"
    assert needed(ask("behaviour", {**case, "given": {**seen, "range": 4}})) == ["cover:janus,foe"]


def test_what_is_not_seen_is_no_target_and_every_reason_is_told() -> None:
    ruling = ask("attack", {**SHOT, "action": "flurry-of-attacks", "given": {"sees": False, "range": 2}})
    assert not ruling.allowed
    assert [reason.rule for reason in ruling.reasons] == ["attacks.target_visible", "attacks.in_range"]


def test_who_stands_beside_an_attacker_matters_only_where_somebody_else_could() -> None:
    case = {**SHOT, "scene": scene(GUARD, {**GUARD, "id": "other"})}
    facts = {"sees": True, "range": 3}
    assert needed(ask("attack", {**case, "given": facts})) == ["beside:janus"]
    assert needed(ask("attack", {**case, "given": {**facts, "beside": []}})) == ["cover:janus,guard"]
    ruling = ask("attack", {**case, "given": {**facts, "beside": ["other"]}})
    assert [reason.rule for reason in ruling.reasons] == ["attacks.adjacent_first"]
    # Somebody adjacent may be attacked whoever else stands there.
    assert needed(ask("attack", {**case, "given": {"sees": True, "range": 1}})) == ["cover:janus,guard"]


def test_the_usual_attack_needs_the_range_alone_and_few_bytes() -> None:
    # At range 3 a pistol rolls a d8 with 4 failures, 2 successes and 2 critical successes.
    case = {**SHOT, "given": {"range": 3}, "assume": "usual"}
    assert len(encode({"case": case})) <= 300
    odds = facts_law.weighed(ARBITER, "attack", {"case": case})
    (damage,) = (marginal.values for marginal in odds.marginals if marginal.field == "damage")
    law = {chance.answer: Fraction(chance.mass) for chance in damage}
    assert law == {0: Fraction(1, 2), 1: Fraction(1, 4), 3: Fraction(1, 4)}
    assert needed(ask("attack", {**SHOT, "assume": "usual"})) == ["range:guard,janus"]


def test_without_dice_on_the_card_nothing_is_paid_and_with_them_a_die_is() -> None:
    case = {**SHOT, "given": {"range": 3}, "assume": "usual"}
    assert not [event for event in ask("attack", case).effects.events if event.name == "die-spent"]
    ruling = ask("attack", {**case, "scene": scene(GUARD, explorers=({**JANUS, "activation": [2, 5]},))})
    assert ruling.status == "needs_choice"
    assert ruling.needs.choice.label == "janus: die"


# What comes of it


@pytest.mark.parametrize(
    ("hexes", "cover", "face", "damage"),
    # In cover a success is a failure, and a critical success a success.
    [(1, False, "critical", 3), (3, True, "success", 0), (3, True, "critical", 1), (60, False, "success", 1)],
)
def test_cover_and_range_count_as_given(hexes: int, cover: bool, face: str, damage: int) -> None:
    case = {**SHOT, "given": {"sees": True, "range": hexes, "cover": cover}}
    ruling = ask("attack", case, dice={"hand": {"janus: attack": [face]}})
    assert ruling.answer.damage == damage
    assert ruling.answer.attacks[0].dice == (("d8",) if hexes <= 3 else ("d6",))
    assert [(fact.fact, fact.value, fact.origin) for fact in ruling.facts] == [
        ("sees", True, "given"),
        ("range", hexes, "given"),
        ("cover", cover, "given"),
    ]


def test_who_is_slain_is_out_in_the_patch_and_in_the_next_question() -> None:
    case = {**SHOT, "given": {"sees": True, "range": 1, "cover": False}}
    ruling = ask("attack", case, dice={"hand": {"janus: attack": ["critical"]}})
    assert ruling.answer.slain == ("guard",)
    slain = [change for change in ruling.effects.patch if change.path == "/hostiles/0/slain"]
    assert [change.value for change in slain] == [True]
    with pytest.raises(Faults) as refused:
        ask("attack", {**case, "scene": scene({**GUARD, "slain": True})})
    assert [fault.code for fault in refused.value.faults] == ["not-on-the-battlefield"]


def test_a_riposte_asks_whether_the_attacker_is_adjacent() -> None:
    case = {"scene": DUEL, "attacker": "guard", "targets": ["janus"]}
    facts = {"sees": True, "cover": False}
    dice = {"hand": {"guard: attack": ["success"], "janus: defence": ["critical"]}}
    far = ask("attack", {**case, "given": {**facts, "range": 2}}, dice=dice)
    assert (far.status, far.answer.damage) == ("ruled", 0)
    near = ask("attack", {**case, "given": {**facts, "range": 1}}, dice=dice)
    assert near.status == "needs_choice"
    assert near.needs.choice.label == "janus: riposte"


def test_flames_strike_everybody_who_is_said_to_be_in_the_hex() -> None:
    vorne = {"id": "vorne", "profile": "pious-vorne"}
    four = scene(GUARD, *({**GUARD, "id": f"more-{number}"} for number in range(3)), explorers=(vorne,))
    flames = next(action.id for action in weapon_actions("pious-vorne") if "every-hostile-in-hex" in action.traits)
    case = {"scene": four, "attacker": "vorne", "action": flames, "targets": ["guard"], "assume": "usual"}
    facts = {"range": 1, "together": ["more-0", "more-2"]}
    ruling = ask("attack", {**case, "given": facts}, policies={"*": "first"})
    assert {outcome.target for outcome in ruling.answer.attacks} == {"guard", "more-0", "more-2"}


@pytest.mark.parametrize(
    ("facts", "column"),
    # Hidden, Engaged, In Cover (with a lasgun), Close (range 2 or 3) and Other, tested from left to right.
    [
        ({"sees": False}, "hidden"),
        ({"sees": True, "beside": ["janus"]}, "engaged"),
        ({"sees": True, "beside": [], "cover": True}, "in-cover"),
        ({"sees": True, "beside": [], "cover": False, "range": 2}, "close"),
        ({"sees": True, "beside": [], "cover": False, "range": 3}, "close"),
        ({"sees": True, "beside": [], "cover": False, "range": 4}, "other"),
    ],
)
def test_facts_choose_the_column_of_a_hostile_and_nothing_after_it_is_asked(facts: dict[str, Any], column: str) -> None:
    ruling = ask("behaviour", {"scene": DUEL, "hostile": "guard", "given": facts})
    assert (ruling.status, ruling.answer.column) == ("ruled", column)
    assert {fact.fact for fact in ruling.facts} == set(facts)
    assert ruling.surplus == ()


def test_the_nearest_of_those_it_sees_makes_a_hostile_close() -> None:
    two = scene(GUARD, explorers=(JANUS, {"id": "ur", "profile": "ur-025"}))
    facts = {"sees:guard,janus": True, "sees:guard,ur": False, "beside": [], "cover": False, "range:janus": 5}
    case = {"scene": two, "hostile": "guard"}
    # UR-025 is not seen, and how far it is does not matter.
    assert ask("behaviour", {**case, "given": facts}).answer.column == "other"
    facts = {**facts, "sees:guard,ur": True}
    assert needed(ask("behaviour", {**case, "given": facts})) == ["range:guard,ur"]
    assert ask("behaviour", {**case, "given": {**facts, "range:guard,ur": 3}}).answer.column == "close"


def test_a_known_action_is_carried_out_and_a_move_is_made_by_the_players() -> None:
    case = {"scene": DUEL, "hostile": "guard", "action": "charge"}
    assert needed(ask("behaviour", case)) == ["beside:guard"]
    ruling = ask("behaviour", {**case, "given": {"beside": []}})
    assert [event.name for event in ruling.effects.events] == ["action", "moved", "moved"]
    facts = {"beside": ["janus"], "sees": True, "range": 1, "cover": False}
    dice = {"hand": {"guard: attack": ["success"], "janus: defence": ["failure"]}}
    ruling = ask("behaviour", {**case, "given": facts}, dice=dice)
    assert (ruling.answer.wounds, ruling.answer.attacks[0].range) == (1, 1)


def test_what_was_said_of_a_hostile_is_over_when_it_has_moved() -> None:
    facts = {"sees": True, "beside": [], "cover": False, "range": 5}
    case = {"scene": DUEL, "hostile": "guard", "resolve": True, "given": facts}
    # Column Other, and a 1 to 3 is Advance: a move, and then an attack.
    ruling = ask("behaviour", case, dice={"hand": {"guard: behaviour": [2]}})
    assert needed(ruling) == ["sees_then:guard,janus"]
    assert ruling.needs.facts[0].question.startswith("After the move")
    facts |= {"sees_then": True, "range_then": 3, "cover_then": True}
    dice = {"hand": {"guard: behaviour": [2], "guard: attack": ["success"]}}
    ruling = ask("behaviour", {**case, "given": facts}, dice=dice)
    assert [(outcome.range, outcome.in_cover, outcome.wounds) for outcome in ruling.answer.attacks] == [(3, True, 0)]


def test_a_hostile_attacks_the_closest_by_the_routes_given() -> None:
    two = scene(GUARD, explorers=(JANUS, {"id": "ur", "profile": "ur-025"}))
    case = {"scene": two, "hostile": "guard", "action": "aim", "assume": "usual"}
    facts = {"range:janus": 2, "range:guard,ur": 3}
    assert needed(ask("behaviour", {**case, "given": facts})) == ["route:guard,janus", "route:guard,ur"]
    facts |= {"route:janus": 4, "route:ur": 3}
    # Aim is for the furthest by route, whatever the range is.
    ruling = ask("behaviour", {**case, "given": facts}, policies={"*": "first"})
    assert [outcome.target for outcome in ruling.answer.attacks] == ["janus"]


def test_targets_are_those_that_are_seen_and_in_range() -> None:
    two = scene(GUARD, {**GUARD, "id": "other"})
    facts = {"sees": True, "beside": [], "cover": False, "range:guard,janus": 2, "range:janus,other": 9}
    answer = ask("targets", {"scene": two, "attacker": "janus", "given": facts}).answer
    pistol, flurry = answer.weapons
    assert [(aim.target, aim.dice, aim.expected_damage) for aim in pistol.eligible] == [
        ("guard", ("d8",), "1"),  # 2/8 of 1 and 2/8 of 3
        ("other", ("d6",), "2/3"),  # 1/6 of 1 and 1/6 of 3
    ]
    assert [aim.target for aim in flurry.ineligible] == ["guard", "other"]


def test_actions_are_open_by_what_players_say() -> None:
    janus = {**JANUS, "activation": [6]}
    case = {"scene": scene(GUARD, explorers=(janus,), discoveries=[{"id": "d1", "number": 1}]), "explorer": "janus"}
    facts = {"on_marker": True, "beside": [], "at_portal": True, "sees": True, "range": 4}
    answer = ask("actions", {**case, "given": facts}).answer
    assert {offer.action for offer in answer.actions if offer.open} == {"move", "search", "summon", "pistol-and-rapier"}
    beside = ask("actions", {**case, "given": {**facts, "beside": ["guard"], "range": 1}}).answer
    assert {offer.action for offer in beside.actions if offer.open} == {
        "move",
        "summon",
        "pistol-and-rapier",
        "flurry-of-attacks",
    }


def test_a_search_takes_the_marker_on_which_the_explorer_stands() -> None:
    janus = {**JANUS, "activation": [6]}
    markers = [{"id": "d1", "number": 1}, {"id": "d2", "number": 2}]
    case = {"scene": scene(explorers=(janus,), discoveries=markers), "explorer": "janus", "action": "search"}
    ruling = ask("act", {**case, "dice": [{"die": 6}], "given": {"on_marker": False, "on_marker:d2": True}})
    assert [event.values["marker"] for event in ruling.effects.events if event.name == "discovery-removed"] == ["d2"]


def test_summoning_is_remembered_without_a_board() -> None:
    janus = {**JANUS, "activation": [6]}
    case = {"scene": scene(GUARD, explorers=(janus,)), "explorer": "janus", "action": "summon", "dice": [{"die": 6}]}
    ruling = ask("act", {**case, "given": {"at_portal": True}})
    assert ruling.answer.escape_chamber
    assert ruling.allowed
    happened = [change.value for change in ruling.effects.patch if change.path == "/turn"]
    assert [turn["happened"] for turn in happened] == [["summon"]]
    later = scene(GUARD, explorers=(janus,), turn={"happened": ["summon"]})
    again = {**case, "scene": later, "given": {"at_portal": True}}
    assert [reason.rule for reason in ask("act", again).reasons] == ["explorer_actions.summoned"]


@pytest.mark.parametrize(("aboard", "combat"), [(True, "escaped"), (False, "on")])
def test_the_combat_ends_when_everybody_is_said_to_be_aboard(aboard: bool, combat: str) -> None:
    case: dict[str, Any] = {"scene": {**DUEL, "turn": {"happened": ["summon"]}}}
    assert needed(ask("event", case)) == ["aboard:janus"]
    assert ask("event", {**case, "given": {"aboard": aboard}}, policies={"*": "first"}).answer.combat == combat
    # With no chamber there is nothing to be aboard of.
    assert ask("event", {"scene": DUEL}, policies={"*": "first"}).answer.combat == "on"


def test_overwatch_asks_only_those_who_have_dice() -> None:
    ready = {**JANUS, "activated": True, "overwatch": [3]}
    two = scene(GUARD, explorers=(ready, {"id": "ur", "profile": "ur-025", "activated": True}))
    case = {"scene": two, "hostile": "guard"}
    assert needed(ask("overwatch", case)) == ["sees:guard,janus", "range:guard,janus"]
    ruling = ask("overwatch", {**case, "given": {"sees": True, "range": 2, "cover": False}}, policies={"*": "first"})
    assert [(reaction.explorer, reaction.action) for reaction in ruling.answer.reactions] == [
        ("janus", "pistol-and-rapier")
    ]


def test_covering_fire_asks_whether_two_explorers_see_each_other() -> None:
    pair = scene(GUARD, explorers=(JANUS, {"id": "ur", "profile": "ur-025"}))
    pair = {**pair, "turn": {"track": ["janus", "hostiles", "ur"]}}
    case = {"scene": pair, "explorer": "janus", "other": "ur", "agreed": ["janus", "ur"]}
    assert needed(ask("covering-fire", case)) == ["sees:janus,ur"]
    assert ask("covering-fire", {**case, "given": {"sees": True}}).answer.track == ("ur", "hostiles", "janus")
    assert not ask("covering-fire", {**case, "given": {"sees": False}}).allowed


def test_a_barrier_helps_those_who_are_said_to_stand_behind_it() -> None:
    espern = {"id": "espern", "profile": "espern-locarno", "marks": ["barrier"]}
    pair = scene(GUARD, explorers=(JANUS, espern))
    case = {"scene": pair, "unit": "janus", "wounds": 1}
    assert needed(ask("wounds", case)) == ["together:janus"]
    behind = ask("wounds", {**case, "given": {"together": ["espern"]}})
    apart = ask("wounds", {**case, "given": {"together": []}})
    assert [throws[0].die for throws in (behind.throws, apart.throws)] == ["d12", "d8"]


def test_reinforcements_come_back_into_play_and_the_players_place_them() -> None:
    dead = [{**GUARD, "id": f"guard-{number}", "slain": True, "wounds": 2} for number in range(2)]
    case = {"scene": scene(*dead), "group": "hostiles"}
    # A 3 brings back two small hostiles.
    ruling = ask("reinforcements", case, dice={"hand": {"hostiles: reinforcements": [3]}}, policies={"*": "first"})
    assert ruling.answer.number == 2
    slain = {change.path: change.value for change in ruling.effects.patch if change.path.endswith("/slain")}
    assert slain == {"/hostiles/0/slain": False, "/hostiles/1/slain": False}


def test_what_needs_no_place_needs_no_fact() -> None:
    hurt = {**JANUS, "wounds": 2, "activation": [4, 1], "slain": ["guard"]}
    alone = scene({**GUARD, "slain": True, "wounds": 2}, explorers=(hurt,), turn={"track": ["janus", "hostiles"]})
    one = {"scene": alone, "explorer": "janus"}
    asked: dict[str, dict[str, Any]] = {
        "vitality": one,
        "inspiration": one,
        "save-overwatch": one,
        "end-activation": one,
        "destiny": {"scene": alone},
        "initiative": {"scene": alone},
        "turn": {"scene": alone},
        "gambit": {"scene": alone, "attempts": [{"explorer": "janus", "die": 4}]},
        "stand-up": {"scene": scene({**GUARD, "stunned": True}), "unit": "guard"},
        "act": {**one, "action": "recuperate", "dice": [{"die": 4}]},
    }
    for question, case in asked.items():
        ruling = ask(question, case, policies={"*": "first"})
        assert (question, ruling.status, ruling.facts) == (question, "ruled", ())


def test_a_move_is_paid_for_and_made_by_the_players() -> None:
    janus = {**JANUS, "activation": [4]}
    case = {"scene": scene(GUARD, explorers=(janus,)), "explorer": "janus", "action": "move", "dice": [{"die": 4}]}
    ruling = ask("act", case)
    assert [event.name for event in ruling.effects.events] == ["phase", "die-spent", "moved"]


def test_what_is_nothing_but_geometry_says_that_a_board_is_missing() -> None:
    both = {"scene": DUEL}
    asked: dict[str, dict[str, Any]] = {
        "moves": {**both, "unit": "janus"},
        "routes": {**both, "unit": "janus", "to": [[1, 1]]},
        "deployment": {"scene": scene({**GUARD, "slain": True}), "unit": "guard", "hexes": [[0, 0]]},
        "line-of-sight": {**both, "observer": "janus"},
        "threat-map": {**both, "unit": "janus"},
        "hostile-move": {**both, "hostile": "guard"},
        "hostile-activation": {"scene": scene(GUARD, {**GUARD, "id": "other"}), "group": "hostiles"},
        "setup": {**both, "arrival": "ambush", "hexes": [[0, 0]]},
        "battle": both,
    }
    for question, case in asked.items():
        form: Any = ARBITER.question(question).case
        known = {field.name for field in msgspec.structs.fields(form)}
        posted = msgspec.convert({"case": {name: case[name] for name in case if name in known}}, Ask[form])
        with pytest.raises(Faults) as refused:
            ARBITER.ask(question, posted, seed="test")
        assert (question, {fault.code for fault in refused.value.faults}) == (question, {"board-missing"})


def test_a_board_that_shows_otherwise_is_a_fault_unless_the_players_win() -> None:
    board = {"hexes": [[0, 0], [1, 0], [2, 0]], "cover": [[[1, 0], [2, 0]]]}
    whole = {"board": board, "explorers": [{**JANUS, "hex": [0, 0]}], "hostiles": [{**GUARD, "hex": [2, 0]}]}
    case = {**SHOT, "scene": whole, "die": "free", "given": {"cover": False}}
    with pytest.raises(Faults) as refused:
        ask("attack", case)
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [
        ("/case/given/cover", "fact-contradicts-board")
    ]
    ruling = ask("attack", {**case, "given_wins": True}, dice={"hand": {"janus: attack": ["success"]}})
    assert ruling.answer.damage == 1
    assert ask("attack", {**case, "given": {"range": 2}}).status == "ruled"
