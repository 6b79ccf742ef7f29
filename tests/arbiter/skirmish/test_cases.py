"""What questions work on, and how a case is refused."""

import pytest

from arbiter.fault import Fault, Faults
from arbiter.skirmish.cases import CaseState, refuse


def test_a_case_without_faults_is_not_refused() -> None:
    refuse(())
    refuse(iter(()))


def test_every_fault_is_reported_at_once() -> None:
    faults = [Fault("/case/a", "one", "first"), Fault("/case/b", "two", "second")]
    with pytest.raises(Faults) as refused:
        refuse(fault for fault in faults)
    assert refused.value.faults == tuple(faults)


def test_equal_states_are_one() -> None:
    assert {CaseState("field", ("case",)), CaseState("field", ("case",))} == {CaseState("field", ("case",))}
