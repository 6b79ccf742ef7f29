"""The documents name what is there: every link leads to a file and a heading, every `path.py:name` to a definition."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

PACKAGES = ("api", "arbiter", "benchmarks", "cli", "deploy", "infra", "rendering", "services", "tests", "workers")
PAGES = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("services/*/README.md")),
    *(ROOT / package / "README.md" for package in PACKAGES),
)
GUIDES = [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs" / "adr").glob("*.md"))]
"""Pages that name modules by their path from the root."""

LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACE = re.compile(rf"`((?:{'|'.join(PACKAGES)})/[\w/.-]+\.(?:py|lua|conf|yaml))(?::([\w.]+))?`")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Give the anchors of a page's headings, as Markdown viewers make them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


@cache
def defined(module: Path) -> frozenset[str]:
    """Give the names that a module defines; those of a class with the name of the class before them."""
    return frozenset(_defined(ast.parse(module.read_text(encoding="utf-8")).body))


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{name}" for name in _defined(node.body))


def test_every_package_has_a_readme() -> None:
    assert [page for page in PAGES if not page.is_file()] == []


def test_every_link_leads_somewhere() -> None:
    wrong = []
    for page in PAGES:
        # What stands in a fence is to be pasted elsewhere, and its links lead on from there.
        text = re.sub(r"```.*?```|~~~.*?~~~|````.*?````", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in LINK.findall(text):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if re.match(r"https?://", link):
                continue
            if not target.exists() or (anchor and anchor not in anchors(target)):
                wrong.append(f"{page.relative_to(ROOT)} links to {link}")
    assert not wrong, "\n".join(wrong)


def test_every_place_in_the_code_is_there() -> None:
    wrong, places = [], 0
    for page in GUIDES:
        for path, name in PLACE.findall(page.read_text(encoding="utf-8")):
            places += 1
            if not (ROOT / path).is_file() or (name and name not in defined(ROOT / path)):
                wrong.append(f"{page.relative_to(ROOT)} names {path}:{name}; say where that is now")
    assert places > 40
    assert not wrong, "\n".join(wrong)


def test_the_architecture_fits_on_a_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 120
