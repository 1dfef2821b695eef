"""One game between player processes: transport, session, clock, judgement, record."""
