"""Random little rules: programs that roll, call, repeat and iterate, for laws that must hold for every rule."""

from typing import Any

from hypothesis import strategies as st

from arbiter.dice import Die, numbered
from arbiter.table import Table
from arbiter.value import Value

DICE = (numbered(2), numbered(3), Die("uneven", ("blank", "blank", "hit")))
STATES = 5


class Program(Value, frozen=True):
    """A rule made of steps; it takes a small number and gives one."""

    steps: tuple[tuple[Any, ...], ...]

    def __call__(self, table: Table, state: int) -> int:
        for verb, *rest in self.steps:
            state = getattr(self, f"_{verb}")(table, state, *rest) % STATES
        return state

    def _roll(self, table: Table, state: int, die: Die) -> int:
        return 2 * state + die.faces.index(table.roll(die, "roll"))

    def _pool(self, table: Table, state: int, count: int, die: Die) -> int:
        faces = [die.faces.index(face) for face in table.pool(count, die, "pool")]
        return state + max(faces, default=0) + 2 * sum(faces)

    def _choose(self, table: Table, state: int) -> int:
        return state + int(table.choose("red", "choice", (state, 3, 1), about=state))

    def _call(self, table: Table, state: int, program: "Program") -> int:
        return state + table.call(program, state)

    def _repeat(self, table: Table, state: int, count: int, program: "Program") -> int:
        tally = table.repeat(count, program, state)
        return state + tally.total(lambda result: result * result) + 3 * tally[0]

    def _iterate(self, table: Table, state: int, at_most: int, program: "Program") -> int:
        return table.iterate(program, state, lambda reached: reached == 0, at_most)

    def _when(self, table: Table, state: int, program: "Program") -> int:
        return program(table, state) if state % 2 else state + 1


def _wider(programs: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    dice, counts = st.sampled_from(DICE), st.integers(0, 2)
    step = st.one_of(
        st.tuples(st.just("roll"), dice),
        st.tuples(st.just("pool"), counts, dice),
        st.tuples(st.just("choose")),
        st.tuples(st.just("call"), programs),
        st.tuples(st.just("repeat"), counts, programs),
        st.tuples(st.just("iterate"), counts, programs),
        st.tuples(st.just("when"), programs),
    )
    return st.lists(step, max_size=3).map(lambda steps: Program(tuple(steps)))


PROGRAMS = st.recursive(st.just(Program((("roll", DICE[0]),))), _wider, max_leaves=4)
