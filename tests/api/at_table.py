"""What is posted from a table of wood: a common attack of every game without a board, by the facts of the players."""

from typing import Any, NamedTuple


class AtTable(NamedTuple):
    """A question with its case, facts that settle it, and two facts that a player would compare with others."""

    question: str
    case: dict[str, Any]
    given: dict[str, Any]
    vary: dict[str, list[Any]]

    def body(self, **facts: Any) -> dict[str, Any]:
        """Give the body that asks, with other facts in the place of some."""
        return {"case": {**self.case, "given": {**self.given, **facts}}}


AT_TABLE = {
    "stargrave": AtTable(
        "shoot",
        {
            "scene": {
                "figures": [
                    {"id": "ann", "profile": "recruit", "crew": "red", "weapons": ["carbine"]},
                    {"id": "bob", "profile": "trooper", "crew": "blue"},
                ]
            },
            "shooter": "ann",
            "weapon": "carbine",
            "targets": ["bob"],
        },
        {"sees": True, "range_in": 8, "cover": "light", "between": 0, "in_combat": []},
        {"cover": ["none", "light", "heavy"], "range_in": [8, 20]},
    ),
    "blackstone-fortress": AtTable(
        "attack",
        {
            "scene": {
                "explorers": [{"id": "ann", "profile": "janus-draik"}],
                "hostiles": [{"id": "bob", "profile": "traitor-guardsman"}],
            },
            "attacker": "ann",
            "action": "pistol-and-rapier",
            "targets": ["bob"],
        },
        {"sees": True, "range": 3, "cover": False},
        {"cover": [False, True], "range": [3, 6]},
    ),
    "rapture": AtTable(
        "shoot",
        {
            "scene": {
                "units": [
                    {"id": "ann", "side": "red", "profile": "lantern-bearer"},
                    {"id": "bob", "side": "blue", "profile": "gate-breaker"},
                ]
            },
            "shooter": "ann",
            "target": "bob",
        },
        {"range_cm": 9, "sees": True},
        {"sees": [True, False], "range_cm": [9, 60]},
    ),
    "size-skirmish": AtTable(
        "shoot",
        {
            "scene": {
                "models": [
                    {"id": "ann", "side": "red", "profile": "marsh-archer"},
                    {"id": "bob", "side": "blue", "profile": "quay-guard"},
                ]
            },
            "shooter": "ann",
            "target": "bob",
            "reactions": [],
            "assume": "usual",
        },
        {"distance": 8, "sees": True, "in_front": True},
        {"sees": [True, False], "distance": [4, 8]},
    ),
    "warleague": AtTable(
        "attack",
        {
            "scene": {
                "sides": [{"id": "red"}, {"id": "blue"}],
                "units": [
                    {"id": "ann", "side": "red", "profile": "scrapper"},
                    {"id": "bob", "side": "blue", "profile": "marksman"},
                ],
            },
            "attacker": "ann",
            "target": "bob",
        },
        {"clear_line": True, "distance": 3, "behind": False},
        {"behind": [False, True], "distance": [3, 4]},
    ),
}
