"""Exact odds: the rules walked down every path, pools of dice, and best play."""
