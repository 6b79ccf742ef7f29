"""What can be wrong with a store: it cannot be reached, or what is in it is not what was written."""


class StoreUnavailable(Exception):
    """The store cannot be reached; nothing was changed, or what was begun will be taken back."""


class CorruptRecord(Exception):
    """A record in the store is not what was written there."""
