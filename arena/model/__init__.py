"""Values that travel: the protocol, game specs, records, what contains a player."""
