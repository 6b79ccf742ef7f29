"""Known vulnerabilities of what the service is installed with: `python -m upkeep.audit` has pip-audit look them up.

A vulnerability that is found always fails. Where the list of advisories cannot be reached, nothing was audited, and
it says so; with `AUDIT=strict`, as before a release, it fails too.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-runtime.lock"

COMMAND = (
    sys.executable,
    "-m",
    "pip_audit",
    "--requirement",
    str(LOCK),
    "--require-hashes",
    "--disable-pip",
    "--format",
    "json",
    "--progress-spinner",
    "off",
    "--timeout",
    "10",
)
"""Nothing is installed or resolved: the lock names every package with its hashes."""

PATIENCE_S = 120

Ran = tuple[int, str, str]
"""How pip-audit ended, and what it wrote to standard output and standard error."""


def run_audit() -> Ran:
    """Run pip-audit."""
    try:
        ended = subprocess.run(COMMAND, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return 1, "", f"no answer within {PATIENCE_S} s"
    return ended.returncode, ended.stdout, ended.stderr


def findings(report: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Give a sentence for each vulnerability of a report, and one for each package that it could not judge."""
    faults, passed_over = [], []
    for package in report["dependencies"]:
        if "skip_reason" in package:
            passed_over.append(f"{package['name']}: {package['skip_reason']}")
        for known in package.get("vulns", ()):
            mended = f"mended in {', '.join(known['fix_versions'])}" if known["fix_versions"] else "not mended yet"
            faults.append(f"{package['name']} {package['version']}: {known['id']}, {mended}")
    return faults, passed_over


def audit(ask: Callable[[], Ran], *, strict: bool) -> int:
    """Say what was found; give the exit code."""
    code, output, complaint = ask()
    try:
        report = json.loads(output)
        faults, passed_over = findings(report)
    except (ValueError, KeyError, TypeError):
        lines = complaint.strip().splitlines()
        faults, passed_over = [], [lines[-1] if lines else f"pip-audit ended with {code} and said nothing"]
        report = None
    for fault in faults:
        print(f"audit: {fault}", file=sys.stderr)
    if passed_over:
        what = f"{len(passed_over)} of {len(report['dependencies'])} packages" if report else "any package"
        print(f"audit: NOT AUDITED: {what}; {passed_over[0][:300]}", file=sys.stderr)
    elif not faults and report:
        print(f"audit: {len(report['dependencies'])} packages, no known vulnerability")
    return 1 if faults or (passed_over and strict) else 0


def main() -> int:
    """Audit as the environment says; give the exit code."""
    return audit(run_audit, strict=os.environ.get("AUDIT") == "strict")


if __name__ == "__main__":
    sys.exit(main())
