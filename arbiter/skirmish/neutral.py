"""The neutral result of rules that change the battlefield and take it first."""

from typing import Any, TypeVar

F = TypeVar("F")


def unchanged(field: F, *_: Any, **__: Any) -> F:
    """Give the battlefield as it is, whatever else the rule takes."""
    return field
