"""What is ruled in the examples' stories follows from the texts: by hand, from cards, places and dice.

The words for the first game stand beside the lines of the README's walk.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from api.schemas import codec
from api.schemas.bodies import odds_type
from arbiter.registry import game
from arbiter.sources.yaml_file import load_yaml
from rendering import text as rendering_text
from tests.house.stories import ROOT, STORIES, named

# Stargrave: places, stats and dice.

STARGRAVE = {
    # Both roll 14 and roll again: 11 against 5.
    "1-initiative": ("red rolls 14 and blue rolls 14", "red rolls 11 and blue rolls 5", "order: red, blue"),
    # From Kel at (19, 4) to Rob 3.62 less two half inches, to Sal 2.69 less one inch, to Tov 2.24 less one inch.
    "2-activation": ("group: yes", "figures: kel, rob, sal, tov", "actions: 2, 2, 2, 2", "3 of at most 3"),
    # Move 6, for light armour costs nothing; 1.5 inches to the crates, twice their 1 inch, and half an inch on top.
    "3-moves": ("allowance_in: 6.0", "at (19.0, 6.5), cost_in 4.0, elevation_in 1.0"),
    "4-climb": ("Climbing 1 inch costs 2 inches", "cost_in: 4.0", "at: 19.0, 6.5", "elevation_in: 1.0"),
    # Bo stands 1.6 inches beside the way; his middle is 2 inches off where it is 1.2 inches ahead: after 2.8 inches.
    "5-path": ("A choice is missing", "blue decides 'bo: force combat'", "Trooper (bo) is free to intercept"),
    # Bo goes half of the 2 inches from (15.4, 9.0) to (17.0, 7.8).
    "6-path": ("figure bo, along_in 2.8", "at: 17.0, 7.8", "stopped_by: bo", "end (16.2, 8.4)"),
    # Into contact, which forces nothing: 7, 24 and 25 hundredths of 4 make an inch to Bo's middle.
    "7-path": ("allowance_in: 5.0", "length_in: 3.875", "threats: none", "at: 15.92, 7.44"),
    # 15 + 2 + 2 = 19 against 8 + 2 = 10; 19 - 1 (knife) - 11 = 7 of Bo's 14; pushed an inch on, by (-0.8, 0.6).
    "8-attack": (
        "Trooper (rob) supports Recruit (tov)",
        " + 4 = 19",
        " + 2 = 10",
        "damage: 7",
        "health: 7",
        "still_in_combat: no",
        "to (15.4, 9.0)",
    ),
    # The barricade of 1 inch hides five sixths of 1.2 inches and more; reactor and barricade are between Sal and Eli.
    "9-line-of-sight": (
        "seen: 2",
        "target cy, at (21.5, 24.9), seen yes",
        "cover heavy, distance_in 18.9",
        "rocks",
        "Between Sniper (sal) and Recruit (eli): reactor and barricade",
        "Sniper (sal) does not see Captain Dax (dax)",
    ),
    # f + 4 > d + 7 for 136 of 400 pairs of dice, and a 20 hits the 3 faces more that are no 20. Dax and Mira, Fen, Jun
    # and Hal are out of sight or farther than 24 inches.
    "10-targets": (
        "targets: bo, cy, eli, gus, ivo, prowler-1, ravaged-1, ravaged-2",
        "id heavy-cover, value 4",
        "hits 139/400",
        "Intervening Terrain: +2 to the combat roll of Recruit (eli)",
    ),
    # 18 + 4 = 22 against 6 + 3 + 4 = 13; 22 - 11 = 11 of 14, and 4 are enough to stun.
    "11-shoot": ("hits: 1", "damage: 11", "stunned: 1", "remaining: 3", "18 + 4 = 22", "6 + 7 = 13"),
    # 10 and 2 by exertion reach 10 + 2 for a first mate; 16 + 5 less Armour 10 without the 1 that is worn: all of 12.
    "12-power": ("number: 12", "exertion: 2", "strain: 1", "health: 12", "Armour 9", "damage: 12", "out: figure gus"),
    # 7 + 1 for Will + 6 for the deck = 14 of 14.
    "13-loot": ("success: yes", "unlocked: yes", "7 + 7 = 14 against 14"),
    # 6 + 3 + 2 - 1 = 10, short of 12 by 2: from (3, 12) two inches to three o'clock. Una is just 1.5 inches off.
    # Una: 4 + 3 against 10 + 2. Vik: 14 + 3 against 5 + 2, and 17 - 9 = 8.
    "14-grenade": (
        "landed: scattered",
        "bonus: 4",
        "at (5.0, 12.0)",
        "declared una, target una",
        "declared vik, target vik",
        "hits: 1",
        "damage: 8",
        "stunned: 1",
    ),
    # From (18, 13.5) to Bo 5.197 inches less the bases; 16 + 2 = 18 against 8 + 2; 18 - 11 = 7, which is all Bo has.
    "15-behaviour": (
        "steps: 1, 2",
        "advances on Trooper (bo), the closest",
        "4.197 inches",
        "rolls 16 + 2 = 18",
        "damage: 7",
        "felled: 1",
        "out: bo",
    ),
    # A soldier's 5 to 8: half of 12.
    "16-survival": ("result: Badly Wounded", "dead: no", "next_health: 6"),
}


@pytest.mark.parametrize("path", STORIES[1].queries, ids=named)
def test_what_is_ruled_in_the_story_of_stargrave_follows_from_the_text(path: Path) -> None:
    _, ruling = STORIES[1].ruled(path)
    said = "\n".join(rendering_text.ruling(ruling))
    for words in STARGRAVE[path.stem]:
        assert words in said, (words, said)


def test_the_story_of_stargrave_is_played_on_the_table_with_figures_moved_up() -> None:
    table, opening = (json.loads((STORIES[1].folder / name).read_bytes()) for name in ("table.json", "fifth-turn.json"))
    for scene in (table, opening):
        for figure in scene["figures"]:
            del figure["at"]
    assert opening == {**table, "turn": {"number": 5}}
    assert len(table["board"]["pieces"]) >= 12
    crews = [figure.get("crew") for figure in table["figures"]]
    assert (crews.count("red"), crews.count("blue"), crews.count(None)) == (10, 10, 3)


# Rapture: cards, places and dice.

RAPTURE = {
    # Lantern bearer 4, ferrywoman 3, hand 1, guard 1 and runners 2 against 2 + 1 + 1 + 2 + 2; mo is beyond the middle.
    "1-preparation": ("order: blue, red", "is 11", "is 8", "victory_points: 8, 6", "ascended: none"),
    "2-activation": ("side: blue", "units: ada, fay, gus, rob", "active: rob"),
    # (50.5, 34) is 1.5 and 2 cm aside of both (52, 32) and (52, 36): 2.5 cm, which is two halves of 2.5.
    "3-path": ("A choice is missing", "red decides 'ivo: before contact'", "countershot   Countershot: 2 RP, 0 left"),
    # MMS 5 and 1 more: 6+, and one of two dice; runners have no DEF. All three models go 12.5 cm.
    "4-path": (
        "countershots:",
        "by ivo, at rob, hits 1, blocks 0, wounds 1",
        "hits on 6+",
        "length_cm: 12.5",
        "arrived: yes",
        "touches: ivo, lee",
        "pays 2 RP and has 2 AP and 0 RP left",
        "lee) has no ranged weapon",
    ),
    "5-attack": ("red decides 'lee: before the hit roll'", "dodge   Dodge: 1 RP, 2 left", "3 RP left: no reaction"),
    # Two of four dice show 4 or more: ATT 3 - 2 = 1.
    "6-attack": (
        "red decides 'lee: after the attack'",
        "has ATT 1 instead of 3",
        "counterblow   Counterblow: 2 RP, 0 left",
    ),
    # CCS 4 and 1 more: 5+; one dodge leaves ATT 2, of which one hits.
    "7-attack": (
        "dodged: 2",
        "wounds: 1",
        "counterblow: yes",
        "wounds_back: 1",
        "hits on 5+",
        "has ATT 2 instead of 3",
        "target_hp: 2",
        "attacker_hp: 1",
        "target_rp: 0",
        "attacker_rp: 2",
    ),
    "8-end": ("turn: red",),
    # From (64, 52) to (44, 54) 20.100 less 2.5; 5 and 6 hit, DEF 1 + 1 at 4+: 4 blocks, 2 does not.
    "9-shoot": ("distance_cm: 17.6", "sheltered: yes", "hits: 2", "blocks: 1", "wounds: 1", "target_rp: 1"),
    "10-end": ("turn: blue",),
    # The last of three MP says Escape. From x = 42 eastward by all 18 cm of MOV.
    "11-ability": ("success: yes", "escaping: mo", "models ((60.0, 82.0), (60.0, 85.0), (60.0, 88.0))"),
    "12-end": ("turn: red",),
    # From (63, 78) to (60, 82) 5 cm less 2 and 1.25: 1.75 along (-0.6, 0.8).
    "13-rescue": ("saved: yes", "mp_left: 1", "length_cm: 1.75", "- 61.95, 79.4"),
    "14-end": ("turn: blue",),
    # gus holds the landing, rob the bell: 4 points each. Nobody is at the boat.
    "15-cleanup": ("phase: preparation", "round: 4", "victory_points: 16, 6", "8 victory points for 2"),
    # A ferry hand costs 7.
    "16-victory": (
        "over: no",
        "side blue, eliminated 0, bonus 0, missions 16, total 16",
        "side red, eliminated 7, bonus 0, missions 6, total 13",
        "winner: blue",
    ),
}


@pytest.mark.parametrize("path", STORIES[2].queries, ids=named)
def test_what_is_ruled_in_the_story_of_rapture_follows_from_the_text(path: Path) -> None:
    _, ruling = STORIES[2].ruled(path)
    said = "\n".join(rendering_text.ruling(ruling))
    for words in RAPTURE[path.stem]:
        assert words in said, (words, said)


def test_what_best_play_makes_of_the_attack_in_the_story_of_rapture_is_what_counting_gives() -> None:
    # rob has 2 HP and 3 MP left, lee 3 and 3; who loses all HP loses the MP, too. With n dice at 5+ rob loses so much:
    lost = {0: Fraction(0), 1: Fraction(1, 3), 2: Fraction(4 + 5, 9), 3: Fraction(12 + 7 * 5, 27)}
    dodges = {0: Fraction(1, 16), 1: Fraction(4, 16), 2: Fraction(6, 16), 3: Fraction(4, 16), 4: Fraction(1, 16)}
    back = sum((mass * lost[max(0, 3 - done)] for done, mass in dodges.items()), Fraction(0))
    # And lee with n dice at 4+, who strikes back as long as there is an HP left.
    hits = {
        0: (Fraction(1),),
        1: (Fraction(1, 2), Fraction(1, 2)),
        2: (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)),
        3: (Fraction(1, 8), Fraction(3, 8), Fraction(3, 8), Fraction(1, 8)),
    }
    worth = {
        dice: sum((mass * ((back if h < 3 else 0) - (0, 1, 2, 6)[h]) for h, mass in enumerate(found)), Fraction(0))
        for dice, found in hits.items()
    }
    dodged = sum((mass * worth[max(0, 3 - done)] for done, mass in dodges.items()), Fraction(0))
    body = (STORIES[2].folder / "best-attack.json").read_bytes()
    question = game("rapture").question("attack")
    odds = game("rapture").odds("attack", codec.decode(odds_type(question), body), 20_000)
    said = "\n".join(rendering_text.odds(odds))
    assert back < lost[3]
    assert dodged > worth[3]
    for words in (
        f"worth to red: {float(dodged):.4g} ({dodged})",
        f"none: {float(worth[3]):.4g} ({worth[3]})",
        f"* dodge: {float(dodged):.4g} ({dodged})",
        f"* dodge: {float(-back):.4g} ({-back})",
    ):
        assert words in said, (words, said)


def test_the_story_of_rapture_is_played_on_the_table_with_units_moved_up() -> None:
    table, opening = (
        json.loads((STORIES[2].folder / name).read_bytes()) for name in ("table.json", "third-round.json")
    )
    assert opening["board"] == table["board"]
    assert opening["objectives"] == table["objectives"]
    cards = [[(unit["id"], unit["side"], unit["profile"]) for unit in scene["units"]] for scene in (table, opening)]
    assert cards[0] == cards[1]
    assert (table["board"]["width_cm"], table["board"]["depth_cm"]) == (90, 90)
    assert len(table["board"]["pieces"]) >= 10
    points = {row["id"]: row["points"] for row in load_yaml(ROOT / "services/rapture/data/profiles.yaml")}
    groups = {side: sum(points[card] for _, whose, card in cards[0] if whose == side) for side in ("blue", "red")}
    assert groups == {"blue": 100, "red": 96}


# WarLeague: cards, tiles and dice.

WARLEAGUE = {
    # A tag that was turned once is turned back; a shield of 2 that has 1 gets 1; what held ned by 2 AP lasts on.
    "1-update": (
        "phase: order",
        "rads: 0",
        "Rad tag on tile 9,6 shows its 1 again",
        "has 2",
        "cooldowns of Raider (ned)",
    ),
    "2-order": ("order: red, blue, wild", "turn: red", "red and blue tie and roll again: 6 and 3"),
    # Full magazines; two pistols at one target within 4 tiles, each alone or both: rex; a wall hides kit.
    "3-actions": (
        "open: attack, ability, item, swap, move, turn, end",
        "action attack, open yes, ways 3, ap 1",
        "The magazine of Slug Pistol is full",
        "Slug Pistol is not a melee weapon",
        "has nothing to pick up on tile 3,9",
        "ap: 6",
    ),
    "4-path": ("Dice are missing", "loot deck: card", "reveals the concealed ground on tile 4,9"),
    "5-path": ("at: 5, 8", "left: 4", "facing: 1", "Scrapper (ann) takes Blast Ram", "arrived: yes"),
    # From (6, 8) three tiles to the east is the hole. 1 of 4 health by the blow, and all by the fall.
    "6-ability": ("lands in the hole and dies", "fallen: rex", "damage: 4", "is lost", "left: 2"),
    # Critical is 3 and 3 against 2 armor and 3 health.
    "7-attack": (
        "Dice 2 and 6: the higher one counts for both weapons",
        "intensity: critical",
        "amounts: 3, 3",
        "damage: 5",
        "fallen: kit",
        "is placed on tile 7,10 with the 2 up",
        "attacker_ap: 0",
    ),
    "8-end": ("turn: blue",),
    # 2 AP and 1 more; 4 is high: 3 of 4 health. The crate is next to (6, 7), the keg's 4 kill, column-1 is next to it.
    "9-grenade": (
        "paid: 3",
        "left: 2",
        "The crate on tile 7,7 leaves the map",
        "Powder Keg on tile 7,7 goes off",
        "fallen: mia",
        "destroys the column-1 on tile 8,6",
        "is placed on tile 6,7 with the 1 up",
    ),
    # 3 + 1 against the shield, which takes 2 of the 3; 1 goes on, and 1 less against armor is nothing.
    "10-attack": (
        "intensity: high",
        "4 damage instead of 3",
        "loses 2 tags and has 0",
        "1 damage gets past the energy shield",
        "0 damage instead of 1",
        "has 2 armor left",
        "damage: 2",
        "flanked: no",
    ),
    "11-end": ("turn: wild",),
    # 4 is high: 3. A bite parries its lowest, 1.
    "12-behaviour": ("blue decides 'lou: parry'", "takes off 1 of 3 damage", "follows its pattern with 2 AP"),
    # 3 - 1 = 2, and low is 2: 2 - 1 = 1.
    "13-behaviour": (
        "damage 2",
        "damage 1",
        "2 damage, 1 parried",
        "Mandible (lou) has 1 health left",
        "Round 4 begins",
        "left: 0",
    ),
    # The tags of kit and mia are turned for the first time; what held ned is over.
    "14-update": ("phase: order", "round: 4", "rads: 2", "card snare", "tile 7,10 and tile 6,7"),
    "15-victory": ("lost: none", "playing: red, blue"),
}


@pytest.mark.parametrize("path", STORIES[3].queries, ids=named)
def test_what_is_ruled_in_the_story_of_warleague_follows_from_the_text(path: Path) -> None:
    _, ruling = STORIES[3].ruled(path)
    said = "\n".join(rendering_text.ruling(ruling))
    for words in WARLEAGUE[path.stem]:
        assert words in said, (words, said)


def test_the_odds_of_the_attack_in_the_story_of_warleague_are_those_of_two_dice() -> None:
    # Only critical damage kills, 3 and 3 against 5: unless both dice show 4 or less, four of six each.
    body = (STORIES[3].folder / "odds-attack.json").read_bytes()
    assert json.loads(body)["case"] == json.loads((STORIES[3].folder / "7-attack.json").read_bytes())["case"]
    odds = game("warleague").odds("attack", codec.decode(odds_type(game("warleague").question("attack")), body), 20_000)
    chances = {chance.answer.fallen: Fraction(0) for chance in odds.outcomes}
    for chance in odds.outcomes:
        chances[chance.answer.fallen] += Fraction(chance.mass)
    assert chances == {("kit",): 1 - Fraction(4, 6) ** 2, (): Fraction(4, 6) ** 2}


def test_the_story_of_warleague_is_played_on_the_table_with_units_moved_up() -> None:
    table, opening = (
        json.loads((STORIES[3].folder / name).read_bytes()) for name in ("table.json", "third-round.json")
    )
    board = table["board"]
    assert opening["board"] == board
    assert opening["obstacles"] == table["obstacles"]
    assert all(each in table[name] for name in ("crates", "concealed") for each in opening[name])
    cards = [[(unit["id"], unit["side"], unit["profile"]) for unit in scene["units"]] for scene in (table, opening)]
    assert cards[0] == cards[1]
    assert board["columns"] * board["rows"] >= 300
    assert len(table["obstacles"]) >= 12
    assert min(len(table["crates"]), len(table["concealed"]), len(board["killing"])) >= 3


# Size Skirmish: cards, places, sizes and dice.

SIZE_SKIRMISH = {
    # Captains have morale 5 on both sides.
    "1-initiative": ("starts: watch", "watch, initiative: 4 + 5 = 9", "wharf, initiative: 3 + 5 = 8"),
    # From (8, 30) to (27.5, 27) the root of 389.25; beyond 18 one of three dice less. M at S: 5 and more, 3 and more.
    "2-shoot": (
        "19.729 inches",
        "\N{MINUS SIGN}1 to the number of attack dice",
        "hit roll: 2d6 on 5+, successes 1: 5",
        "damage roll: 1d6 on 3+, successes 1: 4",
        "Defence dice (2) negate 0",
        "(lil) loses 1 hit point; hit points left: 2",
    ),
    "3-turn": ("turn: wharf", "left: kat, wes, abe, lil, nib, orm, yan"),
    "4-attack": ("A choice is missing", "watch decides 'gus: reaction'", "change-weapon:guard-sword", "block"),
    # The bolt: 5 and 4 hit, 4 is negated by 4. Then 6, 5, 4 and the extra 4 hit, three do damage, and 3 and 2 negate
    # none: 3 of 4 hit points. Three successes are needed, there are two: westward by 5 + 2, from 11 to 4.
    "5-attack": (
        "damage: 3",
        "Quay Guard (gus) shoots at Bell Captain (kat), who loses 0 hit points",
        "The Crossbow must be reloaded",
        "has lost 3 of 4 hit points",
        "morale test: successes 2, needed 3: failed",
        "moved: model kat, at (12.0, 17.0)",
        "flees: model gus, direction (-1, 0), cause kat",
        "at (4.0, 17.0)",
    ),
    "6-turn": ("turn: watch",),
    # 5 and 4 against 4, 3 and 2: the 4 is negated. Back 5 and 4 against 6, 5, 2 and an extra 2: both are.
    "7-attack": (
        "by oda, against orm, kind melee, behind no, damage 1",
        "by orm, against oda, kind melee, behind no, damage 0",
        "(orm) strikes in the exchange of blows",
        "negate 1 of the damage dice (5, 4)",
        "negate 2 of the damage dice (5, 4)",
    ),
    "8-turn": ("turn: wharf", "left: wes, abe, lil, nib, yan"),
    # 4 and the 3 that is rolled.
    "9-pursue": ("distance: 7.0", "leads towards Quay Guard (gus)", "chooses the way of its pursuit"),
    "10-turn": ("turn: watch", "cap, dun, tik, gog"),
    # The stage ends half an inch east of the archer; 2.5 deep are two dice, M at M on 4 and more.
    "11-push": (
        "distance: 3.0",
        "at: 27.0, 24.0",
        "height_above: 0.0",
        "falls 2.5",
        "Fall of 2.5: 2d6 attack",
        "damage: 2",
        "morale test: successes 2, needed 2: passed",
    ),
    "12-turn": ("turn: wharf", "left: abe, lil, nib, yan"),
    # Half of 6, for crates of 1.5.
    "13-climb": ("distance: 3.0", "at: 34.625, 21.0", "height_above: 1.5"),
    "14-round-end": ("markers_removed: yes", "the NPC phase of round 3 begins"),
    # 19.11: the root of 0.25 and 361 and 4, for the wall is 2 high. M at XL: 2 and more, 6 and more.
    "15-npc": (
        "The scenario decides for",
        "19.112 inches",
        "hit roll: 2d6 on 2+",
        "d6 on 6+, successes 1: 6",
        "(yan) loses 1 hit point; hit points left: 11",
        "left: mia, moe, ned, rex",
    ),
    "16-npc": ("at (23.0, 27.0)", "turn: wharf", "left: moe, ned, rex", "watch has moved 0 of 2 NPCs"),
}


@pytest.mark.parametrize("path", STORIES[4].queries, ids=named)
def test_what_is_ruled_in_the_story_of_size_skirmish_follows_from_the_text(path: Path) -> None:
    _, ruling = STORIES[4].ruled(path)
    said = "\n".join(rendering_text.ruling(ruling))
    for words in SIZE_SKIRMISH[path.stem]:
        assert words in said, (words, said)


def test_the_story_of_size_skirmish_is_played_on_the_table_with_models_moved_up() -> None:
    table, opening = (
        json.loads((STORIES[4].folder / name).read_bytes()) for name in ("table.json", "third-round.json")
    )
    assert opening["board"] == table["board"]
    assert (table["board"]["width"], table["board"]["depth"]) == (48, 48)
    assert len(table["board"]["pieces"]) >= 12
    assert sum(piece.get("climbable", False) for piece in table["board"]["pieces"]) >= 5
    cards = [[(row["id"], row["side"], row["profile"]) for row in scene["models"]] for scene in (table, opening)]
    assert cards[0] == cards[1]
    sizes = {row["id"]: row["size"] for row in load_yaml(ROOT / "services/size_skirmish/data/profiles.yaml")}
    assert {sizes[card] for _, whose, card in cards[0] if whose != "npc"} == {"XS", "S", "M", "L", "XL"}
    assert {row.get("npc") for row in table["models"]} == {None, "passive", "active", "scenario"}
