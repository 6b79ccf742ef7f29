"""Powers, row by row: every number is carried out or told only; whom they are tried on, and what they leave behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from services.stargrave import book
from services.stargrave.arbiter import ARBITER
from services.stargrave.book import Power
from services.stargrave.checks import checked
from services.stargrave.model import Scene
from tests.services.stargrave.asking import ask, box, marginal, odds
from tests.services.stargrave.brawl import fighter

ROWS = {row["id"]: row for row in book.table("powers")}
POWERS = book.Book.of(book.Profiles()).powers

FIXED = {
    "concealed-firearm.push_in": "a push is always 1 inch",
    "temporary-upgrade.at_a_time": "used again it takes the place of what it was",
    "restructure-body.at_a_time": "used again it takes the place of what it was",
}
"""Numbers that hold by what is ruled anyway, and are not read."""

Case = tuple[str, dict[str, Any], dict[str, Any]]


def hall(*figures: dict[str, Any], knows: tuple[str, ...] = (), pieces: Any = (), **rest: Any) -> dict[str, Any]:
    """Give a mystic of 16 Health at the middle of an empty table, and whoever else is named."""
    profile = {"id": "mystic", "health": 16, "will": 3, "fight": 3, "shoot": 1, "armour": 9,
               "weapons": ["hand-weapon"], "powers": [{"id": power} for power in knows]}  # fmt: skip
    mystic = fighter("mys", [12, 12], "red", "mystic", role="captain")
    mystic |= rest.pop("mystic", {})
    board = {"width_in": 36, "depth_in": 36, "pieces": list(pieces)}
    return {"board": board, "figures": [mystic, *figures], "profiles": {"figures": [profile]}, **rest}


def foe(x: float = 15, y: float = 12, **rest: Any) -> dict[str, Any]:
    return fighter("foe", [x, y], "blue", "trooper", **rest)


def pal(x: float = 15, y: float = 12, profile: str = "recruit", **rest: Any) -> dict[str, Any]:
    return fighter("pal", [x, y], "red", profile, **rest)


def bot(x: float = 15, y: float = 12, id_: str = "bot", **rest: Any) -> dict[str, Any]:
    return fighter(id_, [x, y], "red", "q-bot", **rest)


def guard(x: float = 15, y: float = 12, **rest: Any) -> dict[str, Any]:
    return fighter("guard", [x, y], None, "sample-sentinel", **rest)


def use(power: str, *figures: dict[str, Any], dice: Any = (), choices: Any = (), scene: Any = (), **case: Any) -> Case:
    """Give a case of a power whose roll just reaches its number, and the dice and choices of it."""
    posted = hall(*figures, knows=(power,), **dict(scene))
    hand = {"mys: power": [ROWS[power]["activation"]], **dict(dice)}
    whole = {"scene": posted, "user": "mys", "power": power, "exertion": 0, **case}
    return "power", whole, {"dice": {"hand": hand}, "choices": dict(choices)}


def shot(gun: str = "carbine", at: float = 18, shooter: Any = (), target: Any = (), faces: Any = (15, 5)) -> Case:
    """Give a shot of a recruit with Shoot +2 at one with Fight +2 and Armour 10, with powers on either."""
    figures = [
        fighter("a", [12, 12], "red", "recruit", weapons=[gun], spells=[{"power": id_} for id_ in shooter]),
        fighter("b", [at, 12], "blue", "recruit", spells=[{"power": id_} for id_ in target]),
    ]
    case = {"scene": hall(*figures, mystic={"at": [2, 2]}), "shooter": "a", "weapon": gun, "targets": ["b"]}
    return "shoot", case, {"dice": {"hand": {"a: shooting": [faces[0]], "b: combat": [faces[1]]}}}


def blow(power: str) -> Case:
    figures = [fighter("b", [13, 12], "blue", "recruit")]
    posted = hall(*figures, mystic={"spells": [{"power": power}]})
    dice = {"hand": {"mys: combat": [15], "b: combat": [5]}}
    return "attack", {"scene": posted, "fighter": "mys", "opponent": "b"}, {"dice": dice}


DATA = {"id": "chip", "kind": "data", "at": [15, 12], "unlocked": True}
CRATE = {"id": "crate", "kind": "physical", "at": [15, 12]}
HELD = {"id": "chip", "kind": "data", "unlocked": True}
PRAM = fighter("pram", None, "red", "recruit", health=0)


CASES: dict[str, tuple[Case, ...]] = {
    "adrenaline-surge": (
        use("adrenaline-surge"),
        ("actions", {"scene": hall(mystic={"spells": [{"power": "adrenaline-surge"}]}), "figure": "mys"}, {}),
    ),
    "antigravity-projection": (use("antigravity-projection", foe(), target="foe"),),
    "armour-plates": (use("armour-plates"),),
    "bait-and-switch": (
        use("bait-and-switch", foe(carries="chip"), scene={"tokens": [HELD]}, target="foe", to=[15, 16],
            dice={"foe: will": [13]}),
    ),
    "break-lock": (use("break-lock", scene={"tokens": [CRATE]}, token="crate"),),
    "camouflage": (use("camouflage"), shot(at=25, target=("camouflage",))),
    "cancel-power": (use("cancel-power", foe(spells=[{"power": "psychic-shield"}]), target="foe"),),
    "command": (use("command", pal(), target="pal"),),
    "concealed-firearm": (
        use("concealed-firearm", foe(13), target="foe", dice={"mys: shooting": [8], "foe: combat": [5]}),
    ),
    "control-animal": (
        use("control-animal", fighter("cur", [15, 12], None, "sample-prowler"), target="cur", dice={"cur: will": [5]}),
        use("control-animal", fighter("cur", [15, 12], None, "sample-prowler"),
            pal(18, 18, "guard-dog", spells=[{"power": "control-animal"}]), target="cur", dice={"cur: will": [5]}),
    ),
    "control-robot": (
        use("control-robot", guard(), target="guard", dice={"guard: will": [5]}),
        use("control-robot", guard(), bot(18, 18, spells=[{"power": "control-robot"}]), target="guard",
            dice={"guard: will": [5]}),
    ),
    "coordinated-fire": (
        use("coordinated-fire", pal(profile="sniper"), target="pal"),
        use("coordinated-fire", pal(), target="pal"),
    ),
    "dark-energy": (
        use("dark-energy", foe(25), target="foe", dice={"mys: shooting": [12], "foe: combat": [5]}),
        use("dark-energy", guard(), target="guard", dice={"mys: shooting": [12], "guard: combat": [5]}),
    ),
    "data-jump": (
        use("data-jump", pal(15, carries="chip"), fighter("far", [24, 12]), scene={"tokens": [HELD]},
            token="chip", target="far"),
    ),
    "data-knock": (use("data-knock", scene={"tokens": [{**DATA, "unlocked": False}]}, token="chip"),),
    "data-skip": (
        use("data-skip", scene={"tokens": [{**DATA, "at": [24.5, 12]}]}, token="chip", to=[24.5, 16]),
        use("data-skip", foe(carries="chip"), scene={"tokens": [HELD]}, token="chip", to=[15, 14],
            dice={"foe: will": [15]}),
    ),
    "destroy-weapon": (use("destroy-weapon", foe(25, weapons=["carbine"]), target="foe"),),
    "electromagnetic-pulse": (
        use("electromagnetic-pulse", guard(), target="guard", dice={"guard: will": [15]}),
        use("electromagnetic-pulse", bot(), target="bot", dice={"bot: will": [17]}),
        shot(shooter=("electromagnetic-pulse",)),
    ),
    "energy-shield": (use("energy-shield"),),
    "fling": (
        use("fling", pal(14), target="pal", to=[20, 12]),
        use("fling", foe(13), target="foe", to=[13, 14], dice={"foe: fight": [13]}),
    ),
    "heal": (use("heal", pal(19, health=2), target="pal"),),
    "life-leach": (
        use("life-leach", foe(), target="foe", dice={"foe: will": [14]}, scene={"mystic": {"health": 5}}),
    ),
    "lift": (use("lift", pal(), target="pal", to=[21, 12]),),
    "power-spike": (use("power-spike"), shot("pistol", shooter=("power-spike",))),
    "psionic-fire": (
        use("psionic-fire", foe(), touched=["foe"], dice={"mys: shooting": [12], "foe: combat": [5]}),
    ),
    "psychic-shield": (use("psychic-shield", pal(), target="pal"), shot(target=("psychic-shield",))),
    "pull": (
        use("pull", foe(), target="foe", to=[15, 18], dice={"foe: will": [15]}),
        use("pull", foe(), target="foe", to=[15, 17], dice={"foe: will": [15]},
            scene={"pieces": [box("kerb", 13, 14, 17, 15, height_in=0.5)]}),
    ),
    "puppet-master": (use("puppet-master", PRAM, target="pram", to=[14, 12]),),
    "quick-step": (
        use("quick-step", to=[12, 16]),
        use("quick-step", foe(17.001), to=[15, 12]),
    ),
    "re-wire-robot": tuple(
        use("re-wire-robot", bot(), target="bot", when="before", choices={"mys: stat": [stat]})
        for stat in ("move", "fight", "armour")
    ),
    "regenerate": (use("regenerate", scene={"mystic": {"health": 5}}),),
    "remote-firing": (
        use("remote-firing", bot(), foe(28), target="bot", other="foe",
            dice={"bot: shooting": [12], "foe: combat": [5]}),
    ),
    "remote-guidance": (
        use("remote-guidance", bot(13), target="bot"),
        use("remote-guidance", bot(13), bot(20, 20, "old", spells=[{"power": "remote-guidance"}]), target="bot"),
    ),
    "repair-robot": (use("repair-robot", bot(19, health=2), target="bot"),),
    "suggestion": (use("suggestion", foe(), target="foe", to=[18, 12], dice={"foe: will": [15]}),),
    "target-designation": (use("target-designation", foe(), target="foe"), shot(target=("target-designation",))),
    "temporary-upgrade": tuple(
        use("temporary-upgrade", choices={"mys: stat": [stat]}) for stat in ("move", "fight", "shoot", "will", "armour")
    ),
    "toxic-claws": (use("toxic-claws"), blow("toxic-claws")),
    "transport": (use("transport", pal(25), target="pal", to=[25, 18]),),
    "void-blade": (
        use("void-blade"),
        use("void-blade", scene={"mystic": {"weapons": ["hand-weapon", "carbine"]}}),
        blow("void-blade"),
        shot(target=("void-blade",)),
    ),
    "inspiring": (use("inspiring"),),
}  # fmt: skip
"""For each power that does something here, cases that stand on the edge of what its numbers say."""


def plain(power: str) -> Case:
    """Give a case of a power of which only the attempt is ruled."""
    classes = ROWS[power]["classes"]
    when = next((time for time in ("before", "after") if classes == [time]), "game")
    return use(power, pal(13), when=when, **({"target": "pal"} if "target" in ROWS[power]["needs"] else {}))


def ruled(case: Case) -> str:
    """Give a ruling as text, or the faults of its case."""
    question, body, rest = case
    if not rest.get("dice", {}).get("hand"):
        rest = {key: value for key, value in rest.items() if key != "dice"}
    try:
        return msgspec.json.encode(ask(question, body, **rest)).decode()
    except Faults as faults:
        return str([fault.code for fault in faults.faults])


def numbers(power_id: str) -> Iterator[tuple[str, str | None]]:
    """Give the numbers of a row by their names, those in a table of the row with its name."""
    row = ROWS[power_id]
    yield from ((name, None) for name in ("activation", "strain"))
    for name in ("range_in", "move_in", "attack", "damage", "health", "resist"):
        if row[name] is not None:
            yield name, None
    for table in ("stats", "one_of", "numbers"):
        yield from ((name, table) for name in row[table])


def changed(power: Power, name: str, table: str | None, by: int) -> Power:
    if table is not None:
        old = getattr(power, table)
        return replace(power, **{table: {**old, name: old[name] + by}})
    if name == "resist":
        assert power.resist is not None
        return replace(power, resist=replace(power.resist, target=power.resist.target + by))
    return replace(power, **{name: getattr(power, name) + by})


@contextmanager
def instead(power: Power) -> Iterator[None]:
    """Let another row stand in the book while the block lasts."""
    powers: Any = POWERS
    before = powers[power.id]
    powers[power.id] = power
    try:
        yield
    finally:
        powers[power.id] = before


# The rows


@pytest.mark.parametrize("power_id", ROWS)
def test_every_number_of_a_row_is_carried_out_or_told(power_id: str) -> None:
    """Where a number is changed a ruling comes out differently, unless the row says why it is told only."""
    cases = CASES.get(power_id) or (plain(power_id),)
    before = [ruled(case) for case in cases]
    told = ROWS[power_id]["told"]
    idle = []
    for name, table in numbers(power_id):
        if name in told or f"{power_id}.{name}" in FIXED:
            continue
        different = False
        for by in (1, -1):
            with instead(changed(POWERS[power_id], name, table, by)):
                different = different or [ruled(case) for case in cases] != before
        if not different:
            idle.append(name)
    assert not idle


@pytest.mark.parametrize("power_id", ROWS)
def test_the_first_case_of_a_power_is_one_that_succeeds(power_id: str) -> None:
    question, body, rest = (CASES.get(power_id) or (plain(power_id),))[0]
    ruling = ask(question, body, **rest)
    assert ruling.allowed, ruling.reasons
    assert ruling.answer.success


def test_what_is_told_is_a_number_of_the_row_or_its_effect() -> None:
    for power_id, row in ROWS.items():
        names = {name for name, _ in numbers(power_id)}
        assert set(row["told"]) <= names | {"effect"}, power_id
        assert power_id in CASES or row["told"], f"{power_id} does nothing here: its row has to say why"
        assert all(why.endswith(".") for why in row["told"].values())


def test_the_readme_names_every_power_that_is_told() -> None:
    readme = (ARBITER.folder / "README.md").read_text(encoding="utf-8")
    assert [row["name"] for row in ROWS.values() if row["told"] and row["name"] not in readme] == []


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
        (use("fling", fighter("big", [13.5, 12], None, "sample-colossus"), target="big", to=[16, 12]),
         "power_aims.of_kind"),
        (use("data-jump", foe(carries="chip"), pal(12, 15), scene={"tokens": [HELD]}, token="chip", target="pal"),
         "power_aims.fits_token"),
        (use("puppet-master", PRAM, pal(30, 30, spells=[{"power": "puppet-master"}]), target="pram", to=[14, 12]),
         "power_aims.one_at_a_time"),
        (use("quick-step", foe(17), to=[15, 12]), "power_moves.ends_well"),
        (use("suggestion", foe(elevation_in=4), target="foe", to=[15, 14.6],
             scene={"pieces": [box("roof", 14, 11, 16, 13, height_in=4)]}), "power_moves.ends_well"),
    ],
)  # fmt: skip
def test_a_power_is_refused_before_any_roll(case: Case, rule: str) -> None:
    _, body, _ = case
    ruling = ask("power", body)
    assert (ruling.allowed, ruling.throws) == (False, ())
    assert rule in [reason.rule for reason in ruling.reasons]


def test_who_is_pulled_off_a_roof_falls() -> None:
    """From 4 inches that is 6 points of damage: a trooper of 14 Health has 8."""
    roof = box("roof", 14, 11, 16, 13, height_in=4)
    case = use("pull", foe(elevation_in=4), target="foe", to=[15, 15], dice={"foe: will": [15]},
               scene={"pieces": [roof]})  # fmt: skip
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
    assert "will" not in needed.options


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
    found = []
    for height in (0.4, 1.1):
        for spells in ((), ("void-blade",)):
            hand = {"a: shooting": [10], "b: combat": [10]}
            (hit,) = ask("shoot", behind(height, *spells), dice={"hand": hand}).answer.attacks
            found.append({each.id: each.value for each in hit.modifiers})
    assert found == [{"light-cover": 2}, {"void-blade": 3}, {"heavy-cover": 4}, {"heavy-cover": 4}]


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
    (told,) = [each for each in gun.eligible if each.target == "b"]
    law = odds("shoot", case)
    damage = marginal(law, "damage")
    assert Fraction(told.hits) == marginal(law, "hits").get(1, 0)
    assert Fraction(told.expected_damage) == sum(points * mass for points, mass in damage.items())
    assert Fraction(told.stuns) == marginal(law, "stunned").get(1, 0)
    assert Fraction(told.fells) == marginal(law, "out").get(1, 0)


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=150, deadline=None)
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
