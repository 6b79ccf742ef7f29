"""The contract, written from the registry."""
