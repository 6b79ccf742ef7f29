"""The committed contract is the one that the registry of games gives, and no form of it is too large."""

import os
import subprocess
import sys

from api.openapi.build import FILE, Contract, file_of
from api.settings import Settings
from arbiter import registry
from upkeep.contract import COMMAND, ROOT

MOST_BYTES = {"root": 150_000, "game": 200_000, "contract of one game": 300_000}
"""The most that each form of the contract may have."""


def test_the_files_are_up_to_date() -> None:
    # In a process of its own, in which the seed of hashes is another than here: the files may not depend on it.
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    check = [sys.executable, "-m", "upkeep.contract", "--check"]
    done = subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"write {FILE} anew: {COMMAND}"


def test_no_form_of_it_outgrows_its_readers() -> None:
    games = registry.games()
    contract = Contract(games, Settings())
    assert (ROOT / FILE).stat().st_size <= MOST_BYTES["root"]
    for name in games:
        assert (ROOT / file_of(name)).stat().st_size <= MOST_BYTES["game"], name
        assert len(contract.of_game(name).as_json) <= MOST_BYTES["contract of one game"], name
