"""Where rules come from: ledgers, readings, worked examples, coverage and search."""
