"""Tuning by self-play: weights of moves and options of players, from games played in process."""
