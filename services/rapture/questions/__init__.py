"""Questions: the case and the answer of each, and what makes a case impossible."""
