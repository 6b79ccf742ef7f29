"""Licences and advisories: what is read from metadata, what is refused, and what is said when nothing can be known."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.serve import ROOT
from upkeep import audit, licences
from upkeep.licences import fault_of, licence, pins

OLD = "License :: OSI Approved :: "


@pytest.mark.parametrize(
    ("said", "classifiers", "read"),
    [
        ({"License-Expression": "MIT"}, [], "MIT"),
        ({"License-Expression": "Apache-2.0 OR MIT", "License": "GPL"}, [OLD + "BSD License"], "Apache-2.0 OR MIT"),
        ({"License": "BSD"}, [], "BSD-3-Clause"),
        ({"License": "Whatever\nlong text"}, [OLD + "MIT License"], "MIT"),
        (
            {"License": "Dual License"},
            [OLD + "BSD License", OLD + "Apache Software License"],
            "Apache-2.0 OR BSD-3-Clause",
        ),
        ({"License": "The whole text\nof it"}, ["Topic :: Games"], ""),
        ({}, [], ""),
        ({}, [OLD + "GNU Affero General Public License v3"], "GNU Affero General Public License v3"),
    ],
)
def test_what_metadata_says(said: dict[str, str], classifiers: list[str], read: str) -> None:
    assert licence(said, classifiers) == read


@pytest.mark.parametrize(
    "fine", ["MIT", "GPL-3.0 OR MIT", "BSD-3-Clause AND 0BSD AND MIT", "Apache-2.0 WITH LLVM-exception", "MPL-2.0"]
)
def test_licences_under_which_we_may_ship(fine: str) -> None:
    assert fault_of(fine) == ""


@pytest.mark.parametrize(
    "refused",
    [
        "",
        "GPL-3.0",
        "AGPL-3.0-only",
        "MIT AND GPL-3.0",
        "GPL-2.0 OR AGPL-3.0",
        "LGPL-2.1",
        "Proprietary",
        "mit",
        "(MIT OR GPL-3.0) AND Zlib",
        "MPL-2.0 AND (GPL-3.0 OR MIT)",
        "MIT-",
        "BUSL-1.1",
    ],
)
def test_licences_under_which_we_may_not(refused: str) -> None:
    assert fault_of(refused) != ""


def test_the_page_is_that_of_the_lock(capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main(["--check"]) == 0
    lock = pins((ROOT / "requirements-runtime.lock").read_text())
    assert f"{len(lock)} packages, all allowed" in capsys.readouterr().out
    page = (ROOT / "docs" / "licences.md").read_text()
    for name, version in lock:
        assert f"| {name} | {version} | " in page
    assert len(lock) > 40


def test_a_stale_page_and_a_licence_that_is_not_allowed_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "lock"
    lock.write_text("flask==0.0.1 \\\n    --hash=sha256:00\nno-such-package==1.0\n    # via flask==2\n")
    monkeypatch.setattr(licences, "LOCK", lock)
    monkeypatch.setattr(licences, "PAGE", tmp_path / "page.md")
    assert licences.main(["--check"]) == 1
    said = capsys.readouterr().err
    assert "flask 0.0.1 is installed as" in said
    assert "no-such-package 1.0 is not installed" in said
    assert "page.md is stale" in said
    # Writing the page does not make it right.
    assert licences.main([]) == 1
    assert "is stale" not in capsys.readouterr().err


def report(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": list(packages), "fixes": []})


CLEAN = {"name": "flask", "version": "3.1", "vulns": []}
BROKEN = {"name": "jinja2", "version": "2.0", "vulns": [{"id": "CVE-1", "fix_versions": ["2.1"], "aliases": []}]}
UNMENDED = {"name": "six", "version": "1.0", "vulns": [{"id": "CVE-2", "fix_versions": [], "aliases": []}]}
UNKNOWN = {"name": "vine", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("ran", "lenient", "strict", "told"),
    [
        ((0, report(CLEAN), ""), 0, 0, "1 packages, no known vulnerability"),
        ((1, report(CLEAN, BROKEN), ""), 1, 1, "jinja2 2.0: CVE-1, mended in 2.1"),
        ((1, report(UNMENDED), ""), 1, 1, "six 1.0: CVE-2, not mended yet"),
        ((0, report(CLEAN, UNKNOWN), ""), 0, 1, "NOT AUDITED: 1 of 2 packages; vine: not found"),
        ((1, report(UNKNOWN, BROKEN), ""), 1, 1, "CVE-1"),
        ((1, "", "ERROR one\nConnectionError: no route"), 0, 1, "NOT AUDITED: any package; ConnectionError: no route"),
        ((2, "", ""), 0, 1, "pip-audit ended with 2 and said nothing"),
        ((1, "<html>", "proxy"), 0, 1, "NOT AUDITED"),
        ((0, "[]", ""), 0, 1, "NOT AUDITED"),
    ],
)
def test_what_an_audit_comes_to(
    ran: tuple[int, str, str], lenient: int, strict: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.audit(lambda: ran, strict=False) == lenient
    assert audit.audit(lambda: ran, strict=True) == strict
    said = capsys.readouterr()
    assert told in said.out + said.err


def test_the_audit_installs_nothing_and_names_no_host() -> None:
    assert "--disable-pip" in audit.COMMAND
    assert str(ROOT / "requirements-runtime.lock") in audit.COMMAND
    assert not [part for part in audit.COMMAND if "://" in part]


def test_check_runs_both() -> None:
    makefile = (ROOT / "Makefile").read_text()
    check = makefile.partition("\ncheck: ")[2].partition("\n\n")[0]
    assert "upkeep.licences --check" in check
    assert "audit" in check
