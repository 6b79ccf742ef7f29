"""Mechanical sentences of every text, asked at a table of wood: right answer, right reason, right citation.

Each row is a sentence in our own words, a question in short form, what the answer must hold, a piece of a reason or
finding, and the unit of the text it must rest on. The numbers are worked out by hand from the text and the cards.
"""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec
import pytest

from arbiter.asking.short_forms import case_of, forms_of, plain
from arbiter.json import to_builtins
from arbiter.question import Ask
from arbiter.registry import game, games
from arbiter.ruling import Ruling


class Sentence(NamedTuple):
    """A sentence of a text, with the question that tries it."""

    says: str
    question: str
    asked: str
    expected: dict[str, Any]
    reason: str
    cites: str


# A recruit has Shoot +2 and Armour 10, a trooper Fight +2, Armour 11 and Health 14.
SHOT = "shooter=recruit:carbine&target=trooper&assume=usual&range_in=8"
STARGRAVE = (
    Sentence(
        "A shot that only equals the combat roll misses: 12 + 2 against 12 + 2.",
        "shoot",
        f"{SHOT}&dice:shooter: shooting=12&dice:target: combat=12",
        {"hits": 0},
        "",
        "shooting/tie",
    ),
    Sentence(
        "Armour is subtracted: 15 + 2 beats 13 + 2, and 17 less 11 leaves 6; four points or more stun.",
        "shoot",
        f"{SHOT}&dice:shooter: shooting=15&dice:target: combat=13",
        {"hits": 1, "damage": 6, "stunned": 1},
        "6 damage stuns",
        "shooting/stunned",
    ),
    Sentence(
        "Light cover adds 2 to the combat roll: now 17 meets 17.",
        "shoot",
        f"{SHOT}&cover=light&dice:shooter: shooting=15&dice:target: combat=13",
        {"hits": 0},
        "+2 to the combat roll",
        "shooting-modifiers/light-cover-solid",
    ),
    Sentence(
        "Every piece of terrain between adds 1: with two of them 17 meets 17.",
        "shoot",
        f"{SHOT}&between=2&dice:shooter: shooting=15&dice:target: combat=13",
        {"hits": 0},
        "terrain",
        "shooting-modifiers/intervening",
    ),
    Sentence(
        "A grenade needs 12: 9, 2 for Shoot and 2 for a point in sight make 13.",
        "grenade",
        "thrower=recruit:grenades&target=trooper&in_blast=none&assume=usual&dice:thrower: grenade=9",
        {"landed": "on the point"},
        "in line of sight: +2",
        "grenades/in-sight",
    ),
    Sentence(
        "A pistol reaches 10 inches and no further.",
        "shoot",
        "shooter=recruit:pistol&target=trooper&assume=usual&range_in=10.5",
        {},
        "10",
        "shooting/range",
    ),
)

# Pistol and rapier roll a d8 to range 3; a Guardsman has 2 Wounds.
DRAIK = "attacker=janus-draik:pistol-and-rapier&target=traitor-guardsman&assume=usual&range=3"
GUARD = "hostile=traitor-guardsman&explorer=janus-draik&assume=usual"
BLACKSTONE = (
    Sentence(
        "In cover a success is a failure.",
        "attack",
        f"{DRAIK}&cover=yes&dice:attacker: attack=success",
        {"damage": 0, "felled": False},
        "",
        "cover/downgrade",
    ),
    Sentence(
        "In cover a critical success is a success: one wound.",
        "attack",
        f"{DRAIK}&cover=yes&dice:attacker: attack=critical",
        {"damage": 1, "wounds": 1, "grievous": 0},
        "",
        "cover/downgrade",
    ),
    Sentence(
        "A critical success is a grievous wound, which is 3 points: more than the 2 of the Guardsman.",
        "attack",
        f"{DRAIK}&dice:attacker: attack=critical",
        {"damage": 3, "felled": True},
        "",
        "attack-roll/critical",
    ),
    Sentence(
        "A defence roll that succeeds negates a wound.",
        "wounds",
        "unit=janus-draik&wounds=1&dice:unit: defence=success",
        {"wounds": 0},
        "negated",
        "defence/success",
    ),
    Sentence(
        "Inspiration comes with a roll of at most the Wounds slain: 2 is enough for a Guardsman.",
        "inspiration",
        "explorer=janus-draik&hostile=traitor-guardsman&dice:explorer: inspiration=2",
        {"gained": True},
        "2 Wounds",
        "inspiration/roll",
    ),
    Sentence(
        "And 3 is not.",
        "inspiration",
        "explorer=janus-draik&hostile=traitor-guardsman&dice:explorer: inspiration=3",
        {"gained": False},
        "exceeds",
        "inspiration/roll",
    ),
    Sentence(
        "Two or three hexes to the closest explorer in sight is close.",
        "behaviour",
        f"{GUARD}&range=2&route=2&dice:hostile: behaviour=9",
        {"column": "close"},
        "CLOSE",
        "behaviour/close",
    ),
    Sentence(
        "Who sees no explorer is hidden.",
        "behaviour",
        f"{GUARD}&sees=no&range=2&route=2&dice:hostile: behaviour=9",
        {"column": "hidden"},
        "HIDDEN",
        "behaviour/hidden",
    ),
    Sentence(
        "The column for cover is for a lasgun alone, and for cover from everybody in sight.",
        "behaviour",
        f"{GUARD.replace('guardsman', 'guardsman:lasgun')}&cover=yes&range=5&route=5&dice:hostile: behaviour=9",
        {"column": "in-cover"},
        "IN COVER",
        "behaviour/in-cover",
    ),
)

# The Lantern Bearer: ATT 3 with CCS 4, ROF 3 with MMS 4 to 40 cm. The Gate Breaker: ATT 4, CCS 3, TEC 1, DEF 3.
BEARER = "attacker=lantern-bearer&target=gate-breaker&contact=yes"
SHOOTER = "shooter=lantern-bearer&target=gate-breaker&sees=yes"
RAPTURE = (
    Sentence(
        "Hits less blocks are the damage, and a block is 5 or more: two hits and one block.",
        "shoot",
        f"{SHOOTER}&range_cm=20&choose:target: before the hit roll=none"
        "&dice:shooter: hit=6,4,3&dice:target: block=5,4,1",
        {"hits": 2, "blocks": 1, "damage": 1},
        "",
        "attack/block-difficulty",
    ),
    Sentence(
        "A weapon reaches as far as its card says: 41 of 40 cm is too far.",
        "shoot",
        f"{SHOOTER}&range_cm=41",
        {"made": False},
        "",
        "attack/range",
    ),
    Sentence(
        "Each success of a dodge, 4 or more, takes a die off the attack: two are left.",
        "attack",
        f"{BEARER}&choose:target: before the hit roll=dodge&dice:target: dodge=4&dice:attacker: hit=1,1",
        {"damage": 0},
        "",
        "dodge/fewer-dice",
    ),
    Sentence(
        "A counterblow hits one worse: CCS 3 becomes 4, and a 3 is no hit.",
        "attack",
        f"{BEARER}&choose:target: before the hit roll=none&choose:target: after the attack=counterblow"
        "&choose:attacker: before the hit roll of the counterblow=none"
        "&dice:attacker: hit=1,1,1&dice:target: block=&dice:target: counterblow=3,3,3,3",
        {"fallen": []},
        "",
        "counterblow/harder",
    ),
    Sentence(
        "Only who is in contact is attacked in close combat.",
        "attack",
        BEARER.replace("contact=yes", "contact=no"),
        {},
        "contact",
        "basics/contact",
    ),
    Sentence(
        "The side with the highest combat value goes first: INI 4 before INI 2.",
        "combat-value",
        "unit=gate-breaker&enemy=lantern-bearer",
        {"first": "theirs"},
        "",
        "combat-value/first",
    ),
)

SIZE_BLOW = "attacker=pike-warden&target=quay-guard&assume=usual&reactions=[]"
SIZE = (
    Sentence(
        "Only who is in the half of the table in front is struck at.",
        "attack",
        f"{SIZE_BLOW}&in_front=no",
        {},
        "field of view",
        "melee/field-of-view",
    ),
    Sentence(
        "And only within weapon range.", "attack", f"{SIZE_BLOW}&in_reach=no", {}, "weapon range", "melee/weapon-range"
    ),
    Sentence(
        "A shot needs a true line of sight.",
        "shoot",
        "shooter=marsh-archer&target=quay-guard&reactions=[]&assume=usual&distance=8&sees=no",
        {},
        "line of sight",
        "ranged/announced",
    ),
    Sentence(
        "A fall of 3 is 3 dice of attack; M damages M on 4 or more, and defence of as much negates it: two hits, none.",
        "fall",
        "model=pike-warden&drop=3&dice:model: damage=5,4,1&dice:model: defence=3,3,2",
        {"damage": 2},
        "3d6",
        "move/fall-attack-dice",
    ),
    Sentence(
        "Who has lost no more than half its hit points does not test: two of four.",
        "morale",
        "model=pike-warden:2&lost_before=0",
        {"tested": False, "does": "stays"},
        "2 of 4",
        "morale/more-than-half",
    ),
    Sentence(
        "Who has lost more than half tests: three of four, and three dice of 4 or more pass.",
        "morale",
        "model=pike-warden:3&lost_before=1&dice:model: morale=4,4,5,2",
        {"tested": True, "does": "stays"},
        "more than half",
        "morale/more-than-half",
    ),
)

# A slug pistol does 3, 2 or 1 to range 4; the Marksman has 2 armor and 7 health, the Scrapper 4 and 8.
PISTOL = "attacker=scrapper&target=marksman&assume=usual"
WARLEAGUE = (
    Sentence(
        "A 5 or 6 is critical damage: 3, of which the armor takes 2.",
        "attack",
        f"{PISTOL}&distance=4&dice:attacker: intensity=5",
        {"intensity": "critical", "damage": 3},
        "armor",
        "intensity/critical",
    ),
    Sentence(
        "A 3 or 4 is high damage: 2.",
        "attack",
        f"{PISTOL}&distance=4&dice:attacker: intensity=4",
        {"intensity": "high", "damage": 2},
        "",
        "intensity/high",
    ),
    Sentence(
        "A 1 or 2 is low damage: 1.",
        "attack",
        f"{PISTOL}&distance=4&dice:attacker: intensity=2",
        {"intensity": "low", "damage": 1},
        "",
        "intensity/low",
    ),
    Sentence(
        "From behind it is critical without a die.",
        "attack",
        f"{PISTOL}&distance=4&behind=yes&dice=hand",
        {"intensity": "critical", "flanked": True, "damage": 3},
        "",
        "flanking/critical",
    ),
    Sentence(
        "Nobody shoots further than the range of the weapon.",
        "attack",
        f"{PISTOL}&distance=5",
        {},
        "range",
        "targeting/in-range",
    ),
    Sentence(
        "The direct method reaches adjacent tiles alone.",
        "attack",
        "attacker=raider&target=marksman&assume=usual&distance=2",
        {},
        "not next to",
        "targeting/direct",
    ),
    Sentence(
        "Armor takes damage before health: of 5 it takes 4.",
        "damage",
        "unit=scrapper&amount=5",
        {"taken": 5},
        "4 of 5",
        "damage/armor",
    ),
)

SENTENCES = {
    "stargrave": STARGRAVE,
    "blackstone-fortress": BLACKSTONE,
    "rapture": RAPTURE,
    "size-skirmish": SIZE,
    "warleague": WARLEAGUE,
}


def ruled(name: str, sentence: Sentence) -> Ruling[Any]:
    """Ask in short form, with dice and choices by their labels; dice that are not there are asked for."""
    arbiter = game(name)
    forms, parameters = forms_of(arbiter), dict(parse_qsl(sentence.asked))
    assert forms is not None
    hand = {
        label.partition(":")[2]: [plain(face) for face in faces.split(",")]
        for label, faces in parameters.items()
        if label.startswith("dice:")
    }
    choices = {label.partition(":")[2]: [option] for label, option in parameters.items() if label.startswith("choose:")}
    rest = {name: value for name, value in parameters.items() if name.partition(":")[0] not in ("dice", "choose")}
    case = case_of(arbiter, forms, sentence.question, rest)
    form: Any = Ask
    body = {"case": case, "dice": {"hand": hand}, "choices": choices}
    return arbiter.ask(
        sentence.question, msgspec.convert(body, form[arbiter.question(sentence.question).case]), seed=""
    )


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_of_the_text_hold_at_a_table(name: str) -> None:
    for sentence in SENTENCES[name]:
        ruling = ruled(name, sentence)
        assert ruling.needs is None or sentence.question == "grenade", (sentence.says, ruling.needs)
        answer = to_builtins(ruling.answer) or {}
        assert {key: answer.get(key) for key in sentence.expected} == sentence.expected, sentence.says
        assert ruling.allowed or not sentence.expected, (sentence.says, ruling.reasons)
        told = [*(reason.text for reason in ruling.reasons), *(finding.text for finding in ruling.findings)]
        assert any(sentence.reason in text for text in told), (sentence.says, told)
        cited = [citation.id for citation in ruling.citations]
        assert not sentence.cites or sentence.cites in cited, (sentence.says, cited)


def test_every_game_has_at_least_five_sentences_that_are_tried() -> None:
    assert set(SENTENCES) == set(games())
    assert all(len(sentences) >= 5 for sentences in SENTENCES.values())
