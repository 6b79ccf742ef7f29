"""Crews: laws over random ones, profiles at their bounds, and what a crew cannot name."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.stargrave.book import Book, table
from services.stargrave.checks import checked
from services.stargrave.profiles import Profiles
from services.stargrave.questions.campaign import CrewAnswer
from services.stargrave.scene import Figure, Scene
from tests.services.stargrave.asking import ask, faults

SOLDIERS = {row["id"]: row for row in table("soldiers")}
BACKGROUNDS = {row["id"]: row for row in table("backgrounds")}
BOOK = Book.of(Profiles())
ITEMS = sorted({*BOOK.weapons, *BOOK.armour, *BOOK.gear})


def officer(id_: str, background: str, known: int, core: int, **more: Any) -> dict[str, Any]:
    """Write an officer of that background, with as many powers of it, and the rest from elsewhere."""
    row = BACKGROUNDS[background]
    others = [power for power in BOOK.powers if power not in row["core_powers"] and power != "inspiring"]
    powers = [*row["core_powers"][:core], *others[: known - core]]
    return {
        "id": id_,
        "background": background,
        "raised": row["from"][: row["choose"]],
        "powers": [{"id": power} for power in powers],
        **more,
    }


def rogue(**more: Any) -> dict[str, Any]:
    return officer("kel", "rogue", 5, 3) | more


def crew(**more: Any) -> dict[str, Any]:
    return {"captain": officer("kel", "rogue", 5, 3), "first_mate": officer("jo", "tekker", 4, 2), **more}


def reasons(case: dict[str, Any]) -> set[str]:
    return {reason.rule for reason in ask("crew", case).reasons}


def answer(case: dict[str, Any]) -> CrewAnswer:
    ruling = ask("crew", case)
    assert isinstance(ruling.answer, CrewAnswer), ruling.reasons
    return ruling.answer


def soldiers(kinds: list[str]) -> list[dict[str, Any]]:
    return [{"id": f"s-{number}", "kind": kind} for number, kind in enumerate(kinds)]


KINDS = st.lists(st.sampled_from(sorted(SOLDIERS)), max_size=10)


@given(KINDS, st.booleans(), st.none() | st.integers(0, 1500))
def test_a_crew_is_lawful_if_size_specialists_and_credits_are(
    kinds: list[str], quarters: bool, credits_: int | None
) -> None:
    case = crew(soldiers=soldiers(kinds), extra_quarters=quarters, credits=credits_)
    cost = sum(SOLDIERS[kind]["cost_credits"] for kind in kinds)
    specialists = [kind for kind in kinds if SOLDIERS[kind]["specialist"]]
    had = 400 if credits_ is None else credits_
    wrong = set()
    if len(kinds) > 8:
        wrong.add("crews.size")
    if len(specialists) > (5 if quarters else 4):
        wrong.add("crews.too_many_specialists")
    if cost > had:
        wrong.add("crews.purse")
    assert reasons(case) == wrong
    if not wrong:
        built = answer(case)
        assert (built.credits_spent, built.credits_left, built.specialists) == (cost, had - cost, len(specialists))
        assert [member.id for member in built.members] == ["kel", "jo", *(row["id"] for row in case["soldiers"])]


@given(st.lists(st.sampled_from(ITEMS), max_size=7), st.sampled_from(["captain", "first_mate"]))
def test_gear_fits_if_its_slots_do(gear: list[str], who: str) -> None:
    """Slots are counted anew: one for all grenades, none for the first knife."""
    case = crew()
    case[who]["gear"] = gear
    rest = [item for item in gear if "grenade" not in item or item == "grenade-launcher"]
    if "knife" in rest:
        rest.remove("knife")
    sizes: dict[str, Any] = {**BOOK.weapons, **BOOK.armour, **BOOK.gear}
    filled = sum(sizes[item].slots for item in rest) + (len([i for i in gear if i in GRENADES]) > 0)
    barred = "shield" in gear and any(item in BOOK.weapons and BOOK.weapons[item].slots >= 2 for item in rest)
    wrong = {
        *(["kit.too_much"] if filled > (6 if who == "captain" else 5) else []),
        *(["kit.barred"] if barred else []),
    }
    assert reasons(case) == wrong
    if not wrong:
        profile = answer(case).members[who == "first_mate"].profile
        carried = [item for item in rest if item in BOOK.weapons] + ["grenades"] * any(i in GRENADES for i in gear)
        built_in = ["hand-weapon", "pistol"] if "combat-armour" in gear else []
        assert {item: profile.weapons.count(item) for item in ("pistol", "carbine", "grenades")} == {
            item: max(carried.count(item), built_in.count(item)) for item in ("pistol", "carbine", "grenades")
        }
        best = max((BOOK.armour[item].armour for item in gear if item in BOOK.armour), default=0)
        assert profile.armour == 9 + best


GRENADES = ("grenades", "fragmentation-grenade", "smoke-grenade")


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize(
    ("core", "mate_core", "lawful"),
    [(3, 2, True), (4, 3, True), (2, 2, False), (5, 2, False), (3, 1, False), (3, 4, False)],
)
def test_powers_of_the_background(background: str, core: int, mate_core: int, lawful: bool) -> None:
    case = crew(captain=officer("kel", background, 5, core), first_mate=officer("jo", background, 4, mate_core))
    assert reasons(case) == (set() if lawful else {"officers.wrong_powers"})
    if not lawful:
        return
    captain, mate = answer(case).members[:2]
    for member, base, more in ((captain, core, (0, 2)), (mate, mate_core, (2, 4))):
        for place, power in enumerate(member.profile.powers):
            if power.id == "inspiring":
                continue
            assert power.activation == BOOK.powers[power.id].activation + more[place >= base]


@pytest.mark.parametrize(
    ("kind", "gear", "armour", "move"),
    [
        ("runner", [], 9, 7),
        ("runner", ["light-armour"], 10, 7),
        ("runner", ["heavy-armour"], 11, 6),
        ("sentry", [], 11, 5),
    ],
)
def test_soldiers_wear_what_they_have(kind: str, gear: list[str], armour: int, move: int) -> None:
    member = answer(crew(soldiers=[{"id": "rex", "kind": kind, "gear": gear}])).members[2]
    assert (member.profile.armour, member.profile.move_in) == (armour, move)


@pytest.mark.parametrize("kind", sorted(SOLDIERS))
def test_a_hired_soldier_has_what_one_of_its_kind_has(kind: str) -> None:
    hired = answer(crew(soldiers=[{"id": "rex", "kind": kind}], credits=1000)).members[2].profile
    shipped = BOOK.profiles[kind]
    assert (hired.weapons, hired.worn, hired.traits) == (shipped.weapons, shipped.worn, shipped.traits)
    # Grenades are carried as the two kinds there are.
    kinds = {"fragmentation-grenade", "smoke-grenade"} if "grenades" in shipped.gear else set()
    assert set(hired.gear) == set(shipped.gear) - {"grenades"} | kinds


def test_combat_armour_brings_its_hand_weapon_pistol_and_filter_mask() -> None:
    trooper = BOOK.profiles["armoured-trooper"]
    assert (trooper.weapons, trooper.gear) == (("carbine", "hand-weapon", "pistol"), ("filter-mask",))


def test_the_profiles_stand_in_a_scene_as_they_are() -> None:
    built = answer(crew(soldiers=soldiers(["recruit", "gunner", "armoured-trooper", "guard-dog"])))
    figures = tuple(
        Figure(member.id, member.id, "red", member.role, (2.0 + 2 * place, 5.0))
        for place, member in enumerate(built.members)
    )
    scene = Scene(figures=figures, profiles=Profiles(tuple(member.profile for member in built.members)))
    scene = msgspec.json.decode(msgspec.json.encode(scene), type=Scene)
    field = checked(scene)
    assert [field.profile(figure) for figure in field.figures] == [member.profile for member in built.members]


@pytest.mark.parametrize(
    ("change", "at", "code"),
    [
        ({"captain": rogue(background="clown")}, "/case/captain/background", "unknown-background"),
        ({"captain": rogue(gear=["spoon"])}, "/case/captain/gear/0", "unknown-item"),
        ({"first_mate": rogue(id="jo", advances=["luck"])}, "/case/first_mate/advances/0", "unknown-advance"),
        ({"captain": rogue(powers=[{"id": "heal"}, {"id": "heal"}])}, "/case/captain/powers/1/id", "repeated-id"),
        ({"captain": rogue(powers=[{"id": "sing"}])}, "/case/captain/powers/0/id", "unknown-power"),
        ({"soldiers": [{"id": "s", "kind": "drone"}]}, "/case/soldiers/0/kind", "unknown-soldier"),
        ({"soldiers": [{"id": "s", "kind": "recruit", "gear": ["a"]}]}, "/case/soldiers/0/gear/0", "unknown-item"),
        ({"soldiers": [{"id": "kel", "kind": "recruit"}]}, "/case/soldiers/0/id", "repeated-id"),
    ],
)
def test_what_is_in_no_table_is_a_fault(change: dict[str, Any], at: str, code: str) -> None:
    assert faults("crew", crew(**change)) == [(at, code)]


def test_a_weapon_that_a_scene_brings_along_fills_its_own_slots() -> None:
    scene = {"profiles": {"weapons": [{"id": "harpoon", "kind": "missile", "slots": 4}]}}
    captain = officer("kel", "rogue", 5, 3, gear=["harpoon", "carbine"])
    assert answer(crew(scene=scene, captain=captain)).members[0].slots_filled == 6
    assert reasons(crew(scene=scene, captain={**captain, "gear": ["harpoon", "rapid-fire"]})) == {"kit.too_much"}


@given(st.integers(0, 25), st.integers(0, 12))
def test_captains_stay_between_5_and_20_levels_above(captain: int, mate: int) -> None:
    """Every level is spent as its last digit asks: a number lowered, the Will raised, or something new learnt."""
    case = crew()
    for who, start, levels in (("captain", 15, captain), ("first_mate", 0, mate)):
        unknown = [p for p in BOOK.powers if p not in {row["id"] for row in case[who]["powers"]} and p != "inspiring"]
        new, first = iter(unknown), case[who]["powers"][0]["id"]
        advances = []
        for level in range(start + 1, start + levels + 1):
            digit = level % 10
            advances.append("shoot" if digit in (2, 7) else next(new) if digit in (0, 5) else first)
        case[who]["advances"] = advances
    gap = 15 + captain - mate
    assert ("after_game.gap" in reasons(case)) == (not 5 <= gap <= 20)
    assert reasons(case) <= {"after_game.gap", "officers.too_high"}
