"""Powers, row by row: every number is carried out or told only; whom they are tried on, and what they leave behind."""

import pytest

from services.stargrave.arbiter import ARBITER
from tests.services.stargrave.asking import ask
from tests.services.stargrave.power_cases import CASES, FIXED, POWERS, ROWS, changed, instead, numbers, plain, ruled

# The rows


@pytest.mark.parametrize("power_id", ROWS)
def test_every_number_of_a_row_is_carried_out_or_told(power_id: str) -> None:
    """Where a number is changed a ruling comes out differently, unless the row says why it is told only."""
    cases = CASES.get(power_id) or (plain(power_id),)
    before = [ruled(case) for case in cases]
    outcome = ROWS[power_id]["told"]
    idle = []
    for name, table in numbers(power_id):
        if name in outcome or f"{power_id}.{name}" in FIXED:
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
