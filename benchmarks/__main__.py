"""Run every benchmark and print one table: `make bench`, or the names of some: `make bench ARGS="hex_sight wire"`."""

import importlib
import pkgutil
import sys
from pathlib import Path

from benchmarks.measure import Row, table


def main(names: list[str]) -> int:
    """Run the named benchmarks, by default all; 1 if a target is missed, 2 if there is no benchmark of a name."""
    found = pkgutil.walk_packages([str(Path(__file__).parent)], "benchmarks.")
    known = {info.name.rpartition(".")[2]: info.name for info in found if info.name != "benchmarks.__main__"}
    measuring = [name for name in sorted(known) if hasattr(importlib.import_module(known[name]), "rows")]
    unknown = [name for name in names if name not in measuring]
    if unknown:
        print(f"no benchmark called {', '.join(unknown)}; there are {', '.join(measuring)}", file=sys.stderr)
        return 2
    rows: list[Row] = []
    for name in names or measuring:
        print(f"… {name}", file=sys.stderr, flush=True)
        rows += importlib.import_module(known[name]).rows()
    print(table(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
