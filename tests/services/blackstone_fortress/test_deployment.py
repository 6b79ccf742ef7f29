from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.rules import deployment, routes
from services.blackstone_fortress.scene import Discovery
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, field_from, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene


def muster(posted: dict[str, Any], profiles: list[str]) -> dict[str, Any]:
    """Add a group that waits to be set up."""
    waiting = [{"id": f"new-{number}", "group": "new", "profile": profile} for number, profile in enumerate(profiles)]
    return {**posted, "hostiles": [*posted["hostiles"], *waiting]}


PROFILES = st.lists(st.sampled_from(["traitor-guardsman", "chaos-beastman", "obsidius-mallex"]), min_size=1, max_size=9)


@settings(max_examples=cases(80))
@given(scenes(), PROFILES, st.data())
def test_a_group_is_set_up_around_its_marker_within_every_limit(
    posted: dict[str, Any], profiles: list[str], data: Any
) -> None:
    field = field_from(muster(posted, profiles))
    marker = Discovery("d-1", 1, data.draw(st.sampled_from(sorted(field.ground.open))))
    after = deployment.deploy_group(table(), field, "new", marker)
    explorers = {one.hex for one in after.explorers}
    placed = [hostile for hostile in after.hostiles if hostile.group == "new"]
    for hostile in placed:
        assert hostile.hex is not None
        assert hostile.hex not in explorers
        assert hostile.hex in field.ground.open
        assert field.ground.distance(hostile.hex, marker.hex) <= 1
        assert Plain(after, hostile).has_room(hostile.hex)
    if placed:
        assert placed[0].hex == marker.hex, "the first goes on the marker"
    begun = False
    for hostile in after.scene.hostiles:
        if hostile.group != "new" or hostile.hex is not None:
            begun = begun or hostile.group == "new"
            continue
        plain = Plain(after, hostile)
        near = [hex_ for hex_ in sorted(field.ground.open) if field.ground.distance(hex_, marker.hex) <= 1]
        # Until somebody of the group stands there, nobody goes anywhere but on the marker.
        tried = near if begun else [marker.hex]
        assert not any(plain.has_room(hex_) and hex_ not in explorers for hex_ in tried), "there was room"
        assert not hostile.slain, "who is left out at set-up was never there"


@settings(max_examples=cases(80))
@given(scenes(), st.sampled_from(["traitor-guardsman", "chaos-beastman", "obsidius-mallex"]), st.data())
def test_a_miniature_comes_in_where_it_may_and_is_slain_where_it_may_not(
    posted: dict[str, Any], profile: str, data: Any
) -> None:
    field = field_from(muster(posted, [profile]))
    hexes = data.draw(st.lists(st.sampled_from(sorted(field.ground.hexes)), max_size=4, unique=True))
    explorers = {one.hex for one in field.explorers}
    plain = Plain(field, field.hostile("new-0"))
    legal = [hex_ for hex_ in hexes if hex_ in plain.open and hex_ not in explorers and plain.has_room(hex_)]
    after = deployment.deploy(table(), field, "new-0", hexes).hostile("new-0")
    assert (after.hex, after.slain) == ((legal[0], False) if legal else (None, True))


@settings(max_examples=cases(60))
@given(scenes(), st.data())
def test_as_close_as_possible_is_found_by_comparing_all_hexes(posted: dict[str, Any], data: Any) -> None:
    field = field_from(muster(posted, ["traitor-guardsman"]))
    plain = Plain(field, field.hostile("new-0"))
    hexes = sorted(plain.open)
    explorers = {one.hex for one in field.explorers}
    legal = [hex_ for hex_ in hexes if hex_ not in explorers and plain.has_room(hex_)]
    assume(legal)

    def gap(hex_: Any) -> int:
        lengths = [plain.route(hex_, one.hex) for one in field.explorers if one.hex]
        return min(routes.UNREACHABLE if length is None else length for length in lengths)

    best = min(gap(hex_) for hex_ in legal)
    result = deployment.closest_hexes(table(), field, "new-0", hexes, field.explorers)
    assert list(result) == [hex_ for hex_ in legal if gap(hex_) == best]


def test_a_slain_hostile_that_comes_back_is_whole_again() -> None:
    gone = guard("guard-1", None, slain=True, wounds=1, grievous=1, stunned=True)
    field = field_of(scene([janus([0, 0])], [gone]))
    back = deployment.deploy(table(), field, "guard-1", [(5, 2)]).hostile("guard-1")
    assert (back.hex, back.slain, back.wounds, back.grievous, back.stunned) == ((5, 2), False, 0, 0, False)


def test_a_hostile_that_was_never_slain_keeps_its_wounds() -> None:
    field = field_of(scene([janus([0, 0])], [guard("guard-1", None, wounds=1)]))
    assert deployment.deploy(table(), field, "guard-1", [(5, 2)]).hostile("guard-1").wounds == 1


def test_nobody_comes_in_off_the_battlefield_or_in_an_obstruction() -> None:
    field = field_of(scene([], [guard("guard-1", None)], {"hexes": block(3, 1), "obstructions": [[1, 0]]}))
    off, obstructed = (deployment.violations(table(), field, "guard-1", hex_) for hex_ in ((9, 9), (1, 0)))
    assert [reason.text for reason in off] == ["(9, 9) is not on the battlefield"]
    assert [reason.text for reason in obstructed] == ["(1, 0) is obstructed"]


def test_an_explorer_for_whom_there_is_no_hex_stays_out_of_action() -> None:
    field = field_of(scene([janus(None, out_of_action=True)], [guard("guard-1", [1, 0])]))
    after = deployment.deploy(table(), field, "janus", [(1, 0)]).explorer("janus")
    assert after.out_of_action
    assert after.hex is None
