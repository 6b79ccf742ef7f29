"""The contract as files: written once, never seen half, and nobody waits in a row for it."""

import fcntl
import subprocess
from pathlib import Path
from typing import Any

import pytest

from api.openapi import shared_file
from api.openapi.shared_file import AS_JSON, AS_YAML, KeptContract
from api.problems.handlers import ProblemError


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Write at once what the program would take seconds for; note each time."""
    ran: list[Any] = []

    def run(command: Any, **_: Any) -> None:
        ran.append(command)
        (tmp_path / AS_JSON).write_bytes(b'{"openapi":"3.1.0"}')
        (tmp_path / AS_YAML).write_bytes(b"openapi: 3.1.0")

    monkeypatch.setattr(subprocess, "run", run)
    return ran


def test_it_is_written_once_for_both_forms_and_every_process(tmp_path: Path, written: list[Any]) -> None:
    one, other = KeptContract(tmp_path), KeptContract(tmp_path)
    assert one.as_json == other.as_json == b'{"openapi":"3.1.0"}'
    assert one.as_yaml == "openapi: 3.1.0"
    assert len(written) == 1
    assert written[0][-3:] == ("-m", "api.openapi.shared_file", str(tmp_path))


def test_who_comes_while_it_is_written_is_asked_to_come_again(tmp_path: Path, written: list[Any]) -> None:
    with (tmp_path / "contract.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ProblemError) as refused:
            _ = KeptContract(tmp_path).as_json
    assert refused.value.kind.slug == "busy"
    assert int(refused.value.headers["Retry-After"]) > 0
    assert not written
    assert KeptContract(tmp_path).as_json


def test_a_failure_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_file.sys, "executable", "/bin/false")
    kept = KeptContract(tmp_path)
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError):
            _ = kept.as_json


def test_the_program_writes_what_the_gateway_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Small:
        as_json, as_yaml = b"{}", "{}"

        def __init__(self, *_: Any) -> None:
            pass

    monkeypatch.setattr(shared_file, "Contract", Small)
    monkeypatch.setattr(shared_file.os, "nice", lambda _: 0)
    assert shared_file.main([str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [AS_JSON, AS_YAML]
    assert KeptContract(tmp_path).as_yaml == "{}"
