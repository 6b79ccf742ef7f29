"""The base of every value: frozen, compared and hashed by content, closed to unknown fields."""

import msgspec


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value; the one declaration from which decoder, schemas and test data are derived."""
