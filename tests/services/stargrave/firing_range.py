"""What the tests of the law of a shot ask by."""

from tests.services.stargrave.asking import readings, walked

__all__ = ["readings", "walked"]
