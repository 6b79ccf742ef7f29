"""Size Skirmish: a ruleset whose text carries no title, in which the sizes of models decide what their dice do."""
