"""One game between player processes: transport, session, clock, judgement, record."""

from arena.referee.game import play_game
from arena.referee.pool import SessionPool

__all__ = ["SessionPool", "play_game"]
