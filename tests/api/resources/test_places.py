"""What one caller may hold of what there is for all: places to wait, and open jobs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.jobs.service import JobService, most_places_of_caller
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, problem
from workers.jobs.models import Submitted, TooManyOpen


@pytest.mark.parametrize(("places", "most"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (255, 128)])
def test_one_caller_holds_half_of_the_places(places: int, most: int) -> None:
    assert most_places_of_caller(places) == most
    jobs = JobService(Settings(gateway_threads=places + 1), None)
    assert [jobs.take_place("ann") for _ in range(places + 1)] == [True] * most + [False] * (places + 1 - most)
    left = [jobs.take_place("bob") for _ in range(places)]
    assert sum(left) == min(most, places - most)


def test_a_place_that_is_left_may_be_taken_again() -> None:
    jobs = JobService(Settings(gateway_threads=3), None)
    for _ in range(10):
        with jobs.place_to_wait("ann") as found:
            assert found
            with jobs.place_to_wait("ann") as second:
                assert not second
    assert jobs.take_place("ann")


@given(st.integers(1, 9), st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=60))
def test_places_are_neither_lost_nor_made(threads: int, story: list[tuple[bool, str]]) -> None:
    jobs, held = JobService(Settings(gateway_threads=threads), None), {"a": 0, "b": 0, "c": 0}
    for takes, caller in story:
        if takes:
            may = held[caller] < most_places_of_caller(threads - 1) and sum(held.values()) < threads - 1
            assert jobs.take_place(caller) == may
            held[caller] += may
        elif held[caller]:
            jobs.leave_place(caller)
            held[caller] -= 1


def test_too_many_open_jobs_of_a_caller_are_a_problem_of_the_caller() -> None:
    class Strict(MemoryJobs):
        def submit(self, *work: Any, **said: Any) -> Submitted:
            raise TooManyOpen(2)

    client = create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE}, Strict()).test_client()
    answer = ask(client, f"{ATTACK}/simulations", attack())
    assert problem(answer, 429, "too-many-jobs")["most"] == 2
    assert int(answer.headers["Retry-After"]) > 0
    kinds = {kind["slug"]: kind["status"] for kind in json.loads(client.get("/problems").data)}
    assert kinds["too-many-jobs"] == kinds["too-many-requests"] == 429
