"""Questions that can answer the same agree on random scenes: a list of what is open, and the thing that is done."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.battlefield import Battlefield
from tests.services.blackstone_fortress.skirmishes import scenes
from tests.services.blackstone_fortress.tabletop import field_of
from tests.services.blackstone_fortress.turns import ask


def ready(posted: dict[str, Any]) -> Battlefield:
    """Arm the Guardsmen, and give the battlefield of the scene."""
    for hostile in posted["hostiles"]:
        if hostile["profile"] == "traitor-guardsman":
            hostile["weapon"] = "lasgun"
    return field_of(posted)


@settings(max_examples=25)
@given(scenes(hostiles=2), st.data())
def test_whoever_is_a_target_can_be_attacked_and_nobody_else(posted: dict[str, Any], data: Any) -> None:
    field = ready(posted)
    ids = [unit.id for unit in (*field.explorers, *field.hostiles)]
    attacker = data.draw(st.sampled_from(ids))
    ours = attacker in {explorer.id for explorer in field.explorers}
    answer = ask("targets", {"scene": posted, "attacker": attacker}).answer
    for weapon in answer.weapons:
        eligible = {one.target for one in weapon.eligible}
        ineligible = {one.target for one in weapon.ineligible}
        foes = {foe.id for foe in (field.hostiles if ours else field.explorers)}
        assert eligible | ineligible == foes
        assert not eligible & ineligible
        how = {"action": weapon.action, "die": "free"} if ours else {"weapon": weapon.weapon}
        for foe in foes:
            case = {"scene": posted, "attacker": attacker, "targets": [foe], **how}
            assert ask("attack", case).allowed == (foe in eligible), (weapon.name, foe)


@settings(max_examples=25)
@given(scenes(hostiles=2))
def test_a_weapon_action_is_open_to_those_who_have_targets_for_it(posted: dict[str, Any]) -> None:
    for explorer in posted["explorers"]:
        explorer["activation"] = [6]
    field = ready(posted)
    for explorer in field.explorers:
        offers = ask("actions", {"scene": posted, "explorer": explorer.id}).answer.actions
        weapons = ask("targets", {"scene": posted, "attacker": explorer.id}).answer.weapons
        eligible = {weapon.action: tuple(one.target for one in weapon.eligible) for weapon in weapons}
        for offer in offers:
            if offer.kind == "weapon":
                assert offer.targets == eligible[offer.action]
                assert offer.open == bool(offer.targets)


@settings(max_examples=25)
@given(scenes(hostiles=2), st.data())
def test_a_unit_may_go_wherever_it_may_end_and_the_way_there_is_allowed(posted: dict[str, Any], data: Any) -> None:
    field = ready(posted)
    ids = [unit.id for unit in (*field.explorers, *field.hostiles)]
    unit = data.draw(st.sampled_from(ids))
    every = posted["board"]["hexes"]
    answer = ask("moves", {"scene": posted, "unit": unit, "to": every}).answer
    ends = {end.hex: end.way for end in answer.ends}
    here = field.units[unit].hex
    # A unit that stays where it stands makes no move, so its own hex is in neither list.
    assert {hex_ for hex_ in every if hex_ != here} == {*ends, *(one.hex for one in answer.not_there)} - {here}
    for hex_, way in ends.items():
        done = ask("moves", {"scene": posted, "unit": unit, "way": way})
        assert done.allowed
        assert done.answer.moved_to == hex_
    for near in {one.hex for one in answer.not_there} & set(field.ground.neighbours(here or (0, 0))):
        assert not ask("moves", {"scene": posted, "unit": unit, "way": [near]}).allowed


@settings(max_examples=25)
@given(scenes(hostiles=2), st.data())
def test_in_overwatch_everybody_reacts_or_the_answer_says_why_not(posted: dict[str, Any], data: Any) -> None:
    for explorer in posted["explorers"]:
        explorer["overwatch"] = data.draw(st.lists(st.integers(1, 5), max_size=2))
        explorer["activated"] = data.draw(st.booleans())
    field = ready(posted)
    case = {"scene": posted, "hostile": data.draw(st.sampled_from(field.hostiles)).id, "made": data.draw(st.booleans())}
    answer = ask("overwatch", case).answer
    acting = [reaction.explorer for reaction in answer.reactions]
    unable = [one.explorer for one in answer.unable]
    assert sorted({*acting, *unable}) == sorted(explorer.id for explorer in field.explorers)
    assert not set(acting) & set(unable)
    assert all(one.reasons for one in answer.unable)
