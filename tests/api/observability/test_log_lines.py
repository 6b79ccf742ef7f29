"""Lines that are gathered: none is lost, none is torn, and none waits for long."""

import select
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.observability.log_lines import EVERY_S, MOST_WAITING, TOGETHER_BYTES, Lines


def gathering() -> tuple[Lines, list[bytes]]:
    written: list[bytes] = []
    lines = Lines(written.append)
    lines.gather()
    return lines, written


def test_a_line_goes_out_at_once_where_nobody_gathers() -> None:
    written: list[bytes] = []
    lines = Lines(written.append)
    lines.write(b"a\n")
    lines.write(b"b\n")
    assert written == [b"a\n", b"b\n"]
    lines.flush()
    assert len(written) == 2


def test_gathered_lines_go_out_together_when_they_are_flushed() -> None:
    lines, written = gathering()
    lines.write(b"a\n")
    lines.write(b"b\n")
    assert written == []
    lines.flush()
    lines.flush()
    assert written == [b"a\nb\n"]


def test_lines_wait_for_a_moment_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lines, written = gathering()
    lines.write(b"a\n")
    lines.flush_in_time()
    assert written == [b"a\n"], "the last ones were written long ago"
    lines.write(b"b\n")
    now[0] += EVERY_S - 0.001
    lines.flush_in_time()
    assert written == [b"a\n"]
    now[0] += 0.002
    lines.flush_in_time()
    assert written == [b"a\n", b"b\n"]


def test_nobody_makes_the_lines_grow_without_end() -> None:
    lines, written = gathering()
    for _ in range(MOST_WAITING):
        lines.write(b"a\n")
    assert written == []
    lines.write(b"a\n")
    assert b"".join(written) == b"a\n" * (MOST_WAITING + 1)


@given(st.lists(st.integers(0, TOGETHER_BYTES + 10), max_size=40))
def test_pieces_are_of_whole_lines_and_no_longer_than_a_pipe_takes(lengths: list[int]) -> None:
    lines, written = gathering()
    said = [b"%d" % index + b"x" * length + b"\n" for index, length in enumerate(lengths)]
    for line in said:
        lines.write(line)
    lines.flush()
    assert b"".join(written) == b"".join(said)
    assert all(piece.endswith(b"\n") for piece in written)
    assert all(len(piece) <= TOGETHER_BYTES or piece.count(b"\n") == 1 for piece in written)


def test_many_threads_lose_nothing() -> None:
    lines, written = gathering()

    def write(name: int) -> None:
        for number in range(2_000):
            lines.write(b"%d %d\n" % (name, number))
            lines.flush_in_time()

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines.flush()
    said = b"".join(written).splitlines()
    for name in range(4):
        own = [line for line in said if line.startswith(b"%d " % name)]
        assert own == [b"%d %d" % (name, number) for number in range(2_000)]


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    written: list[bytes] = []
    broken = [True]

    def put(text: bytes) -> None:
        if broken[0]:
            raise BrokenPipeError
        written.append(text)

    lines = Lines(put)
    lines.write(b"a\n")
    lines.gather()
    lines.write(b"b\n")
    lines.flush()
    broken[0] = False
    lines.write(b"c\n")
    lines.flush()
    assert written == [b"c\n"]


def test_a_pipe_takes_as_much_together_as_is_written() -> None:
    assert TOGETHER_BYTES <= select.PIPE_BUF
