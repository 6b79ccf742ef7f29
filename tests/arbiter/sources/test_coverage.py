"""The coverage matrix that `make sources` prints."""

import pytest

from arbiter.sources.coverage import coverage, main, matrix, rows
from services._template.arbiter import ARBITER


def test_each_unit_has_its_rules_its_rows_and_its_examples() -> None:
    covered = {each.unit.id: each for each in coverage(ARBITER)}
    assert list(covered) == list(ARBITER.ledger.units)
    dodge_once = covered["shooting/dodge-once"]
    assert dodge_once.rules == ("shooting.dodge",)
    assert "Who has tried to dodge this round cannot try again" in dodge_once.examples
    assert "A marksman survives its first wound" not in dodge_once.examples
    assert covered["turn/move-then-shoot"].rules == ("turn.move_first", "turn.then_shoot")
    assert covered["fighters/profile"].rows == tuple(f"data/fighters/{id_}" for id_ in ("scout", "marksman", "gunner"))
    assert len(covered["shooting/example"].examples) == 1
    assert covered["sight/fog"].rules == covered["sight/fog"].examples == ()


def test_the_matrix_is_to_be_read() -> None:
    lines = matrix(ARBITER).splitlines()
    assert lines[0] == "Template Skirmish, edition invented-1: 21 ruled, 1 data, 2 excused, 1 open"
    assert any(line.split()[:2] == ["open", "sight/fog"] for line in lines)
    assert any("introduction/setting" in line and "Flavour" in line for line in lines)
    assert max(len(line) for line in lines) < 200


def test_rows_of_data_have_their_table_and_place() -> None:
    assert [(row.name, row.place, row.cites) for row in rows(ARBITER)][:1] == [
        ("data/fighters/scout", 1, ("fighters/profile",))
    ]


def test_the_command_prints_what_is_asked_and_refuses_what_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["services._template"]) == 0
    assert "shooting/dodge-once" in capsys.readouterr().out
    assert main(["services.nothing"]) == 2
    assert "services.nothing" in capsys.readouterr().err
