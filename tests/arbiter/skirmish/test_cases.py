"""How cases are prepared and refused: who is named is there, and what else is impossible is looked for only then."""

from collections.abc import Callable, Iterator

import pytest

from arbiter.fault import Fault, Faults
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.cases import CaseState, case_fault, forbid, prepared, refuse
from arbiter.value import Value
from tests.arbiter.skirmish.arena import VALIDATOR, Arena, Pawn, Scene

ANN, BOB, OUT = Pawn("ann", "red"), Pawn("bob", "blue"), Pawn("eve", "blue", lives=0)


class Case(Value, frozen=True):
    scene: Scene
    by: str
    targets: tuple[str, ...] = ()
    side: str | None = None


def own(_: Arena, case: Case) -> Iterator[Fault]:
    if case.by in case.targets:
        yield case_fault("targets/0", "itself", "nobody is its own target", case.by, "another one")


def prepare(in_play: bool = True) -> Callable[[Case], CaseState[Arena, Case]]:
    return prepared(VALIDATOR, "pawn", {"side": "side"}, ("by", "targets", "side"), in_play, own)


def found(case: Case, in_play: bool = True) -> list[tuple[str, str]]:
    with pytest.raises(Faults) as caught:
        prepare(in_play)(case)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


def test_a_sound_case_comes_with_its_battlefield() -> None:
    case = Case(Scene((ANN, BOB)), "ann", ("bob",), "red")
    state = prepare()(case)
    assert state.case is case
    assert state.field.unit("ann") is ANN


def test_whatever_is_named_is_there_and_units_are_in_play() -> None:
    case = Case(Scene((ANN, OUT)), "zoe", ("ann", "eve"), "green")
    assert found(case) == [
        ("/case/by", "unknown-pawn"),
        ("/case/side", "unknown-side"),
        ("/case/targets/1", "not-in-play"),
    ]
    assert found(case, in_play=False) == [("/case/by", "unknown-pawn"), ("/case/side", "unknown-side")]
    assert prepare(in_play=False)(Case(Scene((ANN, OUT)), "eve")).field.unit("eve") is OUT


def test_what_else_is_impossible_is_told_where_all_are_there() -> None:
    assert found(Case(Scene((ANN,)), "ann", ("ann",))) == [("/case/targets/0", "itself")]
    assert found(Case(Scene((OUT,)), "eve", ("eve",))) == [
        ("/case/by", "not-in-play"),
        ("/case/targets/0", "not-in-play"),
    ]


def test_every_reason_forbids_and_is_told_once() -> None:
    far, near = Reason("moves.far", "too far", ()), Reason("moves.near", "too near", ())
    with pytest.raises(Forbidden) as caught:
        forbid((far,), (near, far))
    assert caught.value.reasons == (far, near)
    forbid((), ())


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
