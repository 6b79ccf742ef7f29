"""What skirmish games share: scenes, their validation, battlefields, tables of data, boards on the plane, battles.

No rule of a game stands here. What two games have in common is here once; what only looks alike stays with its game.
"""
