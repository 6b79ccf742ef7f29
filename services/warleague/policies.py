"""Policies: named, deterministic ways of making the players' choices, for battles and for odds."""

from collections.abc import Mapping

from arbiter.table import Policy

POLICIES: Mapping[str, Policy] = {}
