"""The page on security names every file of attacks, says what is tried there, and what comes of it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<attack>[^|]+) \| (?P<what>[^|]+) \| (?P<outcome>[^|]+) \| `(?P<file>[^`]+)` \|$", re.MULTILINE
)
ROWS = {row["file"]: row for row in ROW.finditer(PAGE)}


def test_every_row_is_read_and_names_a_test() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(lines) == len(ROWS) + 2, "a row that is not read would not be checked either"
    assert [file for file in ROWS if not (ROOT / file).is_file()] == []


def test_the_page_forgets_no_attack() -> None:
    # What draws requests at random is told of below the table.
    there = {
        str(path.relative_to(ROOT))
        for pattern in ("attacks/test_*.py", "test_poisoned*.py")
        for path in (ROOT / "tests").rglob(pattern)
        if path.name != "test_fuzz.py"
    }
    assert there <= ROWS.keys()


def test_every_row_says_what_comes_of_it() -> None:
    for row in ROWS.values():
        assert len(row["what"]) > 20
        assert len(row["outcome"]) > 5
