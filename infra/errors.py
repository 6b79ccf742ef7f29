"""Errors of a store: it cannot be reached, or a record is not what was written."""


class StoreUnavailable(Exception):
    """The store cannot be reached; nothing was changed, or the change will be undone."""


class CorruptRecord(Exception):
    """A record in the store is not what was written there."""
