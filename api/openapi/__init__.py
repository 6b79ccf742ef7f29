"""The contract, generated from the registry."""
