"""The base of every value: frozen, compared and hashed by content, closed to unknown fields."""

import msgspec


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen value; decoder, schemas and test data are derived from its declaration.

    It consists of values that existed before and never changes, so it is in no reference cycle, and the garbage
    collector need not track it. That matters if a process keeps hundreds of thousands of them.
    """
