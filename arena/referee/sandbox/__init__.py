"""What contains a player, so that nothing it does matters but its moves."""
