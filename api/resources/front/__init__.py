"""The pages for people: `/` and `/table`."""
