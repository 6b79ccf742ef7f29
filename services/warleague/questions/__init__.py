"""The questions: the case and the answer of each, and what makes a posted case impossible."""
