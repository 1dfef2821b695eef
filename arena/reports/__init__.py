"""What people see of runs, checks and pages: on a terminal, as HTML, as files."""
