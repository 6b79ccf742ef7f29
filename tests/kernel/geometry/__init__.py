"""Tests of the exact geometry of boards, held to second methods that share no code with it."""
