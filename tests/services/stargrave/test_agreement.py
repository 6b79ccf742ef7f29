"""Two questions that can answer the same answer alike, on drawn scenes."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.services.stargrave.asking import ask, box, figure

CREWS = ("red", "blue", None)


@st.composite
def skirmishes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a dozen places on a table of 18 inches with two walls, a hedge and figures of two crews and creatures."""
    places = draw(st.permutations([(x, y) for x in (2, 5, 6, 9, 13, 16) for y in (2, 3, 8, 14)]))
    figures = []
    for number, (x, y) in enumerate(places[: draw(st.integers(2, 7))]):
        crew = draw(st.sampled_from(CREWS))
        gun = draw(st.sampled_from(["pistol", "carbine", "shotgun"]))
        jammed = [gun] if draw(st.integers(0, 5)) == 0 else []
        figures.append(figure(f"f{number}", [x, y], crew, weapons=[gun, "knife"], jammed=jammed))
    pieces = [
        box("wall", 7, 1, 7.5, 9),
        box("low", 3, 10, 12, 10.5, height_in=1),
        box("hedge", 10.8, 5, 11, 15, cover="soft"),
    ]
    return {"board": {"width_in": 18, "depth_in": 18, "pieces": pieces}, "figures": figures}


@settings(max_examples=40, deadline=None)
@given(skirmishes(), st.sampled_from(["yes", "no"]), st.sampled_from(["random", "forbidden"]))
def test_a_target_that_is_offered_may_be_shot_at_and_no_other(scene: dict[str, Any], own: str, melee: str) -> None:
    readings = {"own-crew-target": own, "shoot-into-combat": melee}
    shooter, *others = scene["figures"]
    gun = shooter["weapons"][0]
    (offered,) = ask("targets", {"scene": scene, "shooter": "f0"}, readings=readings).answer.weapons
    for other in others:
        case = {"scene": scene, "shooter": "f0", "weapon": gun, "targets": [other["id"]]}
        ruling = ask("shoot", case, readings=readings)
        assert ruling.allowed == (other["id"] in {each.target for each in offered.eligible}), other["id"]
        if ruling.allowed and ruling.answer.attacks[0].target == other["id"]:
            (each,) = [each for each in offered.eligible if each.target == other["id"]]
            (attack,) = ruling.answer.attacks
            assert (each.shoot, each.defence, each.armour) == (attack.shoot, attack.defence, attack.armour)
            assert each.modifiers == attack.modifiers
        else:
            listed = {each.target: each.reasons for each in offered.ineligible}
            # A creature is no enemy of a creature, and a friend none of a friend: they are not listed.
            assert ruling.allowed or {reason.text for reason in listed.get(other["id"], ())} <= {
                reason.text for reason in ruling.reasons
            }
