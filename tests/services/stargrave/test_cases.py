"""What is impossible about a case: all of it at once and each fault at its place; and every reason once."""

from tests.services.stargrave.asking import ask, faults, figure
from tests.services.stargrave.yard import empty, kel


def test_a_weapon_that_is_not_there_is_told_with_whatever_else_is_wrong() -> None:
    scene = empty(figure("s", [5, 5], weapons=["knife"]), figure("t", [9, 9], "blue"))
    assert faults("shoot", {"scene": scene, "shooter": "s", "weapon": "carbine", "targets": ["s"]}) == [
        ("/case/targets/0", "itself"),
        ("/case/weapon", "unknown-weapon"),
    ]
    assert faults("flame", {"scene": scene, "shooter": "s", "weapon": "carbine", "touched": ["t", "t"]}) == [
        ("/case/touched", "repeated-id"),
        ("/case/weapon", "unknown-weapon"),
    ]


def test_a_figure_that_flames_touch_twice_is_told_where_it_stands_the_second_time() -> None:
    pia = {"id": "pia", "powers": [{"id": "psionic-fire"}]}
    scene = {**empty(figure("s", [5, 5], profile="pia"), figure("t", [9, 9], "blue")), "profiles": {"figures": [pia]}}
    case = {"scene": scene, "user": "s", "power": "psionic-fire", "touched": ["t", "t"], "exertion": 0}
    assert faults("power", case) == [("/case/touched/1", "repeated-figure")]


def test_two_jumps_that_are_too_long_alike_are_forbidden_by_one_reason() -> None:
    jumps = [{"to": [5 + 4.5 * n, 5], "how": "jump"} for n in (1, 2)]
    way = [jumps[0], {"to": [9.6, 5.1], "how": "walk"}, {"to": [14.1, 5.1], "how": "jump"}]
    reasons = ask("path", {"scene": empty(kel((5, 5))), "figure": "kel", "way": way}).reasons
    assert [reason.rule for reason in reasons].count("jumping.too_long") == 1
