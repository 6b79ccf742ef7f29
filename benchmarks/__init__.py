"""Speed compared with peers in one run: each script prints a table of ratios and gives its rows to a summary."""
