"""UCT (Kocsis and Szepesvári 2006), written once for every game."""
