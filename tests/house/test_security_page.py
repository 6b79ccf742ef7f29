"""The page on security says how many attacks are tried, and with which outcome: as many as there are tests."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<attack>[^|]+) \| (?P<what>[^|]+) \| (?P<cases>\d+) \| (?P<outcome>[^|]+) \| `(?P<file>[^`]+)` \|$",
    re.MULTILINE,
)
ROWS = {row["file"]: row for row in ROW.finditer(PAGE)}


def collected(files: list[str]) -> Counter[str]:
    """Count the tests of each file as they would be run."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    counts = re.findall(r"^(\S+\.py): (\d+)$", done.stdout, re.MULTILINE)
    return Counter({file: int(count) for file, count in counts})


def test_the_page_claims_as_many_cases_as_there_are() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(lines) == len(ROWS) + 2, "a row that is not read would not be checked either"
    assert {file: int(row["cases"]) for file, row in ROWS.items()} == collected(list(ROWS))


def test_the_page_forgets_no_attack() -> None:
    there = {
        str(path.relative_to(ROOT))
        for pattern in ("test_attacks_*.py", "test_poisoned*.py")
        for path in (ROOT / "tests").rglob(pattern)
    }
    assert there <= ROWS.keys()


def test_every_row_says_what_comes_of_it() -> None:
    for row in ROWS.values():
        assert len(row["what"]) > 20
        assert len(row["outcome"]) > 5
