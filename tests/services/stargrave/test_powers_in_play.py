"""Powers on the table: users who fall, wrong targets, shots under powers, and what is left behind."""

from fractions import Fraction
from math import cos, pi, sin
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.stargrave.checks import checked
from services.stargrave.scene import Scene
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, marginal, odds
from tests.services.stargrave.brawl import fighter
from tests.services.stargrave.power_cases import (
    CASES,
    CRATE,
    HELD,
    PRAM,
    ROWS,
    Case,
    bot,
    foe,
    guard,
    hall,
    pal,
    ruled,
    shot,
    use,
)

# Before a game, and a user who is out of it


def test_armour_plates_before_a_game_cost_their_strain_at_its_start() -> None:
    case = use("armour-plates", when="before", scene={"mystic": {"at": None}})
    ruling = ask(case[0], case[1], **case[2])
    assert (ruling.answer.lasts_on, ruling.answer.strain, ruling.answer.health) == ("mys", 2, 14)


def test_armour_plates_do_not_go_with_combat_armour() -> None:
    case = use("armour-plates")
    case[1]["scene"]["profiles"]["figures"][0]["worn"] = ["combat-armour"]
    assert [reason.rule for reason in ask("power", case[1]).reasons] == ["power_aims.fits_kit"]


@pytest.mark.parametrize("power", ["dark-energy", "life-leach", "heal", "transport"])
@pytest.mark.parametrize("asked", [True, False])
def test_a_power_whose_user_falls_by_exertion_does_nothing(power: str, asked: bool) -> None:
    """A roll one short of the number, with one point of Health left to spend on it."""
    mystic = {"health": 1}
    target = {"to": [15, 14]} if power == "transport" else {}
    who = pal() if power in ("heal", "transport") else foe()
    _, body, _ = use(power, who, target=who["id"], scene={"mystic": mystic}, **target)
    choices = {"mys: exertion": [1]} if asked else {}
    body["exertion"] = None if asked else 4
    hand = {"mys: power": [ROWS[power]["activation"] - 1]}
    ruling = ask("power", body, readings={"exertion-limit": "may-kill"}, dice={"hand": hand}, choices=choices)
    assert (ruling.answer.success, ruling.answer.exertion, ruling.answer.health) == (True, 1, 0)
    assert (ruling.answer.strain, ruling.answer.damage, ruling.answer.restored) == (0, 0, 0)
    written = {step.path for step in ruling.effects.patch if step.op != "test"}
    assert written == {"/figures/0/at", "/figures/0/health"}


# Whom, and where


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        (use("heal", bot(), target="bot"), "power_aims.of_kind"),
        (use("lift", foe(), target="foe", to=[15, 15]), "power_aims.of_kind"),
        (use("control-animal", guard(), target="guard"), "power_aims.of_kind"),
        (use("puppet-master", pal(13), target="pal", to=[12, 14]), "power_aims.of_kind"),
        (use("cancel-power", foe(spells=[{"power": "camouflage"}]), target="foe"), "power_aims.of_kind"),
        (
            use("fling", fighter("big", [13.5, 12], None, "sample-colossus"), target="big", to=[16, 12]),
            "power_aims.of_kind",
        ),
        (
            use("data-jump", foe(carries="chip"), pal(12, 15), scene={"tokens": [HELD]}, token="chip", target="pal"),
            "power_aims.fits_token",
        ),
        (
            use("puppet-master", PRAM, pal(30, 30, spells=[{"power": "puppet-master"}]), target="pram", to=[14, 12]),
            "power_aims.one_at_a_time",
        ),
        (use("quick-step", foe(17), to=[15, 12]), "power_moves.ends_well"),
        (
            use(
                "suggestion",
                foe(elevation_in=4),
                target="foe",
                to=[15, 14.6],
                scene={"pieces": [box("roof", 14, 11, 16, 13, height_in=4)]},
            ),
            "power_moves.ends_well",
        ),
    ],
)
def test_a_power_is_refused_before_any_roll(case: Case, rule: str) -> None:
    _, body, _ = case
    ruling = ask("power", body)
    assert (ruling.allowed, ruling.throws) == (False, ())
    assert rule in [reason.rule for reason in ruling.reasons]


def test_who_is_pulled_off_a_roof_falls() -> None:
    """From 4 inches that is 6 points of damage: a trooper of 14 Health has 8."""
    roof = box("roof", 14, 11, 16, 13, height_in=4)
    case = use(
        "pull", foe(elevation_in=4), target="foe", to=[15, 15], dice={"foe: will": [15]}, scene={"pieces": [roof]}
    )
    ruling = ask(case[0], case[1], **case[2])
    after = jsonpatch.apply_patch(case[1]["scene"], msgspec.to_builtins(ruling.effects.patch))["figures"][1]
    assert (after["at"], after["elevation_in"], after["health"]) == ([15, 15], 0, 8)
    assert ruling.answer.damage == 6


@pytest.mark.parametrize(("height", "reaches"), [(3.6, True), (3.601, False)])
def test_a_lift_is_measured_in_space(height: float, reaches: bool) -> None:
    """4.8 inches along and 3.6 up are 6."""
    roof = box("roof", 19, 10, 22, 14, height_in=height)
    case = use("lift", pal(), target="pal", to=[19.8, 12], scene={"pieces": [roof]})
    assert ("too-far" in ruled(case)) is not reaches


def test_an_upgrade_goes_no_higher_than_a_stat_may_be() -> None:
    """The mystic has Will 3; with 4 more from elsewhere 1 is left up to 8, and with 5 more none."""
    for more, gained in ((4, 1), (2, 3)):
        mystic = {"spells": [{"power": "re-wire-robot", "will": more}]}
        case = use("temporary-upgrade", scene={"mystic": mystic}, choices={"mys: stat": ["will"]})
        patch = ask(case[0], case[1], **case[2]).effects.patch
        (spells,) = [step.value for step in patch if step.path == "/figures/0/spells"]
        assert spells[-1]["will"] == gained
    mystic = {"spells": [{"power": "re-wire-robot", "will": 5}]}
    case = use("temporary-upgrade", scene={"mystic": mystic})
    needed = ask("power", case[1], dice=case[2]["dice"]).needs.choice
    assert needed is not None
    assert "will" not in {option.id for option in needed.options}
    assert len(needed.options) > 1


def test_inspiring_lifts_a_stun_instead() -> None:
    case = use("inspiring", scene={"mystic": {"stunned": True}}, choices={"mys: inspiring": ["stun"]})
    ruling = ask(case[0], case[1], **case[2])
    assert ruling.answer.lasts_on is None
    assert {step.path: step.value for step in ruling.effects.patch}["/figures/0/stunned"] is False


# Shots


def behind(height: float, *spells: str) -> dict[str, Any]:
    """Give a shot at a recruit in contact with a wall of some height, between it and the shooter."""
    wall = box("wall", 17, 10, 17.5, 14, height_in=height, climbable=False)
    figures = [
        fighter("a", [12, 12], "red", "recruit", weapons=["carbine"]),
        fighter("b", [18, 12], "blue", "recruit", spells=[{"power": id_} for id_ in spells]),
    ]
    posted = hall(*figures, mystic={"at": [2, 2]}, pieces=[wall])
    return {"scene": posted, "shooter": "a", "weapon": "carbine", "targets": ["b"]}


def test_a_void_blade_stands_in_for_light_cover_and_gives_way_to_heavy() -> None:
    result = []
    for height in (0.4, 1.1):
        for spells in ((), ("void-blade",)):
            hand = {"a: shooting": [10], "b: combat": [10]}
            (hit,) = ask("shoot", behind(height, *spells), dice={"hand": hand}).answer.attacks
            result.append({each.id: each.value for each in hit.modifiers})
    assert result == [{"light-cover": 2}, {"void-blade": 3}, {"heavy-cover": 4}, {"heavy-cover": 4}]


@pytest.mark.parametrize(
    ("on_shooter", "on_target"),
    [
        ((), ("target-designation",)),
        ((), ("camouflage",)),
        ((), ("void-blade", "camouflage")),
        (("power-spike", "electromagnetic-pulse"), ()),
        ((), ("psychic-shield",)),
        ((), ("energy-shield", "energy-shield", "energy-shield")),
        (("power-spike",), ("psychic-shield", "energy-shield", "target-designation")),
    ],
)
def test_targets_foretells_what_the_shot_comes_to(on_shooter: tuple[str, ...], on_target: tuple[str, ...]) -> None:
    """The chances of `targets` are those of all 400 pairs of faces, each played by `shoot`."""
    _, case, _ = shot(shooter=on_shooter, target=on_target)
    (gun,) = ask("targets", {"scene": case["scene"], "shooter": "a"}).answer.weapons
    (outcome,) = [each for each in gun.eligible if each.target == "b"]
    law = odds("shoot", case)
    damage = marginal(law, "damage")
    assert Fraction(outcome.hits) == marginal(law, "hits").get(1, 0)
    assert Fraction(outcome.expected_damage) == sum(points * mass for points, mass in damage.items())
    assert Fraction(outcome.stuns) == marginal(law, "stunned").get(1, 0)
    assert Fraction(outcome.fells) == marginal(law, "out").get(1, 0)


@settings(max_examples=cases(40), deadline=None)
@given(st.integers(1, 20), st.integers(0, 3), st.booleans(), st.sampled_from(["halved", "absorbed"]))
def test_shields_by_hand(face: int, points: int, halved: bool, first: str) -> None:
    """A shot at +2 against Armour 10 does what exceeds it; each shield takes its part, and is used up by it."""
    spells = ["psychic-shield"] * halved + ["energy-shield"] * points
    _, case, rest = shot(target=tuple(spells), faces=(face, 1))
    ruling = ask("shoot", case, readings={"shields-together": first, "critical-damage": "none"}, **rest)
    whole = max(0, face + 2 - 10) if face > 1 else 0
    if first == "halved":
        left = whole // 2 if halved else whole
        used = min(points, left)
        left -= used
    else:
        used = min(points, whole)
        left = (whole - used) // 2 if halved else whole - used
    assert ruling.answer.damage == left
    after = jsonpatch.apply_patch(case["scene"], msgspec.to_builtins(ruling.effects.patch))
    kept = [spell["power"] for spell in after["figures"][2]["spells"]]
    assert kept == ["psychic-shield"] * (halved and not whole) + ["energy-shield"] * (points - used)


def test_a_psychic_shield_ends_in_combat_and_halves_nothing() -> None:
    """17 less Armour 10 is 7."""
    _, case, _ = shot(target=("psychic-shield",))
    case["scene"]["figures"].append(fighter("c", [19, 12], "red", "recruit"))
    hand = {"a: shooting": [15], "b: combat": [1], "a: target": [1]}
    ruling = ask("shoot", case, dice={"hand": hand})
    assert ruling.answer.attacks[0].target == "b"
    assert ruling.answer.damage == 7
    assert ("power-ended", {"figure": "b", "power": "psychic-shield"}) in [
        (event.name, event.values) for event in ruling.effects.events
    ]


# What is left behind


AT = {"foe": (15.5, 9.5), "pal": (12, 14), "bot": (13, 12), "guard": (16, 16), "pram": (12, 12), "mys": (12, 12)}
PIECES = [box("roof", 14, 8, 17, 11, height_in=2), box("wall", 14, 14, 14.4, 18, height_in=3, climbable=False)]


@settings(max_examples=cases(150), deadline=None)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_whatever_a_power_does_leaves_a_sound_table(power: str, data: st.DataObject) -> None:
    """What it is aimed at is drawn, the roll always succeeds; what is refused is so before any roll."""
    figures = [foe(*AT["foe"], elevation_in=2, carries="chip"), pal(*AT["pal"]), bot(*AT["bot"]), guard(*AT["guard"])]
    tokens = [HELD, CRATE | {"at": [12, 9]}]
    posted = hall(*figures, PRAM, pieces=PIECES, tokens=tokens, turn={"number": 1, "order": ["red", "blue"]})
    posted["profiles"]["figures"][0]["powers"] = [{"id": power, "activation": 1}]
    target = data.draw(st.sampled_from(sorted(AT)))
    needs = ROWS[power]["needs"]
    body = {"scene": posted, "user": "mys", "power": power, "other": "guard", "touched": ["foe", "guard"]}
    if "target" in needs:
        body["target"] = target
    if "token" in needs:
        body["token"] = data.draw(st.sampled_from(["chip", "crate"]))
    if "to" in needs:
        x, y = AT[target if "target" in needs else "mys"]
        ways = st.integers(-60, 60)
        body["to"] = [x + data.draw(ways) / 10, y + data.draw(ways) / 10]
    try:
        ruling = ask("power", body, policies={"*": "first"}, dice={"seed": f"{data.draw(st.integers(0, 99))}"})
    except Faults:
        return
    if not ruling.allowed:
        assert ruling.throws == ()
        return
    after = jsonpatch.apply_patch(posted, msgspec.to_builtins(ruling.effects.patch))
    checked(msgspec.convert(after, Scene))


@pytest.mark.parametrize(("degrees", "allowed"), [(0, False), (19.8, False), (20.0, True), (180, True)])
def test_two_flame_templates_overlap_up_to_the_angle_that_their_round_ends_need(degrees: float, allowed: bool) -> None:
    """By hand: the ends are 1.25 inches wide to either hand, with middles 0.5 + 8 - 1.25 = 7.25 inches from the user's.

    They are apart where half the angle has a sine of more than 1.25 / 7.25, which are 9.93 degrees.
    """
    turn = degrees * pi / 180
    towards = [[17, 12], [round(12 + 5 * cos(turn), 3), round(12 + 5 * sin(turn), 3)]]
    question, case, rest = use("psionic-fire", towards=towards)
    assert ask(question, case, **rest).allowed == allowed
