"""Shared code of skirmish games: scenes, their validation, battlefields, tables of data, boards on the plane, battles.

It contains no rule of a game. Code that two games share is here once; code that only looks alike stays in its game.
"""
