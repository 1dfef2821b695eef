"""The server of pages: a reader of the run view, and a client of the course and the tournament."""
