"""The security policy: what it names is there."""

import re

from api.settings import Settings
from cli.serve import ROOT
from infra.settings import settings_of, variable

TEXT = (ROOT / "SECURITY.md").read_text()


def test_it_says_how_to_report_what_is_supported_and_what_is_defended() -> None:
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert headings == ["How to report", "What is supported", "What the service defends against", "What it does not"]


def test_every_setting_and_file_that_it_names_is_there() -> None:
    known = {variable(name) for name in settings_of(Settings)}
    assert set(re.findall(r"`(ARBITER_[A-Z_]+)`", TEXT)) <= known
    # The page about attacks comes with its tests.
    for path in set(re.findall(r"\]\(([^)]+)\)", TEXT)) - {"docs/security.md"}:
        assert (ROOT / path).exists(), path


def test_it_names_no_address() -> None:
    assert not re.search(r"https?://|@\w+\.\w+", TEXT)
