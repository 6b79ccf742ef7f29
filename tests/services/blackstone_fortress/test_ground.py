"""The ground's tables answer as the geometry does, in the coordinates of the posted board."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.hex import coordinates as hexes
from arbiter.geometry.hex.paths import reach, routes
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Board, Hex, Scheme
from tests.effort import cases

SCHEMES: tuple[Scheme, ...] = ("axial", "odd-r", "even-r", "odd-q", "even-q")


def axial(hex_: Hex, scheme: Scheme) -> Hex:
    return hex_ if scheme == "axial" else hexes.from_offset(*hex_, scheme)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    scheme = draw(st.sampled_from(SCHEMES))
    cells = list(product(range(-2, 4), range(-2, 4)))
    placed = draw(st.lists(st.sampled_from(cells), min_size=2, max_size=30, unique=True))
    beside = [
        (a, b)
        for a in placed
        for b in cells
        if hexes.adjacent(axial(a, scheme), axial(b, scheme)) and (b not in placed or a < b)
    ]
    walls = draw(st.lists(st.sampled_from(beside), max_size=8, unique=True)) if beside else []
    obstructions = draw(st.lists(st.sampled_from(placed[1:]), max_size=3, unique=True))
    top = "flat" if scheme in ("odd-q", "even-q") else "pointy"
    return Board(tuple(placed), scheme, top, walls=tuple(walls), obstructions=tuple(obstructions))


@settings(max_examples=cases(60))
@given(boards(), st.data())
def test_tables_answer_as_the_geometry_does(board: Board, data: st.DataObject) -> None:
    ground, scheme = Ground(board), board.coordinates
    walls = {frozenset(pair) for pair in board.walls}
    anywhere = [*board.hexes, (40, -7), (-3, 11)]
    for a, b in product(anywhere, anywhere):
        apart = hexes.distance(axial(a, scheme), axial(b, scheme))
        # Asked twice: the first time it is worked out, the second time it is looked up.
        assert [ground.distance(a, b), ground.distance(a, b)] == [apart, apart]
        assert [ground.adjacent(a, b), ground.adjacent(a, b)] == [apart == 1, apart == 1]
        assert ground.walled(a, b) == (frozenset((a, b)) in walls)
    for a in anywhere:
        around = [ground.posted_hex(b) for b in hexes.neighbours(axial(a, scheme))]
        for _ in range(2):
            assert ground.neighbours(a) == tuple(b for b in around if b in board.hexes)
    target = data.draw(st.sampled_from(board.hexes))
    blocked = data.draw(st.lists(st.sampled_from(board.hexes), max_size=4, unique=True))
    measured = routes(ground.board, [axial(target, scheme)], blocked=[axial(b, scheme) for b in blocked])
    for _ in range(2):
        assert {axial(a, scheme): far for a, far in ground.routes((target,), blocked).items()} == measured


@settings(max_examples=cases(60))
@given(boards(), st.integers(0, 5), st.data())
def test_ends_come_nearest_first_each_with_its_way(board: Board, steps: int, data: st.DataObject) -> None:
    ground, scheme = Ground(board), board.coordinates
    start = board.hexes[0]
    halting = data.draw(st.lists(st.sampled_from(board.hexes), max_size=4, unique=True))
    ends = ground.reach(start, steps, halting=frozenset(halting))
    expected = reach(ground.board, axial(start, scheme), steps, halting=frozenset(axial(a, scheme) for a in halting))
    assert {axial(end, scheme): cost for end, cost in ends.costs.items()} == dict(expected)
    assert list(ends) == sorted(ends, key=lambda end: (ends.costs[end], end))
    assert len(ends) == len(expected)
    assert ends[start] == ()
    for end, way in ends.items():
        assert len(way) == ends.costs[end]
        assert (way[-1] if way else start) == end
        assert all(ground.adjacent(a, b) and not ground.walled(a, b) for a, b in zip((start, *way), way, strict=False))
    assert (40, -7) not in ends


@settings(max_examples=cases(60))
@given(boards(), st.data())
def test_ranges_are_those_to_the_nearest_goal(board: Board, data: st.DataObject) -> None:
    goals = data.draw(st.lists(st.sampled_from(board.hexes), max_size=3))
    far = [
        [hexes.distance(axial(a, board.coordinates), axial(b, board.coordinates)) for b in goals] for a in board.hexes
    ]
    assert Ground(board).ranges(goals) == (dict(zip(board.hexes, map(min, far), strict=True)) if goals else {})
