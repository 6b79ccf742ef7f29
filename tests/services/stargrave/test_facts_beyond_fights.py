"""Facts in Stargrave beyond shots and fights: the turn, loot, medicine, powers, and the list in the README."""

import re

from services.stargrave.book import Book
from services.stargrave.profiles import Profiles
from tests.services.stargrave.asking import arbiter, ask
from tests.services.stargrave.test_facts import CY, KEL, ROB, needed


def test_companions_are_within_3_inches_and_seen_as_the_players_say() -> None:
    captain = {"id": "cap", "profile": "captain", "crew": "red", "role": "captain"}
    scene = {"figures": [captain, ROB, {**KEL, "id": "kel"}]}
    case = {"scene": scene, "leader": "cap", "companions": ["rob", "kel"]}
    assert needed("activation", case) == ["range_in:cap,rob", "sees:cap,rob", "range_in:cap,kel", "sees:cap,kel"]
    near = {**case, "given": {"range_in:rob": 3, "range_in:kel": 3.1, "sees": True}}
    assert [reason.text for reason in ask("activation", near).reasons] == [
        "Sentry (kel) is not within 3 inches of Captain (cap)"
    ]
    turn = {"scene": scene, "phase": "captain", "given": near["given"]}
    assert ask("turn", turn).answer.crews[0].figures[0].companions == ("rob",)
    begun = {"figures": [{**captain, "activated": True}, ROB]}
    later = {"scene": begun, "leader": "cap", "companions": ["rob"], "began_at": [3, 3], "assume": "usual"}
    assert ask("activation", later).allowed


def test_actions_ask_for_what_opens_and_shuts_them_alone() -> None:
    case = {"scene": {"figures": [ROB, CY]}, "figure": "rob"}
    assert needed("actions", case) == ["in_combat:rob"]
    assert "fight" in ask("actions", {**case, "given": {"in_combat": ["cy"]}}).answer.open
    assert "fight" not in ask("actions", {**case, "given": {"in_combat": []}}).answer.open
    tokens = {"figures": [ROB, CY], "tokens": [{"id": "chip", "kind": "data"}]}
    asked = needed("actions", {**case, "scene": tokens})
    assert asked == ["in_combat:rob", "touches_token:rob,chip", "near_token:chip"]


def test_a_token_is_unlocked_where_no_enemy_is_near() -> None:
    scene = {"figures": [ROB, CY], "tokens": [{"id": "chip", "kind": "data"}]}
    case = {"scene": scene, "figure": "rob", "token": "chip"}
    assert needed("loot", case) == ["touches_token:rob,chip", "near_token:chip"]
    watched = ask("loot", {**case, "given": {"near_token": ["rob", "cy"]}, "assume": "usual"})
    assert [reason.text for reason in watched.reasons] == ["Trooper (cy) is within 1 inch of chip"]
    # 14 is enough.
    ruling = ask("loot", {**case, "assume": "usual"}, dice={"hand": {"rob: unlock": [14]}})
    assert ruling.answer.unlocked
    opened = {**scene, "tokens": [{"id": "chip", "kind": "data", "unlocked": True}]}
    ruling = ask("loot", {**case, "scene": opened, "deed": "pick-up", "given": {"touches_token": True}})
    assert ruling.answer.carries == "chip"
    assert [(step.path, step.value) for step in ruling.effects.patch if step.op != "test"] == [
        ("/figures/0/carries", "chip")
    ]


def test_a_medic_tends_who_is_near_and_out_of_combat() -> None:
    medic = {"id": "doc", "profile": "medic", "crew": "red"}
    case = {"scene": {"figures": [medic, {**ROB, "stunned": True}, CY]}, "medic": "doc", "patient": "rob"}
    assert needed("heal", case) == ["range_in:doc,rob", "in_combat:doc", "in_combat:rob"]
    assert ask("heal", {**case, "given": {"range_in": 2, "in_combat": []}}).answer.removed == ("stunned",)
    far = ask("heal", {**case, "given": {"range_in": 2.1, "in_combat:rob": ["cy"], "in_combat:doc": []}})
    assert [reason.text for reason in far.reasons] == [
        "Recruit (rob) is not within 2 inches of Medic (doc)",
        "Recruit (rob) is in combat",
    ]


def test_powers_ask_for_sight_and_range_and_leave_moves_to_the_players() -> None:
    mystic = {"id": "mystic", "health": 16, "powers": [{"id": "dark-energy"}, {"id": "pull"}]}
    scene = {
        "figures": [{"id": "mys", "profile": "mystic", "crew": "red", "role": "captain"}, CY],
        "profiles": {"figures": [mystic]},
    }
    case = {"scene": scene, "user": "mys", "power": "dark-energy", "target": "cy", "exertion": 0}
    assert needed("power", case) == ["range_in:mys,cy", "sees:mys,cy"]
    hand = {"mys: power": [10], "mys: shooting": [12], "cy: combat": [5]}
    given = {"range_in": 12, "sees": True, "between": 0, "cover": "none"}
    ruling = ask("power", {**case, "given": given}, dice={"hand": hand})
    # A shot at 5: 17 against 5 + 2, less Armour 9, for the heavy armour of the trooper does not count.
    assert (ruling.answer.success, ruling.answer.damage) == (True, 17 - (11 - _worn()))
    hand = {"mys: power": [12], "cy: will": [15]}
    pull = {**case, "power": "pull", "given": {"sees": True}}
    assert needed("power", pull, dice={"hand": hand}) == ["drop_in"]
    ruling = ask("power", {**pull, "given": {"sees": True, "drop_in": 4}}, dice={"hand": hand})
    # Four inches do six points.
    assert (ruling.answer.moved, ruling.answer.damage) == ("cy", 6)


def _worn() -> int:
    """Give what the armour of a trooper adds."""
    book = Book.of(Profiles())
    return sum(book.armour[id_].armour for id_ in book.profiles["trooper"].worn)


def test_the_readme_lists_every_fact_with_its_usual_value_first() -> None:
    text = (arbiter().folder / "README.md").read_text(encoding="utf-8")
    rows = dict(
        re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\| ([^|]+) \|$", text.partition("## Without a board")[2], re.MULTILINE)
    )
    usual = {name: fact.kind.samples[0] for name, fact in arbiter().facts.items()}
    words = {"True": "true, ", "False": "false, ", "()": "a list of ids, empty", "none": "`none`, "}
    assert rows.keys() == usual.keys()
    for name, value in usual.items():
        first = words.get(str(value)) or f"a number, {value:g}"
        assert rows[name].startswith(first), name
