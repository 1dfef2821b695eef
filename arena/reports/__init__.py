"""Reports of runs and checks: on a terminal, as HTML, as files."""
