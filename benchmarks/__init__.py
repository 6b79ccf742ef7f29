"""Speed, side by side with peers in one run: each script prints a table of ratios and gives its rows to a summary."""
