"""A case of each power that succeeds, and ways to ask what comes of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.json import encode
from services.stargrave import book
from services.stargrave.book import Power
from tests.services.stargrave.asking import ask, box
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
    profile = {
        "id": "mystic",
        "health": 16,
        "will": 3,
        "fight": 3,
        "shoot": 1,
        "armour": 9,
        "weapons": ["hand-weapon"],
        "powers": [{"id": power} for power in knows],
    }
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


def walled(power: str) -> dict[str, Any]:
    """Give a hall with a wall of a power that was put up in turn 1."""
    wall = box("wall", 14, 9, 14.1, 15, power=power, since=1, ground="impassable", sight="open", climbable=False)
    return hall(foe(18), mystic={"weapons": ["carbine"]}, pieces=[wall], turn={"number": 2, "phase": "creature"})


def fading(face: int) -> Case:
    faces = {"wall: end": [face], "red: initiative": [12], "blue: initiative": [3]}
    return "initiative", {"scene": walled("holographic-wall")}, {"dice": {"hand": faces}}


def at_wall(face: int) -> Case:
    case = {"scene": walled("wall-of-force"), "shooter": "mys", "weapon": "carbine", "wall": "wall"}
    return "shoot", case, {"dice": {"hand": {"mys: shooting": [face]}}}


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
        use(
            "bait-and-switch",
            foe(carries="chip"),
            scene={"tokens": [HELD]},
            target="foe",
            to=[15, 16],
            dice={"foe: will": [13]},
        ),
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
        use(
            "control-animal",
            fighter("cur", [15, 12], None, "sample-prowler"),
            pal(18, 18, "guard-dog", spells=[{"power": "control-animal"}]),
            target="cur",
            dice={"cur: will": [5]},
        ),
    ),
    "control-robot": (
        use("control-robot", guard(), target="guard", dice={"guard: will": [5]}),
        use(
            "control-robot",
            guard(),
            bot(18, 18, spells=[{"power": "control-robot"}]),
            target="guard",
            dice={"guard: will": [5]},
        ),
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
        use(
            "data-jump",
            pal(15, carries="chip"),
            fighter("far", [24, 12]),
            scene={"tokens": [HELD]},
            token="chip",
            target="far",
        ),
    ),
    "data-knock": (use("data-knock", scene={"tokens": [{**DATA, "unlocked": False}]}, token="chip"),),
    "data-skip": (
        use("data-skip", scene={"tokens": [{**DATA, "at": [24.5, 12]}]}, token="chip", to=[24.5, 16]),
        use(
            "data-skip",
            foe(carries="chip"),
            scene={"tokens": [HELD]},
            token="chip",
            to=[15, 14],
            dice={"foe: will": [15]},
        ),
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
    "life-leach": (use("life-leach", foe(), target="foe", dice={"foe: will": [14]}, scene={"mystic": {"health": 5}}),),
    "lift": (use("lift", pal(), target="pal", to=[21, 12]),),
    "power-spike": (use("power-spike"), shot("pistol", shooter=("power-spike",))),
    "psionic-fire": (
        use("psionic-fire", foe(), towards=[[15, 12], [12, 15]], dice={"mys: shooting": [12], "foe: combat": [5]}),
        use(
            "psionic-fire",
            foe(),
            towards=[[15, 12], [12, 15], [9, 12]],
            dice={"mys: shooting": [12], "foe: combat": [5]},
        ),
        use("psionic-fire", foe(), touched=["foe"], dice={"mys: shooting": [12], "foe: combat": [5]}),
    ),
    "psychic-shield": (use("psychic-shield", pal(), target="pal"), shot(target=("psychic-shield",))),
    "pull": (
        use("pull", foe(), target="foe", to=[15, 18], dice={"foe: will": [15]}),
        use(
            "pull",
            foe(),
            target="foe",
            to=[15, 17],
            dice={"foe: will": [15]},
            scene={"pieces": [box("kerb", 13, 14, 17, 15, height_in=0.5)]},
        ),
    ),
    "puppet-master": (use("puppet-master", PRAM, target="pram", to=[14, 12]),),
    "quick-step": (use("quick-step", to=[12, 16]), use("quick-step", foe(17.001), to=[15, 12])),
    "re-wire-robot": tuple(
        use("re-wire-robot", bot(), target="bot", when="before", choices={"mys: stat": [stat]})
        for stat in ("move", "fight", "armour")
    ),
    "regenerate": (use("regenerate", scene={"mystic": {"health": 5}}),),
    "remote-firing": (
        use(
            "remote-firing", bot(), foe(28), target="bot", other="foe", dice={"bot: shooting": [12], "foe: combat": [5]}
        ),
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
    "crack-shot": (
        use("crack-shot"),
        shot(shooter=("crack-shot",), faces=(19, 5)),
        shot(shooter=("crack-shot",), faces=(18, 5)),
    ),
    "indifference": (use("indifference"),),
    "holographic-wall": (use("holographic-wall", wall=[[15, 9], [15, 15]]), fading(4), fading(5)),
    "wall-of-force": (use("wall-of-force", wall=[[15, 9], [15, 15]]), at_wall(19), at_wall(18)),
    "drone": (
        use("drone", to=[13.5, 12]),
        use("drone", fighter("old", [20, 20], "red", "drone", spells=[{"power": "drone"}]), to=[13.5, 12]),
    ),
    "target-lock": (
        use(
            "target-lock",
            pal(14, weapons=["grenades"]),
            foe(18),
            to=[18, 13],
            grenade="fragmentation",
            other="pal",
            dice={"grenade: shooting": [12], "foe: combat": [5]},
        ),
    ),
}
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
        return encode(ask(question, body, **rest)).decode()
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
