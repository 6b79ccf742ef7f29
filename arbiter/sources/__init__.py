"""Sources of rules: ledgers, readings, worked examples, coverage and search."""
