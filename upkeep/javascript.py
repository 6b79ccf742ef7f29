"""The types of the pages' modules, by JSDoc: `python -m upkeep.javascript` runs TypeScript's checker over them.

TypeScript comes with the programs that the contract is tested with, `tests/api/openapi/generators/package-lock.json`,
into the folder `build/`, once for each state of that file. Without Node nothing is checked, and this says so.
"""

import fcntl
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
PINNED = tuple(
    ROOT / "tests" / "api" / "openapi" / "generators" / name for name in ("package.json", "package-lock.json")
)
PROJECT = ROOT / "api" / "web" / "static" / "tsconfig.json"


class NoPrograms(Exception):
    """The programs of Node cannot be had; its text says why."""


def programs() -> Path:
    """Give the folder of the programs of Node, and install them if they are not there; raises `NoPrograms`."""
    npm = shutil.which("npm")
    if npm is None:
        raise NoPrograms("npm is missing: install Node 20 or newer")
    state = sha256(b"".join(file.read_bytes() for file in PINNED)).hexdigest()[:16]
    folder = ROOT / "build" / f"generators-{state}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            for file in PINNED:
                shutil.copy(file, folder)
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
            if done.returncode:
                raise NoPrograms(f"no registry of npm answers: {done.stderr}")
            (folder / "ready").touch()
    return folder / "node_modules" / ".bin"


def check(programs: Path, project: Path = PROJECT) -> str:
    """Give what the checker finds wrong with a project's types: nothing, where all is well."""
    done = subprocess.run(
        [programs / "tsc", "--project", project], capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout + done.stderr


def main() -> int:
    """Check the types; give the exit code."""
    try:
        folder = programs()
    except NoPrograms as missing:
        print(f"The types of the pages' modules are not checked: {missing}")
        return 0
    if found := check(folder):
        print(found)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
