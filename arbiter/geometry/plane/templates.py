"""Templates on the table, and the figures that they touch, decided exactly.

A *drop* is the outline around two circles: a teardrop, or with a near radius of 0 a cone with a round end. Its two
centres lie on the line from an origin through a point that it is aimed at, where no whole or even rational point need
be; so that the tests compare square roots (`planeroots.sign_of_roots`) and round nothing. A template touches a figure
when it has any point in common with its base, the rim included. Templates of any other shape are posted as polygons.
"""

from arbiter.geometry.plane.roots import sign_of_root, sign_of_roots
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.value import Value


class Drop(Value, frozen=True):
    """A drop laid from an origin towards a point.

    `gap` is the distance from the origin to the drop (a flame begins at the edge of its thrower's base), and `length`
    its length from tip to end. ValueError: it has no direction, or is too short for its circles, one of which must not
    lie within the other.
    """

    origin: Point
    towards: Point
    length: int
    far_radius: int
    near_radius: int = 0
    gap: int = 0

    def __post_init__(self) -> None:
        if self.origin == self.towards:
            raise ValueError("a drop has no direction: aim it at a point other than its origin")
        if min(self.near_radius, self.far_radius, self.gap) < 0 or self._span <= abs(self._widens):
            raise ValueError("a drop is longer than each of its circles is wide, and nothing of it is negative")

    @property
    def _span(self) -> int:
        """How far its two centres are apart."""
        return self.length - self.near_radius - self.far_radius

    @property
    def _widens(self) -> int:
        return self.far_radius - self.near_radius

    def touches(self, figure: Figure) -> bool:
        """Decide whether it has any point in common with a figure's base.

        That is so if the middle of the base lies in the drop when both its circles are larger by its radius.
        With v the vector it is aimed along, a = v·p is √(v·v) times how far along the point lies, and c = v×p the same
        for how far aside.
        """
        point, more = figure.at, figure.radius
        (x, y), (to_x, to_y) = self.origin, self.towards
        across, along = to_x - x, to_y - y
        square = across * across + along * along
        a = across * (point[0] - x) + along * (point[1] - y)
        c = abs(across * (point[1] - y) - along * (point[0] - x))
        apart = (point[0] - x) ** 2 + (point[1] - y) ** 2
        near, far = self.near_radius + more, self.far_radius + more
        first = self.gap + self.near_radius
        for centre, radius in ((first, near), (first + self._span, far)):
            # |p|² - 2·centre·a/√square + centre² ≤ radius², times √square.
            if sign_of_root(-2 * centre * a, apart + centre * centre - radius * radius, square) <= 0:
                return True
        # Between the circles the drop is bounded by the two lines that touch both. The foot of the point on the nearer
        # of them lies between its ends, and the point does not lie beyond it.
        span, widens = self._span, self._widens
        slant = span * span - widens * widens
        foot = widens * c
        if sign_of_roots(foot, a, slant, -first, square * slant) < 0:
            return False
        if sign_of_roots(foot, a, slant, -(first + span), square * slant) > 0:
            return False
        return sign_of_roots(-widens * a, c, slant, -(near * span - widens * first), square) <= 0
