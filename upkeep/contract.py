"""Write the contract from the registry: `python -m upkeep.contract` writes `openapi.yaml` and `openapi/`.

With `--check` it only says whether they are up to date.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from api.openapi.build import Contract
from api.settings import Settings
from arbiter import registry

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python -m upkeep.contract"


def write(files: Mapping[str, bytes], folder: Path = ROOT, *, check: bool = False) -> list[str]:
    """Write the files of the contract below a folder, and drop those of games that are gone; name what was not up to
    date. With `check` nothing is written."""
    stale = [
        path for path, text in files.items() if not (folder / path).exists() or (folder / path).read_bytes() != text
    ]
    gone = [f"openapi/{file.name}" for file in sorted((folder / "openapi").glob("*.yaml"))]
    gone = [path for path in gone if path not in files]
    if not check:
        (folder / "openapi").mkdir(exist_ok=True)
        for path in stale:
            (folder / path).write_bytes(files[path])
        for path in gone:
            (folder / path).unlink()
    return [*stale, *gone]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the contract, or say whether it is up to date; give the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Write the contract from the registry of games.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is out of date")
    check = parser.parse_args(arguments).check
    stale = write(Contract(registry.games(), Settings()).files, check=check)
    if check and stale:
        print(f"not what the registry says: {', '.join(stale)}; write them anew with: {COMMAND}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
