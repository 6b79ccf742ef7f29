"""WarLeague: attacks on tiles, with dice for their intensity, layers of defence, explosions and throws."""
