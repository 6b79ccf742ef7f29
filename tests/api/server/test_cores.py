"""Cores: which core a new process of the gateway stays on."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.server import cores
from api.settings import Settings
from infra.settings import WrongSettings
from tests.house.serving import children, serving
from tests.patience import within

CORES = st.sets(st.integers(0, 63), min_size=1, max_size=8)


def test_processes_take_the_cores_in_turn() -> None:
    taken: dict[int, int] = {}
    for age in range(1, 6):
        taken[age] = cores.chosen(taken, {4, 2, 9})
    assert taken == {1: 2, 2: 4, 3: 9, 4: 2, 5: 4}


def test_whoever_replaces_a_process_takes_its_core() -> None:
    assert cores.chosen({1: 0, 3: 2}, {0, 1, 2}) == 1


@given(CORES, st.lists(st.booleans(), max_size=60))
def test_no_core_has_two_more_than_another_while_processes_only_come(usable: set[int], comes: list[bool]) -> None:
    taken: dict[int, int] = {}
    for age in range(len(comes)):
        taken[age] = cores.chosen(taken, usable)
    having = [sum(core == each for core in taken.values()) for each in usable]
    assert max(having) - min(having) <= 1


@given(CORES, st.lists(st.integers(0, 7), max_size=60))
def test_a_new_process_never_goes_where_there_are_more(usable: set[int], leave: list[int]) -> None:
    taken: dict[int, int] = {}
    for age, ends in enumerate(leave):
        taken.pop(age - ends, None)
        core = cores.chosen(taken, usable)
        having = list(taken.values())
        assert all(having.count(core) <= having.count(other) for other in usable)
        taken[age] = core


def test_where_cores_cannot_be_bound_to_it_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    cores.check(Settings(bind_cores=True))
    monkeypatch.delattr("os.sched_setaffinity")
    cores.check(Settings())
    with pytest.raises(WrongSettings, match="ARBITER_BIND_CORES"):
        cores.check(Settings(bind_cores=True))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="on one core all processes are on it")
@pytest.mark.parametrize("bound", [True, False])
def test_a_process_that_dies_leaves_its_core_to_the_next(tmp_path: Path, bound: bool) -> None:
    usable = os.sched_getaffinity(0)
    settings = {"ARBITER_GATEWAY_WORKERS": "2", "ARBITER_BIND_CORES": str(bound).lower()}
    wanted = [{core} for core in sorted(usable)[:2]] if bound else [usable, usable]

    with serving(tmp_path / "log", **settings) as server:

        def stand() -> bool:
            try:
                found = [os.sched_getaffinity(child) for child in children(server.process.pid)]
            except ProcessLookupError:  # one has ended just now
                return False
            return sorted(found, key=sorted) == wanted

        assert within(stand), server.said()
        for dies in sorted(children(server.process.pid)):
            os.kill(dies, signal.SIGKILL)
            assert within(lambda dead=dies: dead not in children(server.process.pid) and stand()), server.said()
        server.signal(signal.SIGHUP)
        assert within(stand), server.said()
        assert os.sched_getaffinity(server.process.pid) == usable
