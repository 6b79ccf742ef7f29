"""Exact geometry of boards: hexes and squares in integers, the open plane in thousandths."""
