"""The search for shortest paths of a round base: tangent by tangent, only as far as needed.

A shortest path is taut: straight legs that touch circles, and arcs along those circles between them, each walked to the
left or to the right. The search is A* over such legs. It begins with the straight line to the goal and knows no
corners; only when a leg is found to be blocked do the corners of what blocks it come into play. What the search knows
is then always a table with fewer obstacles, on which nothing is longer; a path that it finds there and that is clear on
the whole table is shortest on both.
"""

from cmath import phase
from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf, sqrt, tau
from typing import NamedTuple

from arbiter.geometry.plane.paths.room import TOUCH, Room, ahead

# Directions that differ by less are the same: turning by so little moves nothing by more than the tolerance.
SAME_WAY = 1e-9
# A tangent may touch its corner by so much beyond where a path still bends; what is let in here is only a longer path.
BEYOND = 1e-7

START = -1
GOAL = -2
# Of several goals the first one; the next ones are counted down from it. GOAL then stands for all of them together.
FIRST_GOAL = -3


class Tangent(NamedTuple):
    """A straight leg between two circles: its length, and on either circle the direction in which it touches."""

    length: float
    leaving: complex
    arriving: complex


NO_TANGENT = Tangent(0.0, 0j, 0j)


class Arrival(NamedTuple):
    """A leg walked: the cost up to its end, its turn there, the direction on the circle, and where it came from.

    A turn is twice the number of a corner, and one more if the corner is walked around to the right. `sweep` is the
    angle of the arc that was walked before the leg, on the circle of the arrival `before`.
    """

    cost: float
    turn: int
    on: complex
    before: int
    sweep: float
    at: complex


class Tangents:
    """All straight legs between the corners of a room, found and tried when asked for, and kept.

    Those of a room that has further obstacles laid over it begin with those `below`.
    """

    def __init__(self, room: Room, below: "Tangents | None" = None) -> None:
        self.room, self.below = room, below
        since, pieces = (0, 0) if below is None else (len(below.room.corners), len(below.room.pieces))
        corners = room.corners[since:]
        self.turns_below = 2 * since
        self.centres = [corner.at for corner in corners for _ in (0, 1)]
        # The circle's radius, and the same below zero where it is walked around to the right.
        self.signed = [sign * corner.reach for corner in corners for sign in (1.0, -1.0)]
        self.turns_of = [
            tuple([turn for n in numbers for turn in (2 * n, 2 * n + 1)]) for numbers in room.corners_of[pieces:]
        ]
        if below is not None:
            self.centres, self.signed = below.centres + self.centres, below.signed + self.signed
            self.turns_of = below.turns_of + self.turns_of
        self._between: dict[tuple[int, int], Tangent | None] = {}
        self._blockers: dict[tuple[int, int], int] = {}

    def from_point(self, at: complex, turn: int) -> Tangent | None:
        """Find the leg from a point to a turn."""
        reach = self.signed[turn]
        to = self.centres[turn] - at
        square = to.real * to.real + to.imag * to.imag
        rest = square - reach * reach
        if rest <= 0.0:
            if rest < -2 * TOUCH * abs(reach):
                return None
            rest = 0.0
        length = sqrt(rest)
        # The direction of the leg turned to the right is the way out of a circle that is walked around to the left.
        out = to * complex(-reach, -length) / square
        on = out if reach > 0 else -out
        _, _, _, before, after = self.room.corners[turn >> 1]
        if ahead(on, before) > BEYOND or ahead(on, after) > BEYOND:
            return None
        return Tangent(length, 0j, on)

    def to_point(self, turn: int, at: complex) -> Tangent | None:
        """Find the leg from a turn to a point: that from the point to the opposite turn, backwards."""
        back = self.from_point(at, turn ^ 1)
        return back and Tangent(back.length, back.arriving, 0j)

    def between(self, a: int, b: int) -> Tangent | None:
        """Find the leg from one turn to another, if a taut path could go along it."""
        key = (a, b)
        try:
            return self._between[key]
        except KeyError:
            below = self.below
            found = self._find(a, b) if below is None or max(a, b) >= self.turns_below else below.between(a, b)
            self._between[key] = found
            return found

    def _find(self, a: int, b: int) -> Tangent | None:
        from_reach, to_reach = self.signed[a], self.signed[b]
        to = self.centres[b] - self.centres[a]
        square = to.real * to.real + to.imag * to.imag
        apart = to_reach - from_reach
        rest = square - apart * apart
        if square == 0.0 or rest < -2 * TOUCH * abs(apart):
            return None
        length = sqrt(max(rest, 0.0))
        out = to * complex(-apart, -length) / square
        leaving = out if from_reach > 0 else -out
        # A taut path bends only where both neighbours of the corner lie behind it.
        _, _, _, before, after = self.room.corners[a >> 1]
        if ahead(leaving, before) > BEYOND or ahead(leaving, after) > BEYOND:
            return None
        arriving = out if to_reach > 0 else -out
        _, _, _, before, after = self.room.corners[b >> 1]
        if ahead(arriving, before) > BEYOND or ahead(arriving, after) > BEYOND:
            return None
        return Tangent(length, leaving, arriving)

    def blocker(self, a: int, b: int, tangent: Tangent) -> int:
        """Find what blocks a leg between two turns: a piece, -1 for nothing."""
        key = (a, b)
        found = self._blockers.get(key)
        if found is None:
            found = self.room.blocker(self.point(a, tangent.leaving), self.point(b, tangent.arriving))
            self._blockers[key] = self._blockers[b ^ 1, a ^ 1] = found
        return found

    def point(self, turn: int, on: complex) -> complex:
        """Give the place on a turn's circle in a direction."""
        return self.centres[turn] + abs(self.signed[turn]) * on

    def sweep(self, turn: int, since: complex, until: complex) -> float:
        """Give the angle from one direction to another as the turn walks; below zero where it would be backwards.

        Around a corner no path turns by half a circle; around a round obstacle it may go on, so that there is always
        a way.
        """
        angle = phase(until * since.conjugate())
        if turn & 1:
            angle = -angle
        if angle < 0.0:
            if angle > -SAME_WAY:
                return 0.0
            if not self.room.corners[turn >> 1].before:
                return angle + tau
        return angle


class Search:
    """One search, from a start on: towards a goal, or without one over all that an allowance reaches."""

    def __init__(
        self,
        tangents: Tangents,
        start: complex,
        goal: complex | None,
        at_most: float = inf,
        goals: Sequence[complex] = (),
    ) -> None:
        """Begin a search to a goal, or to the nearest of some `goals` that lie around it."""
        self.tangents = tangents
        self.start = start
        self.goal = goal
        self.goals = goals
        # A path may end so far from the goal, and by what is lost in rounding.
        self._around = 0.0 if goal is None or not goals else max(abs(each - goal) for each in goals) + TOUCH
        self.at_most = at_most + TOUCH
        self.arrivals = [Arrival(0.0, START, 0j, -1, 0.0, start)]
        self._known: set[int] = set()
        # Corners around which everything is known.
        self._surrounded: set[int] = set()
        self.turns: list[int] = []
        self._heap: list[tuple[float, int, float, int, int, float, Tangent]] = []
        self._pushed = 0
        # By turn: the arrivals, as pairs of direction and cost.
        self._reached: dict[int, list[tuple[complex, float]]] = {}
        self._walked: set[tuple[int, int]] = set()

    def to_goal(self) -> Arrival | None:
        """Find the shortest path to the goal: its last leg; None if there is no path of at most the given length."""
        if self.goal is None:
            raise ValueError("a search over everything has no goal")
        self._push_goal(0)
        return self._run()

    def everything(self) -> list[Arrival]:
        """Find all arrivals within the allowance from which a path may go on."""
        for piece in self.tangents.room.pieces:
            if abs(complex(piece.x, piece.y) - self.start) - piece.around <= self.at_most:
                self._learn(piece.number)
        self._run()
        return self.arrivals

    def _run(self) -> Arrival | None:
        heap, tangents, room = self._heap, self.tangents, self.tangents.room
        while heap:
            _, _, cost, turn, before, sweep, tangent = heappop(heap)
            if turn == GOAL and self.goals:
                for number, goal in enumerate(self.goals):
                    self._push_leg(before, goal, FIRST_GOAL - number)
                continue
            origin = self.arrivals[before]
            # The same leg from the same turn was walked before, at no higher cost.
            if before and (origin.turn, turn) in self._walked:
                continue
            leaves = self.start
            if before:
                number = origin.turn >> 1
                if sweep and not room.open_arc(number, origin.on, -sweep if origin.turn & 1 else sweep):
                    self._learn_all(number)
                    continue
                leaves = tangents.point(origin.turn, tangent.leaving)
            if turn <= GOAL:
                assert self.goal is not None
                goal = self.goals[FIRST_GOAL - turn] if self.goals else self.goal
                blocker = room.blocker(leaves, goal)
                if blocker < 0:
                    return Arrival(cost, GOAL, 0j, before, sweep, goal)
                self._learn(blocker)
                continue
            if not room.at_corner(turn >> 1, tangent.arriving):
                self._learn_all(turn >> 1)
                continue
            arrives = tangents.point(turn, tangent.arriving)
            blocker = tangents.blocker(origin.turn, turn, tangent) if before else room.blocker(leaves, arrives)
            if blocker >= 0:
                self._learn(blocker)
                continue
            if before:
                self._walked.add((origin.turn, turn))
            if not self._dominated(turn, tangent.arriving, cost):
                self.arrivals.append(Arrival(cost, turn, tangent.arriving, before, sweep, arrives))
                self._go_on(len(self.arrivals) - 1, self.turns)
                if self.goal is not None:
                    self._push_goal(len(self.arrivals) - 1)
        return None

    def _dominated(self, turn: int, on: complex, cost: float) -> bool:
        """Tell whether one may as well have come to the circle earlier and walked along it to here."""
        reached = self._reached.setdefault(turn, [])
        radius = abs(self.tangents.signed[turn])
        for earlier_on, earlier_cost in reached:
            sweep = self.tangents.sweep(turn, earlier_on, on)
            if (
                sweep >= 0.0
                and earlier_cost + radius * sweep <= cost + TOUCH / 1000
                and self.tangents.room.open_arc(turn >> 1, earlier_on, -sweep if turn & 1 else sweep)
            ):
                return True
        reached.append((on, cost))
        return False

    def _learn_all(self, number: int) -> None:
        """Take into account everything that may keep the centre from a corner's circle."""
        if number in self._surrounded:
            return
        self._surrounded.add(number)
        room = self.tangents.room
        corner = room.corners[number]
        for piece in room.near(corner.at, corner.reach):
            self._learn(piece.number)

    def _learn(self, piece: int) -> None:
        """Take the corners of a piece into account, from everywhere that was reached so far."""
        if piece in self._known:
            return
        self._known.add(piece)
        turns = self.tangents.turns_of[piece]
        for arrival in range(len(self.arrivals)):
            self._go_on(arrival, turns)
        self.turns += turns

    def _go_on(self, number: int, turns: tuple[int, ...] | list[int]) -> None:
        """Put the legs from an arrival to some turns on the list of what to try."""
        arrival = self.arrivals[number]
        here, on, goal, tangents = arrival.turn, arrival.on, self.goal, self.tangents
        centres, signed, between, at_most = tangents.centres, tangents.signed, tangents.between, self.at_most
        radius = 0.0 if here == START else abs(signed[here])
        for turn in turns:
            sweep = 0.0
            if here == START:
                tangent = tangents.from_point(self.start, turn)
                if tangent is None:
                    continue
            else:
                tangent = between(here, turn)
                if tangent is None:
                    continue
                sweep = tangents.sweep(here, on, tangent.leaving)
                if sweep < 0.0:
                    continue
            length, _, arriving = tangent
            cost = arrival.cost + radius * sweep + length
            bound = cost
            if goal is not None:
                left = abs(centres[turn] + abs(signed[turn]) * arriving - goal) - self._around
                if left > 0.0:
                    bound += left
            if bound <= at_most:
                self._pushed += 1
                heappush(self._heap, (bound, self._pushed, cost, turn, number, sweep, tangent))

    def _push_goal(self, number: int) -> None:
        """Put the leg from an arrival to the goal, or those to all goals, on the list of what to try."""
        assert self.goal is not None
        if not self.goals:
            self._push_leg(number, self.goal, GOAL)
            return
        arrival = self.arrivals[number]
        bound = arrival.cost + max(abs(arrival.at - self.goal) - self._around, 0.0)
        self._push(bound, GOAL, number, 0.0, NO_TANGENT)

    def _push_leg(self, number: int, goal: complex, turn: int) -> None:
        """Put the leg from an arrival to a goal on the list of what to try."""
        arrival = self.arrivals[number]
        if arrival.turn == START:
            sweep, tangent = 0.0, Tangent(abs(goal - self.start), 0j, 0j)
            cost = tangent.length
        else:
            found = self.tangents.to_point(arrival.turn, goal)
            if found is None:
                return
            tangent = found
            sweep = self.tangents.sweep(arrival.turn, arrival.on, tangent.leaving)
            if sweep < 0.0:
                return
            cost = arrival.cost + abs(self.tangents.signed[arrival.turn]) * sweep + tangent.length
        self._push(cost, turn, number, sweep, tangent)

    def _push(self, cost: float, turn: int, number: int, sweep: float, tangent: Tangent) -> None:
        if cost <= self.at_most:
            self._pushed += 1
            heappush(self._heap, (cost, self._pushed, cost, turn, number, sweep, tangent))
