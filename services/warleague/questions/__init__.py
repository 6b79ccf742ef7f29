"""What can be asked: the case and the answer of each question, and what makes a posted case impossible."""
