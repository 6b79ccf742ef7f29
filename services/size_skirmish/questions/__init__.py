"""The questions: the case, the state and the answer of each, and what makes a posted case impossible."""
