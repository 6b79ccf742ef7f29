"""The base of every value: frozen, compared and hashed by content, closed to unknown fields."""

import msgspec


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen value; the one declaration from which decoder, schemas and test data are derived.

    It is made of what was there before it and never changes, so that it is part of no circle, and the collector of
    garbage need not look at it. That counts where a process remembers hundreds of thousands of them.
    """
