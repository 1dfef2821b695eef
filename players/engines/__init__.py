"""What the players that play through another program share."""
