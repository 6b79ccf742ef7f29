"""The committed contract is the one that the registry of games gives."""

import os
import subprocess
import sys

from api.openapi.build import COMMAND, FILE
from cli.serve import ROOT


def test_openapi_yaml_is_up_to_date() -> None:
    # In a process of its own, in which the seed of hashes is another than here: the file may not depend on it.
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    check = [sys.executable, "-m", "api.openapi.build", "--check"]
    done = subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"write {FILE.name} anew: {COMMAND}"
