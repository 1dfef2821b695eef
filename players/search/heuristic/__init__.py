"""The heuristic search of 2048 and 2584: alpha-beta against a placer that annoys most."""
