from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.question import Ask, AskOdds
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.questions import maps_threat
from services.blackstone_fortress.scene import Explorer
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import field_from
from tests.services.blackstone_fortress.tabletop import block, guard, janus, scene
from tests.services.blackstone_fortress.test_maps import ask, by_single_moves, corridor, put, skirmishes, standing

FACES = {"d6": "ffffsc", "d8": "ffffsscc", "d12": "ffffsssscccc"}


def best(dice: tuple[str, ...]) -> list[str]:
    """List the best result of every way that these dice can fall."""
    return [max(faces, key="fsc".index) for faces in product(*(FACES[die] for die in dice))]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def rolled(dice: tuple[str, ...], again: bool) -> list[str]:
    """List the best results of a roll, of which a failure is rolled once more if it may be."""
    first = best(dice)
    return [last for one in first for last in (first if one == "f" else [one] * len(first))] if again else first


def by_enumeration(
    dice: tuple[str, ...], in_cover: bool, reroll: bool, defence: tuple[str, ...], again: bool
) -> Fraction:
    """Give the expected damage of one attack by going through all faces of attack and defence."""

    def left(kind: str) -> Fraction:
        eased = {"w": {"f": 1, "s": 0, "c": 0}, "g": {"f": 3, "s": 1, "c": 0}}[kind]
        if not defence:
            return Fraction(eased["f"])
        return mean([Fraction(eased[result]) for result in rolled(defence, again)])

    worth = {"f": Fraction(0), "s": left("w"), "c": left("g")}
    lowered = {"f": "f", "s": "f", "c": "s"}
    return mean([worth[lowered[result] if in_cover else result] for result in rolled(dice, reroll)])


@settings(max_examples=cases(40))
@given(skirmishes(), st.data())
def test_a_map_agrees_row_by_row_with_lines_of_sight_and_single_moves(posted: dict[str, Any], data: Any) -> None:
    unit, start = standing(posted, data)
    answer = ask("threat-map", posted, unit, activations=3).answer
    reachable = by_single_moves(posted, unit, start, 3)
    assert {row.hex: (row.moves, row.hexes) for row in answer.rows} == reachable
    assert [(row.moves, row.hexes, row.hex) for row in answer.rows] == sorted(
        (row.moves, row.hexes, row.hex) for row in answer.rows
    )
    assert answer.unreached == len(posted["board"]["hexes"]) - len(reachable)
    for number, enemy in enumerate(answer.enemies):
        lines = ARBITER.ask(
            "line-of-sight",
            msgspec.convert(
                {"case": {"scene": posted, "observer": enemy, "targets": list(reachable)}},
                Ask[ARBITER.question("line-of-sight").case],
            ),
            seed="test",
        ).answer.lines
        seen = {line.hex: line for line in lines}
        for row in answer.rows:
            assert (number in row.seen_by) == seen[row.hex].visible
            assert (number in row.in_cover_from) == bool(seen[row.hex].in_cover)


@settings(max_examples=cases(40))
@given(skirmishes(), st.integers(1, 6), st.data())
def test_strikes_are_those_that_targets_would_offer_were_the_unit_there(
    posted: dict[str, Any], die: int, data: Any
) -> None:
    unit, _ = standing(posted, data)
    answer = ask("threat-map", posted, unit, activations=3, die=die).answer
    for row in answer.rows:
        there = put(posted, unit, row.hex)
        given_ = {answer.strikes[index].target: answer.strikes[index] for index in row.given}
        taken = {answer.strikes[index].attacker: answer.strikes[index] for index in row.taken}
        assert len(given_) == len(row.given)
        assert len(taken) == len(row.taken)
        for enemy in answer.enemies:
            _assert_offered(there, unit, enemy, die, given_.get(enemy))
            _assert_offered(there, enemy, unit, die, taken.get(enemy))
        assert Fraction(row.expected_taken) == sum(Fraction(answer.strikes[index].expected) for index in row.taken)
        assert Fraction(row.best_given) == max((Fraction(answer.strikes[i].expected) for i in row.given), default=0)
        assert row.taken_about == pytest.approx(float(Fraction(row.expected_taken)))


def _assert_offered(there: dict[str, Any], attacker: str, target: str, die: int, strike: Any) -> None:
    """Hold one strike to what `targets` says of every weapon, and its damage to going through all faces."""
    field = field_from(there)
    offered: dict[str, tuple[Fraction, int, Any]] = {}
    for weapon in ARBITER.ask(
        "targets",
        msgspec.convert({"case": {"scene": there, "attacker": attacker}}, Ask[ARBITER.question("targets").case]),
        seed="test",
    ).answer.weapons:
        for aim in weapon.eligible:
            counts = [volley.attacks for volley in aim.volleys if volley.cost <= die]
            count = max(counts, default=0 if aim.volleys else 1)
            if aim.target == target and count:
                # With a die of 4 or more the rifle is aimed and failures are rolled again; `targets` knows no die.
                steady = (weapon.action or weapon.weapon) == "ranger-long-rifle" and die >= 4
                defence, again = (), False
                if isinstance(field.units[target], Explorer):
                    defence = field.side(field.explorer(target)).defence
                    again = target == "ur-025"
                offered[weapon.action or weapon.weapon] = (
                    by_enumeration(aim.dice, aim.in_cover and not steady, steady, defence, again) * count,
                    count,
                    aim.dice,
                )
    if strike is None:
        assert offered == {}
        return
    assert Fraction(strike.expected) == max(worth for worth, _, _ in offered.values())
    assert (Fraction(strike.expected), strike.attacks, strike.dice) == offered[strike.by]
    assert strike.about == pytest.approx(float(Fraction(strike.expected)))


def test_an_adjacent_enemy_keeps_the_unit_from_attacking_the_other() -> None:
    # In (2, 0) and (1, 1) Draik stands beside one of the Guardsmen only; in (2, 1) he is between both.
    posted = scene([janus([0, 1])], [guard("near", [3, 0]), guard("far", [5, 0])])
    answer = ask("threat-map", posted, "janus", activations=2).answer
    rows = {row.hex: row for row in answer.rows}
    assert [answer.strikes[index].target for index in rows[2, 0].given] == ["near"]
    assert [answer.strikes[index].target for index in rows[1, 0].given] == ["near", "far"]
    assert rows[2, 0].best_given == "3"


@pytest.mark.parametrize(
    ("die", "damage", "by"),
    [(6, "3", "flurry-of-attacks"), (4, "2", "flurry-of-attacks"), (1, "1", "pistol-and-rapier")],
)
def test_the_die_decides_how_many_attacks_an_explorer_makes(die: int, damage: str, by: str) -> None:
    answer = ask("threat-map", corridor(4, [guard("foe", [3, 0])]), "janus", die=die).answer
    beside = next(row for row in answer.rows if row.hex == (2, 0))
    (strike,) = [answer.strikes[index] for index in beside.given]
    assert (strike.expected, strike.by) == (damage, by)


@pytest.mark.parametrize("taken", [True, False])
def test_a_strike_is_worth_what_the_law_of_its_attack_is(taken: bool) -> None:
    posted = corridor(6)
    posted["hostiles"] = [{"id": "mallex", "group": "foes", "profile": "obsidius-mallex", "hex": [5, 0]}]
    posted["board"]["cover"] = [[[3, 0], [4, 0]]]
    answer = ask("threat-map", posted, "janus", die=1).answer
    for row in answer.rows:
        for index in row.taken if taken else row.given:
            strike = answer.strikes[index]
            how = {"weapon": strike.by} if taken else {"action": strike.by, "cost": 1, "die": "free"}
            case = {
                "scene": put(posted, "janus", row.hex),
                "attacker": strike.attacker,
                "targets": [strike.target],
                **how,
            }
            body = {"case": case, "policies": {"*": "first"}}
            law = ARBITER.odds("attack", msgspec.convert(body, AskOdds[ARBITER.question("attack").case]), 20_000)
            (damage,) = [marginal for marginal in law.marginals if marginal.field == "damage"]
            assert sum(Fraction(one.mass) * one.answer for one in damage.values) == Fraction(strike.expected)


def test_rows_are_cut_off_and_counted() -> None:
    posted = scene([janus([0, 0])], [])
    answer = ask("threat-map", posted, "janus", rows=7).answer
    assert len(answer.rows) == 7
    assert answer.left_out == len(block()) - 7
    assert (answer.enemies, answer.strikes, answer.detailed_hex, answer.unreached) == ((), (), None, 0)


def test_what_the_findings_go_through_is_the_most_dangerous_hex() -> None:
    ruling = ask("threat-map", corridor(7, [guard("foe", [6, 0])]), "janus")
    assert ruling.answer.detailed_hex == min(row.hex for row in ruling.answer.rows if row.expected_taken == "9/16")
    rules = {finding.rule for finding in ruling.findings}
    assert {"attacks.target_visible", "attacks.dice_at", "outlook.sightlines", "marches.reached"} <= rules
    cited = {unit for finding in ruling.findings for unit in finding.cites}
    assert {"attack/visible-target", "attack-roll/dice-by-range", "range/count-hexes"} <= cited


def test_an_explorer_has_no_more_moves_than_dice() -> None:
    assert ask("threat-map", corridor(7), "janus", moves_per_activation=6).answer.rows[-1].activations == 1
    with pytest.raises(Faults, match="7 dice"):
        ask("threat-map", corridor(7), "janus", moves_per_activation=7)


def test_more_enemies_are_estimated_to_take_longer() -> None:
    def estimate(hostiles: int) -> float:
        posted = corridor(9, [guard(f"foe-{index}", [8 - index, 0]) for index in range(hostiles)])
        wanted = maps_threat.ThreatMapCase
        return maps_threat.cost(maps_threat.prepare(msgspec.convert({"scene": posted, "unit": "janus"}, wanted)))

    assert 0 < estimate(0) < estimate(1) < estimate(5)
